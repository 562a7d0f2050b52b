//! Medians, intervals and paired comparisons.
//!
//! Everything here can be computed again from a run document: the bootstrap's generator has a fixed seed.

mod disturbed;
mod paired;
mod student;

use std::collections::{BTreeMap, BTreeSet};

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

use crate::document::{Sample, Series, Unit};
pub use disturbed::spared;
pub use paired::{Comparison, compare, log_ratios, log_ratios_by};
pub(crate) use student::widening;

/// Bootstrap resamples for an interval.
const RESAMPLES: usize = 1_000;
/// Where the bootstrap's generator begins, so that an interval is the same whenever it is computed.
const SEED: u64 = 0x6b61_736f_6b75;
/// Fewer samples than this support no interval.
pub const MIN_FOR_AN_INTERVAL: usize = 5;

/// No difference below 0.1 % is claimed, however steady the machine: a loop's place in memory is worth as much.
pub const MIN_FLOOR: f64 = 0.001;

/// The noise floor: the 97.5th percentile of the relative differences that measuring a library against itself shows,
/// each the median of its log ratios, wider for few of them; at least [`MIN_FLOOR`]. `None` of nothing.
pub fn noise_floor(selves: &[Nested]) -> Option<f64> {
    floor_of(selves, student::of_few(selves.len()))
}

/// What [`noise_floor`] starts from: how far apart a library and itself were found, with no width for few comparisons.
/// Enough where each comparison is held against its own interval over processes too.
pub fn self_difference(selves: &[Nested]) -> Option<f64> {
    floor_of(selves, 1.0)
}

/// The noise floor of one algorithm, of which `own` is known, in a run in which `all` is. A few comparisons may come
/// out well by luck, so with few of them it is not below what nine in ten of the whole run show.
pub fn own_floor(own: &[Nested], all: &[Nested]) -> Option<f64> {
    if own.len() >= ENOUGH_SELVES {
        return noise_floor(own);
    }
    let floor = floor_of(own, student::of_few(all.len()))?;
    let mut medians: Vec<f64> = all.iter().filter_map(Nested::median).map(f64::abs).collect();
    Some(if medians.is_empty() { floor } else { floor.max(quantile(&mut medians, 0.9).exp_m1()) })
}

/// The floor of `selves`, `wider` times. The largest of a few lies below the percentile that it is taken for, by about
/// as much as the normal quantile below Student's.
fn floor_of(selves: &[Nested], wider: f64) -> Option<f64> {
    let mut medians: Vec<f64> = selves.iter().filter_map(Nested::median).map(f64::abs).collect();
    if medians.is_empty() {
        return None;
    }
    Some((wider * quantile(&mut medians, 0.975)).exp_m1().max(MIN_FLOOR))
}

/// This many comparisons with itself tell an algorithm's floor alone.
pub const ENOUGH_SELVES: usize = 8;

/// Values by process: rounds within one process share its memory layout, so they are not independent of each other.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Nested {
    groups: BTreeMap<u32, Vec<f64>>,
}

impl Nested {
    /// The figures of the samples of `series` that count.
    pub fn figures(series: &Series) -> Nested {
        Nested::of(series.kept().map(|sample| (sample.process, series.figure(sample))))
    }

    /// `values` with the process of each.
    pub fn of(values: impl IntoIterator<Item = (u32, f64)>) -> Nested {
        let mut nested = Nested::default();
        for (process, value) in values {
            nested.push(process, value);
        }
        nested
    }

    /// Adds a value; one that is not finite is not a measurement and is left out.
    pub fn push(&mut self, process: u32, value: f64) {
        if value.is_finite() {
            self.groups.entry(process).or_default().push(value);
        }
    }

    /// How many values.
    pub fn count(&self) -> usize {
        self.groups.values().map(Vec::len).sum()
    }

    /// All values.
    pub fn values(&self) -> impl Iterator<Item = f64> {
        self.groups.values().flatten().copied()
    }

    /// The median of all values.
    pub fn median(&self) -> Option<f64> {
        median(&mut self.values().collect::<Vec<_>>())
    }

    /// The 95 % interval of the median: percentile bootstrap, processes drawn with replacement, then rounds within
    /// each.
    pub fn interval(&self) -> Option<[f64; 2]> {
        middle(&mut self.resampled_medians(SEED).collect::<Vec<_>>())
    }

    /// How many processes have values.
    pub fn processes(&self) -> usize {
        self.groups.len()
    }

    /// The medians of the bootstrap's resamples: processes drawn with replacement, then rounds within each. Nothing if
    /// there are too few values. What is independent of each other takes different seeds.
    pub fn resampled_medians(&self, seed: u64) -> impl Iterator<Item = f64> + use<'_> {
        let groups: Vec<&[f64]> = self.groups.values().map(Vec::as_slice).collect();
        let resamples = if self.count() < MIN_FOR_AN_INTERVAL { 0 } else { RESAMPLES };
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        let mut drawn = Vec::with_capacity(self.count());
        (0..resamples).filter_map(move |_| {
            drawn.clear();
            for _ in 0..groups.len() {
                let group = groups[below(&mut random, groups.len())];
                drawn.extend((0..group.len()).map(|_| group[below(&mut random, group.len())]));
            }
            median(&mut drawn)
        })
    }
}

/// The median; `None` of nothing.
pub fn median(values: &mut [f64]) -> Option<f64> {
    let middle = values.len() / 2;
    if values.is_empty() {
        return None;
    }
    let is_even = values.len().is_multiple_of(2);
    let (below, &mut upper, _) = values.select_nth_unstable_by(middle, f64::total_cmp);
    Some(if is_even {
        let lower = below.iter().copied().max_by(f64::total_cmp).unwrap_or(upper);
        lower.midpoint(upper)
    } else {
        upper
    })
}

/// About half the 95 % interval of the median as a part of the median, by the order of the values alone. It says where
/// more samples are needed, in a thousandth of a bootstrap's time; `None` of too few values.
pub fn rough_half_width(values: &mut [f64]) -> Option<f64> {
    let last = values.len().checked_sub(1)?;
    if values.len() < MIN_FOR_AN_INTERVAL {
        return None;
    }
    values.sort_unstable_by(f64::total_cmp);
    // As many of n values lie below the median as heads fall in n throws: n/2, in 95 of 100 cases within 0.98 √n.
    let (centre, reach) = (last as f64 / 2.0, 0.98 * (values.len() as f64).sqrt());
    let (low, high) = ((centre - reach).floor().max(0.0) as usize, (centre + reach).ceil() as usize);
    Some((values[high.min(last)] - values[low]) / (2.0 * values[last / 2].abs().max(f64::MIN_POSITIVE)))
}

/// The range of the middle 95 % of the values; `None` of nothing.
pub fn middle(values: &mut [f64]) -> Option<[f64; 2]> {
    if values.is_empty() { None } else { Some([quantile(values, 0.025), quantile(values, 0.975)]) }
}

/// Marks with `true` the values that lie more than five scaled median absolute deviations and 2 % from the median. They
/// are counted in notes, never deleted.
pub fn outliers(values: &[f64]) -> Vec<bool> {
    let Some(centre) = median(&mut values.to_vec()) else { return Vec::new() };
    let mut deviations: Vec<f64> = values.iter().map(|value| (value - centre).abs()).collect();
    // 1.4826 scales the MAD to the standard deviation of a normal distribution.
    let scale = 1.4826 * median(&mut deviations).unwrap_or(0.0);
    let limit = (5.0 * scale).max(0.02 * centre.abs());
    values.iter().map(|value| scale > 0.0 && (value - centre).abs() > limit).collect()
}

/// Computes `median`, `ci95` and `cycles_per_byte` of `series` from its samples.
pub fn summarize(series: &mut Series) {
    let figures = Nested::figures(series);
    series.median = figures.median();
    let all: BTreeSet<u32> = series.samples.iter().map(|sample| sample.process).collect();
    let lost = student::for_lost_starts(figures.processes(), all.len());
    series.ci95 = figures.interval().zip(series.median).map(|(ends, median)| match lost {
        Some(widening) => ends.map(|end| median * (end / median).powf(widening)),
        None => ends,
    });
    let per_iteration = if series.unit == Unit::BytesPerSecond { series.bytes.max(1) as f64 } else { 1.0 };
    let threads = series.details.threads as f64;
    let cycles = |sample: &Sample| {
        // With several threads the wall time passes once for all of them: what a byte costs is the time of all.
        Some(sample.ns as f64 * threads * 1e-9 * sample.core_hz? / (sample.iterations as f64 * per_iteration))
    };
    series.cycles_per_byte = median(&mut series.kept().filter_map(cycles).collect::<Vec<_>>());
}

/// The `fraction` quantile of values that are not empty, by linear interpolation between order statistics.
fn quantile(values: &mut [f64], fraction: f64) -> f64 {
    values.sort_unstable_by(f64::total_cmp);
    let position = fraction * (values.len() - 1) as f64;
    let (low, high) = (values[position.floor() as usize], values[position.ceil() as usize]);
    low + (high - low) * position.fract()
}

/// A number below `bound`, by multiplication: the bias is below 2⁻³² for the sizes here.
fn below(random: &mut Xoshiro256PlusPlus, bound: usize) -> usize {
    ((u128::from(random.next_u64()) * bound as u128) >> 64) as usize
}

#[cfg(test)]
pub(crate) mod tests;
