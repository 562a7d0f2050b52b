//! The level primitives. Also the tables of all figures, one for each kind of algorithm, which other levels without
//! tables of their own share.

mod charts;
mod claims;
mod summary;

use crate::prelude::*;
use crate::selection::{code_path, kind_title, lowest_trust, widest};
pub(crate) use charts::{bars, on_and_off, public_keys, states, throughput};
pub(crate) use claims::claims;
pub(crate) use summary::{fastest, ratios, summary};

/// Kinds of algorithms, in the order of tables.
pub(crate) const KINDS: [AlgorithmKind; 8] = [
    AlgorithmKind::Cipher,
    AlgorithmKind::Aead,
    AlgorithmKind::Hash,
    AlgorithmKind::KeyAgreement,
    AlgorithmKind::Signature,
    AlgorithmKind::Kem,
    AlgorithmKind::Suite,
    AlgorithmKind::CipherSuite,
];

#[derive(Clone, Debug)]
struct Line<'a> {
    /// Key of the row, with size 0.
    key: SeriesKey,
    /// A series for each size of the table; `None` where none was measured.
    cells: Vec<Option<&'a Series>>,
}

pub(crate) fn tables(selection: &Selection<'_>, level: Option<&str>) -> Vec<Table> {
    KINDS.into_iter().filter_map(|kind| figures(selection, kind, level)).collect()
}

/// Returns the heading of a column of figures: the size, or `otherwise` for kinds without sizes.
fn column(kind: AlgorithmKind, bytes: usize, otherwise: Text) -> Text {
    if kind.is_bulk() { size(bytes).into() } else { otherwise }
}

fn figures(selection: &Selection<'_>, kind: AlgorithmKind, level: Option<&str>) -> Option<Table> {
    let document = selection.document;
    let sizes = selection.sizes(kind);
    let lines = lines(selection, kind, &sizes);
    let unit = lines.iter().flat_map(|line| line.cells.iter().flatten()).map(|series| series.unit).next()?;
    let scale = Scale::of_table(unit);
    // Published figures have no intervals, and their output is not verified.
    let is_measured = !selection.is_quoted();
    let title = match level {
        Some(level) => say!("tables-figures-of-level", level = level, kind = kind_title(kind), unit = scale.name),
        None => say!("tables-figures", kind = kind_title(kind), unit = scale.name),
    };
    TableBuilder::new(title, &lines)
        .words(say!("tables-algorithm"), |line| line.key.task.title())
        .words(say!("tables-library"), |line| selection.name(line.key))
        .words(say!("tables-state"), |line| line.key.state.to_string())
        .when(has_code_path(selection, &lines), |table| {
            table.column(Column::paths(say!("tables-code-path")), |line| code_path(&line.cells))
        })
        .when(is_measured, |table| {
            table.column(Column::trust(), |line| Cell::trust(lowest_trust(document, &line.cells)))
        })
        .each(sizes.iter().enumerate(), |table, (index, bytes)| {
            table.figures(column(kind, *bytes, scale.name.into()), |line| cell(selection, line.cells[index], unit))
        })
        .when(is_measured, |table| table.column(Column::widest(), |line| widest(&line.cells)))
        .grouped()
        .page_notes([""; 0])
        .any()
        .map(Table::with_marks)
}

fn lines<'a>(selection: &Selection<'a>, kind: AlgorithmKind, sizes: &[usize]) -> Vec<Line<'a>> {
    let line = |key: SeriesKey| {
        let cells = sizes.iter().map(|bytes| selection.series(key.at_size(*bytes))).collect();
        Line { key, cells }
    };
    selection.tasks(kind).into_iter().flat_map(|task| selection.rows(task)).map(line).collect()
}

/// Whether the table needs a column of code paths. Published figures rarely state code paths.
fn has_code_path(selection: &Selection<'_>, lines: &[Line<'_>]) -> bool {
    let is_known = |line: &Line<'_>| !["", "unknown"].contains(&code_path(&line.cells).as_str());
    !selection.is_quoted() || lines.iter().any(is_known)
}

/// Returns a cell with the figure of `series`. The cell names its unit if the table has another unit.
fn cell(selection: &Selection<'_>, series: Option<&Series>, unit: Unit) -> Cell {
    let scale = Scale::of_table(series.map_or(unit, |series| series.unit));
    let mut cell = Cell::of_series(selection.document, series, scale);
    if scale != Scale::of_table(unit) && !cell.value.is_empty() {
        cell.value = Text::list(Separator::Space, [cell.value, scale.name.into()]);
    }
    cell
}
