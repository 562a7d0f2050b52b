//! What to pick of the level packets: who took part, in which ways and sizes, and how near the bound each comes.

use std::collections::BTreeSet;

use kasoku_model::acceleration::Acceleration;
use kasoku_model::algorithm::Algorithm;
use kasoku_model::document::{Document, Series, Unit};
use kasoku_model::library::{KASOKU, Role};
use kasoku_model::workload::Operation;

use crate::effect::Effect;
use crate::language::Messages;
use crate::selection::{Selection, SeriesKey, Task, Variant, is_drawn, sound_figure};
use crate::way::{PacketDirection, is_aes_bound, is_bound, is_bound_of, is_mixed_bound};
use kasoku_model::level::Level;
use kasoku_model::workload::packets::{PacketOperation, PacketWork};

/// The payload of a packet on the usual path, and that of a TLS record: where the published measurement looked.
const USUAL: [usize; 2] = [1440, 16_384];

/// The machine's bound: the mix of operations that GCM needs, if it was measured.
pub(crate) fn bound<'a>(
    document: &'a Document,
    algorithm: Algorithm,
    messages: &'static Messages,
) -> Option<&'a Series> {
    PacketSelection::new(document, messages)?.bound(algorithm)
}

/// The packets of a document.
pub(crate) struct PacketSelection<'a> {
    selection: Selection<'a>,
    pub(crate) document: &'a Document,
    pub(crate) messages: &'static Messages,
}

impl SeriesKey {
    /// What is done with a packet, if it is one that a library handles.
    fn way(&self) -> Option<PacketOperation> {
        match self.variant {
            Variant::Packet(way) => Some(way),
            _ => None,
        }
    }

    /// The same by whoever that is with a packet of that size.
    pub(crate) fn at(self, way: PacketOperation, bytes: usize) -> SeriesKey {
        let task = Task { operation: way.operation, ..self.task };
        SeriesKey { task, variant: Variant::Packet(way), bytes, ..self }
    }
}

impl<'a> PacketSelection<'a> {
    /// The packets of `document`; `None` if it has none.
    pub(crate) fn new(document: &'a Document, messages: &'static Messages) -> Option<Self> {
        let packets =
            PacketSelection { selection: Selection::of_level(document, Level::Packets, messages), document, messages };
        (!packets.algorithms().is_empty()).then_some(packets)
    }

    /// The algorithms, in their order.
    pub(crate) fn algorithms(&self) -> Vec<Algorithm> {
        self.distinct(|key, _| Some(key.task.algorithm))
    }

    /// The sizes of packets with `algorithm`; a size that only TLS records have is none of them.
    pub(crate) fn sizes(&self, algorithm: Algorithm) -> Vec<usize> {
        self.distinct(|key, way| {
            (key.task.algorithm == algorithm && way.work() != PacketWork::Record).then_some(key.bytes)
        })
    }

    /// At most two sizes that stand for all: those of the published measurement, or what comes nearest.
    pub(crate) fn main_sizes(&self, algorithm: Algorithm) -> Vec<usize> {
        let all = self.sizes(algorithm);
        let mut chosen = Vec::new();
        for usual in USUAL {
            let free = all.iter().filter(|bytes| !chosen.contains(*bytes));
            chosen.extend(free.min_by_key(|bytes| bytes.abs_diff(usual)).copied());
        }
        chosen.sort_unstable();
        chosen
    }

    /// Everybody who did anything in this direction, by state, in the order tables show them: keys of whole AEADs of no
    /// size.
    pub(crate) fn everybody(&self, algorithm: Algorithm, direction: PacketDirection) -> Vec<SeriesKey> {
        self.distinct(|key, way| {
            (key.task.algorithm == algorithm && direction.has(way)).then(|| key.at(PacketOperation::AEAD, 0))
        })
    }

    /// The ways in which `who` did it.
    pub(crate) fn ways(&self, who: SeriesKey, direction: PacketDirection) -> Vec<PacketOperation> {
        let of_who = self.of_who(who).map(|(way, _)| way).filter(|way| direction.has(*way));
        let mut ways: Vec<PacketOperation> = of_who.collect();
        ways.sort_by_key(|way| (way.work(), way.packets));
        ways.dedup();
        ways
    }

    /// Whether the cipher alone is a part of the AEAD: not where it is shown to take longer than all of it. A library
    /// may have slower code for it than for whole messages.
    pub(crate) fn has_comparable_cipher(&self, who: SeriesKey) -> bool {
        let series = |way, bytes| self.ranked(who.at(way, bytes));
        let is_slower = |bytes| {
            let effect = self.effect(series(PacketOperation::CIPHER, bytes), series(PacketOperation::AEAD, bytes));
            effect.is_some_and(|effect| effect.is_shown && effect.percent < 0.0)
        };
        !self.of_who(who).any(|(way, bytes)| way == PacketOperation::CIPHER && is_slower(bytes))
    }

    /// The library's name with its version, and the state if it is not `on`.
    pub(crate) fn label(&self, who: SeriesKey) -> String {
        self.with_state(self.selection.full_label(who.who), who)
    }

    /// The same with the version only where there are several of that library.
    pub(crate) fn short_label(&self, who: SeriesKey) -> String {
        self.with_state(self.selection.label(who.who), who)
    }

    /// The library's bare name.
    pub(crate) fn library(&self, who: SeriesKey) -> &str {
        &self.selection.contender(who.who).library
    }

    /// The series, with or without a figure.
    pub(crate) fn series(&self, key: SeriesKey) -> Option<&'a Series> {
        self.selection.series(key)
    }

    /// The series, if it may be drawn: verified and with a figure, whether or not the run reached its end.
    pub(crate) fn drawn(&self, key: SeriesKey) -> Option<&'a Series> {
        self.series(key).filter(|series| is_sound(series) && is_drawn(self.document, series))
    }

    /// The series, if it may also be compared.
    pub(crate) fn ranked(&self, key: SeriesKey) -> Option<&'a Series> {
        self.drawn(key).filter(|series| self.document.run.complete && series.is_ranked())
    }

    /// What a batch is held against: as many packets one by one, where that was measured, or one packet at a time.
    pub(crate) fn one_by_one(&self, who: SeriesKey, batch: usize, bytes: usize) -> Option<&'a Series> {
        let series = |way| self.ranked(who.at(way, bytes));
        series(PacketOperation::looped(batch)).or_else(|| series(PacketOperation::PACKET))
    }

    /// The TLS record of `who`, and its size; the largest, if there are several.
    pub(crate) fn record(&self, who: SeriesKey) -> Option<(usize, &'a Series)> {
        let records = self.of_who(who).filter(|(way, _)| *way == PacketOperation::RECORD);
        let sizes: BTreeSet<usize> = records.map(|(_, bytes)| bytes).collect();
        sizes.into_iter().rev().find_map(|bytes| Some((bytes, self.ranked(who.at(PacketOperation::RECORD, bytes))?)))
    }

    /// The machine's bound: the mix of operations that GCM needs, as fast as any width of registers does it.
    pub(crate) fn bound(&self, algorithm: Algorithm) -> Option<&'a Series> {
        self.fastest(algorithm, is_mixed_bound)
    }

    /// Packets the engine protects one at a time on code paths whose registers are narrower than the machine's bound:
    /// the path, the size, the bound of such registers, and the share of it that is reached, in per cent. (Other
    /// libraries do not say how wide they work for each part of a packet.)
    pub(crate) fn narrower(&self, algorithm: Algorithm) -> Vec<(&'a str, usize, &'a Series, f64)> {
        let widest = self.bound(algorithm).map(|bound| bound.library.as_str());
        let bounds = self.bounds(algorithm);
        let singly = self.selection.select(|key| {
            key.task.algorithm == algorithm
                && key.way() == Some(PacketOperation::PACKET)
                && key.state != Acceleration::On
                && USUAL.contains(&key.bytes)
                && self.selection.contender(key.who).library == KASOKU
        });
        let narrower = singly.filter_map(|(key, series)| {
            let bound = bounds.iter().copied().find(|bound| is_bound_of(bound, &series.code_path));
            let bound = bound.filter(|bound| Some(bound.library.as_str()) != widest)?;
            Some((series.code_path.as_str(), key.bytes, bound, self.share(series, Some(bound))?))
        });
        narrower.collect()
    }

    /// AES alone.
    pub(crate) fn aes_bound(&self, algorithm: Algorithm) -> Option<&'a Series> {
        self.fastest(algorithm, is_aes_bound)
    }

    /// All bounds, the fastest first.
    pub(crate) fn bounds(&self, algorithm: Algorithm) -> Vec<&'a Series> {
        let of_algorithm = self.selection.select(|key| key.task.algorithm == algorithm).map(|(_, series)| series);
        let mut bounds: Vec<&Series> = of_algorithm.filter(|one| is_bound(one) && is_sound(one)).collect();
        bounds.sort_by(|one, other| other.median.unwrap_or(0.0).total_cmp(&one.median.unwrap_or(0.0)));
        bounds
    }

    /// The share of `bound` that `series` reaches, in per cent: of the very figures that stand beside it.
    pub(crate) fn share(&self, series: &Series, bound: Option<&Series>) -> Option<f64> {
        let bound = bound.filter(|_| self.document.run.complete && is_sound(series) && series.is_ranked())?;
        let share = sound_figure(series)? / sound_figure(bound)? * 100.0;
        (share.is_finite() && share > 0.0).then_some(share)
    }

    /// How much more `first` does in a second than `second`: as much longer the second takes.
    pub(crate) fn effect(&self, first: Option<&Series>, second: Option<&Series>) -> Option<Effect> {
        Effect::of(self.selection.compare(first, second)?)
    }

    /// In which ways and sizes `who` did anything.
    fn of_who(&self, who: SeriesKey) -> impl Iterator<Item = (PacketOperation, usize)> {
        let operations = [Operation::Seal, Operation::Protect, Operation::Open, Operation::Unprotect];
        let done = operations
            .into_iter()
            .flat_map(move |operation| self.selection.done(Task { operation, ..who.task }, who.who));
        done.filter(move |(key, _)| key.state == who.state).filter_map(|(key, _)| Some((key.way()?, key.bytes)))
    }

    fn with_state(&self, name: String, SeriesKey { state, .. }: SeriesKey) -> String {
        if state == Acceleration::On { name } else { (self.messages.tables.with_state)(&name, state.name()) }
    }

    fn fastest(&self, algorithm: Algorithm, is_meant: fn(&Series) -> bool) -> Option<&'a Series> {
        self.bounds(algorithm).into_iter().find(|series| is_meant(series))
    }

    /// What differs in `part` between what libraries did with packets; bounds are none.
    fn distinct<T: Ord>(&self, part: impl Fn(&SeriesKey, PacketOperation) -> Option<T>) -> Vec<T> {
        let is_library = |key: &SeriesKey| self.selection.series(*key).is_some_and(|series| series.role != Role::Bound);
        self.selection.distinct(|key| part(key, key.way().filter(|_| is_library(key))?))
    }
}

/// Whether the series has a figure that can be drawn among throughputs.
fn is_sound(series: &Series) -> bool {
    series.unit == Unit::BytesPerSecond && sound_figure(series).is_some()
}
