//! Measures HTTPS servers in Java virtual machines (jvm/Server.java, over the JDK's `jdk.httpserver`) with the ciphers
//! of a security provider. The draining client fetches a file over a few connections at once.
//!
//! Each provider has a server that runs for a whole start. Each round measures all servers one after the other, in
//! shuffled order, while the others wait. So providers are compared within rounds.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use super::client::{RemoteFile, Target};
use super::cores::{self, Cores};
use super::fixture::serve_file;
use super::load::{ClientPool, ServerUnderTest};
use super::records::{FULL_RECORD, wire_bytes};
use super::run::LoadSum;
use crate::plan::{HttpsCase, HttpsPlan, Plan};
use crate::procedure::{Procedure, SampleSlot, carry_out};
use crate::record::PlanRecord;
use crate::worker::{WorkerError, WorkerName, WorkerProcess};
use kasoku_libraries::folder::{self, Folder};
use kasoku_libraries::nginx::Certificate;
use kasoku_model::algorithm::{Algorithm, CipherSuite};
use kasoku_model::document::{Details, Experiment, FoundLibrary, HttpsDetails, Omission, Outcome, Series, Unit};
use kasoku_model::workload::Https;

/// Maximum time until the server listens. A virtual machine must start and load a security provider.
const STARTING: Duration = Duration::from_secs(40);
/// Maximum time to answer a request after the start.
const ANSWERING: Duration = Duration::from_secs(10);
/// Maximum duration of the warm-up.
const MAX_WARM_UP: Duration = Duration::from_millis(2_500);
const TRIAL: Duration = Duration::from_millis(200);
/// Number of consecutive trials without a gain in throughput after which a virtual machine counts as warm.
const WITHOUT_GAIN: u32 = 2;
/// Minimum ratio to the throughput of the best earlier trial that counts as a gain.
const GAIN: f64 = 1.03;
/// Maximum size in bytes of a session ticket, which the server may send in addition to the records of the file.
const MAX_TICKET: u64 = 2048;
/// Maximum size in bytes of a second record for each full one. The JDK's records hold one byte less than TLS allows, so
/// a write of the usual 16 KiB needs two records.
const MAX_SECOND: u64 = 64;

struct HttpsMeasurement<'a> {
    wanted: HttpsCase,
    https: Https,
    suite: CipherSuite,
    name: &'a WorkerName,
    series: Option<usize>,
    /// Running server and the file it serves; `None` if no server is running.
    running: Option<(JavaServer, RemoteFile)>,
    seen: LoadSum,
}

/// Measures the cases of `https` with the workers of `plan`. Fails only if the observer ends the run. Other failures
/// become failed series or omissions.
pub(crate) fn run(plan: &Plan, https: &HttpsPlan, record: &mut PlanRecord<'_>) -> Result<(), String> {
    record.observer.progress("making the file for the HTTPS servers", 0, 1);
    let mut run = match compile(plan).and_then(|()| HttpsRun::new(plan, https)) {
        Ok(run) => run,
        Err(why) => {
            record.omit(Omission::new(plan.level, format!("no HTTPS servers: {why}")));
            return Ok(());
        }
    };
    let measurement = |wanted: &HttpsCase| {
        let (https, suite) = (wanted.workload.https()?, CipherSuite::of(wanted.workload.algorithm)?);
        let (name, seen) = (plan.workers.get(wanted.worker)?, LoadSum::default());
        Some(HttpsMeasurement { wanted: *wanted, https, suite, name, series: None, running: None, seen })
    };
    let cases: Vec<HttpsMeasurement<'_>> = https.cases.iter().filter_map(measurement).collect();
    record.expect_steps(u64::from(https.all_rounds() + https.processes) * https.cases.len() as u64);
    carry_out(&mut run, (https.processes, https.rounds), cases, record)
}

fn compile(plan: &Plan) -> Result<(), String> {
    let mut last = "no virtual machine is measured".to_owned();
    for setting in plan.workers.iter().rev().filter_map(|worker| worker.jvm.as_ref()) {
        match setting.classes.add_server(&setting.runtime) {
            Ok(()) => return Ok(()),
            Err(why) => last = why,
        }
    }
    Err(last)
}

struct HttpsRun<'a> {
    plan: &'a Plan,
    https: &'a HttpsPlan,
    clients: ClientPool,
    /// Cores of the client and of the server, which uses one core.
    cores: Cores,
    /// Path and length of the served file, which is as long as the longest case needs. A server sends the requested
    /// number of bytes from its beginning.
    file: (PathBuf, usize),
    certificate: Certificate,
    /// Folder of the served file. It is dropped last.
    _folder: Folder,
}

impl<'a> Procedure for HttpsRun<'a> {
    type Case = HttpsMeasurement<'a>;

    fn start(&mut self, _: u32, cases: &mut Vec<Self::Case>, record: &mut PlanRecord<'_>) -> Result<(), String> {
        cases.iter_mut().for_each(|case| case.running = None);
        for case in cases.iter_mut() {
            record.step(&format!("starting an HTTPS server with {}", case.name.entry.name));
            let started = self.start_server(case);
            if let (Ok(server), None) = (&started, case.series) {
                case.series = Some(record.begin(self.empty_series(case, server))?);
                record.add_library(found(case.name, server));
            }
            match (started.and_then(|server| self.warm_up(case, server)), case.series) {
                (Ok(running), _) => case.running = Some(running),
                (Err(why), Some(series)) => record.series(series).fail(why),
                (Err(why), None) => record.omit(self.omission(case, why)),
            }
        }
        cases.retain(|case| case.running.is_some());
        Ok(())
    }

    fn visit(&mut self, case: &mut Self::Case, slot: SampleSlot, record: &mut PlanRecord<'_>) -> Result<bool, String> {
        record.step(&format!("HTTPS servers: round {} of {}", slot.round + 1, self.https.all_rounds()));
        let (Some((server, file)), Some(index)) = (&mut case.running, case.series) else { return Ok(false) };
        match self.clients.step(server, file, case.https.connections, self.https.step) {
            Ok(step) => {
                let sample = step.sample(slot);
                case.seen.add_step(step, self.cores.server.len());
                if let Experiment::Https(details) = &mut record.series(index).details.experiment {
                    details.load = case.seen.cost(case.wanted.workload.bytes);
                }
                record.sample(index, sample)?;
            }
            Err(why) => {
                case.running = None;
                record.series(index).fail(why);
            }
        }
        record.described(index)?;
        Ok(case.running.is_some())
    }
}

impl<'a> HttpsRun<'a> {
    fn new(plan: &'a Plan, https: &'a HttpsPlan) -> Result<HttpsRun<'a>, String> {
        let in_dir = |error: std::io::Error| format!("cannot create a folder in {}: {error}", https.dir.display());
        let folder = Folder::new(&https.dir, folder::TLS).map_err(in_dir)?;
        let base = folder.path().canonicalize().map_err(in_dir)?;
        let bytes = https.cases.iter().map(|case| case.workload.bytes).max().unwrap_or_default();
        let file = (serve_file(&base, bytes)?, bytes);
        let certificate = Certificate::ecdsa(&base).map_err(|unavailable| unavailable.why)?;
        let cores = cores::allot(&cores::usable(), 1);
        let clients = ClientPool::start(cores.clients.first().copied())?;
        Ok(HttpsRun { plan, https, clients, cores, file, certificate, _folder: folder })
    }

    fn start_server(&self, case: &HttpsMeasurement<'_>) -> Result<JavaServer, String> {
        let order = ServerOrder::Serve {
            file: &self.file.0,
            key: &self.certificate.key,
            certificate: &self.certificate.certificate,
            protocol: case.suite.protocol().name(),
            suite: case.suite.openssl_name(),
            threads: case.https.connections,
        };
        JavaServer::start(case.name, &self.cores.server, &order)
    }

    /// Verifies the file that `server` serves for `case`. Then puts load on `server` until its throughput stops
    /// growing, which shows that the JIT compiler has finished, for at most [`MAX_WARM_UP`]. Returns the server with
    /// the verified file.
    fn warm_up(
        &mut self,
        case: &HttpsMeasurement<'_>,
        mut server: JavaServer,
    ) -> Result<(JavaServer, RemoteFile), String> {
        let file = self.verify_file(&server, case.suite, case.wanted.workload.bytes as u64)?;
        let until = Instant::now() + MAX_WARM_UP;
        let (mut best, mut without_gain) = (0.0, 0);
        while without_gain < WITHOUT_GAIN && Instant::now() < until {
            let step = self.clients.step(&mut server, &file, case.https.connections, self.https.step.min(TRIAL))?;
            let rate = step.load.files as f64 / step.load.ns.max(1) as f64;
            without_gain = if rate > best * GAIN { 0 } else { without_gain + 1 };
            best = f64::max(best, rate);
        }
        Ok((server, file))
    }

    /// Compares the content of a file of `bytes` bytes from `server`, and counts its bytes on the wire twice. Both
    /// counts must agree with each other, and nearly with the number that the TLS standards imply.
    fn verify_file(&mut self, server: &JavaServer, suite: CipherSuite, bytes: u64) -> Result<RemoteFile, String> {
        let target = Target { address: server.address, suite: Algorithm::CipherSuite(suite), bytes };
        let header = self.clients.fetch(&target, Some(self.file.1 as u64))?;
        let least = suite.record_bytes(header) + wire_bytes(suite, bytes);
        let most = least + MAX_TICKET + MAX_SECOND * bytes.div_ceil(FULL_RECORD);
        let [first, second] = [self.clients.fetch(&target, None)?, self.clients.fetch(&target, None)?];
        if first != second || !(least..=most).contains(&first) {
            return Err(format!("the file came in {first} and {second} bytes of records instead of {least} to {most}"));
        }
        Ok(RemoteFile { target, wire_bytes: first })
    }

    fn empty_series(&self, case: &HttpsMeasurement<'_>, server: &JavaServer) -> Series {
        let WorkerName { entry, acceleration, jvm, .. } = case.name;
        let (workload, version, unit) =
            (&case.wanted.workload, server.description.version.clone(), Unit::BytesPerSecond);
        let mut series = Series::empty(self.plan.level, workload, entry.name, version, *acceleration, unit);
        // A step with wrong content fails, so every sample is verified.
        series.outcome = Outcome::Measured;
        let jdk = jvm.as_ref().map(|jvm| jvm.runtime.version.clone()).unwrap_or_default();
        series.details = Details {
            experiment: Experiment::Https(HttpsDetails {
                https: case.https,
                server: Some(format!("jdk.httpserver of JDK {jdk}")),
                cipher: Some(server.description.cipher.clone()),
                server_cores: Some(self.cores.server.len()),
                shares_cores: !self.cores.are_apart,
                ..HttpsDetails::default()
            }),
            jdk: Some(jdk),
            ..Details::default()
        };
        series
    }

    fn omission(&self, case: &HttpsMeasurement<'_>, why: String) -> Omission {
        let algorithm = Some(case.wanted.workload.algorithm.name().to_owned());
        Omission { algorithm, ..case.name.left_out(self.plan.level, format!("no HTTPS server: {why}")) }
    }
}

fn found(name: &WorkerName, server: &JavaServer) -> FoundLibrary {
    FoundLibrary {
        library: name.entry.name.to_owned(),
        version: server.description.version.clone(),
        acceleration: Some(name.acceleration),
        cpu_features: None,
        loaded_from: server.description.loaded_from.clone(),
    }
}

/// A running HTTPS server, which is a worker's process with another task. Dropping it ends the process.
struct JavaServer {
    process: WorkerProcess,
    address: SocketAddr,
    description: ServerAnswer,
}

#[derive(Serialize)]
#[serde(tag = "operation", rename_all = "lowercase")]
enum ServerOrder<'a> {
    Serve {
        /// Path of the served file. The server sends as many bytes from its beginning as a client requests.
        file: &'a Path,
        key: &'a Path,
        certificate: &'a Path,
        protocol: &'static str,
        suite: &'static str,
        threads: usize,
    },
    Count {},
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct ServerAnswer {
    port: u16,
    /// Version of the library, and path of its loaded file.
    version: String,
    loaded_from: Option<String>,
    /// Name of the security provider that implements the ciphers for TLS.
    cipher: String,
    bytes: Option<u64>,
}

impl JavaServer {
    /// Starts the server on `cores`, and waits until it listens.
    fn start(name: &WorkerName, cores: &[usize], serve: &ServerOrder<'_>) -> Result<JavaServer, String> {
        let cores: Vec<String> = cores.iter().map(usize::to_string).collect();
        let process = WorkerProcess::start(name, &["--https-server", "--cores", &cores.join(",")]).map_err(failed)?;
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
        let mut server = JavaServer { process, address, description: ServerAnswer::default() };
        server.description = server.process.ask(serve, STARTING).map_err(failed)?;
        server.address.set_port(server.description.port);
        Ok(server)
    }
}

fn failed(error: WorkerError) -> String {
    error.sentence("server")
}

impl ServerUnderTest for JavaServer {
    fn processes(&self) -> Vec<u32> {
        vec![self.process.id()]
    }

    fn encrypted_bytes(&mut self) -> Result<Option<u64>, String> {
        self.process.ask(&ServerOrder::Count {}, ANSWERING).map(|answer: ServerAnswer| answer.bytes).map_err(failed)
    }
}
