//! Plan for HTTPS servers in virtual machines, which are measured after everything else.

use std::path::PathBuf;
use std::time::Duration;

use kasoku_model::workload::Workload;

/// Approximate time to start a server: a virtual machine, a provider, and the verification of the served file, most of
/// which the JIT compiler takes.
const START: Duration = Duration::from_millis(3_200);
/// Approximate time to warm up a started server.
const WARM_UP: Duration = Duration::from_millis(800);
/// Time around a step, in which open connections finish.
const AROUND: Duration = Duration::from_millis(100);

#[derive(Clone, Debug)]
pub struct HttpsPlan {
    pub cases: Vec<HttpsCase>,
    /// Number of starts of every server.
    pub processes: u32,
    pub rounds: u32,
    pub step: Duration,
    pub dir: PathBuf,
}

/// A file served by one provider.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HttpsCase {
    /// Suite and file size.
    pub workload: Workload,
    /// Index of the worker in the plan, which says library and virtual machine.
    pub worker: usize,
}

impl HttpsPlan {
    pub fn all_rounds(&self) -> u32 {
        self.processes * self.rounds
    }

    pub fn time(&self) -> Duration {
        let of_start = START + WARM_UP + (self.step + AROUND) * self.rounds;
        of_start * self.processes * self.cases.len() as u32
    }
}
