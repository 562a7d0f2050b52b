//! `kasoku compare`: what became slower or faster between two runs.

use std::path::Path;

use super::{Failure, Format, Outcome, named};
use crate::comparison::{self, Verdict};
use crate::language::Language;
use crate::output_file;
use crate::report::comparison::{View, render};

/// Compare two runs: what became slower first, then what became faster
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = "Examples:
  kasoku compare last-1 last                    what changed since the run before
  kasoku compare last-1 last --threshold 5      only what changed by more than 5 %
  kasoku compare last-1 last --fail-on-regression --format csv    for continuous integration

A difference is shown only if its whole 95 % interval lies beyond what two runs of one machine may differ by
(3 %, or more where a run's own noise floor is higher). Figures that are published or imported have no samples:
their ratios are shown, and no difference is claimed.

Exit status: 0 done, whatever was found; 1 with --fail-on-regression if something is shown to be slower;
2 wrong usage or bad input.")]
pub struct Args {
    /// The run to compare with: its name, a beginning that no other has, `last`, `last-N`, or a published device
    #[arg(value_name = "RUN")]
    first: String,
    /// The run to be compared, named likewise
    #[arg(value_name = "RUN")]
    second: String,
    /// Show no difference below this many percent
    #[arg(long, value_name = "PERCENT", value_parser = percent)]
    threshold: Option<f64>,
    /// End with exit status 1 if something is shown to be slower
    #[arg(long)]
    fail_on_regression: bool,
    /// Show in tables also what shows no difference
    #[arg(long)]
    all: bool,
    /// The form
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

/// Prints the comparison.
///
/// # Errors
/// If a run is not there, or the store cannot be read.
pub fn run(args: &Args, store: Option<&Path>, language: Language) -> Result<Outcome, Failure> {
    let first = named::document(&args.first, store)?;
    let second = named::document(&args.second, store)?;
    let runs = comparison::compare(&first, &second, args.threshold.unwrap_or(0.0) / 100.0);
    output_file::print(&render(&runs, View { format: args.format, language, all: args.all }))?;
    let has_regressed = args.fail_on_regression && runs.count(Verdict::Slower) > 0;
    Ok(if has_regressed { Outcome::Partial } else { Outcome::Done })
}

fn percent(text: &str) -> Result<f64, String> {
    match text.trim_end_matches('%').trim_end().parse::<f64>() {
        Ok(percent) if (0.0..=1000.0).contains(&percent) => Ok(percent),
        _ => Err("a threshold is a number of percent from 0 to 1000".to_owned()),
    }
}
