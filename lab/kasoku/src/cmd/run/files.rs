//! What `kasoku run` does for the level `files` only: sizes of its own, what is told beforehand, what dead runs left.

use std::time::Duration;

use super::super::{Failure, tell};
use super::Args;
use super::sizes::all_sizes;
use kasoku_measure::files::estimate::{Estimate, estimate};
use kasoku_measure::files::{Place, size_name};
use kasoku_measure::folder::remove_leftovers;
use kasoku_measure::level::files::{NAME, SMALLEST_BESIDE_OTHERS};
use kasoku_measure::level::options::{Options, Pace};
use kasoku_measure::level::{jvm, tls};
use kasoku_measure::plan::Plan;
use kasoku_measure::worker::Worker;
use kasoku_model::workload::MAX_BYTES;

/// Checks what concerns files only.
///
/// # Errors
/// Wrong usage.
pub(super) fn check(args: &Args, levels: &[String]) -> Result<(), Failure> {
    let is_named = levels.iter().any(|level| level == NAME);
    if !is_named && !levels.is_empty() {
        let options =
            [(args.cold, "--cold"), (args.repetitions.is_some(), "--repetitions"), (args.log.is_some(), "--log")];
        if let Some((_, option)) = options.into_iter().find(|(is_given, _)| *is_given) {
            return Err(Failure::new(format!("{option} is for the level {NAME}: kasoku run {NAME} {option} …")));
        }
    }
    let is_of_whole_files = is_named || levels.iter().any(|level| level == tls::NAME);
    if !is_of_whole_files && !levels.is_empty() {
        if args.dir.is_some() {
            return Err(Failure::new(format!("--dir is for the levels {NAME} and tls: kasoku run {NAME} --dir …")));
        }
        let sizes = args.sizes.as_deref().map(all_sizes).unwrap_or_default();
        if let Some(bytes) = sizes.into_iter().find(|&bytes| bytes > MAX_BYTES) {
            return Err(Failure::new(format!(
                "--sizes {bytes}: only files, and those that are served, may have more than {MAX_BYTES} bytes"
            )));
        }
    }
    if let Some(dir) = &args.dir {
        if !dir.is_dir() {
            return Err(Failure::new(format!("--dir {}: there is no such folder", dir.display())));
        }
        Place::on(dir)
            .map_err(|error| Failure::new(format!("--dir {}: no files can be made there: {error}", dir.display())))?;
    }
    Ok(())
}

/// The options as one level sees it: all levels share `--sizes`, and the published measurements of Java, of files and of web
/// servers take hours, so that they must be asked for by name.
pub(super) fn options_of(options: &Options, level: &str, named: &[String]) -> Options {
    let mut options = options.clone();
    let is_of_whole_files = [NAME, tls::NAME].contains(&level);
    let is_alone = named.len() == 1;
    if let Some(sizes) = &mut options.sizes {
        if is_of_whole_files && !is_alone {
            sizes.retain(|&bytes| bytes >= SMALLEST_BESIDE_OTHERS);
        } else if !is_of_whole_files {
            sizes.retain(|&bytes| bytes <= MAX_BYTES);
        }
    }
    let takes_hours = is_of_whole_files || level == jvm::NAME;
    if takes_hours && options.pace == Pace::AsPublished && named.is_empty() {
        options.pace = Pace::Default;
    }
    options
}

/// Removes what dead runs left in the folder that is measured, and says so.
pub(super) fn clean(options: &Options) {
    for path in remove_leftovers(&options.files.dir()) {
        tell(&format!("removed {}, which a run that was killed had left", path.display()));
    }
}

/// What a plan with a fixed number of repetitions takes, in a sentence; `None` if the time is bounded.
pub(super) fn beforehand(plan: &Plan, workers: &mut [Worker]) -> Option<String> {
    let files = plan.files.as_ref()?;
    let repetitions = files.repetitions?;
    let Estimate { time, bytes, room } = estimate(plan, files, repetitions, workers);
    Some(format!(
        "about {}: {} of text are encrypted or decrypted, in files of which {} must be free at a time",
        duration(time),
        amount(bytes),
        amount(room),
    ))
}

/// Tells it.
pub(super) fn tell_beforehand(plan: &Plan, workers: &mut [Worker]) {
    if let Some(line) = beforehand(plan, workers) {
        tell(&line);
    }
}

fn duration(time: Duration) -> String {
    let minutes = time.as_secs().div_ceil(60);
    match minutes {
        0 | 1 => format!("{} s", time.as_secs().max(1)),
        2..=119 => format!("{minutes} minutes"),
        _ => format!("{} h {:02} min", minutes / 60, minutes % 60),
    }
}

fn amount(bytes: u64) -> String {
    let gib = bytes as f64 / f64::from(1u32 << 30);
    match usize::try_from(bytes) {
        _ if gib >= 1024.0 => format!("{:.1} TiB", gib / 1024.0),
        _ if gib >= 1.0 => format!("{gib:.1} GiB"),
        Ok(bytes) => size_name(bytes.next_multiple_of(1 << 20)),
        Err(_) => format!("{gib:.1} GiB"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_and_amounts_are_read_at_a_glance() {
        assert_eq!(duration(Duration::from_secs(45)), "45 s");
        assert_eq!(duration(Duration::from_secs(600)), "10 minutes");
        assert_eq!(duration(Duration::from_secs(3 * 3600 + 61)), "3 h 02 min");
        assert_eq!(amount(3 << 40), "3.0 TiB");
        assert_eq!(amount(200 << 20), "200 MiB");
    }

    #[test]
    fn what_takes_hours_is_asked_for_by_name() {
        let options = Options { pace: Pace::AsPublished, ..Options::default() };
        for level in ["jvm", "files", "tls"] {
            assert_eq!(options_of(&options, level, &[]).pace, Pace::Default, "{level}");
            assert_eq!(options_of(&options, level, &[level.to_owned()]).pace, Pace::AsPublished, "{level}");
        }
        assert_eq!(options_of(&options, "primitives", &[]).pace, Pace::AsPublished);
    }

    #[test]
    fn sizes_go_to_the_levels_that_can_have_them() {
        let options = Options { sizes: Some(vec![1350, 16 << 20, 1 << 30]), ..Options::default() };
        let sizes = |level: &str, named: &[String]| options_of(&options, level, named).sizes.unwrap();
        assert_eq!(sizes("files", &[]), [16 << 20, 1 << 30]);
        assert_eq!(sizes("primitives", &[]), [1350, 16 << 20]);
        assert_eq!(sizes("files", &["files".to_owned()]), [1350, 16 << 20, 1 << 30]);
    }
}
