//! One case: a file, a suite and a provider; its series, and what was seen.

use super::super::load::{LoadStep, RemoteFile};
use super::fixture::JavaFixture;
use super::server::JavaServer;
use crate::plan::HttpsCase;
use crate::worker_process::WorkerName;
use kasoku_model::algorithm::CipherSuite;
use kasoku_model::document::{
    Details, Experiment, FoundLibrary, HttpsDetails, Outcome, Sample, Series, ServerLoad, Unit,
};
use kasoku_model::level::Level;
use kasoku_model::workload::Https;

/// A case while it is measured.
pub(super) struct HttpsMeasurement<'a> {
    /// What is served.
    pub(super) wanted: HttpsCase,
    pub(super) how: Https,
    pub(super) suite: CipherSuite,
    /// By which library, in which virtual machine.
    pub(super) name: &'a WorkerName,
    /// The number of its series, once it has one.
    pub(super) series: Option<usize>,
    /// Its server and what that serves, while there is one.
    pub(super) running: Option<(JavaServer, RemoteFile)>,
    seen: Sum,
}

/// What was seen over all steps that count.
#[derive(Default)]
struct Sum {
    steps: u32,
    files: u64,
    server: f64,
    waited: f64,
    client: f64,
    client_ns: u64,
    server_ns: u64,
    provided: Option<u64>,
}

impl<'a> HttpsMeasurement<'a> {
    /// A case without a server yet; `None` if it is about none.
    pub(super) fn new(wanted: HttpsCase, workers: &'a [WorkerName]) -> Option<HttpsMeasurement<'a>> {
        let (how, suite) = (wanted.workload.https()?, CipherSuite::of(wanted.workload.algorithm)?);
        let name = workers.get(wanted.worker)?;
        let (series, running, seen) = (None, None, Sum::default());
        Some(HttpsMeasurement { wanted, how, suite, name, series, running, seen })
    }

    /// Its series, with what is known beforehand.
    pub(super) fn empty_series(&self, level: Level, server: &JavaServer, fixture: &JavaFixture) -> Series {
        let (workload, library) = (&self.wanted.workload, self.name.entry.name);
        let (version, state) = (server.version.clone(), self.name.acceleration);
        let mut series = Series::empty(level, workload, library, version, state, Unit::BytesPerSecond);
        // Until something that was served was not what it must be.
        series.outcome = Outcome::Measured;
        let jdk = self.name.jvm.as_ref().map(|jvm| jvm.runtime.version.clone()).unwrap_or_default();
        series.details = Details {
            experiment: Experiment::Https(HttpsDetails {
                https: self.how,
                server: Some(format!("jdk.httpserver of JDK {jdk}")),
                cipher: Some(server.cipher.clone()),
                server_cores: Some(fixture.cores.server.len()),
                shares_cores: !fixture.cores.are_apart,
                ..HttpsDetails::default()
            }),
            jdk: Some(jdk),
            ..Details::default()
        };
        series
    }

    /// The library as its server describes it.
    pub(super) fn found(&self, server: &JavaServer) -> FoundLibrary {
        FoundLibrary {
            library: self.name.entry.name.to_owned(),
            version: server.version.clone(),
            acceleration: Some(self.name.acceleration),
            cpu_features: None,
            loaded_from: server.loaded_from.clone(),
        }
    }

    /// Takes in a step that counts; returns its sample.
    pub(super) fn take(&mut self, step: &LoadStep, process: u32, round: u32) -> Sample {
        let sum = &mut self.seen;
        sum.steps += 1;
        sum.files += step.files;
        sum.server += step.server.mean;
        sum.waited += step.server.waited;
        sum.client += step.clients.iter().map(|client| client.mean).sum::<f64>();
        sum.client_ns += step.clients.iter().map(|client| client.cpu_ns).sum::<u64>();
        sum.server_ns += step.server.cpu_ns;
        sum.provided = step.provided.map(|provided| sum.provided.unwrap_or_default() + provided);
        let (iterations, ns, cpu_ns) = (step.files, step.ns, step.server.cpu_ns);
        Sample { process, round, iterations, ns, cpu_ns, ..Sample::default() }
    }

    /// Writes what was seen into its series.
    pub(super) fn describe(&self, series: &mut Series) {
        let sum = &self.seen;
        let Experiment::Https(details) = &mut series.details.experiment else { return };
        let (steps, gigabytes) = (f64::from(sum.steps), sum.files as f64 * self.wanted.workload.bytes as f64 / 1e9);
        let finite = |value: f64| Some(value).filter(|it| it.is_finite());
        details.load = ServerLoad {
            server_cpu: finite(sum.server / steps),
            server_waited: finite(sum.waited / steps),
            client_cpu: finite(sum.client / steps),
            server_cpu_s_per_gb: finite(sum.server_ns as f64 * 1e-9 / gigabytes),
            client_cpu_s_per_gb: finite(sum.client_ns as f64 * 1e-9 / gigabytes),
            provider_share: sum.provided.and_then(|bytes| finite(bytes as f64 * 1e-9 / gigabytes)),
            ..ServerLoad::default()
        };
    }
}
