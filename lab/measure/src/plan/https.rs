//! What a plan has if HTTPS servers in virtual machines are measured, after everything else.

use std::path::PathBuf;
use std::time::Duration;

use kasoku_model::workload::Workload;

/// What starting a server takes, about: a virtual machine, a provider, and the looks at what it serves, most of whose
/// time the compiler has.
const START: Duration = Duration::from_millis(3_200);
/// What warming it up further takes, about.
const WARM_UP: Duration = Duration::from_millis(800);
/// What goes by around a step: the connections that are there are brought to their end.
const AROUND: Duration = Duration::from_millis(100);

/// HTTPS servers, and what is asked of them.
#[derive(Clone, Debug)]
pub struct HttpsPlan {
    /// What is served, and by what.
    pub cases: Vec<HttpsCase>,
    /// How often all servers are started anew.
    pub processes: u32,
    /// Rounds in each of these starts.
    pub rounds: u32,
    /// How long a step takes.
    pub step: Duration,
    /// The folder in which the file is made that is served.
    pub dir: PathBuf,
}

/// What is served, and by what.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HttpsCase {
    /// What is served.
    pub workload: Workload,
    /// By which library in which virtual machine: a worker of the plan.
    pub worker: usize,
}

impl HttpsPlan {
    /// Rounds over all starts.
    pub fn all_rounds(&self) -> u32 {
        self.processes * self.rounds
    }

    /// About how long it takes.
    pub fn time(&self) -> Duration {
        let of_start = START + WARM_UP + (self.step + AROUND) * self.rounds;
        of_start * self.processes * self.cases.len() as u32
    }
}
