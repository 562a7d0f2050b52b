//! Collects the series of a plan, and reports them to an observer during the measurement.

use std::time::Duration;

use kasoku_model::document::{FoundLibrary, Omission, Sample, Series};

/// Receives the events of a measurement; the store and the progress bar implement it. An error ends the run.
pub trait Observer {
    /// Called when series number `index` begins.
    fn begins(&mut self, _index: usize, _series: &Series) -> Result<(), String> {
        Ok(())
    }

    /// Called when all samples of these series are discarded.
    fn forgotten(&mut self, _indices: &[usize]) -> Result<(), String> {
        Ok(())
    }

    /// Called with new samples, each with the number of its series.
    fn sampled(&mut self, _samples: &[(usize, Sample)]) -> Result<(), String> {
        Ok(())
    }

    /// Called when the metadata of series number `index` has changed. Most levels report metadata only at their end.
    fn described(&mut self, _index: usize, _series: &Series) -> Result<(), String> {
        Ok(())
    }

    /// Called when step `done` of `total` begins; `what` describes it.
    fn progress(&mut self, _what: &str, _done: u64, _total: u64) {}
}

impl Observer for () {}

#[derive(Debug, Default)]
pub struct PlanResults {
    /// Series without computed statistics.
    pub series: Vec<Series>,
    pub omissions: Vec<Omission>,
    pub libraries: Vec<FoundLibrary>,
    /// Intended duration of a slice.
    pub slice: Duration,
}

/// The results so far, and the observer that receives each change.
pub(super) struct PlanRecord<'a> {
    pub(super) measured: PlanResults,
    pub(super) observer: &'a mut dyn Observer,
    /// Number of steps for the progress bar: those begun so far, and all.
    steps: (u64, u64),
}

impl<'a> PlanRecord<'a> {
    pub(super) fn new(observer: &'a mut dyn Observer) -> PlanRecord<'a> {
        PlanRecord { measured: PlanResults::default(), observer, steps: (0, 0) }
    }

    pub(super) fn begin(&mut self, series: Series) -> Result<usize, String> {
        let index = self.measured.series.len();
        self.observer.begins(index, &series)?;
        self.measured.series.push(series);
        Ok(index)
    }

    pub(super) fn series(&mut self, index: usize) -> &mut Series {
        &mut self.measured.series[index]
    }

    pub(super) fn sample(&mut self, index: usize, sample: Sample) -> Result<(), String> {
        self.measured.series[index].samples.push(sample);
        self.observer.sampled(&[(index, sample)])
    }

    #[cfg(target_os = "linux")]
    pub(super) fn described(&mut self, index: usize) -> Result<(), String> {
        self.observer.described(index, &self.measured.series[index])
    }

    pub(super) fn omit(&mut self, omission: Omission) {
        self.measured.omissions.push(omission);
    }

    /// Adds a library, unless this version of the library is already in the list.
    pub(super) fn add_library(&mut self, found: FoundLibrary) {
        let libraries = &mut self.measured.libraries;
        if !libraries.iter().any(|one| (&one.library, &one.version) == (&found.library, &found.version)) {
            libraries.push(found);
        }
    }

    /// Sets the total number of [steps](Self::step) in an experiment, and restarts the count of steps that have begun.
    pub(super) fn expect_steps(&mut self, count: u64) {
        self.steps = (0, count);
    }

    pub(super) fn step(&mut self, what: &str) {
        self.observer.progress(what, self.steps.0, self.steps.1);
        self.steps.0 += 1;
    }
}

/// Whether two series of one run measure the same workload on the same library in the same acceleration state.
pub fn is_same_series(one: &Series, other: &Series) -> bool {
    one.workload() == other.workload()
        && one.details.threads == other.details.threads
        && one.acceleration == other.acceleration
        && (&one.level, &one.library, &one.library_version) == (&other.level, &other.library, &other.library_version)
}
