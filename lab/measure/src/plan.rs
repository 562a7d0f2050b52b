//! Plans what a run measures and how long that takes, before anything is timed.

use std::path::PathBuf;
use std::time::Duration;

use super::worker::WorkerName;
use kasoku_libraries::nginx::{Nginx, OpensslBuild};
use kasoku_model::acceleration::Acceleration;
use kasoku_model::algorithm::{Algorithm, Suite};
use kasoku_model::document::Series;
use kasoku_model::level::Level;
use kasoku_model::workload::Workload;

pub struct Plan {
    pub level: Level,
    pub workers: Vec<WorkerName>,
    pub items: Vec<Item>,
    /// Number of times that every worker is started.
    pub processes: u32,
    /// Number of rounds in each start of the workers.
    pub rounds: u32,
    pub budget: Duration,
    pub experiment: Experiment,
}

#[derive(Clone, Debug)]
pub enum Experiment {
    Slices(Slices),
    Files(FilesPlan),
    Tls(TlsPlan),
}

/// Settings for measuring whole files. Each round processes a file once, instead of for the duration of a slice.
#[derive(Clone, Debug, Default)]
pub struct FilesPlan {
    /// Folder on the measured file system.
    pub dir: PathBuf,
    /// Number of times that a test run encrypts and decrypts each file. `None` takes as many as the time allows, at
    /// most the plan's rounds.
    pub repetitions: Option<u32>,
    /// Series of the interrupted run that this run resumes. Their samples are kept and counted.
    pub before: Vec<Series>,
}

#[derive(Clone, Debug, Default)]
pub struct Slices {
    /// A/A control for the noise floor: the index of the control's worker, and the index of the worker that it repeats.
    pub control: Option<(usize, usize)>,
    /// Workload for benchmarks that measure by their own clock (SPECjvm2008).
    pub own_clock: Option<Item>,
    /// Number of starts of the workers in which [`own_clock`](Self::own_clock) is measured, one sample in each: the
    /// first ones.
    pub own_clock_processes: u32,
    /// Duration of a slice; `None` derives it from the time budget.
    pub slice: Option<Duration>,
    /// Maximum number of further rounds at the end of each start of the workers. These rounds follow the planned ones
    /// and measure again the workloads with the widest intervals.
    pub further_rounds: u32,
    pub end_to_end: Option<EndToEnd>,
}

/// An end-to-end measurement that a level takes after its slices.
#[derive(Clone, Debug)]
pub enum EndToEnd {
    Transfer(TransferPlan),
    Https(HttpsPlan),
}

impl EndToEnd {
    pub(crate) fn time(&self) -> Duration {
        match self {
            EndToEnd::Transfer(transfer) => transfer.time(),
            EndToEnd::Https(https) => https.time(),
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    pub workload: Workload,
    pub threads: usize,
    /// Workers that measure the workload, as indices into [`Plan::workers`].
    pub workers: Vec<usize>,
}

/// Duration of the observation of a code path.
pub const OBSERVATION: Duration = Duration::from_millis(2);
/// Time to prepare one workload on one worker: to verify it, observe its code path, and find its number of operations
/// per slice.
const PREPARATION: Duration = Duration::from_millis(6);
const START: Duration = Duration::from_millis(15);
/// Overhead of a slice: request and answer, measuring the core clock, and the checksum of the output.
pub(crate) const AROUND_A_SLICE: Duration = Duration::from_micros(300);
/// Additional time for warm-up and checksum, as a share of a slice.
const WARM_UP: f64 = 0.08;
/// Share of the time for slices that is kept for retries and further rounds.
const REPEATED: f64 = 0.4;
/// Maximum number of further rounds in one start of the processes; so high that the time for further rounds always runs
/// out first.
pub const FURTHER_ROUNDS: u32 = 16;
/// Time to start a Java virtual machine, including the loading of its own classes.
const VIRTUAL_START: Duration = Duration::from_millis(450);
/// Time to warm up one workload in one start of a Java virtual machine, which processes short messages until the JIT
/// compiler has finished and the speed is steady.
const VIRTUAL_WARM_UP: Duration = Duration::from_millis(90);
/// Duration of one operation of a benchmark suite on all cores.
const SUITE_OPERATION: Duration = Duration::from_millis(1_400);
const SUITE_WARM_UP: Duration = Duration::from_millis(500);
/// Duration of one operation of a benchmark suite's AES part with acceleration off.
const SUITE_AES: Duration = Duration::from_millis(200);
/// Time that a benchmark suite takes in addition to its warm-up and its measured time.
const SUITE_BESIDE: Duration = Duration::from_secs(5);
/// If the maximum warm-up of a benchmark suite is at least this long, the suite uses all of it, as its rules require.
pub const LONG_WARM_UP: Duration = Duration::from_secs(10);
/// Time reserved for work that the computed time leaves out: reports, the store, and slow starts.
const RESERVE: Duration = Duration::from_millis(1_500);
/// Minimum duration of a slice. In shorter ones, the overhead of the clock and the scheduler is noticeable.
pub const MIN_SLICE: Duration = Duration::from_micros(800);
/// Maximum duration of a slice. More rounds give more information than longer slices.
pub const MAX_SLICE: Duration = Duration::from_millis(20);

impl Plan {
    pub fn is_empty(&self) -> bool {
        let has_more = match &self.experiment {
            Experiment::Slices(slices) => slices.own_clock.is_some() || slices.end_to_end.is_some(),
            Experiment::Files(_) => false,
            Experiment::Tls(tls) => !tls.cases.is_empty(),
        };
        self.items.is_empty() && !has_more
    }

    pub fn slices(&self) -> Option<&Slices> {
        if let Experiment::Slices(slices) = &self.experiment { Some(slices) } else { None }
    }

    pub fn tls(&self) -> Option<&TlsPlan> {
        if let Experiment::Tls(tls) = &self.experiment { Some(tls) } else { None }
    }

    pub fn control(&self) -> Option<(usize, usize)> {
        self.slices()?.control
    }

    /// Number of series that the laboratory's clock measures if every worker supports every workload.
    pub fn most_series(&self) -> usize {
        let of_items: usize = self.items.iter().map(|item| item.workers.len()).sum();
        of_items + self.tls().map_or(0, |tls| tls.cases.len())
    }

    /// Returns the duration of a slice if `series` series share the budget. It lies between [`MIN_SLICE`] and
    /// [`MAX_SLICE`].
    pub fn slice(&self, series: usize) -> Duration {
        if let Some(slice) = self.slices().and_then(|slices| slices.slice) {
            return slice;
        }
        let left = self.budget.saturating_sub(self.overhead(series)).as_secs_f64() * (1.0 - REPEATED);
        let slice = left / self.all_slices(series).max(1) as f64 / (1.0 + WARM_UP);
        Duration::from_secs_f64(slice).clamp(MIN_SLICE, MAX_SLICE)
    }

    /// Returns the time for retries and further rounds. If the plan has a fixed slice and further rounds, that is the
    /// rest of the budget.
    pub fn retry_time(&self, series: usize) -> Duration {
        let share = self.slice(series).mul_f64(self.all_slices(series) as f64 * REPEATED / (1.0 - REPEATED));
        let is_rest = self.slices().is_some_and(|slices| slices.slice.is_some() && slices.further_rounds > 0);
        let rest = self.budget.saturating_sub(self.overhead(series) + self.slices_time(series));
        if is_rest { share.max(rest) } else { share }
    }

    pub fn duration(&self, series: usize) -> Duration {
        let Experiment::Slices(of_slices) = &self.experiment else { return self.budget + RESERVE };
        let after = of_slices.end_to_end.as_ref().map_or(Duration::ZERO, EndToEnd::time);
        if self.items.is_empty() && of_slices.own_clock.is_none() {
            return after + RESERVE;
        }
        self.overhead(series) + self.slices_time(series) + self.retry_time(series).mul_f64(1.0 + WARM_UP) + after
    }

    /// Returns the total duration of all slices, including warm-ups and checksums.
    fn slices_time(&self, series: usize) -> Duration {
        self.slice(series).mul_f64(self.all_slices(series) as f64 * (1.0 + WARM_UP))
    }

    pub fn all_rounds(&self) -> u32 {
        self.processes * self.rounds
    }

    pub fn all_slices(&self, series: usize) -> usize {
        series * self.all_rounds() as usize
    }

    fn overhead(&self, series: usize) -> Duration {
        START * self.workers.len() as u32 * self.processes
            + (PREPARATION + OBSERVATION) * series as u32
            + AROUND_A_SLICE * self.all_slices(series) as u32
            + self.own_clocks_time()
            + self.virtual_machines_time()
            + RESERVE
    }

    fn own_clocks_time(&self) -> Duration {
        let Some((slices, item)) = self.slices().and_then(|slices| Some((slices, slices.own_clock.as_ref()?))) else {
            return Duration::ZERO;
        };
        let settings = item.workers.iter().filter_map(|&index| self.workers[index].jvm.as_ref());
        let once: Duration = settings.map(|jvm| jvm.warm_up + jvm.score + SUITE_BESIDE).sum();
        once * slices.own_clock_processes.min(self.processes)
    }

    /// Returns the time of Java virtual machines in addition to their slices. It includes their start, the warm-up in
    /// each start, and benchmark suites, whose operations are longer than a slice.
    fn virtual_machines_time(&self) -> Duration {
        let is_virtual = |worker: &WorkerName| worker.entry.program.is_some();
        let starts = self.workers.iter().filter(|worker| is_virtual(worker)).count() as u32 * self.processes;
        let of_item = |item: &Item| {
            let workers = item.workers.iter().map(|&index| &self.workers[index]).filter(|worker| is_virtual(worker));
            workers.map(|worker| self.workload_time(item, worker)).sum::<Duration>()
        };
        VIRTUAL_START * starts + self.items.iter().map(of_item).sum::<Duration>()
    }

    fn workload_time(&self, item: &Item, worker: &WorkerName) -> Duration {
        let in_starts = |each: Duration| each * self.processes;
        match item.workload.algorithm {
            // Verified once; then, in each start, measured once for the duration of the score.
            Algorithm::Suite(Suite::CryptoAes) => {
                let warm_up = worker.warm_up();
                let warm_up = if warm_up >= LONG_WARM_UP { warm_up } else { SUITE_WARM_UP };
                let score = worker.jvm.as_ref().map_or(Duration::ZERO, |jvm| jvm.score);
                SUITE_OPERATION + in_starts(warm_up + score.max(SUITE_OPERATION))
            }
            Algorithm::Suite(Suite::CryptoAesDes) => SUITE_OPERATION + in_starts(SUITE_WARM_UP + SUITE_OPERATION),
            Algorithm::Suite(Suite::CryptoAesAes) => SUITE_AES + in_starts(SUITE_WARM_UP + SUITE_AES),
            _ => in_starts(VIRTUAL_WARM_UP),
        }
    }
}

/// Approximate time to start the processes of a transfer case.
pub(crate) const TRANSFER_START: Duration = Duration::from_millis(250);

/// Settings for end-to-end transfers of data.
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
    /// Whether this transfer repeats another transfer of the plan to measure the noise (A/A control).
    pub is_control: bool,
}

impl TransferPlan {
    pub fn all_rounds(&self) -> u32 {
        self.processes * self.rounds
    }

    pub fn time(&self) -> Duration {
        match self.duration {
            Some(duration) => {
                (duration * self.all_rounds() + TRANSFER_START * self.processes) * self.cases.len() as u32
            }
            None => self.budget,
        }
    }
}

/// Approximate time to start an HTTPS server in Java: to start a virtual machine, load a security provider, and verify
/// the served file. The JIT compiler takes most of this time.
const HTTPS_START: Duration = Duration::from_millis(3_200);
/// Approximate time to warm up a started server.
const HTTPS_WARM_UP: Duration = Duration::from_millis(800);
/// Time that each load step takes in addition to its duration, because connections that are still open finish.
const AROUND_A_STEP: Duration = Duration::from_millis(100);

/// Settings for HTTPS servers in Java virtual machines.
#[derive(Clone, Debug)]
pub struct HttpsPlan {
    pub cases: Vec<HttpsCase>,
    /// Number of starts of every server.
    pub processes: u32,
    pub rounds: u32,
    pub step: Duration,
    pub dir: PathBuf,
}

/// A measurement of one HTTPS server: a Java virtual machine with one security provider, which serves one file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HttpsCase {
    /// Cipher suite and size of the file.
    pub workload: Workload,
    /// Index in the plan's list of workers. That worker's name states the security provider and the virtual machine of
    /// the server.
    pub worker: usize,
}

impl HttpsPlan {
    pub fn all_rounds(&self) -> u32 {
        self.processes * self.rounds
    }

    pub fn time(&self) -> Duration {
        let of_start = HTTPS_START + HTTPS_WARM_UP + (self.step + AROUND_A_STEP) * self.rounds;
        of_start * self.processes * self.cases.len() as u32
    }
}

/// Settings for measuring an nginx server over TLS.
#[derive(Clone, Debug)]
pub struct TlsPlan {
    pub nginx: Nginx,
    /// Builds of OpenSSL that nginx runs with in addition to the system's.
    pub builds: Vec<OpensslBuild>,
    /// Path of Kasoku's OpenSSL provider.
    pub module: Option<PathBuf>,
    pub dir: PathBuf,
    pub cases: Vec<TlsCase>,
    pub max_latency: Duration,
    /// Duration of a load step; `None` uses the time that the budget allows.
    pub duration: Option<Duration>,
    /// Number of simultaneous connections; `None` searches for the best number.
    pub concurrency: Option<usize>,
    /// Whether another host runs the servers. If so, this process does not start them and cannot read their limits.
    pub is_elsewhere: bool,
    /// Series of the interrupted run that this run resumes.
    pub before: Vec<Series>,
}

/// Web servers that another host runs for measurements, as that host describes them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Offer {
    /// Properties of nginx that the host reports.
    pub nginx: Nginx,
    pub workers: Vec<usize>,
    pub has_ours: bool,
}

/// A file that nginx serves with one cipher suite, provider, build of OpenSSL and number of workers. For handshakes the
/// file is empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TlsCase {
    /// Cipher suite, size of the file and number of nginx workers.
    pub workload: Workload,
    /// Provider: `openssl` or `kasoku`.
    pub library: &'static str,
    /// Acceleration state of OpenSSL's own code.
    pub acceleration: Acceleration,
    /// Index in [`TlsPlan::builds`]; `None` for the system's OpenSSL.
    pub build: Option<usize>,
}

/// Duration of a trial in the search for the best number of connections, as a share of a load step.
pub(crate) const OF_A_TRIAL: f64 = 0.5;
const MAX_TRIAL: Duration = Duration::from_secs(10);
pub(crate) const TRIALS: usize = 6;

impl TlsPlan {
    pub fn trial(duration: Duration) -> Duration {
        duration.mul_f64(OF_A_TRIAL).min(MAX_TRIAL)
    }

    /// Returns the build of OpenSSL with which nginx serves a case; `None` for the system's.
    pub fn build(&self, case: &TlsCase) -> Option<&OpensslBuild> {
        self.builds.get(case.build?)
    }

    /// Returns the version of the OpenSSL with which nginx serves a case.
    pub fn openssl_version(&self, case: &TlsCase) -> &str {
        self.build(case).map_or(&self.nginx.openssl, |build| &build.version)
    }

    /// Returns the fixed number of simultaneous connections; `None` if it is searched.
    pub fn connections(&self, workload: &Workload) -> Option<usize> {
        self.concurrency.or_else(|| workload.served()?.connections)
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
            let trials = if self.connections(workload).is_some() { 0 } else { TRIALS as u32 };
            (duration + tail) * rounds + (TlsPlan::trial(duration) + tail) * trials + tail
        };
        Some(self.cases.iter().map(|case| of_case(&case.workload)).sum())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kasoku_libraries as libraries;
    use kasoku_model::workload::Operation;

    fn plan(items: usize, budget: u64) -> Plan {
        let entry = libraries::find("rustcrypto").unwrap();
        Plan {
            level: Level::Primitives,
            workers: vec![WorkerName::new(entry, Acceleration::On)],
            items: (0..items)
                .map(|index| Item {
                    workload: Workload::new(Operation::Hash, Algorithm::Sha256, index),
                    threads: 1,
                    workers: vec![0],
                })
                .collect(),
            processes: 3,
            rounds: 10,
            budget: Duration::from_secs(budget),
            experiment: Experiment::Slices(Slices::default()),
        }
    }

    /// With few workloads the plan ends early, and with too many it exceeds the budget.
    #[test]
    fn plan_slices_fill_the_budget_between_minimum_and_maximum_length() {
        let planned = |items, budget| {
            let plan = plan(items, budget);
            (plan.slice(plan.most_series()), plan.duration(plan.most_series()).as_secs_f64())
        };
        let (slice, seconds) = planned(600, 75);
        assert!(slice > MIN_SLICE && slice < MAX_SLICE && (seconds - 75.0).abs() < 0.1, "{seconds}");
        let (slice, seconds) = planned(3, 75);
        assert!(slice == MAX_SLICE && seconds < 10.0, "{seconds}");
        let (slice, seconds) = planned(20_000, 20);
        assert!(slice == MIN_SLICE && seconds > 20.0, "{seconds}");
    }

    #[test]
    fn retry_time_is_the_unspent_budget_if_the_user_fixed_the_slice_length() {
        let named = |further_rounds| {
            let slice = Some(Duration::from_millis(1));
            let experiment = Experiment::Slices(Slices { slice, further_rounds, ..Slices::default() });
            Plan { experiment, ..plan(100, 75) }
        };
        let (with, without) = (named(16), named(0));
        let series = with.most_series();
        assert!(without.retry_time(series) < Duration::from_secs(5));
        assert!(with.retry_time(series) > Duration::from_secs(60));
        assert!(with.duration(series) < Duration::from_secs(81), "{:?}", with.duration(series));
        assert_eq!(named(16).slice(series), Duration::from_millis(1));
    }
}
