//! Which disturbed samples count all the same: too few would be left of a series without them.

use std::collections::BTreeMap;

use super::MIN_FOR_AN_INTERVAL;
use crate::document::{Sample, Series};

/// Where there are not so many quiet ones, at least one of so many samples counts: it is never quiet there.
const KEPT_OF: usize = 3;

/// Which of the dropped samples of `line` count all the same, as places in each of its series: none if the others
/// suffice for an interval, else so many that it has enough, if so many were taken, and a third.
///
/// `line` is what does one workload, visited one after the other in each round. The rounds that disturbed all of them
/// the least are taken first, so that they have the same rounds left and can be held against each other. What disturbs
/// only ever adds time: how much of it is known from the fastest sample of the series.
pub fn spared(line: &[&Series]) -> Vec<Vec<usize>> {
    let mut rounds: BTreeMap<(u32, u32), (f64, f64)> = BTreeMap::new();
    for series in line {
        let fastest = fastest(series);
        for sample in &series.samples {
            let (sum, count) = rounds.entry((sample.process, sample.round)).or_default();
            *sum += slowdown(sample, fastest);
            *count += 1.0;
        }
    }
    let of_round = |sample: &Sample| {
        let (sum, count) = rounds.get(&(sample.process, sample.round)).copied().unwrap_or_default();
        sum / f64::max(count, 1.0)
    };
    let of_series = |series: &&Series| {
        let quiet = series.samples.iter().filter(|sample| sample.counts()).count();
        let is_usable = |place: &usize| Sample { dropped: false, ..series.samples[*place] }.counts();
        let mut dropped: Vec<usize> =
            (0..series.samples.len()).filter(|&place| series.samples[place].dropped).collect();
        dropped.retain(is_usable);
        dropped.sort_by(|a, b| of_round(&series.samples[*a]).total_cmp(&of_round(&series.samples[*b])));
        dropped.truncate(missing(quiet, series.samples.len()));
        dropped
    };
    line.iter().map(of_series).collect()
}

/// How many more must count, where so many of so many are quiet.
fn missing(quiet: usize, taken: usize) -> usize {
    let part = taken.div_ceil(KEPT_OF);
    let enough = if taken < MIN_FOR_AN_INTERVAL { part } else { part.max(MIN_FOR_AN_INTERVAL) };
    if quiet >= MIN_FOR_AN_INTERVAL { 0 } else { enough.saturating_sub(quiet) }
}

/// Nanoseconds an operation of the fastest sample, dropped or not.
pub(super) fn fastest(series: &Series) -> f64 {
    let usable = series.samples.iter().filter(|sample| sample.ns > 0 && sample.iterations > 0);
    usable.map(per_operation).fold(f64::INFINITY, f64::min)
}

/// The logarithm of how many times as long as the fastest a sample took; 0 of one that is none.
pub(super) fn slowdown(sample: &Sample, fastest: f64) -> f64 {
    let slowdown = (per_operation(sample) / fastest).ln();
    if slowdown.is_finite() { slowdown } else { 0.0 }
}

fn per_operation(sample: &Sample) -> f64 {
    sample.ns as f64 / sample.iterations as f64
}
