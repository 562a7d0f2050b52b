//! One step of load: a number of connections at once for a given time, and what the clients and the server did
//! meanwhile. The server is anything that implements [`ServerUnderTest`].

use std::cell::RefCell;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use super::client::lines::Target;
use super::client::now_ns;
use super::clients::ClientProcess;
use super::host::{self, Part, StepTiming};
use super::processes::{Busy, Use};
use kasoku_model::histogram::Histogram;

/// Time between the request and the start of a step, long enough for each client to read the request.
pub(super) const AHEAD: Duration = Duration::from_millis(12);
/// How long a server may take to learn that its connections were closed, and to count the last bytes.
const SETTLING: Duration = Duration::from_secs(2);
const BETWEEN_LOOKS: Duration = Duration::from_millis(5);
/// Least part of the sent bytes that a counting provider must have encrypted: the rest may belong to contexts that have
/// not handed over their counts, or to the step before.
const PROVIDED: f64 = 0.9;

/// A TLS server that is measured.
pub(crate) trait ServerUnderTest {
    /// Returns the processes that do the server's work.
    fn processes(&self) -> Vec<u32>;

    /// Returns the bytes that the server's provider has encrypted so far; `None` if the provider does not count.
    ///
    /// # Errors
    /// Returns a sentence if the server does not answer.
    fn encrypted_bytes(&mut self) -> Result<Option<u64>, String>;

    /// Checks that all processes the server began with are alive.
    ///
    /// # Errors
    /// Returns a sentence if one has ended.
    fn check_alive(&mut self) -> Result<(), String>;
}

/// A file on a server, once its content was looked at.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RemoteFile {
    pub(crate) target: Target,
    /// Bytes that come behind the handshake.
    pub(crate) wire_bytes: u64,
}

/// What a step gave.
#[derive(Clone, Debug)]
pub struct LoadStep {
    /// Files that were fetched whole.
    pub files: u64,
    /// Nanoseconds from the common start to the last byte.
    pub ns: u64,
    /// Times to the first byte of an answer.
    pub connection: Histogram,
    /// Times to the last byte.
    pub request: Histogram,
    /// Use of CPUs by the server's processes.
    pub server: Busy,
    /// Use of CPUs by each client that took part.
    pub clients: Vec<Busy>,
    /// How often TCP was short of memory meanwhile.
    pub pressures: u64,
    /// Bytes that the server's provider encrypted meanwhile, if it counts them.
    pub provided: Option<u64>,
    /// Upper bound for the seconds between the first and the last host's start, where there are several hosts.
    pub skew_s: Option<f64>,
}

impl LoadStep {
    /// Notes how many bytes the server's provider encrypted while files of `bytes` bytes were fetched.
    ///
    /// # Errors
    /// Returns a sentence if the provider did not encrypt what was sent.
    pub(super) fn set_provided(&mut self, provided: u64, bytes: u64) -> Result<(), String> {
        if !self.is_provided_by(provided, bytes) {
            let sent = self.files.saturating_mul(bytes);
            return Err(format!("the provider encrypted only {provided} bytes of {sent}"));
        }
        self.provided = Some(provided);
        Ok(())
    }

    fn is_provided_by(&self, provided: u64, bytes: u64) -> bool {
        provided as f64 >= PROVIDED * self.files.saturating_mul(bytes) as f64
    }

    /// Bytes of content per second.
    pub(super) fn rate(&self, bytes: u64) -> f64 {
        self.files as f64 * bytes as f64 / (self.ns.max(1) as f64 * 1e-9)
    }
}

/// Has `clients` fetch `file` over `connections` connections at once; new ones begin for `duration`.
///
/// The step is repeated once if a client dies, which says nothing of the server.
///
/// # Errors
/// Returns a sentence if a connection or the server failed.
pub(super) fn step(
    clients: &mut [ClientProcess],
    server: &mut dyn ServerUnderTest,
    file: &RemoteFile,
    connections: usize,
    duration: Duration,
) -> Result<LoadStep, String> {
    let processes = |clients: &[ClientProcess]| clients.iter().map(ClientProcess::id).collect::<Vec<_>>();
    let before = processes(clients);
    let mut step = try_step(clients, server, file, connections, duration);
    if step.is_err() && processes(clients) != before {
        step = try_step(clients, server, file, connections, duration);
    }
    let step = step?;
    server.check_alive().map(|()| step)
}

fn try_step(
    clients: &mut [ClientProcess],
    server: &mut dyn ServerUnderTest,
    file: &RemoteFile,
    connections: usize,
    duration: Duration,
) -> Result<LoadStep, String> {
    let before = server.encrypted_bytes()?;
    let shares = host::shares(connections, &[clients.len()], 1).remove(0);
    let patience = host::patience(file.target.bytes, connections, duration);
    let timing = StepTiming { start_ns: now_ns() + AHEAD.as_nanos() as u64, duration, patience };
    let (clients, loads): (Vec<_>, Vec<_>) = (clients.iter_mut().zip(shares))
        .filter(|(_, share)| *share > 0)
        .map(|(client, share)| (client, timing.load(file, share)))
        .unzip();
    let processes = server.processes();
    // The server is watched from the clients' start to their end.
    let server_use = RefCell::new(None);
    let mut begins = || drop(server_use.replace(Some(Use::begin(processes.clone()))));
    let mut look = || server_use.borrow_mut().iter_mut().for_each(Use::look);
    let part = host::put_on(clients, loads, &timing, &mut begins, &mut look)?;
    let busy = server_use.take().map(Use::end).unwrap_or_default();
    let Part { files, ns, late_ns: _, connection, request, clients, pressures } = part;
    let mut step =
        LoadStep { files, ns, connection, request, server: busy, clients, pressures, provided: None, skew_s: None };
    if let Some(before) = before {
        let end = Instant::now() + SETTLING;
        loop {
            let provided = server.encrypted_bytes()?.unwrap_or_default().saturating_sub(before);
            if step.is_provided_by(provided, file.target.bytes) || Instant::now() > end {
                step.set_provided(provided, file.target.bytes)?;
                break;
            }
            std::thread::sleep(BETWEEN_LOOKS);
        }
    }
    Ok(step)
}
