//! Plan for end-to-end transfers of data, which are measured after everything else.

use std::time::Duration;

use kasoku_model::workload::Workload;

pub(crate) const START: Duration = Duration::from_millis(250);

#[derive(Clone, Debug)]
pub struct TransferPlan {
    pub cases: Vec<TransferCase>,
    /// Number of times that all processes are started.
    pub processes: u32,
    pub rounds: u32,
    pub budget: Duration,
    /// Duration of one transfer; `None` uses the time that the budget allows.
    pub duration: Option<Duration>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TransferCase {
    /// Operation, algorithm, size and transport of the transfer.
    pub workload: Workload,
    pub library: &'static str,
    /// Whether this case repeats another one as the A/A control.
    pub is_control: bool,
}

impl TransferPlan {
    pub fn all_rounds(&self) -> u32 {
        self.processes * self.rounds
    }

    pub fn time(&self) -> Duration {
        match self.duration {
            Some(duration) => (duration * self.all_rounds() + START * self.processes) * self.cases.len() as u32,
            None => self.budget,
        }
    }
}
