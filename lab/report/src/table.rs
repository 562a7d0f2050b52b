//! Tables independent of output format and language: columns, rows of cells and notes. [`crate::render`] lays them out.

use std::fmt::Display;

use kasoku_model::document::{Document, Series};

use super::quantity::{Scale, percent, spread};
use super::selection::{Trust, sound_figure, times};
use super::text::{Text, say};

/// Maximum width of a failed series' note in a page's table, in columns.
const NOTE: usize = 200;

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    /// Title of the table, with the unit.
    pub title: Text,
    /// Columns of the table; columns of words come first.
    pub columns: Vec<Column>,
    pub rows: Vec<Vec<Cell>>,
    /// Whether consecutive rows with equal first cells form a group. A page shows the first cell once.
    pub is_grouped: bool,
    pub marked_row: Option<usize>,
    /// Maximum width of a cell on a terminal, in columns.
    pub widest_cell: Option<usize>,
    pub notes: Vec<Text>,
    /// Notes on a page, if they differ from the notes in other formats.
    pub page_notes: Option<Vec<Text>>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Column {
    pub heading: Text,
    pub meaning: Option<Text>,
    pub kind: ColumnKind,
    /// Text below the column's heading on a page.
    pub beneath: Option<Text>,
    /// Output formats that show the column.
    pub medium: Medium,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnKind {
    Words,
    Paths,
    Figures,
}

/// Output formats that show a column of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Medium {
    /// Shown on the terminal, in Markdown and on pages.
    Both,
    /// Shown on the terminal and in Markdown, whose cells have no room for intervals, but not on pages.
    Text,
    Page,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Cell {
    pub value: Text,
    /// Interval, or another text that a page shows below the value.
    pub interval: Option<Text>,
    /// Percentages of two upper bounds that the value reaches. Terminal and Markdown show only the first.
    pub shares: [Option<f64>; 2],
    pub mark: Option<CellMark>,
    /// Number of columns that the cell spans on a page; 0 means one.
    pub span: usize,
    pub link: Option<String>,
    /// Sort key of the cell on a page; `None` if the value is the sort key.
    pub key: Option<String>,
    pub bar: Option<CellBar>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CellBar {
    /// Length of the bar, in per cent of the longest bar.
    pub share: f64,
    /// CSS class that sets the colour of the bar: `this`, `quoted` or none.
    pub class: &'static str,
}

#[derive(Clone, Debug, PartialEq)]
pub enum CellMark {
    /// The series failed, for this reason, so that there is no figure.
    Failed(Text),
    Unverified,
    Equal,
    Trust(Trust),
}

/// Builds a table with a row for each item. Adds columns one by one, each from a heading and a function from items to
/// cells.
pub(crate) struct TableBuilder<'i, I> {
    items: &'i [I],
    table: Table,
}

impl<'i, I> TableBuilder<'i, I> {
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

    pub(crate) fn when(self, is_there: bool, columns: impl FnOnce(Self) -> Self) -> Self {
        if is_there { columns(self) } else { self }
    }

    pub(crate) fn each<K>(self, keys: impl IntoIterator<Item = K>, columns: impl Fn(Self, K) -> Self) -> Self {
        keys.into_iter().fold(self, columns)
    }

    /// Groups consecutive rows with equal first cells.
    pub(crate) fn grouped(mut self) -> Self {
        self.table.is_grouped = true;
        self
    }

    pub(crate) fn narrow(mut self, columns: usize) -> Self {
        self.table.widest_cell = Some(columns);
        self
    }

    pub(crate) fn marked(mut self, is_marked: impl Fn(&'i I) -> bool) -> Self {
        self.table.marked_row = self.items.iter().position(is_marked);
        self
    }

    pub(crate) fn notes<N: Into<Text>>(mut self, notes: impl IntoIterator<Item = N>) -> Self {
        self.table.notes.extend(notes.into_iter().map(Into::into));
        self
    }

    /// Sets the notes that HTML pages show instead of the notes for the other formats.
    pub(crate) fn page_notes<N: Into<Text>>(mut self, notes: impl IntoIterator<Item = N>) -> Self {
        self.table.page_notes = Some(notes.into_iter().map(Into::into).collect());
        self
    }

    pub(crate) fn table(self) -> Table {
        self.table
    }

    /// Returns the table; `None` if it has no rows.
    pub(crate) fn any(self) -> Option<Table> {
        (!self.table.rows.is_empty()).then_some(self.table)
    }
}

impl Table {
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

    /// Removes empty columns, except the first column.
    pub(crate) fn without_empty_columns(mut self) -> Self {
        for index in (1..self.columns.len()).rev() {
            if self.rows.iter().all(|row| row[index].is_empty()) {
                self.columns.remove(index);
                self.rows.iter_mut().for_each(|row| drop(row.remove(index)));
            }
        }
        self
    }

    pub(crate) fn in_text(&self) -> impl Iterator<Item = (usize, &Column)> {
        self.columns.iter().enumerate().filter(|(_, column)| column.medium != Medium::Page)
    }
}

impl Column {
    pub(crate) fn words(heading: impl Into<Text>) -> Self {
        Column { heading: heading.into(), meaning: None, kind: ColumnKind::Words, beneath: None, medium: Medium::Both }
    }

    pub(crate) fn paths(heading: impl Into<Text>) -> Self {
        Column { kind: ColumnKind::Paths, ..Column::words(heading) }
    }

    pub(crate) fn figures(heading: impl Into<Text>) -> Self {
        Column { kind: ColumnKind::Figures, ..Column::words(heading) }
    }

    pub(crate) fn trust() -> Self {
        Column { meaning: Some(say!("words-verified")), medium: Medium::Page, ..Column::words("✓") }
    }

    /// Creates the column of each row's widest interval, for terminal and Markdown, whose cells have no room for
    /// intervals.
    pub(crate) fn widest() -> Self {
        Column { medium: Medium::Text, ..Column::figures(say!("tables-at-most")) }
    }
}

impl Cell {
    /// Creates a cell with the figure of `series`, which belongs to `document`. The cell is empty if the series was not
    /// measured.
    pub(crate) fn of_series(document: &Document, series: Option<&Series>, scale: Scale) -> Self {
        let Some(series) = series else { return Cell::default() };
        let mark = match Trust::in_series(document, series) {
            // An interrupted run did not measure everything.
            Trust::Failed if !series.has_failed() && !document.run.complete => None,
            Trust::Failed => Some(CellMark::Failed(Text::name(series.note.as_deref().unwrap_or_default(), NOTE))),
            Trust::Unverified => Some(CellMark::Unverified),
            Trust::Quoted | Trust::Verified => None,
        };
        let interval = spread(series).map(|half| format!("±{}", percent(half)).into());
        let value = sound_figure(series).map(|figure| scale.write(figure)).into();
        Cell { value, interval, mark, ..Cell::default() }
    }

    pub(crate) fn trust(trust: Option<Trust>) -> Self {
        Cell { mark: trust.map(CellMark::Trust), ..Cell::default() }
    }

    /// Creates a cell with a ratio, or `=` unless `is_shown`.
    pub(crate) fn ratio(ratio: f64, is_shown: bool) -> Self {
        if is_shown { times(ratio).into() } else { Cell::equal() }
    }

    pub(crate) fn equal() -> Self {
        Cell { mark: Some(CellMark::Equal), ..Cell::default() }
    }

    pub(crate) fn linked(value: impl Into<Text>, link: Option<String>) -> Self {
        Cell { value: value.into(), link, ..Cell::default() }
    }

    /// Creates a cell with a figure in the unit of `scale`. The figure is the cell's sort key.
    pub(crate) fn figure(scale: Scale, figure: f64) -> Self {
        Cell::from(scale.write(figure)).sorted_by(figure)
    }

    pub(crate) fn sorted_by(self, key: impl Display) -> Self {
        Cell { key: Some(key.to_string()), ..self }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.value.is_empty() && !matches!(self.mark, Some(CellMark::Failed(_) | CellMark::Equal))
    }
}

impl<T: Into<Text>> From<T> for Cell {
    fn from(value: T) -> Self {
        Cell { value: value.into(), ..Cell::default() }
    }
}

impl From<Option<Cell>> for Cell {
    fn from(value: Option<Cell>) -> Self {
        value.unwrap_or_default()
    }
}

/// Returns `value`, or a dash if it is missing.
pub(crate) fn or_dash<T: Into<Text>>(value: Option<T>) -> Text {
    value.map_or_else(|| "–".into(), Into::into)
}
