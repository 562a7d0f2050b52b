//! The draining client: a child process on a core of its own that fetches files over many connections at once.
//!
//! libssl does each handshake; the kernel counts and discards what follows, so that the time goes to the server. The
//! laboratory and a client exchange one JSON object a line, request and answer in turn.

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

use super::processes::CpuUse;
use crate::child::write_line;
use kasoku_libraries::openssl::connection::{ClientSettings, TlsLibrary};
use kasoku_model::algorithm::{Algorithm, CipherSuite};
use kasoku_model::histogram::Histogram;

/// A file on a server, whose path is its length.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Target {
    pub address: SocketAddr,
    /// Suite that must be negotiated.
    pub suite: Algorithm,
    /// Length of the content in bytes.
    pub bytes: u64,
}

/// A file on a server, once its content was compared.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RemoteFile {
    pub(crate) target: Target,
    /// Bytes that the server sends after each handshake.
    pub(crate) wire_bytes: u64,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum ClientRequest {
    /// Say whether the client can work.
    Check,
    Fetch(Fetch),
    Load(Load),
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Fetch {
    pub(crate) target: Target,
    /// Length of the [random text](crate::files::RandomText) that the content must begin; without it, the records are
    /// counted and not decrypted.
    pub(crate) text_bytes: Option<u64>,
    /// Deadline in nanoseconds of the monotonic clock.
    pub(crate) until_ns: u64,
}

/// A number of connections at once, each closed after its file and followed by a new one. Times are in nanoseconds of
/// the monotonic clock.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Load {
    pub(crate) file: RemoteFile,
    pub(crate) connections: usize,
    pub(crate) start_ns: u64,
    /// End of the time during which new connections begin; existing ones are completed.
    pub(crate) end_ns: u64,
    pub(crate) until_ns: u64,
}

/// Load of a step, measured by one client, those of one host, or all.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ClientLoad {
    pub files: u64,
    /// Nanoseconds from the common start to the last byte.
    pub ns: u64,
    /// Nanoseconds from the common start until the last client had begun.
    pub late_ns: u64,
    /// Times from the intended start of a connection to the first byte of its answer.
    pub connection: Histogram,
    /// Times to the last byte.
    pub request: Histogram,
    /// CPU use of each client that took part, measured by its parent.
    pub clients: Vec<CpuUse>,
    /// How often TCP ran out of memory meanwhile.
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

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct ClientAnswer {
    pub(crate) load: ClientLoad,
    /// For [`ClientRequest::Fetch`]: bytes of the HTTP header, or those on the wire after the handshake.
    pub(crate) bytes: u64,
    pub(crate) error: Option<String>,
}

/// Answers requests, one line each, until `input` ends.
pub fn serve(input: impl BufRead, mut output: impl Write) -> std::io::Result<()> {
    let library = TlsLibrary::open().map_err(|unavailable| unavailable.why);
    let mut settings = HashMap::new();
    for line in input.lines() {
        let answer = serde_json::from_str::<ClientRequest>(&line?)
            .map_err(|error| format!("invalid request: {error}"))
            .and_then(|request| answer(&library, &mut settings, &request))
            .unwrap_or_else(|why| ClientAnswer { error: Some(why), ..ClientAnswer::default() });
        write_line(&mut output, &answer)?;
    }
    Ok(())
}

fn answer(
    library: &Result<Arc<TlsLibrary>, String>,
    settings: &mut HashMap<Algorithm, Rc<ClientSettings>>,
    request: &ClientRequest,
) -> Result<ClientAnswer, String> {
    let library = library.as_ref().map_err(Clone::clone)?;
    let mut settings_of = |Target { suite, .. }: &Target| match settings.get(suite) {
        Some(known) => Ok(Rc::clone(known)),
        None => {
            let named = CipherSuite::of(*suite).ok_or_else(|| format!("{suite} is not a cipher suite"))?;
            let made = ClientSettings::new(library, named).map_err(|error| error.what)?;
            Ok::<_, String>(Rc::clone(settings.entry(*suite).or_insert(made)))
        }
    };
    let mut answer = ClientAnswer::default();
    match request {
        ClientRequest::Check => {}
        ClientRequest::Fetch(fetch) => answer.bytes = fetching::fetch(&settings_of(&fetch.target)?, fetch)?,
        ClientRequest::Load(load) => answer.load = draining::load(&settings_of(&load.file.target)?, load)?,
    }
    Ok(answer)
}
