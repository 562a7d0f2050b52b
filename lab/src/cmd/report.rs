//! `kasoku report`: the report of stored runs.

use std::path::{Path, PathBuf};

use super::{Failure, Outcome};
use crate::output_file;
use crate::report::html;
use crate::store::{Store, location};

/// The arguments of `kasoku report`.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  kasoku report                          the last run\n  kasoku report 20261121-0930 --out today.html"
)]
pub struct Args {
    /// The runs: names, unique beginnings of names, or last
    #[arg(value_name = "RUN", default_value = "last")]
    runs: Vec<String>,
    /// Where to write it
    #[arg(long, value_name = "FILE.html", default_value = "kasoku-report.html")]
    out: PathBuf,
}

/// Writes the report.
///
/// # Errors
/// If a run is not there, or the file cannot be written.
pub fn run(args: &Args, store: Option<&Path>) -> Result<Outcome, Failure> {
    output_file::check_writable(&args.out)?;
    let store = Store::open_existing(&location::locate(store)?)?;
    let documents = args.runs.iter().map(|name| store.load(&store.find(name)?)).collect::<Result<Vec<_>, _>>()?;
    let html = html::render(&documents.iter().collect::<Vec<_>>());
    output_file::write(&args.out, html.as_bytes())?;
    super::tell(&format!("Report: {}", args.out.display()));
    Ok(Outcome::Done)
}
