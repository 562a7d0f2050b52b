//! Transfers, sorted for tables, and comparisons of their costs.

use std::collections::BTreeSet;

use kasoku_model::document::{Sample, Sides, TransferDetails};
use kasoku_model::library::{self, AWS_LC, KASOKU};
use kasoku_model::statistics::{self, Nested};
use kasoku_model::workload::transfer::{Protection, Transport};
use kasoku_model::workload::{Setting, Transfer};

use crate::prelude::*;
use crate::selection::is_drawn;

/// Baseline of comparisons: rustls's default.
pub(super) const BASELINE: TransferContender<'_> =
    TransferContender { library: AWS_LC, protection: Protection::Provider };
/// Maximum width of a library's name, in columns.
pub(super) const NAME: usize = 24;

/// Workload of a transfer: transport, cipher and size.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct TransferTask {
    pub(super) algorithm: Algorithm,
    pub(super) transport: Transport,
    /// Size in bytes of a UDP payload, or of the plaintext of a TLS record.
    pub(super) bytes: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct TransferContender<'a> {
    pub(super) library: &'a str,
    pub(super) protection: Protection,
}

impl TransferTask {
    pub(super) fn name(self) -> Text {
        say!("transfer-task", transport = self.transport.name(), size = size(self.bytes))
    }
}

impl TransferContender<'_> {
    pub(super) fn name(self) -> Text {
        let library = Text::name(self.library, NAME);
        match self.protection {
            Protection::Provider => library,
            Protection::OnePass => say!("transfer-one-pass", library = library),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TransferFigure {
    /// CPU seconds of the sender for 10⁹ bytes.
    Sender,
    /// CPU seconds of the receiver for 10⁹ bytes.
    Receiver,
    /// CPU seconds of sender and receiver together for 10⁹ bytes.
    Both,
    /// Received payload in bytes per second.
    Goodput,
}

/// Transfers of a document that may be drawn, sorted for tables.
pub(crate) struct TransferSelection<'a> {
    pub(super) all: Vec<TransferSeries<'a>>,
    /// Second measurements of transfers (A/A controls), sorted by key.
    controls: Vec<TransferSeries<'a>>,
    document: &'a Document,
    /// Noise floor of each [`TransferFigure`], from the differences between transfers and their controls.
    floors: [Option<f64>; 4],
}

pub(super) struct TransferSeries<'a> {
    key: SeriesKey,
    pub(super) task: TransferTask,
    pub(super) who: TransferContender<'a>,
    pub(super) series: &'a Series,
    pub(super) details: &'a TransferDetails,
    /// Throughput in bytes per second.
    pub(super) rate: f64,
}

impl<'a> TransferSelection<'a> {
    pub(crate) fn new(document: &'a Document) -> Option<Self> {
        let selection = Selection::of_level(document, Level::Packets);
        let row = |(key, series): (SeriesKey, &'a Series)| {
            let Setting::Transfer(Transfer { transport, protection }) = key.setting else { return None };
            let task = TransferTask { algorithm: key.task.algorithm, transport, bytes: key.bytes };
            let who = TransferContender { library: &series.library, protection };
            Some(TransferSeries { key, task, who, series, details: series.transfer()?, rate: sound_figure(series)? })
        };
        let drawn = selection.select(|_| true).filter(|(_, series)| is_drawn(document, series));
        let mut all: Vec<TransferSeries<'a>> = drawn.filter_map(row).collect();
        let place = |row: &TransferSeries<'_>| library::place(row.who.library);
        all.sort_by_key(|row| (row.task, row.who.library != BASELINE.library, place(row), row.who));
        all.dedup_by(|one, other| (one.task, one.who) == (other.task, other.who));
        let controls = selection.controls().filter(|(_, series)| series.is_verified()).filter_map(row).collect();
        let mut transfers = TransferSelection { all, controls, document, floors: [None; 4] };
        let figures = [TransferFigure::Sender, TransferFigure::Receiver, TransferFigure::Both, TransferFigure::Goodput];
        transfers.floors = figures.map(|of| transfers.floor(of));
        (!transfers.all.is_empty()).then_some(transfers)
    }

    pub(super) fn tasks(&self) -> BTreeSet<TransferTask> {
        self.all.iter().map(|row| row.task).collect()
    }

    pub(super) fn algorithms(&self) -> BTreeSet<Algorithm> {
        self.all.iter().map(|row| row.task.algorithm).collect()
    }

    pub(super) fn find(&self, task: TransferTask, who: TransferContender<'_>) -> Option<&TransferSeries<'a>> {
        let from = self.all.partition_point(|row| row.task < task);
        let mut of_task = self.all[from..].iter().take_while(|row| row.task == task);
        of_task.find(|row| row.who == who)
    }

    /// Returns the transfer of `task` with Kasoku. Prefers protection in one pass if it was measured.
    pub(super) fn kasoku(&self, task: TransferTask) -> Option<&TransferSeries<'a>> {
        let with_protection = |protection| self.find(task, TransferContender { library: KASOKU, protection });
        with_protection(Protection::OnePass).or_else(|| with_protection(Protection::Provider))
    }

    pub(super) fn control(&self, row: &TransferSeries<'_>) -> Option<&TransferSeries<'a>> {
        let first = self.controls.partition_point(|control| control.key < row.key);
        self.controls.get(first).filter(|control| control.key == row.key)
    }

    /// Returns the difference in a figure between `first` and `second`, from the rounds that both transfers have.
    pub(super) fn effect(&self, [first, second]: [&TransferSeries<'_>; 2], of: TransferFigure) -> Option<Effect> {
        let run = &self.document.run;
        let floor = self.floors[of as usize].unwrap_or_else(|| run.method.floor(first.task.algorithm));
        run.complete.then(|| Effect::from_log_ratios(&of.log_ratios(first, second), floor))?
    }

    /// Returns the contender that was measured twice, with the noise floors of CPU time (sender and receiver together)
    /// and of goodput.
    pub(super) fn floors(&self) -> Option<(TransferContender<'a>, [f64; 2])> {
        let [_, _, cost, goodput] = self.floors;
        Some((self.controls.first()?.who, [cost?, goodput?]))
    }

    /// Returns the number of transfers during which another process used a core, and the number of all transfers.
    pub(super) fn disturbed(&self) -> (usize, usize) {
        let sides =
            || self.all.iter().chain(&self.controls).flat_map(|row| row.series.kept()).filter_map(|it| it.sides);
        (sides().filter(|sides| sides.disturbed).count(), sides().count())
    }

    /// Returns the noise floor of a figure, from the differences between transfers and their controls.
    fn floor(&self, of: TransferFigure) -> Option<f64> {
        let against_itself = |control: &TransferSeries<'_>| {
            let original = self.find(control.task, control.who)?;
            Some(of.log_ratios(control, original))
        };
        statistics::self_difference(&self.controls.iter().filter_map(against_itself).collect::<Vec<_>>())
    }
}

impl TransferFigure {
    fn log_ratios(self, first: &TransferSeries<'_>, second: &TransferSeries<'_>) -> Nested {
        statistics::log_ratios_by(first.series, second.series, |series, sample| self.of_sample(series, sample))
    }

    fn of_sample(self, series: &Series, sample: &Sample) -> Option<f64> {
        let cpu_ns = |of: fn(&Sides) -> f64| series.seconds_a_gigabyte(sample, of(sample.sides.as_ref()?));
        match self {
            TransferFigure::Sender => cpu_ns(|sides| sides.sender.cpu_ns as f64),
            TransferFigure::Receiver => cpu_ns(|sides| sides.receiver.cpu_ns as f64),
            TransferFigure::Both => cpu_ns(both_cpu_ns),
            TransferFigure::Goodput => Some(series.figure(sample)).filter(|it| it.is_finite() && *it > 0.0),
        }
    }
}

impl TransferSeries<'_> {
    /// Returns the median of a figure over the rounds. Without samples of sender and receiver, returns the figure in
    /// the document.
    pub(super) fn figure(&self, of: TransferFigure) -> Option<f64> {
        let rounds = self.series.kept().filter_map(|sample| of.of_sample(self.series, sample));
        let (sender, receiver) = (self.details.sender_cpu_s_per_gb, self.details.receiver_cpu_s_per_gb);
        let stated = || match of {
            TransferFigure::Sender => sender,
            TransferFigure::Receiver => receiver,
            TransferFigure::Both => Some(sender? + receiver?),
            TransferFigure::Goodput => Some(self.rate),
        };
        let figure = statistics::median(&mut rounds.collect::<Vec<_>>()).or_else(stated);
        figure.filter(|figure| figure.is_finite() && *figure > 0.0)
    }

    /// Returns the kernel's fraction of the CPU time of sender and receiver, from 0 to 1.
    pub(super) fn kernel(&self) -> Option<f64> {
        let sides = || self.series.kept().filter_map(|sample| sample.sides);
        let kernel: f64 = sides().map(|sides| sides.sender.kernel_ns as f64 + sides.receiver.kernel_ns as f64).sum();
        let cpu: f64 = sides().map(|sides| both_cpu_ns(&sides)).sum();
        (cpu > 0.0).then(|| (kernel / cpu).clamp(0.0, 1.0))
    }
}

fn both_cpu_ns(sides: &Sides) -> f64 {
    sides.sender.cpu_ns as f64 + sides.receiver.cpu_ns as f64
}
