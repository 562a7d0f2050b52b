//! Test doubles: libraries with one fault each, for tests that the laboratory notices the fault.
//!
//! They wrap the library `rustcrypto`, and `kasoku` for files. The feature `test-doubles` enables them; installed
//! commands lack them.

use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use super::files::{FileJob, FileWork};
use super::simulated::{description, entry};
use super::{
    Job, JobError, Library, LibraryDescription, LibraryEntry, Opening, PreparedJob, Result, Unavailable, Unsupported,
    kasoku, rustcrypto,
};
use crate::fixtures::Fixtures;
use kasoku_model::workload::files::Form;
use kasoku_model::workload::{Packets, Workload};

pub(crate) const ENTRIES: [LibraryEntry; 6] = [
    entry("test-wrong", "rustcrypto with a wrong bit", |_| wrap(Fault::Wrong)),
    entry("test-crash", "aborts when it is run", |_| wrap(Fault::Crash)),
    entry("test-crash-once", "aborts once", |_| wrap(Fault::CrashOnce)),
    entry("test-hang", "never returns", |_| wrap(Fault::Hang)),
    entry("test-nonsense", "answers nonsense", |_| wrap(Fault::Nonsense)),
    entry("test-flood", "answers without end", |_| wrap(Fault::Flood)),
];

/// Environment variable with the path of a file. The file contains the number of the run in which `test-crash-once`
/// aborts.
const CRASH_FILE: &str = "KASOKU_TEST_CRASH";

#[derive(Clone, Copy, PartialEq)]
enum Fault {
    Wrong,
    Crash,
    /// Aborts in the run whose number is in the file [`CRASH_FILE`], and removes the file.
    CrashOnce,
    Hang,
    Nonsense,
    /// Prints answers without requests, endlessly.
    Flood,
}

impl Fault {
    fn run(self, job: impl FnOnce() -> Result<()>) -> Result<()> {
        match self {
            Fault::Wrong => {}
            Fault::Crash => std::process::abort(),
            Fault::CrashOnce => crash_once(),
            Fault::Hang => loop {
                std::thread::park();
            },
            Fault::Nonsense => {
                println!("{{\"nanoseconds\": \"soon\"}}");
                return Ok(());
            }
            Fault::Flood => flood(),
        }
        job()
    }
}

/// Prints error answers until nobody reads them.
fn flood() -> ! {
    use std::io::Write;
    let answers = "{\"error\": \"no\"}\n".repeat(4096);
    while std::io::stdout().write_all(answers.as_bytes()).is_ok() {}
    std::process::abort() // the reader has closed the pipe
}

/// Aborts in the run whose number is in the file named by [`CRASH_FILE`], unless another process has aborted already.
fn crash_once() {
    static RUNS: AtomicU64 = AtomicU64::new(0);
    let runs = RUNS.fetch_add(1, Ordering::Relaxed) + 1;
    let Some(file) = std::env::var_os(CRASH_FILE) else { return };
    let crash = std::fs::read_to_string(&file).ok().and_then(|text| text.trim().parse::<u64>().ok());
    if crash.is_some_and(|crash| runs >= crash) && std::fs::remove_file(&file).is_ok() {
        std::process::abort();
    }
}

struct FaultyLibrary {
    inner: Box<dyn Library>,
    fault: Fault,
}

fn wrap(fault: Fault) -> Result<Box<dyn Library>, Unavailable> {
    Ok(Box::new(FaultyLibrary { inner: (rustcrypto::ENTRY.open)(&Opening::default())?, fault }))
}

impl Library for FaultyLibrary {
    fn description(&self) -> LibraryDescription {
        description()
    }

    fn prepare_primitive(&self, workload: &Workload, fixtures: &Fixtures) -> PreparedJob {
        Ok(Box::new(FaultyJob { inner: self.inner.prepare(workload, fixtures)?, fault: self.fault }))
    }

    fn prepare_packets(&self, workload: &Workload, _packets: Packets, fixtures: &Fixtures) -> PreparedJob {
        self.prepare_primitive(workload, fixtures)
    }

    fn prepare_file(&self, work: &FileWork<'_>) -> Result<Box<dyn FileJob>, Unsupported> {
        let inner = (kasoku::ENTRY.open)(&Opening::default()).map_err(|error| Unsupported::new(error.why))?;
        Ok(Box::new(FaultyFileJob { inner: inner.prepare_file(work)?, fault: self.fault }))
    }
}

struct FaultyJob {
    inner: Box<dyn Job>,
    fault: Fault,
}

impl Job for FaultyJob {
    fn reset(&mut self) -> Result<()> {
        self.inner.reset()
    }

    fn run(&mut self, iterations: u64) -> Result<()> {
        self.fault.run(|| self.inner.run(iterations))
    }

    fn output(&mut self) -> Vec<u8> {
        let mut output = self.inner.output();
        if let (Fault::Wrong, Some(last)) = (self.fault, output.last_mut()) {
            *last ^= 1;
        }
        output
    }
}

struct FaultyFileJob {
    inner: Box<dyn FileJob>,
    fault: Fault,
}

impl FileJob for FaultyFileJob {
    fn form(&self) -> Form {
        self.inner.form()
    }

    fn run(&mut self, from: &Path, to: &Path) -> Result<()> {
        self.fault.run(|| self.inner.run(from, to))?;
        if self.fault == Fault::Wrong {
            flip_in_the_middle(to).map_err(|error| JobError::new(error.to_string()))?;
        }
        Ok(())
    }
}

fn flip_in_the_middle(path: &Path) -> std::io::Result<()> {
    use std::io::{Read, Seek, SeekFrom, Write};
    let mut file = std::fs::File::options().read(true).write(true).open(path)?;
    let middle = file.metadata()?.len() / 2;
    let mut byte = [0];
    file.seek(SeekFrom::Start(middle))?;
    file.read_exact(&mut byte)?;
    file.seek(SeekFrom::Start(middle))?;
    file.write_all(&[byte[0] ^ 1])
}
