//! Runs the level `tls`. For each file size, it verifies each case, searches its number of connections, and then
//! measures all cases in rounds.
//!
//! A resumed run keeps finished file sizes and repeats the interrupted one from its beginning. The cases of one size
//! share rounds, and samples of the interrupted part cannot be compared with those of later rounds.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use super::client::ClientLoad;
use super::load::LoadStep;
use super::processes::CpuUse;
use super::search::{Search, Trial};
use super::testbed::{Capacity, LocalTestbed, StepRequest, Testbed};
use crate::files::size_name;
use crate::plan::{OF_A_TRIAL, Plan, TRIALS, TlsCase, TlsPlan};
use crate::procedure::{Procedure, SampleSlot, carry_out};
use crate::record::{Observer, PlanRecord, PlanResults};
use kasoku_model::document::{
    Experiment, FoundLibrary, Omission, Outcome, Series, ServerDetails, ServerLoad, Unit, WITH_OPENSSL,
};
use kasoku_model::level::Level;
use kasoku_model::library::KASOKU;
use kasoku_model::workload::served::{Bottleneck, LatencyOf};
use kasoku_model::workload::{Operation, Served};

/// Share of a case's time that passes between its load steps.
const AROUND: f64 = 0.25;
/// Minimum duration of a load step, unless the user requests another one.
const MIN: Duration = Duration::from_millis(60);
const MAX: Duration = Duration::from_secs(5);
/// Maximum time that files in flight at the end of a load step may take, in durations of a step.
const IN_FLIGHT: f64 = 1.0;
/// Minimum number of rounds, even if they take longer than the time budget.
const MIN_ROUNDS: u32 = 2;
/// Number of connections per worker that the search always tries, even if they put too many bytes in flight. With fewer
/// connections the kernel would load the workers unevenly.
const MIN_TRIED: usize = 4;

/// CPU use of a core from which the core counts as fully loaded, from 0 to 1.
const FULL: f64 = 0.9;
/// CPU use of all cores together from which they count as fully loaded, if server and clients share cores.
const FULL_TOGETHER: f64 = 0.92;

/// Carries out `plan` on this host with servers of its own. Fails only if the observer ends the run. Other failures
/// become failed series or omissions.
pub fn run(plan: &Plan, tls: &TlsPlan, observer: &mut dyn Observer) -> Result<PlanResults, String> {
    observer.progress("starting nginx", 0, 1);
    let started = Instant::now();
    match LocalTestbed::start(tls) {
        Ok(mut here) => run_on(&mut here, started, plan, tls, observer),
        Err(why) => Ok(PlanResults { omissions: vec![Omission::new(Level::Tls, why)], ..PlanResults::default() }),
    }
}

/// Carries out `plan` on `testbed`. The time budget began when the testbed was `started`. Fails only if the observer
/// ends the run.
pub fn run_on(
    testbed: &mut dyn Testbed,
    started: Instant,
    plan: &Plan,
    tls: &TlsPlan,
    observer: &mut dyn Observer,
) -> Result<PlanResults, String> {
    let mut record = PlanRecord::new(observer);
    record.measured.libraries = libraries(tls);
    for before in tls.before.iter().filter(|series| is_served(series)) {
        let (library, version) = (&before.library, &before.library_version);
        let now = record.measured.libraries.iter().filter(|found| found.library == *library);
        let now: Vec<&str> = now.map(|found| found.version.as_str()).collect();
        if !now.is_empty() && !now.contains(&version.as_str()) {
            return Err(format!("{library} was {version} before and is {} now", now.join(" or ")));
        }
    }
    let (deadline, cases_left) = (started + plan.budget, tls.cases.len());
    let (step, until) = (Duration::ZERO, None);
    let mut run = Run { plan, tls, testbed, deadline, cases_left, step, until };
    record.expect_steps(tls.cases.len() as u64 * (u64::from(plan.rounds) + 1) + 1);
    for bytes in tls.cases.iter().map(|case| case.workload.bytes).collect::<BTreeSet<usize>>() {
        run.size(bytes, &mut record)?;
    }
    Ok(record.measured)
}

struct Run<'a> {
    plan: &'a Plan,
    tls: &'a TlsPlan,
    testbed: &'a mut dyn Testbed,
    deadline: Instant,
    cases_left: usize,
    /// Duration of a load step at the current file size.
    step: Duration,
    until: Option<Instant>,
}

impl Procedure for Run<'_> {
    type Case = TlsMeasurement;

    /// Whether another round begins. The deadline ends the rounds, since steps with large files overrun: files in
    /// flight are completed.
    fn has_round(&mut self, round: u32, _: &mut Vec<Self::Case>, _: &mut PlanRecord<'_>) -> bool {
        round < MIN_ROUNDS || self.until.is_none_or(|until| Instant::now() < until)
    }

    /// Takes a sample of a case, which is one load step. If a client waits too long, chooses fewer connections and
    /// discards the earlier samples, since a series has one number of connections.
    fn visit(&mut self, case: &mut Self::Case, slot: SampleSlot, record: &mut PlanRecord<'_>) -> Result<bool, String> {
        let round = slot.round;
        let size = size_name(case.wanted.workload.bytes);
        record.step(&format!("round {} of {}, files of {size}", round + 1, self.plan.rounds));
        let why = loop {
            let request = StepRequest { connections: case.connections, duration: self.step, round: Some(round) };
            let step = match self.testbed.step(&case.wanted, request) {
                Ok(step) => step,
                Err(why) => break why,
            };
            let longest = case.longest_latency_s(&step);
            if longest <= self.tls.max_latency.as_secs_f64() {
                let sample = step.sample(slot);
                case.add_step(step);
                case.describe(record.series(case.series));
                record.sample(case.series, sample)?;
                record.described(case.series)?;
                return Ok(true);
            }
            let exceeded = format!("with {} connections the longest wait was {longest:.1} s", case.connections);
            let is_searched = self.tls.connections(&case.wanted.workload).is_none();
            let fewer = case.search.below(case.connections).filter(|_| is_searched);
            let Some(fewer) = fewer else { break exceeded };
            case.fall_back(fewer);
            let series = record.series(case.series);
            series.samples.clear();
            series.note = Some(format!("{exceeded}; {fewer} are used from round {} on", round + 1));
            record.observer.forgotten(&[case.series])?;
        };
        record.series(case.series).fail(why);
        record.described(case.series)?;
        Ok(false)
    }
}

impl Run<'_> {
    fn size(&mut self, bytes: usize, record: &mut PlanRecord<'_>) -> Result<(), String> {
        let of_size = self.tls.cases.iter().filter(|case| case.workload.bytes == bytes);
        let wanted: Vec<TlsCase> = of_size.copied().collect();
        let count = wanted.len();
        let version = |case: &TlsCase| library_version(self.tls, case);
        if let Some(known) = finished(&self.tls.before, bytes, &wanted, self.plan.rounds, version) {
            for (case, known) in wanted.into_iter().zip(known) {
                match known {
                    Some(series) => drop(record.begin(series.clone())?),
                    None => {
                        let size = size_name(bytes);
                        let why = format!("files of {size}: left out before the run was interrupted");
                        record.omit(of_case(self.tls, case, why));
                    }
                }
            }
        } else {
            record.step(&format!("making files of {}", size_name(bytes)));
            match self.testbed.make_file(bytes) {
                Err(why) => record.omit(Omission::new(Level::Tls, why)),
                Ok(()) => {
                    let is_searched = wanted.iter().any(|case| self.tls.connections(&case.workload).is_none());
                    self.share_time(count, is_searched);
                    let mut cases = Vec::new();
                    for wanted in wanted {
                        cases.extend(self.prepare(wanted, record)?);
                    }
                    carry_out(self, (1, self.plan.rounds), cases, record)?;
                }
            }
        }
        self.cases_left -= count;
        Ok(())
    }

    /// Sets the duration of a load step and the deadline so that the next `count` cases get their share of the time
    /// left, including trials if numbers of connections are searched. If the user fixed the duration of a step, there is
    /// no deadline.
    fn share_time(&mut self, count: usize, is_searched: bool) {
        if let Some(duration) = self.tls.duration {
            (self.step, self.until) = (duration, None);
            return;
        }
        let now = Instant::now();
        let left = self.deadline.saturating_duration_since(now);
        let share = left.mul_f64(count as f64 / self.cases_left.max(1) as f64);
        let trials = if is_searched { TRIALS as f64 * OF_A_TRIAL } else { 0.0 };
        let step = (share / count.max(1) as u32).mul_f64((1.0 - AROUND) / (trials + f64::from(self.plan.rounds)));
        (self.step, self.until) = (step.clamp(MIN, MAX), Some(now + share));
    }

    /// Verifies the file of a case and searches its number of connections. Returns `None` if the case takes part in no
    /// round.
    fn prepare(&mut self, wanted: TlsCase, record: &mut PlanRecord<'_>) -> Result<Option<TlsMeasurement>, String> {
        let TlsCase { workload, library, acceleration, .. } = wanted;
        let Some(served) = workload.served() else { return Ok(None) };
        record.step(&format!("searching {library} ({acceleration}) {workload}"));
        let capacity = match self.testbed.capacity(&wanted) {
            Ok(capacity) => capacity,
            Err(why) => {
                record.omit(of_case(self.tls, wanted, why));
                return Ok(None);
            }
        };
        // Every worker and every host needs something to do.
        let least = served.workers.max(capacity.hosts).min(capacity.most);
        let search_space = Search::new(least, capacity.most, TRIALS);
        let mut case = TlsMeasurement::new(wanted, served, capacity, search_space);
        let mut series = case.empty_series(self.plan.level, self.tls);
        let found = self.testbed.verify_file(&wanted).and_then(|()| self.search(&mut case));
        match &found {
            Ok(Some(connections)) => case.connections = *connections,
            Ok(None) => {
                let why = format!(
                    "files of {}: with any number of connections a {} takes longer than {} s",
                    size_name(workload.bytes),
                    served.latency_of.name(),
                    self.tls.max_latency.as_secs_f64()
                );
                record.omit(of_case(self.tls, wanted, why));
                return Ok(None);
            }
            Err(why) => series.fail(why),
        }
        case.series = record.begin(series)?;
        record.described(case.series)?;
        Ok(found.is_ok().then_some(case))
    }

    /// Returns the best number of connections; `None` if a client waits too long with every number.
    fn search(&mut self, case: &mut TlsMeasurement) -> Result<Option<usize>, String> {
        let most = case.capacity.most;
        match self.tls.connections(&case.wanted.workload) {
            Some(connections) if connections <= most => return Ok(Some(connections)),
            Some(connections) => {
                let why = format!("the limits of this system allow {most} (see its limits)");
                return Err(format!("{connections} connections at once: {why}"));
            }
            None => {}
        }
        while let Some(connections) = case.search.next() {
            // More connections would only prolong the end of a step, which completes the files in flight.
            let in_flight = IN_FLIGHT * self.step.as_secs_f64() * case.rate / case.wanted.workload.bytes as f64;
            let tried = in_flight.max((case.served.workers * MIN_TRIED) as f64);
            if case.search.best().is_some() && connections as f64 > tried {
                break;
            }
            let request = StepRequest { connections, duration: TlsPlan::trial(self.step), round: None };
            let step = self.testbed.step(&case.wanted, request)?;
            case.search.note(connections, case.trial(&step, self.tls.max_latency));
            if let Some((_, rate)) = case.search.best() {
                case.rate = rate;
            }
        }
        Ok(case.search.best().map(|(connections, _)| connections))
    }
}

/// One TLS case with its search for the number of connections and its samples.
struct TlsMeasurement {
    wanted: TlsCase,
    served: Served,
    capacity: Capacity,
    series: usize,
    connections: usize,
    /// Results of the search, for choosing fewer connections later.
    search: Search,
    /// Throughput in bytes per second: an assumption at first, then the best result of the search.
    rate: f64,
    seen: LoadSum,
    verdicts: Vec<Bottleneck>,
}

impl TlsMeasurement {
    fn new(wanted: TlsCase, served: Served, capacity: Capacity, search: Search) -> TlsMeasurement {
        let (seen, verdicts) = (LoadSum::default(), Vec::new());
        TlsMeasurement { wanted, served, capacity, series: 0, connections: 0, search, rate: 2e8, seen, verdicts }
    }

    fn empty_series(&self, level: Level, tls: &TlsPlan) -> Series {
        let TlsCase { workload, library, acceleration, .. } = self.wanted;
        let version = library_version(tls, &self.wanted);
        let is_handshake = workload.operation == Operation::Handshake;
        let unit = if is_handshake { Unit::OperationsPerSecond } else { Unit::BytesPerSecond };
        let mut series = Series::empty(level, &workload, library, version, acceleration, unit);
        // A step with wrong content fails, so every sample is verified.
        series.outcome = Outcome::Measured;
        series.details.experiment = Experiment::Server(ServerDetails {
            max_latency_s: Some(tls.max_latency.as_secs_f64()),
            searched: tls.connections(&workload).is_none(),
            hosts: self.capacity.hosts,
            server: Some(format!("nginx {}", tls.nginx.version)),
            elsewhere: tls.is_elsewhere,
            server_machine: self.capacity.server_cpu.clone(),
            server_cores: Some(self.capacity.server_cores),
            working_cores: Some(self.capacity.working_cores),
            client_cores: Some(self.capacity.client_cores),
            shares_cores: !self.capacity.are_apart,
            served: self.served,
            ..ServerDetails::default()
        });
        series
    }

    /// Returns a step's longest latency in seconds: the connection or the request latency, whichever this case limits.
    fn longest_latency_s(&self, step: &LoadStep) -> f64 {
        longest_s(&step.load, self.served.latency_of).unwrap_or(f64::INFINITY)
    }

    fn trial(&self, step: &LoadStep, max_latency: Duration) -> Trial {
        match self.longest_latency_s(step) <= max_latency.as_secs_f64() && step.load.files > 0 {
            true => Trial::Within(step.rate(self.wanted.workload.bytes as u64)),
            false => Trial::Exceeded,
        }
    }

    fn add_step(&mut self, step: LoadStep) {
        self.verdicts.push(judge(&step, &self.capacity));
        self.seen.add_step(step, self.capacity.working_cores);
    }

    /// Continues with `connections`, which is fewer than before. Discards the samples with more connections, since a
    /// series has one number of connections.
    fn fall_back(&mut self, connections: usize) {
        self.connections = connections;
        (self.seen, self.verdicts) = (LoadSum::default(), Vec::new());
    }

    fn describe(&self, series: &mut Series) {
        let Experiment::Server(details) = &mut series.details.experiment else { return };
        let LoadSum { all, server, skew_s, .. } = &self.seen;
        let count = |verdict: &Bottleneck| self.verdicts.iter().filter(|other| *other == verdict).count();
        details.concurrency = Some(self.connections);
        details.bottleneck = self.verdicts.iter().copied().max_by_key(count);
        details.load = ServerLoad {
            worst_latency_s: longest_s(all, self.served.latency_of),
            connection_p50_s: all.connection.quantile_s(0.5),
            connection_p99_s: all.connection.quantile_s(0.99),
            worst_connection_s: all.connection.longest_s(),
            request_p50_s: all.request.quantile_s(0.5),
            request_p99_s: all.request.quantile_s(0.99),
            worst_request_s: all.request.longest_s(),
            server_cpu_max: Some(server.most),
            client_cpu_max: Some(all.clients.iter().map(|client| client.most).fold(0.0, f64::max)),
            start_skew_s: *skew_s,
            ..self.seen.cost(self.wanted.workload.bytes)
        };
    }
}

fn longest_s(load: &ClientLoad, latency_of: LatencyOf) -> Option<f64> {
    match latency_of {
        LatencyOf::Connection => load.connection.longest_s(),
        LatencyOf::Request => load.request.longest_s(),
    }
}

/// Sum of the load over all steps that count.
#[derive(Default)]
pub(super) struct LoadSum {
    steps: u32,
    all: ClientLoad,
    /// CPU use of the server as a share of its working cores. `most` is the maximum over the steps; the other fields
    /// are sums.
    server: CpuUse,
    /// Sum over the steps of the mean CPU use of the busiest client.
    busiest_client: f64,
    provided: Option<u64>,
    skew_s: Option<f64>,
}

impl LoadSum {
    /// Adds a step in which the server worked on `server_cores` cores.
    pub(super) fn add_step(&mut self, step: LoadStep, server_cores: usize) {
        let (workers, cores) = (step.server.workers, server_cores as f64);
        self.steps += 1;
        self.server.mean += workers.mean / cores;
        self.server.most = self.server.most.max(workers.most / cores);
        self.server.waited += workers.waited / cores;
        self.server.cpu_ns = self.server.cpu_ns.saturating_add(workers.cpu_ns);
        self.busiest_client += step.load.clients.iter().map(|client| client.mean).fold(0.0, f64::max);
        self.provided = step.server.provided.map(|bytes| bytes.saturating_add(self.provided.unwrap_or(0)));
        self.skew_s = step.skew_s.into_iter().chain(self.skew_s).reduce(f64::max);
        self.all.merge(step.load);
    }

    /// Returns the cost of files of `bytes` bytes, or of handshakes if the files are empty.
    pub(super) fn cost(&self, bytes: usize) -> ServerLoad {
        let (steps, gigabytes) = (f64::from(self.steps), self.all.files as f64 * bytes as f64 / 1e9);
        let finite = |amount: f64| Some(amount).filter(|it| it.is_finite());
        let client_ns = self.all.clients.iter().map(|client| client.cpu_ns).fold(0, u64::saturating_add);
        // With files that are not empty, handshakes are a part of the work for each byte.
        let each_handshake = |ns: u64| (bytes == 0).then(|| ns as f64 * 1e-9 / self.all.files as f64).and_then(finite);
        ServerLoad {
            server_cpu: finite(self.server.mean / steps),
            server_waited: finite(self.server.waited / steps),
            client_cpu: finite(self.busiest_client / steps),
            server_cpu_s_per_gb: finite(self.server.cpu_ns as f64 * 1e-9 / gigabytes),
            client_cpu_s_per_gb: finite(client_ns as f64 * 1e-9 / gigabytes),
            server_cpu_s_per_handshake: each_handshake(self.server.cpu_ns),
            client_cpu_s_per_handshake: each_handshake(client_ns),
            provider_share: self.provided.and_then(|bytes| finite(bytes as f64 * 1e-9 / gigabytes)),
            ..ServerLoad::default()
        }
    }
}

/// Returns the resource that kept the server from sending more in a step.
fn judge(step: &LoadStep, capacity: &Capacity) -> Bottleneck {
    // Time spent waiting for a core counts as demand for it.
    let wanted = |busy: &CpuUse| busy.mean + busy.waited;
    let (workers, clients, are_apart) = (&step.server.workers, &step.load.clients, capacity.are_apart);
    let cores = capacity.working_cores as f64;
    let busiest = clients.iter().map(wanted).fold(0.0, f64::max);
    let together = workers.mean + clients.iter().map(|client| client.mean).sum::<f64>();
    match () {
        () if !are_apart && together >= FULL_TOGETHER * cores => Bottleneck::SharedCpu,
        () if are_apart && wanted(workers) / cores >= FULL => Bottleneck::ServerCpu,
        () if are_apart && busiest >= FULL => Bottleneck::ClientCpu,
        () if step.pressures() > 0 => Bottleneck::Memory,
        () => Bottleneck::Neither,
    }
}

/// Returns the series of the cases of one size, in their order, if the size was finished before the interruption. A
/// case that was left out then has `None`.
fn finished<'a>(
    before: &'a [Series],
    bytes: usize,
    cases: &[TlsCase],
    rounds: u32,
    version: impl Fn(&TlsCase) -> String,
) -> Option<Vec<Option<&'a Series>>> {
    let is_of = |series: &Series, case: &TlsCase| {
        (series.workload(), series.library.as_str(), series.acceleration)
            == (case.workload, case.library, case.acceleration)
            && series.library_version == version(case)
    };
    let of_case = |case: &TlsCase| before.iter().find(|series| is_served(series) && is_of(series, case));
    let found: Vec<Option<&Series>> = cases.iter().map(of_case).collect();
    // Check the last round only: earlier rounds are discarded if a later one lowers the number of connections.
    let has_last = |series: &Series| series.samples.iter().any(|sample| sample.round + 1 >= rounds);
    let is_over = |series: &Series| has_last(series) || series.has_failed();
    // A size begins only when the previous one is finished.
    let has_gone_on = before.iter().any(|series| is_served(series) && series.bytes > bytes);
    let are_over = found.iter().all(|series| series.is_some_and(is_over));
    (has_gone_on || are_over).then_some(found)
}

fn is_served(series: &Series) -> bool {
    series.level == Level::Tls
}

fn library_version(tls: &TlsPlan, case: &TlsCase) -> String {
    let openssl = tls.openssl_version(case);
    match case.library == KASOKU {
        true => format!("{}{WITH_OPENSSL}{openssl}", env!("CARGO_PKG_VERSION")),
        false => openssl.to_owned(),
    }
}

/// Returns each library of the plan once, the system's OpenSSL before other builds.
fn libraries(tls: &TlsPlan) -> Vec<FoundLibrary> {
    let found = |case: &TlsCase| FoundLibrary {
        library: case.library.to_owned(),
        version: library_version(tls, case),
        acceleration: Some(case.acceleration),
        cpu_features: None,
        loaded_from: match (case.library, tls.build(case)) {
            (KASOKU, _) => tls.module.as_ref().map(|module| module.display().to_string()),
            (_, Some(build)) => Some(build.libcrypto.display().to_string()),
            // The program of a server on another host is unknown.
            _ => Some(&tls.nginx.program).filter(|file| file.is_absolute()).map(|file| file.display().to_string()),
        },
    };
    let named = tls.cases.iter().map(|case| ((case.library, case.acceleration, case.build), case));
    BTreeMap::from_iter(named).into_values().map(found).collect()
}

fn of_case(tls: &TlsPlan, case: TlsCase, why: String) -> Omission {
    let algorithm = Some(case.workload.algorithm.name().to_owned());
    let (library, acceleration) = (case.library.to_owned(), Some(case.acceleration));
    let why = match tls.build(&case) {
        Some(build) => format!("OpenSSL {}: {why}", build.version),
        None => why,
    };
    Omission { library, acceleration, algorithm, ..Omission::new(Level::Tls, why) }
}

#[cfg(test)]
mod tests;
