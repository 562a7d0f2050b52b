use proptest::prelude::*;
use statrs::statistics::{Data, Median, OrderStatistics};

use super::*;
use crate::acceleration::Acceleration;
use crate::algorithm::Algorithm;
use crate::document::{Document, Outcome, Run, SCHEMA};
use crate::level::Level;
use crate::workload::{Operation, Workload};

/// Returns a verified series of the library OpenSSL.
pub(crate) fn series_of(algorithm: Algorithm, bytes: usize, samples: Vec<Sample>) -> Series {
    let workload = Workload::new(Operation::of(algorithm.kind())[0], algorithm, bytes);
    let (state, unit) = (Acceleration::On, Unit::BytesPerSecond);
    let empty = Series::empty(Level::Primitives, &workload, "openssl", "3.0.19".to_owned(), state, unit);
    Series { samples, outcome: Outcome::Measured, ..empty }
}

/// Returns the document of a complete run.
pub(crate) fn document(series: Vec<Series>) -> Document {
    let run = Run { id: "a".into(), complete: true, ..Run::default() };
    Document { schema: SCHEMA, run, machine: crate::document::Machine::default(), series }
}

/// Returns a random number from the standard normal distribution. The sum of twelve uniform numbers minus six has
/// variance 1 (Irwin-Hall).
pub(crate) fn normal(random: &mut Xoshiro256PlusPlus) -> f64 {
    (0..12).map(|_| uniform(random)).sum::<f64>() - 6.0
}

fn uniform(random: &mut Xoshiro256PlusPlus) -> f64 {
    (random.next_u64() >> 11) as f64 / (1u64 << 53) as f64
}

fn sampled(samples: Vec<Sample>) -> Series {
    series_of(Algorithm::Sha256, 1000, samples)
}

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
    sampled(samples.collect())
}

proptest! {
    #[test]
    fn median_and_quantile_agree_with_statrs(values in prop::collection::vec(-1e6f64..1e6, 1..60)) {
        let mut data = Data::new(values.clone());
        prop_assert!((median(&mut values.clone()).unwrap() - data.median()).abs() < 1e-6);
        // statrs uses another definition between order statistics; the two lie within one step of each other.
        let ours = quantile(&mut values.clone(), 0.5);
        prop_assert!(ours >= data.lower_quartile() && ours <= data.upper_quartile());
    }

    #[test]
    fn interval_of_nested_samples_ignores_non_finite_values(values in prop::collection::vec(0.1f64..10.0, 5..30)) {
        let clean = Nested::of(values.iter().map(|&v| (0, v)));
        let dirty = Nested::of(values.iter().map(|&v| (0, v)).chain([(0, f64::NAN), (1, f64::INFINITY)]));
        prop_assert_eq!(clean.interval(), dirty.interval());
    }
}

#[test]
fn interval_covers_the_median_in_about_95_percent() {
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
fn compare_shows_differences_above_the_floor_only() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(3);
    let mut noisy = |scale: f64| series((0..30).map(|_| 1e6 * scale * (1.0 + 0.005 * normal(&mut random))));
    let (base, slow, same) = (noisy(1.0), noisy(1.02), noisy(1.0));
    let slower = compare(&slow, &base, 0.005).unwrap();
    assert!(slower.is_shown && (slower.ratio - 1.0 / 1.02).abs() < 0.005, "{slower:?}");
    assert!(!compare(&same, &base, 0.005).unwrap().is_shown);
    assert!((0.005..0.02).contains(&slower.least_shown), "{slower:?}");
    assert!(!compare(&slow, &base, 0.05).unwrap().is_shown);
}

#[test]
fn common_drift_cancels_in_paired_ratios() {
    let drift = |i: i32| 1.0 + 0.3 * f64::from(i % 7);
    let base = series((0..30).map(|i| 1e6 * drift(i)));
    let slow = series((0..30).map(|i| 1.05e6 * drift(i)));
    let comparison = compare(&base, &slow, 0.001).unwrap();
    assert!((comparison.ratio - 1.05).abs() < 1e-4 && comparison.is_shown);
}

#[test]
fn too_few_undropped_samples_give_no_interval() {
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
fn noise_floor_comes_from_self_comparisons() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(11);
    let selves: Vec<Nested> =
        (0..8).map(|_| Nested::of((0..30).map(|i| (i / 10, 0.01 * normal(&mut random))))).collect();
    let floor = noise_floor(&selves).unwrap();
    assert!(floor > 0.001 && floor < 0.01, "{floor}");
    assert_eq!(noise_floor(&[Nested::of([(0, 0.0)])]), Some(MIN_FLOOR));
    assert_eq!(noise_floor(&[]), None);
    let lucky = [Nested::of([(0, 0.0)])];
    assert!(own_floor(&lucky, &selves).unwrap() > MIN_FLOOR, "a single comparison does not replace the common floor");
    assert_eq!(own_floor(&selves, &lucky), Some(floor));
}

#[test]
fn rough_half_width_approximates_the_bootstrap() {
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
fn outliers_marks_distant_values() {
    let mut values = vec![1.0, 1.01, 0.99, 1.02, 0.98, 1.0, 1.01];
    values.push(2.0);
    assert_eq!(outliers(&values), [false, false, false, false, false, false, false, true]);
}

/// Simulated machine. Its noise is given as standard deviations of the logarithms of times.
#[derive(Clone, Copy, Debug)]
struct Machine {
    /// Number of starts of each worker, and number of rounds in each start.
    extent: (u32, u32),
    noise: f64,
    between_starts: f64,
    /// Noise that differs between workers of one library but is equal in all starts of a worker. Its cause is the
    /// placement of code in memory.
    between_workers: f64,
    /// Share of disturbed slices that the laboratory notices. A busy neighbour disturbs half of the time, for several
    /// rounds in a row. `None` simulates a machine without a neighbour.
    noticed: Option<f64>,
}

const QUIET: Machine =
    Machine { extent: (10, 3), noise: 0.004, between_starts: 0.001, between_workers: 0.0, noticed: None };
const BESIDE: Machine = Machine { noticed: Some(0.97), ..QUIET };

/// Returns four series that share their rounds: a library, the same library again, a library that takes `factor` times
/// as long, and an A/A control.
fn line(machine: Machine, factor: f64, random: &mut Xoshiro256PlusPlus) -> [Series; 4] {
    // A separate generator, so that differences between workers do not change the noise.
    let mut places = Xoshiro256PlusPlus::seed_from_u64(random.clone().next_u64());
    let mut line = [1.0, 1.0, factor, 1.0]
        .map(|scale| (scale * (machine.between_workers * normal(&mut places)).exp(), Vec::new()));
    let mut is_beside = uniform(random) < 0.5;
    for process in 0..machine.extent.0 {
        let offsets = [(); 4].map(|()| machine.between_starts * normal(random));
        for of_start in 0..machine.extent.1 {
            is_beside = machine.noticed.is_some() && (is_beside == (uniform(random) < 0.75));
            for ((scale, samples), offset) in line.iter_mut().zip(offsets) {
                // Short messages take about 1.7 times as long beside a busy neighbour.
                let slowdown = if is_beside { 1.0 + 0.7 * (0.7 + 0.6 * uniform(random)) } else { 1.0 };
                let log: f64 = offset + machine.noise * normal(random);
                let ns = (1e6 * *scale * slowdown * log.exp()) as u64;
                let is_noticed = uniform(random) < if is_beside { machine.noticed.unwrap_or(0.0) } else { 0.01 };
                let round = process * machine.extent.1 + of_start;
                samples.push(Sample {
                    process,
                    round,
                    iterations: 100,
                    ns,
                    cpu_ns: ns,
                    dropped: is_noticed,
                    ..Sample::default()
                });
            }
        }
    }
    let mut line = line.map(|(_, samples)| sampled(samples));
    spare(&mut line);
    line.iter_mut().for_each(summarize);
    line
}

/// Marks the disturbed samples of `line` that count nevertheless, and returns their indexes.
fn spare(line: &mut [Series; 4]) -> Vec<Vec<usize>> {
    let spared = spared(&line.each_ref());
    for (series, places) in line.iter_mut().zip(&spared) {
        for &place in places {
            (series.samples[place].dropped, series.samples[place].disturbed) = (false, true);
        }
    }
    spared
}

/// Numbers of comparisons of a library with itself and with a slower one, by their outcome.
#[derive(Debug, Default)]
struct Claims {
    all: usize,
    claimed_of_same: usize,
    found_of_slow: usize,
    intervals: usize,
    /// Number of comparisons without an interval.
    lost: usize,
}

/// Makes about a thousand comparisons of each kind, `of_algorithm` for each algorithm. Every fourth has an A/A control.
fn outcome_of(of_algorithm: usize, machine: Machine, slower: f64) -> Claims {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(18);
    let mut outcome = Claims::default();
    for algorithm in 0..1020 / of_algorithm {
        let machine = Machine { noise: machine.noise * [0.5, 1.0, 2.0][algorithm % 3], ..machine };
        let lines: Vec<[Series; 4]> = (0..of_algorithm).map(|_| line(machine, 1.0 + slower, &mut random)).collect();
        let selves: Vec<Nested> =
            lines.iter().step_by(4).map(|[base, .., control]| log_ratios(control, base)).collect();
        let floor = own_floor(&selves, &selves).unwrap();
        for [base, same, slow, _] in &lines {
            outcome.all += 1;
            outcome.intervals += usize::from([base, same, slow].iter().all(|series| series.ci95.is_some()));
            outcome.lost += usize::from(compare(same, base, floor).is_none());
            outcome.claimed_of_same += usize::from(compare(same, base, floor).is_some_and(|one| one.is_shown));
            outcome.found_of_slow +=
                usize::from(compare(slow, base, floor).is_some_and(|one| one.is_shown && one.ratio < 1.0));
        }
    }
    outcome
}

#[test]
fn only_real_differences_are_claimed_on_simulated_machines() {
    let quick = Machine { extent: (5, 2), ..BESIDE };
    let half_noticed = Machine { noticed: Some(0.5), ..BESIDE };
    for (machine, slower, min_percent) in
        [(QUIET, 0.02, 95), (BESIDE, 0.05, 90), (quick, 0.05, 0), (half_noticed, 0.05, 0)]
    {
        let Claims { all, claimed_of_same, found_of_slow, intervals, lost } = outcome_of(34, machine, slower);
        assert_eq!((claimed_of_same, intervals, lost), (0, all, 0), "{machine:?}");
        assert!(found_of_slow * 100 >= all * min_percent, "found {found_of_slow} of {all} differences: {machine:?}");
    }
}

/// The placement of code in memory differs between workers. No interval shows that, but the noise floor covers it.
#[test]
fn equal_workers_are_claimed_to_differ_in_at_most_3_percent_of_runs() {
    for of_algorithm in [10, 12, 34] {
        let machine = Machine { extent: (10, 9), between_workers: 0.002, ..QUIET };
        let Claims { all, claimed_of_same, found_of_slow, .. } = outcome_of(of_algorithm, machine, 0.05);
        assert!(claimed_of_same * 100 <= all * 3, "claimed {claimed_of_same} of {all} equal workers to differ");
        assert!(found_of_slow * 100 >= all * 95, "found {found_of_slow} of {all} differences");
    }
}

#[test]
fn large_differences_are_shown_even_if_all_samples_are_disturbed() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(4);
    let mut line = line(QUIET, 20.0, &mut random);
    for series in &mut line {
        series.samples.iter_mut().for_each(|sample| (sample.dropped, sample.disturbed) = (true, false));
    }
    let spared = spare(&mut line);
    assert!(spared.iter().all(|places| places.len() == 10), "keeps a third of the samples: {spared:?}");
    let [base, same, slow, _] = &line;
    assert!(compare(slow, base, 0.001).unwrap().is_shown);
    assert!(!compare(same, base, 0.001).unwrap().is_shown);
}

#[test]
fn spared_selects_the_least_disturbed_rounds() {
    let mut slow = sampled(Vec::new());
    for (round, times) in [1.0, 1.7, 1.2, 1.6, 1.3, 1.5, 1.4, 1.1].into_iter().enumerate() {
        let sample = Sample {
            round: round as u32,
            iterations: 1,
            ns: (1e6 * times) as u64,
            dropped: times > 1.0,
            ..Sample::default()
        };
        slow.samples.push(sample);
    }
    let mut other = slow.clone();
    other.samples[7].dropped = false;
    let mut spared = spared(&[&slow, &other]);
    spared.iter_mut().for_each(|places| places.sort_unstable());
    assert_eq!(spared, [vec![2, 4, 6, 7], vec![2, 4, 6]], "five of each series remain, in the same rounds");
    let few = Series { samples: slow.samples[1..4].to_vec(), ..slow };
    assert_eq!(super::spared(&[&few]), [[1]], "of fewer samples, a third remains");
}
