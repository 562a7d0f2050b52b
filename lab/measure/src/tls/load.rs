//! Puts load on a server from this host. Client processes on its cores begin together, and each step reports what the
//! clients and the server did. The server is any [`ServerUnderTest`].

use std::process::Stdio;
use std::time::{Duration, Instant};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::client::{ClientLoad, ClientRequest, Fetch, Load, RemoteFile, Target, now_ns};
use super::limits::memory_pressures;
use super::processes::{CpuMeter, CpuUse};
use super::records::wire_bytes;
use crate::procedure::SampleSlot;
use crate::worker::{WorkerError, WorkerProcess};
use kasoku_libraries::interruption;
use kasoku_model::algorithm::CipherSuite;
use kasoku_model::document::Sample;

/// Time from sending the request for a load step to its start, long enough for each client to read the request.
const AHEAD: Duration = Duration::from_millis(12);
const STARTING: Duration = Duration::from_secs(10);
const BETWEEN_LOOKS: Duration = Duration::from_millis(50);
/// Lower bound for a server's throughput in bytes per second.
const SLOWEST: f64 = 20e6;
/// Maximum time of a step in addition to its duration and the time for its bytes.
const PATIENCE: Duration = Duration::from_secs(20);
/// Maximum time that a server may take to notice closed connections and to count its last bytes.
const SETTLING: Duration = Duration::from_secs(2);
/// Minimum share of the sent bytes that an OpenSSL provider with a byte counter must report as encrypted. The rest may
/// be bytes that open contexts have not yet reported, or bytes of the previous step.
const PROVIDED: f64 = 0.9;

/// A TLS server under test. The errors of its methods are whole sentences for the user.
pub(crate) trait ServerUnderTest {
    /// Returns the IDs of the processes that do the server's work.
    fn processes(&self) -> Vec<u32>;

    /// Returns the bytes that the server's provider has encrypted so far; `None` if the provider does not count.
    fn encrypted_bytes(&mut self) -> Result<Option<u64>, String>;
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ServerUse {
    pub workers: CpuUse,
    /// Number of times that TCP ran out of memory on a host without clients.
    pub pressures: u64,
    /// Number of bytes that the server's provider encrypted; `None` if the provider does not count them.
    pub provided: Option<u64>,
}

#[derive(Clone, Debug, Default)]
pub struct LoadStep {
    pub load: ClientLoad,
    pub server: ServerUse,
    /// Upper bound for the seconds between the first and the last host's start; `None` with one host.
    pub skew_s: Option<f64>,
}

impl LoadStep {
    /// Checks that a provider with a byte counter encrypted the fetched files, which have `bytes` bytes each.
    pub(super) fn check_provided(&self, bytes: u64) -> Result<(), String> {
        let sent = self.load.files.saturating_mul(bytes);
        match self.server.provided {
            Some(provided) if (provided as f64) < PROVIDED * sent as f64 => {
                Err(format!("the provider encrypted only {provided} bytes of {sent}"))
            }
            _ => Ok(()),
        }
    }

    /// Returns the number of times that TCP ran out of memory, over all hosts.
    pub(super) fn pressures(&self) -> u64 {
        self.load.pressures.saturating_add(self.server.pressures)
    }

    pub(super) fn sample(&self, SampleSlot { process, round, .. }: SampleSlot) -> Sample {
        let (iterations, ns, cpu_ns) = (self.load.files, self.load.ns, self.server.workers.cpu_ns);
        Sample { process, round, iterations, ns, cpu_ns, ..Sample::default() }
    }

    /// Returns the throughput in bytes of content per second.
    pub(super) fn rate(&self, bytes: u64) -> f64 {
        self.load.files as f64 * bytes as f64 / (self.load.ns.max(1) as f64 * 1e-9)
    }
}

/// Load that the clients of one host put on a server.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LoadOrder {
    /// The requested file at each address of the server.
    pub files: Vec<RemoteFile>,
    /// Number of simultaneous connections for each of the host's clients.
    pub connections: Vec<usize>,
    /// Time during which new connections begin.
    pub duration: Duration,
    /// Maximum duration of the step, after which it fails.
    pub patience: Duration,
}

pub(super) fn patience(bytes: u64, connections: usize, duration: Duration) -> Duration {
    duration * 3 + PATIENCE + Duration::from_secs_f64(bytes as f64 * connections as f64 / SLOWEST)
}

/// Distributes connections among the clients of all hosts. If there are few connections, they go to different addresses
/// and hosts first.
pub(super) fn shares(connections: usize, clients: &[usize], addresses: usize) -> Vec<Vec<usize>> {
    let mut order: Vec<(usize, usize)> =
        clients.iter().enumerate().flat_map(|(host, &count)| (0..count).map(move |client| (host, client))).collect();
    order.sort_by_key(|&(host, client)| (client / addresses.max(1), host, client));
    let mut shares: Vec<Vec<usize>> = clients.iter().map(|&count| vec![0; count]).collect();
    for (index, (host, client)) in order.iter().enumerate() {
        shares[*host][*client] = connections / order.len() + usize::from(index < connections % order.len());
    }
    shares
}

/// The client processes of this host. Dropping it ends them.
pub(crate) struct ClientPool(Vec<ClientProcess>);

impl ClientPool {
    /// Starts a client on each of `cores`. A core that occurs twice gets two clients.
    pub(crate) fn start(cores: impl IntoIterator<Item = usize>) -> Result<ClientPool, String> {
        let clients: Vec<ClientProcess> = cores.into_iter().map(ClientProcess::start).collect::<Result<_, _>>()?;
        if clients.is_empty() { Err("there is no core for a client".to_owned()) } else { Ok(ClientPool(clients)) }
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// Fetches a file once. With `text_bytes`, compares the content with a text of that length and returns the number
    /// of bytes of the HTTP header. Otherwise returns the number of bytes of the records.
    pub(super) fn fetch(&mut self, target: &Target, text_bytes: Option<u64>) -> Result<u64, String> {
        let patience = patience(target.bytes, 1, Duration::ZERO);
        let until_ns = now_ns() + patience.as_nanos() as u64;
        let client = &mut self.0[0];
        client.ask(&ClientRequest::Fetch(Fetch { target: target.clone(), text_bytes, until_ns }))?;
        client.answer(patience + PATIENCE, &mut || ())
    }

    /// Compares the content of a file, and checks that its records have the computed number of bytes.
    pub(crate) fn verify_file(&mut self, target: Target) -> Result<RemoteFile, String> {
        let suite = CipherSuite::of(target.suite).ok_or("no cipher suite of a server")?;
        let header = self.fetch(&target, Some(target.bytes))?;
        let (found, expected) = (self.fetch(&target, None)?, wire_bytes(suite, header + target.bytes));
        if found != expected {
            return Err(format!("the file came in {found} bytes of records instead of {expected}"));
        }
        Ok(RemoteFile { target, wire_bytes: expected })
    }

    /// Puts load on a server: client `n` opens `connections[n]` connections to `files[n % files.len()]`. Returns the
    /// load of the clients, and the CPU use of the processes `server` during it.
    pub(crate) fn load(&mut self, order: &LoadOrder, server: Vec<u32>) -> Result<(ClientLoad, CpuUse), String> {
        let LoadOrder { files, connections, duration, patience } = order;
        if files.is_empty() || connections.len() != self.len() {
            return Err("the load does not fit this host's clients".to_owned());
        }
        let start_ns = now_ns() + AHEAD.as_nanos() as u64;
        let after = |time: &Duration| start_ns.saturating_add(u64::try_from(time.as_nanos()).unwrap_or(u64::MAX));
        let mut taking_part = Vec::new();
        for (index, client) in self.0.iter_mut().enumerate().filter(|(index, _)| connections[*index] > 0) {
            let (file, connections) = (files[index % files.len()].clone(), connections[index]);
            let load = Load { file, connections, start_ns, end_ns: after(duration), until_ns: after(patience) };
            let asked = client.ask(&ClientRequest::Load(load));
            taking_part.push((client, asked));
        }
        let pressures = memory_pressures();
        std::thread::sleep(Duration::from_nanos(start_ns.saturating_sub(now_ns())));
        let mut server = CpuMeter::begin(server);
        let mut uses: Vec<CpuMeter> =
            taking_part.iter().map(|(client, _)| CpuMeter::begin(vec![client.process.id()])).collect();
        let until = Instant::now() + *patience + PATIENCE;
        let mut look = || {
            uses.iter_mut().for_each(CpuMeter::sample);
            server.sample();
        };
        // Wait for all clients even if one fails, because they must be idle before the next step.
        let answers: Vec<Result<ClientLoad, String>> = taking_part
            .into_iter()
            .map(|(client, asked)| {
                asked.and_then(|()| client.answer(until.saturating_duration_since(Instant::now()), &mut look))
            })
            .collect();
        let clients = uses.into_iter().map(CpuMeter::end).collect();
        let pressures = memory_pressures().saturating_sub(pressures);
        let mut load = ClientLoad { clients, pressures, ..ClientLoad::default() };
        let server = server.end();
        for answer in answers {
            load.merge(answer?);
        }
        Ok((load, server))
    }

    /// Lets the clients fetch `file` over `connections` simultaneous connections. New connections begin for `duration`.
    /// If a client dies, which says nothing about the server, repeats the step once.
    pub(super) fn step(
        &mut self,
        server: &mut dyn ServerUnderTest,
        file: &RemoteFile,
        connections: usize,
        duration: Duration,
    ) -> Result<LoadStep, String> {
        let order = LoadOrder {
            files: vec![file.clone()],
            connections: shares(connections, &[self.len()], 1).remove(0),
            duration,
            patience: patience(file.target.bytes, connections, duration),
        };
        let processes = |clients: &ClientPool| clients.0.iter().map(|client| client.process.id()).collect::<Vec<_>>();
        let before = processes(self);
        match self.try_step(server, &order) {
            Err(_) if processes(self) != before => self.try_step(server, &order),
            step => step,
        }
    }

    fn try_step(&mut self, server: &mut dyn ServerUnderTest, order: &LoadOrder) -> Result<LoadStep, String> {
        let before = server.encrypted_bytes()?;
        let (load, workers) = self.load(order, server.processes())?;
        let mut step = LoadStep { load, server: ServerUse { workers, ..ServerUse::default() }, skew_s: None };
        let Some(before) = before else { return Ok(step) };
        let end = Instant::now() + SETTLING;
        loop {
            step.server.provided = Some(server.encrypted_bytes()?.unwrap_or_default().saturating_sub(before));
            let checked = step.check_provided(order.files[0].target.bytes);
            if checked.is_ok() || Instant::now() > end {
                return checked.map(|()| step);
            }
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

/// A client process. If it dies or sends an invalid answer, a new one replaces it at once, since the next request may
/// leave no time for a start. The request during which it died fails. Dropping the client ends its process.
struct ClientProcess {
    core: usize,
    process: WorkerProcess,
}

impl ClientProcess {
    fn start(core: usize) -> Result<ClientProcess, String> {
        let started = WorkerProcess::command().and_then(|mut command| {
            command.args(["tls-client", "--cores", &core.to_string()]).stderr(Stdio::null());
            command.env_remove("OPENSSL_CONF").env_remove("OPENSSL_MODULES");
            let mut process = WorkerProcess::spawn(command)?;
            process.ask(&ClientRequest::Check, STARTING).map(|()| ClientProcess { core, process })
        });
        started.map_err(|error| error.sentence("client"))
    }

    /// Sends a request without waiting for the answer.
    fn ask(&mut self, request: &ClientRequest) -> Result<(), String> {
        self.process.send(request).map_err(|error| self.failed(error))
    }

    /// Waits at most `limit` for the answer. During the wait, calls `meanwhile` about every [`BETWEEN_LOOKS`].
    fn answer<T: DeserializeOwned>(&mut self, limit: Duration, meanwhile: &mut dyn FnMut()) -> Result<T, String> {
        self.process.receive(limit, BETWEEN_LOOKS, meanwhile).map_err(|error| self.failed(error))
    }

    /// Starts another process in place of one that is gone. If that fails, the next request tries again. Returns the
    /// sentence that describes `error`.
    fn failed(&mut self, error: WorkerError) -> String {
        if error.is_fatal()
            && !interruption::is_wanted()
            && let Ok(other) = ClientProcess::start(self.core)
        {
            *self = other;
        }
        error.sentence("client")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn connection_shares_spread_few_connections_over_addresses_and_hosts() {
        // Each of two hosts has two cores and four clients. With two addresses, even clients use the first.
        assert_eq!(shares(2, &[4, 4], 2), [[1, 1, 0, 0], [0, 0, 0, 0]]);
        assert_eq!(shares(4, &[4, 4], 2), [[1, 1, 0, 0], [1, 1, 0, 0]]);
        assert_eq!(shares(9, &[4, 4], 2), [[2, 1, 1, 1], [1, 1, 1, 1]]);
        assert_eq!(shares(3, &[1, 2], 1), [vec![1], vec![1, 1]]);
    }
}
