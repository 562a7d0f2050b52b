//! All machines that are known, from runs in the store and from publications, side by side.
//!
//! What is measured here, what was imported and what was published meet in one [`Collection`]:
//!
//! * Runs that Kasoku measured are of the same machine if name, CPU, architecture, number of CPUs and hypervisor are
//!   the same. Of a machine the newest complete run counts that has the workload, verified.
//! * Figures from elsewhere are of the same device if the device's names are the same but for case, spaces and signs,
//!   or are names of the same published device; or, named or not, if at least [`ENOUGH`] figures are the same as
//!   printed and none differs. Figures of one device that are the same stand in one row with all their sources. Figures
//!   of one device that differ are two measurements, with other software say, and nobody can tell which is the better:
//!   both stand there, told apart by library and source.
//! * No figure is made up: a device that has none at a size is left out at that size.

mod around;
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
pub use devices::ENOUGH;
pub use history::{History, HistoryChange, HistoryPoint, SAME_WITHIN};
pub use machines::{KnownMachine, RunsLeftOut, Workloads};
pub use pairs::{StatePair, StatePairs};
pub use question::{DEFAULT_BYTES, DEFAULT_LIBRARY, Libraries, RankingQuestion};
pub use ranking::{FigureSource, LeftOut, Ranking, RankingRow, This};

/// Every machine that is known. Reads the store's runs once and what a question needs when it is asked.
pub struct Collection<'a> {
    store: Option<&'a Store>,
    known: KnownRuns,
    /// Devices with figures from elsewhere.
    devices: Vec<Device>,
}

impl<'a> Collection<'a> {
    /// What is in the store, if there is one, and what was published.
    pub fn open(store: Option<&'a Store>) -> Result<Collection<'a>, StoreError> {
        let known = store.map_or_else(|| Ok(KnownRuns::default()), Store::known)?;
        let devices = devices::all(store, &known)?;
        Ok(Collection { store, known, devices })
    }

    /// The same without the runs of these names.
    pub fn without(self, runs: &HashSet<String>) -> Result<Collection<'a>, StoreError> {
        let known = self.known.without(runs);
        let devices = devices::all(self.store, &known)?;
        Ok(Collection { known, devices, ..self })
    }

    /// Returns the store's figures for a question at its size, the newest run first.
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

    /// Calls `find` with the measured runs that have `figures`, the newest first, until it finds something for each
    /// machine. Returns what was found, with the place of its run.
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

    /// The best series among the figures of one measured run that is what the question is about: a single message at a
    /// time, on one thread, under one key.
    fn best(&self, figures: &[PlacedFigure]) -> Result<Option<Series>, StoreError> {
        let Some(store) = self.store else { return Ok(None) };
        let mut best: Option<Series> = None;
        for (_, figure) in figures.iter().filter(|(_, figure)| figure.verified) {
            if best.as_ref().is_some_and(|best| best.median >= Some(figure.median)) {
                continue;
            }
            // The rest of the run may be slower than what cannot be read of it.
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

/// A figure with the place of its run in [`KnownRuns::runs`].
type PlacedFigure = (usize, KnownFigure);

/// Returns the figures of each run, which must stand together.
fn by_run(figures: &[PlacedFigure]) -> impl Iterator<Item = &[PlacedFigure]> {
    figures.chunk_by(|left, right| left.0 == right.0)
}

/// Returns the figures of the run at `place`. The runs must be in order.
fn of_run(figures: &[PlacedFigure], place: usize) -> &[PlacedFigure] {
    let from = &figures[figures.partition_point(|(other, _)| *other < place)..];
    &from[..from.partition_point(|(other, _)| *other == place)]
}

/// Returns the most frequent size; of several the usual one, else the largest.
fn most_frequent(sizes: impl Iterator<Item = usize>) -> Option<usize> {
    let mut counts: BTreeMap<usize, usize> = BTreeMap::new();
    sizes.for_each(|bytes| *counts.entry(bytes).or_default() += 1);
    let most = counts.into_iter().max_by_key(|(bytes, count)| (*count, *bytes == DEFAULT_BYTES, *bytes));
    most.map(|(bytes, _)| bytes)
}

/// Whether a measured series may stand in a ranking, and is what tables everywhere show: one message at a time.
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
