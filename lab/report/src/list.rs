//! Lists of things that are no run documents, like the runs themselves or the libraries.

use kasoku_store::RunSummary;
use serde_json::{Value, json};

use crate::block::Block;
use crate::export::csv;
use crate::output::Output;
use crate::table::TableBuilder;
use crate::text::{Text, say};

/// Columns of a cell on a terminal; the other forms have whole cells.
const WIDEST_CELL: usize = 60;

/// Returns a list of `rows` under `headings`, with the same things as `objects`. No cell can steer a terminal, run in a
/// spreadsheet or mark up a page.
pub fn list(headings: &[&str], rows: &[Vec<String>], objects: &Value) -> Output {
    let table = TableBuilder::new("", rows)
        .each(headings.iter().enumerate(), |table, (index, heading)| {
            table.words(*heading, move |row| row.get(index).map(|cell| Text::name(cell, usize::MAX)))
        })
        .narrow(WIDEST_CELL)
        .table();
    let (blocks, csv) = (vec![Block::Table(table)], csv::list(headings, rows));
    Output { title: Text::EMPTY, blocks, csv, objects: objects.clone() }
}

/// Returns a list for people only, under the messages `lists-NAME` of these names.
pub fn named(names: &[&'static str], rows: &[Vec<Text>]) -> Block {
    let table = TableBuilder::new("", rows)
        .each(names.iter().enumerate(), |table, (index, name)| {
            table.words(say!(format!("lists-{name}")), move |row| row.get(index).cloned())
        })
        .narrow(WIDEST_CELL);
    Block::Table(table.table())
}

/// Returns the runs in a store.
pub fn runs(runs: &[RunSummary]) -> Output {
    let is_complete = |run: &RunSummary| if run.complete { "yes" } else { "no" };
    let fields: [csv::ListColumn<'_, &RunSummary>; 9] = [
        ("run", &|run| run.id.clone()),
        ("started", &|run| run.started.clone()),
        ("cpu", &|run| run.machine().to_owned()),
        ("kasoku", &|run| run.kasoku.clone()),
        ("command", &|run| run.command.clone()),
        ("complete", &|run| is_complete(run).to_owned()),
        ("series", &|run| run.series.to_string()),
        ("failed", &|run| run.failed.to_string()),
        ("label", &|run| run.label.clone().unwrap_or_default()),
    ];
    let table = TableBuilder::new("", runs)
        .each(&fields, |table, (name, field)| {
            table.words(say!(format!("lists-{name}")), move |run| match *name {
                "complete" => say!(format!("lists-{}", is_complete(run))),
                _ => Text::name(&field(&run), usize::MAX),
            })
        })
        .narrow(WIDEST_CELL)
        .any()
        .map(|table| Block::Table(table.without_empty_columns()));
    let blocks = vec![table.unwrap_or(Block::Paragraph(say!("lists-no-runs")))];
    Output { title: Text::EMPTY, blocks, csv: csv::of_fields(&fields, runs.iter()), objects: json!(runs) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Format;
    use crate::language::Language;
    use crate::render::{TerminalView, output};
    use crate::visible::is_hidden;

    const HOSTILE: &str = "=\u{1b}]0;owned\u{7}\u{9b}2J\u{202e}|<script>";

    #[test]
    fn lists_escape_hostile_names_in_every_form() {
        let rows = [vec![HOSTILE.to_owned(), "架空のCPU".to_owned()]];
        let objects = json!([{ "name": HOSTILE, "cpu": "架空のCPU" }]);
        let list = list(&["name", "cpu"], &rows, &objects);
        let written = |format| output(&list, format, TerminalView::plain(Language::ENGLISH));
        for format in [Format::Table, Format::Json, Format::Csv, Format::Markdown] {
            let text = written(format);
            assert!(text.contains("owned") && text.contains("架空のCPU"), "{text}");
            assert!(!text.chars().any(|c| c != '\n' && is_hidden(c)), "{text:?}");
        }
        assert!(!written(Format::Markdown).contains("<script>"));
        assert!(written(Format::Csv).contains("\n'="));
        let back: Value = serde_json::from_str(&written(Format::Json)).unwrap();
        assert_eq!(back, objects, "JSON is the names themselves");
    }

    #[test]
    fn only_the_terminal_cuts_long_cells() {
        let long = "x".repeat(WIDEST_CELL + 1);
        let list = list(&["name"], &[vec![long.clone()]], &Value::Null);
        let has_all = |format| output(&list, format, TerminalView::plain(Language::ENGLISH)).contains(&long);
        assert_eq!([Format::Table, Format::Csv, Format::Markdown].map(has_all), [false, true, true]);
    }
}
