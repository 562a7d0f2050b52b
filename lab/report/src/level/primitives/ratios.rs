//! What acceleration is worth to every library.

use std::collections::BTreeSet;

use kasoku_model::acceleration::Acceleration;
use kasoku_model::algorithm::AlgorithmKind;

use super::summary::{against_slowest, interval};
use crate::block::Block;
use crate::quantity::size;
use crate::selection::{ContenderIndex, Selection, SeriesKey, Worth, kind_title, times};
use crate::table::{Cell, Column, TableBuilder};
use crate::text::{Separator, Text, say};

/// Returns what acceleration is worth to the algorithms of a kind: a table, or a sentence where no difference is shown
/// with any library. `None` if that was not measured.
pub(crate) fn ratios(selection: &Selection<'_>, kind: AlgorithmKind) -> Option<Block> {
    let sizes = selection.sizes(kind);
    let worth = |key: SeriesKey| sizes.iter().map(|bytes| selection.worth(key.at_size(*bytes))).collect::<Vec<_>>();
    let rows = selection.tasks(kind).into_iter().flat_map(|task| selection.rows(task));
    let mut keys: Vec<SeriesKey> = rows.map(|key| key.in_state(Acceleration::On)).collect();
    keys.dedup();
    let rows: Vec<(SeriesKey, Vec<Option<Worth>>)> =
        keys.into_iter().map(|key| (key, worth(key))).filter(|(_, worth)| worth.iter().any(Option::is_some)).collect();
    let at = selection.yardstick(kind).filter(|_| !rows.is_empty())?;
    if rows.iter().all(|(_, worth)| is_equal(worth)) {
        let mut known: BTreeSet<ContenderIndex> = BTreeSet::new();
        let libraries = rows.iter().map(|(key, _)| key.who).filter(|who| known.insert(*who));
        let libraries = Text::list(Separator::Comma, libraries.map(|who| selection.full_label(who)));
        return Some(Block::Paragraph(say!("page-nowhere-different", kind = kind_title(kind), libraries = libraries)));
    }
    let cell = |worth: &[Option<Worth>], index: usize| match worth[index] {
        // Where all are equal, it is said once.
        _ if is_equal(worth) && index > 0 => Cell::default(),
        _ if is_equal(worth) => Cell { span: worth.len(), ..say!("words-no-difference").into() },
        Some(worth) if worth.is_shown => {
            Cell { interval: worth.interval.map(interval).map(Text::from), ..times(worth.ratio).into() }
        }
        Some(_) => Cell::equal(),
        None => Cell::default(),
    };
    let lead = |key: &SeriesKey| against_slowest(selection, key.who, key.task, at).map(times);
    let has_lead = kind.is_bulk() && !selection.is_quoted();
    let slowest = Column {
        beneath: Some(say!("page-on-at", size = size(at))),
        ..Column::figures(say!("page-times-the-slowest"))
    };
    let table = TableBuilder::new(say!("page-ratios-of", kind = kind_title(kind)), &rows)
        .words(say!("tables-algorithm"), |(key, _)| key.task.title())
        .words(say!("tables-library"), |(key, _)| selection.full_label(key.who))
        .each(sizes.iter().enumerate(), |table, (index, bytes)| {
            table.figures(super::column(kind, *bytes, say!("page-on-over-off")), |(_, worth)| cell(worth, index))
        })
        .when(has_lead, |table| table.column(slowest, |(key, _)| lead(key)));
    Some(Block::Table(table.table()))
}

fn is_equal(worth: &[Option<Worth>]) -> bool {
    worth.iter().all(|worth| worth.is_some_and(|worth| !worth.is_shown))
}
