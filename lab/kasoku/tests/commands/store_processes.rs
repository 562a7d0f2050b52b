//! The store between processes: killed writers, concurrent writers, full disks, closed pipes.
//!
//! A test starts this test binary again with [`ROLE`] in its environment. In that process,
//! [`child_process_exits_with_the_status_of_its_task`] does the work.

use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use kasoku_model::acceleration::Acceleration;
use kasoku_model::algorithm::Algorithm;
use kasoku_model::document::{Document, Machine, Outcome, Run, SCHEMA, Sample, Series, Unit};
use kasoku_model::level::Level;
use kasoku_model::workload::{Operation, Workload};
use kasoku_store::output_file;
use kasoku_store::{Store, StoreError};

use crate::support::{Sandbox, error_of, is_there, names};

/// Name of [`child_process_exits_with_the_status_of_its_task`] in this binary.
const CHILD: &str = "store_processes::child_process_exits_with_the_status_of_its_task";
/// Environment variable with the task of a child.
const ROLE: &str = "KASOKU_TEST_ROLE";
/// Environment variable with the file for the task.
const FILE: &str = "KASOKU_TEST_FILE";

fn series(library: &str) -> Series {
    let workload = Workload::new(Operation::Seal, Algorithm::Aes128Gcm, 16_384);
    Series::empty(Level::Primitives, &workload, library, "1.0".into(), Acceleration::On, Unit::BytesPerSecond)
}

fn header(id: &str) -> Document {
    let run = Run { id: id.into(), started: "2026-11-21T09:00:00Z".into(), ..Run::default() };
    Document { schema: SCHEMA, run, machine: Machine::default(), series: Vec::new() }
}

fn sample(round: u32) -> Sample {
    Sample { round, iterations: 5, ns: 40_000_000, cpu_ns: 39_000_000, core_hz: Some(4e9), ..Sample::default() }
}

/// Runs the task in [`ROLE`] and exits with its status, if another test started this process. Otherwise does nothing.
#[test]
fn child_process_exits_with_the_status_of_its_task() {
    let (Ok(role), Some(file)) = (std::env::var(ROLE), std::env::var_os(FILE)) else { return };
    let file = PathBuf::from(file);
    let status = match role.as_str() {
        "measure" => measure_until_killed(&file),
        "fill" => fill_the_disk(&file),
        role => match role.strip_prefix("run ") {
            Some(id) => whole_run(&file, id),
            None => 70,
        },
    };
    std::process::exit(status);
}

/// A child process. Dropping `Started` kills it, with SIGKILL on Unix.
struct Started(Child);

impl Started {
    fn new(role: &str, file: &Path) -> Started {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["--exact", CHILD, "--nocapture", "--quiet"]).env(ROLE, role).env(FILE, file);
        Started(command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().unwrap())
    }

    fn lines(&mut self) -> BufReader<ChildStdout> {
        BufReader::new(self.0.stdout.take().unwrap())
    }
}

impl Drop for Started {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Reads up to the next line that begins with `word`, and returns the number after it.
fn next_number(lines: &mut impl BufRead, word: &str) -> u32 {
    let mut line = String::new();
    loop {
        line.clear();
        assert!(lines.read_line(&mut line).unwrap() > 0, "the child ended early");
        if let Some(number) = line.trim_end().strip_prefix(word) {
            return number.parse().unwrap();
        }
    }
}

fn measure_until_killed(file: &Path) -> i32 {
    let mut store = Store::open(file).unwrap();
    store.begin_run(&header("killed")).unwrap();
    let ids: Vec<_> =
        (0..10).map(|library| store.add_series("killed", &series(&format!("library {library}"))).unwrap()).collect();
    for round in 0.. {
        let samples: Vec<_> = ids.iter().map(|&id| (id, sample(round))).collect();
        store.add_samples(&samples).unwrap();
        println!("stored {round}");
    }
    0
}

#[test]
#[cfg(unix)]
fn killed_writer_keeps_every_stored_sample_and_readers_see_whole_rounds() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("kasoku.sqlite");
    for enough in [0, 7, 400] {
        let mut child = Started::new("measure", &file);
        let mut lines = child.lines();
        while next_number(&mut lines, "stored ") < enough {}
        // Another process can read the store meanwhile.
        let store = Store::open_existing(&file).unwrap();
        let mut said = enough;
        for _ in 0..20 {
            let document = store.load(&store.find("last").unwrap()).unwrap();
            let count = document.series[0].samples.len();
            assert!(
                document.series.iter().all(|series| series.samples.len() == count),
                "the series show different states of the store"
            );
            assert!(count as u32 > said, "{count} samples are visible, but the child reported {said}");
            said = next_number(&mut lines, "stored ");
        }
        drop((store, child));
        // Lines that the child printed before it died count too.
        let mut rest = String::new();
        lines.read_to_string(&mut rest).unwrap();
        said += rest.lines().filter(|line| line.starts_with("stored ")).count() as u32;

        let store = Store::open_existing(&file).unwrap();
        let document = store.load("killed").unwrap();
        assert!(!document.run.complete);
        assert_eq!(document.series.len(), 10);
        for series in &document.series {
            assert!(
                series.samples.len() as u32 > said,
                "{} samples are stored, but the child reported {said}",
                series.samples.len()
            );
            assert_eq!(series.samples, (0..series.samples.len() as u32).map(sample).collect::<Vec<_>>());
            assert_eq!(
                series.samples.len(),
                document.series[0].samples.len(),
                "a call of add_samples is stored only in part"
            );
        }
        assert!(!store.runs().unwrap()[0].complete);
        drop(store);
        std::fs::remove_file(&file).unwrap();
    }
}

fn whole_run(file: &Path, id: &str) -> i32 {
    let mut store = Store::open(file).unwrap();
    store.begin_run(&header(id)).unwrap();
    let ids = [store.add_series(id, &series("a")).unwrap(), store.add_series(id, &series("b")).unwrap()];
    for round in 0..300 {
        store.add_samples(&ids.map(|id| (id, sample(round)))).unwrap();
    }
    for id in ids {
        let end = Series { median: Some(1.0), outcome: Outcome::Measured, ..series("a") };
        store.update_series(id, &end, true).unwrap();
    }
    store.end_run(&Run { complete: true, ..header(id).run }).unwrap();
    0
}

#[test]
fn several_processes_create_and_fill_one_store() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("new/kasoku.sqlite");
    let mut children: Vec<_> = (0..5).map(|n| Started::new(&format!("run r{n}"), &file)).collect();
    for child in &mut children {
        assert!(child.0.wait().unwrap().success());
    }
    let store = Store::open(&file).unwrap();
    assert_eq!(store.runs().unwrap().len(), 5);
    for run in store.runs().unwrap() {
        assert!(run.complete);
        for series in store.load(&run.id).unwrap().series {
            assert_eq!(series.samples, (0..300).map(sample).collect::<Vec<_>>());
        }
    }
    drop(store);
    assert_eq!(names(&folder.path().join("new")), ["kasoku.sqlite"]);
}

#[test]
fn runs_succeeds_when_its_reader_closes_the_pipe() {
    let sandbox = Sandbox::new();
    let mut store = sandbox.store();
    for n in 0..2000 {
        store.begin_run(&header(&format!("run-{n:04}"))).unwrap();
    }
    // The list is longer than a pipe's buffer, so the command writes to the closed pipe.
    let mut command = sandbox.command(&["runs", "--format", "json"]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut output = child.stdout.take().unwrap();
    output.read_exact(&mut [0; 64]).unwrap();
    drop(output);
    let ended = child.wait_with_output().unwrap();
    assert!(ended.status.success() && !error_of(&ended).contains("panicked"), "{}", error_of(&ended));
}

/// Stores samples until the file system is full, and checks what is left.
fn fill_the_disk(file: &Path) -> i32 {
    let mut store = Store::open(file).unwrap();
    store.begin_run(&header("full")).unwrap();
    let id = store.add_series("full", &series("a")).unwrap();
    let mut kept = 0;
    let error = loop {
        match store.add_samples(&[(id, sample(kept)); 20]) {
            Ok(()) => kept += 1,
            Err(error) => break error,
        }
    };
    assert!(matches!(error, StoreError::Full { .. }), "{error:?}");
    assert!(error.to_string().contains("free some space"), "{error}");
    drop(store);

    // The old result file is unchanged.
    let result = file.with_file_name("result.json");
    let error = output_file::write(&result, &vec![b'x'; 1 << 20]).unwrap_err();
    assert!(error.why.contains("free some space"), "{error}");
    assert_eq!(std::fs::read(&result).unwrap(), b"old");

    let document = Store::open_existing(file).unwrap().load("full").unwrap();
    assert_eq!(document.series[0].samples.len() as u32, kept * 20);
    println!("kept {kept}");
    0
}

/// Uses a file system of half a megabyte, in a mount namespace that ends with the child.
#[test]
#[cfg(target_os = "linux")]
fn full_disk_keeps_stored_samples_and_the_old_result_file() {
    let folder = tempfile::tempdir().unwrap();
    let namespaces = ["--user", "--map-root-user", "--mount"];
    let may_mount = Command::new("unshare")
        .args(namespaces)
        .args(["mount", "-t", "tmpfs", "none"])
        .arg(folder.path())
        .output()
        .is_ok_and(|output| output.status.success());
    if !is_there(may_mount, "permission for user namespaces") {
        return;
    }
    let script = "mount -t tmpfs -o size=512k none \"$1\" && printf old > \"$1/result.json\" && exec \"$2\" \
                  --exact \"$3\" --nocapture --quiet";
    let mut child = Command::new("unshare");
    child.args(namespaces).args(["sh", "-c", script, "sh"]).arg(folder.path());
    child.arg(std::env::current_exe().unwrap()).arg(CHILD);
    child.env(ROLE, "fill").env(FILE, folder.path().join("kasoku.sqlite"));
    let output = child.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(next_number(&mut &*output.stdout, "kept ") > 10);
}

/// Samples are stored between timed slices, so storing must be fast. The limit allows for a debug build on a busy
/// machine.
#[test]
fn storing_a_round_takes_less_than_2_ms() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = Store::open(&folder.path().join("kasoku.sqlite")).unwrap();
    store.begin_run(&header("timed")).unwrap();
    let ids: Vec<_> = (0..500).map(|n| store.add_series("timed", &series(&format!("s{n}"))).unwrap()).collect();
    let mut times = Vec::new();
    for call in 0..3000_u32 {
        let samples: Vec<_> = (0..10).map(|n| (ids[(call as usize * 10 + n) % ids.len()], sample(call))).collect();
        let start = Instant::now();
        store.add_samples(&samples).unwrap();
        times.push(start.elapsed());
    }
    times.sort();
    let at = |share: f64| times[((times.len() - 1) as f64 * share) as usize];
    println!("10 samples: median {:?}, 99 % {:?}, longest {:?}", at(0.5), at(0.99), at(1.0));
    assert!(at(0.5) < Duration::from_millis(2), "{:?}", at(0.5));
}
