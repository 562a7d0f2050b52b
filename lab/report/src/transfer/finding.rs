//! What a run shows of data from end to end, in numbers.

use crate::effect::Effect;
use crate::language::Messages;
use kasoku_model::algorithm::Algorithm;
use kasoku_model::document::{Document, TransferDetails};
use kasoku_model::workload::transfer::{Protection, Transport};

use super::selection::{TransferContender, TransferSelection, TransferSeries, TransferSide, USUAL, What};

/// Something a run shows of data from end to end.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)] // fields are called what they are
pub enum TransferFinding {
    /// What our cryptography costs beside that of others, on both sides together.
    Cost {
        what: What,
        who: TransferContender,
        /// The others, and how much more CPU time ours takes.
        against: Vec<(String, Effect)>,
    },
    /// How much more CPU time QUIC takes than TLS, by the same library.
    OverTls {
        who: TransferContender,
        /// By bytes of a UDP payload: the sender's, and both sides'.
        sizes: Vec<(usize, Effect, Effect)>,
    },
    /// What was published of that. Said once, wherever it is claimed.
    Published,
    /// The kernel's share of the CPU time of both sides with ours.
    Kernel {
        /// What was moved, and the share from 0 to 1.
        shares: Vec<(What, f64)>,
    },
    /// Packets that were lost on the way.
    Lost { lost: u64, packets: u64 },
}

impl TransferFinding {
    /// Whether it stands for the others where there is no room for all.
    pub(crate) fn leads(&self) -> bool {
        matches!(self, TransferFinding::Cost { .. })
    }
}

/// What `document` shows of data from end to end; nothing if it did not reach its end.
pub(crate) fn findings(document: &Document, messages: &'static Messages) -> Vec<TransferFinding> {
    let rows = TransferSelection::new(document, messages);
    if rows.all.is_empty() || !document.run.complete {
        return Vec::new();
    }
    let mut findings: Vec<TransferFinding> = rows.whats().into_iter().filter_map(|what| cost(&rows, what)).collect();
    let over_tls = over_tls(&rows);
    let is_any = !over_tls.is_empty();
    findings.extend(over_tls);
    findings.extend(is_any.then_some(TransferFinding::Published));
    let share = |what: What| Some((what, rows.ours(what)?.kernel()?));
    // One key length tells the story: the first that was measured.
    let first = rows.algorithms().first().copied();
    let of_first = rows.whats().into_iter().filter(|what| Some(what.algorithm) == first);
    let shares: Vec<(What, f64)> = of_first.filter_map(share).collect();
    if !shares.is_empty() {
        findings.push(TransferFinding::Kernel { shares });
    }
    let sum = |of: fn(&TransferDetails) -> Option<u64>| rows.all.iter().filter_map(|row| of(row.details)).sum::<u64>();
    let lost = sum(|details| details.lost);
    if lost > 0 {
        findings.push(TransferFinding::Lost { lost, packets: sum(|details| details.packets) });
    }
    findings
}

fn cost(rows: &TransferSelection<'_>, what: What) -> Option<TransferFinding> {
    let ours = rows.ours(what)?;
    let others = rows.all.iter().filter(|row| row.what == what && row.who.library != ours.who.library);
    let against: Vec<(String, Effect)> = others
        .filter_map(|other| Some((other.who.library.clone(), rows.cost(ours, other, TransferSide::Both)?)))
        .collect();
    (!against.is_empty()).then(|| TransferFinding::Cost { what, who: ours.who.clone(), against })
}

/// For ours and for what is usual.
fn over_tls(rows: &TransferSelection<'_>) -> Vec<TransferFinding> {
    let Some(first) = rows.algorithms().first().copied() else { return Vec::new() };
    let ours = of_library(rows, first, |what| rows.ours(what));
    let usual = of_library(rows, first, |what| rows.find(what, USUAL, Protection::Provider));
    [ours, usual].into_iter().flatten().collect()
}

fn of_library<'r, 'a: 'r>(
    rows: &'r TransferSelection<'a>,
    algorithm: Algorithm,
    pick: impl Fn(What) -> Option<&'r TransferSeries<'a>>,
) -> Option<TransferFinding> {
    let all: Vec<What> = rows.whats().into_iter().filter(|what| what.algorithm == algorithm).collect();
    let record = pick(*all.iter().find(|what| what.transport == Transport::Tls)?)?;
    let packets = all.iter().filter(|what| what.transport == Transport::Quic).filter_map(|what| pick(*what));
    let mut who = None;
    let mut sizes = Vec::new();
    for row in packets {
        let [sender, both] = [TransferSide::Sender, TransferSide::Both].map(|of| rows.cost(row, record, of));
        if let (Some(sender), Some(both)) = (sender, both) {
            who.get_or_insert_with(|| row.who.clone());
            sizes.push((row.what.bytes, sender, both));
        }
    }
    Some(TransferFinding::OverTls { who: who?, sizes })
}
