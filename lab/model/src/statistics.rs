//! Medians, intervals and paired comparisons.
//!
//! Everything here can be computed again from a run document: the bootstrap's generator has a fixed seed.

mod disturbed;
mod paired;
#[cfg(test)]
mod simulation;
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

/// A series of these samples, for tests.
#[cfg(test)]
fn series_of(samples: Vec<Sample>) -> Series {
    use crate::acceleration::Acceleration;
    use crate::algorithm::Algorithm;
    use crate::workload::{Operation, Workload};
    let workload = Workload::new(Operation::Hash, Algorithm::Sha256, 1000);
    let empty = Series::empty(
        crate::level::Level::Primitives,
        &workload,
        "test",
        "1".to_owned(),
        Acceleration::On,
        Unit::BytesPerSecond,
    );
    Series { samples, outcome: crate::document::Outcome::Measured, ..empty }
}

/// A number of the standard normal distribution, for tests: twelve uniforms less six have variance 1 (Irwin-Hall).
#[cfg(test)]
fn normal(random: &mut Xoshiro256PlusPlus) -> f64 {
    (0..12).map(|_| uniform(random)).sum::<f64>() - 6.0
}

/// A number from 0 to 1, for tests.
#[cfg(test)]
fn uniform(random: &mut Xoshiro256PlusPlus) -> f64 {
    (random.next_u64() >> 11) as f64 / (1u64 << 53) as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use statrs::statistics::{Data, Median, OrderStatistics};

    fn series(ns: impl IntoIterator<Item = f64>) -> Series {
        let samples = ns.into_iter().enumerate().map(|(index, ns)| Sample {
            process: index as u32 / 10,
            round: index as u32,
            iterations: 100,
            ns: ns as u64,
            cpu_ns: ns as u64,
            core_hz: Some(2e9),
            ..Sample::default()
        });
        series_of(samples.collect())
    }

    proptest! {
        #[test]
        fn the_median_and_quantiles_are_those_of_statrs(values in prop::collection::vec(-1e6f64..1e6, 1..60)) {
            let mut data = Data::new(values.clone());
            prop_assert!((median(&mut values.clone()).unwrap() - data.median()).abs() < 1e-6);
            // statrs uses another definition between order statistics; the two lie within one step of each other.
            let ours = quantile(&mut values.clone(), 0.5);
            prop_assert!(ours >= data.lower_quartile() && ours <= data.upper_quartile());
        }

        #[test]
        fn a_sample_that_is_not_finite_changes_nothing(values in prop::collection::vec(0.1f64..10.0, 5..30)) {
            let clean = Nested::of(values.iter().map(|&v| (0, v)));
            let dirty = Nested::of(values.iter().map(|&v| (0, v)).chain([(0, f64::NAN), (1, f64::INFINITY)]));
            prop_assert_eq!(clean.interval(), dirty.interval());
        }
    }

    #[test]
    fn the_interval_holds_the_truth_about_as_often_as_it_says() {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(7);
        let mut covered = 0;
        for _ in 0..300 {
            let nested = Nested::of((0..30).map(|_| (0, 5.0 + normal(&mut random))));
            let [low, high] = nested.interval().unwrap();
            covered += usize::from(low <= 5.0 && 5.0 <= high);
        }
        // 95 % of 300 is 285; a percentile bootstrap of a median at n = 30 covers about 93 to 95 %.
        assert!((268..=297).contains(&covered), "{covered} of 300 intervals hold the median");
    }

    #[test]
    fn differences_between_processes_widen_the_interval() {
        let within = Nested::of((0..30).map(|i| (i / 10, f64::from(i % 10))));
        let between = Nested::of((0..30).map(|i| (i / 10, f64::from(i / 10) * 10.0 + f64::from(i % 10) * 0.01)));
        let width = |nested: &Nested| nested.interval().map(|[low, high]| high - low).unwrap();
        assert!(width(&between) > 2.0 * width(&within));
    }

    #[test]
    fn a_slow_down_above_the_floor_is_shown_and_one_below_is_not() {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(3);
        let mut noisy = |scale: f64| series((0..30).map(|_| 1e6 * scale * (1.0 + 0.005 * normal(&mut random))));
        let (base, slow, same) = (noisy(1.0), noisy(1.02), noisy(1.0));
        let slower = compare(&slow, &base, 0.005).unwrap();
        assert!(slower.is_shown && (slower.ratio - 1.0 / 1.02).abs() < 0.005, "{slower:?}");
        assert!(!compare(&same, &base, 0.005).unwrap().is_shown);
        assert!(!compare(&slow, &base, 0.05).unwrap().is_shown);
    }

    #[test]
    fn a_common_drift_cancels_in_pairs() {
        let drift = |i: i32| 1.0 + 0.3 * f64::from(i % 7);
        let base = series((0..30).map(|i| 1e6 * drift(i)));
        let slow = series((0..30).map(|i| 1.05e6 * drift(i)));
        let comparison = compare(&base, &slow, 0.001).unwrap();
        assert!((comparison.ratio - 1.05).abs() < 1e-4 && comparison.is_shown);
    }

    #[test]
    fn dropped_samples_and_too_few_rounds_support_nothing() {
        let mut base = series((0..30).map(|_| 1e6));
        let other = series((0..30).map(|_| 1e6));
        base.samples.iter_mut().skip(3).for_each(|sample| sample.dropped = true);
        assert_eq!(compare(&base, &other, 0.0), None);
        summarize(&mut base);
        assert_eq!(base.ci95, None);
        assert!(base.median.is_some());
    }

    #[test]
    fn cycles_per_byte_follow_from_the_core_clock() {
        let mut one = series([1e6, 1e6, 1e6, 1e6, 1e6]);
        summarize(&mut one);
        // 1 ms at 2 GHz is 2e6 cycles, for 100 times 1000 bytes.
        assert!((one.cycles_per_byte.unwrap() - 20.0).abs() < 1e-9);
        assert!((one.median.unwrap() - 1e8).abs() < 1.0);
    }

    #[test]
    fn the_floor_is_what_a_library_shows_against_itself() {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(11);
        let selves: Vec<Nested> =
            (0..8).map(|_| Nested::of((0..30).map(|i| (i / 10, 0.01 * normal(&mut random))))).collect();
        let floor = noise_floor(&selves).unwrap();
        assert!(floor > 0.001 && floor < 0.01, "{floor}");
        assert_eq!(noise_floor(&[Nested::of([(0, 0.0)])]), Some(MIN_FLOOR));
        assert_eq!(noise_floor(&[]), None);
        let lucky = [Nested::of([(0, 0.0)])];
        assert!(own_floor(&lucky, &selves).unwrap() > MIN_FLOOR, "one lucky comparison is no floor");
        assert_eq!(own_floor(&selves, &lucky), Some(floor));
    }

    #[test]
    fn the_rough_width_is_about_that_of_the_interval() {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(5);
        let mut ratios: Vec<f64> = Vec::new();
        for count in [5, 8, 10, 15, 30, 60] {
            for _ in 0..20 {
                let mut values: Vec<f64> = (0..count).map(|_| 100.0 + normal(&mut random)).collect();
                let [low, high] = Nested::of(values.iter().map(|&value| (0, value))).interval().unwrap();
                ratios.push(rough_half_width(&mut values).unwrap() / ((high - low) / 200.0));
            }
        }
        let typical = median(&mut ratios).unwrap();
        assert!((0.8..1.5).contains(&typical), "{typical}");
        assert_eq!(rough_half_width(&mut [1.0, 2.0, 3.0, 4.0]), None);
    }

    #[test]
    fn outliers_are_marked() {
        let mut values = vec![1.0, 1.01, 0.99, 1.02, 0.98, 1.0, 1.01];
        values.push(2.0);
        assert_eq!(outliers(&values), [false, false, false, false, false, false, false, true]);
    }
}
