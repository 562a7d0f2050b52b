//! Testbeds for TLS: servers, and clients that put load on them.
//!
//! `LocalTestbed` is this host with servers of its own; the module `remote` has the testbed with other hosts.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::time::Duration;

use super::client::{RemoteFile, Target};
use super::cores::{self, Cores};
use super::fixture::{ServerFixture, serve_file};
use super::limits;
use super::load::{ClientPool, LoadStep};
use crate::plan::{TlsCase, TlsPlan};
use kasoku_model::algorithm::Algorithm;

/// Servers and clients. Errors are sentences that say which connection, client, server or host failed.
pub trait Testbed {
    /// Returns the capacity of the servers and clients for a case. Fails if the case cannot be measured.
    fn capacity(&mut self, case: &TlsCase) -> Result<Capacity, String>;

    /// Serves a file of `bytes` random bytes in place of the previous one.
    fn make_file(&mut self, bytes: usize) -> Result<(), String>;

    /// Fetches the file from the case's server, compares its content, and checks its bytes on the wire.
    fn verify_file(&mut self, case: &TlsCase) -> Result<(), String>;

    /// Puts load on the case's server for one step.
    fn step(&mut self, case: &TlsCase, request: StepRequest) -> Result<LoadStep, String>;
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Capacity {
    /// Maximum number of simultaneous connections that the limits of the systems allow.
    pub most: usize,
    pub server_cores: usize,
    /// Number of the server's cores that have an nginx worker.
    pub working_cores: usize,
    pub client_cores: usize,
    /// Whether the server and the clients share no core.
    pub are_apart: bool,
    /// Number of hosts that put load on the server.
    pub hosts: usize,
    /// CPU of the server's host; `None` if the server runs on this machine.
    pub server_cpu: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StepRequest {
    /// Number of simultaneous connections, over all clients.
    pub connections: usize,
    /// Time during which new connections begin.
    pub duration: Duration,
    /// Number of the round; `None` for trial steps, whose results are not kept as samples.
    pub round: Option<u32>,
}

/// Returns the location of a case's file on the server with these ports.
pub(super) fn target(case: &TlsCase, address: IpAddr, ports: &[(Algorithm, u16)]) -> Option<Target> {
    let (suite, port) = *ports.iter().find(|(suite, _)| *suite == case.workload.algorithm)?;
    Some(Target { address: SocketAddr::new(address, port), suite, bytes: case.workload.bytes as u64 })
}

const ADDRESS: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);
const NOT_OF_THE_PLAN: &str = "the plan has no such server";

/// This host, with servers and clients of its own. Dropping it ends the clients first.
pub(super) struct LocalTestbed {
    /// Cores and clients for each number of nginx workers.
    clients: BTreeMap<usize, (Cores, ClientPool)>,
    fixture: ServerFixture,
    files: HashMap<TlsCase, RemoteFile>,
}

impl LocalTestbed {
    /// Starts the servers and clients that `tls` needs. Fails if nothing at all can be measured.
    pub(super) fn start(tls: &TlsPlan) -> Result<LocalTestbed, String> {
        let fixture = ServerFixture::start(tls, &[ADDRESS], true)?;
        let mut clients = BTreeMap::new();
        for workers in fixture.servers.keys().map(|id| id.workers).collect::<BTreeSet<usize>>() {
            let cores = cores::allot(&cores::usable(), workers);
            let pool = ClientPool::start(cores.clients.iter().copied())?;
            clients.insert(workers, (cores, pool));
        }
        Ok(LocalTestbed { clients, fixture, files: HashMap::new() })
    }
}

impl Testbed for LocalTestbed {
    fn capacity(&mut self, case: &TlsCase) -> Result<Capacity, String> {
        let workers = case.server().workers;
        let (cores, clients) = self.clients.get(&workers).ok_or(NOT_OF_THE_PLAN)?;
        let most = limits::most_connections(workers as u64, clients.len() as u64);
        Ok(Capacity {
            most: usize::try_from(most).unwrap_or(usize::MAX),
            server_cores: cores.server.len(),
            working_cores: cores.server.len().min(workers).max(1),
            client_cores: cores.clients.len(),
            are_apart: cores.are_apart,
            hosts: 1,
            server_cpu: None,
        })
    }

    fn make_file(&mut self, bytes: usize) -> Result<(), String> {
        self.files.clear();
        serve_file(&self.fixture.files, bytes).map(drop)
    }

    fn verify_file(&mut self, case: &TlsCase) -> Result<(), String> {
        let server = self.fixture.server(&case.server())?;
        let (_, clients) = self.clients.get_mut(&case.server().workers).ok_or(NOT_OF_THE_PLAN)?;
        let target = target(case, ADDRESS, &server.ports()).ok_or(NOT_OF_THE_PLAN)?;
        self.files.insert(*case, clients.verify_file(target)?);
        Ok(())
    }

    fn step(&mut self, case: &TlsCase, request: StepRequest) -> Result<LoadStep, String> {
        let server = self.fixture.server(&case.server())?;
        let (_, clients) = self.clients.get_mut(&case.server().workers).ok_or(NOT_OF_THE_PLAN)?;
        let file = self.files.get(case).ok_or(NOT_OF_THE_PLAN)?;
        let step = clients.step(server, file, request.connections, request.duration)?;
        server.check_alive().map(|()| step)
    }
}
