//! What a run is asked for.

use std::path::PathBuf;
use std::time::Duration;

use serde::Deserialize;

use super::reproduction::{seconds, sizes};
use super::tls::TlsOptions;
use crate::plan::FURTHER_ROUNDS;
use kasoku_model::acceleration::Acceleration;
use kasoku_model::algorithm::Algorithm;
use kasoku_model::document::Series;
use kasoku_model::workload::{NonceForm, Operation, Packets};

/// How much time a run takes for how much certainty.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Pace {
    /// Half a minute a level at most.
    Quick,
    /// At most 75 seconds a level.
    #[default]
    Default,
}

/// What the user asked for; what is not said is as the matrix has it.
///
/// The files in `reproductions/` give a level's options by the names of these fields. Those that depend on the machine
/// are not in files.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LevelOptions {
    /// How much time.
    #[serde(skip)]
    pub pace: Pace,
    /// These libraries only.
    pub libraries: Option<Vec<String>>,
    /// These builds of libcrypto beside the system's.
    #[serde(skip)]
    pub libcrypto: Vec<PathBuf>,
    /// These states only.
    pub acceleration: Option<Vec<Acceleration>>,
    /// These algorithms only.
    pub algorithms: Option<Vec<Algorithm>>,
    /// These operations, instead of those of the matrix.
    pub operations: Option<Vec<Operation>>,
    /// These sizes instead.
    #[serde(deserialize_with = "sizes")]
    pub sizes: Option<Vec<usize>>,
    /// The forms of an AEAD's nonces, instead of made ahead.
    #[serde(skip)]
    pub nonces: Option<Vec<NonceForm>>,
    /// This many threads at once, instead of one.
    pub threads: Option<usize>,
    /// These virtual machines beside those that are found: programs `java`, or folders of JDKs.
    #[serde(skip)]
    pub java: Vec<PathBuf>,
    /// How many cores there are.
    #[serde(skip)]
    pub cores: usize,
    /// Rounds in all, instead of the matrix'.
    pub rounds: Option<u32>,
    /// The length of a slice, instead of one that fills the time.
    #[serde(deserialize_with = "seconds")]
    pub slice: Option<Duration>,
    /// Whether to measure also what the matrix leaves out because it takes long.
    pub everything: bool,
    /// Whether the control for the noise floor has only the largest size of each algorithm.
    pub largest_control_only: bool,
    /// Whether data end to end is measured alone (`true`) or left out (`false`), instead of beside the rest.
    pub end_to_end: Option<bool>,
    /// Packets: these tasks only, of the libraries that are named in them.
    pub packet_tasks: Vec<PacketTask>,
    /// What concerns files only.
    pub files: FilesOptions,
    /// What concerns Java only.
    pub jvm: JvmOptions,
    /// What concerns web servers only.
    pub tls: TlsOptions,
}

/// A task of the level `packets`, one packet in a call.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PacketTask {
    /// The library that does it.
    pub library: String,
    /// What it does.
    pub operation: Operation,
    /// Whether nonce, AAD and tag belong to it.
    pub setup: bool,
}

impl PacketTask {
    pub(super) fn packets(&self) -> Packets {
        Packets { setup: self.setup, ..Packets::SINGLE }
    }
}

/// What the user asked of the level `jvm` beside what concerns all.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct JvmOptions {
    /// Each of these flags of `java` as a series of its own.
    pub flags: Vec<String>,
    /// The file SPECjvm2008.jar, to be run too.
    #[serde(skip)]
    pub specjvm: Option<PathBuf>,
    /// Number of starts in which that is run, instead of one.
    pub specjvm_starts: Option<u32>,
    /// How long a suite is warmed up at most in each start.
    #[serde(deserialize_with = "seconds")]
    pub warm_up: Option<Duration>,
    /// How long its score is measured in each start, instead of for one operation.
    #[serde(deserialize_with = "seconds")]
    pub score: Option<Duration>,
}

/// What the user asked of the level `files` beside what concerns all.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct FilesOptions {
    /// The folder whose file system is measured, if not the system's for temporary files.
    #[serde(skip)]
    pub dir: Option<PathBuf>,
    /// Whether to measure with an empty page cache too.
    #[serde(skip)]
    pub cold: bool,
    /// Whether to leave out files in memory.
    pub disk_only: bool,
    /// How often each file is done in a test run, instead of as often as the time allows.
    pub repetitions: Option<u32>,
    /// What is there of a run that is to be continued.
    #[serde(skip)]
    pub before: Vec<Series>,
}

impl FilesOptions {
    /// The folder whose file system is measured.
    pub fn dir(&self) -> PathBuf {
        self.dir.clone().unwrap_or_else(std::env::temp_dir)
    }
}

impl LevelOptions {
    /// The sizes that were named, or those of the pace.
    pub(super) fn sizes_as_named_or(&self, quick: &[usize], default: &[usize]) -> Vec<usize> {
        match (&self.sizes, self.pace) {
            (Some(sizes), _) => sizes.clone(),
            (None, Pace::Quick) => quick.to_vec(),
            (None, Pace::Default) => default.to_vec(),
        }
    }

    /// The sizes that were named, or those of the pace; in order, each once.
    pub(super) fn sizes_or(&self, quick: &[usize], default: &[usize]) -> Vec<usize> {
        let mut sizes = self.sizes_as_named_or(quick, default);
        sizes.sort_unstable();
        sizes.dedup();
        sizes
    }

    /// Whether `library` was named, or no library was.
    pub(super) fn wants_library(&self, library: &str) -> bool {
        self.libraries.as_ref().is_none_or(|names| names.iter().any(|name| name == library))
    }

    /// The states that were named, or `usual`.
    pub(super) fn states_or(&self, usual: &[Acceleration]) -> Vec<Acceleration> {
        self.acceleration.clone().unwrap_or_else(|| usual.to_vec())
    }

    /// Further rounds for what needs them: where neither rounds nor slices were named.
    pub fn further_rounds(&self) -> u32 {
        if self.rounds.is_none() && self.slice.is_none() { FURTHER_ROUNDS } else { 0 }
    }

    /// How often every worker is started, and how many rounds each of these starts has.
    pub fn starts_and_rounds(&self) -> (u32, u32) {
        match (self.rounds, self.pace) {
            (Some(rounds), _) if rounds < 3 => (1, rounds.max(1)),
            (Some(rounds), _) if rounds < 30 => (3, rounds.div_ceil(3)),
            (Some(rounds), _) => (10, rounds.div_ceil(10)),
            (None, Pace::Quick) => (5, 2),
            (None, Pace::Default) => (10, 3),
        }
    }
}

/// Whether `one` was named, or nothing was.
pub(super) fn allows<T: PartialEq>(named: &Option<Vec<T>>, one: &T) -> bool {
    named.as_ref().is_none_or(|named| named.contains(one))
}

/// Whether something was named, but nothing that `is_known`.
pub(super) fn names_only_others<T>(named: &Option<Vec<T>>, is_known: impl Fn(&T) -> bool) -> bool {
    named.as_ref().is_some_and(|named| !named.iter().any(is_known))
}

/// Whether something is wanted, and nothing that is `measured`.
pub(super) fn excludes<T: PartialEq<U>, U>(wanted: &Option<Vec<T>>, measured: &[U]) -> bool {
    wanted.as_ref().is_some_and(|wanted| !wanted.iter().any(|one| measured.iter().any(|other| one == other)))
}

/// Returns the sentence of the first condition that is true.
pub(super) fn first_reason(reasons: &[(bool, &'static str)]) -> Option<&'static str> {
    reasons.iter().find(|(is_true, _)| *is_true).map(|(_, why)| *why)
}
