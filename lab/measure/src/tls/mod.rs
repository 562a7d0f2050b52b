//! How a TLS web server is measured: nginx on this host, files of random data, and clients that fetch each over a
//! connection of its own. For every file size each suite, provider and number of workers is looked at once, the best number
//! of connections is searched, and then all are measured round after round, in shuffled order.

pub mod ab;
#[cfg(target_os = "linux")]
mod before;
#[cfg(target_os = "linux")]
mod bottleneck;
#[cfg(target_os = "linux")]
mod case;
#[cfg(target_os = "linux")]
pub mod client;
#[cfg(target_os = "linux")]
mod clients;
pub mod cores;
#[cfg(target_os = "linux")]
pub mod field;
#[cfg(target_os = "linux")]
mod ground;
#[cfg(target_os = "linux")]
pub mod host;
pub mod limits;
#[cfg(target_os = "linux")]
mod load;
mod processes;
pub mod records;
#[cfg(target_os = "linux")]
mod run;
pub mod search;
#[cfg(target_os = "linux")]
mod server;
#[cfg(target_os = "linux")]
pub mod serving;

use std::path::PathBuf;
use std::time::Duration;

use super::observer::Observer;
use super::plan::Plan;
use super::rounds::Measured;
use kasoku_libraries::kasoku;
use kasoku_libraries::nginx::Nginx;
use kasoku_libraries::nginx::configuration::WORKER_CONNECTIONS;
use kasoku_model::acceleration::Acceleration;
use kasoku_model::document::{Limit, Series};
use kasoku_model::workload::Workload;

#[cfg(target_os = "linux")]
pub use load::{Served, Step};
pub use processes::{Busy, children_of};

/// What a plan has beside its items if a web server is measured.
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
    /// Series of the same run that were begun before it was broken off.
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

impl TlsCase {
    /// The server that serves it.
    #[cfg(target_os = "linux")]
    fn server(&self) -> ground::ServerName {
        (self.library, self.acceleration, self.workload.served.map_or(0, |served| served.workers))
    }
}

/// The version of a provider in a server with this version of OpenSSL.
pub fn library_version(library: &str, openssl: &str) -> String {
    match library == kasoku::ENTRY.name {
        true => format!("{} with OpenSSL {openssl}", env!("CARGO_PKG_VERSION")),
        false => openssl.to_owned(),
    }
}

/// The part of a step's time that a trial of the search takes.
const OF_A_TRIAL: f64 = 0.5;
/// No trial takes longer.
const MAX_TRIAL: Duration = Duration::from_secs(10);
/// Trials of a search at most.
const TRIALS: usize = 6;

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

    /// This system's limits, as they are for the fewest workers; none if the servers are elsewhere.
    pub fn limits(&self) -> Vec<Limit> {
        if self.is_elsewhere {
            return Vec::new();
        }
        let workers = self.cases.iter().filter_map(|case| Some(case.workload.served?.workers)).min();
        let workers = workers.unwrap_or(1);
        let clients = cores::allot(&cores::usable(), workers).clients.len();
        limits::look(workers as u64, clients as u64, u64::from(WORKER_CONNECTIONS))
    }
}

/// Carries out `plan`, which is about a web server.
///
/// # Errors
/// Only what the observer ends it with; everything that goes wrong otherwise stands in the series or the omissions.
#[cfg(target_os = "linux")]
pub fn run(plan: &Plan, tls: &TlsPlan, observer: &mut dyn Observer) -> Result<Measured, String> {
    run::run(plan, tls, observer)
}

/// Carries out `plan` on servers and hosts that are there already.
///
/// # Errors
/// Only what the observer ends it with; everything that goes wrong otherwise stands in the series or the omissions.
#[cfg(target_os = "linux")]
pub fn run_on(
    plan: &Plan,
    tls: &TlsPlan,
    field: &mut dyn field::Field,
    observer: &mut dyn Observer,
) -> Result<Measured, String> {
    run::run_on(plan, tls, field, std::time::Instant::now(), observer)
}

/// As above.
///
/// # Errors
/// Always: the clients need Linux.
#[cfg(not(target_os = "linux"))]
pub fn run(_plan: &Plan, _tls: &TlsPlan, _observer: &mut dyn Observer) -> Result<Measured, String> {
    Err("the level tls needs Linux".to_owned())
}
