//! Where the steps of a run take place: servers, and clients that put load on them. `LocalTestbed` is this host with
//! servers of its own; `remote` has the one whose server or clients are on other hosts.

use std::collections::HashMap;
use std::path::PathBuf;
use std::time::Duration;

use super::client::lines::{Expected, Target};
use super::fixture::ServerFixture;
use super::load::{self, LoadStep, RemoteFile};
use super::{host, limits};
use crate::plan::{TlsCase, TlsPlan};
use kasoku_libraries::interruption;
use kasoku_libraries::nginx::configuration::WORKER_CONNECTIONS;
use kasoku_model::algorithm::CipherSuite;

/// Servers and clients.
pub trait Testbed {
    /// Returns the capacity for a case.
    ///
    /// # Errors
    /// Returns why the case cannot be measured.
    fn capacity(&mut self, case: &TlsCase) -> Result<Capacity, String>;

    /// Serves a file of `bytes` random bytes in place of the one before.
    ///
    /// # Errors
    /// Returns why the file cannot be made.
    fn make_file(&mut self, bytes: usize) -> Result<(), String>;

    /// Compares the content of the file once, as the case's server sends it, and its bytes on the wire.
    ///
    /// # Errors
    /// Returns what is not as it must be.
    fn look(&mut self, case: &TlsCase) -> Result<(), String>;

    /// Carries out a step.
    ///
    /// # Errors
    /// Returns which connection, client or server failed.
    fn step(&mut self, case: &TlsCase, request: StepRequest) -> Result<LoadStep, String>;

    /// Removes the served file.
    fn remove_files(&mut self);
}

/// What a case can use of a testbed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Capacity {
    /// Maximum number of connections at once that the systems' limits allow.
    pub most: usize,
    /// Number of the server's cores.
    pub server_cores: usize,
    /// Number of the server's cores that have an nginx worker.
    pub working_cores: usize,
    /// Number of the clients' cores on all hosts.
    pub client_cores: usize,
    /// Whether no core is both the server's and a client's.
    pub are_apart: bool,
    /// Number of hosts that put load on the server.
    pub hosts: usize,
    /// CPU of the server's host, if that is another machine.
    pub server_cpu: Option<String>,
}

/// What a step is to do.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StepRequest {
    /// Connections at once, of all clients together.
    pub connections: usize,
    /// How long new connections begin.
    pub duration: Duration,
    /// The round, if the step counts.
    pub round: Option<u32>,
}

/// This host, with servers of its own.
pub(super) struct LocalTestbed {
    fixture: ServerFixture,
    file: PathBuf,
    files: HashMap<TlsCase, RemoteFile>,
}

impl LocalTestbed {
    /// Starts the servers and clients that `tls` needs.
    ///
    /// # Errors
    /// Returns why nothing at all can be measured.
    pub(super) fn start(tls: &TlsPlan) -> Result<LocalTestbed, String> {
        Ok(LocalTestbed { fixture: ServerFixture::local(tls)?, file: PathBuf::new(), files: HashMap::new() })
    }
}

const NOT_OF_THE_PLAN: &str = "the plan has no such server";

impl Testbed for LocalTestbed {
    fn capacity(&mut self, case: &TlsCase) -> Result<Capacity, String> {
        let how = case.workload.served().ok_or(NOT_OF_THE_PLAN)?;
        let (cores, clients) = self.fixture.clients.get(&how.workers).ok_or(NOT_OF_THE_PLAN)?;
        let known = limits::look(how.workers as u64, clients.len() as u64, u64::from(WORKER_CONNECTIONS));
        let most = kasoku_model::system_limit::first_to_bind(&known)
            .map(|(_, most)| usize::try_from(most).unwrap_or(usize::MAX));
        Ok(Capacity {
            most: most.unwrap_or(usize::MAX),
            server_cores: cores.server.len(),
            working_cores: cores.server.len().min(how.workers).max(1),
            client_cores: cores.clients.len(),
            are_apart: cores.are_apart,
            hosts: 1,
            server_cpu: None,
        })
    }

    fn make_file(&mut self, bytes: usize) -> Result<(), String> {
        self.files.clear();
        self.file = self.fixture.files.make(bytes, &interruption::is_wanted)?;
        Ok(())
    }

    fn look(&mut self, case: &TlsCase) -> Result<(), String> {
        let how = case.workload.served().ok_or(NOT_OF_THE_PLAN)?;
        let suite = CipherSuite::of(case.workload.algorithm).ok_or(NOT_OF_THE_PLAN)?;
        let (Some((_, clients)), Some(server)) =
            (self.fixture.clients.get_mut(&how.workers), self.fixture.servers.get(&case.server()))
        else {
            return Err(NOT_OF_THE_PLAN.to_owned());
        };
        let server = server.as_ref().map_err(Clone::clone)?;
        let name = self.file.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let target = Target {
            address: server.address(suite).ok_or(NOT_OF_THE_PLAN)?,
            suite: case.workload.algorithm,
            path: format!("/{name}"),
            bytes: case.workload.bytes as u64,
        };
        let client = clients.first_mut().ok_or("there are no clients")?;
        let file = host::look(client, target, Expected::File(self.file.clone()))?;
        self.files.insert(*case, file);
        Ok(())
    }

    fn step(&mut self, case: &TlsCase, request: StepRequest) -> Result<LoadStep, String> {
        let how = case.workload.served().ok_or(NOT_OF_THE_PLAN)?;
        let (Some((_, clients)), Some(Ok(server)), Some(file)) = (
            self.fixture.clients.get_mut(&how.workers),
            self.fixture.servers.get_mut(&case.server()),
            self.files.get(case),
        ) else {
            return Err(NOT_OF_THE_PLAN.to_owned());
        };
        load::step(clients, server, file, request.connections, request.duration)
    }

    fn remove_files(&mut self) {
        self.fixture.files.remove();
    }
}
