//! What acceleration is worth to every library.

use std::collections::BTreeSet;

use kasoku_model::acceleration::Acceleration;
use kasoku_model::algorithm::AlgorithmKind;

use super::summary::{against_slowest, interval};
use crate::language::Messages;
use crate::quantity::{size, times};
use crate::selection::{ContenderIndex, Selection, SeriesKey, Worth};
use crate::table::{Cell, CellMark, Column, Over, Table};

/// What acceleration is worth to the algorithms of a kind.
pub(crate) enum Ratios {
    Table(Table),
    /// No difference is shown with any of these libraries.
    NowhereDifferent(Vec<String>),
}

/// The ratios of a kind; `None` if there are none.
pub(crate) fn ratios(selection: &Selection<'_>, kind: AlgorithmKind) -> Option<Ratios> {
    let Messages { words, tables, page, .. } = selection.messages;
    let sizes = selection.sizes(kind);
    let worth = |key: SeriesKey| sizes.iter().map(|bytes| selection.worth(key.of(*bytes))).collect::<Vec<_>>();
    let rows = selection.tasks(kind).into_iter().flat_map(|task| selection.rows(task));
    let mut keys: Vec<SeriesKey> = rows.map(|key| key.with(Acceleration::On)).collect();
    keys.dedup();
    let rows: Vec<(SeriesKey, Vec<Option<Worth>>)> =
        keys.into_iter().map(|key| (key, worth(key))).filter(|(_, worth)| worth.iter().any(Option::is_some)).collect();
    let at = selection.yardstick(kind).filter(|_| !rows.is_empty())?;
    if rows.iter().all(|(_, worth)| is_equal(worth)) {
        let mut known: BTreeSet<ContenderIndex> = BTreeSet::new();
        let libraries = rows.iter().map(|(key, _)| key.who).filter(|who| known.insert(*who));
        return Some(Ratios::NowhereDifferent(libraries.map(|who| selection.full_label(who)).collect()));
    }
    let cell = |worth: &[Option<Worth>], index: usize| match worth[index] {
        // Where all are equal, it is said once.
        _ if is_equal(worth) && index > 0 => Cell::default(),
        _ if is_equal(worth) => Cell { span: worth.len(), ..words.no_difference.into() },
        Some(worth) if worth.is_shown => {
            Cell { interval: worth.interval.map(interval), ..(words.times)(&times(worth.ratio)).into() }
        }
        Some(_) => Cell { mark: Some(CellMark::Equal(words.no_difference)), ..Cell::default() },
        None => Cell::default(),
    };
    let lead =
        |key: &SeriesKey| against_slowest(selection, key.who, key.task, at).map(|ratio| (words.times)(&times(ratio)));
    let has_lead = kind.is_bulk() && !selection.is_quoted();
    let slowest = Column { beneath: Some((page.on_at)(&size(at))), ..Column::figures(page.times_the_slowest) };
    let table = Over::new((page.ratios_of)((words.kind)(kind)), &rows)
        .words(tables.algorithm, |(key, _)| key.task.title(words))
        .words(tables.library, |(key, _)| selection.full_label(key.who))
        .each(sizes.iter().enumerate(), |table, (index, bytes)| {
            table.figures(super::column(kind, *bytes, page.on_over_off), |(_, worth)| cell(worth, index))
        })
        .when(has_lead, |table| table.column(slowest, |(key, _)| lead(key)));
    Some(Ratios::Table(table.table()))
}

fn is_equal(worth: &[Option<Worth>]) -> bool {
    worth.iter().all(|worth| worth.is_some_and(|worth| !worth.is_shown))
}
