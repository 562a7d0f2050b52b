//! What one host does to put load on servers: client processes on its cores, which begin together, and what they saw.

use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use super::client::lines::{ClientAnswer, ClientRequest, Expected, Fetch, Load, Target};
use super::client::now_ns;
use super::clients::ClientProcess;
use super::cores;
use super::limits::memory_pressures;
use super::load::{self, RemoteFile};
use super::processes::{Busy, Use};
use super::records::wire_bytes;
use kasoku_model::algorithm::CipherSuite;
use kasoku_model::histogram::Histogram;

/// No server is slower: bytes a second.
const SLOWEST: f64 = 20e6;
/// What every step may take beside that.
pub(super) const PATIENCE: Duration = Duration::from_secs(20);

/// The clients of this host: one on each of its cores for each address.
pub struct LoadHost {
    clients: Vec<ClientProcess>,
}

/// The load that one host puts on a server.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LoadOrder {
    /// The file, at each address of the server.
    pub files: Vec<RemoteFile>,
    /// Connections at once, for each of the host's clients.
    pub connections: Vec<usize>,
    /// How long new connections begin.
    pub duration: Duration,
    /// How long the step may take in all.
    pub patience: Duration,
}

/// What the clients of one host saw of a step.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Part {
    /// Files that were fetched whole.
    pub files: u64,
    /// From the common start to the last byte.
    pub ns: u64,
    /// From the common start until the last client had begun.
    pub late_ns: u64,
    /// Times to the first byte of an answer.
    pub connection: Histogram,
    /// Times to the last byte.
    pub request: Histogram,
    /// The clients that took part.
    pub clients: Vec<Busy>,
    /// How often TCP was short of memory meanwhile.
    pub pressures: u64,
}

impl LoadHost {
    /// Starts the clients, for a server at `addresses` addresses.
    ///
    /// # Errors
    /// Returns why a client cannot be started or cannot work.
    pub fn start(addresses: usize) -> Result<LoadHost, String> {
        let addresses = addresses.max(1);
        let all = cores::usable().into_iter().flat_map(|core| std::iter::repeat_n(core, addresses));
        Ok(LoadHost { clients: all.map(ClientProcess::start).collect::<Result<_, _>>()? })
    }

    /// Compares the content of a file, which is made alike everywhere, and counts the bytes of its records.
    ///
    /// # Errors
    /// Returns what is not as it must be.
    pub fn look(&mut self, target: Target) -> Result<RemoteFile, String> {
        look(self.clients.first_mut().ok_or("there are no clients")?, target, Expected::Made)
    }

    /// Puts load on the server: client `n` has `connections[n]` connections to `files[n % files.len()]`.
    ///
    /// # Errors
    /// Returns which connection failed, or that the order does not fit this host.
    pub fn load(&mut self, order: &LoadOrder) -> Result<Part, String> {
        let LoadOrder { files, connections, duration, patience } = order;
        if files.is_empty() || connections.len() != self.clients.len() {
            return Err("the load does not fit this host's clients".to_owned());
        }
        let start_ns = now_ns() + load::AHEAD.as_nanos() as u64;
        let timing = StepTiming { start_ns, duration: *duration, patience: *patience };
        let (clients, loads): (Vec<_>, Vec<_>) = (self.clients.iter_mut().enumerate())
            .filter(|(index, _)| connections[*index] > 0)
            .map(|(index, client)| (client, timing.load(&files[index % files.len()], connections[index])))
            .unzip();
        put_on(clients, loads, &timing, &mut || (), &mut || ())
    }
}

/// How long a step of this many connections may take in all.
pub fn patience(bytes: u64, connections: usize, duration: Duration) -> Duration {
    duration * 3 + PATIENCE + Duration::from_secs_f64(bytes as f64 * connections as f64 / SLOWEST)
}

/// Connections shared out among the clients of all hosts: evenly, and if there are few, over addresses and hosts first.
pub fn shares(connections: usize, clients: &[usize], addresses: usize) -> Vec<Vec<usize>> {
    let mut order: Vec<(usize, usize)> =
        clients.iter().enumerate().flat_map(|(host, &count)| (0..count).map(move |client| (host, client))).collect();
    order.sort_by_key(|&(host, client)| (client / addresses.max(1), host, client));
    let mut shares: Vec<Vec<usize>> = clients.iter().map(|&count| vec![0; count]).collect();
    for (index, (host, client)) in order.iter().enumerate() {
        shares[*host][*client] = connections / order.len() + usize::from(index < connections % order.len());
    }
    shares
}

/// Has a client compare the content of a file with what is expected, and count the bytes of its records, which must be
/// as many as the arithmetic says.
pub(super) fn look(client: &mut ClientProcess, target: Target, expected: Expected) -> Result<RemoteFile, String> {
    let suite = CipherSuite::of(target.suite).ok_or("no cipher suite of a server")?;
    let header = fetch(client, &target, Some(expected))?.bytes;
    let (found, expected) = (fetch(client, &target, None)?, wire_bytes(suite, header + target.bytes));
    if found.bytes != expected {
        return Err(format!("the file came in {} bytes of records instead of {expected}", found.bytes));
    }
    Ok(RemoteFile { target, wire_bytes: expected })
}

/// Has a client fetch a file once: its content is compared with `same_as`, or its records are counted.
pub(super) fn fetch(
    client: &mut ClientProcess,
    target: &Target,
    same_as: Option<Expected>,
) -> Result<ClientAnswer, String> {
    let patience = patience(target.bytes, 1, Duration::ZERO);
    let until_ns = now_ns() + patience.as_nanos() as u64;
    client.ask(&ClientRequest::Fetch(Fetch { target: target.clone(), same_as, until_ns }))?;
    client.answer(Instant::now() + patience + PATIENCE, &mut || ())
}

/// When a step is.
#[derive(Clone, Copy, Debug)]
pub(super) struct StepTiming {
    /// The common start, in nanoseconds of this host's monotonic clock.
    pub(super) start_ns: u64,
    /// How long new connections begin.
    pub(super) duration: Duration,
    /// How long it may take in all.
    pub(super) patience: Duration,
}

impl StepTiming {
    /// Returns the load of `connections` connections that fetch `file`.
    pub(super) fn load(&self, file: &RemoteFile, connections: usize) -> Load {
        let after = |time: Duration| self.start_ns.saturating_add(u64::try_from(time.as_nanos()).unwrap_or(u64::MAX));
        Load {
            target: file.target.clone(),
            connections,
            start_ns: self.start_ns,
            end_ns: after(self.duration),
            until_ns: after(self.patience),
            wire_bytes: file.wire_bytes,
        }
    }
}

/// Has each of `clients` put its load on; `begins` is called at the common start, and `meanwhile` every now and then.
pub(super) fn put_on(
    clients: Vec<&mut ClientProcess>,
    loads: Vec<Load>,
    step: &StepTiming,
    begins: &mut dyn FnMut(),
    meanwhile: &mut dyn FnMut(),
) -> Result<Part, String> {
    let mut clients = clients;
    let each = clients.iter_mut().zip(loads);
    let asked: Vec<Result<(), String>> = each.map(|(client, load)| client.ask(&ClientRequest::Load(load))).collect();
    let pressures = memory_pressures();
    std::thread::sleep(Duration::from_nanos(step.start_ns.saturating_sub(now_ns())));
    begins();
    let mut uses: Vec<Use> = clients.iter().map(|client| Use::begin(vec![client.id()])).collect();
    let until = Instant::now() + step.patience + PATIENCE;
    // All are waited for, whatever one of them says: the next step must find them idle.
    let mut answers = Vec::with_capacity(clients.len());
    for (client, asked) in clients.into_iter().zip(asked) {
        let mut look = || {
            uses.iter_mut().for_each(Use::look);
            meanwhile();
        };
        answers.push(asked.and_then(|()| client.answer(until, &mut look)));
    }
    let mut part = Part {
        clients: uses.into_iter().map(Use::end).collect(),
        pressures: memory_pressures().saturating_sub(pressures),
        ..Part::default()
    };
    for answer in answers {
        let ClientAnswer { files, began_ns, ended_ns, connection, request, .. } = answer?;
        part.files += files;
        part.ns = part.ns.max(ended_ns.saturating_sub(step.start_ns));
        part.late_ns = part.late_ns.max(began_ns.saturating_sub(step.start_ns));
        part.connection.merge(&connection);
        part.request.merge(&request);
    }
    Ok(part)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_connections_go_to_all_addresses_and_hosts_first() {
        // Two hosts with two cores each, two addresses: four clients a host, even ones for the first address.
        assert_eq!(shares(2, &[4, 4], 2), [[1, 1, 0, 0], [0, 0, 0, 0]]);
        assert_eq!(shares(4, &[4, 4], 2), [[1, 1, 0, 0], [1, 1, 0, 0]]);
        assert_eq!(shares(9, &[4, 4], 2), [[2, 1, 1, 1], [1, 1, 1, 1]]);
        assert_eq!(shares(3, &[1, 2], 1), [vec![1], vec![1, 1]]);
    }
}
