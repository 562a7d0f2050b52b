//! What every host of a run has itself: connections to those that serve, clients, and the file in which it keeps what
//! its clients saw.

use std::net::SocketAddr;
use std::time::Duration;

use super::connection::{ConnectionError, HostConnection};
use super::host_file::HostFile;
use super::lines::{ServerAnswer, ServerDescription, ServerQuestion, Used};
use super::orders::{StepOrder, check_used};
use super::token::Token;
use kasoku_measure::tls::RemoteFile;
use kasoku_measure::tls::host::{LoadHost, Part};
use kasoku_model::algorithm::CipherSuite;

/// How long a host that serves may take for a question that needs no work.
const SOON: Duration = Duration::from_secs(10);
/// A file is made no slower than this: bytes a second.
const SLOWEST_MAKING: f64 = 20e6;

/// This host.
pub struct OwnHost {
    connections: Vec<HostConnection>,
    /// Its clients.
    pub clients: LoadHost,
    /// Where it keeps what they saw; none where no other host takes part.
    pub file: Option<HostFile>,
}

impl OwnHost {
    /// Has each of `servers` show that it knows the token, and starts the clients.
    ///
    /// # Errors
    /// Why a server is not used, or a client does not start.
    pub fn open(servers: &[String], token: &Token, run: &Token) -> Result<OwnHost, String> {
        let open = |name: &String| HostConnection::open(name, token, run).map_err(|error| error.to_string());
        let connections = servers.iter().map(open).collect::<Result<Vec<_>, String>>()?;
        Ok(OwnHost { clients: LoadHost::start(connections.len())?, connections, file: None })
    }

    /// One that has neither servers nor clients.
    #[cfg(test)]
    pub(super) fn idle() -> OwnHost {
        OwnHost { connections: Vec::new(), clients: LoadHost::idle(), file: None }
    }

    /// What there is at each address.
    pub fn descriptions(&self) -> impl Iterator<Item = &ServerDescription> {
        self.connections.iter().map(HostConnection::description)
    }

    /// Addresses.
    pub fn addresses(&self) -> usize {
        self.connections.len()
    }

    /// The first address of each host that serves: several may lead to one.
    pub fn distinct(&self) -> Vec<usize> {
        let ids: Vec<&Token> = self.descriptions().map(|description| &description.id).collect();
        (0..ids.len()).filter(|&index| !ids[..index].contains(&ids[index])).collect()
    }

    /// A file as it is served at an address; `None` if that has no such server.
    pub fn served(&self, index: usize, step: &StepOrder) -> Option<RemoteFile> {
        let connection = self.connections.get(index)?;
        let ServerDescription { servers, folder, .. } = connection.description();
        let (_, ports) = servers.iter().find(|(named, _)| *named == step.server)?;
        let (_, port) = ports.iter().find(|(suite, _)| *suite == step.suite)?;
        Some(RemoteFile {
            address: SocketAddr::new(connection.address().ip(), *port),
            suite: CipherSuite::of(step.suite)?,
            name: format!("{folder}/{}", step.bytes),
            bytes: step.bytes,
            header: step.headers.get(index).copied().unwrap_or(0),
        })
    }

    /// Whether all hosts that serve have a suite of a server.
    pub fn has(&self, step: &StepOrder) -> bool {
        (0..self.connections.len()).all(|index| self.served(index, step).is_some())
    }

    /// Has each host that serves make a file.
    ///
    /// # Errors
    /// Why one cannot.
    pub fn make_file(&mut self, bytes: u64) -> Result<(), String> {
        let patience = SOON + Duration::from_secs_f64(bytes as f64 / SLOWEST_MAKING);
        for index in self.distinct() {
            done(self.connections[index].ask(&ServerQuestion::File(bytes), patience))?;
        }
        Ok(())
    }

    /// Has each host that serves watch the server of `step`.
    ///
    /// # Errors
    /// If one cannot.
    pub fn watch(&mut self, step: &StepOrder) -> Result<(), String> {
        for index in self.distinct() {
            done(self.connections[index].ask(&ServerQuestion::Watch(step.server.clone()), SOON))?;
        }
        Ok(())
    }

    /// What each of them used since, in which `step` was done.
    ///
    /// # Errors
    /// If one does not report it, or reports what is impossible.
    pub fn used(&mut self, step: &StepOrder) -> Result<Vec<Used>, String> {
        let mut all = Vec::new();
        for index in self.distinct() {
            match self.connections[index].ask(&ServerQuestion::Use, SOON).map_err(|error| error.to_string())? {
                ServerAnswer::Used(used) if check_used(&used, step).is_ok() => all.push(used),
                _ => return Err("kasoku serve reported impossible values".to_owned()),
            }
        }
        Ok(all)
    }

    /// Looks at the file of `step` at each address; how long the header in front of it is there.
    ///
    /// # Errors
    /// If it is not what it must be.
    pub fn look(&mut self, step: &StepOrder) -> Result<Vec<u64>, String> {
        let mut headers = Vec::with_capacity(self.connections.len());
        for index in 0..self.connections.len() {
            let served = self.served(index, step).ok_or("no such server")?;
            headers.push(self.clients.look(&served)?);
        }
        Ok(headers)
    }

    /// Puts this host's share of a step on the servers, and keeps the result before it reports it.
    ///
    /// # Errors
    /// What went wrong.
    pub fn load(&mut self, step: &StepOrder, start_ns: u64) -> Result<Part, String> {
        let served = (0..self.connections.len()).map(|index| self.served(index, step));
        let aims = served.collect::<Option<Vec<_>>>().ok_or("no such server")?;
        let part = self.clients.load(&aims, &step.connections, start_ns, step.duration, step.patience)?;
        if let Some(file) = &mut self.file
            && let Some(round) = step.round
        {
            let description = self.connections[0].description();
            file.keep_part(step, round, &part, description)?;
        }
        Ok(part)
    }
}

fn done(answer: Result<ServerAnswer, ConnectionError>) -> Result<(), String> {
    match answer.map_err(|error| error.to_string())? {
        ServerAnswer::Done => Ok(()),
        _ => Err("kasoku serve sent an unexpected answer".to_owned()),
    }
}
