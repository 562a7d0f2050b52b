//! The draining client: a child process on a core of its own that fetches files over many connections at once.
//!
//! libssl does each handshake. The kernel counts and discards the data that follows, so that the client takes little
//! CPU time from the server. The laboratory and a client exchange lines with one JSON object each. Each request is
//! followed by its answer.

mod draining;
mod fetching;
mod socket;

pub(super) use socket::now_ns;

use std::collections::HashMap;
use std::io::{BufRead, Write};
use std::net::SocketAddr;
use std::rc::Rc;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::processes::CpuUse;
use crate::child::write_line;
use crate::protocol::WorkerAnswer;
use kasoku_libraries::openssl::connection::{ClientSettings, TlsLibrary};
use kasoku_model::algorithm::{Algorithm, CipherSuite};
use kasoku_model::histogram::Histogram;

/// A file on a server. Its length in bytes is its path.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Target {
    pub address: SocketAddr,
    /// Cipher suite that the handshake must negotiate.
    pub suite: Algorithm,
    /// Length of the content in bytes.
    pub bytes: u64,
}

/// A file on a server whose content has been compared with the expected content.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RemoteFile {
    pub(crate) target: Target,
    /// Number of bytes that the server sends after each handshake.
    pub(crate) wire_bytes: u64,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum ClientRequest {
    /// Check that the client could load its TLS library, without connecting to a server. Answer: `()`, or the error of
    /// loading.
    Check,
    /// Fetch a file once. Answer: the number of bytes of the HTTP header if the content is compared; otherwise the
    /// number of bytes on the wire after the handshake.
    Fetch(Fetch),
    /// Put load on a server. Answer: [`ClientLoad`].
    Load(Load),
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Fetch {
    pub(crate) target: Target,
    /// Number of bytes of the [random text](crate::files::random_text) with which the content must agree. `None` only
    /// counts the records, without decrypting them.
    pub(crate) text_bytes: Option<u64>,
    /// Deadline in nanoseconds of the monotonic clock.
    pub(crate) until_ns: u64,
}

/// Load with a number of simultaneous connections. Each connection is closed after one file and replaced by a new one.
/// Times are in nanoseconds of the monotonic clock.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Load {
    pub(crate) file: RemoteFile,
    pub(crate) connections: usize,
    pub(crate) start_ns: u64,
    /// End of the time during which new connections begin. Existing connections are completed.
    pub(crate) end_ns: u64,
    pub(crate) until_ns: u64,
}

/// Load of a step, as measured by one client, by the clients of one host, or by all clients.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ClientLoad {
    pub files: u64,
    /// Nanoseconds from the common start to the last received byte.
    pub ns: u64,
    /// Nanoseconds from the common start until the last client had begun to open connections.
    pub late_ns: u64,
    /// Latencies from the intended start of a connection to the first byte of its answer.
    pub connection: Histogram,
    /// Latencies from the intended start of a connection to the last byte of its answer.
    pub request: Histogram,
    /// CPU use of each participating client, which its parent process measures.
    pub clients: Vec<CpuUse>,
    /// Number of times that TCP ran out of memory during the load.
    pub pressures: u64,
}

impl ClientLoad {
    /// Adds the load of other clients in the same step. Latencies are merged, never averaged.
    pub(super) fn merge(&mut self, other: ClientLoad) {
        self.files = self.files.saturating_add(other.files);
        self.ns = self.ns.max(other.ns);
        self.late_ns = self.late_ns.max(other.late_ns);
        self.connection.merge(&other.connection);
        self.request.merge(&other.request);
        self.clients.extend(other.clients);
        self.pressures = self.pressures.saturating_add(other.pressures);
    }
}

/// Answers requests, one line each, until `input` ends.
pub fn serve(input: impl BufRead, mut output: impl Write) -> std::io::Result<()> {
    let library = TlsLibrary::open().map_err(|unavailable| unavailable.why);
    let mut settings = HashMap::new();
    for line in input.lines() {
        let answer = serde_json::from_str::<ClientRequest>(&line?)
            .map_err(|error| format!("invalid request: {error}"))
            .and_then(|request| answer(&library, &mut settings, &request));
        write_line(&mut output, &answer.map_or_else(|why| WorkerAnswer::Refused(why.into()), WorkerAnswer::Done))?;
    }
    Ok(())
}

fn answer(
    library: &Result<Arc<TlsLibrary>, String>,
    settings: &mut HashMap<Algorithm, Rc<ClientSettings>>,
    request: &ClientRequest,
) -> Result<Value, String> {
    let library = library.as_ref().map_err(Clone::clone)?;
    let mut settings_of = |Target { suite, .. }: &Target| match settings.get(suite) {
        Some(known) => Ok(Rc::clone(known)),
        None => {
            let named = CipherSuite::of(*suite).ok_or_else(|| format!("{suite} is not a cipher suite"))?;
            let made = ClientSettings::new(library, named).map_err(|error| error.what)?;
            Ok::<_, String>(Rc::clone(settings.entry(*suite).or_insert(made)))
        }
    };
    let done = match request {
        ClientRequest::Check => Ok(Value::Null),
        ClientRequest::Fetch(fetch) => serde_json::to_value(fetching::fetch(&settings_of(&fetch.target)?, fetch)?),
        ClientRequest::Load(load) => serde_json::to_value(draining::load(&settings_of(&load.file.target)?, load)?),
    };
    done.map_err(|error| error.to_string())
}
