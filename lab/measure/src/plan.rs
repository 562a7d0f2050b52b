//! What will be measured, and how long it takes: fixed before anything is timed.

pub(crate) mod https;
pub(crate) mod tls;
pub(crate) mod transfer;

pub use https::{HttpsCase, HttpsPlan};
pub use tls::{Offer, TlsCase, TlsPlan};
pub use transfer::{TransferCase, TransferPlan};

use std::path::PathBuf;
use std::time::Duration;

use super::worker_process::WorkerName;
use kasoku_model::algorithm::{Algorithm, Suite};
use kasoku_model::document::Series;
use kasoku_model::level::Level;
use kasoku_model::workload::Workload;

/// What one level measures.
pub struct Plan {
    /// The level.
    pub level: Level,
    /// The workers that work.
    pub workers: Vec<WorkerName>,
    /// The workloads, each with the workers that try it.
    pub items: Vec<Item>,
    /// How often every worker is started anew.
    pub processes: u32,
    /// Rounds in each of these processes.
    pub rounds: u32,
    /// The time the level may take.
    pub budget: Duration,
    /// How it is measured.
    pub experiment: Experiment,
}

/// A way of measuring, with what no other has.
#[derive(Clone, Debug)]
pub enum Experiment {
    /// Workloads in slices.
    Slices(Slices),
    /// Whole files.
    Files(FilesPlan),
    /// A web server.
    Tls(TlsPlan),
}

/// Whole files, each once a round and not in slices.
#[derive(Clone, Debug, Default)]
pub struct FilesPlan {
    /// The folder whose file system is measured.
    pub dir: PathBuf,
    /// How often each file is encrypted and decrypted in a test run; if it is not said, as often as the time allows,
    /// and at most the plan's rounds times.
    pub repetitions: Option<u32>,
    /// Series of the same run that were begun before it was interrupted: what they have is kept and counted.
    pub before: Vec<Series>,
}

/// Workloads that workers time in slices.
#[derive(Clone, Debug, Default)]
pub struct Slices {
    /// The worker that does the same as another one, for the noise floor: (it, the one it retry_time).
    pub control: Option<(usize, usize)>,
    /// Workload for benchmarks that bring their own clock: one sample for each start, in the first starts.
    pub own_clock: Option<Item>,
    /// Number of starts in which [`own_clock`](Self::own_clock) is measured.
    pub own_clock_processes: u32,
    /// The slice, if it is not derived from the budget.
    pub slice: Option<Duration>,
    /// Rounds at the end of each start, at most, in which the workloads take part whose figures are the least certain.
    pub further_rounds: u32,
    /// What is measured end to end after them.
    pub end_to_end: Option<EndToEnd>,
}

/// What is measured end to end after the slices of a level.
#[derive(Clone, Debug)]
pub enum EndToEnd {
    /// Data moved over QUIC and TLS.
    Transfer(TransferPlan),
    /// HTTPS servers in virtual machines.
    Https(HttpsPlan),
}

impl EndToEnd {
    /// The most time it takes.
    pub(crate) fn time(&self) -> Duration {
        match self {
            EndToEnd::Transfer(transfer) => transfer.time(),
            EndToEnd::Https(https) => https.time(),
        }
    }
}

/// One workload and who does it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    /// What is done.
    pub workload: Workload,
    /// In how many threads at once.
    pub threads: usize,
    /// By which workers, as indices into [`Plan::workers`].
    pub workers: Vec<usize>,
}

/// Time to find out a code path in.
pub const OBSERVATION: Duration = Duration::from_millis(2);
/// Time to make one workload ready on one worker: made, verified, observed, its iterations found.
const PREPARATION: Duration = Duration::from_millis(6);
/// Time to start one worker.
const START: Duration = Duration::from_millis(15);
/// What is lost around a slice: the request and its answer, the core clock, the check.
pub(crate) const AROUND_A_SLICE: Duration = Duration::from_micros(300);
/// The part of a slice that is spent again on warming up and checking.
const WARM_UP: f64 = 0.08;
/// The part of the time for slices that is kept for taking disturbed ones again, and for further rounds.
const REPEATED: f64 = 0.4;
/// Further rounds at the end of a start: more than the time that is kept for them allows.
pub const FURTHER_ROUNDS: u32 = 16;
/// The same of a virtual machine, which loads its own classes first.
const VIRTUAL_START: Duration = Duration::from_millis(450);
/// Time to warm up one workload in one start of a virtual machine: many short messages, and then until it is steady.
const VIRTUAL_WARM_UP: Duration = Duration::from_millis(90);
/// An operation of a suite, in as many threads as there are.
const SUITE_OPERATION: Duration = Duration::from_millis(1_400);
/// Time to warm up a suite in one start.
const SUITE_WARM_UP: Duration = Duration::from_millis(500);
/// The same of its AES alone, with acceleration off.
const SUITE_AES: Duration = Duration::from_millis(200);
/// What a benchmark suite takes itself beside its warm-up and its measured time.
const SUITE_BESIDE: Duration = Duration::from_secs(5);
/// From here on a suite's score is warmed up for as long as there is, as its own rules say.
pub const LONG_WARM_UP: Duration = Duration::from_secs(10);
/// Where the computed time may not be met to the second: reports, the store, a slow start.
const RESERVE: Duration = Duration::from_millis(1_500);
/// No slice is shorter: below, the clock and the scheduler show.
pub const MIN_SLICE: Duration = Duration::from_micros(800);
/// No slice is longer: more rounds tell more than longer slices.
pub const MAX_SLICE: Duration = Duration::from_millis(20);

impl Plan {
    /// Whether there is nothing to measure.
    pub fn is_empty(&self) -> bool {
        let has_more = match &self.experiment {
            Experiment::Slices(slices) => slices.own_clock.is_some() || slices.end_to_end.is_some(),
            Experiment::Files(_) => false,
            Experiment::Tls(tls) => !tls.cases.is_empty(),
        };
        self.items.is_empty() && !has_more
    }

    /// What there is of slices, if it is measured so.
    pub fn slices(&self) -> Option<&Slices> {
        if let Experiment::Slices(slices) = &self.experiment { Some(slices) } else { None }
    }

    /// The web server, if one is measured.
    pub fn tls(&self) -> Option<&TlsPlan> {
        if let Experiment::Tls(tls) = &self.experiment { Some(tls) } else { None }
    }

    /// The worker that does the same as another one: (it, the one it retry_time).
    pub fn control(&self) -> Option<(usize, usize)> {
        self.slices()?.control
    }

    /// Series that are timed by our clock if every worker has every workload that it is asked for.
    pub fn most_series(&self) -> usize {
        let of_items: usize = self.items.iter().map(|item| item.workers.len()).sum();
        of_items + self.tls().map_or(0, |tls| tls.cases.len())
    }

    /// The length of a slice if there are `series` series: what the budget leaves, between [`MIN_SLICE`] and
    /// [`MAX_SLICE`].
    pub fn slice(&self, series: usize) -> Duration {
        if let Some(slice) = self.slices().and_then(|slices| slices.slice) {
            return slice;
        }
        let left = self.budget.saturating_sub(self.overhead(series)).as_secs_f64() * (1.0 - REPEATED);
        let slice = left / self.all_slices(series).max(1) as f64 / (1.0 + WARM_UP);
        Duration::from_secs_f64(slice).clamp(MIN_SLICE, MAX_SLICE)
    }

    /// The time that may be spent on taking disturbed slices again, and on further rounds. Where the slice is named and
    /// there are further rounds, it is what the budget leaves.
    pub fn retry_time(&self, series: usize) -> Duration {
        let share = self.slice(series).mul_f64(self.all_slices(series) as f64 * REPEATED / (1.0 - REPEATED));
        let is_rest = self.slices().is_some_and(|slices| slices.slice.is_some() && slices.further_rounds > 0);
        let rest = self.budget.saturating_sub(self.overhead(series) + self.slices_time(series));
        if is_rest { share.max(rest) } else { share }
    }

    /// The most time the plan takes in all if there are `series` series.
    pub fn duration(&self, series: usize) -> Duration {
        let Experiment::Slices(of_slices) = &self.experiment else { return self.budget + RESERVE };
        let after = of_slices.end_to_end.as_ref().map_or(Duration::ZERO, EndToEnd::time);
        if self.items.is_empty() && of_slices.own_clock.is_none() {
            return after + RESERVE;
        }
        self.overhead(series) + self.slices_time(series) + self.retry_time(series).mul_f64(1.0 + WARM_UP) + after
    }

    /// The time of all slices, with what is spent on warming up and checking.
    fn slices_time(&self, series: usize) -> Duration {
        self.slice(series).mul_f64(self.all_slices(series) as f64 * (1.0 + WARM_UP))
    }

    /// Rounds over all processes.
    pub fn all_rounds(&self) -> u32 {
        self.processes * self.rounds
    }

    /// Slices that are timed by our clock, over all rounds.
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

    /// Time of the benchmarks that bring their own clock.
    fn own_clocks_time(&self) -> Duration {
        let Some((slices, item)) = self.slices().and_then(|slices| Some((slices, slices.own_clock.as_ref()?))) else {
            return Duration::ZERO;
        };
        let settings = item.workers.iter().filter_map(|&index| self.workers[index].jvm.as_ref());
        let once: Duration = settings.map(|jvm| jvm.warm_up + jvm.score + SUITE_BESIDE).sum();
        once * slices.own_clock_processes.min(self.processes)
    }

    /// What virtual machines take beside their slices: their start, warming up in each start, and suites, an operation
    /// of which takes longer than a slice.
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
            // Verified once, then once in each start, as long as its score is to be measured.
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

#[cfg(test)]
mod tests {
    use super::*;
    use kasoku_libraries as libraries;
    use kasoku_model::acceleration::Acceleration;
    use kasoku_model::algorithm::Algorithm;
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

    #[test]
    fn the_slice_fills_the_budget() {
        let plan = plan(600, 75);
        assert!(plan.slice(plan.most_series()) > MIN_SLICE && plan.slice(plan.most_series()) < MAX_SLICE);
        assert!(
            (plan.duration(plan.most_series()).as_secs_f64() - 75.0).abs() < 0.1,
            "{:?}",
            plan.duration(plan.most_series())
        );
    }

    #[test]
    fn few_workloads_get_long_slices_and_end_early() {
        let plan = plan(3, 75);
        assert_eq!(plan.slice(plan.most_series()), MAX_SLICE);
        assert!(plan.duration(plan.most_series()) < Duration::from_secs(10));
    }

    #[test]
    fn too_many_workloads_take_longer_rather_than_measure_nothing() {
        let plan = plan(20_000, 20);
        assert_eq!(plan.slice(plan.most_series()), MIN_SLICE);
        assert!(plan.duration(plan.most_series()) > Duration::from_secs(20));
    }

    #[test]
    fn what_a_named_slice_leaves_is_for_further_rounds() {
        let named = |further_rounds| {
            let slice = Some(Duration::from_millis(1));
            let experiment = Experiment::Slices(Slices { slice, further_rounds, ..Slices::default() });
            Plan { experiment, ..plan(100, 75) }
        };
        let (with, without) = (named(16), named(0));
        let series = with.most_series();
        assert!(
            without.retry_time(series) < Duration::from_secs(5) && with.retry_time(series) > Duration::from_secs(60)
        );
        assert!(with.duration(series) < Duration::from_secs(81), "{:?}", with.duration(series));
        assert_eq!(named(16).slice(series), Duration::from_millis(1));
    }
}
