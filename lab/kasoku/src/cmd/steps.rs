//! `kasoku steps`: shows the sizes at which the cost of a workload jumps, and why.

use std::path::Path;

use super::{CommandOutcome, Failure, Format, named, print_output};
use kasoku_model::algorithm::Algorithm;
use kasoku_model::document::Series;
use kasoku_model::steps;
use kasoku_report::language::Language;
use kasoku_report::steps::steps as report;

/// Show the sizes at which a workload's time jumps
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = "Examples:
  kasoku run primitives --algorithms aes-128-ctr --libraries openssl --acceleration off --sizes sweep
  kasoku steps                                     the steps of that run, the newest
  kasoku steps last-1 --algorithm aes-128-gcm --all
  kasoku steps \"AMD Opteron(R) 6276\"               a machine with published figures

A sweep is fitted with a fixed cost, a cost per byte, and the sizes at which they change. With only a few sizes, jumps \
between two of them are reported if a fixed cost and a cost per byte cannot explain them.")]
pub(crate) struct Args {
    /// The run: its name, label or unique prefix, `last`, `last-N`, or a published device
    #[arg(default_value = "last")]
    run: String,
    /// Algorithm to show; repeatable
    #[arg(long, value_delimiter = ',', value_name = "NAME")]
    algorithm: Vec<Algorithm>,
    /// In tables, also show workloads without steps
    #[arg(long)]
    all: bool,
    /// Output format
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

pub(crate) fn run(args: &Args, store: Option<&Path>, language: Language) -> Result<CommandOutcome, Failure> {
    let document = named::document(&args.run, store)?;
    let is_wanted = |series: &Series| args.algorithm.is_empty() || args.algorithm.contains(&series.algorithm);
    if !document.series.is_empty() && !document.series.iter().any(is_wanted) {
        let run = &document.run.id;
        return Err(Failure::new(format!("{run} has nothing of that algorithm; kasoku show lists what it has")));
    }
    let curves = steps::steps(&document, is_wanted);
    print_output(&report(&document, &curves, args.all), args.format, language)?;
    Ok(CommandOutcome::Done)
}
