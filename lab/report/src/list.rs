//! Lists of runs, libraries and other items.

use kasoku_store::RunSummary;
use serde_json::{Value, json};

use crate::export::csv;
use crate::prelude::*;

/// Maximum width of a cell on a terminal, in columns; other formats have whole cells.
const WIDEST_CELL: usize = 60;

/// Returns a list of `rows` under `headings`; `objects` is its JSON. Escapes cells for terminals, spreadsheets and
/// pages.
pub fn list(headings: &[&str], rows: &[Vec<String>], objects: &Value) -> Output {
    let cells: Vec<Vec<Text>> =
        rows.iter().map(|row| row.iter().map(|cell| Text::name(cell, usize::MAX)).collect()).collect();
    let block = Block::Table(table(headings.iter().map(|heading| (*heading).into()), &cells));
    Output { title: Text::EMPTY, blocks: vec![block], csv: csv::list(headings, rows), objects: objects.clone() }
}

pub fn runs(runs: &[RunSummary]) -> Output {
    const COLUMNS: &str = "run,started,cpu,kasoku,command,complete,series,failed,label";
    let row = |run: &RunSummary| {
        let complete = if run.complete { "yes" } else { "no" };
        [json!({ "run": run.id, "cpu": run.machine(), "complete": complete }), json!(run)]
    };
    let rows: Vec<[Value; 2]> = runs.iter().map(row).collect();
    let cell = |row: &[Value; 2], name: &str| match csv::field(row, name) {
        is_complete if name == "complete" => say!(format!("lists-{is_complete}")),
        cell => Text::name(&cell, usize::MAX),
    };
    let names = || COLUMNS.split(',');
    let cells: Vec<Vec<Text>> = rows.iter().map(|row| names().map(|name| cell(row, name)).collect()).collect();
    let table = named(names(), &cells);
    let block = match runs.is_empty() {
        true => Block::Paragraph(say!("lists-no-runs")),
        false => Block::Table(table.without_empty_columns()),
    };
    Output { title: Text::EMPTY, blocks: vec![block], csv: csv::of_objects(COLUMNS, rows.iter()), objects: json!(runs) }
}

/// Returns a table of `rows`. The heading of each column is the translated message `lists-NAME`, where NAME is the
/// column's name in `names`.
pub(crate) fn named<'n>(names: impl Iterator<Item = &'n str>, rows: &[Vec<Text>]) -> Table {
    table(names.map(|name| say!(format!("lists-{name}"))), rows)
}

fn table(headings: impl Iterator<Item = Text>, rows: &[Vec<Text>]) -> Table {
    TableBuilder::new("", rows)
        .each(headings.enumerate(), |table, (index, heading)| table.words(heading, |row| row.get(index).cloned()))
        .narrow(WIDEST_CELL)
        .table()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Format;
    use crate::language::Language;
    use crate::render::{TerminalView, output};

    #[test]
    fn lists_cut_long_cells_on_the_terminal_only() {
        let long = "x".repeat(WIDEST_CELL + 1);
        let list = list(&["name"], &[vec![long.clone()]], &Value::Null);
        let has_all = |format| output(&list, format, TerminalView::plain(Language::ENGLISH)).contains(&long);
        assert_eq!([Format::Table, Format::Csv, Format::Markdown].map(has_all), [false, true, true]);
    }
}
