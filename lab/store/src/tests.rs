mod known;

use std::fs;

use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::*;
use kasoku_model::acceleration::Acceleration;
use kasoku_model::algorithm::Algorithm;
use kasoku_model::document::{FoundLibrary, Machine, Method, Omission, Origin, OriginKind, SCHEMA, Side, Sides, Unit};
use kasoku_model::workload::Operation;

/// Gives the calling thread alone, if it is root's, the rights of nobody; says whether it has them or is no root's.
#[cfg(target_os = "linux")]
pub(crate) fn become_nobody() -> bool {
    use rustix::process::{Uid, geteuid};
    if !geteuid().is_root() {
        assert!(std::env::var_os("CI").is_none(), "with CI set this test must run as root");
        println!("not root: not tested as another user");
        return false;
    }
    let nobody = Uid::from_raw(65_534);
    rustix::thread::set_thread_res_uid(nobody, nobody, nobody).unwrap();
    true
}

fn sample(round: u32) -> Sample {
    Sample {
        process: 1,
        round,
        iterations: 10,
        ns: 40_000_000,
        cpu_ns: 39_999_999,
        dropped: false,
        core_hz: Some(4.1e9),
        sides: None,
    }
}

fn series(library: &str) -> Series {
    Series {
        level: "primitives".into(),
        operation: Operation::Seal,
        algorithm: Algorithm::Aes128Gcm,
        bytes: 16_384,
        library: library.into(),
        library_version: "1.0".into(),
        acceleration: Acceleration::NoVaes,
        code_path: "aesni".into(),
        unit: Unit::BytesPerSecond,
        samples: Vec::new(),
        median: None,
        ci95: None,
        cycles_per_byte: None,
        verified: false,
        note: None,
        parameters: Map::new(),
    }
}

fn header(id: &str, started: &str) -> Document {
    Document {
        schema: SCHEMA,
        run: Run {
            id: id.into(),
            started: started.into(),
            kasoku: "0.1.0".into(),
            command: "kasoku run --quick".into(),
            ..Run::default()
        },
        machine: Machine { cpu: "A CPU".into(), cores: 2, ..Machine::default() },
        series: Vec::new(),
    }
}

fn store() -> (tempfile::TempDir, Store) {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(&folder.path().join("kasoku.sqlite")).unwrap();
    (folder, store)
}

#[test]
fn a_run_comes_back_as_it_was_measured() {
    let (folder, mut store) = store();
    let mut document = header("r1", "2026-11-21T09:00:00Z");
    document.series = vec![series("openssl")];
    let planned = store.begin_run(&document).unwrap();
    let second = store.add_series("r1", &series("ring")).unwrap();
    assert_eq!(planned.len(), 1);
    document.series.push(series("ring"));
    for round in 0..3 {
        store.add_samples(&[(second, sample(round)), (planned[0], sample(round + 100))]).unwrap();
        document.series[0].samples.push(sample(round + 100));
        document.series[1].samples.push(sample(round));
    }
    // What a process finds that opens the store after this one was killed.
    assert_eq!(Store::open_existing(store.path()).unwrap().load("r1").unwrap(), document);

    let end = &mut document.series[1];
    (end.median, end.ci95, end.cycles_per_byte) = (Some(1.5e9), Some([1.4e9, 1.6e9]), Some(2.0));
    (end.verified, end.note, end.code_path) = (true, Some("a note".into()), "vaes512".into());
    end.parameters.insert("threads".into(), json!(2));
    store.finish_series(second, end).unwrap();
    document.run.seconds = Some(12.5);
    document.run.notes = vec!["the clock fell".into()];
    document.run.omissions = vec![Omission { level: "tls".into(), why: "no nginx".into(), ..Omission::default() }];
    document.run.method = Method { processes: 3, rounds: 30, slice_ms: 10.0, loop_ns: Some(0.25), ..Method::default() };
    store.finish_run("r1", &document.run).unwrap();
    document.run.complete = true;
    assert_eq!(store.load("r1").unwrap(), document);
    drop(store);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "nothing but the store is left");
}

#[test]
fn a_run_that_is_broken_off_keeps_its_notes_and_stays_incomplete() {
    let (_folder, mut store) = store();
    let mut document = header("r1", "2026-11-21T09:00:00Z");
    document.run.complete = true; // not before it is
    store.begin_run(&document).unwrap();
    assert!(!store.load("r1").unwrap().run.complete);
    document.run.notes = vec!["interrupted".into()];
    store.break_off_run("r1", &document.run).unwrap();
    let run = store.load("r1").unwrap().run;
    assert!(!run.complete);
    assert_eq!(run.notes, ["interrupted"]);
}

#[test]
fn runs_are_listed_with_the_newest_first() {
    let (_folder, mut store) = store();
    store.add_document(&header("older", "2026-11-20T09:00:00Z")).unwrap();
    let mut document = header("newest", "2026-11-21T09:00:00Z");
    document.series = vec![series("a"), series("b"), series("c"), series("d")];
    let ids = store.begin_run(&document).unwrap();
    store.finish_series(ids[0], &Series { median: Some(1.0), verified: true, ..series("a") }).unwrap();
    store.finish_series(ids[1], &Series { median: Some(1.0), verified: false, ..series("b") }).unwrap();
    store.finish_series(ids[2], &Series { median: None, verified: true, ..series("c") }).unwrap();
    // Nobody calls these failed: a cross-check, a control of one that failed, a library that is meant to be wrong.
    let with = |name: &str, value| Map::from_iter([(name.to_owned(), value)]);
    for (library, median, parameters) in [
        ("openssl-speed", Some(1.0), with("clock", json!("its own"))),
        ("c", None, with("control", json!(true))),
        ("test-wrong", None, Map::new()),
    ] {
        let id = store.add_series("newest", &series(library)).unwrap();
        store.finish_series(id, &Series { median, verified: false, parameters, ..series(library) }).unwrap();
    }
    store.add_document(&header("oldest", "2026-11-19T09:00:00Z")).unwrap();
    let runs = store.runs().unwrap();
    assert_eq!(runs.iter().map(|run| run.id.as_str()).collect::<Vec<_>>(), ["newest", "older", "oldest"]);
    assert_eq!((runs[0].series, runs[0].failed, runs[0].complete), (7, 2, false));
    assert_eq!((runs[1].series, runs[1].failed, runs[1].cpu.as_str()), (0, 0, "A CPU"));
}

#[test]
fn a_run_is_found_by_name_beginning_and_age() {
    let (_folder, mut store) = store();
    assert!(matches!(store.find("last"), Err(StoreError::Empty { .. })));
    for (id, day) in [("20261119-a", 19), ("20261120-b", 20), ("20261120-bc", 21), ("20261122-%", 22)] {
        store.begin_run(&header(id, &format!("2026-11-{day}T09:00:00Z"))).unwrap();
    }
    for (name, id) in [
        ("last", "20261122-%"),
        ("last-0", "20261122-%"),
        ("last-3", "20261119-a"),
        ("20261119", "20261119-a"),
        ("20261120-b", "20261120-b"), // a full name, though another begins so
        ("20261120-bc", "20261120-bc"),
    ] {
        assert_eq!(store.find(name).unwrap(), id, "{name}");
    }
    for unknown in ["last-4", "last-", "last--1", "2027", "%", "", "20261119-A"] {
        let error = store.find(unknown).unwrap_err();
        assert!(matches!(&error, StoreError::UnknownRun { .. }), "{unknown}: {error}");
        assert!(error.to_string().contains("20261119-a"), "{error}");
    }
    let error = store.find("20261120").unwrap_err();
    assert!(matches!(&error, StoreError::AmbiguousRun { candidates, .. } if candidates.len() == 2), "{error}");
    assert!(error.to_string().contains("20261120-bc"), "{error}");
}

#[test]
fn messages_do_not_obey_a_stored_name() {
    let (_folder, mut store) = store();
    store.begin_run(&header("\u{1b}[2Jx", "2026-11-21T09:00:00Z")).unwrap();
    let message = store.find("y").unwrap_err().to_string();
    assert!(message.contains("[2Jx") && !message.contains('\u{1b}'), "{message:?}");
}

#[test]
fn what_is_not_there_is_refused() {
    let (_folder, mut store) = store();
    store.begin_run(&header("r1", "2026-11-21T09:00:00Z")).unwrap();
    assert!(matches!(store.begin_run(&header("r1", "2026")), Err(StoreError::DuplicateRun { .. })));
    assert!(matches!(store.add_series("r", &series("a")), Err(StoreError::UnknownRun { .. })));
    assert!(matches!(store.finish_run("r", &Run::default()), Err(StoreError::UnknownRun { .. })));
    assert!(matches!(store.load("r"), Err(StoreError::UnknownRun { .. })));
    assert!(matches!(store.begin_run(&header("", "2026")), Err(StoreError::NotStorable { .. })));
    store.add_samples(&[(SeriesId { run: 1, series: 99 }, sample(0))]).unwrap_err();
}

#[test]
fn samples_are_added_all_or_none() {
    let (_folder, mut store) = store();
    store.begin_run(&header("r1", "2026-11-21T09:00:00Z")).unwrap();
    let id = store.add_series("r1", &series("a")).unwrap();
    store.add_samples(&[(id, sample(0)), (SeriesId { series: 99, ..id }, sample(1))]).unwrap_err();
    assert!(store.load("r1").unwrap().series[0].samples.is_empty());
    store.add_samples(&[(id, sample(2))]).unwrap();
    assert_eq!(store.load("r1").unwrap().series[0].samples, [sample(2)]);
}

#[test]
fn figures_that_are_not_finite_are_absent() {
    let (_folder, mut store) = store();
    let mut document = header("r1", "2026-11-21T09:00:00Z");
    document.run.seconds = Some(f64::NAN);
    document.run.method = Method { slice_ms: f64::NAN, noise_floor: Some(f64::INFINITY), ..Method::default() };
    document.series = vec![Series {
        median: Some(f64::INFINITY),
        ci95: Some([f64::NAN, 1.0]),
        samples: vec![Sample { core_hz: Some(f64::NAN), ..sample(0) }],
        ..series("a")
    }];
    store.add_document(&document).unwrap();
    let back = store.load("r1").unwrap();
    assert_eq!(back.run.method, Method::default());
    assert_eq!((back.run.seconds, back.series[0].median, back.series[0].ci95), (None, None, None));
    assert_eq!(back.series[0].samples, [Sample { core_hz: None, ..sample(0) }]);
}

#[test]
fn what_could_not_be_read_back_is_refused_whole() {
    let (_folder, mut store) = store();
    let deep = (0..200).fold(Value::Null, |inner, _| Value::Array(vec![inner]));
    let mut document = header("r1", "2026-11-21T09:00:00Z");
    document.series = vec![series("a"), Series { parameters: Map::from_iter([("deep".into(), deep)]), ..series("b") }];
    assert!(matches!(store.add_document(&document), Err(StoreError::NotStorable { .. })));
    assert!(store.runs().unwrap().is_empty());
}

/// All sums of text, controls and NUL included.
fn text() -> impl Strategy<Value = String> {
    prop_oneof![any::<String>(), Just("a\0b".to_string()), Just("\u{1b}[2J\u{202e}".to_string()), Just(String::new())]
}

fn figure() -> impl Strategy<Value = f64> {
    prop_oneof![
        prop::num::f64::POSITIVE | prop::num::f64::NEGATIVE | prop::num::f64::NORMAL | prop::num::f64::SUBNORMAL,
        Just(0.0),
        Just(-0.0),
        Just(f64::MAX),
        Just(9_007_199_254_740_993.0),
        (any::<i32>()).prop_map(f64::from),
    ]
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        figure().prop_map(Value::from),
        text().prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
            prop::collection::btree_map(text(), inner, 0..3).prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

prop_compose! {
    fn any_sample()(
        process in any::<u32>(), round in any::<u32>(), iterations in any::<u64>(), ns in any::<u64>(),
        cpu_ns in any::<u64>(), dropped in any::<bool>(), core_hz in prop::option::of(figure()),
        sides in prop::option::of(any::<([u64; 9], bool)>()),
    ) -> Sample {
        let side = |[cpu_ns, kernel_ns, waited_ns]: [u64; 3]| Side { cpu_ns, kernel_ns, waited_ns };
        let sides = sides.map(|([a, b, c, d, e, f, packets, calls, lost], disturbed)| Sides {
            sender: side([a, b, c]), receiver: side([d, e, f]), packets, calls, lost, disturbed,
        });
        Sample { process, round, iterations, ns, cpu_ns, dropped, core_hz, sides }
    }
}

prop_compose! {
    fn any_series()(
        names in [text(), text(), text(), text()],
        operation in prop::sample::select(Operation::ALL), algorithm in prop::sample::select(Algorithm::ALL),
        acceleration in prop::sample::select(Acceleration::ALL), bytes in any::<usize>(),
        unit in prop::sample::select(
            &[Unit::BytesPerSecond, Unit::OperationsPerSecond, Unit::OperationsPerMinute, Unit::Seconds][..]
        ),
        samples in prop::collection::vec(any_sample(), 0..5),
        median in prop::option::of(figure()), ci95 in prop::option::of([figure(), figure()]),
        cycles_per_byte in prop::option::of(figure()), verified in any::<bool>(), note in prop::option::of(text()),
        parameters in prop::collection::btree_map(text(), value(), 0..4),
    ) -> Series {
        let [level, library, library_version, code_path] = names;
        Series {
            level, operation, algorithm, bytes, library, library_version, acceleration, code_path, unit, samples, median,
            ci95, cycles_per_byte, verified, note, parameters: parameters.into_iter().collect(),
        }
    }
}

prop_compose! {
    fn any_run()(
        names in [text(), text(), text()], id in text(), complete in any::<bool>(), seconds in prop::option::of(figure()),
        counts in any::<[u32; 2]>(), slice_ms in figure(), figures in [(); 3].map(|()| prop::option::of(figure())),
        clock in [prop::option::of(text()), prop::option::of(text())], notes in prop::collection::vec(text(), 0..3),
        omission in [text(), text(), text()], state in prop::option::of(prop::sample::select(Acceleration::ALL)),
        more in [prop::option::of(text()), prop::option::of(text())],
    ) -> Run {
        let [started, kasoku, command] = names;
        let [core_clock, noise_floor_library] = clock;
        let [core_hz, noise_floor, loop_ns] = figures;
        let [level, library, why] = omission;
        let [algorithm, install] = more;
        Run {
            id: format!("r{id}"), started, kasoku, command, complete, seconds,
            method: Method {
                fleet: Some(kasoku_model::document::FleetPart {
                    run: "r".to_owned(),
                    host: "h".to_owned(),
                    hosts: 3,
                }),
                processes: counts[0], rounds: counts[1], slice_ms, core_clock, core_hz, noise_floor,
                noise_floors: noise_floor.map(|floor| (level.clone(), floor)).into_iter().collect(), noise_floor_library,
                loop_ns, limits: Vec::new(),
            },
            notes,
            libraries: vec![FoundLibrary {
                library: library.clone(), version: level.clone(), acceleration: state, cpu_features: algorithm.clone(),
                loaded_from: install.clone(),
            }],
            origin: install.clone().map(|source| Origin {
                kind: if complete { OriginKind::Transcript } else { OriginKind::Published },
                source,
                address: algorithm.clone(),
                note: None,
            }),
            omissions: vec![Omission { level, library, acceleration: state, algorithm, why, install }],
        }
    }
}

prop_compose! {
    fn any_machine()(
        names in [text(), text(), text()], features in prop::collection::vec(text(), 0..3), cores in any::<usize>(),
        options in [(); 5].map(|()| prop::option::of(text())), memory in prop::option::of(any::<u64>()),
        boost in prop::option::of(any::<bool>()),
    ) -> Machine {
        let [cpu, arch, kernel] = names;
        let [name, hypervisor, os, governor, microarchitecture] = options;
        Machine { name, cpu, arch, features, cores, kernel, hypervisor, os, memory, governor, boost, microarchitecture }
    }
}

prop_compose! {
    fn any_document()(
        schema in any::<u32>(), run in any_run(), machine in any_machine(),
        series in prop::collection::vec(any_series(), 0..4),
    ) -> Document {
        Document { schema, run, machine, series }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_document_comes_back_to_the_bit(document in any_document()) {
        let (_folder, mut store) = store();
        store.add_document(&document).unwrap();
        let back = store.load(&document.run.id).unwrap();
        prop_assert_eq!(&back, &document);
        // Equal figures may differ in the sign of zero; their shortest decimal forms do not lie.
        prop_assert_eq!(serde_json::to_string(&back).unwrap(), serde_json::to_string(&document).unwrap());
    }
}

mod refused {
    //! Files that are no store, or a damaged one: a typed error that says what to do, and the file is as it was.

    use super::*;

    /// Opens `path` both ways, which must fail and leave the file alone; gives the message.
    fn refused(path: &Path, is_it: impl Fn(&StoreError) -> bool) -> String {
        let before = fs::read(path).ok();
        let mut message = String::new();
        for open in [Store::open, Store::open_existing] {
            let error = open(path).unwrap_err();
            assert!(is_it(&error), "{error:?}");
            message = error.to_string();
            assert!(message.contains(&*path.to_string_lossy()), "{message}");
        }
        assert_eq!(fs::read(path).ok(), before, "{message}");
        message
    }

    /// A store of several hundred pages, closed.
    fn filled() -> (tempfile::TempDir, PathBuf) {
        let (folder, mut store) = store();
        let mut document = header("r1", "2026-11-21T09:00:00Z");
        document.series = vec![Series { samples: (0..20_000).map(sample).collect(), ..series("a") }];
        store.add_document(&document).unwrap();
        let path = store.path().to_path_buf();
        (folder, path)
    }

    #[test]
    fn nothing_there() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("kasoku.sqlite");
        let error = Store::open_existing(&path).unwrap_err();
        assert!(matches!(error, StoreError::Missing { .. }), "{error:?}");
        assert!(error.to_string().contains("kasoku run"), "{error}");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0, "reading makes nothing");
    }

    #[test]
    fn files_that_are_something_else() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("kasoku.sqlite");
        let mut headed = b"SQLite format 3\0".to_vec();
        headed.resize(8192, 0xa5);
        for content in [vec![], b"a".to_vec(), vec![0; 4096], vec![0xa5; 100_000], b"dear diary\n".repeat(500), headed]
        {
            fs::write(&path, content).unwrap();
            let message = refused(&path, |e| matches!(e, StoreError::NotAStore { .. } | StoreError::Damaged { .. }));
            assert!(message.contains("move it aside"), "{message}");
        }
        refused(folder.path(), |error| matches!(error, StoreError::Unusable { .. }));
        refused(&path.join("below"), |error| matches!(error, StoreError::Unusable { .. }));
    }

    #[test]
    fn the_database_of_another_program() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("places.sqlite");
        let other = Connection::open(&path).unwrap();
        other.execute_batch("CREATE TABLE bookmarks (x); PRAGMA user_version = 1").unwrap();
        drop(other);
        let message = refused(&path, |error| matches!(error, StoreError::NotAStore { .. }));
        assert!(message.contains("another program"), "{message}");
    }

    #[test]
    fn a_newer_kasoku() {
        let (_folder, path) = filled();
        Connection::open(&path).unwrap().pragma_update(None, "user_version", 1000).unwrap();
        let message = refused(&path, |error| matches!(error, StoreError::Newer { found: 1000, .. }));
        assert!(message.contains("newer Kasoku"), "{message}");
    }

    #[test]
    fn a_store_that_was_cut_off() {
        let (_folder, path) = filled();
        let whole = fs::read(&path).unwrap();
        for length in [1, 60, 100, 1000, 4096, 4097, 8192, whole.len() / 2, whole.len() - 4096, whole.len() - 1] {
            fs::write(&path, &whole[..length]).unwrap();
            let message = refused(&path, |e| matches!(e, StoreError::NotAStore { .. } | StoreError::Damaged { .. }));
            assert!(message.contains("move it aside"), "{length}: {message}");
        }
        fs::write(&path, &whole).unwrap();
        assert_eq!(Store::open(&path).unwrap().load("r1").unwrap().series[0].samples.len(), 20_000);
    }

    #[test]
    fn a_log_without_its_store() {
        let (_folder, mut store) = store();
        store.begin_run(&header("r1", "2026-11-21T09:00:00Z")).unwrap();
        let (path, log) = (store.path().to_path_buf(), store.path().with_extension("sqlite-wal"));
        let left = fs::read(&log).unwrap();
        drop(store);
        fs::remove_file(&path).unwrap();
        fs::write(&log, &left).unwrap();
        let error = Store::open(&path).unwrap_err();
        assert!(matches!(error, StoreError::Damaged { .. }), "{error:?}");
        assert_eq!((fs::read(&log).unwrap(), path.exists()), (left, false));
        // An empty one is nothing.
        fs::write(&log, "").unwrap();
        assert!(Store::open(&path).unwrap().runs().unwrap().is_empty());
    }

    #[test]
    fn a_store_with_a_page_of_garbage() {
        let (_folder, path) = filled();
        let whole = fs::read(&path).unwrap();
        let mut noticed = 0;
        for (page, byte) in [(1, 0), (2, 0xff), (5, 0x5a), (20, 0), (whole.len() / 4096 - 1, 0xa5)] {
            let mut damaged = whole.clone();
            damaged[page * 4096..(page + 1) * 4096].fill(byte);
            fs::write(&path, damaged).unwrap();
            let message = refused(&path, |error| matches!(error, StoreError::Damaged { .. }));
            assert!(message.contains("recover") && !message.contains('\n'), "{message}");
            noticed += 1;
        }
        assert_eq!(noticed, 5);
    }

    /// A store that is too large to be read whole when it is opened: damage is found where it is met.
    #[test]
    fn a_large_store_that_is_damaged() {
        let (_folder, path) = filled();
        let large = Connection::open(&path).unwrap();
        large
            .execute_batch(
                "WITH RECURSIVE count (n) AS (SELECT 20000 UNION ALL SELECT n + 1 FROM count WHERE n < 1400000)
                 INSERT INTO sample SELECT run, n, series, process, round, iterations, ns, cpu_ns, dropped, core_hz, sides
                 FROM count JOIN sample ON sequence = 0;
                 PRAGMA wal_checkpoint(TRUNCATE)",
            )
            .unwrap();
        drop(large);
        let whole = fs::read(&path).unwrap();
        assert!(whole.len() > 33 << 20, "{} bytes are read whole", whole.len());
        assert_eq!(Store::open(&path).unwrap().runs().unwrap().len(), 1);
        for length in [whole.len() - 1, whole.len() - 4096, whole.len() / 2, 34 << 20] {
            fs::write(&path, &whole[..length]).unwrap();
            refused(&path, |error| matches!(error, StoreError::Damaged { .. }));
        }
        let mut damaged = whole.clone();
        let middle = whole.len() / 2 / 4096 * 4096;
        damaged[middle..middle + 4096].fill(0x5a);
        fs::write(&path, damaged).unwrap();
        let error = Store::open_existing(&path).unwrap().load("r1").unwrap_err();
        assert!(matches!(error, StoreError::Damaged { .. }), "{error:?}");
        assert!(error.to_string().contains("recover"), "{error}");
    }

    #[test]
    fn columns_that_hold_nonsense() {
        let (_folder, path) = filled();
        let change = |sql: &str| Connection::open(&path).unwrap().execute_batch(sql).unwrap();
        let load = || Store::open_existing(&path).unwrap().load("r1").map(drop);
        change("UPDATE series SET algorithm = 'aes-129-gcm'");
        let error = load().unwrap_err();
        assert!(matches!(&error, StoreError::UnreadableRun { kasoku, .. } if kasoku == "0.1.0"), "{error:?}");
        assert!(error.to_string().contains("aes-129-gcm"), "{error}");
        change("UPDATE series SET algorithm = 'aes-128-gcm', median = 'fast'");
        assert!(matches!(load(), Err(StoreError::Damaged { .. })));
        change("UPDATE series SET median = 1.0, parameters = '{'");
        assert!(matches!(load(), Err(StoreError::Damaged { .. })));
        change("UPDATE series SET parameters = '{}'; UPDATE run SET machine = 'x'");
        assert!(matches!(load(), Err(StoreError::Damaged { .. })));
        assert_eq!(Store::open_existing(&path).unwrap().runs().unwrap().len(), 1, "the others are still listed");
        change("UPDATE run SET origin = 'x'");
        assert!(matches!(Store::open_existing(&path).unwrap().runs(), Err(StoreError::Damaged { .. })));
        change("DROP TABLE sample");
        assert!(matches!(Store::open_existing(&path), Err(StoreError::Damaged { .. })));
    }

    #[test]
    fn a_full_disk_keeps_what_was_stored() {
        let (_folder, mut store) = store();
        store.begin_run(&header("r1", "2026-11-21T09:00:00Z")).unwrap();
        let id = store.add_series("r1", &series("a")).unwrap();
        let pages: i64 = store.connection.pragma_query_value(None, "page_count", |row| row.get(0)).unwrap();
        let _: i64 =
            store.connection.pragma_update_and_check(None, "max_page_count", pages + 3, |row| row.get(0)).unwrap();
        let mut kept = 0;
        let error = loop {
            match store.add_samples(&[(id, sample(kept)); 10]) {
                Ok(()) => kept += 1,
                Err(error) => break error,
            }
            assert!(kept < 10_000);
        };
        assert!(matches!(error, StoreError::Full { .. }), "{error:?}");
        assert!(error.to_string().contains("free some space"), "{error}");
        assert!(kept > 10);
        assert_eq!(store.load("r1").unwrap().series[0].samples.len() as u32, kept * 10);
    }

    #[test]
    #[cfg(unix)]
    fn odd_names_are_names_of_files() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["file:x?mode=memory", ":memory:", "a%20b #?", "日本語"] {
            let path = folder.path().join(name);
            Store::open(&path).unwrap();
            assert!(path.is_file(), "{name}");
        }
    }

    #[test]
    #[cfg(target_os = "linux")] // mknod makes the pipe
    fn a_pipe_a_device_and_a_link_to_nowhere() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("pipe");
        rustix::fs::mknodat(rustix::fs::CWD, &path, rustix::fs::FileType::Fifo, 0o600.into(), 0).unwrap();
        assert!(matches!(Store::open(&path), Err(StoreError::Unusable { .. })));
        assert!(matches!(Store::open(Path::new("/dev/null")), Err(StoreError::Unusable { .. })));
        let path = folder.path().join("link");
        std::os::unix::fs::symlink("nowhere", &path).unwrap();
        assert!(matches!(Store::open(&path), Err(StoreError::Unusable { .. })));
    }

    #[test]
    #[cfg(unix)]
    fn only_the_user_may_read_it() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("data/kasoku/kasoku.sqlite");
        let mut store = Store::open(&path).unwrap();
        store.begin_run(&header("r1", "2026-11-21T09:00:00Z")).unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(&path), mode(&folder.path().join("data"))), (0o600, 0o700));
        assert_eq!(mode(path.parent().unwrap()), 0o700);
        assert_eq!(mode(&path.with_extension("sqlite-wal")), 0o600);
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_folder_that_may_only_be_read() {
        use std::os::unix::fs::PermissionsExt;
        let (folder, path) = filled();
        let closed = folder.path().join("closed");
        fs::create_dir(&closed).unwrap();
        let set = |path: &Path, mode| fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
        set(&closed, 0o555);
        set(folder.path(), 0o555);
        std::thread::scope(|scope| {
            let reader = |file_mode: u32| {
                let (closed, path) = (&closed, &path);
                move || {
                    if !become_nobody() {
                        return;
                    }
                    let error = Store::open(&closed.join("kasoku.sqlite")).unwrap_err();
                    assert!(matches!(error, StoreError::NotWritable { .. }), "{error:?}");
                    let error = Store::open(&closed.join("deeper/kasoku.sqlite")).unwrap_err();
                    assert!(matches!(error, StoreError::NotWritable { .. }), "{error:?}");
                    let error = Store::open(path).unwrap_err();
                    let message = error.to_string();
                    assert!(matches!(error, StoreError::NotWritable { .. } | StoreError::Unusable { .. }), "{message}");
                    // Reading is another matter, if the file may be read.
                    let loaded = Store::open_existing(path).and_then(|store| store.load("r1"));
                    if file_mode & 0o4 != 0 {
                        assert_eq!(loaded.unwrap().series[0].samples.len(), 20_000);
                    } else {
                        let message = loaded.unwrap_err().to_string();
                        assert!(message.contains("check that you may read"), "{message}");
                    }
                }
            };
            for mode in [0o600, 0o644, 0o666] {
                set(&path, mode);
                scope.spawn(reader(mode)).join().unwrap();
            }
        });
        set(folder.path(), 0o755);
        set(&closed, 0o755);
    }
}
