//! What the steps of a run stand on: web servers, and whoever puts load on them. Here it is this host with servers of
//! its own (`Here`); elsewhere it is other hosts, one or many, which the run need not know.

use std::collections::HashMap;
use std::path::PathBuf;
use std::time::Duration;

use super::ground::Ground;
use super::limits;
use super::load::{LoadStep, RemoteFile};
use crate::plan::{TlsCase, TlsPlan};
use kasoku_libraries::interruption;
use kasoku_libraries::nginx::configuration::WORKER_CONNECTIONS;
use kasoku_model::algorithm::CipherSuite;

/// Servers and clients.
pub trait Field {
    /// What a case is measured on.
    ///
    /// # Errors
    /// Why it cannot be measured.
    fn place(&mut self, case: &TlsCase) -> Result<TestBed, String>;

    /// Has a file of this many random bytes served, instead of the one before.
    ///
    /// # Errors
    /// Why it cannot be had.
    fn make_file(&mut self, bytes: usize) -> Result<(), String>;

    /// Has the content of the file looked at once, as the case's server sends it, and its bytes on the wire.
    ///
    /// # Errors
    /// If it is not what it must be.
    fn look(&mut self, case: &TlsCase) -> Result<(), String>;

    /// Carries out a step.
    ///
    /// # Errors
    /// If any connection went wrong, or a worker of the server has ended.
    fn step(&mut self, case: &TlsCase, asked: StepRequest) -> Result<LoadStep, String>;

    /// Takes away what was served.
    fn remove_files(&mut self);
}

/// What a case is measured on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TestBed {
    /// Connections at once that the limits of the systems allow.
    pub most: usize,
    /// Cores of the servers, of all together.
    pub server_cores: usize,
    /// Of these, as many as there are workers for.
    pub working_cores: usize,
    /// Cores of the clients, of all together.
    pub client_cores: usize,
    /// Whether no core is a server's and a client's.
    pub are_apart: bool,
    /// Hosts that put load on.
    pub hosts: usize,
    /// Hosts that serve.
    pub servers: usize,
    /// The CPUs of those, if they are not this one.
    pub server_cpu: Option<String>,
}

/// What is asked of a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StepRequest {
    /// Connections at once, of all clients together.
    pub connections: usize,
    /// How long new ones begin.
    pub duration: Duration,
    /// Bytes a second that are expected.
    pub rate: f64,
    /// The round, if it is one that counts.
    pub round: Option<u32>,
}

/// This host, with servers of its own.
pub(super) struct Here {
    ground: Ground,
    file: PathBuf,
    looked_at: HashMap<TlsCase, RemoteFile>,
}

impl Here {
    /// Starts all that `tls` needs.
    ///
    /// # Errors
    /// If nothing at all can be measured, and why.
    pub(super) fn make(tls: &TlsPlan) -> Result<Here, String> {
        Ok(Here { ground: Ground::make(tls)?, file: PathBuf::new(), looked_at: HashMap::new() })
    }
}

const NOT_OF_THE_PLAN: &str = "the plan has no such server";

impl Field for Here {
    fn place(&mut self, case: &TlsCase) -> Result<TestBed, String> {
        let how = case.workload.served().ok_or(NOT_OF_THE_PLAN)?;
        let (cores, loader) = self.ground.loaders.get(&how.workers).ok_or(NOT_OF_THE_PLAN)?;
        let known = limits::look(how.workers as u64, loader.processes() as u64, u64::from(WORKER_CONNECTIONS));
        let most = kasoku_model::system_limit::first_to_bind(&known)
            .map(|(_, most)| usize::try_from(most).unwrap_or(usize::MAX));
        Ok(TestBed {
            most: most.unwrap_or(usize::MAX),
            server_cores: cores.server.len(),
            working_cores: cores.server.len().min(how.workers).max(1),
            client_cores: cores.clients.len(),
            are_apart: cores.are_apart,
            hosts: 1,
            servers: 1,
            server_cpu: None,
        })
    }

    fn make_file(&mut self, bytes: usize) -> Result<(), String> {
        self.looked_at.clear();
        self.file = self.ground.files.make(bytes, &interruption::is_wanted)?;
        Ok(())
    }

    fn look(&mut self, case: &TlsCase) -> Result<(), String> {
        let how = case.workload.served().ok_or(NOT_OF_THE_PLAN)?;
        let suite = CipherSuite::of(case.workload.algorithm).ok_or(NOT_OF_THE_PLAN)?;
        let (Some((_, loader)), Some(server)) =
            (self.ground.loaders.get_mut(&how.workers), self.ground.servers.get(&case.server()))
        else {
            return Err(NOT_OF_THE_PLAN.to_owned());
        };
        let server = server.as_ref().map_err(Clone::clone)?;
        let address = server.address(suite).ok_or(NOT_OF_THE_PLAN)?;
        let name = self.file.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let mut served = RemoteFile { address, suite, name, bytes: case.workload.bytes as u64, header: 0 };
        served.header = loader.look(&served, &self.file)?;
        self.looked_at.insert(*case, served);
        Ok(())
    }

    fn step(&mut self, case: &TlsCase, asked: StepRequest) -> Result<LoadStep, String> {
        let how = case.workload.served().ok_or(NOT_OF_THE_PLAN)?;
        let (Some((_, loader)), Some(Ok(server)), Some(served)) = (
            self.ground.loaders.get_mut(&how.workers),
            self.ground.servers.get(&case.server()),
            self.looked_at.get(case),
        ) else {
            return Err(NOT_OF_THE_PLAN.to_owned());
        };
        let step = loader.step(server, served, asked.connections, asked.duration, asked.rate)?;
        if server.is_whole() { Ok(step) } else { Err("a worker of nginx has ended".to_owned()) }
    }

    fn remove_files(&mut self) {
        self.ground.files.remove();
    }
}
