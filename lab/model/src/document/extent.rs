//! How much a document may hold, so that whoever shows one ends soon and in little memory, whoever wrote it.
//!
//! A full run has some 3,000 series and 100,000 samples, and the widest sweep that `kasoku run` plans in an hour 24,000
//! series of 75 sizes.

use std::collections::{HashMap, HashSet};

use super::{APART, Document, Sample, Series};
use crate::acceleration::Acceleration;
use crate::algorithm::Algorithm;
use crate::workload::Operation;

/// Maximum number of series of a run that is measured.
pub const MAX_SERIES: usize = 100_000;
/// Maximum number of samples of a run that is measured.
pub const MAX_SAMPLES: usize = 2_000_000;
/// The most levels.
const MAX_LEVELS: usize = 20;
/// The most sizes of one level.
pub const MAX_SIZES: usize = 128;
/// The most libraries, each version and each setting counted, over all levels.
const MAX_SETTINGS: usize = 1_000;
/// The most cells of a table of one level: its sizes times its rows.
const MAX_CELLS: usize = 500_000;
/// The most starts of a worker, or test runs, of one series.
const MAX_PROCESSES: usize = 100;
/// The most samples of one series: this many rounds a run takes, and files twice.
const MAX_ROUNDS: usize = 20_000;
/// The most series of web servers, and of data from end to end; a full run has some hundred.
const MAX_CASES: usize = 2_000;
/// The most entries of each list of a run and its machine.
const MAX_ENTRIES: usize = 5_000;

/// The parameters that make rows or columns of their own.
const SETTINGS: [&str; 18] = [
    "threads",
    APART,
    "nonces",
    "keys",
    "aad",
    "flags",
    "batch",
    "loop",
    "setup",
    "record",
    "header_protection",
    "storage",
    "cache",
    "workers",
    "latency_of",
    "connections",
    "transport",
    "protection",
];

/// A library with what tells it apart.
type Setting<'d> = (&'d str, &'d str, &'d str, String);

impl Document {
    /// Whether it is within what tables and charts are made for. How many series and samples there are is for whoever
    /// reads it to bound, before they are in memory.
    ///
    /// # Errors
    /// What there is too much of, in words that follow the document's name.
    pub fn check_extent(&self) -> Result<(), String> {
        let run = &self.run;
        for (what, count) in [
            ("notes", run.notes.len()),
            ("remarks", run.method.remarks.len()),
            ("libraries", run.libraries.len()),
            ("omissions", run.omissions.len()),
            ("limits of the system", run.method.limits.len()),
            ("noise floors", run.method.noise_floors.len()),
            ("features of the CPU", self.machine.features.len()),
        ] {
            within(count, MAX_ENTRIES, what)?;
        }
        let mut levels: HashMap<&str, Level> = HashMap::new();
        let mut settings: HashMap<Setting<'_>, usize> = HashMap::new();
        for series in &self.series {
            within(series.samples.len(), MAX_ROUNDS, "samples in one series")?;
            within(processes(&series.samples), MAX_PROCESSES, "starts of a worker in one series")?;
            let place = settings.len();
            let place = *settings.entry(setting(series)).or_insert(place);
            let level = levels.entry(&series.level).or_default();
            level.sizes.insert(series.bytes);
            level.rows.insert((place, series.acceleration, series.algorithm, series.operation));
        }
        let cases =
            self.series.iter().filter(|series| matches!(series.operation, Operation::Serve | Operation::Transfer));
        within(cases.count(), MAX_CASES, "series of servers and transfers")?;
        within(levels.len(), MAX_LEVELS, "levels")?;
        within(settings.len(), MAX_SETTINGS, "libraries and settings")?;
        for level in levels.values() {
            within(level.sizes.len(), MAX_SIZES, "sizes at one level")?;
            within(level.sizes.len() * level.rows.len(), MAX_CELLS, "cells in a table")?;
        }
        Ok(())
    }
}

#[derive(Default)]
struct Level {
    sizes: HashSet<usize>,
    rows: HashSet<(usize, Acceleration, Algorithm, Operation)>,
}

fn setting(series: &Series) -> Setting<'_> {
    let values = SETTINGS.iter().map(|name| series.parameters.get(*name).map(ToString::to_string).unwrap_or_default());
    (&series.level, &series.library, &series.library_version, values.collect::<Vec<_>>().join("\0"))
}

fn processes(samples: &[Sample]) -> usize {
    samples.iter().map(|sample| sample.process).collect::<HashSet<_>>().len()
}

fn within(count: usize, most: usize, what: &str) -> Result<(), String> {
    if count > most { Err(format!("it has {count} {what}; at most {most} are allowed")) } else { Ok(()) }
}
