//! Measures one TLS case: a cipher suite, provider, file size and number of nginx workers. It holds the search for the
//! number of connections, and the samples.

use std::time::Duration;

use super::client::ClientLoad;
use super::load::LoadStep;
use super::processes::CpuUse;
use super::search::{Search, Trial};
use super::testbed::Capacity;
use crate::plan::{TlsCase, TlsPlan};
use kasoku_model::document::{Experiment, Outcome, Series, ServerDetails, ServerLoad, Unit};
use kasoku_model::level::Level;
use kasoku_model::workload;
use kasoku_model::workload::served::{Bottleneck, LatencyOf};

/// CPU use of a core from which the core counts as fully loaded, from 0 to 1.
const FULL: f64 = 0.9;
/// CPU use of all cores together from which they count as fully loaded, if server and clients share cores.
const FULL_TOGETHER: f64 = 0.92;

pub(super) struct TlsMeasurement {
    pub(super) wanted: TlsCase,
    pub(super) served: workload::Served,
    pub(super) capacity: Capacity,
    pub(super) series: usize,
    pub(super) connections: usize,
    /// Results of the search, for choosing fewer connections later.
    pub(super) search: Search,
    /// Throughput in bytes per second: an assumption at first, then the best result of the search.
    pub(super) rate: f64,
    seen: LoadSum,
    verdicts: Vec<Bottleneck>,
}

impl TlsMeasurement {
    pub(super) fn new(wanted: TlsCase, served: workload::Served, capacity: Capacity, search: Search) -> TlsMeasurement {
        let (seen, verdicts) = (LoadSum::default(), Vec::new());
        TlsMeasurement { wanted, served, capacity, series: 0, connections: 0, search, rate: 2e8, seen, verdicts }
    }

    pub(super) fn empty_series(&self, level: Level, version: String, tls: &TlsPlan) -> Series {
        let TlsCase { workload, library, acceleration } = self.wanted;
        let unit = Unit::BytesPerSecond;
        let mut series = Series::empty(level, &workload, library, version, acceleration, unit);
        // A step with wrong content fails, so every sample is verified.
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
            served: self.served,
            ..ServerDetails::default()
        });
        series
    }

    /// Returns a step's longest latency in seconds: the connection or the request latency, whichever this case limits.
    pub(super) fn longest_latency_s(&self, step: &LoadStep) -> f64 {
        longest_s(&step.load, self.served.latency_of).unwrap_or(f64::INFINITY)
    }

    pub(super) fn trial(&self, step: &LoadStep, max_latency: Duration) -> Trial {
        match self.longest_latency_s(step) <= max_latency.as_secs_f64() && step.load.files > 0 {
            true => Trial::Within(step.rate(self.wanted.workload.bytes as u64)),
            false => Trial::Exceeded,
        }
    }

    pub(super) fn add_step(&mut self, step: LoadStep) {
        self.verdicts.push(judge(&step, &self.capacity));
        self.seen.add_step(step, self.capacity.working_cores);
    }

    /// Continues with fewer connections, and discards the samples with more.
    pub(super) fn fall_back(&mut self, connections: usize) {
        self.connections = connections;
        (self.seen, self.verdicts) = (LoadSum::default(), Vec::new());
    }

    pub(super) fn describe(&self, series: &mut Series) {
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

    pub(super) fn cost(&self, bytes: usize) -> ServerLoad {
        let (steps, gigabytes) = (f64::from(self.steps), self.all.files as f64 * bytes as f64 / 1e9);
        let finite = |amount: f64| Some(amount).filter(|it| it.is_finite());
        let client_ns = self.all.clients.iter().map(|client| client.cpu_ns).fold(0, u64::saturating_add);
        ServerLoad {
            server_cpu: finite(self.server.mean / steps),
            server_waited: finite(self.server.waited / steps),
            client_cpu: finite(self.busiest_client / steps),
            server_cpu_s_per_gb: finite(self.server.cpu_ns as f64 * 1e-9 / gigabytes),
            client_cpu_s_per_gb: finite(client_ns as f64 * 1e-9 / gigabytes),
            provider_share: self.provided.and_then(|bytes| finite(bytes as f64 * 1e-9 / gigabytes)),
            ..ServerLoad::default()
        }
    }
}

/// Returns the resource that kept the server from sending more in a step.
fn judge(step: &LoadStep, capacity: &Capacity) -> Bottleneck {
    // A process that waited for a core would have used it.
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

#[cfg(test)]
mod tests {
    use super::super::load::ServerUse;
    use super::*;

    #[test]
    fn judge_finds_each_bottleneck() {
        let busy = |mean| CpuUse { mean, most: mean, waited: 0.0, cpu_ns: 0 };
        let judge = |workers, working_cores, clients: &[f64], are_apart, pressures| {
            let load =
                ClientLoad { clients: clients.iter().map(|&mean| busy(mean)).collect(), ..ClientLoad::default() };
            let server = ServerUse { workers, pressures, provided: None };
            let capacity = Capacity { working_cores, are_apart, ..Capacity::default() };
            judge(&LoadStep { load, server, skew_s: None }, &capacity)
        };
        assert_eq!(judge(busy(0.97), 1, &[0.6], true, 0), Bottleneck::ServerCpu);
        let disturbed = CpuUse { waited: 0.3, ..busy(0.65) };
        assert_eq!(judge(disturbed, 1, &[0.6], true, 0), Bottleneck::ServerCpu);
        assert_eq!(judge(busy(0.6), 1, &[0.3, 0.95], true, 0), Bottleneck::ClientCpu);
        assert_eq!(judge(busy(1.1), 2, &[0.5, 0.35], false, 0), Bottleneck::SharedCpu);
        assert_eq!(judge(busy(0.9), 2, &[0.2, 0.2], false, 0), Bottleneck::Neither);
        assert_eq!(judge(busy(0.5), 1, &[0.5], true, 1), Bottleneck::Memory);
        assert_eq!(judge(busy(0.5), 1, &[0.5], true, 0), Bottleneck::Neither);
    }
}
