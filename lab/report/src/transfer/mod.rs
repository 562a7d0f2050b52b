//! Data from end to end: what a user of QUIC or TLS gains by one cryptography over another, with everything around it.

pub mod finding;
mod page;
mod selection;
mod sentence;
mod tables;

pub use finding::TransferFinding;
pub(crate) use finding::findings;
pub(crate) use page::section;
pub use selection::{TransferContender, What};
pub(crate) use sentence::more;
pub(crate) use tables::{full, summary};

use std::collections::BTreeSet;

use super::language::Messages;
use super::screen::libraries::is_ahead;
use kasoku_model::algorithm::Algorithm;
use kasoku_model::document::{Document, Series};
use kasoku_model::workload::transfer::Transport;
use selection::{TransferSelection, TransferSeries, TransferSide};

/// By how much CPU time differs that the same cryptography takes once and once more, and which that is; `None` if
/// nothing was measured twice.
pub(crate) fn noise_floor(document: &Document, messages: &'static Messages) -> Option<(f64, String)> {
    let rows = TransferSelection::new(document, messages);
    let (who, [cpu, _]) = rows.floors()?;
    Some((cpu, who.library.clone()))
}

/// The CPU seconds of both sides that each library takes to move 10⁹ bytes over QUIC, the least first, and whether the
/// first is shown to differ from every other.
pub(crate) fn quic_costs<'a>(
    document: &'a Document,
    algorithm: Algorithm,
    messages: &'static Messages,
) -> (Vec<(&'a Series, f64)>, bool) {
    let rows = TransferSelection::new(document, messages);
    let is_quic = |row: &&TransferSeries<'_>| row.what.transport == Transport::Quic && row.what.algorithm == algorithm;
    let seconds = |row: &TransferSeries<'_>| row.seconds(TransferSide::Both);
    let mut costs: Vec<_> = rows.all.iter().filter(is_quic).filter_map(|row| Some((row, seconds(row)?))).collect();
    costs.sort_by(|a, b| a.1.total_cmp(&b.1));
    // One way of each library, the better.
    let mut seen = BTreeSet::new();
    costs.retain(|(row, _)| seen.insert(&row.who.library));
    let is_shown = is_ahead(&costs, |(best, _), (other, _)| {
        rows.cost(best, other, TransferSide::Both).is_some_and(|effect| effect.is_shown)
    });
    (costs.into_iter().map(|(row, seconds)| (row.series, seconds)).collect(), is_shown)
}
