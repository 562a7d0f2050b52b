//! What a library must do to be measured, and how it says what it cannot.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde::{Deserialize, Serialize};

use crate::fixtures::Fixtures;
use crate::jvm::Start;
use kasoku_model::acceleration::Acceleration;
use kasoku_model::algorithm::Algorithm;
use kasoku_model::library::Role;
use kasoku_model::workload::files::Form;
use kasoku_model::workload::{NonceForm, Operation, Packets, Workload};

/// What a job gives, or why it does not.
pub type Result<T, E = JobError> = std::result::Result<T, E>;

/// A workload made ready, or why there is no such one.
pub type PreparedJob = Result<Box<dyn Job>, Unsupported>;

/// A library opened in this process.
pub trait Library: Sync {
    /// What was opened.
    fn description(&self) -> LibraryDescription;

    /// Makes everything ready for `workload` on `fixtures`: key expansion, contexts, buffers. Not timed.
    ///
    /// # Errors
    /// [`Unsupported`] if this library has no such workload, or has it not in this acceleration state, with the reason.
    fn prepare(&self, workload: &Workload, fixtures: &Fixtures) -> PreparedJob {
        match workload.packets() {
            Some(packets) => self.prepare_packets(workload, packets, fixtures),
            None => self.prepare_primitive(workload, fixtures),
        }
    }

    /// Makes a workload of the level `primitives` ready, as `prepare` does.
    fn prepare_primitive(&self, workload: &Workload, fixtures: &Fixtures) -> PreparedJob;

    /// Makes a workload of the level `packets` ready, as `prepare` does.
    fn prepare_packets(&self, _workload: &Workload, _packets: Packets, _fixtures: &Fixtures) -> PreparedJob {
        Err(Unsupported::new("it is not measured with packets"))
    }

    /// Makes everything ready to encrypt or decrypt whole files (the level `files`), as `prepare` does.
    fn prepare_file(&self, _work: &FileWork<'_>) -> Result<Box<dyn FileJob>, Unsupported> {
        Err(Unsupported::new("it is not measured with files"))
    }
}

/// One workload made ready. Made and used by one thread.
pub trait Job {
    /// Goes back to the state after `prepare`: the first nonce, the original IV and text. Not timed. A job that
    /// leaves all of these as they are has nothing to do.
    ///
    /// # Errors
    /// If the library refuses.
    fn reset(&mut self) -> Result<()> {
        Ok(())
    }

    /// Does the operation `iterations` times. This is the timed region: it allocates nothing that the library's own API
    /// does not, and checks what the library returns.
    ///
    /// # Errors
    /// If the library refuses.
    fn run(&mut self, iterations: u64) -> Result<()>;

    /// What the last operation gave, in the form the table at [`deterministic`](crate::fixtures::deterministic) states.
    /// Not timed.
    fn output(&mut self) -> Vec<u8>;

    /// What a user has to know to read the figure: a copy that the API forces, an IV that is set for each call.
    fn note(&self) -> Option<&'static str> {
        None
    }

    /// For a library that brings its own clock: runs for about `seconds` and says what it measured.
    ///
    /// # Errors
    /// If it could not be run or read.
    fn own_clock(&mut self, _seconds: f64) -> Option<Result<OwnTiming>> {
        None
    }

    /// Of a test double that simulates a neighbour: how many times as long the core's additions take beside that now.
    fn slowdown_of_additions(&self) -> f64 {
        1.0
    }

    /// Panics if it opens a forged message; whether it opens messages at all.
    #[cfg(test)]
    fn refuses_forgeries(&mut self) -> bool {
        false
    }
}

/// What a library with its own clock measured.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OwnTiming {
    /// Operations done.
    pub iterations: u64,
    /// Nanoseconds they took.
    pub nanoseconds: u64,
}

/// What was opened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LibraryDescription {
    /// The version as the library states it.
    pub version: String,
    /// The CPU features that the library itself reports to use, where it does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cpu_features: Option<String>,
    /// The file it was loaded from, where it was loaded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub loaded_from: Option<String>,
}

/// This library does not have this workload.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{why}")]
pub struct Unsupported {
    /// Why not.
    pub why: String,
}

impl Unsupported {
    /// For the reason `why`.
    pub fn new(why: impl Into<String>) -> Self {
        Unsupported { why: why.into() }
    }

    /// For an algorithm that `library` does not have.
    pub(crate) fn algorithm(library: &str, workload: &Workload) -> Self {
        Unsupported::new(format!("{library} has no {}", workload.algorithm.title()))
    }
}

impl From<JobError> for Unsupported {
    fn from(error: JobError) -> Self {
        Unsupported::new(error.what)
    }
}

/// For records whose IV follows from the one before: neither counted nonces nor many keys are asked of them.
pub(crate) fn has_no_nonces(workload: &Workload) -> Result<(), Unsupported> {
    if workload.nonces == NonceForm::Ahead && workload.keys == 1 {
        return Ok(());
    }
    Err(Unsupported::new("its records have no nonces that could be counted, and are measured under one key"))
}

/// The library failed in the middle.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{what}")]
pub struct JobError {
    /// What failed.
    pub what: String,
}

impl JobError {
    /// With the message `what`.
    pub fn new(what: impl Into<String>) -> Self {
        JobError { what: what.into() }
    }
}

/// This library is not on this machine.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{why}")]
pub struct Unavailable {
    /// Why it cannot be opened.
    pub why: String,
    /// The command that would install it, where there is one.
    pub install: Option<String>,
}

impl Unavailable {
    /// For the reason `why`, against which nothing can be installed.
    pub fn new(why: impl Into<String>) -> Self {
        Unavailable { why: why.into(), install: None }
    }
}

/// How a library is opened.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Opening {
    /// The library file instead of the system's, for libraries that are loaded.
    pub library_file: Option<PathBuf>,
    /// The state the process was started in, for libraries that are told rather than find out.
    pub acceleration: Option<Acceleration>,
    /// How the virtual machine is started, for libraries that run in one.
    pub jvm: Start,
}

/// How a library is brought into an acceleration state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Switch {
    /// By environment variables that are set before the process starts.
    Environment(Vec<(&'static str, String)>),
    /// By flags that its program is started with.
    Flags(Vec<String>),
    /// By an argument of its own when it is opened ([`Opening::acceleration`]).
    WhenOpened,
    /// Not at all, and why.
    None(&'static str),
}

impl Switch {
    /// The flags that its program is started with.
    pub(crate) fn into_flags(self) -> Vec<String> {
        if let Switch::Flags(flags) = self { flags } else { Vec::new() }
    }

    /// For a library that cannot be switched: `on` is as it is, and no other state is there, for the reason `why`.
    pub(crate) fn only_on(state: Acceleration, why: &'static str) -> Switch {
        if state == Acceleration::On { Switch::Environment(Vec::new()) } else { Switch::None(why) }
    }
}

/// Makes the command of the program that answers requests in place of the named library, or says why there is none.
pub type Program = fn(&str, &Opening) -> Result<Command, Unavailable>;

/// A library that the laboratory knows.
#[derive(Clone, Copy)]
pub struct LibraryEntry {
    /// Its name.
    pub name: &'static str,
    /// What it is, in a line.
    pub about: &'static str,
    /// Whether a library file can be chosen.
    pub is_loaded: bool,
    /// What it is to the laboratory.
    pub role: Role,
    /// Whether people are told of it, and it is in default runs.
    pub is_listed: bool,
    /// Opens it.
    pub open: fn(&Opening) -> Result<Box<dyn Library>, Unavailable>,
    /// The program that answers in place of this one, for libraries that no code here can hold.
    pub program: Option<Program>,
    /// How it is brought into a state.
    pub switch: fn(Acceleration) -> Switch,
    /// Every environment variable that changes which instructions it uses, unless another entry has it already.
    pub variables: &'static [&'static str],
    /// Whether the level `files` measures it by default.
    pub has_files: bool,
    /// Why the given version uses no VAES on a CPU that has it, where that is known; the flag says whether the CPU has
    /// AVX-512.
    pub why_no_vaes: fn(&str, bool) -> Option<&'static str>,
}

impl LibraryEntry {
    /// The same, but no library that people use: never ranked, and measured only where it is asked for.
    pub const fn unlisted(self, role: Role) -> LibraryEntry {
        LibraryEntry { role, is_listed: false, ..self }
    }

    /// A library that is compiled in.
    pub const fn new(
        name: &'static str,
        about: &'static str,
        open: fn(&Opening) -> Result<Box<dyn Library>, Unavailable>,
        switch: fn(Acceleration) -> Switch,
    ) -> LibraryEntry {
        LibraryEntry {
            name,
            about,
            is_loaded: false,
            role: Role::Library,
            is_listed: true,
            open,
            program: None,
            switch,
            variables: &[],
            has_files: false,
            why_no_vaes: |_, _| None,
        }
    }
}

/// One kind of work on files.
#[derive(Clone, Copy, Debug)]
pub struct FileWork<'a> {
    /// `encrypt` or `decrypt`.
    pub operation: Operation,
    /// With which algorithm.
    pub algorithm: Algorithm,
    /// In how many threads at once.
    pub threads: usize,
    /// Bytes to read, work on and write at a time, where the library does not choose.
    pub buffer: usize,
    /// Key and nonce.
    pub fixtures: &'a Fixtures,
}

/// One kind of work on files made ready.
pub trait FileJob {
    /// How the encrypted form is laid out.
    fn form(&self) -> Form;

    /// Encrypts or decrypts all of `from` into `to`, which is there and empty. This is the timed region: it opens the
    /// files, and what it wrote is in the system's cache when it returns.
    ///
    /// # Errors
    /// If a file cannot be read or written, or the library refuses.
    fn run(&mut self, from: &Path, to: &Path) -> Result<()>;

    /// What a user has to know to read the figure.
    fn note(&self) -> Option<&'static str> {
        None
    }

    /// Whether it goes piece by piece through a buffer of the size that was asked for.
    fn has_buffer(&self) -> bool {
        true
    }
}
