//! Upper bounds for the size of a run document, so that showing any document takes bounded time and memory.
//!
//! A full run has about 3,000 series and 100,000 samples. The widest sweep that `kasoku run` plans in an hour has
//! 24,000 series of 75 sizes.

use std::collections::{HashMap, HashSet};

use super::{Condition, Document, Sample, Series};
use crate::acceleration::Acceleration;
use crate::algorithm::Algorithm;
use crate::level::Level;
use crate::workload::Operation;

pub const MAX_SERIES: usize = 100_000;
pub const MAX_SAMPLES: usize = 2_000_000;
/// Maximum number of message sizes at one level.
pub const MAX_SIZES: usize = 128;
/// Maximum number of combinations of level, library, version and conditions.
const MAX_SETTINGS: usize = 1_000;
/// Maximum number of cells in one level's table: its sizes times its rows.
const MAX_CELLS: usize = 500_000;
/// Maximum number of worker starts, or test runs of files, in one series.
const MAX_PROCESSES: usize = 100;
/// Maximum number of samples in one series.
const MAX_ROUNDS: usize = 20_000;
/// Maximum number of series of servers and transfers; a full run has about a hundred.
const MAX_CASES: usize = 2_000;
/// Maximum number of entries in each list of the run and of the machine.
const MAX_ENTRIES: usize = 5_000;

/// Combination of level, library, version and conditions that gets rows of its own in a table.
type Setting<'d> = (Level, &'d str, &'d str, Vec<Condition>);

impl Document {
    /// Checks that tables and charts can show the document. The error names the part that exceeds its maximum. The
    /// total number of series and samples is not checked: readers must bound it before they load them into memory.
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
            ("mitigations", self.machine.mitigations.len()),
        ] {
            within(count, MAX_ENTRIES, what)?;
        }
        let mut levels: HashMap<Level, Rows> = HashMap::new();
        let mut settings: HashMap<Setting<'_>, usize> = HashMap::new();
        for series in &self.series {
            within(series.samples.len(), MAX_ROUNDS, "samples in one series")?;
            within(processes(&series.samples), MAX_PROCESSES, "starts of a worker in one series")?;
            let place = settings.len();
            let place = *settings.entry(setting(series)).or_insert(place);
            let level = levels.entry(series.level).or_default();
            level.sizes.insert(series.bytes);
            level.rows.insert((place, series.acceleration, series.algorithm, series.operation));
        }
        let is_case = |operation| matches!(operation, Operation::Serve | Operation::Handshake | Operation::Transfer);
        let cases = self.series.iter().filter(|series| is_case(series.operation));
        within(cases.count(), MAX_CASES, "series of servers and transfers")?;
        within(settings.len(), MAX_SETTINGS, "libraries and settings")?;
        for level in levels.values() {
            within(level.sizes.len(), MAX_SIZES, "sizes at one level")?;
            within(level.sizes.len() * level.rows.len(), MAX_CELLS, "cells in a table")?;
        }
        Ok(())
    }
}

#[derive(Default)]
struct Rows {
    sizes: HashSet<usize>,
    rows: HashSet<(usize, Acceleration, Algorithm, Operation)>,
}

fn setting(series: &Series) -> Setting<'_> {
    /// Names of the conditions that get no rows or columns of their own in tables.
    const WITHOUT_ROWS: [&str; 3] = ["form", "concurrency", "hosts"];
    let mut conditions = series.conditions();
    conditions.retain(|condition| !WITHOUT_ROWS.contains(&condition.name));
    (series.level, &series.library, &series.library_version, conditions)
}

fn processes(samples: &[Sample]) -> usize {
    samples.iter().map(|sample| sample.process).collect::<HashSet<_>>().len()
}

fn within(count: usize, most: usize, what: &str) -> Result<(), String> {
    if count > most { Err(format!("it has {count} {what}; at most {most} are allowed")) } else { Ok(()) }
}
