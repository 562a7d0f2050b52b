//! `kasoku runs`: the runs in the store.

use std::path::Path;

use super::{Failure, Format, Outcome};
use crate::language::Language;
use crate::output_file;
use crate::report::language::{Lists, messages};
use crate::report::list;
use crate::store::{RunSummary, Store, location};

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
    let runs = store.runs()?;
    if runs.is_empty() && args.format == Format::Table {
        output_file::print(&format!("{}\n", messages(language).lists.no_runs))?;
        return Ok(Outcome::Done);
    }
    let words = &list::wording(args.format, language).lists;
    let rows: Vec<Vec<String>> = runs.iter().map(|run| cells(run, words)).collect();
    let objects = serde_json::to_value(&runs).map_err(Failure::new)?;
    output_file::print(&list::render(&headings(words), &rows, &objects, args.format))?;
    Ok(Outcome::Done)
}

fn headings(words: &Lists) -> [&'static str; 8] {
    let Lists { run, started, cpu, kasoku, command, complete, series, failed, .. } = *words;
    [run, started, cpu, kasoku, command, complete, series, failed]
}

fn cells(run: &RunSummary, words: &Lists) -> Vec<String> {
    vec![
        run.id.clone(),
        run.started.clone(),
        run.label().to_owned(),
        run.kasoku.clone(),
        run.command.clone(),
        if run.complete { words.yes } else { words.no }.to_owned(),
        run.series.to_string(),
        run.failed.to_string(),
    ]
}
