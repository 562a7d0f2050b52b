//! What a run shows about packets: claims with their numbers, from which the sentences are made.

use crate::language::Messages;
use kasoku_model::acceleration::Acceleration;
use kasoku_model::algorithm::Algorithm;
use kasoku_model::document::Document;
use kasoku_model::library::{KASOKU, OPENSSL};

use super::selection::PacketSelection;
use crate::selection::SeriesKey;
use crate::way::PacketDirection;
use kasoku_model::workload::PacketOperation;

pub use crate::effect::Effect;

/// The libraries that sentences are about, if they took part; the tables have all.
const TOLD: [&str; 2] = [KASOKU, OPENSSL];
/// No more than this many contenders are told about: several builds of one library may take part.
const MAX_TOLD: usize = 4;
/// The sizes that are held against a TLS record, where they were measured.
const AGAINST_TLS: [usize; 2] = [1440, 9000];

/// Something a run shows about packets.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)] // fields are called what they are
pub enum PacketFinding {
    /// How fast packets of one size are sent.
    Speed { algorithm: Algorithm, bytes: usize, speeds: Vec<Speed> },
    /// By how much the fastest library is ahead of the next, one packet at a time.
    Lead {
        algorithm: Algorithm,
        library: String,
        next: String,
        /// How many more packets go in the same time, by size.
        effects: Vec<(usize, Effect)>,
    },
    /// What something beside the cipher costs.
    Cost {
        what: Cost,
        algorithm: Algorithm,
        library: String,
        /// The time it adds, by size.
        effects: Vec<(usize, Effect)>,
    },
    /// What handing over several packets at once brings.
    Batches {
        batch: usize,
        algorithm: Algorithm,
        library: String,
        /// How many more packets go in the same time, by size.
        effects: Vec<(usize, Effect)>,
    },
    /// What a byte in a packet costs beyond one in a TLS record.
    OverTls {
        algorithm: Algorithm,
        library: String,
        /// How many packets are handed over at once.
        batch: usize,
        record: TlsRecord,
        /// The overhead by size, with the cycles a byte of the packet takes.
        effects: Vec<(usize, Effect, Option<f64>)>,
    },
    /// What these overheads are not. Said once, wherever one is claimed.
    CipherOnly,
}

/// How fast packets are sent.
#[derive(Clone, Debug, PartialEq)]
pub struct Speed {
    /// The library.
    pub library: String,
    /// How many packets are handed over at once.
    pub batch: usize,
    /// Payload bytes a second.
    pub rate: f64,
    /// The share of the machine's bound, in per cent.
    pub share: Option<f64>,
}

/// What costs time beside the cipher.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cost {
    /// Header protection, over the AEAD.
    HeaderProtection,
    /// Set-up, AAD and tag, over the cipher alone.
    Setup,
}

/// A TLS record.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TlsRecord {
    /// Its size.
    pub bytes: usize,
    /// The cycles a byte takes.
    pub cycles: Option<f64>,
}

impl PacketFinding {
    /// Whether it stands for the others where there is no room for all.
    pub(crate) fn leads(&self) -> bool {
        matches!(self, PacketFinding::Speed { .. } | PacketFinding::Lead { .. })
    }
}

/// What `document` shows about packets; nothing if it did not reach its end.
pub(crate) fn findings(document: &Document, messages: &'static Messages) -> Vec<PacketFinding> {
    let Some(packets) = PacketSelection::new(document, messages).filter(|_| document.run.complete) else {
        return Vec::new();
    };
    // One key length tells the story: the first that was measured.
    let Some(algorithm) = packets.algorithms().into_iter().find(|algorithm| !packets.sizes(*algorithm).is_empty())
    else {
        return Vec::new();
    };
    let case = AlgorithmFindings { packets: &packets, algorithm };
    let told = case.told();
    let mut findings: Vec<PacketFinding> = [case.speed(&told), case.lead()].into_iter().flatten().collect();
    for what in [Cost::HeaderProtection, Cost::Setup] {
        findings.extend(told.iter().filter_map(|who| case.cost(what, *who)));
    }
    findings.extend(told.iter().filter_map(|who| case.batches(*who)));
    let over_tls: Vec<PacketFinding> = told.iter().flat_map(|who| case.over_tls(*who)).collect();
    let is_any = !over_tls.is_empty();
    findings.extend(over_tls);
    findings.extend(is_any.then_some(PacketFinding::CipherOnly));
    findings
}

/// What a cost is measured by: the faster of the two ways, and that which it is part of.
pub(crate) fn ways_of(what: Cost) -> (PacketOperation, PacketOperation) {
    match what {
        Cost::HeaderProtection => (PacketOperation::AEAD, PacketOperation::PACKET),
        Cost::Setup => (PacketOperation::CIPHER, PacketOperation::AEAD),
    }
}

/// How many packets `who` is handed at once, where that is more than one.
pub(crate) fn batches_of(packets: &PacketSelection<'_>, who: SeriesKey) -> Vec<usize> {
    let ways = packets.ways(who, PacketDirection::Send);
    ways.into_iter().filter(|way| way.is_batch()).map(|way| way.packets.batch).collect()
}

/// The sizes to hold against a TLS record: those that are spoken of, or all where none of them was measured.
pub(crate) fn sizes_against_tls(packets: &PacketSelection<'_>, algorithm: Algorithm) -> Vec<usize> {
    let all = packets.sizes(algorithm);
    let chosen: Vec<usize> = all.iter().copied().filter(|bytes| AGAINST_TLS.contains(bytes)).collect();
    if chosen.is_empty() { all } else { chosen }
}

struct AlgorithmFindings<'a> {
    packets: &'a PacketSelection<'a>,
    algorithm: Algorithm,
}

impl AlgorithmFindings<'_> {
    fn told(&self) -> Vec<SeriesKey> {
        let mut all = self.packets.everybody(self.algorithm, PacketDirection::Send);
        if all.iter().any(|who| who.state == Acceleration::On) {
            all.retain(|who| who.state == Acceleration::On);
        }
        let mut told: Vec<SeriesKey> = Vec::new();
        for name in TOLD {
            told.extend(all.iter().filter(|who| self.packets.library(**who) == name));
        }
        if told.is_empty() {
            told = all;
        }
        told.truncate(MAX_TOLD);
        told
    }

    fn speed(&self, told: &[SeriesKey]) -> Option<PacketFinding> {
        let bytes = self.packets.main_sizes(self.algorithm).first().copied()?;
        let bound = self.packets.bound(self.algorithm);
        let speed = |who: SeriesKey, batch: usize| {
            let series = self.packets.ranked(who.at(PacketOperation::batch(batch), bytes))?;
            let share = self.packets.share(series, bound);
            Some(Speed { library: self.packets.label(who), batch, rate: series.median?, share })
        };
        let batches = |who: SeriesKey| std::iter::once(1).chain(batches_of(self.packets, who).last().copied());
        let mut speeds: Vec<Speed> =
            told.iter().flat_map(|who| batches(*who).filter_map(|batch| speed(*who, batch))).collect();
        speeds.sort_by(|one, other| other.rate.total_cmp(&one.rate));
        (!speeds.is_empty()).then_some(PacketFinding::Speed { algorithm: self.algorithm, bytes, speeds })
    }

    fn lead(&self) -> Option<PacketFinding> {
        let bytes = self.packets.main_sizes(self.algorithm).first().copied()?;
        let everybody = self.packets.everybody(self.algorithm, PacketDirection::Send).into_iter();
        let accelerated = everybody.filter(|who| who.state == Acceleration::On);
        let mut ranked: Vec<_> = accelerated
            .filter_map(|who| Some((who, self.packets.ranked(who.at(PacketOperation::PACKET, bytes))?)))
            .collect();
        ranked.sort_by(|(_, one), (_, other)| other.median.unwrap_or(0.0).total_cmp(&one.median.unwrap_or(0.0)));
        let [(first, fastest), (second, next), ..] = ranked[..] else { return None };
        Some(PacketFinding::Lead {
            algorithm: self.algorithm,
            library: self.packets.label(first),
            next: self.packets.label(second),
            effects: vec![(bytes, self.packets.effect(Some(fastest), Some(next))?)],
        })
    }

    fn effects(&self, who: SeriesKey, first: PacketOperation, second: PacketOperation) -> Vec<(usize, Effect)> {
        let series = |way, bytes| self.packets.ranked(who.at(way, bytes));
        let effect = |bytes| Some((bytes, self.packets.effect(series(first, bytes), series(second, bytes))?));
        self.packets.main_sizes(self.algorithm).into_iter().filter_map(effect).collect()
    }

    fn cost(&self, what: Cost, who: SeriesKey) -> Option<PacketFinding> {
        if what == Cost::Setup && !self.packets.has_comparable_cipher(who) {
            return None;
        }
        let (without, with) = ways_of(what);
        let effects = self.effects(who, without, with);
        let library = self.packets.label(who);
        (!effects.is_empty()).then_some(PacketFinding::Cost { what, algorithm: self.algorithm, library, effects })
    }

    fn batches(&self, who: SeriesKey) -> Option<PacketFinding> {
        let batch = batches_of(self.packets, who).last().copied()?;
        let effect = |bytes| {
            let batched = self.packets.ranked(who.at(PacketOperation::batch(batch), bytes));
            let one_by_one = self.packets.one_by_one(who, batch, bytes);
            Some((bytes, self.packets.effect(batched, one_by_one)?))
        };
        let effects: Vec<_> = self.packets.main_sizes(self.algorithm).into_iter().filter_map(effect).collect();
        let library = self.packets.label(who);
        (!effects.is_empty()).then_some(PacketFinding::Batches { batch, algorithm: self.algorithm, library, effects })
    }

    /// One packet at a time, and the largest batches.
    fn over_tls(&self, who: SeriesKey) -> Vec<PacketFinding> {
        let Some((record_bytes, record)) = self.packets.record(who) else { return Vec::new() };
        let batches = std::iter::once(1).chain(batches_of(self.packets, who).last().copied());
        let finding = |batch: usize| {
            let effect = |bytes| {
                let series = self.packets.ranked(who.at(PacketOperation::batch(batch), bytes))?;
                Some((bytes, self.packets.effect(Some(record), Some(series))?, series.cycles_per_byte))
            };
            let sizes = sizes_against_tls(self.packets, self.algorithm);
            let effects: Vec<_> = sizes.into_iter().filter_map(effect).take(3).collect();
            (!effects.is_empty()).then(|| PacketFinding::OverTls {
                algorithm: self.algorithm,
                library: self.packets.label(who),
                batch,
                record: TlsRecord { bytes: record_bytes, cycles: record.cycles_per_byte },
                effects,
            })
        };
        batches.filter_map(finding).collect()
    }
}
