//! Plan for measuring a web server over TLS.

use std::path::PathBuf;
use std::time::Duration;

use kasoku_libraries::nginx::Nginx;
use kasoku_model::acceleration::Acceleration;
use kasoku_model::document::Series;
use kasoku_model::workload::Workload;

#[derive(Clone, Debug)]
pub struct TlsPlan {
    pub nginx: Nginx,
    /// Path of Kasoku's OpenSSL provider.
    pub module: Option<PathBuf>,
    pub dir: PathBuf,
    pub cases: Vec<TlsCase>,
    pub max_latency: Duration,
    /// Duration of a load step; `None` uses the time that the budget allows.
    pub duration: Option<Duration>,
    /// Number of simultaneous connections; `None` searches for the best number.
    pub concurrency: Option<usize>,
    /// Whether the servers are not started by this process.
    pub is_elsewhere: bool,
    /// Series of the interrupted run that this run resumes.
    pub before: Vec<Series>,
}

/// Servers that another host offers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Offer {
    /// Properties of nginx that the host reports.
    pub nginx: Nginx,
    pub workers: Vec<usize>,
    pub has_ours: bool,
}

/// A file that nginx serves with one cipher suite, provider and number of workers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TlsCase {
    /// Cipher suite, size of the file and number of nginx workers.
    pub workload: Workload,
    /// Provider: `openssl` or `kasoku`.
    pub library: &'static str,
    /// Acceleration state of OpenSSL's own code.
    pub acceleration: Acceleration,
}

/// Duration of a trial in the search for the best number of connections, as a share of a load step.
pub(crate) const OF_A_TRIAL: f64 = 0.5;
const MAX_TRIAL: Duration = Duration::from_secs(10);
pub(crate) const TRIALS: usize = 6;

impl TlsPlan {
    pub fn trial(duration: Duration) -> Duration {
        duration.mul_f64(OF_A_TRIAL).min(MAX_TRIAL)
    }

    /// Returns the approximate duration of a plan with a fixed duration of load steps. Returns `None` if the duration
    /// of a step is not fixed.
    pub fn estimate(&self, rounds: u32) -> Option<Duration> {
        /// Upper bound for the throughput of a server core in bytes per second.
        const RATE: f64 = 1e9;
        let duration = self.duration?;
        let of_case = |workload: &Workload| {
            // Files in flight at the end of a step are completed, a few at a time.
            let tail = Duration::from_secs_f64(4.0 * workload.bytes as f64 / RATE);
            let trials = if self.concurrency.is_some() { 0 } else { TRIALS as u32 };
            (duration + tail) * rounds + (TlsPlan::trial(duration) + tail) * trials + tail
        };
        Some(self.cases.iter().map(|case| of_case(&case.workload)).sum())
    }
}
