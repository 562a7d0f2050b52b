//! A store of ten thousand runs with a hundred series each answers in less than a second, as a whole process; a site of
//! it, and one of hundreds of machines, takes less than a minute, and little memory.

#![cfg(unix)]
#![allow(clippy::unwrap_used)]

mod support;

use kasoku_model::document::Details;
use kasoku_model::level::Level;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use kasoku_measure::clock::process_cpu_ns;
use kasoku_measure::machine;
use kasoku_model::acceleration::Acceleration;
use kasoku_model::algorithm::Algorithm;
use kasoku_model::document::{Document, Machine, Outcome, Run, SCHEMA, Sample, Series, Unit};
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
        level: Level::Primitives,
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
        details: Details::default(),
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

/// A page for every machine, algorithm and library, and a document for each run.
fn site_within_a_minute(path: &Path) {
    let out = path.with_file_name("site");
    let started = Instant::now();
    let (_, busy) = kasoku(path, &["site", "--out", out.to_str().unwrap()]);
    println!("kasoku site: {:.1} s, {:.1} s of CPUs", started.elapsed().as_secs_f64(), busy.as_secs_f64());
    assert!(busy < Duration::from_secs(60), "kasoku site took {busy:?} of CPUs");
    assert_eq!(std::fs::read_dir(out.join("run")).unwrap().count(), RUNS);
    let index = std::fs::read_to_string(out.join("index.html")).unwrap();
    assert!(index.contains("Another CPU"));
}

/// Machines of the second site, with so many runs each. Six libraries measured each algorithm there, with so many
/// samples.
const MACHINES: usize = 300;
const RUNS_OF_EACH: usize = 2;
const SAMPLES: usize = 30;

/// What the site of many machines may hold in memory at once: three times what it takes.
const MEMORY: usize = 110 << 20;

/// Every table of a site grows with its machines and libraries, and a document with its samples; the memory does not.
#[test]
fn a_site_of_many_machines_takes_little_memory() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("many.sqlite");
    let algorithms =
        [Algorithm::Aes128Gcm, Algorithm::Aes256Gcm, Algorithm::ChaCha20Poly1305, Algorithm::Sha256, Algorithm::X25519];
    let mut first = document("run-0", "2020-01-01T00:00:00Z", machine::this());
    first.series.clear();
    for library in ["openssl", "aws-lc", "ring", "rustcrypto", "graviola", "kasoku"] {
        for (algorithm, acceleration) in
            algorithms.into_iter().flat_map(|one| [(one, Acceleration::On), (one, Acceleration::Off)])
        {
            let sample = |round| Sample { round, iterations: 100, ns: 1_000_000, cpu_ns: 999_000, ..Sample::default() };
            let samples = (0..SAMPLES as u32).map(sample).collect();
            first.series.push(Series { library: library.into(), samples, ..one(algorithm, 16_384, acceleration) });
        }
    }
    Store::open(&path).unwrap().add_document(&first).unwrap();
    rename_and_repeat(&path);
    let out = folder.path().join("site");
    let started = Instant::now();
    let mut command = Command::new(env!("CARGO_BIN_EXE_kasoku"));
    let mut child = command.arg("site").arg("--out").arg(&out).arg("--store").arg(&path).spawn().unwrap();
    let (mut memory, mut busy) = (0, Duration::ZERO);
    while child.try_wait().unwrap().is_none() {
        memory = memory.max(peak_memory(child.id()));
        busy = busy.max(cpu_time(child.id()));
        std::thread::sleep(Duration::from_millis(5));
    }
    assert!(child.wait().unwrap().success());
    let (taken, busy) = (started.elapsed().as_secs_f64(), busy.as_secs_f64());
    println!("kasoku site of {MACHINES} machines: {taken:.1} s, {busy:.1} s of CPUs, {} MiB", memory >> 20);
    assert!(busy < 120.0, "kasoku site took {busy:.1} s of CPUs");
    assert!(memory < MEMORY, "kasoku site took {} MiB", memory >> 20);
    assert!(std::fs::read_dir(out.join("machine")).unwrap().count() > MACHINES);
}

/// Repeats the one run of a store, samples and all, until every machine has its runs.
fn rename_and_repeat(path: &Path) {
    let store = rusqlite::Connection::open(path).unwrap();
    let columns = |table: &str, left_out: &str| -> String {
        let sql = "SELECT group_concat(name, ', ') FROM pragma_table_info(?1) WHERE NOT instr(?2, ' ' || name || ' ')";
        store.query_row(sql, (table, left_out), |row| row.get(0)).unwrap()
    };
    let run = columns("run", " number id started device ");
    let series = columns("series", " number run median ");
    let sample = columns("sample", " run series ");
    let per_run: u32 = store.query_row("SELECT count(*) FROM series", [], |row| row.get(0)).unwrap();
    store
        .execute_batch(&format!(
            "BEGIN;
             WITH RECURSIVE count (n) AS (SELECT 2 UNION ALL SELECT n + 1 FROM count WHERE n < {MACHINES})
             INSERT INTO device (number, name, cpu, arch, cores, hypervisor)
                 SELECT n, 'machine ' || n, cpu, arch, cores, hypervisor FROM count JOIN device ON number = 1;
             WITH RECURSIVE count (n) AS (SELECT 2 UNION ALL SELECT n + 1 FROM count WHERE n < {})
             INSERT INTO run (number, id, started, device, {run})
                 SELECT n, 'run-' || n, strftime('%FT%TZ', '2020-01-01', '+' || n || ' hours'), 1 + n % {MACHINES},
                     {run}
                 FROM count JOIN run ON run.number = 1;
             INSERT INTO series (number, run, median, {series})
                 SELECT series.number + (new.number - 1) * {per_run}, new.number, median * (1 + new.number * 0.0001),
                     {series}
                 FROM run AS new JOIN series ON series.run = 1 WHERE new.number > 1;
             INSERT INTO sample (run, series, {sample})
                 SELECT new.number, sample.series + (new.number - 1) * {per_run}, {sample}
                 FROM run AS new JOIN sample ON sample.run = 1 WHERE new.number > 1;
             COMMIT;",
            MACHINES * RUNS_OF_EACH
        ))
        .unwrap();
}

/// The most memory that a process has held until now; nothing where the system does not tell.
fn peak_memory(process: u32) -> usize {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or_default();
    line.trim().trim_end_matches(" kB").parse::<usize>().unwrap_or(0) << 10
}

/// The CPU time that it has taken: in user and in system mode, in hundredths of a second.
fn cpu_time(process: u32) -> Duration {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    let fields = stat.rsplit(") ").next().unwrap_or_default().split(' ').skip(11).take(2);
    Duration::from_millis(fields.filter_map(|field| field.parse::<u64>().ok()).sum::<u64>() * 10)
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
        for question in &questions {
            collection.ranking(question, Some(&machine::this())).unwrap();
        }
        Duration::from_nanos(process_cpu_ns() - begun)
    });
}
