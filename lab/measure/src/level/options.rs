//! Options of a run, by level.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::Duration;

use serde::Deserialize;

use super::reproduction::{seconds, sizes};
use super::tls::TlsOptions;
use crate::plan::FURTHER_ROUNDS;
use kasoku_libraries::LibraryEntry;
use kasoku_model::acceleration::Acceleration;
use kasoku_model::algorithm::Algorithm;
use kasoku_model::document::Series;
use kasoku_model::workload::{NonceForm, Operation, Packets};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Pace {
    /// Measures for at most half a minute per level (kind of experiment, such as primitives or files).
    Quick,
    /// Measures for at most 75 seconds per level.
    #[default]
    Default,
}

impl Pace {
    pub(super) fn choose<T>(self, quick: T, default: T) -> T {
        match self {
            Pace::Quick => quick,
            Pace::Default => default,
        }
    }
}

/// Options of a run. The default matrix decides everything that is not set. The files in `reproductions/` set options
/// by the names of these fields, except options that depend on the machine.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LevelOptions {
    #[serde(skip)]
    pub pace: Pace,
    pub libraries: Option<Vec<String>>,
    /// User-written workers. The level `primitives` measures them, also if libraries are named.
    #[serde(skip)]
    pub foreign: Vec<&'static LibraryEntry>,
    /// Builds of libcrypto to measure in addition to the system's.
    #[serde(skip)]
    pub libcrypto: Vec<PathBuf>,
    pub acceleration: Option<Vec<Acceleration>>,
    pub algorithms: Option<Vec<Algorithm>>,
    pub operations: Option<Vec<Operation>>,
    /// Sizes in bytes.
    #[serde(deserialize_with = "sizes")]
    pub sizes: Option<Vec<usize>>,
    /// Sources of an AEAD's nonces; `None` for nonces that are prepared in advance.
    #[serde(skip)]
    pub nonces: Option<Vec<NonceForm>>,
    /// Number of threads; `None` for one.
    pub threads: Option<usize>,
    /// Virtual machines to measure in addition to those found: paths of the program `java`, or folders of JDKs.
    #[serde(skip)]
    pub java: Vec<PathBuf>,
    /// Number of cores of this machine.
    #[serde(skip)]
    pub cores: usize,
    /// Total number of rounds over all starts of the workers.
    pub rounds: Option<u32>,
    /// Duration of a slice; `None` derives it from the time budget.
    #[serde(deserialize_with = "seconds")]
    pub slice: Option<Duration>,
    /// Whether to measure also the workloads that the default matrix leaves out because they take long.
    pub everything: bool,
    /// Whether the A/A control repeats only the largest size of each algorithm.
    pub largest_control_only: bool,
    /// `true` measures only end-to-end transfers, `false` everything except such transfers, and `None` everything.
    pub end_to_end: Option<bool>,
    /// Tasks of the level `packets` for single libraries. A library that is named in a task measures only its tasks.
    pub packet_tasks: Vec<PacketTask>,
    /// Series of the interrupted run that this run resumes.
    #[serde(skip)]
    pub before: Vec<Series>,
    pub files: FilesOptions,
    pub jvm: JvmOptions,
    pub tls: TlsOptions,
}

/// A task of the level `packets` that processes one packet per call.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PacketTask {
    pub library: String,
    pub operation: Operation,
    /// Whether the timed operation includes setting the nonce and AAD and producing or checking the tag.
    pub setup: bool,
}

impl PacketTask {
    pub(super) fn packets(&self) -> Packets {
        Packets { setup: self.setup, ..Packets::SINGLE }
    }
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct JvmOptions {
    /// Flags of `java`. Each gets a series of its own.
    pub flags: Vec<String>,
    /// Path of SPECjvm2008.jar; `None` does not run that benchmark.
    #[serde(skip)]
    pub specjvm: Option<PathBuf>,
    /// Number of starts with SPECjvm2008; `None` for one.
    pub specjvm_starts: Option<u32>,
    /// Maximum duration of a benchmark suite's warm-up in each start.
    #[serde(deserialize_with = "seconds")]
    pub warm_up: Option<Duration>,
    /// Duration of measuring a benchmark suite's score in each start; `None` for one operation.
    #[serde(deserialize_with = "seconds")]
    pub score: Option<Duration>,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct FilesOptions {
    /// Folder on the measured file system; `None` for the system's temporary folder.
    #[serde(skip)]
    pub dir: Option<PathBuf>,
    /// Whether to measure files also with an empty page cache.
    #[serde(skip)]
    pub cold: bool,
    /// Whether to leave out the files in memory.
    pub disk_only: bool,
    /// Number of repetitions of each file in a test run; `None` for as many as the time allows.
    pub repetitions: Option<u32>,
}

impl FilesOptions {
    pub fn dir(&self) -> PathBuf {
        self.dir.clone().unwrap_or_else(std::env::temp_dir)
    }
}

impl LevelOptions {
    pub(super) fn sizes_as_named_or(&self, quick: &[usize], default: &[usize]) -> Vec<usize> {
        self.sizes.clone().unwrap_or_else(|| self.pace.choose(quick, default).to_vec())
    }

    /// Returns the sizes that the user named, or else the default sizes: `quick` in a quick run, `default` in other
    /// runs. The sizes are sorted and without duplicates.
    pub(super) fn sizes_or(&self, quick: &[usize], default: &[usize]) -> Vec<usize> {
        BTreeSet::from_iter(self.sizes_as_named_or(quick, default)).into_iter().collect()
    }

    pub(super) fn wants_library(&self, library: &str) -> bool {
        self.libraries.as_ref().is_none_or(|names| names.iter().any(|name| name == library))
    }

    pub(super) fn states_or(&self, usual: &[Acceleration]) -> Vec<Acceleration> {
        self.acceleration.clone().unwrap_or_else(|| usual.to_vec())
    }

    /// Returns the number of further rounds at the end of a start. There are none if the user named rounds or a slice.
    pub fn further_rounds(&self) -> u32 {
        if self.rounds.is_none() && self.slice.is_none() { FURTHER_ROUNDS } else { 0 }
    }

    pub fn starts_and_rounds(&self) -> (u32, u32) {
        self.starts_and_rounds_or(self.pace.choose((5, 2), (10, 3)))
    }

    pub(super) fn starts_and_rounds_or(&self, default: (u32, u32)) -> (u32, u32) {
        self.rounds_in(if self.rounds < Some(30) { 3 } else { 10 }, default)
    }

    /// Divides the rounds that the user named among `starts` starts of the workers. Returns the starts, and the rounds
    /// in each start. Without named rounds, returns `default`.
    pub(super) fn rounds_in(&self, starts: u32, default: (u32, u32)) -> (u32, u32) {
        match self.rounds {
            None => default,
            Some(rounds) if rounds < 3 => (1, rounds.max(1)),
            Some(rounds) => (starts, rounds.div_ceil(starts)),
        }
    }
}

/// Whether the user named `one`, or named nothing.
pub(super) fn allows<T: PartialEq>(named: &Option<Vec<T>>, one: &T) -> bool {
    named.as_ref().is_none_or(|named| named.contains(one))
}

/// Whether the user named values, but `is_known` accepts none of them.
pub(super) fn names_only_others<T>(named: &Option<Vec<T>>, is_known: impl Fn(&T) -> bool) -> bool {
    named.as_ref().is_some_and(|named| !named.iter().any(is_known))
}

/// Whether the user named values in `wanted` and none of them is in `measured`.
pub(super) fn excludes<T: PartialEq<U>, U>(wanted: &Option<Vec<T>>, measured: &[U]) -> bool {
    names_only_others(wanted, |one| measured.iter().any(|other| one == other))
}

pub(super) fn first_reason(reasons: &[(bool, &'static str)]) -> Option<&'static str> {
    reasons.iter().find(|(is_true, _)| *is_true).map(|(_, why)| *why)
}
