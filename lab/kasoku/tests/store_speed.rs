//! A store of ten thousand runs with a hundred series each answers in less than a second, as a whole process.

#![cfg(unix)]
#![allow(clippy::unwrap_used)]

mod support;

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use kasoku_measure::clock::process_cpu_ns;
use kasoku_measure::machine;
use kasoku_model::acceleration::Acceleration;
use kasoku_model::algorithm::Algorithm;
use kasoku_model::document::{Document, Machine, Outcome, Run, SCHEMA, Series, Unit};
use kasoku_model::library::Role;
use kasoku_model::workload::Workload;
use kasoku_store::Store;
use kasoku_store::collection::{Collection, RankingQuestion};
use support::timed;

const RUNS: usize = 10_000;
const SERIES: usize = 100;

/// What a person takes for at once, in CPU time: what else the machine does is not asked here.
const BOUND: Duration = Duration::from_secs(1);

/// The store, made once for all tests of this file.
fn store() -> (tempfile::TempDir, std::path::PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("large.sqlite");
    let started = Instant::now();
    let mut store = Store::open(&path).unwrap();
    store.add_document(&document("run-1", "2020-01-01T00:00:00Z", machine::this())).unwrap();
    let other = Machine { cpu: "Another CPU".into(), arch: "x86_64".into(), cores: 8, ..Machine::default() };
    store.add_document(&document("run-2", "2020-01-02T00:00:00Z", other)).unwrap();
    drop(store);
    multiply(&path);
    println!("the store of {RUNS} runs was made in {:.1} s", started.elapsed().as_secs_f64());
    (folder, path)
}

/// A run with the notes, libraries and omissions of a usual size, and a hundred series.
fn document(id: &str, started: &str, machine: Machine) -> Document {
    let bulk = [Algorithm::Aes128Gcm, Algorithm::Aes256Gcm, Algorithm::ChaCha20Poly1305, Algorithm::Aes128Cbc];
    let hashes = [Algorithm::Sha1, Algorithm::Sha256, Algorithm::Sha512, Algorithm::Blake2b512];
    let mut series = Vec::new();
    for algorithm in bulk.into_iter().chain(hashes) {
        for bytes in [16, 256, 1350, 8192, 16_384] {
            for acceleration in [Acceleration::On, Acceleration::Off] {
                series.push(one(algorithm, bytes, acceleration));
            }
        }
    }
    for algorithm in [Algorithm::X25519, Algorithm::X448, Algorithm::Ed25519, Algorithm::Ed448] {
        for acceleration in [Acceleration::On, Acceleration::Off, Acceleration::NoAes, Acceleration::NoClmul] {
            series.push(one(algorithm, 0, acceleration));
        }
    }
    for acceleration in [Acceleration::On, Acceleration::Off, Acceleration::NoAes, Acceleration::NoVaes] {
        series.push(one(Algorithm::Sha3_256, 16_384, acceleration));
    }
    assert_eq!(series.len(), SERIES);
    let run = Run {
        id: id.into(),
        started: started.into(),
        kasoku: "0.1.0".into(),
        command: "kasoku run primitives --quick".into(),
        complete: true,
        notes: vec!["what a reader must know of this run ".repeat(100)],
        ..Run::default()
    };
    Document { schema: SCHEMA, run, machine, series }
}

fn one(algorithm: Algorithm, bytes: usize, acceleration: Acceleration) -> Series {
    let question = RankingQuestion::new(algorithm);
    let workload = Workload::new(question.operation, algorithm, bytes);
    Series {
        level: "primitives".into(),
        operation: workload.operation,
        algorithm,
        bytes: workload.bytes,
        library: "openssl".into(),
        library_version: "OpenSSL 3.5.4 30 Sep 2025".into(),
        acceleration,
        code_path: "vaes512".into(),
        unit: if algorithm.kind().is_bulk() { Unit::BytesPerSecond } else { Unit::OperationsPerSecond },
        samples: Vec::new(),
        median: Some(1.0e9),
        ci95: Some([0.999e9, 1.001e9]),
        cycles_per_byte: Some(1.0),
        outcome: Outcome::Measured,
        role: Role::Library,
        note: None,
        parameters: serde_json::json!({ "threads": 1, "aad": 0, "nonces": "ahead" }).as_object().unwrap().clone(),
    }
}

/// Repeats the two runs until there are enough, a day apart; the figures rise.
fn multiply(path: &Path) {
    let store = rusqlite::Connection::open(path).unwrap();
    let columns = |table: &str, left_out: &[&str]| -> String {
        let sql = "SELECT group_concat(name, ', ') FROM pragma_table_info(?1) WHERE NOT instr(?2, ' ' || name || ' ')";
        let left_out = format!(" {} ", left_out.join(" "));
        store.query_row(sql, (table, left_out), |row| row.get(0)).unwrap()
    };
    let (run, series) = (columns("run", &["number", "id", "started"]), columns("series", &["number", "run", "median"]));
    store
        .execute_batch(&format!(
            "BEGIN;
             WITH RECURSIVE count (n) AS (SELECT 3 UNION ALL SELECT n + 1 FROM count WHERE n < {RUNS})
             INSERT INTO run (number, id, started, {run})
                 SELECT n, 'run-' || n, strftime('%FT%TZ', '2020-01-01', '+' || n || ' hours'), {run}
                 FROM count JOIN run ON run.number = 1 + n % 2;
             INSERT INTO series (run, median, {series})
                 SELECT new.number, median * (1 + new.number * 0.0001), {series}
                 FROM run AS new JOIN series ON series.run = 1 + new.number % 2 WHERE new.number > 2;
             COMMIT;"
        ))
        .unwrap();
    let count = |sql| store.query_row(sql, [], |row| row.get::<_, u32>(0)).unwrap() as usize;
    assert_eq!(count("SELECT count(*) FROM run"), RUNS);
    assert_eq!(count("SELECT count(*) FROM series"), RUNS * SERIES);
}

/// The best of three, so that a neighbour's work is not taken for ours.
fn best_of_three(what: &str, mut work: impl FnMut() -> Duration) {
    let best = (0..3).map(|_| work()).min().unwrap();
    println!("{what}: {:.0} ms", best.as_secs_f64() * 1e3);
    assert!(best < BOUND, "{what} took {best:?}");
}

/// What the command prints, and the CPU time it takes.
fn kasoku(store: &Path, arguments: &[&str]) -> (String, Duration) {
    timed(Command::new(env!("CARGO_BIN_EXE_kasoku")).args(arguments).arg("--store").arg(store))
}

/// A page for every machine, algorithm and library, and a document for each run, by the clock on the wall.
fn site_within_a_minute(path: &Path) {
    let out = path.with_file_name("site");
    let started = Instant::now();
    kasoku(path, &["site", "--out", out.to_str().unwrap()]);
    let taken = started.elapsed();
    println!("kasoku site: {:.1} s", taken.as_secs_f64());
    assert!(taken < Duration::from_secs(60), "kasoku site took {taken:?}");
    assert_eq!(std::fs::read_dir(out.join("run")).unwrap().count(), RUNS);
    let index = std::fs::read_to_string(out.join("index.html")).unwrap();
    assert!(index.contains("Another CPU"));
}

#[test]
fn a_million_series_answer_at_once() {
    let (_folder, path) = store();
    let ranked = || kasoku(&path, &["rank", "aes-128-gcm", "--bytes", "16384", "--format", "csv"]);
    // Two machines measured here and the twelve published ones.
    let lines = |(text, taken): (String, Duration), expected: usize| {
        assert_eq!(text.lines().count(), expected, "{text:.1000}");
        taken
    };
    best_of_three("kasoku rank --bytes 16384", || lines(ranked(), 1 + 2 + 12));
    best_of_three("kasoku rank", || kasoku(&path, &["rank", "aes-256-gcm"]).1);
    best_of_three("kasoku rank --library any", || kasoku(&path, &["rank", "sha-256", "--library", "any"]).1);
    best_of_three("kasoku runs", || lines(kasoku(&path, &["runs", "--format", "csv"]), RUNS + 1));
    best_of_three("kasoku show last", || kasoku(&path, &["show"]).1);
    let history = || kasoku(&path, &["history", "aes-128-gcm", "--bytes", "16384", "--format", "csv"]);
    best_of_three("kasoku history", || lines(history(), RUNS / 2 + 1));
    best_of_three("kasoku report", || {
        let out = path.with_file_name("report.html");
        let (_, taken) = kasoku(&path, &["report", "last", "--out", out.to_str().unwrap()]);
        let page = std::fs::read_to_string(out).unwrap();
        for section in ["others", "steps", "history", "advice"] {
            assert!(page.contains(&format!("id=\"r1-{section}\"")), "no section {section}");
        }
        taken
    });
    site_within_a_minute(&path);
    let questions: Vec<RankingQuestion> = [
        Algorithm::Aes128Cbc,
        Algorithm::Aes256Cbc,
        Algorithm::Aes128Gcm,
        Algorithm::Aes256Gcm,
        Algorithm::ChaCha20Poly1305,
        Algorithm::Sha1,
        Algorithm::Sha256,
        Algorithm::Sha512,
        Algorithm::Blake2s256,
        Algorithm::Blake2b512,
        Algorithm::X25519,
        Algorithm::X448,
        Algorithm::Ed25519,
        Algorithm::Ed448,
    ]
    .map(RankingQuestion::new)
    .into();
    best_of_three("the rankings of a page", || {
        let begun = process_cpu_ns();
        let store = Store::open_existing(&path).unwrap();
        let collection = Collection::open(Some(&store)).unwrap();
        let rankings = collection.rankings(&questions, Some(&machine::this())).unwrap();
        assert_eq!(rankings.len(), questions.len());
        Duration::from_nanos(process_cpu_ns() - begun)
    });
}
