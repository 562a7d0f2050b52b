//! `kasoku show`: shows the results of a stored run.

use std::path::Path;

use super::{CommandOutcome, Failure, Format, named, view};
use kasoku_report::language::Language;
use kasoku_report::render;
use kasoku_store::output_file;

/// Show the results of a stored run
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = "Examples:
  kasoku show                          the newest run's final screen
  kasoku show --full                   with every figure
  kasoku show last-1 --left-out        what the run before it did not measure, and why
  kasoku show 20261121 --format csv    the run whose name starts with this")]
pub(crate) struct Args {
    /// The run: its name, label or unique prefix, `last`, `last-N` (N runs before it), or the name of an imported
    /// machine or a published device
    #[arg(default_value = "last")]
    run: String,
    /// Show the verdict and every table, instead of the run's final screen
    #[arg(long)]
    full: bool,
    /// Show only what was left out, and why
    #[arg(long, conflicts_with = "full")]
    left_out: bool,
    /// Output format; all formats except table contain every figure
    #[arg(long, value_enum, default_value_t, conflicts_with = "left_out")]
    format: Format,
}

pub(crate) fn run(args: &Args, store: Option<&Path>, language: Language) -> Result<CommandOutcome, Failure> {
    let document = named::document(&args.run, store)?;
    let text = match args.format {
        Format::Table if args.left_out => render::left_out(&document, view(language)),
        Format::Table if args.full => render::full(&document, view(language)),
        Format::Table => render::screen(&document, view(language)),
        format => render::export(&document, format, language),
    };
    output_file::print(&text)?;
    Ok(CommandOutcome::Done)
}
