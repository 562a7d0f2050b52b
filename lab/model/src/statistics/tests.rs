use proptest::prelude::*;
use statrs::statistics::{Data, Median, OrderStatistics};

use super::*;
use crate::acceleration::Acceleration;
use crate::algorithm::Algorithm;
use crate::document::{Document, Outcome, Run, SCHEMA};
use crate::level::Level;
use crate::workload::{Operation, Workload};

/// A verified series of OpenSSL, for tests.
pub(crate) fn series_of(algorithm: Algorithm, bytes: usize, samples: Vec<Sample>) -> Series {
    let workload = Workload::new(Operation::of(algorithm.kind())[0], algorithm, bytes);
    let (state, unit) = (Acceleration::On, Unit::BytesPerSecond);
    let empty = Series::empty(Level::Primitives, &workload, "openssl", "3.0.19".to_owned(), state, unit);
    Series { samples, outcome: Outcome::Measured, ..empty }
}

/// The document of a complete run, for tests.
pub(crate) fn document(series: Vec<Series>) -> Document {
    let run = Run { id: "a".into(), complete: true, ..Run::default() };
    Document { schema: SCHEMA, run, machine: crate::document::Machine::default(), series }
}

/// A number of the standard normal distribution, for tests: twelve uniforms less six have variance 1 (Irwin-Hall).
pub(crate) fn normal(random: &mut Xoshiro256PlusPlus) -> f64 {
    (0..12).map(|_| uniform(random)).sum::<f64>() - 6.0
}

/// A number from 0 to 1.
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

// What the rules claim and find on simulated machines, quiet ones and such with a neighbour half of the time.

/// How a machine behaves.
#[derive(Clone, Copy)]
struct Machine {
    /// Starts of each worker, and rounds in each.
    extent: (u32, u32),
    /// By how much slices differ, and by how much starts do.
    noise: f64,
    between_starts: f64,
    /// By how much two workers of the same library differ in all of their starts, by where their code comes to lie.
    between_workers: f64,
    /// Whether there is a neighbour, half of the time and for several rounds on end, and how much of it is noticed.
    noticed: Option<f64>,
}

const QUIET: Machine =
    Machine { extent: (10, 3), noise: 0.004, between_starts: 0.001, between_workers: 0.0, noticed: None };
const BESIDE: Machine = Machine { noticed: Some(0.97), ..QUIET };

/// A library, itself twice more, and one that takes `factor` as long, all in the same rounds.
fn line(machine: Machine, factor: f64, random: &mut Xoshiro256PlusPlus) -> [Series; 4] {
    // A generator of its own: what two workers differ by leaves the noise as it is.
    let mut places = Xoshiro256PlusPlus::seed_from_u64(random.clone().next_u64());
    let mut line = [1.0, 1.0, factor, 1.0]
        .map(|scale| (scale * (machine.between_workers * normal(&mut places)).exp(), Vec::new()));
    let mut is_beside = uniform(random) < 0.5;
    for process in 0..machine.extent.0 {
        let offsets = [(); 4].map(|()| machine.between_starts * normal(random));
        for of_start in 0..machine.extent.1 {
            is_beside = machine.noticed.is_some() && (is_beside == (uniform(random) < 0.75));
            for ((scale, samples), offset) in line.iter_mut().zip(offsets) {
                // Short messages take 1.7 times as long beside a busy neighbour, some more and some less.
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
    let spared = spared(&line.each_ref());
    for (series, places) in line.iter_mut().zip(spared) {
        for place in places {
            (series.samples[place].dropped, series.samples[place].disturbed) = (false, true);
        }
        summarize(series);
    }
    line
}

/// What came of comparisons of a library with itself, and with one that is slower.
#[derive(Debug, Default)]
struct Claims {
    all: usize,
    claimed_of_same: usize,
    found_of_slow: usize,
    intervals: usize,
    /// Comparisons that have none.
    lost: usize,
}

/// A thousand comparisons of each kind: thirty algorithms, every fourth workload of which has a control.
fn outcome(machine: Machine, slower: f64) -> Claims {
    outcome_of(34, machine, slower)
}

/// About a thousand comparisons of each kind, `of_algorithm` of each algorithm, of which nothing else is known.
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
fn a_quiet_machine_tells_two_percent_and_claims_nothing_else() {
    let Claims { all, claimed_of_same, found_of_slow, intervals, lost } = outcome(QUIET, 0.02);
    assert_eq!((claimed_of_same, intervals, lost), (0, all, 0));
    assert!(found_of_slow * 100 >= all * 95, "{found_of_slow} of {all}");
}

#[test]
fn with_a_neighbour_half_of_the_time_five_percent_are_found_and_nothing_else_is_claimed() {
    let Claims { all, claimed_of_same, found_of_slow, intervals, lost } = outcome(BESIDE, 0.05);
    assert_eq!((claimed_of_same, intervals, lost), (0, all, 0));
    assert!(found_of_slow * 100 >= all * 90, "{found_of_slow} of {all}");
}

#[test]
fn a_quick_run_beside_a_neighbour_has_every_interval_and_claims_nothing() {
    let outcome = outcome(Machine { extent: (5, 2), ..BESIDE }, 0.05);
    assert_eq!((outcome.claimed_of_same, outcome.intervals, outcome.lost), (0, outcome.all, 0), "{outcome:?}");
}

/// Where the place of the code is worth as much as all else, no interval tells it: that is what the floor is for.
#[test]
fn what_two_workers_of_a_library_differ_by_is_seldom_claimed_however_few_were_held_against_themselves() {
    for of_algorithm in [10, 12, 34] {
        let machine = Machine { extent: (10, 9), between_workers: 0.002, ..QUIET };
        let Claims { all, claimed_of_same, found_of_slow, .. } = outcome_of(of_algorithm, machine, 0.05);
        assert!(claimed_of_same * 100 <= all * 3, "{claimed_of_same} of {all}");
        assert!(found_of_slow * 100 >= all * 95, "{found_of_slow} of {all}");
    }
}

#[test]
fn a_neighbour_of_whom_half_is_not_noticed_makes_no_claims() {
    let outcome = outcome(Machine { noticed: Some(0.5), ..BESIDE }, 0.05);
    assert_eq!((outcome.claimed_of_same, outcome.intervals, outcome.lost), (0, outcome.all, 0), "{outcome:?}");
}

#[test]
fn where_it_is_never_quiet_what_is_plain_is_found_all_the_same() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(4);
    let mut line = line(QUIET, 20.0, &mut random);
    for series in &mut line {
        series.samples.iter_mut().for_each(|sample| (sample.dropped, sample.disturbed) = (true, false));
    }
    let spared = spared(&line.each_ref());
    assert!(spared.iter().all(|places| places.len() == 10), "a third: {spared:?}");
    for (series, places) in line.iter_mut().zip(spared) {
        places.into_iter().for_each(|place| {
            series.samples[place] = Sample { dropped: false, disturbed: true, ..series.samples[place] }
        });
    }
    let [base, same, slow, _] = &line;
    assert!(compare(slow, base, 0.001).unwrap().is_shown);
    assert!(!compare(same, base, 0.001).unwrap().is_shown);
}

#[test]
fn the_least_disturbed_rounds_of_all_are_spared() {
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
    assert_eq!(spared, [vec![2, 4, 6, 7], vec![2, 4, 6]], "five of either are left, in the same rounds");
    let few = Series { samples: slow.samples[1..4].to_vec(), ..slow };
    assert_eq!(super::spared(&[&few]), [[1]], "where fewer were taken, a third");
}
