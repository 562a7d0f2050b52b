//! `kasoku report`: writes the report of stored runs, or one of its charts.

use std::path::{Path, PathBuf};

use super::{CommandOutcome, Failure, named, surroundings};
use kasoku_measure::machine;
use kasoku_model::document::Document;
use kasoku_model::name::plain;
use kasoku_model::printable::printable;
use kasoku_report::language::Language;
use kasoku_report::page::Shown;
use kasoku_report::render::{self, ChartFile};
use kasoku_store::output_file::{self, OutputError};

/// Write the report of a stored run
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  kasoku report                          this machine, from its newest runs
  kasoku report 20261121-0930 --out today.html
  kasoku report \"Raspberry Pi4\"          a device with published figures
  kasoku report --lang ja                in Japanese
  kasoku report --chart list             the names of its charts
  kasoku report --chart aes-128-gcm -o gcm.svg")]
pub(crate) struct Args {
    /// The runs: names, labels, unique prefixes, last or last-N, or published devices [default: for each level, this
    /// machine's newest complete run that has it; otherwise the newest run]
    #[arg(value_name = "RUN")]
    runs: Vec<String>,
    /// Output file; - is standard output [default: kasoku-RUN.html, RUN being the first run's name; for a chart,
    /// NAME.svg]
    #[arg(short, long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Write only this chart of the report, as a self-contained SVG file; list shows the names
    #[arg(long, value_name = "NAME")]
    chart: Option<String>,
}

pub(crate) fn run(args: &Args, store: Option<&Path>, language: Language) -> Result<CommandOutcome, Failure> {
    if let Some(path) = args.out.as_ref().filter(|path| !output_file::is_standard_output(path)) {
        output_file::check_writable(path)?;
    }
    let documents = match args.runs.as_slice() {
        [] => named::newest_of(&named::open_store(store)?, &machine::this())?,
        names => names.iter().map(|name| named::document(name, store)).collect::<Result<Vec<_>, _>>()?,
    };
    let around = surroundings::gather(&documents, store);
    let runs = surroundings::shown(&documents, &around);
    if let Some(name) = &args.chart {
        return chart(name, &runs, args.out.as_deref(), language);
    }
    let first = documents.first().map(|document| document.run.id.as_str());
    let out = args.out.clone().unwrap_or_else(|| page_of(first.unwrap_or_default()));
    super::tell(&format!("Report: {}", write_page(&out, &render::page(&runs, language))?));
    Ok(CommandOutcome::Done)
}

/// Returns the file name of a run's page in the current folder. Replaces unsafe characters in the names of imported
/// runs.
pub(super) fn page_of(run: &str) -> PathBuf {
    const MAX: usize = 100;
    let plain =
        |character: char| if character.is_ascii_alphanumeric() || "-_.".contains(character) { character } else { '-' };
    PathBuf::from(format!("kasoku-{}.html", run.chars().take(MAX).map(plain).collect::<String>()))
}

/// Writes a page. Returns its path, with a remark if an existing file was replaced.
pub(super) fn write_page(path: &Path, page: &str) -> Result<String, OutputError> {
    let was_there = path.is_file();
    output_file::write(path, page.as_bytes())?;
    Ok(format!("{}{}", path.display(), if was_there { ", replacing the existing file" } else { "" }))
}

/// Writes the chart called `name`, or prints the names of all charts for `list`.
fn chart(name: &str, runs: &[Shown<'_>], out: Option<&Path>, language: Language) -> Result<CommandOutcome, Failure> {
    let [run] = runs else { return Err(Failure::new("--chart takes only one run")) };
    let charts = render::charts(*run, language);
    if plain(name) == "list" {
        output_file::print(&listed(&charts))?;
        return Ok(CommandOutcome::Done);
    }
    let Some(chart) = charts.iter().find(|chart| chart.is_called(name)) else {
        return Err(Failure::new(unknown_chart(name, &charts, run.document)));
    };
    let path = out.map_or_else(|| PathBuf::from(format!("{}.svg", chart.name)), Path::to_path_buf);
    output_file::write(&path, chart.svg.as_bytes())?;
    super::tell(&format!("Chart: {}", path.display()));
    Ok(CommandOutcome::Done)
}

fn listed(charts: &[ChartFile]) -> String {
    let widest = charts.iter().map(|chart| chart.name.len()).max().unwrap_or_default();
    charts.iter().map(|chart| format!("{:widest$}  {}\n", chart.name, printable(&chart.title))).collect()
}

/// Returns the error for an unknown chart. Lists the charts whose names contain `name` or, if there are none, all
/// charts.
fn unknown_chart(name: &str, charts: &[ChartFile], document: &Document) -> String {
    let wanted = plain(name);
    let (shown, run) = (printable(name), printable(&document.run.id));
    let names = |is_meant: &dyn Fn(&str) -> bool| -> Vec<&str> {
        charts.iter().map(|chart| chart.name.as_str()).filter(|name| is_meant(&plain(name))).collect()
    };
    let like = names(&|name| wanted.len() > 2 && name.contains(&wanted));
    let all = names(&|_| true);
    match (like.as_slice(), all.as_slice()) {
        (_, []) => format!("the report of {run} has no charts"),
        ([], all) => format!("unknown chart \"{shown}\"; the report of {run} has {}", all.join(", ")),
        (like, _) => format!("unknown chart \"{shown}\"; did you mean {}?", like.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn page_of_keeps_hostile_run_names_in_the_folder() {
        assert_eq!(page_of("20261121-093012-7f3a"), Path::new("kasoku-20261121-093012-7f3a.html"));
        assert_eq!(page_of("../../etc/x\n"), Path::new("kasoku-..-..-etc-x-.html"));
        assert!(page_of(&"x".repeat(10_000)).as_os_str().len() < 120);
    }
}
