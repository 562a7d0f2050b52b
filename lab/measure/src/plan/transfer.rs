//! What a plan has if data is moved end to end, after everything else.

use std::time::Duration;

use kasoku_model::workload::Workload;

/// What starting a case takes, about.
pub(crate) const START: Duration = Duration::from_millis(250);

/// Data that is moved end to end.
#[derive(Clone, Debug)]
pub struct TransferPlan {
    /// What is moved, and by whom.
    pub cases: Vec<TransferCase>,
    /// How often all processes are started anew.
    pub processes: u32,
    /// Rounds in each of these starts.
    pub rounds: u32,
    /// The time it may take.
    pub budget: Duration,
    /// How long one transfer takes, instead of as long as the time allows.
    pub duration: Option<Duration>,
}

/// What is moved, and by whom.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TransferCase {
    /// Operation, algorithm, size and transport.
    pub workload: Workload,
    /// Whose code protects it.
    pub library: &'static str,
    /// Whether another case is the very same: what the two differ by is what chance makes of nothing.
    pub is_control: bool,
}

impl TransferPlan {
    /// Rounds over all starts.
    pub fn all_rounds(&self) -> u32 {
        self.processes * self.rounds
    }

    /// The most time it takes.
    pub fn time(&self) -> Duration {
        match self.duration {
            Some(duration) => (duration * self.all_rounds() + START * self.processes) * self.cases.len() as u32,
            None => self.budget,
        }
    }
}
