//! One case: a suite, a provider, a file size and a number of workers; its search, its samples, and what was seen.

use std::time::Duration;

use super::bottleneck::{self, Seen};
use super::load::LoadStep;
use super::search::{Search, Trial};
use super::testbed::Capacity;
use crate::plan::{TlsCase, TlsPlan};
use kasoku_model::document::{Experiment, Outcome, Sample, Series, ServerDetails, ServerLoad, Unit};
use kasoku_model::histogram::Histogram;
use kasoku_model::level::Level;
use kasoku_model::workload;
use kasoku_model::workload::served::{Bottleneck, LatencyOf};

/// A case while it is measured.
pub(super) struct TlsMeasurement {
    /// What is served, and by what.
    pub(super) wanted: TlsCase,
    pub(super) how: workload::Served,
    /// What it is measured on.
    pub(super) capacity: Capacity,
    /// The number of its series.
    pub(super) series: usize,
    /// Connections at once.
    pub(super) connections: usize,
    /// The search, for what to fall back to.
    pub(super) search: Search,
    /// Bytes a second, as far as it is known.
    pub(super) rate: f64,
    seen: Sum,
}

/// What was seen over all steps that count.
#[derive(Default)]
struct Sum {
    steps: u32,
    connection: Histogram,
    request: Histogram,
    server: f64,
    server_most: f64,
    server_waited: f64,
    client: f64,
    client_most: f64,
    server_ns: u64,
    client_ns: u64,
    files: u64,
    provided: Option<u64>,
    skew_s: Option<f64>,
    verdicts: Vec<Bottleneck>,
}

impl TlsMeasurement {
    /// A case that is yet to be searched.
    pub(super) fn new(wanted: TlsCase, how: workload::Served, capacity: Capacity, search: Search) -> TlsMeasurement {
        TlsMeasurement { wanted, how, capacity, series: 0, connections: 0, search, rate: 2e8, seen: Sum::default() }
    }

    /// Its series, with what is known beforehand.
    pub(super) fn empty_series(&self, level: Level, version: String, tls: &TlsPlan) -> Series {
        let TlsCase { workload, library, acceleration } = self.wanted;
        let unit = Unit::BytesPerSecond;
        let mut series = Series::empty(level, &workload, library, version, acceleration, unit);
        // Until something that was served was not what it must be.
        series.outcome = Outcome::Measured;
        series.details.experiment = Experiment::Server(ServerDetails {
            max_latency_s: Some(tls.max_latency.as_secs_f64()),
            searched: tls.concurrency.is_none(),
            hosts: self.capacity.hosts,
            server: Some(format!("nginx {}", tls.nginx.version)),
            elsewhere: tls.is_elsewhere,
            server_machine: self.capacity.server_cpu.clone(),
            server_cores: Some(self.capacity.server_cores),
            working_cores: Some(self.capacity.working_cores),
            client_cores: Some(self.capacity.client_cores),
            shares_cores: !self.capacity.are_apart,
            served: self.how,
            ..ServerDetails::default()
        });
        series
    }

    /// Returns the longest time of a step that must not exceed the limit, in seconds.
    pub(super) fn longest(&self, step: &LoadStep) -> f64 {
        let times = match self.how.latency_of {
            LatencyOf::Connection => &step.connection,
            LatencyOf::Request => &step.request,
        };
        times.longest_s().unwrap_or(f64::INFINITY)
    }

    /// What a step of the search came to.
    pub(super) fn trial(&self, step: &LoadStep, max_latency: Duration) -> Trial {
        match self.longest(step) <= max_latency.as_secs_f64() && step.files > 0 {
            true => Trial::Within(step.rate(self.wanted.workload.bytes as u64)),
            false => Trial::Exceeded,
        }
    }

    /// Takes in a step that counts.
    pub(super) fn take(&mut self, step: &LoadStep) {
        let sum = &mut self.seen;
        let server_cores = self.capacity.working_cores;
        let busiest = |of: fn(&super::processes::Busy) -> f64| step.clients.iter().map(of).fold(0.0, f64::max);
        sum.steps += 1;
        sum.connection.merge(&step.connection);
        sum.request.merge(&step.request);
        sum.server += step.server.mean / server_cores as f64;
        sum.server_most = sum.server_most.max(step.server.most / server_cores as f64);
        sum.server_waited += step.server.waited / server_cores as f64;
        sum.client += busiest(|client| client.mean);
        sum.client_most = sum.client_most.max(busiest(|client| client.most));
        let of_clients = step.clients.iter().map(|client| client.cpu_ns);
        sum.server_ns = sum.server_ns.saturating_add(step.server.cpu_ns);
        sum.client_ns = of_clients.fold(sum.client_ns, u64::saturating_add);
        sum.files = sum.files.saturating_add(step.files);
        sum.provided = step.provided.map(|bytes| bytes.saturating_add(sum.provided.unwrap_or(0)));
        sum.skew_s = step.skew_s.into_iter().chain(sum.skew_s).reduce(f64::max);
        sum.verdicts.push(bottleneck::judge(Seen {
            server: step.server,
            server_cores,
            clients: &step.clients,
            are_apart: self.capacity.are_apart,
            pressures: step.pressures,
        }));
    }

    /// Goes on with fewer connections: what was seen with more is not what their number stands for.
    pub(super) fn fall_back(&mut self, connections: usize) {
        self.connections = connections;
        self.seen = Sum::default();
    }

    /// The sample that a step stands for.
    pub(super) fn sample(&self, step: &LoadStep, round: u32) -> Sample {
        let LoadStep { files, ns, server, .. } = step;
        Sample { round, iterations: *files, ns: *ns, cpu_ns: server.cpu_ns, ..Sample::default() }
    }

    /// Writes what was seen into its series.
    pub(super) fn describe(&self, series: &mut Series) {
        let sum = &self.seen;
        let Experiment::Server(details) = &mut series.details.experiment else { return };
        if sum.steps == 0 {
            return;
        }
        let (steps, gigabytes) = (f64::from(sum.steps), sum.files as f64 * self.wanted.workload.bytes as f64 / 1e9);
        let a_gigabyte = |amount: f64| Some(amount / gigabytes).filter(|it| it.is_finite());
        details.concurrency = Some(self.connections);
        details.bottleneck = most_frequent(&sum.verdicts);
        details.load = ServerLoad {
            worst_latency_s: match self.how.latency_of {
                LatencyOf::Connection => sum.connection.longest_s(),
                LatencyOf::Request => sum.request.longest_s(),
            },
            connection_p50_s: sum.connection.quantile_s(0.5),
            connection_p99_s: sum.connection.quantile_s(0.99),
            worst_connection_s: sum.connection.longest_s(),
            request_p50_s: sum.request.quantile_s(0.5),
            request_p99_s: sum.request.quantile_s(0.99),
            worst_request_s: sum.request.longest_s(),
            server_cpu: Some(sum.server / steps),
            server_cpu_max: Some(sum.server_most),
            server_waited: Some(sum.server_waited / steps),
            client_cpu: Some(sum.client / steps),
            client_cpu_max: Some(sum.client_most),
            server_cpu_s_per_gb: a_gigabyte(sum.server_ns as f64 * 1e-9),
            client_cpu_s_per_gb: a_gigabyte(sum.client_ns as f64 * 1e-9),
            start_skew_s: sum.skew_s,
            provider_share: sum.provided.and_then(|bytes| a_gigabyte(bytes as f64 * 1e-9)),
        };
    }
}

fn most_frequent(verdicts: &[Bottleneck]) -> Option<Bottleneck> {
    let count = |verdict: &Bottleneck| verdicts.iter().filter(|other| *other == verdict).count();
    verdicts.iter().copied().max_by_key(count)
}
