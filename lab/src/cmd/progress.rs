//! What a run shows and keeps while it goes on: a bar on a terminal, lines elsewhere, every sample in the store.

use std::io::IsTerminal;

use indicatif::{ProgressBar, ProgressStyle};

use crate::document::{Sample, Series};
use crate::measure::observer::Observer;
use crate::store::{SeriesId, Store};

/// Writes to the store and to standard error.
pub struct Progress<'a> {
    store: &'a mut Store,
    run: String,
    ids: Vec<SeriesId>,
    bar: Option<ProgressBar>,
    last_line: String,
}

impl<'a> Progress<'a> {
    /// For the run of that name in `store`.
    pub fn new(store: &'a mut Store, run: &str) -> Self {
        let bar = std::io::stderr().is_terminal().then(|| {
            let bar = ProgressBar::new(1);
            if let Ok(style) = ProgressStyle::with_template("{bar:30} {percent:>3} %  {msg}  {elapsed_precise}") {
                bar.set_style(style);
            }
            bar
        });
        Progress { store, run: run.to_owned(), ids: Vec::new(), bar, last_line: String::new() }
    }

    /// Takes the bar away; gives the names of the series in the store, by their number.
    pub fn finish(self) -> Vec<SeriesId> {
        if let Some(bar) = self.bar {
            bar.finish_and_clear();
        }
        self.ids
    }
}

impl Observer for Progress<'_> {
    fn begins(&mut self, index: usize, series: &Series) -> Result<(), String> {
        debug_assert_eq!(index, self.ids.len());
        let id = self.store.add_series(&self.run, series).map_err(|error| error.to_string())?;
        self.ids.push(id);
        Ok(())
    }

    fn sampled(&mut self, samples: &[(usize, Sample)]) -> Result<(), String> {
        let samples: Vec<(SeriesId, Sample)> =
            samples.iter().map(|(index, sample)| (self.ids[*index], *sample)).collect();
        self.store.add_samples(&samples).map_err(|error| error.to_string())
    }

    fn progress(&mut self, what: &str, done: u64, total: u64) {
        match &self.bar {
            Some(bar) => {
                bar.set_length(total);
                bar.set_position(done);
                bar.set_message(what.to_owned());
            }
            None => {
                // A line for each phase, not for each workload.
                let phase = what.split(' ').next().unwrap_or_default();
                let line = if phase == "round" { what } else { phase };
                if line != self.last_line {
                    super::tell(&format!("{what} ({} %)", 100 * done / total.max(1)));
                    line.clone_into(&mut self.last_line);
                }
            }
        }
    }
}
