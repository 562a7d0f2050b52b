//! Transfers: end-to-end costs of QUIC and TLS with different cryptography.

mod selection;
mod tables;

use std::collections::BTreeSet;

use kasoku_model::document::TransferDetails;
use kasoku_model::library::KASOKU;
use kasoku_model::workload::transfer::Transport;

use super::LevelReport;
use crate::prelude::*;
use crate::selection::is_ahead;
pub(crate) use selection::TransferSelection;
use selection::{BASELINE, NAME, TransferFigure, TransferSeries, TransferTask};

impl LevelReport for TransferSelection<'_> {
    fn claims(&self) -> Vec<Claim> {
        let tasks = self.tasks();
        let Some(first) = tasks.first() else { return Vec::new() };
        let mut claims: Vec<Claim> = tasks.iter().filter_map(|task| cost(self, *task)).collect();
        // Claims are about one key length: the first that was measured.
        let tasks: Vec<TransferTask> = tasks.iter().copied().filter(|task| task.algorithm == first.algorithm).collect();
        let baseline = |task: TransferTask| self.find(task, BASELINE);
        let over_tls = [over_tls(self, &tasks, |task| self.kasoku(task)), over_tls(self, &tasks, baseline)];
        if over_tls.iter().any(Option::is_some) {
            claims.extend(over_tls.into_iter().flatten());
            claims.push(Claim::new("transfer-published", Subject::default()));
        }
        let share = |task: &TransferTask| {
            let figures = vec![
                ("transport", task.transport.name().into()),
                ("share", percent(100.0 * self.kasoku(*task)?.kernel()?).into()),
            ];
            Some(ClaimEffect { of: size(task.bytes).into(), change: None, figures })
        };
        let library = Text::from(KASOKU);
        let kernel = Claim::new("transfer-kernel", Subject { library, ..Subject::default() });
        claims.extend(kernel.listing(tasks.iter().filter_map(share)));
        let sum = |of: fn(&TransferDetails) -> Option<u64>| {
            let sum = self.all.iter().filter_map(|row| of(row.details)).fold(0, u64::saturating_add);
            usize::try_from(sum).unwrap_or(usize::MAX)
        };
        let [lost, packets] = [sum(|details| details.lost), sum(|details| details.packets)];
        let claim = Claim::new("transfer-lost", Subject::default()).with("lost", lost).with("packets", packets);
        claims.extend((lost > 0).then_some(claim));
        claims
    }

    fn summary(&self) -> Vec<Table> {
        tables::summary(self)
    }

    fn section(&self, claims: &[Claim], palette: &Palette) -> Section {
        let charts = self.algorithms().into_iter().filter_map(|algorithm| chart(self, algorithm, palette)).collect();
        let mut folded = vec![Block::Paragraph(say!("transfer-explained"))];
        for mut table in self.tables() {
            // The notes are wider than a table.
            let notes = std::mem::take(&mut table.notes);
            folded.push(Block::Table(table));
            folded.extend(notes.into_iter().map(Block::Note));
        }
        let charts = Block::charts(Vec::new(), charts);
        super::section(["transfer", "transfer-title", "transfer-more"], claims, charts, folded)
    }
}

/// Returns the noise floor of CPU time from transfers that were measured twice, and the library of these transfers.
pub(crate) fn noise_floor(document: &Document) -> Option<(f64, String)> {
    let transfers = TransferSelection::new(document)?;
    let (who, [cpu, _]) = transfers.floors()?;
    Some((cpu, who.library.to_owned()))
}

/// Returns the CPU seconds of sender and receiver for 10⁹ bytes over QUIC, for each library in ascending order. Also
/// returns whether the first library is proven to differ from every other.
pub(crate) fn quic_costs(document: &Document, algorithm: Algorithm) -> Option<(Vec<(&Series, f64)>, bool)> {
    let transfers = TransferSelection::new(document)?;
    let is_quic = |row: &&TransferSeries<'_>| row.task.transport == Transport::Quic && row.task.algorithm == algorithm;
    let seconds = |row: &TransferSeries<'_>| row.figure(TransferFigure::Both);
    let mut costs: Vec<_> = transfers.all.iter().filter(is_quic).filter_map(|row| Some((row, seconds(row)?))).collect();
    costs.sort_by(|a, b| a.1.total_cmp(&b.1));
    // Keeps the cheaper protection of each library.
    let mut seen = BTreeSet::new();
    costs.retain(|(row, _)| seen.insert(row.who.library));
    let is_shown = is_ahead(&costs, |(best, _), (other, _)| {
        transfers.effect([best, other], TransferFigure::Both).is_some_and(|effect| effect.is_shown)
    });
    Some((costs.into_iter().map(|(row, seconds)| (row.series, seconds)).collect(), is_shown))
}

/// Charts the CPU seconds for a gigabyte, with the kernel's percentage; `None` if no transfer has CPU times.
fn chart(transfers: &TransferSelection<'_>, algorithm: Algorithm, palette: &Palette) -> Option<Chart> {
    let bar = |row: &TransferSeries<'_>| {
        let (label, share) = (Some(row.who.name().cut(24)), row.kernel().map(|share| 100.0 * share));
        let seconds = row.figure(TransferFigure::Both)?;
        Some(Bar { label, share, ..Bar::new(palette.color(row.who.library), Some(seconds)) })
    };
    let block = |task: TransferTask| {
        let bars: Vec<Bar> = transfers.all.iter().filter(|row| row.task == task).filter_map(bar).collect();
        (!bars.is_empty()).then(|| BarGroup { label: task.name(), bars })
    };
    let tasks = transfers.tasks().into_iter().filter(|task| task.algorithm == algorithm);
    let groups: Vec<BarGroup> = tasks.filter_map(block).collect();
    let title = || say!("transfer-costs", algorithm = algorithm.title());
    (!groups.is_empty()).then(|| Chart {
        heading: Some(algorithm.title().into()),
        beside: say!("transfer-chart-unit"),
        ..Chart::new(format!("transfer-{algorithm}"), title(), "CPU s/GB", groups)
    })
}

fn cost(transfers: &TransferSelection<'_>, task: TransferTask) -> Option<Claim> {
    let own = transfers.kasoku(task)?;
    let others = transfers.all.iter().filter(|row| row.task == task && row.who.library != own.who.library);
    let effects = others.filter_map(|other| {
        let change = transfers.effect([own, other], TransferFigure::Both)?;
        Some(ClaimEffect::change(Text::name(other.who.library, NAME), change))
    });
    Claim::new("transfer-cost", Subject::new(task.algorithm, own.who.name(), task.bytes))
        .with("transport", task.transport.name())
        .leading()
        .listing(effects)
}

/// Claims how much more or less CPU time QUIC takes than TLS. For each task, compares the transfers that `pick`
/// returns.
fn over_tls<'r, 'a: 'r>(
    transfers: &TransferSelection<'a>,
    tasks: &[TransferTask],
    pick: impl Fn(TransferTask) -> Option<&'r TransferSeries<'a>>,
) -> Option<Claim> {
    let tasks_over = |transport| tasks.iter().filter(move |task| task.transport == transport);
    let record = pick(*tasks_over(Transport::Tls).next()?)?;
    let mut library = None;
    let mut effects = Vec::new();
    for row in tasks_over(Transport::Quic).filter_map(|task| pick(*task)) {
        let [sender, both] =
            [TransferFigure::Sender, TransferFigure::Both].map(|of| transfers.effect([row, record], of));
        if let (Some(sender), Some(both)) = (sender, both) {
            library.get_or_insert_with(|| row.who.name());
            let figures = vec![("sender", sender.words()), ("both", both.words())];
            effects.push(ClaimEffect { of: size(row.task.bytes).into(), change: None, figures });
        }
    }
    let subject = Subject { algorithm: Some(record.task.algorithm), library: library?, ..Subject::default() };
    Claim::new("transfer-over-tls", subject).listing(effects)
}
