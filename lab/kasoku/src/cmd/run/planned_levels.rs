//! The plans of a run and the workers for them.

use super::super::Failure;
use super::request::RunRequest;
use kasoku_measure::level::files::MIN_BESIDE_OTHERS;
use kasoku_measure::level::options::LevelOptions;
use kasoku_measure::level::{LEVELS, Opened, reproduction};
use kasoku_measure::plan::Plan;
use kasoku_measure::worker::Worker;
use kasoku_model::document::Omission;
use kasoku_model::document::extent::{MAX_SAMPLES, MAX_SERIES};
use kasoku_model::level::Level;
use kasoku_model::workload::MAX_BYTES;

/// The levels that can be measured, each with its plan and workers.
pub(super) struct PlannedLevels {
    pub(super) levels: Vec<(Plan, Vec<Worker>)>,
    pub(super) omissions: Vec<Omission>,
    /// Whether a library failed for another reason than a missing file.
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
        let Opened { plan, workers, omissions, has_failed, is_whole } = level.open(&of_level);
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

/// Returns the options for one level: the sizes that it supports, and the published options if they are requested. The
/// published measurements of Java, files and web servers take hours, so these levels must be named for them.
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

/// Checks that a report can show the results, also if half of the slices are repeated.
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

/// Returns the error that there is nothing to measure, with the reasons.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn published_measurements_of_hours_need_the_name_of_their_level() {
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
}
