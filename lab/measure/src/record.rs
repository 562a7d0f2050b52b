//! What is measured, kept and told at once.

use std::time::Duration;

use kasoku_model::document::{FoundLibrary, Omission, Sample, Series};

/// Who wants to know what happens while it happens: the store, the progress bar.
pub trait Observer {
    /// A series begins: it is number `index` from now on.
    fn begins(&mut self, _index: usize, _series: &Series) -> Result<(), String> {
        Ok(())
    }

    /// The samples of the series of these numbers are as if they had never been taken.
    fn forgotten(&mut self, _indices: &[usize]) -> Result<(), String> {
        Ok(())
    }

    /// Samples were taken, each with its series' number.
    fn sampled(&mut self, _samples: &[(usize, Sample)]) -> Result<(), String> {
        Ok(())
    }

    /// What is known of series number `index` beside its samples has changed. Most levels know it at their end only.
    fn described(&mut self, _index: usize, _series: &Series) -> Result<(), String> {
        Ok(())
    }

    /// What is being done, and how far that is: `done` of `total` steps.
    fn progress(&mut self, _what: &str, _done: u64, _total: u64) {}
}

/// Nobody wants to know.
impl Observer for () {}

/// What a plan gave.
#[derive(Debug, Default)]
pub struct PlanResults {
    /// The series, their statistics not yet computed.
    pub series: Vec<Series>,
    /// What was left out.
    pub omissions: Vec<Omission>,
    /// The libraries that were there.
    pub libraries: Vec<FoundLibrary>,
    /// How long a slice was aimed to be.
    pub slice: Duration,
}

/// What was measured so far, and who is told of it.
pub(super) struct PlanRecord<'a> {
    pub(super) measured: PlanResults,
    pub(super) observer: &'a mut dyn Observer,
    /// Steps of the experiment: those begun so far, and all.
    steps: (u64, u64),
}

impl<'a> PlanRecord<'a> {
    pub(super) fn new(observer: &'a mut dyn Observer) -> PlanRecord<'a> {
        PlanRecord { measured: PlanResults::default(), observer, steps: (0, 0) }
    }

    /// A series begins; its number.
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

    /// What is known of a series has changed.
    #[cfg(target_os = "linux")]
    pub(super) fn described(&mut self, index: usize) -> Result<(), String> {
        self.observer.described(index, &self.measured.series[index])
    }

    pub(super) fn omit(&mut self, omission: Omission) {
        self.measured.omissions.push(omission);
    }

    /// Adds a library unless this version of it is there already.
    pub(super) fn add_library(&mut self, found: FoundLibrary) {
        let libraries = &mut self.measured.libraries;
        if !libraries.iter().any(|one| (&one.library, &one.version) == (&found.library, &found.version)) {
            libraries.push(found);
        }
    }

    /// Sets the number of [steps](Self::step) that an experiment has, none of which has begun.
    pub(super) fn expect_steps(&mut self, count: u64) {
        self.steps = (0, count);
    }

    /// Reports that the next step begins.
    pub(super) fn step(&mut self, what: &str) {
        self.progress(what, self.steps.0, self.steps.1);
        self.steps.0 += 1;
    }

    pub(super) fn progress(&mut self, what: &str, done: u64, total: u64) {
        self.observer.progress(what, done, total);
    }
}

/// Whether two series of one run are the same one, begun twice.
pub fn is_same_series(one: &Series, other: &Series) -> bool {
    one.workload() == other.workload()
        && one.details.threads == other.details.threads
        && one.acceleration == other.acceleration
        && (&one.level, &one.library, &one.library_version) == (&other.level, &other.library, &other.library_version)
}
