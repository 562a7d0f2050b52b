//! The plans of a run and the workers for them.

use super::super::Failure;
use super::asked::RunRequest;
use super::files;
use kasoku_measure::level::options::LevelOptions;
use kasoku_measure::level::{LEVELS, Opened};
use kasoku_measure::plan::Plan;
use kasoku_measure::worker::Worker;
use kasoku_model::document::Omission;
use kasoku_model::document::extent::{MAX_SAMPLES, MAX_SERIES};

/// What can be measured of what was asked for.
pub(super) struct ReadyLevels {
    pub(super) levels: Vec<(Plan, Vec<Worker>)>,
    pub(super) omissions: Vec<Omission>,
    /// Whether a library failed, and not only for want of its library file.
    pub(super) has_failed: bool,
}

/// Starts the workers that can be had and makes the plans for them. A level that has nothing to measure is left out,
/// and is an error if it was named.
pub(super) fn ready(asked: &RunRequest, options: &LevelOptions) -> Result<ReadyLevels, Failure> {
    let mut ready = ReadyLevels { levels: Vec::new(), omissions: Vec::new(), has_failed: false };
    for level in LEVELS {
        let is_named = asked.names(level.level.name());
        if !is_named && !asked.levels.is_empty() {
            continue;
        }
        let of_level = files::options_of(options, level.level.name(), &asked.levels, asked.general.as_published);
        let Opened { plan, workers, omissions, has_failed, is_whole } = level.open(&of_level);
        ready.has_failed |= has_failed;
        if is_whole && !plan.is_empty() {
            ready.levels.push((plan, workers));
        } else if is_named {
            return Err(nothing(&omissions));
        }
        ready.omissions.extend(omissions);
    }
    if ready.levels.is_empty() { Err(nothing(&ready.omissions)) } else { Ok(ready) }
}

/// Whether what is planned can be shown once it is stored, also if half of the slices are taken again.
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

/// That there is nothing to measure, and why.
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
