//! Compares two runs: finds the workloads that became slower or faster, and those that differ only by noise.
//!
//! Rounds of two runs are independent, so samples are not paired as they are within a run. Workloads are paired, and
//! the samples of each run are resampled separately (docs/METHOD.md, "Two runs against each other").

mod environment;

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
pub use environment::EnvironmentDifference;

#[derive(Clone, Debug)]
pub struct TwoRuns<'a> {
    pub first: &'a Document,
    pub second: &'a Document,
    /// Workloads for which both runs have a usable figure: measured and verified, or quoted from a publication or
    /// another program. Workloads that became slower come first, the largest loss before smaller ones, and then those
    /// that became faster, the largest gain first.
    pub pairs: Vec<SeriesPair<'a>>,
    /// Series that occur in both runs, but failed in at least one run or have no verified output there.
    pub unsound: Vec<[&'a Series; 2]>,
    /// Series with the same name that measure different operations, because they come from two versions of `openssl
    /// speed`.
    pub unlike: Vec<[&'a Series; 2]>,
    pub only_first: Vec<&'a Series>,
    pub only_second: Vec<&'a Series>,
    /// Differences between the environments of the two runs.
    pub environment: Vec<EnvironmentDifference>,
}

/// A workload in both runs, on the same library in the same acceleration state.
#[derive(Clone, Debug)]
pub struct SeriesPair<'a> {
    pub first: &'a Series,
    pub second: &'a Series,
    /// Figures of the first and the second run, in the series' unit.
    pub figures: [f64; 2],
    /// Speed of the second run relative to the first: above 1 is faster, whatever the unit.
    pub speed: f64,
    pub evidence: RatioEvidence,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum RatioEvidence {
    Interval {
        ci95: [f64; 2],
        /// Minimum relative difference that may be claimed.
        floor: f64,
    },
    /// Both series have samples, but from a single process start or from too few rounds for an interval.
    TooFew,
    /// One or both series are quoted figures without samples. Holds the kind of their origin, if the run states it.
    Quoted(Option<OriginKind>),
}

named! {
    /// Claim about a pair of series that its samples support.
    pub enum PairVerdict {
        Slower = "slower",
        Faster = "faster",
        /// The interval overlaps the noise floor, so no difference is claimed.
        NoDifference = "no-difference",
        /// There is no interval, so nothing is claimed.
        NoInterval = "no-interval",
    }
}

impl SeriesPair<'_> {
    /// Whether the two figures measure slightly different operations that may still be compared.
    pub fn is_unlike(&self) -> bool {
        AeadRow::of(self.first) != AeadRow::of(self.second)
    }

    /// Returns the claim that the samples support. Claims a difference only if the whole interval lies beyond the
    /// floor.
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
    pub fn count(&self, verdict: PairVerdict) -> usize {
        self.pairs.iter().filter(|pair| pair.verdict() == verdict).count()
    }

    pub fn judged(&self) -> usize {
        self.pairs.len() - self.count(PairVerdict::NoInterval)
    }

    pub fn is_one_machine(&self) -> bool {
        let [first, second] = [&self.first.machine, &self.second.machine];
        first.label() == second.label() && first.cpu == second.cpu && first.arch == second.arch
    }
}

/// Compares `second` with `first`. Claims a difference only if it exceeds `threshold` (0.05 is 5 %), the noise floors
/// of both runs and [`FLOOR_IF_UNKNOWN`].
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
        environment: environment::differences(first, second),
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

/// Whether the runs have at least one workload with a sound figure in both.
pub fn is_anything_shared(first: &Document, second: &Document) -> bool {
    let is_in_both =
        |found: [Option<&Series>; 2]| matches!(found, [Some(one), Some(other)] if is_sound(one) && is_sound(other));
    match_up(first, second).into_iter().any(is_in_both)
}

fn compare_pair<'a>(runs: [&'a Document; 2], pair: [&'a Series; 2], threshold: f64) -> Option<SeriesPair<'a>> {
    let figures = [figure(pair[0])?, figure(pair[1])?];
    // For times the ratio is inverted, so that above 1 always means faster.
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

/// Returns the figure in the series' unit. An interrupted run has no stored median, so it is computed from the samples.
fn figure(series: &Series) -> Option<f64> {
    let figure = if series.samples.is_empty() { series.median } else { Nested::figures(series).median() };
    figure.filter(|figure| figure.is_finite() && *figure > 0.0)
}

/// Seeds of the random number generators for the two runs. They differ because the runs are independent.
const SEEDS: [u64; 2] = [0x6b61_736f_6b75_0001, 0x6b61_736f_6b75_0002];

/// Returns the 95 % interval of the median of `second` minus the median of `first`; both hold logarithms. Resamples
/// each run separately: draws processes with replacement, then rounds within each. Returns `None` if a run has too few
/// samples. It also returns `None` for fewer than two processes, which do not show how much restarts differ.
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

/// Whether both series measure the same operation, or operations that cost about as much at this size.
fn are_comparable(first: &Series, second: &Series) -> bool {
    let rows = AeadRow::of(first).zip(AeadRow::of(second));
    rows.is_none_or(|(one, other)| one.is_comparable(other, first.bytes))
}

fn is_sound(series: &Series) -> bool {
    !series.has_failed() && (series.is_verified() || series.is_quoted()) && figure(series).is_some()
}

/// Whether a series measures a library. Controls, test doubles, bounds and benchmarks with their own clock do not.
fn is_considered(series: &Series) -> bool {
    series.role == Role::Library && !series.details.control
}

/// Key that is equal for series that repeat a measurement, even with another version of the library.
type Identity<'a> = ((Level, Algorithm, Operation, usize), (&'a str, Acceleration), Unit, Vec<(&'static str, String)>);

fn identity(series: &Series) -> Identity<'_> {
    let (task, library, unit, _) = coarse_identity(series);
    (task, library, unit, settings(series))
}

/// Returns the identity of `series` without conditions, which quoted figures rarely state.
fn coarse_identity(series: &Series) -> Identity<'_> {
    let task = (series.level, series.algorithm, series.operation, series.bytes);
    (task, (&series.library, series.acceleration), series.unit, Vec::new())
}

/// Returns the name and value of each condition of `series` that differs from its usual value, such as two threads.
pub fn settings(series: &Series) -> Vec<(&'static str, String)> {
    let mut unusual = series.conditions();
    unusual.retain(|condition| condition.usual != Some(condition.value.as_str()));
    unusual.into_iter().map(|condition| (condition.name, condition.value)).collect()
}

/// Whether the two series agree in all conditions that both state.
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

/// Returns the series of `document` that measure a library. Of series that repeat a measurement, returns only the
/// first.
fn distinct(document: &Document) -> Vec<&Series> {
    let mut seen = BTreeSet::new();
    let considered = document.series.iter().filter(|series| is_considered(series));
    let key = |series| (identity(series), series.library_version.as_str());
    considered.filter(|&series| seen.insert(key(series))).collect()
}

/// Pairs the series of both runs by workload, in the order of the first run.
fn match_up<'a>(first: &'a Document, second: &'a Document) -> Vec<[Option<&'a Series>; 2]> {
    /// Maximum number of series that are searched for one that matches the conditions of a quoted figure.
    const MAX_ALIKE: usize = 32;
    type Stage<'a> = (fn(&'a Series) -> Identity<'a>, fn(&Series, &Series) -> bool, usize);
    // First the same version, then any version, then quoted figures, which state fewer conditions.
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

/// Applies `work` to all `items`, on all cores. On one core, the bootstrap of two full runs takes seconds.
fn in_parallel<T: Sync, R: Send>(items: &[T], work: &(impl Fn(&T) -> R + Sync)) -> Vec<R> {
    const MIN: usize = 32;
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let share = items.len().div_ceil(cores).max(MIN);
    thread::scope(|scope| {
        let all = move |chunk: &[T]| chunk.iter().map(work).collect::<Vec<R>>();
        let begin = |chunk| thread::Builder::new().spawn_scoped(scope, move || all(chunk)).map_err(|_| chunk);
        let begun: Vec<_> = items.chunks(share).map(begin).collect();
        let join = |thread: ScopedJoinHandle<'_, _>| thread.join().unwrap_or_else(|panic| resume_unwind(panic));
        // If the system refuses a thread, this thread does its share.
        begun.into_iter().flat_map(|one| one.map_or_else(all, join)).collect()
    })
}

#[cfg(test)]
mod tests;
