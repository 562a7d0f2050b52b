//! Lists of runs, libraries and the like.

use kasoku_store::RunSummary;
use serde_json::{Value, json};

use crate::block::{Block, Output};
use crate::export::csv;
use crate::table::{Table, TableBuilder};
use crate::text::{Text, say};

/// Maximum width of a cell on a terminal, in columns; other formats have whole cells.
const WIDEST_CELL: usize = 60;

/// Returns a list of `rows` under `headings`; `objects` is its JSON. Escapes cells for terminals, spreadsheets and
/// pages.
pub fn list(headings: &[&str], rows: &[Vec<String>], objects: &Value) -> Output {
    let cell = |row: &Vec<String>, index| row.get(index).map(|cell: &String| Text::name(cell, usize::MAX)).into();
    let blocks = vec![Block::Table(table(headings.iter().map(|heading| (*heading).into()), rows, cell))];
    Output { title: Text::EMPTY, blocks, csv: csv::list(headings, rows), objects: objects.clone() }
}

/// Returns a list under the headings `lists-NAME`, for people only.
pub fn named(names: &[&'static str], rows: &[Vec<Text>]) -> Block {
    let headings = names.iter().map(|name| say!(format!("lists-{name}")));
    Block::Table(table(headings, rows, |row, index| row.get(index).cloned().unwrap_or_default()))
}

pub fn runs(runs: &[RunSummary]) -> Output {
    const COLUMNS: &str = "run,started,cpu,kasoku,command,complete,series,failed,label";
    let row = |run: &RunSummary| {
        let complete = if run.complete { "yes" } else { "no" };
        [json!({ "run": run.id, "cpu": run.machine(), "complete": complete }), json!(run)]
    };
    let rows: Vec<[Value; 2]> = runs.iter().map(row).collect();
    let names: Vec<&str> = COLUMNS.split(',').collect();
    let headings = names.iter().map(|name| say!(format!("lists-{name}")));
    let table = table(headings, &rows, |row, index| match csv::field(row, names[index]) {
        is_complete if names[index] == "complete" => say!(format!("lists-{is_complete}")),
        cell => Text::name(&cell, usize::MAX),
    });
    let block = match runs.is_empty() {
        true => Block::Paragraph(say!("lists-no-runs")),
        false => Block::Table(table.without_empty_columns()),
    };
    Output { title: Text::EMPTY, blocks: vec![block], csv: csv::of_objects(COLUMNS, rows.iter()), objects: json!(runs) }
}

fn table<R>(headings: impl Iterator<Item = Text>, rows: &[R], cell: impl Fn(&R, usize) -> Text) -> Table {
    let columns = headings.enumerate();
    let table = TableBuilder::new("", rows)
        .each(columns, |table, (index, heading)| table.words(heading, |row| cell(row, index)));
    table.narrow(WIDEST_CELL).table()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Format;
    use crate::language::Language;
    use crate::render::{TerminalView, output};
    use crate::text::is_hidden;

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
