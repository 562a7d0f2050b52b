//! Starts and controls an HTTPS server in a Java virtual machine, which is a worker's process with another task.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::Path;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::super::load::ServerUnderTest;
use crate::worker_process::{WorkerError, WorkerName, WorkerProcess};

/// Maximum time until the server listens. A virtual machine must start and load a security provider.
const STARTING: Duration = Duration::from_secs(40);
/// Maximum time to answer a request after the start.
const ANSWERING: Duration = Duration::from_secs(10);

/// A running server. Dropping it ends the process.
pub(super) struct JavaServer {
    process: WorkerProcess,
    pub(super) address: SocketAddr,
    pub(super) description: ServerAnswer,
}

#[derive(Serialize)]
#[serde(tag = "operation", rename_all = "lowercase")]
pub(super) enum ServerOrder<'a> {
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
pub(super) struct ServerAnswer {
    port: u16,
    /// Version of the library, and path of its loaded file.
    pub(super) version: String,
    pub(super) loaded_from: Option<String>,
    /// Name of the security provider that implements the ciphers for TLS.
    pub(super) cipher: String,
    bytes: Option<u64>,
}

impl JavaServer {
    /// Starts the server on `cores`, and waits until it listens.
    pub(super) fn start(name: &WorkerName, cores: &[usize], serve: &ServerOrder<'_>) -> Result<JavaServer, String> {
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

    /// Does nothing: a server that has ended does not answer requests, which fails anyway.
    fn check_alive(&mut self) -> Result<(), String> {
        Ok(())
    }
}
