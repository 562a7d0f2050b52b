//! Tables before they take a form or a language: columns, rows of cells and notes. A level says what is in them;
//! [`crate::render`] decides how they look.

use std::fmt::Display;

use kasoku_model::document::{Document, Series};

use super::quantity::{Scale, plus_minus};
use super::selection::{Trust, sound_figure};
use super::text::{Text, say};

/// The longest note of a series that a page shows.
const NOTE: usize = 200;

/// A table.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    /// What it shows, with the unit.
    pub title: Text,
    /// The columns, those of words first.
    pub columns: Vec<Column>,
    /// The rows, a cell for each column.
    pub rows: Vec<Vec<Cell>>,
    /// Whether rows that begin alike belong together; a page says that beginning once.
    pub is_grouped: bool,
    /// The row that the page is about.
    pub marked_row: Option<usize>,
    /// Columns that a cell has at most on a terminal.
    pub widest_cell: Option<usize>,
    /// What a reader must know.
    pub notes: Vec<Text>,
    /// What a reader of a page must know, if that is something else.
    pub page_notes: Option<Vec<Text>>,
}

/// A column of a table.
#[derive(Clone, Debug, PartialEq)]
pub struct Column {
    /// Heading of the column.
    pub heading: Text,
    /// What the heading means, where that is not plain.
    pub meaning: Option<Text>,
    /// Kind of values in the column.
    pub kind: ColumnKind,
    /// What stands below the heading on a page.
    pub beneath: Option<Text>,
    /// Where it is shown.
    pub medium: Medium,
}

/// What a column holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnKind {
    /// Words.
    Words,
    /// Code paths.
    Paths,
    /// Figures.
    Figures,
}

/// Where a column is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Medium {
    /// In text and on a page.
    Both,
    /// Where cells have no room for intervals: on a terminal and in Markdown.
    Text,
    /// On a page.
    Page,
}

/// A cell of a table.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Cell {
    /// The figure or the words.
    pub value: Text,
    /// Its interval, or what else stands below it on a page.
    pub interval: Option<Text>,
    /// Its share of the bound, and of what else a page tells it of, in per cent.
    pub shares: [Option<f64>; 2],
    /// What is to be known of it.
    pub mark: Option<CellMark>,
    /// Number of columns it spans on a page, if more than one: words in the place of figures.
    pub span: usize,
    /// Where it leads on a page.
    pub link: Option<String>,
    /// Sort key on a page, if not the value.
    pub key: Option<String>,
    /// A bar below it on a page.
    pub bar: Option<CellBar>,
}

/// A bar in a cell.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CellBar {
    /// Its length, in per cent of the longest.
    pub share: f64,
    /// The class of its colour: `this`, `quoted` or none.
    pub class: &'static str,
}

/// Mark that qualifies a figure.
#[derive(Clone, Debug, PartialEq)]
pub enum CellMark {
    /// There is none, and why.
    Failed(Text),
    /// The output was not verified.
    Unverified,
    /// No difference is shown.
    Equal,
    /// It stands for how far a row's figures are to be trusted.
    Trust(Trust),
}

/// A table of items, made column by column: each is a heading and what it holds of every item.
pub(crate) struct TableBuilder<'i, I> {
    items: &'i [I],
    table: Table,
}

impl<'i, I> TableBuilder<'i, I> {
    /// A table that has no columns yet.
    pub(crate) fn new(title: impl Into<Text>, items: &'i [I]) -> Self {
        let rows = items.iter().map(|_| Vec::new()).collect();
        TableBuilder { items, table: Table { title: title.into(), rows, ..Table::default() } }
    }

    pub(crate) fn column<C: Into<Cell>>(mut self, column: Column, cell: impl Fn(&'i I) -> C) -> Self {
        self.table.columns.push(column);
        for (row, item) in self.table.rows.iter_mut().zip(self.items) {
            row.push(cell(item).into());
        }
        self
    }

    pub(crate) fn words<C: Into<Cell>>(self, heading: impl Into<Text>, cell: impl Fn(&'i I) -> C) -> Self {
        self.column(Column::words(heading), cell)
    }

    pub(crate) fn figures<C: Into<Cell>>(self, heading: impl Into<Text>, cell: impl Fn(&'i I) -> C) -> Self {
        self.column(Column::figures(heading), cell)
    }

    /// Columns that not every table has.
    pub(crate) fn when(self, is_there: bool, columns: impl FnOnce(Self) -> Self) -> Self {
        if is_there { columns(self) } else { self }
    }

    /// Adds columns for each of `keys`.
    pub(crate) fn each<K>(self, keys: impl IntoIterator<Item = K>, columns: impl Fn(Self, K) -> Self) -> Self {
        keys.into_iter().fold(self, columns)
    }

    /// Rows that begin alike belong together.
    pub(crate) fn grouped(mut self) -> Self {
        self.table.is_grouped = true;
        self
    }

    /// On a terminal, cells are cut to `columns`.
    pub(crate) fn narrow(mut self, columns: usize) -> Self {
        self.table.widest_cell = Some(columns);
        self
    }

    /// Marks the first row that the page is about.
    pub(crate) fn marked(mut self, is_marked: impl Fn(&'i I) -> bool) -> Self {
        self.table.marked_row = self.items.iter().position(is_marked);
        self
    }

    pub(crate) fn notes<N: Into<Text>>(mut self, notes: impl IntoIterator<Item = N>) -> Self {
        self.table.notes.extend(notes.into_iter().map(Into::into));
        self
    }

    /// What the reader of a page must know instead.
    pub(crate) fn page_notes<N: Into<Text>>(mut self, notes: impl IntoIterator<Item = N>) -> Self {
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
    /// Adds notes that explain the marks in the cells.
    pub(crate) fn with_marks(mut self) -> Self {
        let cells: Vec<&Cell> = self.rows.iter().flatten().collect();
        let is_any = |is: fn(&CellMark) -> bool| cells.iter().any(|cell| cell.mark.as_ref().is_some_and(is));
        let notes = [
            is_any(|mark| *mark == CellMark::Unverified).then(|| say!("tables-unverified-mark")),
            is_any(|mark| matches!(mark, CellMark::Failed(_))).then(|| say!("tables-failed-mark")),
        ];
        self.notes.extend(notes.into_iter().flatten());
        self
    }

    /// Removes empty columns, except the first.
    pub(crate) fn without_empty_columns(mut self) -> Self {
        for index in (1..self.columns.len()).rev() {
            if self.rows.iter().all(|row| row[index].is_empty()) {
                self.columns.remove(index);
                self.rows.iter_mut().for_each(|row| drop(row.remove(index)));
            }
        }
        self
    }

    /// The columns that text has, with their places.
    pub(crate) fn in_text(&self) -> impl Iterator<Item = (usize, &Column)> {
        self.columns.iter().enumerate().filter(|(_, column)| column.medium != Medium::Page)
    }
}

impl Column {
    /// A column of words.
    pub(crate) fn words(heading: impl Into<Text>) -> Self {
        Column { heading: heading.into(), meaning: None, kind: ColumnKind::Words, beneath: None, medium: Medium::Both }
    }

    /// A column of code paths.
    pub(crate) fn paths(heading: impl Into<Text>) -> Self {
        Column { kind: ColumnKind::Paths, ..Column::words(heading) }
    }

    /// A column of figures.
    pub(crate) fn figures(heading: impl Into<Text>) -> Self {
        Column { kind: ColumnKind::Figures, ..Column::words(heading) }
    }

    /// Whether the outputs were checked, of each row.
    pub(crate) fn trust() -> Self {
        Column { meaning: Some(say!("words-verified")), medium: Medium::Page, ..Column::words("✓") }
    }

    /// The widest interval of each row, where cells have no room for theirs.
    pub(crate) fn widest() -> Self {
        Column { medium: Medium::Text, ..Column::figures(say!("tables-at-most")) }
    }
}

impl Cell {
    /// The figure of `series`, one of `document`'s; empty if it was not measured.
    pub(crate) fn of_series(document: &Document, series: Option<&Series>, scale: Scale) -> Self {
        let Some(series) = series else { return Cell::default() };
        let mark = match Trust::in_series(document, series) {
            // An interrupted run did not come to everything.
            Trust::Failed if !series.has_failed() && !document.run.complete => None,
            Trust::Failed => Some(CellMark::Failed(Text::name(series.note.as_deref().unwrap_or_default(), NOTE))),
            Trust::Unverified => Some(CellMark::Unverified),
            Trust::Quoted | Trust::Verified => None,
        };
        let value = sound_figure(series).map(|figure| scale.write(figure)).into();
        Cell { value, interval: plus_minus(series).map(Text::from), mark, ..Cell::default() }
    }

    /// How far a row's figures are to be trusted.
    pub(crate) fn trust(trust: Option<Trust>) -> Self {
        Cell { mark: trust.map(CellMark::Trust), ..Cell::default() }
    }

    /// No difference is shown.
    pub(crate) fn equal() -> Self {
        Cell { mark: Some(CellMark::Equal), ..Cell::default() }
    }

    /// Words that lead somewhere on a page, if there is a page.
    pub(crate) fn linked(value: impl Into<Text>, link: Option<String>) -> Self {
        Cell { value: value.into(), link, ..Cell::default() }
    }

    /// A figure in the unit of its column.
    pub(crate) fn figure(scale: Scale, figure: f64) -> Self {
        Cell::from(scale.write(figure)).sorted_by(figure)
    }

    /// Sets the sort key on a page.
    pub(crate) fn sorted_by(self, key: impl Display) -> Self {
        Cell { key: Some(key.to_string()), ..self }
    }

    /// Whether there is nothing to read.
    pub(crate) fn is_empty(&self) -> bool {
        self.value.is_empty() && !matches!(self.mark, Some(CellMark::Failed(_) | CellMark::Equal))
    }
}

impl<T: Into<Text>> From<T> for Cell {
    fn from(value: T) -> Self {
        Cell { value: value.into(), ..Cell::default() }
    }
}

/// Nothing is an empty cell.
impl From<Option<Cell>> for Cell {
    fn from(value: Option<Cell>) -> Self {
        value.unwrap_or_default()
    }
}

/// What stands where there is no figure that may be relied on.
pub(crate) fn or_dash<T: Into<Text>>(value: Option<T>) -> Text {
    value.map_or_else(|| "–".into(), Into::into)
}
