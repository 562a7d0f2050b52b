//! Plan for HTTPS servers in Java virtual machines, which are measured after everything else.

use std::path::PathBuf;
use std::time::Duration;

use kasoku_model::workload::Workload;

/// Approximate time to start a server: to start a virtual machine, load a security provider, and verify the served
/// file. The JIT compiler takes most of this time.
const START: Duration = Duration::from_millis(3_200);
/// Approximate time to warm up a started server.
const WARM_UP: Duration = Duration::from_millis(800);
/// Time around a load step, in which open connections finish.
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

/// A file that a server with one security provider serves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HttpsCase {
    /// Cipher suite and size of the file.
    pub workload: Workload,
    /// Index in the plan of the worker that determines the library and the virtual machine.
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
