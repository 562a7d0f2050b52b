//! All known machines, from runs in the store and from publications, side by side.
//!
//! A [`Collection`] combines measured, imported and published figures:
//!
//! * Measured runs are of one machine if name, CPU, architecture, number of CPUs and hypervisor are equal. Of each
//!   machine the newest complete run with the verified workload counts.
//! * Quoted figures are of one device if its names agree but for case, spaces and punctuation, or are names of one
//!   published device. Equal figures of one device share a row with all their sources. Differing
//!   figures are separate measurements, perhaps with other software: each has a row, with library and source.
//! * No figure is interpolated: a device without a figure at a size is left out at that size.

mod devices;
mod history;
mod machines;
mod pairs;
mod question;
mod ranking;

use std::collections::{BTreeMap, BTreeSet, HashSet};

use crate::{KnownFigure, KnownRuns, Store, StoreError};
use kasoku_model::document::Series;

use devices::Device;

pub use crate::MachineIdentity;
pub use history::{History, HistoryChange, HistoryPoint, SAME_WITHIN};
pub use machines::{KnownMachine, RunsLeftOut, Workloads};
pub use pairs::{StatePair, StatePairs};
pub use question::{DEFAULT_BYTES, DEFAULT_LIBRARY, RankingQuestion};
pub use ranking::{FigureSource, LeftOut, Ranking, RankingRow, This};

/// All known machines. Reads the list of runs once, and figures when a question needs them.
pub struct Collection<'a> {
    store: Option<&'a Store>,
    known: KnownRuns,
    devices: Vec<Device>,
}

impl<'a> Collection<'a> {
    /// Opens the collection of published figures and of the runs in `store`, if there is one.
    pub fn open(store: Option<&'a Store>) -> Result<Collection<'a>, StoreError> {
        let known = store.map_or_else(|| Ok(KnownRuns::default()), Store::known)?;
        let devices = devices::all(&known);
        Ok(Collection { store, known, devices })
    }

    pub fn without(self, runs: &HashSet<String>) -> Collection<'a> {
        let known = self.known.without(runs);
        let devices = devices::all(&known);
        Collection { known, devices, ..self }
    }

    fn figures(&self, question: &RankingQuestion) -> Result<Vec<PlacedFigure>, StoreError> {
        self.figures_at(question, question.has_sizes().then_some(question.bytes))
    }

    /// Returns the store's figures for a question at the size `bytes`, or at every size, the newest run first.
    fn figures_at(&self, question: &RankingQuestion, bytes: Option<usize>) -> Result<Vec<PlacedFigure>, StoreError> {
        let Some(store) = self.store else { return Ok(Vec::new()) };
        let figures = store.figures(question, bytes)?.into_iter();
        let mut figures: Vec<PlacedFigure> =
            figures.filter_map(|figure| Some((self.known.place(&figure)?, figure))).collect();
        figures.sort_by_key(|(place, _)| *place);
        Ok(figures)
    }

    /// Calls `find` with the measured runs in `figures`, the newest first, until it returns something for each machine.
    /// Returns the values that `find` returned, each with the index of its run.
    fn newest<R>(
        &self,
        figures: &[PlacedFigure],
        find: impl Fn(usize, &[PlacedFigure]) -> Result<Option<R>, StoreError>,
    ) -> Result<Vec<(usize, R)>, StoreError> {
        let mut all = Vec::new();
        let mut done = BTreeSet::new();
        for of_run in by_run(figures) {
            let place = of_run[0].0;
            let run = &self.known.runs[place];
            if run.is_ranked()
                && !done.contains(&run.machine)
                && let Some(found) = find(place, of_run)?
            {
                done.insert(run.machine);
                all.push((place, found));
            }
        }
        Ok(all)
    }

    /// Returns the best series of one measured run with one message at a time, one thread and one key.
    fn best(&self, figures: &[PlacedFigure]) -> Result<Option<Series>, StoreError> {
        let Some(store) = self.store else { return Ok(None) };
        let mut best: Option<Series> = None;
        for (_, figure) in figures.iter().filter(|(_, figure)| figure.verified) {
            if best.as_ref().is_some_and(|best| best.median >= Some(figure.median)) {
                continue;
            }
            // Without the unreadable series, the best of the rest may be too slow.
            let Some(series) = store.series_of(figure)? else { return Ok(None) };
            if is_plain(&series) {
                best = Some(series);
            }
        }
        Ok(best)
    }

    fn identity(&self, place: usize) -> &MachineIdentity {
        &self.known.machines[self.known.runs[place].machine]
    }
}

/// A figure with the index of its run in [`KnownRuns::runs`].
type PlacedFigure = (usize, KnownFigure);

/// Splits figures by run. Figures of one run must be adjacent.
fn by_run(figures: &[PlacedFigure]) -> impl Iterator<Item = &[PlacedFigure]> {
    figures.chunk_by(|left, right| left.0 == right.0)
}

/// Returns the figures of the run at `place`. Figures must be sorted by run.
fn of_run(figures: &[PlacedFigure], place: usize) -> &[PlacedFigure] {
    let from = &figures[figures.partition_point(|(other, _)| *other < place)..];
    &from[..from.partition_point(|(other, _)| *other == place)]
}

/// Returns the most frequent size in bytes. Among equally frequent sizes, prefers the default size, then the largest.
fn most_frequent(sizes: impl Iterator<Item = usize>) -> Option<usize> {
    let mut counts: BTreeMap<usize, usize> = BTreeMap::new();
    sizes.for_each(|bytes| *counts.entry(bytes).or_default() += 1);
    let most = counts.into_iter().max_by_key(|(bytes, count)| (*count, *bytes == DEFAULT_BYTES, *bytes));
    most.map(|(bytes, _)| bytes)
}

/// Whether a measured series may be ranked and processes one message at a time.
fn is_plain(series: &Series) -> bool {
    let workload = series.workload();
    let plain = kasoku_model::workload::Workload::new(workload.operation, workload.algorithm, workload.bytes);
    series.is_ranked() && series.is_representative() && workload == plain && is_figure(series.median)
}

fn is_figure(median: Option<f64>) -> bool {
    median.is_some_and(|median| median.is_finite() && median > 0.0)
}

#[cfg(test)]
mod tests;
