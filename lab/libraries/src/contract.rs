//! The interface between the laboratory and a library under test: [`Library`], [`Job`] and their errors.

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

pub type Result<T, E = JobError> = std::result::Result<T, E>;

pub type PreparedJob = Result<Box<dyn Job>, Unsupported>;

/// A library that is open in this process.
pub trait Library: Sync {
    fn description(&self) -> LibraryDescription;

    /// Prepares `workload` on `fixtures`: expands keys, creates contexts, allocates buffers. Not timed. [`Unsupported`]
    /// says why this library lacks the workload in this acceleration state.
    fn prepare(&self, workload: &Workload, fixtures: &Fixtures) -> PreparedJob {
        match (workload.packets(), workload.operation) {
            (Some(packets), _) => self.prepare_packets(workload, packets, fixtures),
            (None, Operation::SealNewKey) if workload.algorithm == Algorithm::Aes128CbcHmacSha1 => {
                Err(Unsupported::new("its records are measured under one key"))
            }
            (None, Operation::SealUpdate) => {
                require_default_nonces_and_one_key(workload)?;
                self.prepare_updates(workload, fixtures)
            }
            (None, _) => self.prepare_primitive(workload, fixtures),
        }
    }

    /// Prepares a job that encrypts the text again and again, each time as the next part of one message. Not timed.
    fn prepare_updates(&self, _workload: &Workload, _fixtures: &Fixtures) -> PreparedJob {
        Err(Unsupported::new("it is not measured with parts of messages"))
    }

    fn prepare_primitive(&self, workload: &Workload, fixtures: &Fixtures) -> PreparedJob;

    fn prepare_packets(&self, _workload: &Workload, _packets: Packets, _fixtures: &Fixtures) -> PreparedJob {
        Err(Unsupported::new("it is not measured with packets"))
    }

    /// Prepares the encryption or decryption of whole files (the level `files`). Not timed.
    fn prepare_file(&self, _work: &FileWork<'_>) -> Result<Box<dyn FileJob>, Unsupported> {
        Err(Unsupported::new("it is not measured with files"))
    }
}

/// A prepared workload. One thread creates and uses it.
pub trait Job {
    /// Restores the state after `prepare`: the first nonce, the original IV and text. Not timed. The default does
    /// nothing, for jobs that change none of these.
    fn reset(&mut self) -> Result<()> {
        Ok(())
    }

    /// Performs the operation `iterations` times. This is the timed region: it allocates nothing beyond what the
    /// library's own API allocates, and checks the results of library calls.
    fn run(&mut self, iterations: u64) -> Result<()>;

    /// Returns the output of the last operation, in the form that the table at
    /// [`deterministic`](crate::fixtures::deterministic) defines. Not timed.
    fn output(&mut self) -> Vec<u8>;

    /// Returns a remark that reports show beside the figure, such as a copy that the API forces or an IV that is set
    /// for each call.
    fn note(&self) -> Option<&'static str> {
        None
    }

    /// Measures for about `seconds` and returns the time that the library reports itself, as the benchmark SPECjvm2008
    /// does. Returns `None` for libraries that the laboratory's clock times.
    fn own_clock(&mut self, _seconds: f64) -> Option<Result<OwnTiming>> {
        None
    }

    /// Panics if the job opens a forged message. Returns whether the job opens messages at all.
    #[cfg(test)]
    fn refuses_forgeries(&mut self) -> bool {
        false
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OwnTiming {
    pub iterations: u64,
    pub nanoseconds: u64,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LibraryDescription {
    pub version: String,
    pub cpu_features: Option<String>,
    /// File of a library that was loaded at run time.
    pub loaded_from: Option<String>,
}

impl LibraryDescription {
    pub(crate) fn new(version: impl Into<String>) -> Self {
        LibraryDescription { version: version.into(), cpu_features: None, loaded_from: None }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{why}")]
pub struct Unsupported {
    pub why: String,
}

impl Unsupported {
    pub fn new(why: impl Into<String>) -> Self {
        Unsupported { why: why.into() }
    }

    pub(crate) fn algorithm(library: &str, workload: &Workload) -> Self {
        Unsupported::new(format!("{library} has no {}", workload.algorithm.title()))
    }
}

impl From<JobError> for Unsupported {
    fn from(error: JobError) -> Self {
        Unsupported::new(error.what)
    }
}

/// Rejects workloads with counted nonces or several keys. TLS 1.0 records support neither, since the IV of a record is
/// the end of the previous record. Parts of one message have neither a nonce nor a key of their own.
pub(crate) fn require_default_nonces_and_one_key(workload: &Workload) -> Result<(), Unsupported> {
    if workload.nonces == NonceForm::Ahead && workload.keys == 1 {
        return Ok(());
    }
    Err(Unsupported::new("it has no nonces that could be counted, and is measured under one key"))
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{what}")]
pub struct JobError {
    pub what: String,
}

impl JobError {
    pub fn new(what: impl Into<String>) -> Self {
        JobError { what: what.into() }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{why}")]
pub struct Unavailable {
    pub why: String,
    pub install: Option<String>,
}

impl Unavailable {
    pub fn new(why: impl Into<String>) -> Self {
        Unavailable { why: why.into(), install: None }
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Opening {
    /// File to load instead of the system's library; only for libraries that are loaded at run time.
    pub library_file: Option<PathBuf>,
    /// Acceleration state, for libraries that cannot read it from their environment.
    pub acceleration: Option<Acceleration>,
    pub jvm: Start,
}

/// The way to put a library into an acceleration state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Switch {
    Environment(Vec<(&'static str, String)>),
    Flags(Vec<String>),
    /// The state is passed in [`Opening::acceleration`] when the library is opened.
    WhenOpened,
    None(&'static str),
}

impl Switch {
    pub(crate) fn into_flags(self) -> Vec<String> {
        if let Switch::Flags(flags) = self { flags } else { Vec::new() }
    }

    /// Returns the switch of a library that supports the state `on` only, for the reason `why`.
    pub(crate) fn only_on(state: Acceleration, why: &'static str) -> Switch {
        if state == Acceleration::On { Switch::Environment(Vec::new()) } else { Switch::None(why) }
    }
}

/// Creates the command of the program that replaces the worker process of the named library, or says why the program
/// cannot run.
pub type Program = fn(&str, &Opening) -> Result<Command, Unavailable>;

#[derive(Clone, Copy, Debug)]
pub struct LibraryEntry {
    pub name: &'static str,
    pub about: &'static str,
    /// Whether the user can choose the library's file.
    pub is_loaded: bool,
    pub role: Role,
    /// Whether users see the library in lists, and default runs measure it.
    pub is_listed: bool,
    pub open: fn(&Opening) -> Result<Box<dyn Library>, Unavailable>,
    /// Program that replaces the worker process and answers its requests, for libraries that run in a Java virtual
    /// machine. `None` for libraries that the worker opens itself.
    pub program: Option<Program>,
    /// Command of a user-written worker (`kasoku run --worker`). Empty for the laboratory's own workers.
    pub command: &'static [String],
    pub switch: fn(Acceleration) -> Switch,
    /// Environment variables that change which instructions the library uses, except those listed by another entry.
    pub variables: &'static [&'static str],
    /// Whether default runs measure only the library's AEADs, as whole messages and with acceleration on.
    pub is_brief: bool,
    /// Whether the level `files` measures the library by default.
    pub has_files: bool,
    /// Returns why a version of the library uses no VAES on a CPU that has VAES, if known. Arguments: version, and
    /// whether the CPU has AVX-512.
    pub why_no_vaes: fn(&str, bool) -> Option<&'static str>,
}

impl LibraryEntry {
    /// Returns the entry unlisted and with another role: never ranked, and measured only on request.
    pub const fn unlisted(self, role: Role) -> LibraryEntry {
        LibraryEntry { role, is_listed: false, ..self }
    }

    /// Creates the entry of a listed library that is compiled in.
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
            command: &[],
            switch,
            variables: &[],
            is_brief: false,
            has_files: false,
            why_no_vaes: |_, _| None,
        }
    }

    /// Creates the entry of a user-written worker. The entry lives as long as the process, like those of libraries.
    pub fn foreign(name: String, command: Vec<String>) -> &'static LibraryEntry {
        let open = |_: &Opening| Err(Unavailable::new("only its own program can open it"));
        let switch = |state| Switch::only_on(state, "the laboratory knows no switch of a worker that is not its own");
        let entry = LibraryEntry::new(name.leak(), "a worker that is not the laboratory's own", open, switch);
        Box::leak(Box::new(LibraryEntry { command: command.leak(), ..entry }))
    }

    /// Whether a user-written worker holds the library.
    pub fn is_foreign(&self) -> bool {
        !self.command.is_empty()
    }

    /// Creates the entry of a library that is loaded from the system, and of which default runs measure the AEADs.
    pub(crate) const fn system(
        name: &'static str,
        about: &'static str,
        open: fn(&Opening) -> Result<Box<dyn Library>, Unavailable>,
        switch: fn(Acceleration) -> Switch,
    ) -> LibraryEntry {
        LibraryEntry { is_loaded: true, is_brief: true, ..LibraryEntry::new(name, about, open, switch) }
    }
}

#[derive(Clone, Copy, Debug)]
pub struct FileWork<'a> {
    /// Either `encrypt` or `decrypt`.
    pub operation: Operation,
    pub algorithm: Algorithm,
    pub threads: usize,
    /// Buffer size in bytes, for libraries that do not choose their own.
    pub buffer: usize,
    /// Key and nonce; other inputs are unused.
    pub fixtures: &'a Fixtures,
}

pub trait FileJob {
    fn form(&self) -> Form;

    /// Encrypts or decrypts all of `from` into the existing, empty file `to`. This is the timed region: it opens the
    /// files, and its output is in the system's cache when it returns.
    fn run(&mut self, from: &Path, to: &Path) -> Result<()>;

    fn note(&self) -> Option<&'static str> {
        None
    }

    fn has_buffer(&self) -> bool {
        true
    }
}
