//! Series of the level packets: contenders, operations, sizes, comparisons, and percentages of the CPU's upper bound.

use kasoku_model::library::{
    AES_BOUND, GCM_BOUND, GCM_BOUND_NEON, GCM_BOUND_XMM, GCM_BOUND_YMM, KASOKU, MIXED_BOUND, Role,
};
use kasoku_model::workload::Setting;
use kasoku_model::workload::packets::{PacketOperation, PacketWork};

use crate::prelude::*;
use crate::selection::{by_speed, with_state};

/// Payload sizes, in bytes, of the publication that the level packets repeats: a packet that fits the usual path MTU,
/// and a TLS record.
const PUBLISHED: [usize; 2] = [1440, 16_384];
/// Preferred packet sizes, in bytes, for the comparison with a TLS record.
const AGAINST_TLS: [usize; 2] = [1440, 9000];

pub(crate) fn bound(document: &Document, algorithm: Algorithm) -> Option<&Series> {
    PacketSelection::new(document)?.bound(algorithm)
}

pub(crate) struct PacketSelection<'a> {
    pub(super) selection: Selection<'a>,
}

/// A part of a packet's protection, or a way to call it, with a measured effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PacketPart {
    /// Header protection. The effect is the time that it adds to the AEAD.
    HeaderProtection,
    /// Nonce, AAD and tag. The effect is the time that they add to the cipher alone.
    Setup,
    /// Batches of this many packets. The effect is the gain in packets per second over single packets.
    Batch(usize),
}

/// Cycles per byte of a packet, and its time per byte relative to a TLS record.
pub(super) type TlsOverhead = (Option<f64>, Effect);

impl SeriesKey {
    pub(super) fn for_packets(self, operation: PacketOperation, bytes: usize) -> SeriesKey {
        let task = Task { operation: operation.operation, ..self.task };
        SeriesKey { task, setting: Setting::Packets(operation.packets), bytes, ..self }
    }
}

impl<'a> PacketSelection<'a> {
    pub(crate) fn new(document: &'a Document) -> Option<Self> {
        let packets = PacketSelection { selection: Selection::of_level(document, Level::Packets) };
        (!packets.algorithms().is_empty()).then_some(packets)
    }

    pub(super) fn algorithms(&self) -> Vec<Algorithm> {
        self.distinct(|key, _| Some(key.task.algorithm))
    }

    /// Returns the packet sizes with `algorithm`. Excludes sizes that only TLS records have.
    pub(super) fn sizes(&self, algorithm: Algorithm) -> Vec<usize> {
        self.distinct(|key, operation| {
            (key.task.algorithm == algorithm && operation.work() != PacketWork::Record).then_some(key.bytes)
        })
    }

    pub(super) fn main_sizes(&self, algorithm: Algorithm) -> Vec<usize> {
        let all = self.sizes(algorithm);
        let mut chosen = Vec::new();
        for published in PUBLISHED {
            let free = all.iter().filter(|bytes| !chosen.contains(*bytes));
            chosen.extend(free.min_by_key(|bytes| bytes.abs_diff(published)).copied());
        }
        chosen.sort_unstable();
        chosen
    }

    /// Returns the packet sizes to compare with a TLS record: the preferred sizes that were measured, or else all
    /// sizes.
    pub(super) fn sizes_against_tls(&self, algorithm: Algorithm) -> Vec<usize> {
        let all = self.sizes(algorithm);
        let chosen: Vec<usize> = all.iter().copied().filter(|bytes| AGAINST_TLS.contains(bytes)).collect();
        if chosen.is_empty() { all } else { chosen }
    }

    /// Returns the contenders that send or receive in each acceleration state. Each key is of the contender's AEAD with
    /// size 0. The order is that of tables.
    pub(super) fn contenders(&self, algorithm: Algorithm, is_sending: bool) -> Vec<SeriesKey> {
        self.distinct(|key, operation| {
            let is_meant = key.task.algorithm == algorithm && operation.is_sending() == is_sending;
            is_meant.then(|| key.for_packets(PacketOperation::AEAD, 0))
        })
    }

    /// Returns the senders with acceleration on, or all senders if none has acceleration on.
    pub(super) fn accelerated(&self, algorithm: Algorithm) -> Vec<SeriesKey> {
        let mut all = self.contenders(algorithm, true);
        if all.iter().any(|who| who.state == Acceleration::On) {
            all.retain(|who| who.state == Acceleration::On);
        }
        all
    }

    pub(super) fn operations(&self, who: SeriesKey, is_sending: bool) -> Vec<PacketOperation> {
        let measured = self.measured(who).map(|(operation, _)| operation);
        let mut operations: Vec<PacketOperation> = measured.filter(|one| one.is_sending() == is_sending).collect();
        operations.sort_by_key(|operation| (operation.work(), operation.packets));
        operations.dedup();
        operations
    }

    pub(super) fn batches(&self, who: SeriesKey) -> Vec<usize> {
        let operations = self.operations(who, true).into_iter();
        operations.filter(|operation| operation.is_batch()).map(|operation| operation.packets.batch).collect()
    }

    /// Whether the cipher alone is comparable with the AEAD. Returns false if the cipher alone is proven to take
    /// longer, since a library may have slower code for it.
    pub(super) fn has_comparable_cipher(&self, who: SeriesKey) -> bool {
        let is_slower = |bytes| {
            let pair =
                [PacketOperation::CIPHER, PacketOperation::AEAD].map(|one| self.ranked(who.for_packets(one, bytes)));
            self.effect(pair).is_some_and(|effect| effect.is_shown && effect.percent < 0.0)
        };
        !self.measured(who).any(|(operation, bytes)| operation == PacketOperation::CIPHER && is_slower(bytes))
    }

    pub(super) fn part_effect(&self, who: SeriesKey, part: PacketPart, bytes: usize) -> Option<Effect> {
        let ranked = |operation| self.ranked(who.for_packets(operation, bytes));
        self.effect(match part {
            PacketPart::HeaderProtection => [PacketOperation::AEAD, PacketOperation::PACKET].map(ranked),
            PacketPart::Setup if !self.has_comparable_cipher(who) => return None,
            PacketPart::Setup => [PacketOperation::CIPHER, PacketOperation::AEAD].map(ranked),
            // Compare with a loop over the same number of packets, if measured, else with one packet repeatedly.
            PacketPart::Batch(batch) => [
                ranked(PacketOperation::batch(batch)),
                ranked(PacketOperation::looped(batch)).or_else(|| ranked(PacketOperation::PACKET)),
            ],
        })
    }

    /// Returns the overhead of packets in batches of `batch` over the TLS record `record`.
    pub(super) fn over_tls(&self, who: SeriesKey, batch: usize, record: &Series, bytes: usize) -> Option<TlsOverhead> {
        let packet = self.ranked(who.for_packets(PacketOperation::batch(batch), bytes))?;
        Some((cycles(packet), self.effect([Some(record), Some(packet)])?))
    }

    /// Names the library. Adds the version if `has_version` or if several versions were measured, and the acceleration
    /// state unless it is `on`.
    pub(super) fn label(&self, who: SeriesKey, has_version: bool) -> Text {
        let name = if has_version { self.selection.full_label(who.who) } else { self.selection.label(who.who) };
        if who.state == Acceleration::On { name } else { with_state(name, who.state) }
    }

    pub(super) fn library(&self, who: SeriesKey) -> &str {
        &self.selection.contender(who.who).library
    }

    /// Returns the series with this key, if it is a throughput that may be compared.
    pub(super) fn ranked(&self, key: SeriesKey) -> Option<&'a Series> {
        self.selection.ranked(key).filter(|series| is_throughput(series))
    }

    /// Returns the largest TLS record that `who` protected, with its size.
    pub(super) fn record(&self, who: SeriesKey) -> Option<(usize, &'a Series)> {
        let ranked = |bytes| Some((bytes, self.ranked(who.for_packets(PacketOperation::RECORD, bytes))?));
        let records = self.measured(who).filter(|(operation, _)| *operation == PacketOperation::RECORD);
        records.filter_map(|(_, bytes)| ranked(bytes)).max_by_key(|(bytes, _)| *bytes)
    }

    /// Returns the CPU's upper bound for all operations of GCM, in the fastest register width.
    pub(super) fn bound(&self, algorithm: Algorithm) -> Option<&'a Series> {
        self.bounds(algorithm).into_iter().find(|series| is_mixed_bound(series))
    }

    pub(super) fn aes_bound(&self, algorithm: Algorithm) -> Option<&'a Series> {
        self.bounds(algorithm).into_iter().find(|series| is_aes_bound(series))
    }

    /// Returns the CPU's upper bounds for `algorithm`, fastest first.
    pub(super) fn bounds(&self, algorithm: Algorithm) -> Vec<&'a Series> {
        let of_algorithm = self.selection.select(|key| key.task.algorithm == algorithm).map(|(_, series)| series);
        let is_bound = |one: &&Series| one.role == Role::Bound && is_throughput(one) && sound_figure(one).is_some();
        let mut bounds: Vec<&Series> = of_algorithm.filter(is_bound).collect();
        bounds.sort_by(|one, other| by_speed(one, other));
        bounds
    }

    /// Returns Kasoku's figures for single packets on code paths with narrower registers than the CPU's fastest upper
    /// bound uses. Each figure has the code path, packet size, upper bound for that register width, and percentage of
    /// this upper bound. Other libraries do not report the register width for each part of a packet.
    pub(super) fn narrower(&self, algorithm: Algorithm) -> Vec<(&'a str, usize, &'a Series, f64)> {
        let widest = self.bound(algorithm).map(|bound| bound.library.as_str());
        let bounds = self.bounds(algorithm);
        let singly = self.selection.select(|key| {
            key.task.algorithm == algorithm
                && key.packet_operation() == Some(PacketOperation::PACKET)
                && key.state != Acceleration::On
                && PUBLISHED.contains(&key.bytes)
                && self.library(*key) == KASOKU
        });
        let narrower = singly.filter_map(|(key, series)| {
            let bound = bounds.iter().copied().find(|bound| is_bound_of(bound, &series.code_path));
            let bound = bound.filter(|bound| Some(bound.library.as_str()) != widest)?;
            Some((series.code_path.as_str(), key.bytes, bound, self.share(series, Some(bound))?))
        });
        narrower.collect()
    }

    /// Returns the percentage of `bound` that `series` reaches.
    pub(super) fn share(&self, series: &Series, bound: Option<&Series>) -> Option<f64> {
        let is_meant = self.selection.document.run.complete && is_throughput(series) && series.is_ranked();
        let bound = bound.filter(|_| is_meant)?;
        let share = sound_figure(series)? / sound_figure(bound)? * 100.0;
        (share.is_finite() && share > 0.0).then_some(share)
    }

    pub(super) fn effect(&self, [first, second]: [Option<&Series>; 2]) -> Option<Effect> {
        Effect::from_comparison(self.selection.compare(first, second)?)
    }

    fn measured(&self, who: SeriesKey) -> impl Iterator<Item = (PacketOperation, usize)> {
        let operations = [Operation::Seal, Operation::Protect, Operation::Open, Operation::Unprotect];
        let done = operations
            .into_iter()
            .flat_map(move |operation| self.selection.done(Task { operation, ..who.task }, who.who));
        done.filter(move |(key, _)| key.state == who.state)
            .filter_map(|(key, _)| Some((key.packet_operation()?, key.bytes)))
    }

    /// Returns the distinct values of `part` over the packet series of libraries. Ignores the CPU's upper bounds.
    fn distinct<T: Ord>(&self, part: impl Fn(&SeriesKey, PacketOperation) -> Option<T>) -> Vec<T> {
        let is_library = |key: &SeriesKey| self.selection.series(*key).is_some_and(|series| series.role != Role::Bound);
        self.selection.distinct(|key| part(key, key.packet_operation().filter(|_| is_library(key))?))
    }
}

/// Returns the cycles per byte, if the run counted cycles.
pub(super) fn cycles(series: &Series) -> Option<f64> {
    series.cycles_per_byte.filter(|cycles| cycles.is_finite() && *cycles > 0.0)
}

pub(super) fn is_throughput(series: &Series) -> bool {
    series.unit == Unit::BytesPerSecond
}

pub(super) fn is_aes_bound(bound: &Series) -> bool {
    bound.library.starts_with(AES_BOUND)
}

/// Whether `bound` is the CPU's upper bound for all operations of GCM, in any register width. In documents of older
/// versions of Kasoku, the bound for interleaved AES rounds and carry-less products takes its place.
pub(super) fn is_mixed_bound(bound: &Series) -> bool {
    [GCM_BOUND, MIXED_BOUND].iter().any(|name| bound.library.starts_with(name))
}

/// Whether `bound` is the CPU's upper bound for all operations of GCM in registers as wide as those of `code_path`.
fn is_bound_of(bound: &Series, code_path: &str) -> bool {
    // A path names all its instructions: `aesni+clmul`.
    let name = match code_path.split('+').next().unwrap_or_default() {
        "vaes512" => GCM_BOUND,
        "vaes256" => GCM_BOUND_YMM,
        "aesni" => GCM_BOUND_XMM,
        "armv8-aes" => GCM_BOUND_NEON,
        _ => return false,
    };
    bound.library == name
}
