//! What is measured, kept and told at once.

use std::time::Duration;

use super::observer::Observer;
use kasoku_model::document::{FoundLibrary, Omission, Sample, Series};

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
}

impl<'a> PlanRecord<'a> {
    pub(super) fn new(observer: &'a mut dyn Observer) -> PlanRecord<'a> {
        PlanRecord { measured: PlanResults::default(), observer }
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
