//! Observers of a measurement: [`ProgressDisplay`] shows its progress, and [`StoringObserver`] also stores every
//! sample.

use std::io::IsTerminal;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

use kasoku_libraries::interruption;
use kasoku_measure::record::{Observer, is_same_series};
use kasoku_model::document::{Sample, Series};
use kasoku_store::{SeriesId, Store, StoreError};

/// Shows progress on standard error: a bar on a terminal, or else lines.
pub struct ProgressDisplay {
    level: String,
    bar: Option<ProgressBar>,
    began: Instant,
    /// Time since `began` from which the next line is due.
    next: Duration,
    /// Last phase or round for which a line was printed.
    last: String,
}

/// Stores every sample of a run, and shows progress on standard error.
pub(crate) struct StoringObserver<'a> {
    store: &'a mut Store,
    run: String,
    ids: Vec<SeriesId>,
    /// Series that the resumed run already has.
    known: Vec<(Series, SeriesId)>,
    bar: ProgressDisplay,
}

impl ProgressDisplay {
    pub fn new(level: &str) -> Self {
        let bar = std::io::stderr().is_terminal().then(|| {
            let bar = ProgressBar::new(1);
            if let Ok(style) =
                ProgressStyle::with_template("{prefix} {bar:30} {percent:>3} %  {msg}  {elapsed_precise}")
            {
                bar.set_style(style);
            }
            bar.set_prefix(level.to_owned());
            bar
        });
        let (began, next, last) = (Instant::now(), Duration::ZERO, String::new());
        ProgressDisplay { level: level.to_owned(), bar, began, next, last }
    }

    /// Whether to print a line: when a level begins, after one minute, two minutes, four and so on, so that a log of
    /// hours fits on a screen. With `KASOKU_PROGRESS=all`, each phase and round has a line.
    fn is_line_due(&mut self, what: &str) -> bool {
        if std::env::var_os("KASOKU_PROGRESS").is_some_and(|value| value == "all") {
            let phase = what.split(' ').next().unwrap_or_default();
            let line = if phase == "round" { what } else { phase };
            return std::mem::replace(&mut self.last, line.to_owned()) != line;
        }
        let is_due = self.began.elapsed() >= self.next;
        if is_due {
            self.next = (2 * self.next).max(Duration::from_secs(60));
        }
        is_due
    }

    pub fn finish(self) {
        if let Some(bar) = self.bar {
            bar.finish_and_clear();
        }
    }
}

impl Observer for ProgressDisplay {
    fn progress(&mut self, what: &str, done: u64, total: u64) {
        if let Some(bar) = &self.bar {
            bar.set_length(total);
            bar.set_position(done);
            bar.set_message(what.to_owned());
        } else if self.is_line_due(what) {
            super::tell(&format!("{}: {what} ({} %)", self.level, 100 * done / total.max(1)));
        }
    }
}

impl<'a> StoringObserver<'a> {
    pub(crate) fn new(store: &'a mut Store, run: &str, level: &str, known: Vec<(Series, SeriesId)>) -> Self {
        StoringObserver { store, run: run.to_owned(), ids: Vec::new(), known, bar: ProgressDisplay::new(level) }
    }

    /// Removes the bar. Returns the store's ID of each series, in the order of the plan.
    pub(crate) fn finish(self) -> Vec<SeriesId> {
        self.bar.finish();
        self.ids
    }
}

/// Calls `store`, unless a signal asked for the end of the run.
fn unless_stopped<T>(store: impl FnOnce() -> Result<T, StoreError>) -> Result<T, String> {
    if interruption::is_wanted() {
        return Err("stopped".to_owned());
    }
    store().map_err(|error| error.to_string())
}

impl Observer for StoringObserver<'_> {
    fn begins(&mut self, index: usize, series: &Series) -> Result<(), String> {
        debug_assert_eq!(index, self.ids.len());
        let id = unless_stopped(|| match self.known.iter().find(|(known, _)| is_same_series(known, series)) {
            Some((known, id)) => {
                // If the series lost its samples, delete those in the store too.
                if series.samples.is_empty() && !known.samples.is_empty() {
                    self.store.forget_samples(&[*id])?;
                }
                Ok(*id)
            }
            None => self.store.add_series(&self.run, series),
        })?;
        self.ids.push(id);
        Ok(())
    }

    fn forgotten(&mut self, indices: &[usize]) -> Result<(), String> {
        let ids: Vec<SeriesId> = indices.iter().map(|index| self.ids[*index]).collect();
        unless_stopped(|| self.store.forget_samples(&ids))
    }

    fn sampled(&mut self, samples: &[(usize, Sample)]) -> Result<(), String> {
        let samples: Vec<(SeriesId, Sample)> =
            samples.iter().map(|(index, sample)| (self.ids[*index], *sample)).collect();
        unless_stopped(|| self.store.add_samples(&samples))
    }

    fn described(&mut self, index: usize, series: &Series) -> Result<(), String> {
        unless_stopped(|| self.store.update_series(self.ids[index], series, false))
    }

    fn progress(&mut self, what: &str, done: u64, total: u64) {
        self.bar.progress(what, done, total);
    }
}
