//! Claims about end-to-end transfers.

use kasoku_model::document::{Document, TransferDetails};
use kasoku_model::library::KASOKU;
use kasoku_model::workload::transfer::{Protection, Transport};

use super::selection::{BASELINE, NAME, TransferSelection, TransferSeries, TransferSide, TransferTask};
use crate::claim::{Claim, ClaimEffect, Figure, Subject};
use crate::quantity::size;
use crate::text::Text;

/// Returns what `document` shows of data from end to end; nothing if it did not reach its end.
pub(super) fn claims(document: &Document) -> Vec<Claim> {
    let transfers = &TransferSelection::new(document);
    let tasks = transfers.tasks();
    let Some(first) = tasks.first().filter(|_| document.run.complete) else { return Vec::new() };
    let mut claims: Vec<Claim> = tasks.iter().filter_map(|task| cost(transfers, *task)).collect();
    // One key length tells the story: the first that was measured.
    let tasks: Vec<TransferTask> = tasks.iter().copied().filter(|task| task.algorithm == first.algorithm).collect();
    let baseline = |task: TransferTask| transfers.find(task, BASELINE, Protection::Provider);
    let over_tls = [over_tls(transfers, &tasks, |task| transfers.kasoku(task)), over_tls(transfers, &tasks, baseline)];
    if over_tls.iter().any(Option::is_some) {
        claims.extend(over_tls.into_iter().flatten());
        claims.push(Claim::new("transfer-published", Subject::default()));
    }
    let share = |task: &TransferTask| {
        let figures = vec![
            ("transport", Figure::Text(task.transport.name().into())),
            ("share", Figure::Percent(100.0 * transfers.kasoku(*task)?.kernel()?)),
        ];
        Some(ClaimEffect { of: size(task.bytes).into(), change: None, figures })
    };
    let library = Text::from(KASOKU);
    let kernel = Claim::new("transfer-kernel", Subject { library, ..Subject::default() });
    let kernel = kernel.listing(tasks.iter().filter_map(share));
    claims.extend((!kernel.effects.is_empty()).then_some(kernel));
    let sum = |of: fn(&TransferDetails) -> Option<u64>| {
        let sum = transfers.all.iter().filter_map(|row| of(row.details)).fold(0, u64::saturating_add);
        usize::try_from(sum).unwrap_or(usize::MAX)
    };
    let [lost, packets] = [sum(|details| details.lost), sum(|details| details.packets)];
    let claim = Claim::new("transfer-lost", Subject::default());
    claims.extend(
        (lost > 0)
            .then(|| claim.with_figure("lost", Figure::Count(lost)).with_figure("packets", Figure::Count(packets))),
    );
    claims
}

/// The CPU time with Kasoku beside that with each other library.
fn cost(transfers: &TransferSelection<'_>, task: TransferTask) -> Option<Claim> {
    let own = transfers.kasoku(task)?;
    let others = transfers.all.iter().filter(|row| row.task == task && row.who.library != own.who.library);
    let effects = others.filter_map(|other| {
        let change = Some(transfers.cost(own, other, TransferSide::Both)?);
        Some(ClaimEffect { of: Text::name(&other.who.library, NAME), change, figures: Vec::new() })
    });
    let claim = Claim::new("transfer-cost", Subject::new(task.algorithm, own.who.name(), task.bytes))
        .with_figure("transport", Figure::Text(task.transport.name().into()))
        .listing(effects)
        .leading();
    (!claim.effects.is_empty()).then_some(claim)
}

/// The CPU time of QUIC beside that of TLS with the cryptography that `pick` returns.
fn over_tls<'r, 'a: 'r>(
    transfers: &TransferSelection<'a>,
    tasks: &[TransferTask],
    pick: impl Fn(TransferTask) -> Option<&'r TransferSeries<'a>>,
) -> Option<Claim> {
    let of = |transport| tasks.iter().filter(move |task| task.transport == transport);
    let record = pick(*of(Transport::Tls).next()?)?;
    let mut library = None;
    let mut effects = Vec::new();
    for row in of(Transport::Quic).filter_map(|task| pick(*task)) {
        let [sender, both] = [TransferSide::Sender, TransferSide::Both].map(|of| transfers.cost(row, record, of));
        if let (Some(sender), Some(both)) = (sender, both) {
            library.get_or_insert_with(|| row.who.name());
            let figures = vec![("sender", Figure::Change(sender)), ("both", Figure::Change(both))];
            effects.push(ClaimEffect { of: size(row.task.bytes).into(), change: None, figures });
        }
    }
    let subject = Subject { algorithm: Some(record.task.algorithm), library: library?, ..Subject::default() };
    Some(Claim::new("transfer-over-tls", subject).listing(effects))
}
