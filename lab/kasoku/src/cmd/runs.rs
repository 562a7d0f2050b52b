//! `kasoku runs`: the runs in the store.

use std::path::Path;

use super::{Failure, Format, Outcome};
use kasoku_model::language::Language;
use kasoku_report::list;
use kasoku_store::output_file;
use kasoku_store::{Store, location};

/// List the runs in the store: what was measured, the newest first, then what was found elsewhere
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = "Examples:
  kasoku runs
  kasoku runs --format json
  kasoku runs --store results.sqlite")]
pub struct Args {
    /// The form
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}

/// Prints the list.
///
/// # Errors
/// If there is no store, or it cannot be read.
pub fn run(args: &Args, store: Option<&Path>, language: Language) -> Result<Outcome, Failure> {
    let store = Store::open_existing(&location::locate(store)?)?;
    output_file::print(&list::runs(&store.runs()?, args.format, language))?;
    Ok(Outcome::Done)
}
