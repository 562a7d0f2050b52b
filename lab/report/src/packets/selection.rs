//! What to pick of the level packets: who took part, in which ways and sizes, and how near the limit each comes.

use std::collections::{BTreeMap, BTreeSet};

use kasoku_model::acceleration::Acceleration;
use kasoku_model::algorithm::Algorithm;
use kasoku_model::document::{Document, Series, Unit};
use kasoku_model::library::KASOKU;
use kasoku_model::statistics::{self, Comparison};
use kasoku_model::workload::Operation;

use crate::language::Messages;
use crate::level::PACKETS;
use crate::selection::{Contender, is_drawn, sound_figure};
use crate::way::{Direction, Form, Way, is_aes_bound, is_bound, is_bound_of, is_mixed_bound};

/// The payload of a packet on the usual path, and that of a TLS record: where the published measurement looked.
const USUAL: [usize; 2] = [1440, 16_384];

/// A contender in a state: a group of bars.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Who {
    /// As an index into the contenders.
    contender: usize,
    /// In which state.
    pub(crate) state: Acceleration,
}

/// What one thing costs over another, in per cent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Effect {
    /// By how much, in per cent.
    pub percent: f64,
    /// The 95 % interval of that.
    pub ci95: [f64; 2],
    /// Whether it may be claimed: the whole interval lies beyond the noise floor.
    pub is_shown: bool,
}

impl Effect {
    /// How much more of the first there is than of the second.
    fn of(comparison: Comparison) -> Option<Self> {
        let percent = |ratio: f64| (ratio - 1.0) * 100.0;
        let effect = Effect {
            percent: percent(comparison.ratio),
            ci95: comparison.ci95.map(percent),
            is_shown: comparison.is_shown,
        };
        let is_sound = [effect.percent, effect.ci95[0], effect.ci95[1]].iter().all(|value| value.is_finite());
        is_sound.then_some(effect)
    }
}

/// What one did with one algorithm, by way and size.
type Done<'a> = BTreeMap<(Way, usize), &'a Series>;

/// The packets of a document.
pub(crate) struct Packets<'a> {
    /// The document.
    pub(crate) document: &'a Document,
    /// What things are called.
    pub(crate) messages: &'static Messages,
    contenders: Vec<Contender>,
    index: BTreeMap<(Algorithm, Who), Done<'a>>,
    limits: Vec<&'a Series>,
}

impl<'a> Packets<'a> {
    /// The packets of `document`; `None` if it has none.
    pub(crate) fn new(document: &'a Document, messages: &'static Messages) -> Option<Self> {
        let all = || {
            document.series.iter().filter(|series| {
                series.level == PACKETS && !series.is_control() && series.operation != Operation::Transfer
            })
        };
        let (limits, others): (Vec<&Series>, Vec<&Series>) = all().partition(|series| is_bound(series));
        let contenders: BTreeSet<Contender> = others.iter().map(|series| Contender::of_packets(series)).collect();
        let contenders: Vec<Contender> = contenders.into_iter().collect();
        let mut index: BTreeMap<(Algorithm, Who), Done<'a>> = BTreeMap::new();
        for series in others {
            let place = contenders.binary_search(&Contender::of_packets(series));
            let (Ok(contender), Some(way)) = (place, Way::of(series)) else { continue };
            let who = Who { contender, state: series.acceleration };
            // The first of two counts; that there are two is told with what is missing.
            index.entry((series.algorithm, who)).or_default().entry((way, series.bytes)).or_insert(series);
        }
        (!index.is_empty()).then_some(Packets { document, messages, contenders, index, limits })
    }

    /// The algorithms, in their order.
    pub(crate) fn algorithms(&self) -> Vec<Algorithm> {
        self.index.keys().map(|(algorithm, _)| *algorithm).collect::<BTreeSet<_>>().into_iter().collect()
    }

    /// The sizes of packets with `algorithm`; a size that only TLS records have is none of them.
    pub(crate) fn sizes(&self, algorithm: Algorithm) -> Vec<usize> {
        let sizes = self.of(algorithm).flat_map(|(_, done)| done.keys());
        let sizes = sizes.filter(|(way, _)| way.form != Form::Record).map(|(_, bytes)| *bytes);
        sizes.collect::<BTreeSet<_>>().into_iter().collect()
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

    /// Everybody who did anything in this direction, in the order tables show them.
    pub(crate) fn everybody(&self, algorithm: Algorithm, direction: Direction) -> Vec<Who> {
        let has_any = |done: &Done<'_>| done.keys().any(|(way, _)| way.direction == direction);
        self.of(algorithm).filter(|(_, done)| has_any(done)).map(|(who, _)| who).collect()
    }

    /// The ways in which `who` did it.
    pub(crate) fn ways(&self, algorithm: Algorithm, who: Who, direction: Direction) -> Vec<Way> {
        let ways = self.index.get(&(algorithm, who)).into_iter().flat_map(BTreeMap::keys).map(|(way, _)| *way);
        ways.filter(|way| way.direction == direction).collect::<BTreeSet<_>>().into_iter().collect()
    }

    /// The library's name with its version, and the state if it is not `on`.
    pub(crate) fn label(&self, who: Who) -> String {
        self.named(who, true)
    }

    /// The same with the version only where there are several of that library.
    pub(crate) fn short_label(&self, who: Who) -> String {
        let of_library = self.contenders.iter().filter(|other| other.library == self.library(who));
        let has_version = of_library.map(|other| &other.version).collect::<BTreeSet<_>>().len() > 1;
        self.named(who, has_version)
    }

    /// The library's bare name.
    pub(crate) fn library(&self, who: Who) -> &str {
        self.contenders.get(who.contender).map_or("", |contender| &contender.library)
    }

    /// The series, with or without a figure.
    pub(crate) fn series(&self, algorithm: Algorithm, who: Who, way: Way, bytes: usize) -> Option<&'a Series> {
        self.index.get(&(algorithm, who))?.get(&(way, bytes)).copied()
    }

    /// The series, if it may be drawn: verified and with a figure, whether or not the run reached its end.
    pub(crate) fn drawn(&self, algorithm: Algorithm, who: Who, way: Way, bytes: usize) -> Option<&'a Series> {
        self.series(algorithm, who, way, bytes).filter(|series| is_sound(series) && is_drawn(self.document, series))
    }

    /// The series, if it may also be compared.
    pub(crate) fn ranked(&self, algorithm: Algorithm, who: Who, way: Way, bytes: usize) -> Option<&'a Series> {
        self.drawn(algorithm, who, way, bytes).filter(|series| self.document.run.complete && series.is_ranked())
    }

    /// What a batch is held against: as many packets one by one, where that was measured, or one packet at a time.
    pub(crate) fn one_by_one(&self, algorithm: Algorithm, who: Who, batch: u64, bytes: usize) -> Option<&'a Series> {
        let series = |way| self.ranked(algorithm, who, way, bytes);
        series(Way::loop_over(batch)).or_else(|| series(Way::PACKET))
    }

    /// The TLS record of `who`, and its size; the largest, if there are several.
    pub(crate) fn record(&self, algorithm: Algorithm, who: Who) -> Option<(usize, &'a Series)> {
        let sizes = self.index.get(&(algorithm, who)).into_iter().flat_map(BTreeMap::keys);
        let mut sizes = sizes.rev().filter(|(way, _)| *way == Way::RECORD).map(|(_, bytes)| *bytes);
        sizes.find_map(|bytes| Some((bytes, self.ranked(algorithm, who, Way::RECORD, bytes)?)))
    }

    /// The machine's limit: the mix of operations that GCM needs, as fast as any width of registers does it.
    pub(crate) fn limit(&self, algorithm: Algorithm) -> Option<&'a Series> {
        self.fastest(algorithm, is_mixed_bound)
    }

    /// Packets the engine protects one at a time on code paths whose registers are narrower than the machine's limit: the
    /// path, the size, the limit of such registers, and the share of it that is reached, in per cent. (Other libraries do not
    /// say how wide they work for each part of a packet.)
    pub(crate) fn narrower(&self, algorithm: Algorithm) -> Vec<(&'a str, usize, &'a Series, f64)> {
        let widest = self.limit(algorithm).map(|limit| limit.library.as_str());
        let limits = self.limits(algorithm);
        let switched = self.of(algorithm).filter(|(who, _)| who.state != Acceleration::On);
        let is_meant = |(way, bytes): &(Way, usize), series: &Series| {
            series.library == KASOKU && *way == Way::PACKET && USUAL.contains(bytes)
        };
        let singly = switched.flat_map(|(_, done)| done).filter(|(key, series)| is_meant(key, series));
        let narrower = singly.filter_map(|((_, bytes), series)| {
            let limit = limits.iter().copied().find(|limit| is_bound_of(limit, &series.code_path));
            let limit = limit.filter(|limit| Some(limit.library.as_str()) != widest)?;
            Some((series.code_path.as_str(), *bytes, limit, self.share(series, Some(limit))?))
        });
        narrower.collect()
    }

    /// AES alone.
    pub(crate) fn aes_bound(&self, algorithm: Algorithm) -> Option<&'a Series> {
        self.fastest(algorithm, is_aes_bound)
    }

    /// All limits, the fastest first.
    pub(crate) fn limits(&self, algorithm: Algorithm) -> Vec<&'a Series> {
        let mut limits: Vec<&Series> =
            self.limits.iter().filter(|one| one.algorithm == algorithm && is_sound(one)).copied().collect();
        limits.sort_by(|one, other| other.median.unwrap_or(0.0).total_cmp(&one.median.unwrap_or(0.0)));
        limits
    }

    /// The share of `limit` that `series` reaches, in per cent: of the very figures that stand beside it.
    pub(crate) fn share(&self, series: &Series, limit: Option<&Series>) -> Option<f64> {
        let limit = limit.filter(|_| self.document.run.complete && is_sound(series) && series.is_ranked())?;
        let share = sound_figure(series)? / sound_figure(limit)? * 100.0;
        (share.is_finite() && share > 0.0).then_some(share)
    }

    /// How much more `first` does in a second than `second`: as much longer the second takes.
    pub(crate) fn effect(&self, first: Option<&Series>, second: Option<&Series>) -> Option<Effect> {
        let (first, second) = (first?, second?);
        let method = &self.document.run.method;
        let floor = method.floor(first.algorithm).max(method.floor(second.algorithm));
        Effect::of(statistics::compare(first, second, floor)?)
    }

    fn named(&self, who: Who, has_version: bool) -> String {
        let contender = self.contenders.get(who.contender);
        let name = contender.map(|contender| contender.label(has_version, self.messages)).unwrap_or_default();
        if who.state == Acceleration::On { name } else { (self.messages.tables.with_state)(&name, who.state.name()) }
    }

    fn fastest(&self, algorithm: Algorithm, is_meant: fn(&Series) -> bool) -> Option<&'a Series> {
        self.limits(algorithm).into_iter().find(|series| is_meant(series))
    }

    /// Who did anything with `algorithm`, and what.
    fn of(&self, algorithm: Algorithm) -> impl Iterator<Item = (Who, &Done<'a>)> {
        self.index.iter().filter(move |((of, _), _)| *of == algorithm).map(|((_, who), done)| (*who, done))
    }
}

/// Whether the series has a figure that can be drawn among throughputs.
fn is_sound(series: &Series) -> bool {
    series.unit == Unit::BytesPerSecond && sound_figure(series).is_some()
}
