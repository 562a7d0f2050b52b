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
use kasoku_libraries::nginx::certificate::Certificate;
use kasoku_model::algorithm::CipherSuite;

/// How long it may take until it listens: a virtual machine starts, and a provider is loaded.
const STARTING: Duration = Duration::from_secs(40);
/// How long any other answer may take.
const ANSWERING: Duration = Duration::from_secs(10);
/// No answer is longer.
const MAX_LINE: usize = 64 << 10;

/// What is to be served, and how.
pub(super) struct WantedJavaServer<'a> {
    /// The library with its virtual machine.
    pub(super) name: &'a WorkerName,
    /// The file, of whose first bytes as many are sent as are asked for.
    pub(super) file: &'a Path,
    /// The server's own key and certificate.
    pub(super) certificate: &'a Certificate,
    /// The only suite.
    pub(super) suite: CipherSuite,
    /// Threads that send.
    pub(super) threads: usize,
    /// The cores it may run on.
    pub(super) cores: &'a [usize],
}

/// A server that runs. Dropped, it is ended.
pub(super) struct JavaServer {
    child: ChildProcess,
    said: Receiver<String>,
    /// Where it listens.
    pub(super) address: SocketAddr,
    /// The library's version, as it describes itself.
    pub(super) version: String,
    /// The file that was loaded.
    pub(super) loaded_from: Option<String>,
    /// The provider that TLS has its ciphers from, as it calls itself.
    pub(super) cipher: String,
}

#[derive(Serialize)]
#[serde(tag = "operation", rename_all = "lowercase")]
enum Order<'a> {
    Serve {
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
struct Answer {
    port: u16,
    version: String,
    loaded_from: Option<String>,
    cipher: String,
    bytes: Option<u64>,
    error: Option<String>,
    unavailable: Option<String>,
    unsupported: Option<String>,
}

impl JavaServer {
    /// Starts it and waits until it listens.
    ///
    /// # Errors
    /// Why it does not.
    pub(super) fn start(wanted: &WantedJavaServer<'_>) -> Result<JavaServer, String> {
        let failed = |error: std::io::Error| format!("cannot start the server: {error}");
        let mut command = own_program::again().map_err(failed)?;
        let cores: Vec<String> = wanted.cores.iter().map(usize::to_string).collect();
        command.args(arguments(wanted.name)).arg("--https-server").args(["--cores", &cores.join(",")]);
        command.stderr(Stdio::null());
        kasoku_libraries::remove_switches(&mut command);
        let (sender, said) = sync_channel(1);
        let child = ChildProcess::start(&mut command, MAX_LINE, move |line| sender.send(line).is_ok());
        let (version, cipher) = (String::new(), String::new());
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
        let child = child.map_err(failed)?;
        let mut server = JavaServer { child, said, address, version, loaded_from: None, cipher };
        let order = Order::Serve {
            file: wanted.file,
            key: &wanted.certificate.key,
            certificate: &wanted.certificate.certificate,
            protocol: wanted.suite.protocol().name(),
            suite: wanted.suite.openssl_name(),
            threads: wanted.threads,
        };
        let Answer { port, version, loaded_from, cipher, .. } = server.ask(&order, STARTING)?;
        server.address.set_port(port);
        Ok(JavaServer { version, loaded_from, cipher, ..server })
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
