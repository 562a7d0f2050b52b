//! `kasoku compare`: shows which workloads became slower or faster between two runs.

use std::path::Path;

use super::named::number_of;
use super::{CommandOutcome, Failure, Format, named, print_output, tell};
use kasoku_model::comparison::{self, PairVerdict, RatioEvidence, TwoRuns};
use kasoku_model::document::Document;
use kasoku_model::printable::printable;
use kasoku_model::run_name::is_place;
use kasoku_report::comparison::comparison;
use kasoku_report::language::Language;

/// Compare two runs: first what became slower, then what became faster
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = "Examples:
  kasoku compare last-1 last                    what changed since the previous comparable run
  kasoku compare baseline last                  since the run made with --label baseline
  kasoku compare last-1 last --threshold 5      only what changed by more than 5 %
  kasoku compare last-1 last --fail-on-regression --require 40    for continuous integration

A difference is shown only if its whole 95 % interval lies beyond the variation between two runs of one machine \
(3 %, or more where a run's noise floor is higher). Published and imported figures have no samples: their ratios are \
shown, and no difference is claimed. An incomplete run is compared by the samples it has, with a note.

Exit status: 0 done, whatever the result; 1 with --fail-on-regression if something became slower, or if nothing could \
be compared (no workload in common, or none with an interval), and with --require if fewer than N workloads could be; \
2 wrong usage or bad input.")]
pub(crate) struct Args {
    /// Baseline run: its name, label or unique prefix, `last`, `last-N`, or the name of an imported machine or a
    /// published device
    #[arg(value_name = "RUN")]
    first: String,
    /// Run to compare with the baseline, named in the same way
    #[arg(value_name = "RUN")]
    second: String,
    /// Hide differences below this percentage
    #[arg(long, value_name = "PERCENT", value_parser = percent)]
    threshold: Option<f64>,
    /// Exit with status 1 if something became slower, or if nothing could be compared
    #[arg(long)]
    fail_on_regression: bool,
    /// Exit with status 1 unless at least N workloads could be compared (are in both runs, with an interval)
    #[arg(long, value_name = "N", value_parser = number_of("workloads", 1..=u32::MAX))]
    require: Option<u32>,
    /// In tables, also show workloads without a difference
    #[arg(long)]
    all: bool,
    /// Output format
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

pub(crate) fn run(args: &Args, store: Option<&Path>, language: Language) -> Result<CommandOutcome, Failure> {
    let second = named::document(&args.second, store)?;
    let first = baseline(args, &second, store)?;
    if first.run.id == second.run.id {
        tell(&format!("{} is compared with itself; no difference is possible", printable(&first.run.id)));
    }
    let runs = comparison::compare(&first, &second, args.threshold.unwrap_or(0.0) / 100.0);
    print_output(&comparison(&runs, args.all), args.format, language)?;
    let least = args.require.map_or(usize::from(args.fail_on_regression), |least| least as usize);
    if runs.judged() < least {
        return Err(Failure::in_the_middle(too_few_compared(&runs, least)));
    }
    let has_regressed = args.fail_on_regression && runs.count(PairVerdict::Slower) > 0;
    Ok(if has_regressed { CommandOutcome::Partial } else { CommandOutcome::Done })
}

/// Returns the run to compare with `second`. If both runs are named by position, as `last-1`, and have no common
/// workload, returns the newest earlier run of that machine with a common workload.
fn baseline(args: &Args, second: &Document, store: Option<&Path>) -> Result<Document, Failure> {
    let first = named::document(&args.first, store)?;
    let are_positions = is_place(&args.first) && is_place(&args.second) && first.run.id != second.run.id;
    if !are_positions || comparison::is_anything_shared(&first, second) {
        return Ok(first);
    }
    let store = named::open_store(store)?;
    let known = store.known()?;
    let before = known.measured_on(&second.machine).skip_while(|run| run.id != second.run.id).skip(1);
    for run in before.filter(|run| run.id != first.run.id) {
        if !store.share_workloads(&run.id, &second.run.id)? {
            continue;
        }
        let other = store.load(&run.id)?;
        if comparison::is_anything_shared(&other, second) {
            tell(&format!(
                "{} ({}) has no workload in common with {}; compared with {} instead, the newest earlier run with \
                 one",
                args.first,
                printable(&first.run.id),
                printable(&second.run.id),
                printable(&other.run.id)
            ));
            return Ok(other);
        }
    }
    Ok(first)
}

/// Returns the error for fewer than `least` comparable workloads, with the reasons and what to do.
fn too_few_compared(runs: &TwoRuns<'_>, least: usize) -> String {
    let judged = runs.judged();
    let what =
        if judged == 0 { "nothing could be compared".to_owned() } else { format!("only {judged} could be compared") };
    let wanted = if least > 1 { format!(", and {least} workloads must be") } else { String::new() };
    let without = runs.count(PairVerdict::NoInterval);
    let quoted = runs.pairs.iter().filter(|pair| matches!(pair.evidence, RatioEvidence::Quoted(_))).count();
    let apart = runs.only_first.len() + runs.only_second.len();
    let counts = [
        (without.saturating_sub(quoted), "have too few samples for an interval (measure again with more --rounds)"),
        (quoted, "have published or imported figures without samples (measure both runs here)"),
        (runs.unsound.len(), "failed or were not verified in one of the runs"),
        (apart, "are in only one of the runs (measure the same levels, libraries, algorithms and sizes)"),
    ];
    let reasons = counts.into_iter().filter(|(count, _)| *count > 0).map(|(count, why)| format!("{count} {why}"));
    match &reasons.collect::<Vec<_>>()[..] {
        [] => format!("{what}{wanted}: the runs contain no other workloads"),
        reasons => format!("{what}{wanted}: {}", reasons.join("; ")),
    }
}

fn percent(text: &str) -> Result<f64, String> {
    match text.trim_end_matches('%').trim_end().parse::<f64>() {
        Ok(percent) if (0.0..=1000.0).contains(&percent) => Ok(percent),
        _ => Err("the threshold must be a percentage from 0 to 1000".to_owned()),
    }
}
