//! Medians, intervals and paired comparisons.
//!
//! Everything here can be computed again from a run document: the bootstrap's generator has a fixed seed.

use std::collections::BTreeMap;

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

use crate::document::{Sample, Series, Unit};

/// Bootstrap resamples for an interval.
const RESAMPLES: usize = 1_000;
/// Where the bootstrap's generator begins, so that an interval is the same whenever it is computed.
const SEED: u64 = 0x6b61_736f_6b75;
/// Fewer samples than this support no interval.
const MIN_FOR_AN_INTERVAL: usize = 5;

/// No difference below 0.1 % is claimed, however steady the machine: a loop's place in memory is worth as much.
pub const SMALLEST_FLOOR: f64 = 0.001;

/// How one series compares with another that was measured in the same rounds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Comparison {
    /// The first series' figure over the second's: the exponential of the median of per-round log ratios.
    pub ratio: f64,
    /// Its 95 % interval, by bootstrap over rounds nested in processes.
    pub ci95: [f64; 2],
    /// Rounds in which both have a sample that counts.
    pub pairs: usize,
    /// Whether a difference may be claimed: the whole interval lies beyond the noise floor.
    pub is_shown: bool,
}

/// Compares `first` with `second` by the rounds they share; `floor` is the smallest relative difference that counts.
/// `None` if they share too few rounds for an interval.
pub fn compare(first: &Series, second: &Series, floor: f64) -> Option<Comparison> {
    let ratios = log_ratios(first, second);
    let pairs = ratios.count();
    let [low, high] = ratios.interval()?;
    let limit = (1.0 + floor).ln();
    Some(Comparison {
        ratio: ratios.median()?.exp(),
        ci95: [low.exp(), high.exp()],
        pairs,
        is_shown: low > limit || high < -limit,
    })
}

/// The logarithms of `first`'s figure over `second`'s, for each round in which both have a sample that counts.
pub fn log_ratios(first: &Series, second: &Series) -> Nested {
    // What both have is looked up in the shorter one: many may be held against one long one.
    let is_first_shorter = first.samples.len() < second.samples.len();
    let (short, long) = if is_first_shorter { (first, second) } else { (second, first) };
    let round = |sample: &Sample| (sample.process, sample.round);
    let mut of_short: Vec<_> = short.kept().map(|sample| (round(sample), short.figure(sample))).collect();
    of_short.sort_by_key(|(round, _)| *round);
    let mut nested = Nested::default();
    for sample in long.kept() {
        if let Ok(place) = of_short.binary_search_by_key(&round(sample), |(round, _)| *round) {
            let (own, other) = (long.figure(sample), of_short[place].1);
            let ratio = if is_first_shorter { other / own } else { own / other };
            nested.push(sample.process, ratio.ln());
        }
    }
    nested
}

/// The noise floor: the 97.5th percentile of the relative differences that measuring a library against itself shows, each
/// the median of its log ratios; at least [`SMALLEST_FLOOR`]. `None` of nothing.
pub fn noise_floor(selves: &[Nested]) -> Option<f64> {
    let mut medians: Vec<f64> = selves.iter().filter_map(Nested::median).map(f64::abs).collect();
    if medians.is_empty() { None } else { Some(quantile(&mut medians, 0.975).exp_m1().max(SMALLEST_FLOOR)) }
}

/// The noise floor of one algorithm, of which `own` is known, in a run in which `all` is. A few comparisons may come out
/// well by luck, so with few of them it is not below what nine in ten of the whole run show.
pub fn own_floor(own: &[Nested], all: &[Nested]) -> Option<f64> {
    let floor = noise_floor(own)?;
    if own.len() >= ENOUGH_SELVES {
        return Some(floor);
    }
    let mut medians: Vec<f64> = all.iter().filter_map(Nested::median).map(f64::abs).collect();
    Some(if medians.is_empty() { floor } else { floor.max(quantile(&mut medians, 0.9).exp_m1()) })
}

/// So many comparisons with itself tell an algorithm's floor alone.
const ENOUGH_SELVES: usize = 8;

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

    /// The median of all values.
    pub fn median(&self) -> Option<f64> {
        median(&mut self.groups.values().flatten().copied().collect::<Vec<_>>())
    }

    /// The 95 % interval of the median: percentile bootstrap, processes drawn with replacement, then rounds within each.
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
    series.ci95 = figures.interval();
    let per_iteration = if series.unit == Unit::BytesPerSecond { series.bytes.max(1) as f64 } else { 1.0 };
    let threads = series.threads() as f64;
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
mod tests {
    use super::*;
    use crate::acceleration::Acceleration;
    use crate::algorithm::Algorithm;
    use crate::document::Outcome;
    use crate::library::Role;
    use crate::workload::Operation;
    use proptest::prelude::*;
    use statrs::statistics::{Data, Median, OrderStatistics};

    fn normal(random: &mut Xoshiro256PlusPlus) -> f64 {
        // Irwin-Hall: twelve uniforms less six have variance 1.
        (0..12).map(|_| (random.next_u64() >> 11) as f64 / (1u64 << 53) as f64).sum::<f64>() - 6.0
    }

    fn series(ns: impl IntoIterator<Item = f64>) -> Series {
        let samples = ns.into_iter().enumerate().map(|(index, ns)| Sample {
            process: index as u32 / 10,
            round: index as u32,
            iterations: 100,
            ns: ns as u64,
            cpu_ns: ns as u64,
            dropped: false,
            core_hz: Some(2e9),
            sides: None,
        });
        Series {
            level: "primitives".into(),
            operation: Operation::Hash,
            algorithm: Algorithm::Sha256,
            bytes: 1000,
            library: "test".into(),
            library_version: "1".into(),
            acceleration: Acceleration::On,
            code_path: "unknown".into(),
            unit: Unit::BytesPerSecond,
            samples: samples.collect(),
            median: None,
            ci95: None,
            cycles_per_byte: None,
            outcome: Outcome::Measured,
            role: Role::Library,
            note: None,
            parameters: Default::default(),
        }
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
        assert_eq!(noise_floor(&[Nested::of([(0, 0.0)])]), Some(SMALLEST_FLOOR));
        assert_eq!(noise_floor(&[]), None);
        let lucky = [Nested::of([(0, 0.0)])];
        assert!(own_floor(&lucky, &selves).unwrap() > SMALLEST_FLOOR, "one lucky comparison is no floor");
        assert_eq!(own_floor(&selves, &lucky), Some(floor));
    }

    #[test]
    fn outliers_are_marked() {
        let mut values = vec![1.0, 1.01, 0.99, 1.02, 0.98, 1.0, 1.01];
        values.push(2.0);
        assert_eq!(outliers(&values), [false, false, false, false, false, false, false, true]);
    }
}
