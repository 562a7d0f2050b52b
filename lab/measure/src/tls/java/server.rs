//! A server process, as the laboratory sees it. It is bound to the laboratory's life as every worker is.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::Path;
use std::process::Stdio;
use std::sync::mpsc::{Receiver, sync_channel};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::super::load::ServerUnderTest;
use crate::child::ChildProcess;
use crate::own_program;
use crate::worker_process::{WorkerName, arguments};
use kasoku_libraries::interruption::{self, Silence};

/// How long it may take until it listens: a virtual machine starts, and a provider is loaded.
const STARTING: Duration = Duration::from_secs(40);
/// How long any other answer may take.
const ANSWERING: Duration = Duration::from_secs(10);
/// No answer is longer.
const MAX_LINE: usize = 64 << 10;

/// A server that runs. Dropped, it is ended.
pub(super) struct JavaServer {
    child: ChildProcess,
    said: Receiver<String>,
    /// Where it listens.
    pub(super) address: SocketAddr,
    /// How it describes itself.
    pub(super) description: Answer,
}

#[derive(Serialize)]
#[serde(tag = "operation", rename_all = "lowercase")]
pub(super) enum Order<'a> {
    Serve {
        /// The file, of whose first bytes as many are sent as are asked for.
        file: &'a Path,
        key: &'a Path,
        certificate: &'a Path,
        protocol: &'static str,
        /// The only suite.
        suite: &'static str,
        /// Threads that send.
        threads: usize,
    },
    Count {},
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Answer {
    port: u16,
    /// Version of the library, and the file that was loaded.
    pub(super) version: String,
    pub(super) loaded_from: Option<String>,
    /// The provider that TLS has its ciphers from, as it calls itself.
    pub(super) cipher: String,
    bytes: Option<u64>,
    error: Option<String>,
    unavailable: Option<String>,
    unsupported: Option<String>,
}

impl JavaServer {
    /// Starts it on `cores`, and waits until it listens.
    pub(super) fn start(name: &WorkerName, cores: &[usize], serve: &Order<'_>) -> Result<JavaServer, String> {
        let failed = |error: std::io::Error| format!("cannot start the server: {error}");
        let mut command = own_program::again().map_err(failed)?;
        let cores: Vec<String> = cores.iter().map(usize::to_string).collect();
        command.args(arguments(name)).arg("--https-server").args(["--cores", &cores.join(",")]);
        command.stderr(Stdio::null());
        kasoku_libraries::remove_switches(&mut command);
        let (sender, said) = sync_channel(1);
        let heard = move |line| sender.send(line).is_ok();
        let child = ChildProcess::start(&mut command, MAX_LINE, heard).map_err(failed)?;
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
        let mut server = JavaServer { child, said, address, description: Answer::default() };
        server.description = server.ask(serve, STARTING)?;
        server.address.set_port(server.description.port);
        Ok(server)
    }

    fn ask(&mut self, order: &Order<'_>, limit: Duration) -> Result<Answer, String> {
        let _ = self.child.say(order); // where it has ended, what is heard of it next says how
        let line = match interruption::receive(&self.said, limit) {
            Ok(line) if line.ends_with('\n') => line,
            Ok(_) | Err(Silence::Ended) => return Err(format!("the server {}", self.child.ended())),
            Err(Silence::TimedOut) => return Err("the server did not answer and was stopped".to_owned()),
            Err(Silence::Interrupted) => return Err("stopped".to_owned()),
        };
        let answer: Answer = serde_json::from_str(&line).map_err(|_| "the server sent an invalid answer".to_owned())?;
        let why = [&answer.error, &answer.unavailable, &answer.unsupported].into_iter().find_map(Clone::clone);
        why.map_or(Ok(answer), Err)
    }
}

impl ServerUnderTest for JavaServer {
    fn processes(&self) -> Vec<u32> {
        vec![self.child.id()]
    }

    fn encrypted_bytes(&mut self) -> Result<Option<u64>, String> {
        Ok(self.ask(&Order::Count {}, ANSWERING)?.bytes)
    }

    /// Does nothing: a server that has ended does not answer, either.
    fn check_alive(&mut self) -> Result<(), String> {
        Ok(())
    }
}
