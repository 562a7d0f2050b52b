//! Plan for data moved end to end, which is measured after everything else.

use std::time::Duration;

use kasoku_model::workload::Workload;

pub(crate) const START: Duration = Duration::from_millis(250);

/// Transfers to measure.
#[derive(Clone, Debug)]
pub struct TransferPlan {
    /// Cases to measure.
    pub cases: Vec<TransferCase>,
    /// Number of starts of all processes.
    pub processes: u32,
    /// Rounds in each start.
    pub rounds: u32,
    /// Time that all transfers may take.
    pub budget: Duration,
    /// Duration of one transfer; `None` takes as long as the time allows.
    pub duration: Option<Duration>,
}

/// A transfer by one library.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TransferCase {
    /// Operation, algorithm, size and transport.
    pub workload: Workload,
    /// Library that protects the data.
    pub library: &'static str,
    /// Whether this case repeats another one as the A/A control.
    pub is_control: bool,
}

impl TransferPlan {
    /// Returns the number of rounds over all starts.
    pub fn all_rounds(&self) -> u32 {
        self.processes * self.rounds
    }

    /// Returns the maximum duration.
    pub fn time(&self) -> Duration {
        match self.duration {
            Some(duration) => (duration * self.all_rounds() + START * self.processes) * self.cases.len() as u32,
            None => self.budget,
        }
    }
}
