//! Selects disturbed samples that count nevertheless, because their series would otherwise have too few.

use std::collections::{BTreeMap, BTreeSet};

use super::MIN_FOR_AN_INTERVAL;
use crate::document::{Sample, Series};

/// If other programs disturbed most samples of a series, at least one in this many samples counts nevertheless.
const KEPT_OF: usize = 3;

/// For each series of `line`, returns the indexes of the samples that were dropped because other programs disturbed
/// them, but that count nevertheless.
///
/// `line` holds all series of one workload; each round takes one sample of each series. If the undisturbed samples
/// suffice for the intervals of the series and of their ratios, no dropped sample counts. Otherwise dropped samples
/// count until the intervals are possible and at least a third of all samples count. If too few samples for an interval
/// were taken, only a third must count.
///
/// The selected samples are from the least disturbed rounds, which are the same for all series as far as possible.
/// Disturbance only adds time, so the time of a sample relative to the fastest sample of its series shows how much the
/// sample was disturbed.
pub fn spared(line: &[&Series]) -> Vec<Vec<usize>> {
    let mut rounds: BTreeMap<(u32, u32), Round> = BTreeMap::new();
    for series in line {
        let fastest = fastest(series);
        for sample in series.samples.iter().filter(|sample| is_usable(sample)) {
            let round = rounds.entry(round_of(sample)).or_default();
            round.slowdown += slowdown(sample, fastest.first());
            round.taken += 1;
            round.quiet += usize::from(sample.counts());
        }
    }
    let shared = || rounds.iter().filter(|(_, round)| round.taken == line.len());
    let is_quiet = |round: &Round| round.quiet == line.len();
    let quiet = shared().filter(|(_, round)| is_quiet(round)).count();
    let mut disturbed: Vec<_> = shared().filter(|(_, round)| !is_quiet(round)).collect();
    disturbed.sort_by(|a, b| a.1.slowdown.total_cmp(&b.1.slowdown));
    disturbed.truncate(missing(quiet, shared().count()));
    let spared: BTreeSet<(u32, u32)> = disturbed.into_iter().map(|(round, _)| *round).collect();
    let of_series = |series: &&Series| {
        let sample = |place: &usize| &series.samples[*place];
        let is_dropped = |place: &usize| sample(place).dropped && is_usable(sample(place));
        let quiet = series.samples.iter().filter(|sample| sample.counts()).count();
        let (mut places, mut others): (Vec<usize>, Vec<usize>) =
            (0..series.samples.len()).filter(is_dropped).partition(|place| spared.contains(&round_of(sample(place))));
        let mean = |place: &usize| rounds.get(&round_of(sample(place))).map_or(0.0, Round::mean);
        others.sort_by(|a, b| mean(a).total_cmp(&mean(b)));
        others.truncate(missing(quiet + places.len(), series.samples.len()));
        places.extend(others);
        places
    };
    line.iter().map(of_series).collect()
}

/// Totals of one round over all series of a workload, which show how much neighbours disturbed the round.
#[derive(Default)]
struct Round {
    /// Sum of the slowdowns of all samples, as logarithms.
    slowdown: f64,
    /// Number of series with a sample in the round.
    taken: usize,
    /// Number of series whose sample in the round no other program disturbed.
    quiet: usize,
}

impl Round {
    fn mean(&self) -> f64 {
        self.slowdown / self.taken.max(1) as f64
    }
}

pub(super) fn round_of(sample: &Sample) -> (u32, u32) {
    (sample.process, sample.round)
}

fn is_usable(sample: &Sample) -> bool {
    Sample { dropped: false, ..*sample }.counts()
}

/// Returns how many disturbed samples must count if `quiet` of `taken` samples are undisturbed.
fn missing(quiet: usize, taken: usize) -> usize {
    let part = taken.div_ceil(KEPT_OF);
    let enough = if taken < MIN_FOR_AN_INTERVAL { part } else { part.max(MIN_FOR_AN_INTERVAL) };
    if quiet >= MIN_FOR_AN_INTERVAL { 0 } else { enough.saturating_sub(quiet) }
}

/// Returns all samples of a series, including the dropped ones, in the order of their speed. The fastest comes first.
pub(super) fn fastest(series: &Series) -> Vec<&Sample> {
    let mut usable: Vec<&Sample> = series.samples.iter().filter(|sample| is_usable(sample)).collect();
    usable.sort_by(|one, other| per_operation(one).total_cmp(&per_operation(other)));
    usable
}

/// Returns the logarithm of a sample's time relative to the fastest sample; 0 if that is not finite.
fn slowdown(sample: &Sample, fastest: Option<&&Sample>) -> f64 {
    let slowdown = fastest.map_or(0.0, |fastest| (per_operation(sample) / per_operation(fastest)).ln());
    if slowdown.is_finite() { slowdown } else { 0.0 }
}

fn per_operation(sample: &Sample) -> f64 {
    sample.ns as f64 / sample.iterations as f64
}
