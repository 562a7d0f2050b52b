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

use std::collections::HashSet;

use crate::{KnownFigure, KnownRuns, Store, StoreError, WantedWorkload};
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
    ///
    /// # Errors
    /// The store's own.
    pub fn open(store: Option<&'a Store>) -> Result<Collection<'a>, StoreError> {
        let known = store.map_or_else(|| Ok(KnownRuns::default()), Store::known)?;
        let devices = devices::all(store, &known)?;
        Ok(Collection { store, known, devices })
    }

    /// The same without the runs of these names.
    ///
    /// # Errors
    /// The store's own.
    pub fn without(self, runs: &HashSet<String>) -> Result<Collection<'a>, StoreError> {
        let known = self.known.without(runs);
        let devices = devices::all(self.store, &known)?;
        Ok(Collection { known, devices, ..self })
    }

    /// The figures of the store for a question, with the place of their run, the newest run first.
    fn figures(
        &self,
        question: &RankingQuestion,
        bytes: Option<usize>,
    ) -> Result<Vec<(usize, KnownFigure)>, StoreError> {
        let Some(store) = self.store else { return Ok(Vec::new()) };
        let wanted = WantedWorkload { bytes, ..question.wanted() };
        let figures = store.figures(&wanted)?;
        let placed = figures.into_iter().filter_map(|figure| Some((self.known.place(&figure)?, figure)));
        let mut figures: Vec<(usize, KnownFigure)> = placed.collect();
        figures.sort_by_key(|(place, _)| *place);
        Ok(figures)
    }

    /// The best series among the figures of one measured run that is what the question is about: a single message at a
    /// time, on one thread, under one key.
    fn best(&self, figures: &[(usize, KnownFigure)]) -> Result<Option<Series>, StoreError> {
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
