//! Two runs against each other: which of the workloads they share became slower or faster, and which only seem to.
//!
//! Rounds of two runs have nothing to do with each other, so there are no pairs of samples here as there are within a
//! run: what is paired is the workload, and each side is resampled by itself (docs/METHOD.md, "Two runs against each
//! other").

use std::collections::{BTreeMap, BTreeSet};
use std::panic::resume_unwind;
use std::thread::{self, ScopedJoinHandle};

use crate::acceleration::Acceleration;
use crate::algorithm::Algorithm;
use crate::document::{Condition, Document, FLOOR_IF_UNKNOWN, OriginKind, Series, Unit};
use crate::level::Level;
use crate::library::Role;
use crate::name::named;
use crate::openssl_speed::AeadRow;
use crate::statistics::{Nested, middle, widening};
use crate::workload::Operation;

/// Two runs, compared.
#[derive(Clone, Debug)]
pub struct TwoRuns<'a> {
    /// The run that is held against.
    pub first: &'a Document,
    /// The run that is held against the first.
    pub second: &'a Document,
    /// The workloads both have a sound figure of: those shown slower, worst first; those shown faster, best first; the
    /// others in the order of the first run.
    pub pairs: Vec<SeriesPair<'a>>,
    /// What both have, but one of them failed or unverified.
    pub unsound: Vec<[&'a Series; 2]>,
    /// What goes by one name in both and is not the same operation: rows of two versions of `openssl speed`.
    pub unlike: Vec<[&'a Series; 2]>,
    /// What only the first run has.
    pub only_first: Vec<&'a Series>,
    /// What only the second run has.
    pub only_second: Vec<&'a Series>,
}

/// A workload that both runs have on the same library in the same state.
#[derive(Clone, Debug)]
pub struct SeriesPair<'a> {
    /// In the first run.
    pub first: &'a Series,
    /// In the second run.
    pub second: &'a Series,
    /// The two figures, in the series' unit.
    pub figures: [f64; 2],
    /// How many times as fast the second is: above 1 is faster, whatever the unit.
    pub speed: f64,
    /// What that rests on.
    pub evidence: RatioEvidence,
}

/// What a ratio rests on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum RatioEvidence {
    /// Samples on both sides.
    Interval {
        /// The 95 % interval of the speed.
        ci95: [f64; 2],
        /// The smallest relative difference that counts here.
        floor: f64,
    },
    /// Samples on both sides, but of one process or of too few rounds: no interval can be had.
    TooFew,
    /// Figures that somebody else measured, on one side or both: there are no samples. Which kind, where it is stated.
    Quoted(Option<OriginKind>),
}

named! {
    /// What may be said of a pair.
    pub enum PairVerdict {
        /// The second run is slower.
        Slower = "slower",
        /// The second run is faster.
        Faster = "faster",
        /// No difference is shown.
        NoDifference = "no-difference",
        /// There is no interval, so nothing is claimed.
        NoInterval = "no-interval",
    }
}

impl SeriesPair<'_> {
    /// Whether the two figures are not of quite the same operation, though they may be set against each other.
    pub fn is_unlike(&self) -> bool {
        AeadRow::of(self.first) != AeadRow::of(self.second)
    }

    /// What may be said: a difference only if the whole interval lies beyond the floor.
    pub fn verdict(&self) -> PairVerdict {
        match self.evidence {
            RatioEvidence::Interval { ci95: [low, high], floor } => {
                let limit = 1.0 + floor;
                match () {
                    () if high < 1.0 / limit => PairVerdict::Slower,
                    () if low > limit => PairVerdict::Faster,
                    () => PairVerdict::NoDifference,
                }
            }
            RatioEvidence::TooFew | RatioEvidence::Quoted(_) => PairVerdict::NoInterval,
        }
    }
}

impl TwoRuns<'_> {
    /// How many pairs have that verdict.
    pub fn count(&self, verdict: PairVerdict) -> usize {
        self.pairs.iter().filter(|pair| pair.verdict() == verdict).count()
    }

    /// How many pairs have an interval, by which a difference is shown or is not.
    pub fn judged(&self) -> usize {
        self.pairs.len() - self.count(PairVerdict::NoInterval)
    }

    /// Whether both runs are of one machine, as far as documents tell.
    pub fn is_one_machine(&self) -> bool {
        let [first, second] = [&self.first.machine, &self.second.machine];
        first.label() == second.label() && first.cpu == second.cpu && first.arch == second.arch
    }
}

/// Compares `second` with `first`. A difference below `threshold` (0.05 is 5 %) is not shown, nor one below the floors
/// of both runs or [`FLOOR_IF_UNKNOWN`], by which two runs of one machine may differ.
pub fn compare<'a>(first: &'a Document, second: &'a Document, threshold: f64) -> TwoRuns<'a> {
    let matched = match_up(first, second);
    let mut result = TwoRuns {
        first,
        second,
        pairs: Vec::new(),
        unsound: Vec::new(),
        unlike: Vec::new(),
        only_first: Vec::new(),
        only_second: Vec::new(),
    };
    let mut both = Vec::new();
    for found in matched {
        match found {
            [Some(first), Some(second)] if !are_comparable(first, second) => result.unlike.push([first, second]),
            [Some(first), Some(second)] if is_sound(first) && is_sound(second) => both.push([first, second]),
            [Some(first), Some(second)] => result.unsound.push([first, second]),
            [Some(first), None] => result.only_first.push(first),
            [None, Some(second)] => result.only_second.push(second),
            [None, None] => {}
        }
    }
    let compared = |pair: &[&'a Series; 2]| compare_pair([first, second], *pair, threshold);
    result.pairs = in_parallel(&both, &compared).into_iter().flatten().collect();
    result.pairs.sort_by(|a, b| {
        let verdict = a.verdict();
        verdict.cmp(&b.verdict()).then(match verdict {
            PairVerdict::Slower => a.speed.total_cmp(&b.speed),
            PairVerdict::Faster => b.speed.total_cmp(&a.speed),
            PairVerdict::NoDifference | PairVerdict::NoInterval => std::cmp::Ordering::Equal,
        })
    });
    result
}

/// Whether both runs have a sound figure of any workload, so that there is something to compare.
pub fn is_anything_shared(first: &Document, second: &Document) -> bool {
    let is_in_both =
        |found: [Option<&Series>; 2]| matches!(found, [Some(one), Some(other)] if is_sound(one) && is_sound(other));
    match_up(first, second).into_iter().any(is_in_both)
}

fn compare_pair<'a>(runs: [&'a Document; 2], pair: [&'a Series; 2], threshold: f64) -> Option<SeriesPair<'a>> {
    let figures = [figure(pair[0])?, figure(pair[1])?];
    // Where less is better, the ratio is turned round, so that above 1 always means faster.
    let direction = if pair[0].unit == Unit::Seconds { -1.0 } else { 1.0 };
    let evidence = if let Some(quoted) = (0..2).rev().find(|&side| pair[side].is_quoted()) {
        RatioEvidence::Quoted(runs[quoted].run.origin.as_ref().map(|origin| origin.kind))
    } else {
        let own = runs.map(|run| run.run.method.floor(pair[0].algorithm));
        let floor = own.into_iter().chain([FLOOR_IF_UNKNOWN, threshold]).fold(0.0, f64::max);
        let logarithms = pair.map(logarithms);
        match ratio_interval(&logarithms[0], &logarithms[1]) {
            Some(ends) => {
                let mut ci95 = ends.map(|end| (direction * end).exp());
                ci95.sort_by(f64::total_cmp);
                RatioEvidence::Interval { ci95, floor }
            }
            None => RatioEvidence::TooFew,
        }
    };
    let speed = (direction * (figures[1] / figures[0]).ln()).exp();
    (speed.is_finite() && speed > 0.0).then_some(SeriesPair {
        first: pair[0],
        second: pair[1],
        figures,
        speed,
        evidence,
    })
}

/// The figure, in the series' unit: of what was measured the median of its samples, whether or not the run reached its
/// end.
fn figure(series: &Series) -> Option<f64> {
    let figure = if series.samples.is_empty() { series.median } else { Nested::figures(series).median() };
    figure.filter(|figure| figure.is_finite() && *figure > 0.0)
}

/// Where the generators of both sides begin: apart, since the sides are independent.
const SEEDS: [u64; 2] = [0x6b61_736f_6b75_0001, 0x6b61_736f_6b75_0002];

/// The 95 % interval of the median of `second` less that of `first` (both logarithms): each side is resampled by
/// itself, processes with replacement, then rounds within each. `None` if a side has fewer than two processes, or too
/// few samples: what a start of the process is worth cannot be told then.
fn ratio_interval(first: &Nested, second: &Nested) -> Option<[f64; 2]> {
    let sides = [first, second];
    if sides.iter().any(|side| side.processes() < 2) {
        return None;
    }
    let centres = [first.median()?, second.median()?];
    let mut deviations: [Vec<f64>; 2] = [Vec::new(), Vec::new()];
    for side in 0..2 {
        let widening = widening(sides[side].processes());
        let resampled = sides[side].resampled_medians(SEEDS[side]);
        deviations[side].extend(resampled.map(|median| (median - centres[side]) * widening));
    }
    let centre = centres[1] - centres[0];
    let [of_first, of_second] = deviations;
    let mut differences: Vec<f64> =
        of_first.iter().zip(&of_second).map(|(first, second)| centre + second - first).collect();
    middle(&mut differences)
}

fn logarithms(series: &Series) -> Nested {
    Nested::of(series.kept().map(|sample| (sample.process, series.figure(sample).ln())))
}

/// Whether both measure the same operation, or at this size one that costs much the same.
fn are_comparable(first: &Series, second: &Series) -> bool {
    let rows = AeadRow::of(first).zip(AeadRow::of(second));
    rows.is_none_or(|(one, other)| one.is_comparable(other, first.bytes))
}

/// Whether a figure is known, and was verified unless somebody else printed it.
fn is_sound(series: &Series) -> bool {
    !series.has_failed() && (series.is_verified() || series.is_quoted()) && figure(series).is_some()
}

/// Whether a series says something of a library: controls are there for the noise floor, test doubles to be wrong,
/// limits are the bare CPU, and what has its own clock is a check on ours.
fn is_considered(series: &Series) -> bool {
    series.role == Role::Library && !series.details.control
}

/// What two series have in common that are the same measurement, whatever the version of the library: what was done, by
/// which library in which state, in which unit, and the conditions that are unusual.
type Identity<'a> = ((Level, Algorithm, Operation, usize), (&'a str, Acceleration), Unit, Vec<(&'static str, String)>);

fn identity(series: &Series) -> Identity<'_> {
    let (task, library, unit, _) = coarse_identity(series);
    (task, library, unit, settings(series))
}

/// Leaves out the conditions: those of quoted figures are mostly not known.
fn coarse_identity(series: &Series) -> Identity<'_> {
    let task = (series.level, series.algorithm, series.operation, series.bytes);
    (task, (&series.library, series.acceleration), series.unit, Vec::new())
}

/// Returns the conditions under which `series` was measured that are not the usual ones, by name.
pub fn settings(series: &Series) -> Vec<(&'static str, String)> {
    let mut unusual = series.conditions();
    unusual.retain(|condition| condition.usual != Some(condition.value.as_str()));
    unusual.into_iter().map(|condition| (condition.name, condition.value)).collect()
}

/// Whether no condition that both series state is different.
fn agree(first: &Series, second: &Series) -> bool {
    let (first, second) = (first.conditions(), second.conditions());
    let value = |of: &[Condition], condition: &Condition| {
        let found = of.iter().find(|other| other.name == condition.name);
        found.map(|found| found.value.clone()).or(condition.usual.map(str::to_owned))
    };
    first.iter().chain(&second).all(|condition| match (value(&first, condition), value(&second, condition)) {
        (Some(first), Some(second)) => first == second,
        _ => true,
    })
}

/// Returns the series of `document` that say something of a library; of what was measured twice, the first.
fn distinct(document: &Document) -> Vec<&Series> {
    let mut seen = BTreeSet::new();
    let considered = document.series.iter().filter(|series| is_considered(series));
    let key = |series| (identity(series), series.library_version.as_str());
    considered.filter(|&series| seen.insert(key(series))).collect()
}

/// Returns the series of both runs, those of the same workload side by side, in the order of the first run.
fn match_up<'a>(first: &'a Document, second: &'a Document) -> Vec<[Option<&'a Series>; 2]> {
    /// Of series that differ only in how they were measured, this many are searched for one that a quoted figure may
    /// stand beside.
    const MAX_ALIKE: usize = 32;
    type Stage<'a> = (fn(&'a Series) -> Identity<'a>, fn(&Series, &Series) -> bool, usize);
    // The same version first; then whatever version is left; then, beside quoted figures, what states less of how it
    // was measured.
    let stages: [Stage<'a>; 3] = [
        (identity, |one, other| one.library_version == other.library_version, usize::MAX),
        (identity, |_, _| true, usize::MAX),
        (coarse_identity, |one, other| (one.is_quoted() || other.is_quoted()) && agree(one, other), MAX_ALIKE),
    ];
    let mut matched: Vec<_> = distinct(first).into_iter().map(|series| [Some(series), None]).collect();
    let mut waiting = distinct(second);
    for (key, fits, searched) in stages {
        let mut groups: BTreeMap<Identity<'a>, Vec<&'a Series>> = BTreeMap::new();
        for series in waiting {
            groups.entry(key(series)).or_default().push(series);
        }
        for [first, second] in matched.iter_mut().filter(|found| found[1].is_none()) {
            let Some(first) = *first else { continue };
            let Some(group) = groups.get_mut(&key(first)) else { continue };
            if let Some(place) = group.iter().take(searched).position(|other| fits(first, other)) {
                *second = Some(group.remove(place));
            }
        }
        waiting = groups.into_values().flatten().collect();
    }
    matched.extend(waiting.into_iter().map(|series| [None, Some(series)]));
    matched
}

/// `work` on each of `items`, in their order, on all cores: the bootstrap of two full runs is a few seconds on one.
fn in_parallel<T: Sync, R: Send>(items: &[T], work: &(impl Fn(&T) -> R + Sync)) -> Vec<R> {
    const MIN: usize = 32;
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let share = items.len().div_ceil(cores).max(MIN);
    thread::scope(|scope| {
        let all = move |chunk: &[T]| chunk.iter().map(work).collect::<Vec<R>>();
        let begin = |chunk| thread::Builder::new().spawn_scoped(scope, move || all(chunk)).map_err(|_| chunk);
        let begun: Vec<_> = items.chunks(share).map(begin).collect();
        let join = |thread: ScopedJoinHandle<'_, _>| thread.join().unwrap_or_else(|panic| resume_unwind(panic));
        // This thread does what the system refused a thread for.
        begun.into_iter().flat_map(|one| one.map_or_else(all, join)).collect()
    })
}

#[cfg(test)]
mod tests;
