use proptest::prelude::*;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;

use super::*;
use crate::document::{Experiment, MemoryDetails, Origin, Outcome, Sample, ServerDetails};
use crate::statistics::tests::{document, normal, series_of};
use crate::workload::Served;

/// Relative noise of samples, between and within processes.
#[derive(Clone, Copy)]
struct Noise {
    processes: u32,
    between: f64,
    within: f64,
}

const STEADY: Noise = Noise { processes: 10, between: 0.002, within: 0.002 };

fn series(random: &mut Xoshiro256PlusPlus, bytes: usize, rate: f64, noise: Noise) -> Series {
    let mut samples = Vec::new();
    for process in 0..noise.processes {
        let start = 1.0 + noise.between * normal(random);
        for round in 0..30 / noise.processes {
            let ns = 1e9 * bytes as f64 * 1000.0 / rate * start * (1.0 + noise.within * normal(random)).max(0.5);
            let ns = ns.max(1.0) as u64;
            let round = process * 30 / noise.processes + round;
            samples.push(Sample { process, round, iterations: 1000, ns, cpu_ns: ns, ..Sample::default() });
        }
    }
    series_of(Algorithm::Aes128Gcm, bytes, samples)
}

fn steady(bytes: usize, rate: f64) -> Series {
    series(&mut Xoshiro256PlusPlus::seed_from_u64(1), bytes, rate, STEADY)
}

fn quoted(mut series: Series, figure: f64) -> Series {
    series.samples.clear();
    series.outcome = Outcome::Unverified;
    series.median = Some(figure);
    series
}

#[test]
fn compare_lists_slower_workloads_before_faster_ones() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(5);
    let mut run = |slow: f64, fast: f64| {
        let rates = (1..=20).map(|step| {
            let change = if step == 7 { slow } else { 1.0 };
            (step * 16, 1e9 * change * if step == 12 { fast } else { 1.0 })
        });
        document(rates.map(|(bytes, rate)| series(&mut random, bytes, rate, STEADY)).collect())
    };
    let (before, after) = (run(1.0, 1.0), run(0.95, 1.08));
    let runs = compare(&before, &after, 0.0);
    let verdicts: Vec<_> = runs.pairs.iter().map(|pair| (pair.verdict(), pair.first.bytes)).take(3).collect();
    assert_eq!(verdicts[..2], [(PairVerdict::Slower, 112), (PairVerdict::Faster, 192)]);
    assert_eq!(verdicts[2].0, PairVerdict::NoDifference);
    assert!((runs.pairs[0].speed - 0.95).abs() < 0.01);
    assert_eq!(
        compare(&before, &after, 0.1).count(PairVerdict::NoDifference),
        20,
        "a threshold of 10 % hides both differences"
    );
    let back = compare(&after, &before, 0.0);
    assert_eq!(
        (back.pairs[0].first.bytes, back.pairs[1].first.bytes),
        (192, 112),
        "the reverse comparison has the reverse order"
    );
}

#[test]
fn comparing_equal_runs_claims_a_difference_in_at_most_two_percent_of_workloads() {
    for (between, processes) in [(0.01, 10), (0.03, 10), (0.15, 10), (0.06, 5), (0.15, 5), (0.1, 3)] {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(17);
        let noise = Noise { processes, between, within: 0.01 };
        let mut claims = 0;
        for _ in 0..200 {
            let mut run = || document(vec![series(&mut random, 1024, 1e9, noise)]);
            let (first, second) = (run(), run());
            let runs = compare(&first, &second, 0.0);
            claims += runs.count(PairVerdict::Slower) + runs.count(PairVerdict::Faster);
        }
        assert!(
            claims <= 4,
            "{claims} of 200 equal pairs claimed to differ; noise of {between} between {processes} processes"
        );
    }
}

#[test]
fn comparison_of_durations_reports_speed_2_for_half_the_time() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(9);
    let mut timed = |seconds: f64| {
        let mut series = series(&mut random, 1, 1e9, STEADY);
        series.unit = Unit::Seconds;
        series.samples.iter_mut().for_each(|sample| sample.ns = (sample.ns as f64 * seconds) as u64 * 1000);
        document(vec![series])
    };
    let (slow, fast) = (timed(2.0), timed(1.0));
    let runs = compare(&slow, &fast, 0.0);
    assert_eq!(runs.pairs[0].verdict(), PairVerdict::Faster);
    assert!((runs.pairs[0].speed - 2.0).abs() < 0.02);
    assert!(
        matches!(runs.pairs[0].evidence, RatioEvidence::Interval { ci95: [low, high], .. } if low < 2.0 && 2.0 < high)
    );
}

#[test]
fn quoted_figures_get_a_ratio_without_a_claim() {
    let mut measured = steady(1024, 1e9);
    measured.details.experiment = Experiment::Memory(MemoryDetails { aad: Some(13), ..MemoryDetails::default() });
    let mut other = document(vec![quoted(steady(1024, 1e9), 4e9)]);
    other.series[0].library_version = "OpenSSL 1.1.1u".into();
    other.run.origin = Some(Origin { kind: OriginKind::Published, source: "a page".into(), address: None, note: None });
    let measured = document(vec![measured]);
    let runs = compare(&measured, &other, 0.0);
    assert_eq!(runs.pairs.len(), 1, "an unstated AAD matches any AAD");
    assert_eq!(runs.pairs[0].evidence, RatioEvidence::Quoted(Some(OriginKind::Published)));
    assert_eq!(runs.pairs[0].verdict(), PairVerdict::NoInterval);
    assert!((runs.pairs[0].speed - 4.0).abs() < 0.02);
    other.series[0].details.threads = 4;
    assert_eq!(compare(&measured, &other, 0.0).pairs.len(), 0, "series with different thread counts are not paired");
}

#[test]
fn compare_rejects_different_openssl_speed_operations_below_8_kib() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(1);
    let mut speed_run = |version: &str| {
        let rows = [16, 1024, 8192, 16_384].map(|bytes| {
            let row = quoted(series(&mut random, bytes, 1e9, STEADY), 1e9);
            Series { library_version: version.into(), ..row }
        });
        document(rows.into())
    };
    let (streams, same, messages) =
        (speed_run("OpenSSL 3.0.2"), speed_run("OpenSSL 1.1.1u"), speed_run("OpenSSL 3.0.22"));
    let runs = compare(&streams, &messages, 0.0);
    assert_eq!(runs.pairs.iter().map(|pair| pair.first.bytes).collect::<Vec<_>>(), [8192, 16_384]);
    assert!(runs.pairs.iter().all(SeriesPair::is_unlike));
    assert_eq!(runs.unlike.iter().map(|pair| pair[0].bytes).collect::<Vec<_>>(), [16, 1024]);
    assert!(runs.only_first.is_empty() && runs.only_second.is_empty());
    let runs = compare(&streams, &same, 0.0);
    assert!(runs.pairs.len() == 4 && !runs.pairs.iter().any(SeriesPair::is_unlike) && runs.unlike.is_empty());
}

fn memory(keys: Option<usize>, aad: Option<usize>) -> Experiment {
    Experiment::Memory(MemoryDetails { keys, aad, ..MemoryDetails::default() })
}

#[test]
fn compare_pairs_equal_workloads_of_sound_series_only() {
    let mut base = steady(1024, 1e9);
    base.details.experiment = memory(None, Some(13));
    // Number of pairs, of unsound pairs, and of series only in the first and only in the second run.
    let (other, unsound, left_out) = ((0, 0, 1, 1), (0, 1, 0, 0), (0, 0, 1, 0));
    type Change = fn(&mut Series);
    let changes: [(Change, _); 14] = [
        (|one| one.level = Level::Files, other),
        (|one| one.operation = Operation::Open, other),
        (|one| one.algorithm = Algorithm::Aes256Gcm, other),
        (|one| one.bytes = 1025, other),
        (|one| one.library = "ring".into(), other),
        (|one| one.acceleration = Acceleration::Off, other),
        (|one| one.unit = Unit::OperationsPerSecond, other),
        (|one| one.details.experiment = memory(Some(4096), Some(13)), other),
        (|one| one.details.experiment = memory(None, Some(20)), other),
        (|one| one.fail("it fell over"), unsound),
        (|one| one.outcome = Outcome::Unverified, unsound),
        (|one| one.samples.iter_mut().for_each(|sample| sample.dropped = true), unsound),
        (|one| one.details.control = true, left_out),
        (|one| one.role = Role::TestDouble, left_out),
    ];
    for (place, (change, expected)) in changes.iter().enumerate() {
        let mut other = base.clone();
        change(&mut other);
        let (first, second) = (document(vec![base.clone()]), document(vec![other]));
        let runs = compare(&first, &second, 0.0);
        let counts = (runs.pairs.len(), runs.unsound.len(), runs.only_first.len(), runs.only_second.len());
        assert_eq!(counts, *expected, "change number {place}");
    }
}

#[test]
fn server_runs_are_compared_despite_different_connection_counts_found_by_search() {
    let base = steady(1024, 1e9);
    let run = |connections: usize, searched: bool| {
        let mut one = base.clone();
        let served = Served { workers: 1, ..Served::default() };
        let details = ServerDetails { concurrency: Some(connections), searched, served, ..ServerDetails::default() };
        one.details.experiment = Experiment::Server(details);
        document(vec![one])
    };
    let (found, given) = (|connections| run(connections, true), |connections| run(connections, false));
    let are_one = |first: &Document, second: &Document| compare(first, second, 0.0).pairs.len() == 1;
    assert!(are_one(&found(16), &found(64)));
    assert!(are_one(&given(16), &given(16)) && !are_one(&given(16), &given(64)) && !are_one(&given(16), &found(16)));
    assert!(settings(&found(16).series[0]).iter().all(|(name, _)| *name != "concurrency"));
}

#[test]
fn compare_pairs_equal_library_versions_first() {
    let with_versions = |versions: &[&str]| {
        let one = |version: &&str| Series { library_version: (*version).to_owned(), ..steady(1024, 1e9) };
        document(versions.iter().map(one).collect())
    };
    let (first, second) = (with_versions(&["3.0", "3.5", "3.5"]), with_versions(&["3.5", "3.6"]));
    let runs = compare(&first, &second, 0.0);
    let pairs: Vec<_> = runs.pairs.iter().map(|p| [p.first, p.second].map(|s| s.library_version.as_str())).collect();
    assert_eq!(pairs, [["3.0", "3.6"], ["3.5", "3.5"]], "a version that was measured twice is paired once");
    assert!(runs.only_first.is_empty() && runs.only_second.is_empty());
}

#[test]
fn compare_uses_samples_of_interrupted_runs() {
    let mut unfinished = document(vec![steady(1024, 0.8e9)]);
    unfinished.run.complete = false;
    unfinished.series[0].samples.truncate(12);
    let whole = document(vec![steady(1024, 1e9)]);
    assert_eq!(compare(&whole, &unfinished, 0.0).pairs[0].verdict(), PairVerdict::Slower);
}

proptest! {
    #[test]
    fn compare_survives_any_document(
        ns in prop::collection::vec(any::<u64>(), 0..20), iterations in any::<u64>(), process in any::<u32>(),
        bytes in any::<usize>(), median in any::<f64>(), floor in any::<f64>(), threshold in 0.0f64..10.0,
    ) {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(1);
        let mut one = quoted(series(&mut random, bytes, 1e9, STEADY), median);
        one.outcome = Outcome::Measured;
        let place = |(index, ns): (usize, &u64)| Sample {
            process: process.wrapping_add(index as u32 / 5), iterations, ns: *ns, ..Sample::default()
        };
        one.samples = ns.iter().enumerate().map(place).collect();
        let mut first = document(vec![one.clone(), one]);
        first.run.method.noise_floor = Some(floor);
        let second = document(vec![series(&mut random, bytes % 100_000 + 1, 1e9, STEADY)]);
        for runs in [compare(&first, &second, threshold), compare(&first, &first, threshold)] {
            for pair in &runs.pairs {
                prop_assert!(pair.speed.is_finite() && pair.speed > 0.0);
            }
        }
    }
}

#[test]
fn ratio_interval_needs_two_processes() {
    let many = Nested::of((0..30).map(|i| (i / 10, 1.0)));
    let one = Nested::of((0..30).map(|_| (0, 1.0)));
    assert_eq!(ratio_interval(&many, &many), Some([0.0, 0.0]));
    assert_eq!(ratio_interval(&many, &one), None);
    assert_eq!(ratio_interval(&Nested::default(), &many), None);
}
