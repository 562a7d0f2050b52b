//! `kasoku report`: the report of stored runs.

use std::path::{Path, PathBuf};

use super::{Failure, Outcome, named, surroundings};
use kasoku_model::language::Language;
use kasoku_report::html::{self, Shown};
use kasoku_store::output_file;

/// The arguments of `kasoku report`.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  kasoku report                          the last run\n  kasoku report 20261121-0930 --out today.html\n  kasoku report \"Raspberry Pi4\"          a device whose figures were published\n  kasoku report --lang ja                in Japanese"
)]
pub struct Args {
    /// The runs: names, unique beginnings of names, last or last-N; or published devices
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
pub fn run(args: &Args, store: Option<&Path>, language: Language) -> Result<Outcome, Failure> {
    output_file::check_writable(&args.out)?;
    let documents = args.runs.iter().map(|name| named::document(name, store)).collect::<Result<Vec<_>, _>>()?;
    let around = surroundings::gather(&documents.iter().collect::<Vec<_>>(), store);
    let runs: Vec<Shown<'_>> = documents
        .iter()
        .zip(&around)
        .map(|(document, around)| Shown { document, surroundings: Some(around) })
        .collect();
    let html = html::render_among(&runs, language);
    output_file::write(&args.out, html.as_bytes())?;
    super::tell(&format!("Report: {}", args.out.display()));
    Ok(Outcome::Done)
}
