//! What a plan about a web server has.

use std::path::PathBuf;
use std::time::Duration;

use kasoku_libraries::nginx::Nginx;
use kasoku_model::acceleration::Acceleration;
use kasoku_model::document::Series;
use kasoku_model::workload::Workload;

/// A web server, and what is asked of it.
#[derive(Clone, Debug)]
pub struct TlsPlan {
    /// The server.
    pub nginx: Nginx,
    /// Kasoku's provider, where it is.
    pub module: Option<PathBuf>,
    /// The folder in which the files are made that are served.
    pub dir: PathBuf,
    /// What is served, and by what.
    pub cases: Vec<TlsCase>,
    /// The longest time that anybody may wait.
    pub max_latency: Duration,
    /// How long a step takes, instead of as long as the time allows.
    pub duration: Option<Duration>,
    /// How many connections at once, instead of the best number.
    pub concurrency: Option<usize>,
    /// Whether the servers are on other hosts, or are there already.
    pub is_elsewhere: bool,
    /// Series of the same run that were begun before it was interrupted.
    pub before: Vec<Series>,
}

/// What servers elsewhere have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Offer {
    /// nginx, as they name it.
    pub nginx: Nginx,
    /// Numbers of workers.
    pub workers: Vec<usize>,
    /// Whether they have Kasoku's provider.
    pub has_ours: bool,
}

/// What is served, and by what.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TlsCase {
    /// What is served.
    pub workload: Workload,
    /// By which provider: `openssl` or `kasoku`.
    pub library: &'static str,
    /// In which state.
    pub acceleration: Acceleration,
}

/// The part of a step's time that a trial of the search takes.
pub(crate) const OF_A_TRIAL: f64 = 0.5;
/// No trial takes longer.
const MAX_TRIAL: Duration = Duration::from_secs(10);
/// Trials of a search at most.
pub(crate) const TRIALS: usize = 6;

impl TlsPlan {
    /// How long a trial of the search takes if a step takes `duration`.
    pub fn trial(duration: Duration) -> Duration {
        duration.mul_f64(OF_A_TRIAL).min(MAX_TRIAL)
    }

    /// About how long a plan with a fixed duration takes: steps, trials, and what is around them.
    pub fn estimate(&self, rounds: u32) -> Option<Duration> {
        /// No server is expected to send more bytes a second on each of its cores.
        const RATE: f64 = 1e9;
        let duration = self.duration?;
        let of_case = |workload: &Workload| {
            // Whatever is in flight at the end is brought to its end; a few files at a time.
            let tail = Duration::from_secs_f64(4.0 * workload.bytes as f64 / RATE);
            let trials = if self.concurrency.is_some() { 0 } else { TRIALS as u32 };
            (duration + tail) * rounds + (TlsPlan::trial(duration) + tail) * trials + tail
        };
        Some(self.cases.iter().map(|case| of_case(&case.workload)).sum())
    }
}
