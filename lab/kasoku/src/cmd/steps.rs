//! `kasoku steps`: at which sizes the cost of a workload jumps, and why.

use std::path::Path;

use super::{CommandOutcome, Failure, Format, named};
use kasoku_model::algorithm::Algorithm;
use kasoku_model::document::Series;
use kasoku_model::language::Language;
use kasoku_model::steps;
use kasoku_report::steps::{TableView, render};
use kasoku_store::output_file;

/// Show the sizes at which a workload's time jumps
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = "Examples:
  kasoku run primitives --algorithms aes-128-ctr --libraries openssl --acceleration off --sizes sweep
  kasoku steps                                     the steps of that run, the newest
  kasoku steps last-1 --algorithm aes-128-gcm --all
  kasoku steps \"AMD Opteron(R) 6276\"               a machine with published figures

A sweep is fitted with a fixed cost, a cost per byte, and the sizes at which they change. With only a few sizes, jumps \
between two of them are reported if a fixed cost and a cost per byte cannot explain them.")]
pub struct Args {
    /// The run: its name, label or unique prefix, `last`, `last-N`, or a published device
    #[arg(default_value = "last")]
    run: String,
    /// Algorithm to show; repeatable
    #[arg(long, value_delimiter = ',', value_name = "NAME")]
    algorithm: Vec<Algorithm>,
    /// Library to show
    #[arg(long, value_name = "NAME")]
    library: Option<String>,
    /// In tables, also show workloads without steps
    #[arg(long)]
    all: bool,
    /// Output format
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

/// Prints the steps.
///
/// # Errors
/// If the run is not there, or the store cannot be read.
pub fn run(args: &Args, store: Option<&Path>, language: Language) -> Result<CommandOutcome, Failure> {
    let document = named::document(&args.run, store)?;
    // Results of others name libraries that nothing here measures.
    let library = args.library.as_ref().map(|typed| named::library(typed).unwrap_or_else(|_| typed.clone()));
    let is_wanted = |series: &Series| {
        let is_algorithm = args.algorithm.is_empty() || args.algorithm.contains(&series.algorithm);
        is_algorithm && library.as_ref().is_none_or(|library| *library == series.library)
    };
    if !document.series.is_empty() && !document.series.iter().any(is_wanted) {
        return Err(Failure::new(format!(
            "{} has nothing of that library or algorithm; kasoku show lists what it has",
            document.run.id
        )));
    }
    let curves = steps::steps(&document, is_wanted);
    output_file::print(&render(&document, &curves, TableView { format: args.format, language, all: args.all }))?;
    Ok(CommandOutcome::Done)
}
