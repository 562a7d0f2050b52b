//! Medians, intervals and paired comparisons.
//!
//! All results can be recomputed from a run document, since the bootstrap's random number generator has a fixed seed.

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

const RESAMPLES: usize = 1_000;
/// Seed of the bootstrap's random number generator, which is fixed so that intervals are reproducible.
const SEED: u64 = 0x6b61_736f_6b75;
/// Minimum number of samples for an interval.
pub const MIN_FOR_AN_INTERVAL: usize = 5;

/// Minimum noise floor, 0.1 %. The position of a loop in memory changes its speed by about this much.
pub const MIN_FLOOR: f64 = 0.001;

/// Returns the noise floor: the 97.5th percentile of the relative differences between a library and itself. The floor
/// is raised if there are few comparisons, and is at least [`MIN_FLOOR`]. Each item of `selves` holds the log ratios of
/// one comparison.
pub fn noise_floor(selves: &[Nested]) -> Option<f64> {
    floor_of(selves, student::of_few(selves.len()))
}

/// Like [`noise_floor`], but does not raise the floor if there are few comparisons. Use it for comparisons whose own
/// confidence intervals already include the variation between process starts.
pub fn self_difference(selves: &[Nested]) -> Option<f64> {
    floor_of(selves, 1.0)
}

/// Returns the noise floor of one algorithm, from its `own` comparisons and `all` comparisons of the run. A few
/// comparisons may agree by chance. If `own` has few, the floor is therefore at least the 90th percentile of `all`.
pub fn own_floor(own: &[Nested], all: &[Nested]) -> Option<f64> {
    if own.len() >= ENOUGH_SELVES {
        return noise_floor(own);
    }
    let floor = floor_of(own, student::of_few(all.len()))?;
    let mut medians: Vec<f64> = all.iter().filter_map(Nested::median).map(f64::abs).collect();
    Some(if medians.is_empty() { floor } else { floor.max(quantile(&mut medians, 0.9).exp_m1()) })
}

/// Returns the noise floor: the 97.5th percentile of `selves`, the comparisons of a library with itself, times `wider`.
/// The factor `wider` is the ratio of Student's quantile to the normal one. It compensates for few values, the largest
/// of which is below the true percentile.
fn floor_of(selves: &[Nested], wider: f64) -> Option<f64> {
    let mut medians: Vec<f64> = selves.iter().filter_map(Nested::median).map(f64::abs).collect();
    if medians.is_empty() {
        return None;
    }
    Some((wider * quantile(&mut medians, 0.975)).exp_m1().max(MIN_FLOOR))
}

/// Minimum number of comparisons of a library with itself (A/A controls) with which an algorithm's noise floor does not
/// depend on other algorithms.
pub const ENOUGH_SELVES: usize = 8;

/// Values grouped by process start. Rounds within one process share its memory layout, so they are not independent.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Nested {
    groups: BTreeMap<u32, Vec<f64>>,
}

impl Nested {
    /// Groups the figures of `series` by process, from the samples that count.
    pub fn figures(series: &Series) -> Nested {
        Nested::of(series.kept().map(|sample| (sample.process, series.figure(sample))))
    }

    pub fn of(values: impl IntoIterator<Item = (u32, f64)>) -> Nested {
        let mut nested = Nested::default();
        for (process, value) in values {
            nested.push(process, value);
        }
        nested
    }

    /// Adds a value if it is finite.
    pub fn push(&mut self, process: u32, value: f64) {
        if value.is_finite() {
            self.groups.entry(process).or_default().push(value);
        }
    }

    pub fn count(&self) -> usize {
        self.groups.values().map(Vec::len).sum()
    }

    pub fn values(&self) -> impl Iterator<Item = f64> {
        self.groups.values().flatten().copied()
    }

    pub fn median(&self) -> Option<f64> {
        median(&mut self.values().collect::<Vec<_>>())
    }

    /// Returns the 95 % interval of the median, computed by a percentile bootstrap.
    pub fn interval(&self) -> Option<[f64; 2]> {
        middle(&mut self.resampled_medians(SEED).collect::<Vec<_>>())
    }

    pub fn processes(&self) -> usize {
        self.groups.len()
    }

    /// Returns the medians of bootstrap resamples: draws processes with replacement, then rounds within each. Returns
    /// none if there are too few values. Independent samples need different seeds.
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

/// Returns the median; `None` if there are no values.
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

/// Estimates half the width of the 95 % interval of the median, relative to the median, from order statistics. This
/// takes a thousandth of a bootstrap's time, and shows where more samples are needed. Returns `None` for too few
/// values.
pub fn rough_half_width(values: &mut [f64]) -> Option<f64> {
    let last = values.len().checked_sub(1)?;
    if values.len() < MIN_FOR_AN_INTERVAL {
        return None;
    }
    values.sort_unstable_by(f64::total_cmp);
    // The number of n values below the median is binomial: n/2, within 0.98 √n in 95 of 100 cases.
    let (centre, reach) = (last as f64 / 2.0, 0.98 * (values.len() as f64).sqrt());
    let (low, high) = ((centre - reach).floor().max(0.0) as usize, (centre + reach).ceil() as usize);
    Some((values[high.min(last)] - values[low]) / (2.0 * values[last / 2].abs().max(f64::MIN_POSITIVE)))
}

/// Returns the lowest and the highest of the middle 95 % of the values; `None` if there are no values.
pub fn middle(values: &mut [f64]) -> Option<[f64; 2]> {
    if values.is_empty() { None } else { Some([quantile(values, 0.025), quantile(values, 0.975)]) }
}

/// Returns `true` for each value that differs from the median by more than five scaled median absolute deviations and
/// by more than 2 %.
pub fn outliers(values: &[f64]) -> Vec<bool> {
    let Some(centre) = median(&mut values.to_vec()) else { return Vec::new() };
    let mut deviations: Vec<f64> = values.iter().map(|value| (value - centre).abs()).collect();
    // 1.4826 scales the MAD to the standard deviation of a normal distribution.
    let scale = 1.4826 * median(&mut deviations).unwrap_or(0.0);
    let limit = (5.0 * scale).max(0.02 * centre.abs());
    values.iter().map(|value| scale > 0.0 && (value - centre).abs() > limit).collect()
}

/// Computes the fields `median`, `ci95` and `cycles_per_byte` of `series` from its samples.
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
        // Wall time passes once for all threads; a byte costs the time of all of them.
        Some(sample.ns as f64 * threads * 1e-9 * sample.core_hz? / (sample.iterations as f64 * per_iteration))
    };
    series.cycles_per_byte = median(&mut series.kept().filter_map(cycles).collect::<Vec<_>>());
}

/// Returns the `fraction` quantile by linear interpolation between order statistics. `values` must not be empty.
fn quantile(values: &mut [f64], fraction: f64) -> f64 {
    values.sort_unstable_by(f64::total_cmp);
    let position = fraction * (values.len() - 1) as f64;
    let (low, high) = (values[position.floor() as usize], values[position.ceil() as usize]);
    low + (high - low) * position.fract()
}

/// Returns a random number below `bound`, computed by multiplication. The bias is below 2⁻³² for the bounds used here.
fn below(random: &mut Xoshiro256PlusPlus, bound: usize) -> usize {
    ((u128::from(random.next_u64()) * bound as u128) >> 64) as usize
}

#[cfg(test)]
pub(crate) mod tests;
