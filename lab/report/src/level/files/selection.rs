//! Series of the level files by contender and storage of the files, and their means by test run.

use std::collections::{BTreeMap, BTreeSet};

use crate::prelude::*;
use crate::quantity::mean;
use crate::selection::{USUAL_FILES, is_copy};
use kasoku_model::library;
use kasoku_model::workload::files::{Cache, Storage};
use kasoku_model::workload::{Files, Setting};

pub(crate) struct FileSelection<'a> {
    pub(super) document: &'a Document,
    pub(super) all: Vec<FileContender<'a>>,
    /// Seconds of a plain copy, by storage of the files and size.
    copies: BTreeMap<(Files, usize), f64>,
}

/// A library with an algorithm and a storage of the files, such as memory or a file system.
pub(super) struct FileContender<'a> {
    who: ContenderIndex,
    pub(super) one: &'a Series,
    pub(super) label: Text,
    /// Name with version and threads, and the storage of the files if it is unusual.
    pub(super) name: Text,
    pub(super) files: Files,
    series: BTreeMap<(usize, Column), &'a Series>,
}

/// Key lengths of the published measurement.
pub(super) const KEY_BYTES: [usize; 2] = [16, 32];

pub(super) const OPERATIONS: [Operation; 2] = [Operation::Encrypt, Operation::Decrypt];

pub(super) type Column = (Operation, Acceleration);

pub(super) const COLUMNS: [Column; 4] = [
    (Operation::Encrypt, Acceleration::Off),
    (Operation::Decrypt, Acceleration::Off),
    (Operation::Encrypt, Acceleration::On),
    (Operation::Decrypt, Acceleration::On),
];

pub(super) const IN_MEMORY: Files = Files { storage: Storage::Memory, cache: Cache::Warm };

impl<'a> FileSelection<'a> {
    pub(crate) fn new(document: &'a Document) -> Option<Self> {
        let selection = Selection::of_level(document, Level::Files);
        let (mut lines, mut copies) = (BTreeMap::new(), BTreeMap::new());
        for (key, series) in selection.select(|_| true) {
            let Setting::Files(files) = key.setting else { continue };
            if is_copy(series) {
                copies.extend(sound_figure(series).map(|seconds| ((files, key.bytes), seconds)));
                continue;
            }
            let line = || FileContender {
                who: key.who,
                one: series,
                label: selection.label(key.who),
                name: selection.name(key),
                files,
                series: BTreeMap::new(),
            };
            let line = lines.entry((key.who, series.algorithm, files)).or_insert_with(line);
            line.series.insert((key.bytes, (key.task.operation, key.state)), series);
        }
        let mut all: Vec<FileContender<'a>> = lines.into_values().collect();
        all.sort_by_key(|line| (library::place(&line.one.library), line.one.algorithm, line.threads(), line.files));
        (!all.is_empty()).then_some(FileSelection { document, all, copies })
    }

    /// Returns the contender that represents a key length: the most similar to the published measurement, which used
    /// Java and most likely CBC. The contender has figures with acceleration on and off.
    pub(super) fn primary(&self, key_bytes: usize) -> Option<&FileContender<'a>> {
        let is_fit = |line: &&FileContender<'a>| {
            line.one.algorithm.key_bytes() == key_bytes
                && line.files == USUAL_FILES
                && !line.compared_sizes().is_empty()
        };
        let like = |line: &&FileContender<'a>| {
            let is_java = ["sunjce", "nss"].contains(&line.one.library.as_str());
            let is_cbc = matches!(line.one.algorithm, Algorithm::Aes128Cbc | Algorithm::Aes256Cbc);
            (!is_java, !is_cbc, library::place(&line.one.library), line.threads())
        };
        self.all.iter().filter(is_fit).min_by_key(like)
    }

    /// Returns the seconds that a plain copy of `bytes` bytes takes.
    pub(super) fn copy(&self, files: Files, bytes: usize) -> Option<f64> {
        self.copies.get(&(files, bytes)).copied()
    }

    pub(super) fn has_several_threads(&self, line: &FileContender<'a>, bytes: usize) -> bool {
        let same = |line: &FileContender<'a>| (&line.one.library, line.one.algorithm, line.files);
        let has = |other: &FileContender<'a>| {
            same(other) == same(line) && other.threads() > 1 && other.sizes().contains(&bytes)
        };
        self.all.iter().any(has)
    }

    /// Returns the contender that differs from `line` only in the storage of its files.
    pub(super) fn beside(&self, line: &FileContender<'a>, files: Files) -> Option<&FileContender<'a>> {
        let is_beside = |other: &&FileContender<'a>| {
            (other.who, other.one.algorithm, other.files) == (line.who, line.one.algorithm, files)
        };
        self.all.iter().find(is_beside)
    }
}

impl FileContender<'_> {
    pub(super) fn threads(&self) -> u64 {
        self.one.details.threads
    }

    pub(super) fn sizes(&self) -> BTreeSet<usize> {
        self.series.keys().map(|(bytes, ..)| *bytes).collect()
    }

    /// Returns the sizes that have figures with acceleration on and off.
    pub(super) fn compared_sizes(&self) -> Vec<usize> {
        let has = |bytes: &usize| OPERATIONS.iter().any(|operation| self.figures(*bytes, *operation).is_some());
        self.sizes().into_iter().filter(has).collect()
    }

    pub(super) fn series(&self, bytes: usize, column: Column) -> Option<&Series> {
        self.series.get(&(bytes, column)).copied()
    }

    /// Returns the median of a verified series, in seconds.
    pub(super) fn figure(&self, bytes: usize, column: Column) -> Option<f64> {
        self.series(bytes, column).filter(|series| series.is_verified()).and_then(sound_figure)
    }

    /// Returns the medians without and with acceleration, in seconds; `None` if either is missing.
    pub(super) fn figures(&self, bytes: usize, operation: Operation) -> Option<(f64, f64)> {
        let [off, on] = [Acceleration::Off, Acceleration::On].map(|state| self.figure(bytes, (operation, state)));
        off.zip(on)
    }

    pub(super) fn test_runs(&self, bytes: usize) -> BTreeSet<u32> {
        let of_size = COLUMNS.iter().filter_map(|column| self.series(bytes, *column));
        of_size.flat_map(|series| series.kept().map(|sample| sample.process)).collect()
    }

    /// Returns the mean time of a test run in seconds. If `run` is `None`, returns the mean over all test runs.
    pub(super) fn mean(&self, bytes: usize, column: Column, run: Option<u32>) -> Option<f64> {
        let Some(run) = run else {
            let runs = self.test_runs(bytes).into_iter();
            return mean(runs.filter_map(|run| self.mean(bytes, column, Some(run))));
        };
        let series = self.series(bytes, column).filter(|series| series.is_verified() && !series.has_failed())?;
        mean(series.kept().filter(|sample| sample.process == run).map(|sample| series.figure(sample)))
    }

    /// Returns the time that acceleration saves in a test run, in per cent. If `run` is `None`, returns the mean over
    /// all test runs.
    pub(super) fn improvement(&self, bytes: usize, operation: Operation, run: Option<u32>) -> Option<f64> {
        if run.is_none() {
            let runs = self.test_runs(bytes).into_iter();
            return mean(runs.filter_map(|run| self.improvement(bytes, operation, Some(run))));
        }
        let [off, on] = [Acceleration::Off, Acceleration::On].map(|state| self.mean(bytes, (operation, state), run));
        let (off, on) = off.zip(on).filter(|(off, _)| *off > 0.0)?;
        Some((off - on) / off * 100.0)
    }

    /// Whether every repetition with acceleration was faster than every repetition without it. Checks all sizes that
    /// have figures with and without acceleration.
    pub(super) fn is_clear(&self, operation: Operation) -> bool {
        self.compared_sizes().into_iter().all(|bytes| {
            let times = |state| -> Vec<f64> {
                let series = self.series(bytes, (operation, state));
                series.into_iter().flat_map(|one| one.kept().map(|sample| one.figure(sample))).collect()
            };
            let slowest = times(Acceleration::On).into_iter().fold(0.0, f64::max);
            let fastest = times(Acceleration::Off).into_iter().fold(f64::INFINITY, f64::min);
            slowest > 0.0 && slowest < fastest
        })
    }
}
