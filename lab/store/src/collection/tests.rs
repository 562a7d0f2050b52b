//! Tests of rankings, histories and acceleration pairs, over stored runs and published documents.

use super::*;
use crate::published;
use kasoku_model::acceleration::Acceleration;
use kasoku_model::algorithm::Algorithm;
use kasoku_model::document::{
    Document, Experiment, Machine, MemoryDetails, Origin, OriginKind, Outcome, Run, SCHEMA, Unit,
};
use kasoku_model::level::Level;
use kasoku_model::library::Role;
use kasoku_model::openssl_speed::AeadRow;
use kasoku_model::workload::{NonceForm, Operation, Workload};

/// Returns the machine that asks for the rankings.
fn here() -> Machine {
    Machine { cpu: "This CPU".into(), arch: "x86_64".into(), cores: 4, ..Machine::default() }
}

fn store(documents: &[Document]) -> (tempfile::TempDir, Store) {
    let folder = tempfile::tempdir().unwrap();
    let mut store = Store::open(&folder.path().join("kasoku.sqlite")).unwrap();
    for document in documents {
        store.add_documents([document]).unwrap();
    }
    (folder, store)
}

fn series(algorithm: Algorithm, bytes: usize, library: &str, figure: f64) -> Series {
    let question = RankingQuestion::new(algorithm).at(bytes);
    let workload = Workload::new(question.operation, algorithm, question.bytes);
    let unit = if question.has_sizes() { Unit::BytesPerSecond } else { Unit::OperationsPerSecond };
    Series {
        code_path: "vaes512".into(),
        median: Some(figure),
        ci95: Some([figure * 0.99, figure * 1.01]),
        outcome: Outcome::Measured,
        role: Role::of(library),
        ..Series::empty(Level::Primitives, &workload, library, "OpenSSL 3.5.4".into(), Acceleration::On, unit)
    }
}

fn measured(id: &str, started: &str, machine: Machine, series: Vec<Series>) -> Document {
    let run = Run { id: id.into(), started: started.into(), kasoku: "0.1.0".into(), complete: true, ..Run::default() };
    Document { schema: SCHEMA, run, machine, series }
}

/// Returns a series of AES-128-GCM at 16 KiB.
fn gcm_by(library: &str, figure: f64) -> Series {
    series(Algorithm::Aes128Gcm, 16_384, library, figure)
}

/// Returns a run of AES-128-GCM at 16 KiB with OpenSSL on this `day` of November 2026.
fn run_on(machine: Machine, id: &str, day: u8, figure: f64) -> Document {
    measured(id, &format!("2026-11-{day}T09:00:00Z"), machine, vec![gcm_by("openssl", figure)])
}

fn run(id: &str, day: u8, figure: f64) -> Document {
    run_on(here(), id, day, figure)
}

fn other() -> Machine {
    Machine { cpu: "Other CPU".into(), ..here() }
}

/// Returns an import of the transcript of the published device `of`, with `factor` times the published figures. Unlike
/// the publication, the transcript has a second size and states the version.
fn imported(id: &str, name: Option<&str>, of: &Document, factor: f64) -> Document {
    let mut document = of.clone();
    document.run = Run {
        id: id.into(),
        complete: true,
        origin: Some(Origin { kind: OriginKind::Transcript, source: format!("{id}.txt"), address: None, note: None }),
        ..Run::default()
    };
    document.machine = Machine { name: name.map(str::to_owned), arch: of.machine.arch.clone(), ..Machine::default() };
    for series in &mut document.series {
        series.library_version = "OpenSSL 3.0.2".into();
        series.median = series.median.map(|median| median * factor);
    }
    let small: Vec<Series> = document.series.iter().filter(|series| series.bytes == 16_384).cloned().collect();
    document.series.extend(small.into_iter().map(|series| Series { bytes: 1024, ..series }));
    document
}

fn device(id: &str) -> &'static Document {
    published::documents().iter().find(|document| document.run.id == format!("published-openssl-perf-{id}")).unwrap()
}

fn ranking(documents: &[Document], question: &RankingQuestion) -> Ranking {
    let (_folder, store) = store(documents);
    Collection::open(Some(&store)).unwrap().ranking(question, Some(&here())).unwrap()
}

fn gcm() -> RankingQuestion {
    RankingQuestion::new(Algorithm::Aes128Gcm)
}

fn rows_named<'r>(ranking: &'r Ranking, device: &str) -> Vec<&'r RankingRow> {
    ranking.rows.iter().filter(|row| row.device == device).collect()
}

fn figures(ranking: &Ranking, device: &str) -> Vec<f64> {
    rows_named(ranking, device).iter().map(|row| row.figure).collect()
}

#[test]
fn ranking_without_a_store_or_machine_marks_no_row() {
    let collection = Collection::open(None).unwrap();
    let ranking = collection.ranking(&gcm(), Some(&here())).unwrap();
    let devices: Vec<&str> = ranking.rows.iter().map(|row| row.device.as_str()).collect();
    assert_eq!(devices.len(), 12);
    assert_eq!((devices[0], devices[11], ranking.this), ("i7-13700", "mt7621", This::WithoutRun));
    assert_eq!(ranking.rows.iter().map(|row| row.place).collect::<Vec<_>>(), (1..=12).collect::<Vec<_>>());
    assert!(ranking.rows.iter().all(|row| row.times.is_none() && row.ci95.is_none() && !row.is_this));

    let (_folder, store) = store(&[measured("nobody", "", Machine::default(), vec![gcm_by("openssl", 1e9)])]);
    let ranking = Collection::open(Some(&store)).unwrap().ranking(&gcm(), None).unwrap();
    assert_eq!((ranking.rows.len(), ranking.this), (13, This::WithoutRun));
    assert!(ranking.rows.iter().all(|row| !row.is_this && row.times.is_none()));
}

#[test]
fn ranking_marks_this_machine_and_its_ratio() {
    let ranking = ranking(&[run("r1", 21, 5.5e9)], &gcm());
    assert_eq!(ranking.this, This::Ranked);
    let row = ranking.rows.iter().find(|row| row.is_this).unwrap();
    assert_eq!((row.place, row.device.as_str(), row.times), (4, "This CPU", Some(1.0)));
    assert_eq!(row.sources, [FigureSource::Measured { run: "r1".into(), started: "2026-11-21T09:00:00Z".into() }]);
    assert_eq!(ranking.rows.len(), 13);
    assert!((ranking.rows[0].times.unwrap() - 9_862_949_550.0 / 5.5e9).abs() < 1e-9);
}

#[test]
fn ranking_uses_the_newest_complete_verified_run() {
    let mut incomplete = run("incomplete", 15, 5e9);
    incomplete.run.complete = false;
    let mut unverified = run("unverified", 14, 4e9);
    unverified.series[0].outcome = Outcome::Unverified;
    let mut of_another = run("other", 13, 3e9);
    of_another.series[0].algorithm = Algorithm::Aes256Gcm;
    let mut four_threads = run("four-threads", 12, 2.5e9);
    four_threads.series[0].details.threads = 4;
    let documents = [run("older", 10, 1e9), run("newer", 11, 2e9), incomplete, unverified, of_another, four_threads];
    let ranking = ranking(&documents, &gcm());
    assert_eq!(figures(&ranking, "This CPU"), [2e9]);
}

#[test]
fn ranking_uses_the_fastest_series_with_one_key_and_precomputed_nonces() {
    let [mut keys, mut counted, mut control] = [9e9, 8e9, 7e9].map(|figure| gcm_by("openssl", figure));
    keys.details.experiment = Experiment::Memory(MemoryDetails { keys: Some(1024), ..MemoryDetails::default() });
    counted.details.experiment =
        Experiment::Memory(MemoryDetails { nonces: Some(NonceForm::Counted), ..MemoryDetails::default() });
    control.details.control = true;
    let [slow, fast] = [1e9, 2e9].map(|figure| gcm_by("openssl", figure));
    let all = vec![slow, fast, gcm_by("ring", 3e9), gcm_by("test-fast", 4e9), keys, counted, control];
    let documents = [measured("r1", "2026-11-21T09:00:00Z", here(), all)];
    let question = RankingQuestion { library: None, ..gcm() };
    assert_eq!(rows_named(&ranking(&documents, &gcm()), "This CPU")[0].figure, 2e9);
    let any = ranking(&documents, &question);
    let row = rows_named(&any, "This CPU")[0];
    assert_eq!((row.figure, row.library.as_str()), (3e9, "ring"));
    assert_eq!(any.rows.len(), 13, "every published device has one library, so all are ranked");
    let ring = ranking(&documents, &RankingQuestion { library: Some("ring".into()), ..gcm() });
    assert_eq!(ring.rows.len(), 1);
}

#[test]
fn equal_figures_share_a_rank() {
    let ranking = ranking(&[run("r1", 21, 9e9), run_on(other(), "r2", 21, 9e9)], &gcm());
    let places: Vec<usize> = ranking.rows.iter().take(4).map(|row| row.place).collect();
    assert_eq!(places, [1, 2, 2, 4]);
}

fn origin_of(source: &FigureSource) -> Option<(&str, &str)> {
    match source {
        FigureSource::Imported { origin, .. } => Some(("imported", &origin.source)),
        FigureSource::Published { origin, .. } => Some(("published", &origin.source)),
        FigureSource::Measured { .. } => None,
    }
}

#[test]
fn imports_of_published_devices_share_their_row() {
    // One device is recognised by the file name, the other by another spelling of the published name.
    let documents = [
        imported("a", Some("ubuntu_2204_rasberry_pi_4b"), device("raspberry-pi4"), 1.0),
        imported("b", Some("NANOPI m4"), device("nanopi-m4"), 1.0),
    ];
    let ranking = ranking(&documents, &gcm());
    assert_eq!(ranking.rows.len(), 12);
    for (name, file) in [("Raspberry Pi4", "a.txt"), ("Nanopi M4", "b.txt")] {
        let [row] = rows_named(&ranking, name)[..] else { panic!("expected one row of {name}") };
        let origins: Vec<(&str, &str)> = row.sources.iter().filter_map(origin_of).collect();
        assert_eq!(origins, [("imported", file), ("published", "openssl_perf")]);
        assert_eq!(row.library_version, "OpenSSL 3.0.2", "a version that only one source states is kept");
    }
}

#[test]
fn differing_measurements_of_a_device_get_separate_rows() {
    let same_name = imported("a", Some("Raspberry Pi4"), device("raspberry-pi4"), 1.5);
    let again = imported("b", Some("raspberry pi 4"), device("raspberry-pi4"), 2.0);
    let nameless = imported("c", None, device("mt7621"), 1.5);
    let ranking = ranking(&[same_name, again, nameless], &gcm());
    assert_eq!(ranking.rows.len(), 15);
    assert_eq!(figures(&ranking, "Raspberry Pi4"), [2.0, 1.5, 1.0].map(|factor| 37_126_140.0 * factor));
    let again = rows_named(&ranking, "Raspberry Pi4")[0];
    assert_eq!(again.os, None, "the OS of the second measurement is unknown");
    assert_eq!(rows_named(&ranking, "mt7621").len(), 1);
}

#[test]
fn ranking_leaves_out_devices_without_the_size() {
    let documents = [imported("a", Some("raspberry pi4"), device("raspberry-pi4"), 1.0)];
    let (_folder, store) = store(&documents);
    let collection = Collection::open(Some(&store)).unwrap();
    let small = gcm().at(1024);
    let ranking = collection.ranking(&small, None).unwrap();
    let [row] = &ranking.rows[..] else { panic!("expected one row: only the import has that size") };
    assert_eq!((row.device.as_str(), row.os.as_deref(), row.sources.len()), ("Raspberry Pi4", None, 1));
    let left_out = collection.left_out(&small).unwrap();
    assert_eq!(left_out, LeftOut { machines: 11, sizes: vec![16_384], runs: RunsLeftOut::default() });
    assert_eq!(collection.left_out(&gcm()).unwrap(), LeftOut::default());
    assert_eq!(collection.usual_bytes(&small).unwrap(), 16_384);
    let blowfish = RankingQuestion::new(Algorithm::BlowfishCbc);
    assert_eq!(collection.usual_bytes(&blowfish).unwrap(), 8192);
    assert_eq!(collection.left_out(&blowfish).unwrap().sizes, [16, 64, 256, 1024, 8192]);
    assert!(collection.ranking(&blowfish, Some(&here())).unwrap().rows.is_empty());
}

#[test]
fn ranking_separates_openssl_speed_operations_at_small_sizes() {
    let [older, another] =
        [("a", "mt7621"), ("b", "bcm4708")].map(|(id, of)| imported(id, Some(&format!("older {id}")), device(of), 1.1));
    let mut newer = imported("c", Some("newer"), device("raspberry-pi4"), 1.5);
    newer.series.iter_mut().for_each(|series| series.library_version = "OpenSSL 3.0.22".into());
    let both = [1024, 16_384].map(|bytes| series(Algorithm::Aes128Gcm, bytes, "openssl", 5e9));
    let this = measured("r1", "2026-11-21T09:00:00Z", here(), both.into());
    let (_folder, store) = store(&[older, another, newer.clone(), this]);
    let collection = Collection::open(Some(&store)).unwrap();
    let rows = |ranking: &Ranking| ranking.rows.iter().map(|row| row.aead_row).collect::<Vec<_>>();
    let small = gcm().at(1024);
    let ranking = collection.ranking(&small, Some(&here())).unwrap();
    assert_eq!(rows(&ranking), [Some(AeadRow::Messages), Some(AeadRow::Updates), Some(AeadRow::Updates)]);
    assert_eq!(ranking.apart, Some((1, AeadRow::KeyedMessages)));
    // `ranking_around` ranks figures of the run's own operation of `openssl speed`.
    let ranking = collection.ranking_around(&small, &newer).unwrap();
    assert_eq!(rows(&ranking), [Some(AeadRow::Messages), Some(AeadRow::KeyedMessages)]);
    assert_eq!((ranking.apart, ranking.this), (Some((2, AeadRow::Updates)), This::Ranked));
    let ranking = collection.ranking(&gcm(), Some(&here())).unwrap();
    assert_eq!((ranking.rows.len(), ranking.apart), (16, None));
    assert_eq!(rows(&ranking).iter().filter(|row| **row == Some(AeadRow::KeyedMessages)).count(), 1);
    assert_eq!(collection.ranking(&RankingQuestion::new(Algorithm::Sha256), None).unwrap().rows[0].aead_row, None);
}

#[test]
fn ranking_with_acceleration_off_has_its_own_figures() {
    let question =
        RankingQuestion { acceleration: Acceleration::Off, ..RankingQuestion::new(Algorithm::Aes256Cbc) }.at(8192);
    let collection = Collection::open(None).unwrap();
    let figures: Vec<f64> = collection.ranking(&question, None).unwrap().rows.iter().map(|row| row.figure).collect();
    assert_eq!(figures, [142_798_340.0, 75_423_740.0]);
}

#[test]
fn public_keys_are_ranked_by_operations_per_second() {
    let question = RankingQuestion { operation: Operation::Verify, ..RankingQuestion::new(Algorithm::Ed25519) };
    let verify = Series { operation: Operation::Verify, ..series(Algorithm::Ed25519, 0, "openssl", 10_000.0) };
    let document = measured("r1", "2026-11-21T09:00:00Z", here(), vec![verify]);
    let ranking = ranking(&[document], &question);
    assert_eq!((ranking.unit, ranking.rows.len(), ranking.this), (Unit::OperationsPerSecond, 13, This::Ranked));
    assert_eq!(ranking.rows[0].figure, 16_154.8);
    assert_eq!(question.clone().at(4096), question, "a public-key operation has no size to choose");
    assert_eq!(question.bytes, Workload::new(Operation::Verify, Algorithm::Ed25519, 0).bytes);
}

#[test]
fn ranking_distinguishes_missing_workload_from_missing_run() {
    let other = series(Algorithm::Aes256Gcm, 16_384, "openssl", 1e9);
    let document = measured("r1", "2026-11-21T09:00:00Z", here(), vec![other]);
    assert_eq!(ranking(std::slice::from_ref(&document), &gcm()).this, This::WithoutWorkload);
    let elsewhere = Document { machine: Machine { cores: 8, ..here() }, ..document };
    assert_eq!(ranking(&[elsewhere], &gcm()).this, This::WithoutRun);
}

#[test]
fn history_lists_changes_from_the_oldest_run_on() {
    let mut incomplete = run("incomplete", 13, 9e9);
    incomplete.run.complete = false;
    let mut without = run("without", 12, 1.4e9);
    without.series[0].ci95 = None;
    let elsewhere = Document { machine: Machine { cores: 8, ..here() }, ..run("elsewhere", 11, 5e9) };
    let [a, b, c, d] = [("a", 10, 1e9), ("b", 11, 1.01e9), ("c", 14, 1e9), ("d", 15, 1.5e9)]
        .map(|(id, day, figure)| run(id, day, figure));
    let (_folder, store) = store(&[c, without, a, incomplete, elsewhere, b, d]);
    let collection = Collection::open(Some(&store)).unwrap();
    let machine = collection.identity_of(&here()).unwrap();
    let history = collection.history(&gcm(), machine, usize::MAX).unwrap();
    let told: Vec<(&str, HistoryChange)> =
        history.points.iter().map(|point| (point.run.as_str(), point.change)).collect();
    assert_eq!(
        told,
        [
            ("a", HistoryChange::First),
            ("b", HistoryChange::NotShown(1.01)),
            ("without", HistoryChange::WithoutInterval(1.4e9 / 1.01e9)),
            ("c", HistoryChange::WithoutInterval(1.0e9 / 1.4e9)),
            ("d", HistoryChange::Shown(1.5)),
        ]
    );
    assert_eq!(collection.usual_bytes_of(&gcm().at(256), machine).unwrap(), 16_384);
    assert!(collection.history(&gcm().at(256), machine, usize::MAX).unwrap().points.is_empty());
}

#[test]
fn machines_called_prefers_whole_names_to_parts() {
    let run = |id: &str, machine| measured(id, "2026-11-21T09:00:00Z", machine, vec![]);
    let pi = Machine { name: Some("Raspberry Pi 5".into()), ..here() };
    let other = Machine { cpu: "This CPU II".into(), ..here() };
    let (_folder, store) = store(&[run("r1", here()), run("r2", pi), run("r3", other)]);
    let collection = Collection::open(Some(&store)).unwrap();
    let called = |name: &str| collection.machines_called(name).iter().map(|m| m.label().to_owned()).collect::<Vec<_>>();
    assert_eq!(called("raspberry-pi"), ["Raspberry Pi 5"]);
    assert_eq!(called("this cpu"), ["This CPU"], "an exact name takes precedence over a partial match");
    assert_eq!(called("this"), ["This CPU", "This CPU II"]);
    assert_eq!(called("nobody"), [""; 0]);
    assert_eq!(called("").len(), 3);
}

fn off(series: Series) -> Series {
    Series { acceleration: Acceleration::Off, median: series.median.map(|median| median / 10.0), ..series }
}

#[test]
fn acceleration_pairs_use_the_newest_run_with_acceleration_on_and_off() {
    let on = |figure| gcm_by("openssl", figure);
    let run = |id: &str, day: u8, series| measured(id, &format!("2026-11-{day}T09:00:00Z"), here(), series);
    let mut half_verified = run("half-verified", 14, vec![on(4e9), off(on(4e9))]);
    half_verified.series[1].outcome = Outcome::Unverified;
    let documents = [
        run("oldest", 10, vec![on(1e9), off(on(1e9))]),
        run("both", 11, vec![on(2e9), off(on(2e9))]),
        run("only-on", 12, vec![on(3e9)]),
        run("only-off", 13, vec![off(on(3e9))]),
        half_verified,
        run("in-two", 15, vec![on(5e9), off(gcm_by("ring", 5e9))]),
    ];
    let (_folder, store) = store(&documents);
    let collection = Collection::open(Some(&store)).unwrap();
    let pairs = collection.pairs(&gcm()).unwrap().pairs;
    let told: Vec<(&str, f64, f64)> =
        pairs.iter().map(|pair| (pair.on.sources[0].run(), pair.on.figure, pair.off.figure)).collect();
    assert_eq!(told, [("both", 2e9, 2e8)]);
}

#[test]
fn acceleration_pairs_include_devices_with_acceleration_on_and_off_in_one_source() {
    let question = RankingQuestion::new(Algorithm::Aes256Cbc);
    let collection = Collection::open(None).unwrap();
    // The servers were published at 8 KiB, while most devices have 16 KiB, without acceleration off.
    assert_eq!(collection.usual_bytes(&question).unwrap(), 16_384);
    let question = question.clone().at(collection.usual_bytes_of_pairs(&question).unwrap());
    assert_eq!((question.bytes, collection.pairs(&question).unwrap().pairs.len()), (8192, 2));
    let mut import = published::documents().iter().find(|one| one.run.id.ends_with("opteron-6276")).unwrap().clone();
    import.run.id = "import".into();
    import.series.retain(|series| series.acceleration == Acceleration::On);
    import.series.iter_mut().for_each(|series| series.library_version = String::new());
    let (_folder, store) = store(&[import]);
    let pairs = Collection::open(Some(&store)).unwrap().pairs(&question).unwrap().pairs;
    assert_eq!(pairs.iter().map(|pair| pair.on.sources.len()).max(), Some(2), "import and publication share a row");
    assert_eq!(pairs.len(), 2);
}

#[test]
fn libraries_are_sorted_by_number_of_machines() {
    let by = |library: &str| gcm_by(library, 1e9);
    let documents = [
        measured("r1", "", here(), vec![by("ring"), by("aws-lc"), by("limit-aes"), by("test-fast")]),
        measured("r2", "", here(), vec![by("ring")]),
        measured("r3", "", other(), vec![by("aws-lc")]),
    ];
    let (_folder, store) = store(&documents);
    let collection = Collection::open(Some(&store)).unwrap();
    let any = RankingQuestion { library: None, ..gcm() };
    assert_eq!(collection.libraries_by_machines(&any).unwrap(), ["openssl", "aws-lc", "ring"]);
}

#[test]
fn collection_that_excludes_runs_ignores_the_stored_ones() {
    let device = imported("device", Some("a device"), device("mt7621"), 1.5);
    let (_folder, store) = store(&[run("r1", 21, 1e9), run("r2", 21, 2e9), run_on(other(), "r3", 21, 3e9), device]);
    let collection = Collection::open(Some(&store)).unwrap();
    let without = collection.without(&["r2", "r3", "device"].map(str::to_owned).into());
    let ranking = without.ranking(&gcm(), None).unwrap();
    assert_eq!(figures(&ranking, "This CPU"), [1e9]);
    assert_eq!((ranking.rows.len(), without.machines().len()), (13, 1 + published::documents().len()));
}

#[test]
fn left_out_counts_incomplete_runs_by_reason() {
    let run = |id: &str, wine: Option<&str>| {
        let machine = Machine { wine: wine.map(str::to_owned), ..here() };
        let mut document = run_on(machine, id, 21, 1e9);
        document.run.complete = id == "whole";
        document
    };
    let mut import = imported("device", Some("a device"), device("mt7621"), 1.5);
    import.run.complete = false;
    let (_folder, store) = store(&[run("whole", None), run("stopped", None), run("under-wine", Some("8.0")), import]);
    let collection = Collection::open(Some(&store)).unwrap();
    let left_out = RunsLeftOut { not_genuine: 1, incomplete_imports: 1, incomplete: 1, unread: 0 };
    assert_eq!(collection.left_out(&gcm()).unwrap().runs, left_out);
    let other = RankingQuestion::new(Algorithm::Sha3_256);
    assert_eq!(collection.left_out(&other).unwrap().runs, RunsLeftOut::default());
    assert_eq!(collection.runs().len(), 4);
}

#[test]
fn device_takes_its_name_from_the_oldest_import() {
    let older = imported("a", Some("My Router"), device("mt7621"), 1.5);
    let mut newer = imported("b", Some("my-router"), device("mt7621"), 1.6);
    newer.machine.cpu = "known at last".into();
    let (_folder, store) = store(&[older, newer]);
    let collection = Collection::open(Some(&store)).unwrap();
    let device = collection.machines().pop().unwrap();
    assert_eq!((device.label(), device.runs.len()), ("My Router", 2));
}

#[test]
fn ranking_falls_back_to_older_runs_for_unreadable_ones() {
    for nonsense in [
        "run SET origin = '{' WHERE id = 'newer'",
        "run SET origin = '\"a\"' WHERE id = 'newer'",
        "series SET unit = 'parsecs' WHERE run = (SELECT number FROM run WHERE id = 'newer')",
        "series SET median = 'fast' WHERE run = (SELECT number FROM run WHERE id = 'newer')",
        "series SET details = '{' WHERE run = (SELECT number FROM run WHERE id = 'newer')",
    ] {
        let (_folder, store) = store(&[run("older", 20, 5e9), run("newer", 21, 5e9)]);
        store.connection.execute_batch(&format!("UPDATE {nonsense}")).unwrap();
        let listed: Vec<String> = store.runs().unwrap().into_iter().map(|run| run.id).collect();
        assert!(listed.contains(&"older".to_owned()), "{nonsense}");
        let ranking = Collection::open(Some(&store)).unwrap().ranking(&gcm(), Some(&here())).unwrap();
        let own = ranking.rows.iter().find(|row| row.is_this).unwrap();
        assert_eq!(own.sources[0].run(), "older", "{nonsense}");
        let unread = store.unread();
        assert_eq!(unread.keys().collect::<Vec<_>>(), ["newer"], "{nonsense}");
        assert!(unread["newer"].contains("cannot read the run \"newer\""), "{unread:?}");
    }
}

fn ranking_around(document: &Document) -> Ranking {
    Collection::open(None).unwrap().ranking_around(&gcm(), document).unwrap()
}

#[test]
fn ranking_around_ranks_a_run_by_its_own_figure_and_marks_a_published_device() {
    // Between the i7-10750H and the i5-7400.
    let found = ranking_around(&run("mine", 21, 6e9));
    assert_eq!((found.this, found.rows.len()), (This::Ranked, 13));
    let own = found.rows.iter().find(|row| row.is_this).unwrap();
    assert_eq!((own.place, own.figure, own.times), (4, 6e9, Some(1.0)));
    assert_eq!(found.rows[2].times, Some(6_419_370_950.0 / 6e9));
    assert!(!own.is_quoted() && found.rows[0].is_quoted());

    let document = published::documents().iter().find(|one| one.machine.label() == "i5-7400").unwrap();
    let found = ranking_around(document);
    assert_eq!((found.this, found.rows.len()), (This::Ranked, 12));
    assert_eq!(found.rows.iter().filter(|row| row.is_this).map(|row| row.place).collect::<Vec<_>>(), [4]);
}

#[test]
fn ranking_around_excludes_unverified_incomplete_and_emulated_runs() {
    let changes: [fn(&mut Document); 5] = [
        |document| document.series[0].outcome = Outcome::Unverified,
        |document| document.run.complete = false,
        |document| document.series[0].median = Some(f64::NAN),
        |document| document.machine.emulated_on = Some("x86_64".into()),
        |document| document.machine.wine = Some("8.0".into()),
    ];
    for change in changes {
        let mut document = run("mine", 21, 6e9);
        change(&mut document);
        let found = ranking_around(&document);
        assert_eq!((found.this, found.rows.len()), (This::WithoutRun, 12));
        assert!(found.rows.iter().all(|row| row.times.is_none()));
    }
}
