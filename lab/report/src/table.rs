//! Tables before they take a form: columns, rows of cells and notes as text, made harmless. A level says what is in
//! them; how they look on a terminal is decided here, in Markdown in `export`, on a page in `html`.

use std::fmt::Display;

use comfy_table::{CellAlignment, ContentArrangement, ContentLineStyle, LineStyle, TableStyle};

use kasoku_model::document::{Document, Series};

use super::language::Words;
use super::quantity::{Scale, plus_minus};
use super::selection::{Standing, sound_figure};
use super::visible::short;
use super::width::columns_of;

/// A rule under the headings and nothing else.
const RULED: TableStyle = TableStyle::new()
    .header_lines(ContentLineStyle::none())
    .header_separator(LineStyle::none().fill('─'))
    .content_lines(ContentLineStyle::none());

/// The longest note of a series that a page shows.
const NOTE: usize = 200;

#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Table {
    /// What it shows, with the unit.
    pub(crate) title: String,
    /// The columns, those of words first.
    pub(crate) columns: Vec<Column>,
    /// The rows, a cell for each column.
    pub(crate) rows: Vec<Vec<Cell>>,
    /// Whether rows that begin alike belong together; a page says that beginning once.
    pub(crate) is_grouped: bool,
    /// What a reader must know.
    pub(crate) notes: Vec<String>,
    /// What a reader of a page must know, if that is something else.
    pub(crate) page_notes: Option<Vec<String>>,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Column {
    /// A page breaks it where it has a line break.
    pub(crate) heading: String,
    /// What the heading means, where that is not plain.
    pub(crate) meaning: Option<&'static str>,
    pub(crate) holds: Holds,
    /// What stands below the heading on a page.
    pub(crate) beneath: Option<String>,
    /// Where it is shown.
    pub(crate) on: On,
}

/// What a column holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Holds {
    Words,
    Paths,
    Figures,
}

/// Where a column is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum On {
    Both,
    /// Where cells have no room for intervals: on a terminal and in Markdown.
    Text,
    Page,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Cell {
    /// The figure or the words.
    pub(crate) value: String,
    /// Its interval, or what else stands below it on a page.
    pub(crate) interval: Option<String>,
    /// Its share of the bound, and of what else a page tells it of, in per cent.
    pub(crate) shares: [Option<f64>; 2],
    /// What is to be known of it.
    pub(crate) mark: Option<CellMark>,
    /// Over how many columns it reaches on a page, where that is more than one: words in the place of figures.
    pub(crate) span: usize,
    /// Where it leads on a page.
    pub(crate) link: Option<String>,
    /// What a page sorts it by, where that is not what it says.
    pub(crate) key: Option<String>,
}

/// What is to be known of a figure, with the words for it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum CellMark {
    /// There is none, and why.
    Failed(&'static str, String),
    /// The output was not verified.
    Unverified,
    /// No difference is shown.
    Equal(&'static str),
    /// It stands for how far a row's figures are to be trusted.
    Standing(Standing, &'static str),
}

/// A table of items, made column by column: each is a heading and what it holds of every item.
pub(crate) struct Over<'i, I> {
    items: &'i [I],
    table: Table,
}

impl<'i, I> Over<'i, I> {
    /// A table that has no columns yet.
    pub(crate) fn new(title: impl Into<String>, items: &'i [I]) -> Self {
        let rows = items.iter().map(|_| Vec::new()).collect();
        Over { items, table: Table { title: title.into(), rows, ..Table::default() } }
    }

    pub(crate) fn column<C: Into<Cell>>(mut self, column: Column, cell: impl Fn(&'i I) -> C) -> Self {
        self.table.columns.push(column);
        for (row, item) in self.table.rows.iter_mut().zip(self.items) {
            row.push(cell(item).into());
        }
        self
    }

    pub(crate) fn words<C: Into<Cell>>(self, heading: impl Into<String>, cell: impl Fn(&'i I) -> C) -> Self {
        self.column(Column::words(heading), cell)
    }

    pub(crate) fn figures<C: Into<Cell>>(self, heading: impl Into<String>, cell: impl Fn(&'i I) -> C) -> Self {
        self.column(Column::figures(heading), cell)
    }

    /// Columns that not every table has.
    pub(crate) fn when(self, is_there: bool, columns: impl FnOnce(Self) -> Self) -> Self {
        if is_there { columns(self) } else { self }
    }

    /// The same columns for each of `keys`.
    pub(crate) fn each<K>(self, keys: impl IntoIterator<Item = K>, columns: impl Fn(Self, K) -> Self) -> Self {
        keys.into_iter().fold(self, columns)
    }

    /// Rows that begin alike belong together.
    pub(crate) fn grouped(mut self) -> Self {
        self.table.is_grouped = true;
        self
    }

    pub(crate) fn notes<N: Into<String>>(mut self, notes: impl IntoIterator<Item = N>) -> Self {
        self.table.notes.extend(notes.into_iter().map(Into::into));
        self
    }

    /// What the reader of a page must know instead.
    pub(crate) fn page_notes<N: Into<String>>(mut self, notes: impl IntoIterator<Item = N>) -> Self {
        self.table.page_notes = Some(notes.into_iter().map(Into::into).collect());
        self
    }

    pub(crate) fn table(self) -> Table {
        self.table
    }

    /// The table, if it has rows.
    pub(crate) fn any(self) -> Option<Table> {
        (!self.table.rows.is_empty()).then_some(self.table)
    }
}

impl Table {
    /// The same without the columns behind the first in which nothing is said.
    pub(crate) fn without_empty_columns(mut self) -> Self {
        for index in (1..self.columns.len()).rev() {
            if self.rows.iter().all(|row| row[index].text().is_empty()) {
                self.columns.remove(index);
                self.rows.iter_mut().for_each(|row| drop(row.remove(index)));
            }
        }
        self
    }

    /// The headings as text has them.
    pub(crate) fn headings(&self) -> Vec<String> {
        self.in_text().map(|(_, column)| column.heading.clone()).collect()
    }

    /// The cells as text has them.
    pub(crate) fn texts(&self) -> Vec<Vec<String>> {
        let row = |row: &Vec<Cell>| self.in_text().filter_map(|(index, _)| Some(row.get(index)?.text())).collect();
        self.rows.iter().map(row).collect()
    }

    /// The table for a terminal, without its title and notes; no line ends in a space.
    pub(crate) fn draw(&self) -> String {
        let last = self.in_text().count().saturating_sub(1);
        let mut table = comfy_table::Table::new();
        table
            .load_style(RULED)
            .set_content_arrangement(ContentArrangement::Disabled)
            .set_header(self.headings())
            .add_rows(self.texts());
        for (index, (drawn, (_, column))) in table.column_iter_mut().zip(self.in_text()).enumerate() {
            drawn.set_padding((0, if index == last { 0 } else { 2 }));
            if column.holds == Holds::Figures {
                drawn.set_cell_alignment(CellAlignment::Right);
            }
        }
        table.trim_fmt()
    }

    /// The table for a screen of this many columns, without a rule; what is too wide loses figures on the right.
    pub(crate) fn draw_plain(&self, columns: usize) -> String {
        let mut table = self.clone();
        loop {
            let drawn = table.draw();
            let is_wide = drawn.lines().any(|line| columns_of(line) > columns);
            if !is_wide || table.columns.len() <= 2 {
                let is_rule = |line: &str| line.chars().all(|character| character == '─');
                return drawn.lines().filter(|line| !is_rule(line)).collect::<Vec<_>>().join("\n");
            }
            table.columns.pop();
            table.rows.iter_mut().for_each(|row| row.truncate(table.columns.len()));
        }
    }

    /// The columns that text has, with their places.
    pub(crate) fn in_text(&self) -> impl Iterator<Item = (usize, &Column)> {
        self.columns.iter().enumerate().filter(|(_, column)| column.on != On::Page)
    }
}

impl Column {
    /// A column of words.
    pub(crate) fn words(heading: impl Into<String>) -> Self {
        Column { heading: heading.into(), meaning: None, holds: Holds::Words, beneath: None, on: On::Both }
    }

    /// A column of code paths.
    pub(crate) fn paths(heading: impl Into<String>) -> Self {
        Column { holds: Holds::Paths, ..Column::words(heading) }
    }

    /// A column of figures.
    pub(crate) fn figures(heading: impl Into<String>) -> Self {
        Column { holds: Holds::Figures, ..Column::words(heading) }
    }

    /// Whether the outputs were checked, of each row.
    pub(crate) fn checked(words: &Words) -> Self {
        Column { meaning: Some(words.verified), on: On::Page, ..Column::words("✓") }
    }

    /// The widest interval of each row, where cells have no room for theirs.
    pub(crate) fn widest(heading: &str) -> Self {
        Column { on: On::Text, ..Column::figures(heading) }
    }
}

impl Cell {
    /// The figure of `series`, one of `document`'s; empty if it was not measured.
    pub(crate) fn of_series(document: &Document, series: Option<&Series>, scale: Scale, words: &Words) -> Self {
        let Some(series) = series else { return Cell::default() };
        let mark = match Standing::of(document, series) {
            Standing::Failed => {
                Some(CellMark::Failed(words.failed, short(series.note.as_deref().unwrap_or_default(), NOTE)))
            }
            Standing::Unverified => Some(CellMark::Unverified),
            Standing::Quoted | Standing::Verified => None,
        };
        let value = sound_figure(series).map(|figure| scale.write(figure)).unwrap_or_default();
        Cell { value, interval: plus_minus(series), mark, ..Cell::default() }
    }

    /// How far a row's figures are to be trusted.
    pub(crate) fn standing(standing: Option<Standing>, words: &Words) -> Self {
        let word = if standing == Some(Standing::Verified) { words.verified } else { words.not_verified };
        Cell { mark: standing.map(|standing| CellMark::Standing(standing, word)), ..Cell::default() }
    }

    /// Words that lead somewhere on a page, if there is a page.
    pub(crate) fn linked(value: impl Into<String>, link: Option<String>) -> Self {
        Cell { value: value.into(), link, ..Cell::default() }
    }

    /// A figure in the unit of its column.
    pub(crate) fn figure(scale: Scale, figure: f64) -> Self {
        Cell::from(scale.write(figure)).sorted_by(figure)
    }

    /// The same, sorted by `key` on a page.
    pub(crate) fn sorted_by(self, key: impl Display) -> Self {
        Cell { key: Some(key.to_string()), ..self }
    }

    /// The cell where there is no room below it.
    pub(crate) fn text(&self) -> String {
        let value = &self.value;
        let text = match self.mark {
            Some(CellMark::Failed(..)) => "–".to_owned(),
            Some(CellMark::Unverified) => format!("{value}!"),
            Some(CellMark::Equal(_)) => "=".to_owned(),
            Some(CellMark::Standing(..)) | None => value.clone(),
        };
        self.shares[0].map_or_else(|| text.clone(), |share| format!("{text} ({share:.0} %)"))
    }
}

impl From<String> for Cell {
    fn from(value: String) -> Self {
        Cell { value, ..Cell::default() }
    }
}

impl From<&str> for Cell {
    fn from(value: &str) -> Self {
        value.to_owned().into()
    }
}

/// Nothing is an empty cell.
impl<T: Into<Cell>> From<Option<T>> for Cell {
    fn from(value: Option<T>) -> Self {
        value.map(Into::into).unwrap_or_default()
    }
}

/// What stands where there is no figure that may be relied on.
pub(crate) fn or_dash(value: Option<String>) -> String {
    value.unwrap_or_else(|| "–".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_stand_on_the_right_and_no_line_ends_in_a_space() {
        let items = [("a", "1"), ("加速", "12,345")];
        let table = Over::new("", &items).words("name", |item| item.0).figures("16 B", |item| item.1).table();
        assert_eq!(table.draw(), "name    16 B\n────────────\na          1\n加速  12,345");
    }

    #[test]
    fn text_has_no_room_for_intervals() {
        let cell = Cell { value: "1.23".into(), interval: Some("±1 %".into()), ..Cell::default() };
        let shared = Cell { shares: [Some(41.3), Some(20.0)], mark: Some(CellMark::Unverified), ..cell.clone() };
        let equal = Cell { mark: Some(CellMark::Equal("no difference shown")), ..cell.clone() };
        assert_eq!([cell, shared, equal].map(|cell| cell.text()), ["1.23", "1.23! (41 %)", "="]);
    }
}
