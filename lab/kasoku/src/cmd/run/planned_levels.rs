//! Plans and workers for the levels of a run, their durations and limits, and the output of `kasoku run --list`.

use std::time::Duration;

use super::super::{CommandOutcome, Failure};
use super::request::RunRequest;
use kasoku_measure::files::{Estimate, estimate, size_name};
use kasoku_measure::level::files::MIN_BESIDE_OTHERS;
use kasoku_measure::level::options::LevelOptions;
use kasoku_measure::level::{LEVELS, OpenedLevel, description, reproduction};
use kasoku_measure::plan::{Experiment, Plan};
use kasoku_measure::worker::Worker;
use kasoku_model::acceleration::Acceleration;
use kasoku_model::document::extent::{MAX_SAMPLES, MAX_SERIES};
use kasoku_model::document::{Limit, Omission, Remark};
use kasoku_model::level::Level;
use kasoku_model::workload::MAX_BYTES;
use kasoku_store::output_file::print;

/// The levels that can be measured, each with its plan and workers.
pub(super) struct PlannedLevels {
    pub(super) levels: Vec<(Plan, Vec<Worker>)>,
    pub(super) omissions: Vec<Omission>,
    /// Whether a library failed for a reason other than a missing file.
    pub(super) has_failed: bool,
}

/// Plans the requested levels and starts their workers. Leaves out levels that have nothing to measure, unless they
/// are named or no other is left.
pub(super) fn plan_levels(request: &RunRequest, options: &LevelOptions) -> Result<PlannedLevels, Failure> {
    let mut planned = PlannedLevels { levels: Vec::new(), omissions: Vec::new(), has_failed: false };
    for level in LEVELS {
        let is_named = request.names(level.level);
        if !is_named && !request.levels.is_empty() {
            continue;
        }
        let of_level = options_of(options, level.level, &request.levels, request.common.as_published);
        let OpenedLevel { plan, workers, omissions, has_failed, is_whole } = level.open(&of_level);
        planned.has_failed |= has_failed;
        if is_whole && !plan.is_empty() {
            planned.levels.push((plan, workers));
        } else if is_named {
            return Err(nothing(&omissions));
        }
        planned.omissions.extend(omissions);
    }
    if planned.levels.is_empty() { Err(nothing(&planned.omissions)) } else { Ok(planned) }
}

/// Returns the user's options for `level`, without sizes that `level` does not measure. With `as_published`, also adds
/// the settings of the publications that `kasoku run --as-published` repeats. For the levels jvm, files and tls these
/// repetitions take hours, so the settings are added only if the user named levels (`named`).
fn options_of(options: &LevelOptions, level: Level, named: &[Level], as_published: bool) -> LevelOptions {
    let mut options = options.clone();
    let is_of_whole_files = [Level::Files, Level::Tls].contains(&level);
    let is_alone = named.len() == 1;
    if let Some(sizes) = &mut options.sizes {
        if is_of_whole_files && !is_alone {
            sizes.retain(|&bytes| bytes >= MIN_BESIDE_OTHERS);
        } else if !is_of_whole_files {
            sizes.retain(|&bytes| bytes <= MAX_BYTES);
        }
    }
    let takes_hours = is_of_whole_files || level == Level::Jvm;
    let is_published = as_published && !(takes_hours && named.is_empty());
    if is_published { reproduction::as_published(level, options) } else { options }
}

/// Checks that the run has at most as many series and samples as a report can show, even if half of the slices are
/// repeated.
pub(super) fn check_extent(levels: &[(Plan, Vec<Worker>)]) -> Result<(), Failure> {
    let series: usize = levels.iter().map(|(plan, _)| plan.most_series()).sum();
    let slices: usize = levels.iter().map(|(plan, _)| plan.most_series() * plan.all_rounds() as usize).sum();
    if series > MAX_SERIES || slices > MAX_SAMPLES / 2 {
        return Err(Failure::new(format!(
            "this run would have up to {series} series and {slices} samples; at most {MAX_SERIES} and {} are allowed: \
             use fewer --algorithms, --libraries, --sizes or --rounds",
            MAX_SAMPLES / 2
        )));
    }
    Ok(())
}

/// Returns the error for a run without anything to measure, with the reasons.
fn nothing(omissions: &[Omission]) -> Failure {
    let reason = |one: &Omission| match one.library.as_str() {
        "" => format!("{}: {}", one.level, one.why),
        library => format!("{library}: {}", one.why),
    };
    let mut reasons: Vec<String> = omissions.iter().map(reason).collect();
    reasons.dedup();
    let reasons = if reasons.is_empty() { String::new() } else { format!(" ({})", reasons.join("; ")) };
    Failure::new(format!("there is nothing to measure{reasons}; see kasoku libraries"))
}

pub(super) fn list(request: &RunRequest, options: &LevelOptions) -> Result<CommandOutcome, Failure> {
    let PlannedLevels { mut levels, omissions, .. } = plan_levels(request, options)?;
    for (index, (plan, workers)) in levels.iter_mut().enumerate() {
        let between = if index > 0 { "\n" } else { "" };
        print(&format!("{between}{}", description::describe(plan)))?;
        let lines = [time(plan, workers), binding_limit(plan).map(|remark| remark.to_string())];
        for line in lines.into_iter().flatten() {
            print(&format!("\n{line}\n"))?;
        }
    }
    for line in not_here(&omissions) {
        print(&format!("{line}\n"))?;
    }
    Ok(CommandOutcome::Done)
}

/// Returns a line for each level or library that is left out. A library that several levels leave out gets only one
/// line.
fn not_here(omissions: &[Omission]) -> Vec<String> {
    let mut told: Vec<(&str, Option<Acceleration>, &str)> = Vec::new();
    let mut lines = Vec::new();
    for one in omissions.iter().filter(|one| one.algorithm.is_none()) {
        // For a level that is left out completely, prints each reason.
        let (what, why) =
            if one.library.is_empty() { (one.level.name(), one.why.as_str()) } else { (one.library.as_str(), "") };
        if told.contains(&(what, one.acceleration, why)) {
            continue;
        }
        told.push((what, one.acceleration, why));
        let install = one.install.as_ref().map(|command| format!("; install it with: {command}")).unwrap_or_default();
        let state = one.acceleration.map(|state| format!(" ({state})")).unwrap_or_default();
        lines.push(format!("not available: {what}{state}: {}{install}", one.why));
    }
    lines
}

/// Returns a sentence about the duration of a plan; `None` if the plan has a time limit.
pub(super) fn time(plan: &Plan, workers: &mut [Worker]) -> Option<String> {
    if let Experiment::Files(files) = &plan.experiment {
        let Estimate { time, bytes, room } = estimate(plan, files, files.repetitions?, workers);
        return Some(format!(
            "about {}: {} are encrypted or decrypted; {} of free space is needed",
            duration(time),
            amount(bytes),
            amount(room),
        ));
    }
    let tls = plan.tls()?;
    let time = duration(tls.estimate(plan.rounds)?);
    let (cases, rounds) = (tls.cases.len(), plan.rounds);
    Some(format!("at most about {time}: {cases} cases, each searched and then measured {rounds} times"))
}

/// Returns a remark on the system limit that the web server reaches first.
fn binding_limit(plan: &Plan) -> Option<Remark> {
    let limits = plan.tls()?.limits();
    let (limit, connections) = kasoku_model::system_limit::first_to_bind(&limits)?;
    let Limit { name, value, published, .. } = limit.clone();
    Some(Remark::FirstLimit { name, value, published, connections })
}

/// Returns the remarks on a run of web servers. Their code paths are unknown, because only a worker can observe the
/// code path, in its own process.
pub(super) fn remarks(plan: &Plan) -> Vec<Remark> {
    binding_limit(plan).into_iter().chain([Remark::UnknownCodePaths]).collect()
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
        Ok(bytes) if gib < 1.0 => size_name(bytes.next_multiple_of(1 << 20)),
        _ => format!("{gib:.1} GiB"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_published_measurements_run_only_if_their_level_is_named() {
        let is_published = |level: Level, named: &[Level]| {
            let options = options_of(&LevelOptions::default(), level, named, true);
            options.rounds.is_some() || options.files.repetitions.is_some()
        };
        for level in [Level::Jvm, Level::Files, Level::Tls] {
            assert!(!is_published(level, &[]) && is_published(level, &[level]), "{level}");
        }
        assert!(is_published(Level::Primitives, &[]));
    }

    #[test]
    fn options_of_keeps_the_sizes_that_a_level_supports() {
        let options = LevelOptions { sizes: Some(vec![1350, 16 << 20, 1 << 30]), ..LevelOptions::default() };
        let sizes = |level: Level, named: &[Level]| options_of(&options, level, named, false).sizes.unwrap();
        assert_eq!(sizes(Level::Files, &[]), [16 << 20, 1 << 30]);
        assert_eq!(sizes(Level::Primitives, &[]), [1350, 16 << 20]);
        assert_eq!(sizes(Level::Files, &[Level::Files]), [1350, 16 << 20, 1 << 30]);
    }

    #[test]
    fn list_names_missing_levels_and_libraries_once() {
        let omission = |level: Level, library: &str, why: &str| Omission {
            level,
            library: library.into(),
            why: why.into(),
            ..Omission::default()
        };
        let lines = not_here(&[
            omission(Level::Primitives, "ipsec-mb", "no such file"),
            omission(Level::Packets, "ipsec-mb", "no such file"),
            omission(Level::Jvm, "", "java did not end"),
            omission(Level::Jvm, "", "there is no java"),
            omission(Level::Tls, "", "there is no nginx"),
        ]);
        let told =
            ["ipsec-mb: no such file", "jvm: java did not end", "jvm: there is no java", "tls: there is no nginx"];
        assert_eq!(lines, told.map(|line| format!("not available: {line}")));
    }

    #[test]
    fn durations_and_amounts_have_readable_units() {
        assert_eq!(duration(Duration::from_secs(45)), "45 s");
        assert_eq!(duration(Duration::from_secs(600)), "10 minutes");
        assert_eq!(duration(Duration::from_secs(3 * 3600 + 61)), "3 h 02 min");
        assert_eq!(amount(3 << 40), "3.0 TiB");
        assert_eq!(amount(200 << 20), "200 MiB");
    }
}
