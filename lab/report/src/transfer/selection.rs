//! The transfers of a document in the order of tables, and how their costs compare within rounds.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::language::Messages;
use crate::level::PACKETS;
use crate::packets::Effect;
use crate::selection::{is_drawn, sound_figure};
use kasoku_model::algorithm::Algorithm;
use kasoku_model::document::{Document, Sample, Series, Sides};
use kasoku_model::library::{self, AWS_LC, KASOKU};
use kasoku_model::statistics::{self, Nested};
use kasoku_model::workload::Transfer;
use kasoku_model::workload::transfer::{Protection, Transport};

/// What is held against: what rustls has by default.
pub(super) const USUAL: &str = AWS_LC;

/// What was moved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct What {
    /// With which cipher.
    pub algorithm: Algorithm,
    /// Over what.
    pub transport: Transport,
    /// Bytes of a UDP payload, or of a record's text.
    pub bytes: usize,
}

/// By whom.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct TransferContender {
    /// The library.
    pub library: String,
    /// How it protects.
    pub protection: Protection,
}

impl What {
    /// In a few words.
    pub(super) fn name(self, messages: &Messages) -> String {
        (messages.transfer.what)(self.transport, self.bytes)
    }
}

impl TransferContender {
    /// In a few words.
    pub(super) fn name(&self, messages: &Messages) -> String {
        (messages.transfer.who)(&self.library, self.protection)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TransferSide {
    Sender,
    Receiver,
    Both,
}

/// The place of the goodput among what is compared; CPU time has those of [`TransferSide`].
const GOODPUT: usize = 3;

/// All transfers that may be relied on.
pub(super) struct TransferSelection<'a> {
    pub(super) all: Vec<TransferSeries<'a>>,
    /// Those that were measured once more, which stand in no table as themselves.
    controls: Vec<TransferSeries<'a>>,
    document: &'a Document,
    /// The noise floors of what is compared, once they were asked for.
    floors: [OnceCell<Option<f64>>; 4],
}

#[derive(Clone)]
pub(super) struct TransferSeries<'a> {
    pub(super) what: What,
    pub(super) who: TransferContender,
    pub(super) series: &'a Series,
    /// Bytes a second.
    pub(super) rate: f64,
}

/// The rows of `what` among `rows`, which are in the order of what was moved.
fn of<'r, 'a>(rows: &'r [TransferSeries<'a>], what: What) -> impl Iterator<Item = &'r TransferSeries<'a>> {
    let from = rows.partition_point(|row| row.what < what);
    rows[from..].iter().take_while(move |row| row.what == what)
}

impl<'a> TransferSelection<'a> {
    /// Those of `document`.
    pub(super) fn new(document: &'a Document) -> Self {
        let row = |series: &'a Series| {
            let Transfer { transport, protection } = series.transfer()?;
            let what = What { algorithm: series.algorithm, transport, bytes: series.bytes };
            let who = TransferContender { library: series.library.clone(), protection };
            Some(TransferSeries { what, who, series, rate: sound_figure(series)? })
        };
        let is_good =
            |series: &Series| if series.is_control() { series.is_verified() } else { is_drawn(document, series) };
        let is_one = |series: &&Series| series.level == PACKETS && is_good(series);
        let of_level = document.series.iter().filter(is_one);
        let (controls, all): (Vec<&Series>, Vec<&Series>) = of_level.partition(|series| series.is_control());
        let mut controls: Vec<TransferSeries<'a>> = controls.into_iter().filter_map(row).collect();
        controls.sort_by_key(|row| row.what);
        let mut all: Vec<TransferSeries<'a>> = all.into_iter().filter_map(row).collect();
        let place = |row: &TransferSeries<'_>| library::place(&row.who.library);
        all.sort_by_key(|row| (row.what, row.who.library != USUAL, place(row), row.who.clone()));
        all.dedup_by(|one, other| (one.what, &one.who) == (other.what, &other.who));
        TransferSelection { all, controls, document, floors: Default::default() }
    }

    /// What was moved, in the order of tables.
    pub(super) fn whats(&self) -> BTreeSet<What> {
        self.all.iter().map(|row| row.what).collect()
    }

    /// The ciphers.
    pub(super) fn algorithms(&self) -> BTreeSet<Algorithm> {
        self.all.iter().map(|row| row.what.algorithm).collect()
    }

    /// The row of somebody who moved something.
    pub(super) fn find(&self, what: What, library: &str, protection: Protection) -> Option<&TransferSeries<'a>> {
        of(&self.all, what).find(|row| row.who.library == library && row.who.protection == protection)
    }

    /// Ours, by the better way if there are two.
    pub(super) fn ours(&self, what: What) -> Option<&TransferSeries<'a>> {
        let by = |protection| self.find(what, KASOKU, protection);
        by(Protection::OnePass).or_else(|| by(Protection::Provider))
    }

    /// The same measured once more.
    pub(super) fn control(&self, row: &TransferSeries<'_>) -> Option<&TransferSeries<'a>> {
        of(&self.controls, row.what).find(|control| control.who == row.who)
    }

    /// How much more CPU time `first` takes for a byte than `second`, within the rounds they share.
    pub(super) fn cost(
        &self,
        first: &TransferSeries<'_>,
        second: &TransferSeries<'_>,
        of: TransferSide,
    ) -> Option<Effect> {
        self.effect(first, second, cost_of(of), of as usize)
    }

    /// How much more of it arrives in the same time.
    pub(super) fn goodput(&self, first: &TransferSeries<'_>, second: &TransferSeries<'_>) -> Option<Effect> {
        self.effect(first, second, goodput_of, GOODPUT)
    }

    /// By how much one and the same cryptography differs from itself, in both sides' CPU time and in goodput, and which
    /// that is; `None` if nothing was measured twice.
    pub(super) fn floors(&self) -> Option<(&TransferContender, [f64; 2])> {
        let who = &self.controls.first()?.who;
        Some((
            who,
            [self.floor(cost_of(TransferSide::Both), TransferSide::Both as usize)?, self.floor(goodput_of, GOODPUT)?],
        ))
    }

    /// During how many transfers something else had a core, and of how many.
    pub(super) fn disturbed(&self) -> (usize, usize) {
        let sides =
            || self.all.iter().chain(&self.controls).flat_map(|row| row.series.kept()).filter_map(|it| it.sides);
        (sides().filter(|sides| sides.disturbed).count(), sides().count())
    }

    fn effect(
        &self,
        first: &TransferSeries<'_>,
        second: &TransferSeries<'_>,
        figure: impl Figure,
        place: usize,
    ) -> Option<Effect> {
        if !self.document.run.complete {
            return None;
        }
        let nested = ratios(first, second, figure);
        let percent = |log: f64| 100.0 * log.exp_m1();
        let [low, high] = nested.interval()?;
        let floor =
            self.floor(figure, place).unwrap_or_else(|| self.document.run.method.floor(first.what.algorithm)).ln_1p();
        let effect = Effect {
            percent: percent(nested.median()?),
            ci95: [percent(low), percent(high)],
            is_shown: low > floor || high < -floor,
        };
        [effect.percent, effect.ci95[0], effect.ci95[1]].iter().all(|it| it.is_finite()).then_some(effect)
    }

    /// What those that were measured twice show against themselves.
    fn floor(&self, figure: impl Figure, place: usize) -> Option<f64> {
        let against_itself = |control: &TransferSeries<'_>| {
            let original = self.find(control.what, &control.who.library, control.who.protection)?;
            Some(ratios(control, original, figure))
        };
        let floor =
            || statistics::self_difference(&self.controls.iter().filter_map(against_itself).collect::<Vec<_>>());
        *self.floors[place].get_or_init(floor)
    }
}

/// Something that a row's sample shows.
trait Figure: Fn(&TransferSeries<'_>, &Sample) -> Option<f64> + Copy {}

impl<F: Fn(&TransferSeries<'_>, &Sample) -> Option<f64> + Copy> Figure for F {}

fn cost_of(of: TransferSide) -> impl Figure {
    move |row: &TransferSeries<'_>, sample: &Sample| row.cost_of(sample, of)
}

fn goodput_of(row: &TransferSeries<'_>, sample: &Sample) -> Option<f64> {
    Some(row.series.figure(sample)).filter(|it| it.is_finite() && *it > 0.0)
}

/// The logarithms of `first`'s figure over `second`'s, within the rounds in which both have one.
fn ratios(first: &TransferSeries<'_>, second: &TransferSeries<'_>, figure: impl Figure) -> Nested {
    let kept = second.series.kept();
    let theirs: BTreeMap<(u32, u32), f64> =
        kept.filter_map(|sample| Some(((sample.process, sample.round), figure(second, sample)?))).collect();
    Nested::of(first.series.kept().filter_map(|sample| {
        let other = theirs.get(&(sample.process, sample.round))?;
        Some((sample.process, (figure(first, sample)? / other).ln()))
    }))
}

impl TransferSeries<'_> {
    /// CPU seconds for 10⁹ bytes, as the median over the rounds; where these are not told, what the document says.
    pub(super) fn seconds(&self, of: TransferSide) -> Option<f64> {
        let mut rounds: Vec<f64> = self.series.kept().filter_map(|sample| self.cost_of(sample, of)).collect();
        let told = || match of {
            TransferSide::Sender => self.number("sender_cpu_s_per_gb"),
            TransferSide::Receiver => self.number("receiver_cpu_s_per_gb"),
            TransferSide::Both => Some(self.number("sender_cpu_s_per_gb")? + self.number("receiver_cpu_s_per_gb")?),
        };
        statistics::median(&mut rounds).or_else(told).filter(|seconds| seconds.is_finite() && *seconds > 0.0)
    }

    /// The kernel's share of the CPU time of both sides, from 0 to 1.
    pub(super) fn kernel(&self) -> Option<f64> {
        let sides = || self.series.kept().filter_map(|sample| sample.sides);
        let kernel: f64 = sides().map(|sides| sides.sender.kernel_ns as f64 + sides.receiver.kernel_ns as f64).sum();
        let cpu: f64 = sides().map(|sides| cpu_ns(&sides, TransferSide::Both)).sum();
        (cpu > 0.0).then(|| (kernel / cpu).clamp(0.0, 1.0))
    }

    /// A figure of its own.
    pub(super) fn number(&self, name: &str) -> Option<f64> {
        self.series.parameters.get(name).and_then(Value::as_f64).filter(|value| value.is_finite())
    }

    fn cost_of(&self, sample: &Sample, of: TransferSide) -> Option<f64> {
        let bytes = sample.iterations as f64 * self.series.bytes as f64;
        let seconds = cpu_ns(sample.sides.as_ref()?, of) / bytes;
        (seconds.is_finite() && seconds > 0.0).then_some(seconds)
    }
}

fn cpu_ns(sides: &Sides, of: TransferSide) -> f64 {
    let (sender, receiver) = (sides.sender.cpu_ns as f64, sides.receiver.cpu_ns as f64);
    match of {
        TransferSide::Sender => sender,
        TransferSide::Receiver => receiver,
        TransferSide::Both => sender + receiver,
    }
}
