//! The transfers of a document in the order of tables, and how their costs compare within rounds.

use std::collections::BTreeSet;

use kasoku_model::algorithm::Algorithm;
use kasoku_model::document::{Document, Sample, Series, Sides, TransferDetails};
use kasoku_model::level::Level;
use kasoku_model::library::{self, AWS_LC, KASOKU};
use kasoku_model::statistics::{self, Nested};
use kasoku_model::workload::Transfer;
use kasoku_model::workload::transfer::{Protection, Transport};

use crate::effect::Effect;
use crate::quantity::size;
use crate::selection::{Selection, SeriesKey, Variant, is_drawn, sound_figure};
use crate::text::{Text, say};

/// The library that others are compared with: rustls uses it by default.
pub(super) const BASELINE: &str = AWS_LC;
/// Maximum number of columns of a library's name.
pub(super) const NAME: usize = 24;

/// Kind of transferred data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct TransferTask {
    /// The cipher.
    pub(super) algorithm: Algorithm,
    pub(super) transport: Transport,
    /// Bytes of a UDP payload, or of a record's text.
    pub(super) bytes: usize,
}

/// By whom packets or records are protected.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct TransferContender {
    pub(super) library: String,
    pub(super) protection: Protection,
}

impl TransferTask {
    /// Returns the name in a few words.
    pub(super) fn name(self) -> Text {
        say!("transfer-task", transport = self.transport.name(), size = size(self.bytes))
    }
}

impl TransferContender {
    /// Returns the name in a few words.
    pub(super) fn name(&self) -> Text {
        let library = Text::name(&self.library, NAME);
        match self.protection {
            Protection::Provider => library,
            Protection::OnePass => say!("transfer-one-pass", library = library),
        }
    }
}

/// A process, or the sum of both.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TransferSide {
    Sender,
    Receiver,
    Both,
}

/// The figure of two transfers that is compared.
#[derive(Clone, Copy)]
enum Compared {
    /// The CPU time that a byte takes.
    Cost(TransferSide),
    /// How much arrives in the same time.
    Goodput,
}

/// All transfers that may be relied on.
pub(super) struct TransferSelection<'a> {
    pub(super) all: Vec<TransferSeries<'a>>,
    /// Those that were measured once more, by key; they stand in no table as themselves.
    controls: Vec<TransferSeries<'a>>,
    document: &'a Document,
    /// Noise floors from control series, which repeat another series: for the CPU time of each [`TransferSide`] and for
    /// goodput.
    cost_floors: [Option<f64>; 3],
    goodput_floor: Option<f64>,
}

/// A transfer.
pub(super) struct TransferSeries<'a> {
    key: SeriesKey,
    pub(super) task: TransferTask,
    pub(super) who: TransferContender,
    pub(super) series: &'a Series,
    pub(super) details: &'a TransferDetails,
    /// Bytes a second.
    pub(super) rate: f64,
}

impl<'a> TransferSelection<'a> {
    /// The transfers of `document`.
    pub(super) fn new(document: &'a Document) -> Self {
        let selection = Selection::of_level(document, Level::Packets);
        let row = |(key, series): (SeriesKey, &'a Series)| {
            let Variant::Transfer(Transfer { transport, protection }) = key.variant else { return None };
            let task = TransferTask { algorithm: key.task.algorithm, transport, bytes: key.bytes };
            let who = TransferContender { library: series.library.clone(), protection };
            Some(TransferSeries { key, task, who, series, details: series.transfer()?, rate: sound_figure(series)? })
        };
        let drawn = selection.select(|_| true).filter(|(_, series)| is_drawn(document, series));
        let mut all: Vec<TransferSeries<'a>> = drawn.filter_map(row).collect();
        let place = |row: &TransferSeries<'_>| library::place(&row.who.library);
        all.sort_by_key(|row| (row.task, row.who.library != BASELINE, place(row), row.who.clone()));
        all.dedup_by(|one, other| (one.task, &one.who) == (other.task, &other.who));
        let controls = selection.controls().filter(|(_, series)| series.is_verified()).filter_map(row).collect();
        let mut selection = TransferSelection { all, controls, document, cost_floors: [None; 3], goodput_floor: None };
        let sides = [TransferSide::Sender, TransferSide::Receiver, TransferSide::Both];
        selection.cost_floors = sides.map(|of| selection.floor(Compared::Cost(of)));
        selection.goodput_floor = selection.floor(Compared::Goodput);
        selection
    }

    /// What was moved, in the order of tables.
    pub(super) fn tasks(&self) -> BTreeSet<TransferTask> {
        self.all.iter().map(|row| row.task).collect()
    }

    /// The ciphers.
    pub(super) fn algorithms(&self) -> BTreeSet<Algorithm> {
        self.all.iter().map(|row| row.task.algorithm).collect()
    }

    /// The transfer of `task` with that cryptography.
    pub(super) fn find(
        &self,
        task: TransferTask,
        library: &str,
        protection: Protection,
    ) -> Option<&TransferSeries<'a>> {
        let from = self.all.partition_point(|row| row.task < task);
        let mut of_task = self.all[from..].iter().take_while(|row| row.task == task);
        of_task.find(|row| row.who.library == library && row.who.protection == protection)
    }

    /// The transfer of `task` with Kasoku, in one pass if that was measured.
    pub(super) fn kasoku(&self, task: TransferTask) -> Option<&TransferSeries<'a>> {
        let by = |protection| self.find(task, KASOKU, protection);
        by(Protection::OnePass).or_else(|| by(Protection::Provider))
    }

    /// The control of `row`: the same transfer measured once more.
    pub(super) fn control(&self, row: &TransferSeries<'_>) -> Option<&TransferSeries<'a>> {
        let first = self.controls.partition_point(|control| control.key < row.key);
        self.controls.get(first).filter(|control| control.key == row.key)
    }

    /// How much more CPU time `first` takes for a byte than `second`, within the rounds they share.
    pub(super) fn cost(
        &self,
        first: &TransferSeries<'_>,
        second: &TransferSeries<'_>,
        of: TransferSide,
    ) -> Option<Effect> {
        self.effect(first, second, Compared::Cost(of), self.cost_floors[of as usize])
    }

    /// Returns the goodput of `first` relative to `second`.
    pub(super) fn goodput(&self, first: &TransferSeries<'_>, second: &TransferSeries<'_>) -> Option<Effect> {
        self.effect(first, second, Compared::Goodput, self.goodput_floor)
    }

    /// The cryptography that was measured twice, and by how much it differs from itself in both sides' CPU time and in
    /// goodput; `None` if nothing was measured twice.
    pub(super) fn floors(&self) -> Option<(&TransferContender, [f64; 2])> {
        let cost = self.cost_floors[TransferSide::Both as usize]?;
        Some((&self.controls.first()?.who, [cost, self.goodput_floor?]))
    }

    /// Number of transfers during which something else had a core, and number of all.
    pub(super) fn disturbed(&self) -> (usize, usize) {
        let sides =
            || self.all.iter().chain(&self.controls).flat_map(|row| row.series.kept()).filter_map(|it| it.sides);
        (sides().filter(|sides| sides.disturbed).count(), sides().count())
    }

    fn effect(
        &self,
        first: &TransferSeries<'_>,
        second: &TransferSeries<'_>,
        compared: Compared,
        floor: Option<f64>,
    ) -> Option<Effect> {
        let run = &self.document.run;
        let floor = floor.unwrap_or_else(|| run.method.floor(first.task.algorithm));
        run.complete.then(|| Effect::from_log_ratios(&compared.log_ratios(first, second), floor))?
    }

    /// By how much the transfers that were measured twice differ from themselves.
    fn floor(&self, compared: Compared) -> Option<f64> {
        let against_itself = |control: &TransferSeries<'_>| {
            let original = self.find(control.task, &control.who.library, control.who.protection)?;
            Some(compared.log_ratios(control, original))
        };
        statistics::self_difference(&self.controls.iter().filter_map(against_itself).collect::<Vec<_>>())
    }
}

impl Compared {
    /// The logarithms of `first`'s figure over `second`'s, within the rounds in which both have one.
    fn log_ratios(self, first: &TransferSeries<'_>, second: &TransferSeries<'_>) -> Nested {
        let figure = |series: &Series, sample: &Sample| match self {
            Compared::Cost(side) => cost(series, sample, side),
            Compared::Goodput => Some(series.figure(sample)).filter(|it| it.is_finite() && *it > 0.0),
        };
        statistics::log_ratios_by(first.series, second.series, figure)
    }
}

impl TransferSeries<'_> {
    /// CPU seconds for 10⁹ bytes: the median over the rounds, or the document's own figure without samples of both.
    pub(super) fn seconds(&self, of: TransferSide) -> Option<f64> {
        let mut rounds: Vec<f64> = self.series.kept().filter_map(|sample| cost(self.series, sample, of)).collect();
        let (sender, receiver) = (self.details.sender_cpu_s_per_gb, self.details.receiver_cpu_s_per_gb);
        let stated = || match of {
            TransferSide::Sender => sender,
            TransferSide::Receiver => receiver,
            TransferSide::Both => Some(sender? + receiver?),
        };
        statistics::median(&mut rounds).or_else(stated).filter(|seconds| seconds.is_finite() && *seconds > 0.0)
    }

    /// The kernel's share of the CPU time of both sides, from 0 to 1.
    pub(super) fn kernel(&self) -> Option<f64> {
        let sides = || self.series.kept().filter_map(|sample| sample.sides);
        let kernel: f64 = sides().map(|sides| sides.sender.kernel_ns as f64 + sides.receiver.kernel_ns as f64).sum();
        let cpu: f64 = sides().map(|sides| cpu_ns(&sides, TransferSide::Both)).sum();
        (cpu > 0.0).then(|| (kernel / cpu).clamp(0.0, 1.0))
    }
}

/// CPU seconds for 10⁹ bytes.
fn cost(series: &Series, sample: &Sample, of: TransferSide) -> Option<f64> {
    series.seconds_a_gigabyte(sample, cpu_ns(sample.sides.as_ref()?, of))
}

fn cpu_ns(sides: &Sides, of: TransferSide) -> f64 {
    let (sender, receiver) = (sides.sender.cpu_ns as f64, sides.receiver.cpu_ns as f64);
    match of {
        TransferSide::Sender => sender,
        TransferSide::Receiver => receiver,
        TransferSide::Both => sender + receiver,
    }
}
