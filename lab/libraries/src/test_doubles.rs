//! Test doubles: libraries with one fault each, so that tests can show that the laboratory notices it.
//!
//! They wrap the `rustcrypto` library, and of files, which that has not, `kasoku`. None is in a default run, and none
//! is ever ranked.

mod neighbour;

use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use super::files::{FileJob, FileWork};
use super::{
    Job, JobError, Library, LibraryDescription, LibraryEntry, Opening, PreparedJob, Result, Switch, Unavailable,
    Unsupported, kasoku, rustcrypto,
};
use crate::fixtures::Fixtures;
use kasoku_model::library::Role;
use kasoku_model::workload::files::Form;
use kasoku_model::workload::{Packets, Workload};

/// The same as `rustcrypto`: two of them must show no difference.
pub const SAME: LibraryEntry = entry("test-same", "rustcrypto once more", |opening| wrap(opening, Fault::None));
/// Takes 2 % longer than it must.
pub const SLOW: LibraryEntry = entry("test-slow", "rustcrypto, 2 % slower", |opening| wrap(opening, Fault::Slow(1.02)));
/// Takes 5 % longer than it must.
pub const SLOWER: LibraryEntry =
    entry("test-slower", "rustcrypto, 5 % slower", |opening| wrap(opening, Fault::Slow(1.05)));
/// What a busy neighbour on the core's other hardware thread does to it, half of the time.
pub const BESIDE: LibraryEntry =
    entry("test-beside", "rustcrypto beside a neighbour", |opening| wrap(opening, Fault::Beside(1.0)));
/// The same once more.
pub const BESIDE_SAME: LibraryEntry =
    entry("test-beside-same", "rustcrypto beside a neighbour, once more", |opening| wrap(opening, Fault::Beside(1.0)));
/// The same, and takes 5 % longer than it must.
pub const BESIDE_SLOWER: LibraryEntry =
    entry("test-beside-slower", "rustcrypto beside a neighbour, 5 % slower", |opening| {
        wrap(opening, Fault::Beside(1.05))
    });
/// Flips a bit of what it gives out.
pub const WRONG: LibraryEntry =
    entry("test-wrong", "rustcrypto with a wrong bit", |opening| wrap(opening, Fault::Wrong));
/// Aborts when it is run.
pub const CRASH: LibraryEntry = entry("test-crash", "aborts when it is run", |opening| wrap(opening, Fault::Crash));
/// Aborts once, in the run that the file counts which the variable [`CRASH_FILE`] names; it removes the file.
pub const CRASH_ONCE: LibraryEntry = entry("test-crash-once", "aborts once", |opening| wrap(opening, Fault::CrashOnce));
/// The variable with the name of the file that says in which run of its process `test-crash-once` aborts.
pub const CRASH_FILE: &str = "KASOKU_TEST_CRASH";
/// Never returns when it is run.
pub const HANG: LibraryEntry = entry("test-hang", "never returns", |opening| wrap(opening, Fault::Hang));
/// Prints nonsense where an answer belongs.
pub const NONSENSE: LibraryEntry = entry("test-nonsense", "answers nonsense", |opening| wrap(opening, Fault::Nonsense));
/// Answers without being asked, without end.
pub const FLOOD: LibraryEntry = entry("test-flood", "answers without end", |opening| wrap(opening, Fault::Flood));
/// Does nothing: what is left is the measuring loop.
pub const EMPTY: LibraryEntry = entry("test-empty", "an empty call", |_| Ok(Box::new(Empty)));

type Open = fn(&Opening) -> Result<Box<dyn Library>, Unavailable>;

const fn entry(name: &'static str, about: &'static str, open: Open) -> LibraryEntry {
    LibraryEntry::new(name, about, open, |_| Switch::None("a test double")).unlisted(Role::TestDouble)
}

#[derive(Clone, Copy, PartialEq)]
enum Fault {
    None,
    /// Takes this many times as long.
    Slow(f64),
    /// The same beside a neighbour.
    Beside(f64),
    Wrong,
    Crash,
    CrashOnce,
    Hang,
    Nonsense,
    Flood,
}

struct Planted {
    inner: Box<dyn Library>,
    fault: Fault,
}

fn wrap(opening: &Opening, fault: Fault) -> Result<Box<dyn Library>, Unavailable> {
    Ok(Box::new(Planted { inner: (rustcrypto::ENTRY.open)(opening)?, fault }))
}

impl Library for Planted {
    fn description(&self) -> LibraryDescription {
        LibraryDescription { version: "test".to_owned(), cpu_features: None, loaded_from: None }
    }

    fn prepare_primitive(&self, workload: &Workload, fixtures: &Fixtures) -> PreparedJob {
        let inner = self.inner.prepare(workload, fixtures)?;
        Ok(Box::new(PlantedJob { inner, fault: self.fault, bytes: workload.bytes }))
    }

    fn prepare_packets(&self, workload: &Workload, _packets: Packets, fixtures: &Fixtures) -> PreparedJob {
        self.prepare_primitive(workload, fixtures)
    }

    fn prepare_file(&self, work: &FileWork<'_>) -> Result<Box<dyn FileJob>, Unsupported> {
        let inner = (kasoku::ENTRY.open)(&Opening::default()).map_err(|error| Unsupported::new(error.why))?;
        Ok(Box::new(PlantedFileJob { inner: inner.prepare_file(work)?, fault: self.fault }))
    }
}

/// Says no for ever, as fast as it is heard.
fn flood() -> ! {
    use std::io::Write;
    let answers = "{\"error\": \"no\"}\n".repeat(4096);
    while std::io::stdout().write_all(answers.as_bytes()).is_ok() {}
    std::process::abort() // nobody listens any more
}

/// Aborts if that run has come, and nobody has before.
fn crash_once() {
    static RUNS: AtomicU64 = AtomicU64::new(0);
    let runs = RUNS.fetch_add(1, Ordering::Relaxed) + 1;
    let Some(file) = std::env::var_os(CRASH_FILE) else { return };
    let crash = std::fs::read_to_string(&file).ok().and_then(|text| text.trim().parse::<u64>().ok());
    if crash.is_some_and(|crash| runs >= crash) && std::fs::remove_file(&file).is_ok() {
        std::process::abort();
    }
}

struct PlantedFileJob {
    inner: Box<dyn FileJob>,
    fault: Fault,
}

impl FileJob for PlantedFileJob {
    fn form(&self) -> Form {
        self.inner.form()
    }

    fn run(&mut self, from: &Path, to: &Path) -> Result<()> {
        match self.fault {
            Fault::Crash => std::process::abort(),
            Fault::Hang => loop {
                std::thread::park();
            },
            Fault::Flood => flood(),
            Fault::Nonsense => {
                println!("{{\"nanoseconds\": \"soon\"}}");
                Ok(())
            }
            Fault::CrashOnce => {
                crash_once();
                self.inner.run(from, to)
            }
            Fault::None | Fault::Slow(_) | Fault::Beside(_) => self.inner.run(from, to),
            Fault::Wrong => {
                self.inner.run(from, to)?;
                flip_in_the_middle(to).map_err(|error| JobError::new(error.to_string()))
            }
        }
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

struct PlantedJob {
    inner: Box<dyn Job>,
    fault: Fault,
    bytes: usize,
}

impl PlantedJob {
    /// Takes this many times as long as it must.
    fn run_slowly(&mut self, iterations: u64, times: f64) -> Result<()> {
        let start = Instant::now();
        self.inner.run(iterations)?;
        let until = start.elapsed().mul_f64(times);
        while start.elapsed() < until {
            std::hint::spin_loop();
        }
        Ok(())
    }
}

impl Job for PlantedJob {
    fn reset(&mut self) -> Result<()> {
        self.inner.reset()
    }

    fn run(&mut self, iterations: u64) -> Result<()> {
        match self.fault {
            Fault::None | Fault::Wrong => self.inner.run(iterations),
            Fault::Slow(times) => self.run_slowly(iterations, times),
            Fault::Beside(times) => self.run_slowly(iterations, times * neighbour::slowdown(self.bytes)),
            Fault::Crash => std::process::abort(),
            Fault::CrashOnce => {
                crash_once();
                self.inner.run(iterations)
            }
            Fault::Hang => loop {
                std::thread::park();
            },
            Fault::Flood => flood(),
            Fault::Nonsense => {
                println!("{{\"nanoseconds\": \"soon\"}}");
                Ok(())
            }
        }
    }

    fn output(&mut self) -> Vec<u8> {
        let mut output = self.inner.output();
        if let (Fault::Wrong, Some(last)) = (self.fault, output.last_mut()) {
            *last ^= 1;
        }
        output
    }

    fn slowdown_of_additions(&self) -> f64 {
        if matches!(self.fault, Fault::Beside(_)) { neighbour::slowdown_of_additions() } else { 1.0 }
    }
}

struct Empty;

impl Library for Empty {
    fn description(&self) -> LibraryDescription {
        LibraryDescription { version: "test".to_owned(), cpu_features: None, loaded_from: None }
    }

    fn prepare_primitive(&self, _workload: &Workload, fixtures: &Fixtures) -> PreparedJob {
        Ok(Box::new(EmptyJob { buffer: fixtures.text.clone() }))
    }
}

struct EmptyJob {
    buffer: Vec<u8>,
}

impl Job for EmptyJob {
    fn run(&mut self, iterations: u64) -> Result<()> {
        for _ in 0..iterations {
            std::hint::black_box(&mut self.buffer);
        }
        Ok(())
    }

    fn output(&mut self) -> Vec<u8> {
        self.buffer.clone()
    }
}
