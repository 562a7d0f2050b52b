//! `kasoku show`: what a stored run found.

use std::path::Path;

use super::{Failure, Format, Outcome};
use kasoku_model::language::Language;
use kasoku_report as report;
use kasoku_store::output_file;
use kasoku_store::{Store, location};

/// Show what a stored run found
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = "Examples:
  kasoku show                          the newest run
  kasoku show last-1                   the one before it
  kasoku show 20261121 --format csv    the only run whose name begins so")]
pub struct Args {
    /// The run: its name, a beginning that no other has, `last`, or `last-N` for the one N before
    #[arg(default_value = "last")]
    pub run: String,
    /// The form
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}

/// Prints the run.
///
/// # Errors
/// If there is no such run, or the store cannot be read.
pub fn run(args: &Args, store: Option<&Path>, language: Language) -> Result<Outcome, Failure> {
    let store = Store::open_existing(&location::locate(store)?)?;
    let document = store.load(&store.find(&args.run)?)?;
    output_file::print(&report::export::export(&document, args.format, language))?;
    Ok(Outcome::Done)
}
