//! The transfers of a document in the order of tables, and how their costs compare within rounds.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::algorithm::Algorithm;
use crate::document::{Document, Sample, Series, Sides};
use crate::measure::statistics::{self, Nested};
use crate::report::packets::PACKETS;
use crate::report::packets::finding::Effect;
use crate::report::selection::{is_drawn, sound_figure};
use crate::stack::{STACKS, aws_lc, kasoku};
use crate::workload::Transfer;
use crate::workload::transfer::{Protection, Transport};

/// What is held against: what rustls has by default.
pub(super) const USUAL: &str = aws_lc::ENTRY.name;

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
pub struct Who {
    /// The stack.
    pub stack: String,
    /// How it protects.
    pub protection: Protection,
}

/// Of which side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Of {
    Sender,
    Receiver,
    Both,
}

/// All transfers that may be relied on.
pub(super) struct Rows<'a> {
    pub(super) all: Vec<Row<'a>>,
    document: &'a Document,
}

/// One of them.
#[derive(Clone)]
pub(super) struct Row<'a> {
    pub(super) what: What,
    pub(super) who: Who,
    pub(super) series: &'a Series,
    /// Bytes a second.
    pub(super) rate: f64,
}

impl<'a> Rows<'a> {
    /// Those of `document`.
    pub(super) fn new(document: &'a Document) -> Self {
        let row = |series: &'a Series| {
            let Transfer { transport, protection } = series.transfer()?;
            let what = What { algorithm: series.algorithm, transport, bytes: series.bytes };
            let who = Who { stack: series.stack.clone(), protection };
            Some(Row { what, who, series, rate: sound_figure(series)? })
        };
        let is_one = |series: &&Series| series.level == PACKETS && is_drawn(document, series);
        let mut all: Vec<Row<'a>> = document.series.iter().filter(is_one).filter_map(row).collect();
        let place = |row: &Row<'_>| STACKS.iter().position(|entry| entry.name == row.who.stack).unwrap_or(STACKS.len());
        all.sort_by_key(|row| (row.what, row.who.stack != USUAL, place(row), row.who.clone()));
        all.dedup_by(|one, other| (one.what, &one.who) == (other.what, &other.who));
        Rows { all, document }
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
    pub(super) fn find(&self, what: What, stack: &str, protection: Protection) -> Option<&Row<'a>> {
        self.all.iter().find(|row| row.what == what && row.who.stack == stack && row.who.protection == protection)
    }

    /// Ours, by the better way if there are two.
    pub(super) fn ours(&self, what: What) -> Option<&Row<'a>> {
        let by = |protection| self.find(what, kasoku::ENTRY.name, protection);
        by(Protection::OnePass).or_else(|| by(Protection::Provider))
    }

    /// How much more CPU time `first` takes for a byte than `second`, within the rounds they share.
    pub(super) fn cost(&self, first: &Row<'_>, second: &Row<'_>, of: Of) -> Option<Effect> {
        self.effect(first, second, |row, sample| row.cost_of(sample, of))
    }

    /// How much more of it arrives in the same time.
    pub(super) fn goodput(&self, first: &Row<'_>, second: &Row<'_>) -> Option<Effect> {
        self.effect(first, second, |row, sample| Some(row.series.figure(sample)))
    }

    fn effect(
        &self,
        first: &Row<'_>,
        second: &Row<'_>,
        figure: impl Fn(&Row<'_>, &Sample) -> Option<f64>,
    ) -> Option<Effect> {
        if !self.document.run.complete {
            return None;
        }
        let sound = |row: &Row<'_>, sample: &Sample| figure(row, sample).filter(|it| it.is_finite() && *it > 0.0);
        let theirs: BTreeMap<(u32, u32), f64> = second
            .series
            .kept()
            .filter_map(|sample| Some(((sample.process, sample.round), sound(second, sample)?)))
            .collect();
        let ratios = first.series.kept().filter_map(|sample| {
            let other = theirs.get(&(sample.process, sample.round))?;
            Some((sample.process, (sound(first, sample)? / other).ln()))
        });
        let nested = Nested::of(ratios);
        let percent = |log: f64| 100.0 * log.exp_m1();
        let [low, high] = nested.interval()?;
        let floor = self.document.run.method.floor(first.what.algorithm).ln_1p();
        let effect = Effect {
            percent: percent(nested.median()?),
            ci95: [percent(low), percent(high)],
            is_shown: low > floor || high < -floor,
        };
        [effect.percent, effect.ci95[0], effect.ci95[1]].iter().all(|it| it.is_finite()).then_some(effect)
    }
}

impl Row<'_> {
    /// CPU seconds for 10⁹ bytes, as the median over the rounds; where these are not told, what the document says.
    pub(super) fn seconds(&self, of: Of) -> Option<f64> {
        let mut rounds: Vec<f64> = self.series.kept().filter_map(|sample| self.cost_of(sample, of)).collect();
        let told = || match of {
            Of::Sender => self.number("sender_cpu_s_per_gb"),
            Of::Receiver => self.number("receiver_cpu_s_per_gb"),
            Of::Both => Some(self.number("sender_cpu_s_per_gb")? + self.number("receiver_cpu_s_per_gb")?),
        };
        statistics::median(&mut rounds).or_else(told).filter(|seconds| seconds.is_finite() && *seconds > 0.0)
    }

    /// The kernel's share of the CPU time of both sides, from 0 to 1.
    pub(super) fn kernel(&self) -> Option<f64> {
        let sides = || self.series.kept().filter_map(|sample| sample.sides);
        let kernel: f64 = sides().map(|sides| sides.sender.kernel_ns as f64 + sides.receiver.kernel_ns as f64).sum();
        let cpu: f64 = sides().map(|sides| cpu_ns(&sides, Of::Both)).sum();
        (cpu > 0.0).then(|| (kernel / cpu).clamp(0.0, 1.0))
    }

    /// A figure of its own.
    pub(super) fn number(&self, name: &str) -> Option<f64> {
        self.series.parameters.get(name).and_then(Value::as_f64).filter(|value| value.is_finite())
    }

    fn cost_of(&self, sample: &Sample, of: Of) -> Option<f64> {
        let bytes = sample.iterations as f64 * self.series.bytes as f64;
        let seconds = cpu_ns(sample.sides.as_ref()?, of) / bytes;
        (seconds.is_finite() && seconds > 0.0).then_some(seconds)
    }
}

fn cpu_ns(sides: &Sides, of: Of) -> f64 {
    let (sender, receiver) = (sides.sender.cpu_ns as f64, sides.receiver.cpu_ns as f64);
    match of {
        Of::Sender => sender,
        Of::Receiver => receiver,
        Of::Both => sender + receiver,
    }
}
