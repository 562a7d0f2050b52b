//! The series of files, by who did what where, and their means by test run.

use std::collections::{BTreeMap, BTreeSet};

use crate::language::Messages;
use crate::selection::{ContenderIndex, Selection, Variant, is_copy, sound_figure};
use crate::visible::short;
use kasoku_model::acceleration::Acceleration;
use kasoku_model::algorithm::Algorithm;
use kasoku_model::document::{Document, Series};
use kasoku_model::level::Level;
use kasoku_model::library;
use kasoku_model::workload::files::{Cache, Storage};
use kasoku_model::workload::{Files, Operation};

/// Everything that a document has of files.
pub(super) struct FileSelection<'a> {
    pub(super) all: Vec<FileContender<'a>>,
    /// Copies, by place and size: in seconds.
    copies: BTreeMap<(Files, usize), f64>,
}

/// One library with one algorithm in one place.
pub(super) struct FileContender<'a> {
    who: ContenderIndex,
    /// The place of its library in the order of tables.
    place: usize,
    pub(super) library: &'a str,
    pub(super) version: &'a str,
    pub(super) algorithm: Algorithm,
    pub(super) threads: u64,
    pub(super) files: Files,
    series: BTreeMap<(usize, Operation, Acceleration), &'a Series>,
}

/// Encryption and decryption with acceleration off, and the same with it on.
pub(super) const COLUMNS: [(Operation, Acceleration); 4] = [
    (Operation::Encrypt, Acceleration::Off),
    (Operation::Decrypt, Acceleration::Off),
    (Operation::Encrypt, Acceleration::On),
    (Operation::Decrypt, Acceleration::On),
];

/// What is on a file system and was in the page cache: what the published measurement had.
pub(super) const USUAL: Files = Files { storage: Storage::File, cache: Cache::Warm };

/// In memory, and in the page cache by that.
pub(super) const IN_MEMORY: Files = Files { storage: Storage::Memory, cache: Cache::Warm };

impl<'a> FileSelection<'a> {
    /// Of `document`.
    pub(super) fn new(document: &'a Document, messages: &'static Messages) -> Self {
        let selection = Selection::of_level(document, Level::Files, messages);
        let (mut lines, mut copies) = (BTreeMap::new(), BTreeMap::new());
        for (key, series) in selection.select(|_| true) {
            let Variant::Files(files) = key.variant else { continue };
            if is_copy(series) {
                copies.extend(sound_figure(series).map(|seconds| ((files, key.bytes), seconds)));
                continue;
            }
            let line = || FileContender {
                who: key.who,
                place: library::place(&series.library),
                library: &series.library,
                version: &series.library_version,
                algorithm: series.algorithm,
                threads: series.details.threads,
                files,
                series: BTreeMap::new(),
            };
            let line = lines.entry((key.who, series.algorithm, files)).or_insert_with(line);
            line.series.insert((key.bytes, key.task.operation, key.state), series);
        }
        let mut all: Vec<FileContender<'a>> = lines.into_values().collect();
        all.sort_by_key(|line| (line.place, line.algorithm, line.threads, line.files));
        FileSelection { all, copies }
    }

    /// The line that stands for a key length: what is most like the published measurement, which was Java's and most
    /// likely CBC; with figures in both states.
    pub(super) fn primary(&self, key_bytes: usize) -> Option<&FileContender<'a>> {
        let is_fit = |line: &&FileContender<'a>| {
            line.algorithm.key_bytes() == key_bytes && line.files == USUAL && !line.compared_sizes().is_empty()
        };
        let like = |line: &&FileContender<'a>| {
            let is_java = ["sunjce", "nss"].contains(&line.library);
            let is_cbc = matches!(line.algorithm, Algorithm::Aes128Cbc | Algorithm::Aes256Cbc);
            (!is_java, !is_cbc, line.place, line.threads)
        };
        self.all.iter().filter(is_fit).min_by_key(like)
    }

    /// How long a copy of `bytes` takes there, in seconds.
    pub(super) fn copy(&self, files: Files, bytes: usize) -> Option<f64> {
        self.copies.get(&(files, bytes)).copied()
    }

    /// Whether the work of `line` on `bytes` was measured with several threads, too.
    pub(super) fn has_several_threads(&self, line: &FileContender<'a>, bytes: usize) -> bool {
        let same = |line: &FileContender<'a>| (line.library, line.algorithm, line.files);
        let has = |other: &FileContender<'a>| {
            same(other) == same(line) && other.threads > 1 && other.sizes().contains(&bytes)
        };
        self.all.iter().any(has)
    }

    /// The same work as `line` on other files.
    pub(super) fn beside(&self, line: &FileContender<'a>, files: Files) -> Option<&FileContender<'a>> {
        let is_beside =
            |other: &&FileContender<'a>| (other.who, other.algorithm, other.files) == (line.who, line.algorithm, files);
        self.all.iter().find(is_beside)
    }
}

impl FileContender<'_> {
    /// `openssl 3.0.17`, `kasoku 0.1.0, 2 threads`.
    pub(super) fn who(&self, threads: impl Fn(u64) -> String) -> String {
        let mut who = format!("{} {}", short(self.library, 24), short(self.version, 40)).trim_end().to_owned();
        if self.threads > 1 {
            who = format!("{who}, {}", threads(self.threads));
        }
        who
    }

    /// The sizes of which it has anything.
    pub(super) fn sizes(&self) -> BTreeSet<usize> {
        self.series.keys().map(|(bytes, ..)| *bytes).collect()
    }

    /// The sizes of which it has figures in both states.
    pub(super) fn compared_sizes(&self) -> Vec<usize> {
        let has = |bytes: usize| {
            [Operation::Encrypt, Operation::Decrypt].iter().any(|&operation| {
                self.figure(bytes, operation, Acceleration::On).is_some()
                    && self.figure(bytes, operation, Acceleration::Off).is_some()
            })
        };
        self.sizes().into_iter().filter(|&bytes| has(bytes)).collect()
    }

    pub(super) fn series(&self, bytes: usize, operation: Operation, state: Acceleration) -> Option<&Series> {
        self.series.get(&(bytes, operation, state)).copied()
    }

    /// The median in seconds, if it may be relied on.
    pub(super) fn figure(&self, bytes: usize, operation: Operation, state: Acceleration) -> Option<f64> {
        self.series(bytes, operation, state).filter(|series| series.is_verified()).and_then(sound_figure)
    }

    /// The test runs at a size.
    pub(super) fn test_runs(&self, bytes: usize) -> BTreeSet<u32> {
        let of_size = COLUMNS.iter().filter_map(|&(operation, state)| self.series(bytes, operation, state));
        of_size.flat_map(|series| series.kept().map(|sample| sample.process)).collect()
    }

    /// The mean of a test run, in seconds; without one, the mean over those of all.
    pub(super) fn mean(
        &self,
        bytes: usize,
        operation: Operation,
        state: Acceleration,
        run: Option<u32>,
    ) -> Option<f64> {
        let Some(run) = run else {
            return mean(
                self.test_runs(bytes).into_iter().filter_map(|run| self.mean(bytes, operation, state, Some(run))),
            );
        };
        let series =
            self.series(bytes, operation, state).filter(|series| series.is_verified() && !series.has_failed())?;
        mean(series.kept().filter(|sample| sample.process == run).map(|sample| series.figure(sample)))
    }

    /// What a test run saves, in per cent of the time without acceleration; without one, the mean over all.
    pub(super) fn improvement(&self, bytes: usize, operation: Operation, run: Option<u32>) -> Option<f64> {
        if run.is_none() {
            let runs = self.test_runs(bytes).into_iter();
            return mean(runs.filter_map(|run| self.improvement(bytes, operation, Some(run))));
        }
        let [off, on] = [Acceleration::Off, Acceleration::On].map(|state| self.mean(bytes, operation, state, run));
        let (off, on) = off.zip(on).filter(|(off, _)| *off > 0.0)?;
        Some((off - on) / off * 100.0)
    }

    /// Whether every repetition without acceleration took longer than every one with it, at all sizes that have both.
    pub(super) fn is_clear(&self, operation: Operation) -> bool {
        self.compared_sizes().into_iter().all(|bytes| {
            let times = |state| -> Vec<f64> {
                let series = self.series(bytes, operation, state);
                series.into_iter().flat_map(|one| one.kept().map(|sample| one.figure(sample))).collect()
            };
            let slowest = times(Acceleration::On).into_iter().fold(0.0, f64::max);
            let fastest = times(Acceleration::Off).into_iter().fold(f64::INFINITY, f64::min);
            slowest > 0.0 && slowest < fastest
        })
    }
}

/// The mean of these, if there are any.
pub(super) fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let all: Vec<f64> = values.collect();
    (!all.is_empty()).then(|| all.iter().sum::<f64>() / all.len() as f64)
}
