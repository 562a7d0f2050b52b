use proptest::prelude::*;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;

use super::*;
use crate::acceleration::Acceleration;
use crate::algorithm::Algorithm;
use crate::document::{Outcome, Sample};
use crate::statistics;
use crate::statistics::tests::{normal, series_of};

fn series(algorithm: Algorithm, bytes: usize, code_path: &str) -> Series {
    Series { code_path: code_path.into(), acceleration: Acceleration::Off, ..series_of(algorithm, bytes, Vec::new()) }
}

/// Returns a series of 30 samples in ten processes, with relative `noise` between rounds and a factor in `starts` for
/// each process.
fn measured(random: &mut Xoshiro256PlusPlus, bytes: usize, ns: f64, noise: f64, starts: &[f64]) -> Series {
    let mut series = series(Algorithm::Aes128Ctr, bytes, if bytes < 128 { "scalar" } else { "sse2" });
    for round in 0..30 {
        let process = round / 3;
        let time = 1e6 * ns * starts[process as usize] * (1.0 + noise * normal(random));
        let ns = time.max(1.0) as u64;
        series.samples.push(Sample { process, round, iterations: 1_000_000, ns, cpu_ns: ns, ..Sample::default() });
    }
    statistics::summarize(&mut series);
    series
}

fn document(series: Vec<Series>) -> Document {
    let mut document = statistics::tests::document(series);
    document.run.method.core_hz = Some(4e9);
    document.machine.arch = "x86_64".into();
    document
}

/// Returns a document with a sweep, in which the operation at a size takes `ns(size)` nanoseconds.
fn swept(seed: u64, noise: f64, ns: impl Fn(usize) -> f64) -> Document {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    let starts: Vec<f64> = (0..10).map(|_| 1.0 + noise * normal(&mut random)).collect();
    document(sweep::sizes().into_iter().map(|bytes| measured(&mut random, bytes, ns(bytes), noise, &starts)).collect())
}

fn only(document: &Document) -> Curve<'static> {
    // Leak the document, so that tests can borrow from temporaries.
    let mut curves = steps(Box::leak(Box::new(document.clone())), |_| true);
    assert_eq!(curves.len(), 1);
    curves.remove(0)
}

/// Returns a document with a published table of `openssl speed`. Its figures are in thousands of bytes per second.
fn openssl_speed(algorithm: Algorithm, version: &str, figures: [f64; 5]) -> Document {
    let one = |(bytes, rate): (usize, f64)| Series {
        library_version: version.into(),
        median: Some(rate * 1000.0),
        outcome: Outcome::Unverified,
        role: Role::Library,
        ..series(algorithm, bytes, "unknown")
    };
    document(SIZES.into_iter().zip(figures).map(one).collect())
}

const SIZES: [usize; 5] = [16, 64, 256, 1024, 8192];

/// Cost of bitsliced AES-CTR in nanoseconds. The code uses tables below eight blocks, and otherwise processes eight
/// blocks at a time.
fn bitsliced(bytes: usize) -> f64 {
    if bytes < 128 { 10.0 + 3.64 * bytes as f64 } else { 31.0 + 197.0 * bytes.div_ceil(128) as f64 }
}

#[test]
fn steps_finds_a_planted_jump_with_its_cause() {
    let document = swept(1, 0.01, bitsliced);
    let curve = only(&document);
    let [step] = curve.steps.as_slice() else { panic!("{:?}", curve.steps) };
    assert_eq!((step.before_bytes, step.at_bytes, step.is_placed()), (112, 128, true));
    assert!((step.jump - 2.09).abs() < 0.05, "{step:?}");
    assert_eq!(step.cause.map(|cause| cause.name), Some("bitsliced-from-128"));
    let [before, after] = curve.pieces.as_slice() else { panic!() };
    let sizes_of = |piece: &Piece| (piece.first_bytes, piece.last_bytes);
    assert_eq!((sizes_of(before), sizes_of(after)), ((16, 112), (128, 65_552)));
    assert_eq!(after.line.unit_bytes, 128);
    assert!((after.line.ns_per_byte - 197.0 / 128.0).abs() < 0.02, "{after:?}");
    assert!((after.cycles_per_byte.unwrap() - 4.0 * 197.0 / 128.0).abs() < 0.1);
    assert!((before.line.fixed_ns - 10.0).abs() < 3.0);
    assert_eq!(
        (before.code_paths.as_slice(), after.code_paths.as_slice()),
        (&["scalar".into()][..], &["sse2".into()][..])
    );
}

#[test]
fn steps_finds_bends_and_slowdowns() {
    let curve = only(&swept(2, 0.005, |bytes| {
        let bytes = bytes as f64;
        if bytes < 8192.0 { 50.0 + bytes } else { 50.0 + 8192.0 + 1.3 * (bytes - 8192.0) }
    }));
    assert_eq!(curve.steps.len(), 1, "{:?}", curve.steps);
    assert!((6896..=9744).contains(&curve.steps[0].at_bytes), "{:?}", curve.steps);
    let slower = only(&swept(3, 0.005, |bytes| 20.0 + bytes as f64 * if bytes < 1024 { 1.0 } else { 1.2 }));
    assert_eq!(slower.steps.iter().map(|step| (step.before_bytes, step.at_bytes)).collect::<Vec<_>>(), [(1008, 1024)]);
    assert!(slower.steps[0].jump < 0.86 && slower.steps[0].cause.is_none());
}

#[test]
fn steps_ignores_saw_teeth_of_block_wise_processing() {
    for unit in [32usize, 64, 128, 256, 1024] {
        let curve = only(&swept(4, 0.005, |bytes| 40.0 + 1.5 * bytes.next_multiple_of(unit) as f64));
        assert!(curve.steps.is_empty(), "{unit}: {:?}", curve.steps);
        assert_eq!(curve.pieces[0].line.unit_bytes, unit);
    }
    for (seed, what) in [
        (5, (|bytes| 60.0 + 0.5 * bytes as f64 + 2.0 * (bytes % 128) as f64) as fn(usize) -> f64),
        (6, |bytes| 60.0 + 0.5 * bytes as f64 + if bytes.is_multiple_of(64) { 0.0 } else { 80.0 }),
        (8, |bytes| 250.0 + 2.8 * bytes as f64 + 1.6 * (bytes.next_multiple_of(128) - bytes) as f64),
    ] {
        let document = swept(seed, 0.005, what);
        assert!(only(&document).steps.is_empty(), "{seed}: {:?}", only(&document).steps);
    }
}

#[test]
fn smooth_costs_have_no_steps() {
    for noise in [0.002, 0.01, 0.05] {
        let has_steps = |seed| !only(&swept(seed, noise, |bytes| 30.0 + 0.8 * bytes as f64)).steps.is_empty();
        let false_alarms = (0..70).filter(|seed| has_steps(100 + seed)).count();
        assert!(false_alarms <= 2, "steps in {false_alarms} of 70 smooth curves with noise {noise}");
    }
}

#[test]
fn single_outlying_size_is_not_a_step() {
    for (off, factor) in [(256, 1.3), (4096, 1.3), (4096, 0.8), (65_552, 1.5), (16, 1.5)] {
        let curve =
            only(&swept(7, 0.005, |bytes| (30.0 + 0.8 * bytes as f64) * if bytes == off { factor } else { 1.0 }));
        assert!(curve.steps.is_empty(), "{off}: {:?}", curve.steps);
    }
}

#[test]
fn cbc_table_without_the_known_jump_gets_a_reason_for_its_absence() {
    let table =
        openssl_speed(Algorithm::Aes256Cbc, "OpenSSL 1.0.1e", [70_233.34, 73_782.06, 75_054.58, 75_234.65, 75_423.74]);
    let curve = only(&table);
    assert!(curve.steps.is_empty());
    assert_eq!(curve.absence.map(|absence| absence.name), Some("compact-tables-below-512"));
    let mut elsewhere = table;
    elsewhere.machine.arch = "aarch64".into();
    assert!(only(&elsewhere).absence.is_none());
}

#[test]
fn padding_of_hashes_to_whole_blocks_is_no_step_in_tables() {
    let blocks = |bytes: usize| ((bytes + 17) as f64 / 128.0).ceil();
    let rate = |bytes: usize| bytes as f64 / (100.0 + 290.0 * blocks(bytes)) * 1e6;
    let table = openssl_speed(Algorithm::Sha512, "3.0.2", SIZES.map(rate));
    let curve = only(&table);
    assert!(curve.steps.is_empty(), "{:?}", curve.steps);
    assert!((curve.pieces[0].line.fixed_ns - 100.0).abs() < 1e-6);
}

#[test]
fn steps_ignores_unverified_series_and_too_few_sizes() {
    let mut of_three = swept(1, 0.01, bitsliced);
    of_three.series.truncate(3);
    assert!(steps(&of_three, |_| true).is_empty(), "three sizes are too few for a step");
    let mut wrong = swept(1, 0.01, bitsliced);
    wrong.series.iter_mut().for_each(|series| series.outcome = Outcome::Unverified);
    assert!(steps(&wrong, |_| true).is_empty());
    assert!(steps(&swept(1, 0.01, bitsliced), |series| series.library == "ring").is_empty());
}

#[test]
fn step_detection_thins_curves_with_too_many_sizes() {
    let mut all = document(Vec::new());
    for bytes in 1..200_000 {
        all.series.push(Series {
            median: Some(1e9),
            outcome: Outcome::Unverified,
            ..series(Algorithm::Aes128Ctr, bytes, "x")
        });
    }
    let begun = std::time::Instant::now();
    let curve = only(&all);
    assert!(curve.points.len() <= fit::MAX_IN_TABLE && begun.elapsed().as_secs() < 30);
    let mut many = document(Vec::new());
    let mut random = Xoshiro256PlusPlus::seed_from_u64(1);
    for bytes in 1..3_000 {
        many.series.push(measured(&mut random, bytes, 30.0 + bytes as f64, 0.01, &[1.0; 10]));
    }
    assert!(only(&many).points.len() <= fit::MAX_SWEPT);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn steps_survives_any_document(
        sizes in prop::collection::vec(any::<usize>(), 0..24), medians in prop::collection::vec(any::<f64>(), 24),
        ns in prop::collection::vec(any::<u64>(), 24), iterations in prop::collection::vec(any::<u64>(), 24),
        is_sampled in any::<bool>(), is_small in any::<bool>(), hz in any::<f64>(),
    ) {
        let mut all = Vec::new();
        for (index, bytes) in sizes.into_iter().enumerate() {
            let bytes = if is_small { bytes % 4096 } else { bytes };
            let mut one = series(Algorithm::Sha256, bytes, "x");
            one.median = Some(medians[index]);
            if is_sampled {
                let (iterations, ns) = (iterations[index], ns[index]);
                let sample = |process| Sample { process, iterations, ns, ..Sample::default() };
                one.samples = (0..4).map(sample).collect();
                one.ci95 = Some([medians[index] * 0.9, medians[(index + 1) % 24]]);
            }
            all.push(one);
        }
        let mut document = document(all);
        document.run.method.core_hz = Some(hz);
        for curve in steps(&document, |_| true) {
            prop_assert_eq!(curve.pieces.len(), curve.steps.len() + 1);
            for step in &curve.steps {
                prop_assert!(step.jump.is_finite() && step.jump > 0.0 && step.before_bytes < step.at_bytes);
            }
        }
    }
}
