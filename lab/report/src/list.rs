//! Lists of the same things in the four forms: what is not a run document, like the runs themselves or the libraries.

use kasoku_store::RunSummary;
use serde_json::{Value, json};

use super::export::{self, csv, markdown};
use super::language::{Lists, Messages, messages};
use super::table::Over;
use super::visible::short;
use crate::Format;
use kasoku_model::language::Language;

/// A cell of a table on the terminal is cut to this many characters; the other forms have the whole.
const WIDEST_CELL: usize = 60;

/// `rows` under `headings` in `format`; `objects` is the same for JSON. Nothing in a cell steers a terminal, runs in a
/// spreadsheet or marks up a page.
pub fn render(headings: &[&str], rows: &[Vec<String>], objects: &Value, format: Format) -> String {
    match format {
        Format::Table => table(headings, rows),
        Format::Json => export::json::text(objects),
        Format::Csv => csv::list(headings, rows),
        Format::Markdown => markdown::list(headings, rows),
    }
}

/// The runs in a store.
pub fn runs(runs: &[RunSummary], format: Format, language: Language) -> String {
    let words = &wording(format, language).lists;
    if runs.is_empty() && format == Format::Table {
        return format!("{}\n", words.no_runs);
    }
    let Lists { run, started, cpu, kasoku, command, complete, series, failed, label, yes, no, .. } = *words;
    let cells = |one: &RunSummary| {
        vec![
            one.id.clone(),
            one.started.clone(),
            one.machine().to_owned(),
            one.kasoku.clone(),
            one.command.clone(),
            if one.complete { yes } else { no }.to_owned(),
            one.series.to_string(),
            one.failed.to_string(),
            one.label.clone().unwrap_or_default(),
        ]
    };
    let mut headings = vec![run, started, cpu, kasoku, command, complete, series, failed, label];
    let mut rows: Vec<Vec<String>> = runs.iter().map(cells).collect();
    // A column that nobody uses is left out where people look; the forms for programs always have the same.
    if format == Format::Table && runs.iter().all(|one| one.label.is_none()) {
        headings.pop();
        rows.iter_mut().for_each(|row| drop(row.pop()));
    }
    render(&headings, &rows, &json!(runs), format)
}

/// What a list in `format` says: tables and Markdown speak `language`, the forms for programs English.
fn wording(format: Format, language: Language) -> &'static Messages {
    match format {
        Format::Table | Format::Markdown => messages(language),
        Format::Json | Format::Csv => messages(Language::English),
    }
}

fn table(headings: &[&str], rows: &[Vec<String>]) -> String {
    Over::new("", rows)
        .each(headings.iter().enumerate(), |table, (index, heading)| {
            table.words(*heading, |row| row.get(index).map(|cell| short(cell, WIDEST_CELL)))
        })
        .table()
        .draw()
        + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::visible::is_hidden;
    use serde_json::json;

    const HOSTILE: &str = "=\u{1b}]0;owned\u{7}\u{9b}2J\u{202e}|<script>";

    #[test]
    fn no_form_lets_a_name_do_anything() {
        let rows = [vec![HOSTILE.to_owned(), "架空のCPU".to_owned()]];
        let objects = json!([{ "name": HOSTILE, "cpu": "架空のCPU" }]);
        for format in [Format::Table, Format::Json, Format::Csv, Format::Markdown] {
            let text = render(&["name", "cpu"], &rows, &objects, format);
            assert!(text.contains("owned") && text.contains("架空のCPU"), "{text}");
            assert!(!text.chars().any(|c| c != '\n' && is_hidden(c)), "{text:?}");
        }
        assert!(!render(&["name", "cpu"], &rows, &objects, Format::Markdown).contains("<script>"));
        assert!(render(&["name", "cpu"], &rows, &objects, Format::Csv).contains("\n'="));
        let back: Value = serde_json::from_str(&render(&["name"], &rows, &objects, Format::Json)).unwrap();
        assert_eq!(back, objects, "JSON is the names themselves");
    }
}
