//! Tests of storing, finding and listing runs.

mod any_document;
mod known;
mod refused;

use std::fs;
use std::path::{Path, PathBuf};

use super::*;
use kasoku_model::acceleration::Acceleration;
use kasoku_model::algorithm::Algorithm;
use kasoku_model::document::{
    Details, Document, Machine, Method, Omission, Origin, OriginKind, Outcome, Run, SCHEMA, Sample, Series, Unit,
};
use kasoku_model::level::Level;
use kasoku_model::library::Role;
use kasoku_model::workload::{Operation, Workload};

/// Makes the calling thread run as nobody. Returns `false` if the process is not root's.
#[cfg(target_os = "linux")]
pub(crate) fn become_nobody() -> bool {
    use rustix::process::{Uid, geteuid};
    if !geteuid().is_root() {
        assert!(std::env::var("CI").unwrap_or_default().is_empty(), "with CI set this test must run as root");
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
        core_hz: Some(4.1e9),
        ..Sample::default()
    }
}

fn series(library: &str) -> Series {
    let workload = Workload::new(Operation::Seal, Algorithm::Aes128Gcm, 16_384);
    let (state, unit) = (Acceleration::NoVaes, Unit::BytesPerSecond);
    Series {
        code_path: "aesni".into(),
        role: Role::of(library),
        ..Series::empty(Level::Primitives, &workload, library, "1.0".into(), state, unit)
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
fn store_returns_a_recorded_or_interrupted_run_unchanged() {
    let (folder, mut store) = store();
    let mut document = header("r1", "2026-11-21T09:00:00Z");
    document.series = vec![series("openssl")];
    document.run.complete = true; // to show that `begin_run` stores false
    let planned = store.begin_run(&document).unwrap();
    document.run.complete = false;
    let second = store.add_series("r1", &series("ring")).unwrap();
    assert_eq!(planned.len(), 1);
    document.series.push(series("ring"));
    for round in 0..3 {
        store.add_samples(&[(second, sample(round)), (planned[0], sample(round + 100))]).unwrap();
        document.series[0].samples.push(sample(round + 100));
        document.series[1].samples.push(sample(round));
    }
    // A second opening, as by another process after this one was killed.
    assert_eq!(Store::open_existing(store.path()).unwrap().load("r1").unwrap(), document);
    document.run.notes = vec!["interrupted".into()];
    store.end_run(&document.run).unwrap();
    assert_eq!(store.load("r1").unwrap(), document);

    let end = &mut document.series[1];
    (end.median, end.ci95, end.cycles_per_byte) = (Some(1.5e9), Some([1.4e9, 1.6e9]), Some(2.0));
    (end.outcome, end.note, end.code_path) = (Outcome::Measured, Some("a note".into()), "vaes512".into());
    end.details.threads = 2;
    store.update_series(second, end, true).unwrap();
    document.run.seconds = Some(12.5);
    document.run.notes = vec!["the clock fell".into()];
    document.run.omissions = vec![Omission { level: Level::Tls, why: "no nginx".into(), ..Omission::default() }];
    document.run.method = Method { processes: 3, rounds: 30, slice_ms: 10.0, loop_ns: Some(0.25), ..Method::default() };
    document.run.complete = true;
    store.end_run(&document.run).unwrap();
    assert_eq!(store.load("r1").unwrap(), document);
    drop(store);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "a file besides the store is left");
}

#[test]
fn runs_lists_the_newest_first_with_failures() {
    let (_folder, mut store) = store();
    store.add_documents([&header("older", "2026-11-20T09:00:00Z")]).unwrap();
    let mut document = header("newest", "2026-11-21T09:00:00Z");
    document.series = vec![series("a"), series("b"), series("c"), series("d")];
    let ids = store.begin_run(&document).unwrap();
    for (id, library, median, outcome) in [
        (ids[0], "a", Some(1.0), Outcome::Measured),
        (ids[1], "b", Some(1.0), Outcome::Unverified),
        (ids[2], "c", None, Outcome::Measured),
    ] {
        store.update_series(id, &Series { median, outcome, ..series(library) }, true).unwrap();
    }
    // A benchmark with its own clock, a control and a test double do not count as failed.
    for (library, median, control) in
        [("specjvm2008", Some(1.0), false), ("c", None, true), ("test-wrong", None, false)]
    {
        let details = Details { control, ..Details::default() };
        let id = store.add_series("newest", &series(library)).unwrap();
        let end = Series { median, outcome: Outcome::Unverified, details, ..series(library) };
        store.update_series(id, &end, true).unwrap();
    }
    store.add_documents([&header("oldest", "2026-11-19T09:00:00Z")]).unwrap();
    let runs = store.runs().unwrap();
    assert_eq!(runs.iter().map(|run| run.id.as_str()).collect::<Vec<_>>(), ["newest", "older", "oldest"]);
    assert_eq!((runs[0].series, runs[0].failed, runs[0].complete), (7, 2, false));
    assert_eq!((runs[1].series, runs[1].failed, runs[1].cpu.as_str()), (0, 0, "A CPU"));
}

#[test]
fn find_accepts_names_prefixes_and_last_n_and_escapes_names_in_errors() {
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
        ("20261120-b", "20261120-b"), // an exact name, although it is also a prefix of another
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
    store.begin_run(&header("\u{1b}[2Jx", "2026-11-23T09:00:00Z")).unwrap();
    let message = store.find("y").unwrap_err().to_string();
    assert!(message.contains("[2Jx") && !message.contains('\u{1b}'), "{message:?}");
}

#[test]
fn store_rejects_unknown_and_duplicate_runs() {
    let (_folder, mut store) = store();
    store.begin_run(&header("r1", "2026-11-21T09:00:00Z")).unwrap();
    assert!(matches!(store.begin_run(&header("r1", "2026")), Err(StoreError::DuplicateRun { .. })));
    assert!(matches!(store.add_series("r", &series("a")), Err(StoreError::UnknownRun { .. })));
    assert!(matches!(store.end_run(&Run::default()), Err(StoreError::UnknownRun { .. })));
    assert!(matches!(store.load("r"), Err(StoreError::UnknownRun { .. })));
    assert!(matches!(store.begin_run(&header("", "2026")), Err(StoreError::NamelessRun)));
    store.add_samples(&[(SeriesId { run: 1, series: 99 }, sample(0))]).unwrap_err();
}

#[test]
fn add_samples_adds_all_or_none() {
    let (_folder, mut store) = store();
    store.begin_run(&header("r1", "2026-11-21T09:00:00Z")).unwrap();
    let id = store.add_series("r1", &series("a")).unwrap();
    store.add_samples(&[(id, sample(0)), (SeriesId { series: 99, ..id }, sample(1))]).unwrap_err();
    assert!(store.load("r1").unwrap().series[0].samples.is_empty());
    store.add_samples(&[(id, sample(2))]).unwrap();
    assert_eq!(store.load("r1").unwrap().series[0].samples, [sample(2)]);
}

#[test]
fn store_drops_non_finite_figures() {
    let (_folder, mut store) = store();
    let mut document = header("r1", "2026-11-21T09:00:00Z");
    document.run.seconds = Some(f64::NAN);
    document.run.method = Method {
        noise_floor: Some(f64::INFINITY),
        noise_floors: [("sha-256".to_owned(), f64::NAN)].into(),
        ..Method::default()
    };
    document.series = vec![Series {
        median: Some(f64::INFINITY),
        ci95: Some([f64::NAN, 1.0]),
        samples: vec![Sample { core_hz: Some(f64::NAN), ..sample(0) }],
        ..series("a")
    }];
    store.add_documents([&document]).unwrap();
    let back = store.load("r1").unwrap();
    assert_eq!(back.run.method, Method::default());
    assert_eq!((back.run.seconds, back.series[0].median, back.series[0].ci95), (None, None, None));
    assert_eq!(back.series[0].samples, [Sample { core_hz: None, ..sample(0) }]);
}
