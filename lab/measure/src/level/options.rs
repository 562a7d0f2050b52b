//! What a run is asked for.

use std::path::PathBuf;
use std::time::Duration;

use super::tls::TlsOptions;
use crate::plan::FURTHER_ROUNDS;
use kasoku_model::acceleration::Acceleration;
use kasoku_model::algorithm::Algorithm;
use kasoku_model::document::Series;
use kasoku_model::workload::{NonceForm, Operation};

/// How much time a run takes for how much certainty.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Pace {
    /// Half a minute a level at most.
    Quick,
    /// At most 75 seconds a level.
    #[default]
    Default,
    /// The algorithms, sizes and durations of the published measurements; no limit.
    AsPublished,
}

/// What the user asked for; what is not said is as the matrix has it.
#[derive(Clone, Debug, Default)]
pub struct LevelOptions {
    /// How much time.
    pub pace: Pace,
    /// These libraries only.
    pub libraries: Option<Vec<String>>,
    /// These builds of libcrypto beside the system's.
    pub libcrypto: Vec<PathBuf>,
    /// These states only.
    pub acceleration: Option<Vec<Acceleration>>,
    /// These algorithms only.
    pub algorithms: Option<Vec<Algorithm>>,
    /// These operations, instead of those of the matrix.
    pub operations: Option<Vec<Operation>>,
    /// These sizes instead.
    pub sizes: Option<Vec<usize>>,
    /// The forms of an AEAD's nonces, instead of made ahead.
    pub nonces: Option<Vec<NonceForm>>,
    /// This many threads at once, instead of one.
    pub threads: Option<usize>,
    /// These virtual machines beside those that are found: programs `java`, or folders of JDKs.
    pub java: Vec<PathBuf>,
    /// Each of these flags of `java` as a series of its own.
    pub jvm_flags: Vec<String>,
    /// The file SPECjvm2008.jar, to be run too.
    pub specjvm: Option<PathBuf>,
    /// How many cores there are.
    pub cores: usize,
    /// Rounds in all, instead of the matrix'.
    pub rounds: Option<u32>,
    /// The length of a slice, instead of one that fills the time.
    pub slice: Option<Duration>,
    /// Of packets: data from end to end at length, and nothing else.
    pub end_to_end: bool,
    /// What concerns files only.
    pub files: FilesOptions,
    /// What concerns web servers only.
    pub tls: TlsOptions,
}

/// What the user asked of the level `files` beside what concerns all.
#[derive(Clone, Debug, Default)]
pub struct FilesOptions {
    /// The folder whose file system is measured, if not the system's for temporary files.
    pub dir: Option<PathBuf>,
    /// Whether to measure with an empty page cache too.
    pub cold: bool,
    /// How often each file is done in a test run, instead of as often as the time allows.
    pub repetitions: Option<u32>,
    /// What is there of a run that is to be continued.
    pub before: Vec<Series>,
}

impl FilesOptions {
    /// The folder whose file system is measured.
    pub fn dir(&self) -> PathBuf {
        self.dir.clone().unwrap_or_else(std::env::temp_dir)
    }
}

impl LevelOptions {
    /// The sizes that were named, or those of the pace; in order, each once.
    pub(super) fn sizes_or(&self, quick: &[usize], default: &[usize], published: &[usize]) -> Vec<usize> {
        let mut sizes = match (&self.sizes, self.pace) {
            (Some(sizes), _) => sizes.clone(),
            (None, Pace::Quick) => quick.to_vec(),
            (None, Pace::Default) => default.to_vec(),
            (None, Pace::AsPublished) => published.to_vec(),
        };
        sizes.sort_unstable();
        sizes.dedup();
        sizes
    }

    /// The length of a slice that was named or published: thirty of 0.1 s are the three seconds that `openssl speed`
    /// spends on a size.
    pub(super) fn slice_or_published(&self) -> Option<Duration> {
        self.slice.or((self.pace == Pace::AsPublished).then_some(Duration::from_millis(100)))
    }

    /// Further rounds for what needs them: where neither rounds nor slices were named or published.
    pub fn further_rounds(&self) -> u32 {
        if self.rounds.is_none() && self.slice_or_published().is_none() { FURTHER_ROUNDS } else { 0 }
    }

    /// How often every worker is started, and how many rounds each of these starts has.
    pub fn starts_and_rounds(&self) -> (u32, u32) {
        match (self.rounds, self.pace) {
            (Some(rounds), _) if rounds < 3 => (1, rounds.max(1)),
            (Some(rounds), _) if rounds < 30 => (3, rounds.div_ceil(3)),
            (Some(rounds), _) => (10, rounds.div_ceil(10)),
            (None, Pace::Quick) => (5, 2),
            (None, Pace::Default | Pace::AsPublished) => (10, 3),
        }
    }
}
