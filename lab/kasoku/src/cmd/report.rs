//! `kasoku report`: the report of stored runs.

use std::path::{Path, PathBuf};

use super::{Failure, Outcome, named, newest, surroundings};
use kasoku_model::language::Language;
use kasoku_report::html::{self, Shown};
use kasoku_store::output_file::{self, OutputError};
use kasoku_store::{Store, location};

/// The arguments of `kasoku report`.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  kasoku report                          this machine, from its newest runs\n  kasoku report 20261121-0930 --out today.html\n  kasoku report \"Raspberry Pi4\"          a device whose figures were published\n  kasoku report --lang ja                in Japanese"
)]
pub struct Args {
    /// The runs: names, labels, unique beginnings of names, last or last-N; or published devices [default: of each
    /// level the newest complete run of this machine that has it, else the newest run]
    #[arg(value_name = "RUN")]
    runs: Vec<String>,
    /// Where to write it [default: kasoku-RUN.html, after the first run's name]
    #[arg(long, value_name = "FILE.html")]
    out: Option<PathBuf>,
}

/// Writes the report.
///
/// # Errors
/// If a run is not there, or the file cannot be written.
pub fn run(args: &Args, store: Option<&Path>, language: Language) -> Result<Outcome, Failure> {
    let documents = match args.runs.as_slice() {
        [] => newest::by_level(&Store::open_existing(&location::locate(store)?)?)?,
        names => names.iter().map(|name| named::document(name, store)).collect::<Result<Vec<_>, _>>()?,
    };
    let first = documents.first().map(|document| document.run.id.as_str());
    let out = args.out.clone().unwrap_or_else(|| page_of(first.unwrap_or_default()));
    output_file::check_writable(&out)?;
    let around = surroundings::gather(&documents.iter().collect::<Vec<_>>(), store);
    let runs: Vec<Shown<'_>> = documents
        .iter()
        .zip(&around)
        .map(|(document, around)| Shown { document, surroundings: Some(around) })
        .collect();
    let html = html::render_among(&runs, language);
    super::tell(&format!("Report: {}", write_page(&out, &html)?));
    Ok(Outcome::Done)
}

/// The page of a run, in this folder. (A run from elsewhere may be called anything.)
pub(super) fn page_of(run: &str) -> PathBuf {
    const MAX: usize = 100;
    let plain =
        |character: char| if character.is_ascii_alphanumeric() || "-_.".contains(character) { character } else { '-' };
    PathBuf::from(format!("kasoku-{}.html", run.chars().take(MAX).map(plain).collect::<String>()))
}

/// Writes a page; gives its name, with a word if a file of that name had to go.
pub(super) fn write_page(path: &Path, page: &str) -> Result<String, OutputError> {
    let was_there = path.is_file();
    output_file::write(path, page.as_bytes())?;
    Ok(format!("{}{}", path.display(), if was_there { ", in place of the file that was there" } else { "" }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_run_is_called_so_that_its_page_lies_elsewhere() {
        assert_eq!(page_of("20261121-093012-7f3a"), Path::new("kasoku-20261121-093012-7f3a.html"));
        assert_eq!(page_of("../../etc/x\n"), Path::new("kasoku-..-..-etc-x-.html"));
        assert!(page_of(&"x".repeat(10_000)).as_os_str().len() < 120);
    }

    #[test]
    fn a_page_that_goes_is_told() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.html");
        assert_eq!(write_page(&path, "1").unwrap(), path.display().to_string());
        assert!(write_page(&path, "2").unwrap().ends_with("a.html, in place of the file that was there"));
    }
}
