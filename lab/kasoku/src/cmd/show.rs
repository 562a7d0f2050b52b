//! `kasoku show`: what a stored run found.

use std::path::Path;

use super::{CommandOutcome, Failure, Format, is_colour_wanted, named, view};
use kasoku_model::language::Language;
use kasoku_report as report;
use kasoku_store::output_file;

/// Show what a stored run found
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = "Examples:
  kasoku show                          the newest run, as it ended
  kasoku show --full                   with every figure
  kasoku show last-1 --left-out        what the one before it did not measure, and why
  kasoku show 20261121 --format csv    the only run whose name begins so")]
pub struct Args {
    /// The run: its name, its label, a beginning that no other has, `last`, or `last-N` for the one N before; or what
    /// people call a machine: that of an import, or a published device
    #[arg(default_value = "last")]
    pub run: String,
    /// The verdict and every table, instead of the screen that the run ended with
    #[arg(long)]
    pub full: bool,
    /// What was left out and why, instead
    #[arg(long, conflicts_with = "full")]
    pub left_out: bool,
    /// The form; every one but table has all figures
    #[arg(long, value_enum, default_value_t, conflicts_with = "left_out")]
    pub format: Format,
}

/// Prints the run.
///
/// # Errors
/// If there is no such run, or the store cannot be read.
pub fn run(args: &Args, store: Option<&Path>, language: Language) -> Result<CommandOutcome, Failure> {
    let document = named::document(&args.run, store)?;
    let text = match args.format {
        Format::Table if args.left_out => report::screen::left_out(&document, view(language)),
        Format::Table if args.full => {
            let summary = report::terminal::summary(&document, is_colour_wanted(), language);
            format!("{summary}\n{}", report::export::export(&document, args.format, language))
        }
        Format::Table => report::screen::screen(&document, view(language)),
        format => report::export::export(&document, format, language),
    };
    output_file::print(&text)?;
    Ok(CommandOutcome::Done)
}
