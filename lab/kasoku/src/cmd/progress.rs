//! What measuring shows and keeps while it goes on: a bar on a terminal, lines elsewhere; of a run, every sample in the
//! store.

use std::io::IsTerminal;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

use kasoku_libraries::interruption;
use kasoku_measure::record::{Observer, is_same_series};
use kasoku_model::document::{Sample, Series};
use kasoku_store::{SeriesId, Store};

/// Writes to standard error, and keeps nothing.
pub struct ProgressDisplay {
    level: String,
    bar: Option<ProgressBar>,
    lines: Lines,
}

/// Where there is no terminal: a line when a level begins, after a minute, after two, after four, so that a log of
/// hours is no longer than a screen. With `KASOKU_PROGRESS=all` a line for each phase and round.
struct Lines {
    began: Instant,
    next: Duration,
    has_all: bool,
    last: String,
}

impl Lines {
    fn new() -> Self {
        let has_all = std::env::var_os("KASOKU_PROGRESS").is_some_and(|value| value == "all");
        Lines { began: Instant::now(), next: Duration::ZERO, has_all, last: String::new() }
    }

    /// Whether it is time to say what is done now.
    fn is_due(&mut self, what: &str) -> bool {
        if self.has_all {
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
}

/// Writes to the store and to standard error.
pub struct Progress<'a> {
    store: &'a mut Store,
    run: String,
    ids: Vec<SeriesId>,
    /// Series that the run had before it was interrupted.
    known: Vec<(Series, SeriesId)>,
    bar: ProgressDisplay,
}

impl ProgressDisplay {
    /// Nothing done yet of `level`.
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
        ProgressDisplay { level: level.to_owned(), bar, lines: Lines::new() }
    }

    /// Takes the bar away.
    pub fn finish(self) {
        if let Some(bar) = self.bar {
            bar.finish_and_clear();
        }
    }
}

impl Observer for ProgressDisplay {
    fn progress(&mut self, what: &str, done: u64, total: u64) {
        match &self.bar {
            Some(bar) => {
                bar.set_length(total);
                bar.set_position(done);
                bar.set_message(what.to_owned());
            }
            None => {
                if self.lines.is_due(what) {
                    super::tell(&format!("{}: {what} ({} %)", self.level, 100 * done / total.max(1)));
                }
            }
        }
    }
}

impl<'a> Progress<'a> {
    /// For `level` of the run of that name in `store`.
    pub fn new(store: &'a mut Store, run: &str, level: &str) -> Self {
        Progress { store, run: run.to_owned(), ids: Vec::new(), known: Vec::new(), bar: ProgressDisplay::new(level) }
    }

    /// The same for a resumed run: these series are already in the store.
    pub fn resuming(self, known: Vec<(Series, SeriesId)>) -> Self {
        Progress { known, ..self }
    }

    /// Takes the bar away; gives the names of the series in the store, by their number.
    pub fn finish(self) -> Vec<SeriesId> {
        self.bar.finish();
        self.ids
    }
}

/// Ends the run if whoever started it has asked for that.
fn go_on() -> Result<(), String> {
    if interruption::is_wanted() { Err("stopped".to_owned()) } else { Ok(()) }
}

impl Observer for Progress<'_> {
    fn begins(&mut self, index: usize, series: &Series) -> Result<(), String> {
        go_on()?;
        debug_assert_eq!(index, self.ids.len());
        let id = match self.known.iter().find(|(known, _)| is_same_series(known, series)) {
            Some((known, id)) => {
                // Without the samples that it had it begins anew.
                if series.samples.is_empty() && !known.samples.is_empty() {
                    self.store.forget_samples(&[*id]).map_err(|error| error.to_string())?;
                }
                *id
            }
            None => self.store.add_series(&self.run, series).map_err(|error| error.to_string())?,
        };
        self.ids.push(id);
        Ok(())
    }

    fn forgotten(&mut self, indices: &[usize]) -> Result<(), String> {
        go_on()?;
        let ids: Vec<SeriesId> = indices.iter().map(|index| self.ids[*index]).collect();
        self.store.forget_samples(&ids).map_err(|error| error.to_string())
    }

    fn sampled(&mut self, samples: &[(usize, Sample)]) -> Result<(), String> {
        go_on()?;
        let samples: Vec<(SeriesId, Sample)> =
            samples.iter().map(|(index, sample)| (self.ids[*index], *sample)).collect();
        self.store.add_samples(&samples).map_err(|error| error.to_string())
    }

    fn described(&mut self, index: usize, series: &Series) -> Result<(), String> {
        go_on()?;
        self.store.update_series(self.ids[index], series, false).map_err(|error| error.to_string())
    }

    fn progress(&mut self, what: &str, done: u64, total: u64) {
        self.bar.progress(what, done, total);
    }
}
