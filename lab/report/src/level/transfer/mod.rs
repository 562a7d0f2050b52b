//! Data from end to end: the costs of QUIC and TLS with one library's cryptography or another's, with everything around
//! it.

mod claims;
mod section;
mod selection;
mod tables;

use std::collections::BTreeSet;

use kasoku_model::algorithm::Algorithm;
use kasoku_model::document::{Document, Series};
use kasoku_model::workload::transfer::Transport;

use super::LevelReport;
use crate::selection::is_ahead;
use selection::{TransferSelection, TransferSeries, TransferSide};

pub(crate) const REPORT: LevelReport =
    LevelReport { claims: claims::claims, summary: tables::summary, tables: tables::tables, section: section::section };

/// Returns by how much the CPU time of a library differs from itself where it was measured twice, and the library.
pub(crate) fn noise_floor(document: &Document) -> Option<(f64, String)> {
    let transfers = TransferSelection::new(document);
    let (who, [cpu, _]) = transfers.floors()?;
    Some((cpu, who.library.clone()))
}

/// Returns the CPU seconds of both sides that each library takes to move 10⁹ bytes over QUIC, the least first, and
/// whether the first is shown to differ from every other.
pub(crate) fn quic_costs(document: &Document, algorithm: Algorithm) -> (Vec<(&Series, f64)>, bool) {
    let transfers = TransferSelection::new(document);
    let is_quic = |row: &&TransferSeries<'_>| row.task.transport == Transport::Quic && row.task.algorithm == algorithm;
    let seconds = |row: &TransferSeries<'_>| row.seconds(TransferSide::Both);
    let mut costs: Vec<_> = transfers.all.iter().filter(is_quic).filter_map(|row| Some((row, seconds(row)?))).collect();
    costs.sort_by(|a, b| a.1.total_cmp(&b.1));
    // The better protection of each library.
    let mut seen = BTreeSet::new();
    costs.retain(|(row, _)| seen.insert(&row.who.library));
    let is_shown = is_ahead(&costs, |(best, _), (other, _)| {
        transfers.cost(best, other, TransferSide::Both).is_some_and(|effect| effect.is_shown)
    });
    (costs.into_iter().map(|(row, seconds)| (row.series, seconds)).collect(), is_shown)
}
