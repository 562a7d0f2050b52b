//! The lines that the laboratory and a draining client exchange: one JSON object each, request and answer in turn.

use std::net::SocketAddr;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use kasoku_model::algorithm::Algorithm;
use kasoku_model::histogram::Histogram;

/// A file on a server.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Target {
    /// The server.
    pub address: SocketAddr,
    /// The suite that must be agreed on.
    pub suite: Algorithm,
    /// The file's path in the request.
    pub path: String,
    /// How long its content is.
    pub bytes: u64,
}

/// What a client is asked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum ClientRequest {
    /// Whether it can work at all.
    Check,
    /// One file, looked at and not timed.
    Fetch(Fetch),
    Load(Load),
}

/// One file, looked at and not timed: its content, or the records it came in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Fetch {
    /// Which file, from where.
    pub(crate) target: Target,
    /// The content it must have; without any its records are counted and not decrypted.
    pub(crate) same_as: Option<Expected>,
    /// When it must be done, in nanoseconds of the monotonic clock.
    pub(crate) until_ns: u64,
}

/// The content that a file must have.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Expected {
    /// That of a file here.
    File(PathBuf),
    /// What is made for a file of that size everywhere.
    Made,
}

/// Load: this many connections at once, each closed after its file and followed by a new one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Load {
    /// Which file, from where.
    pub(crate) target: Target,
    /// Connections at once.
    pub(crate) connections: usize,
    /// When it begins, in nanoseconds of the monotonic clock.
    pub(crate) start_ns: u64,
    /// When no new connection begins any more; those that are there are brought to their end.
    pub(crate) end_ns: u64,
    /// When it is given up.
    pub(crate) until_ns: u64,
    /// Bytes that must come behind each handshake.
    pub(crate) wire_bytes: u64,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct ClientAnswer {
    /// Files that came whole.
    pub(crate) files: u64,
    /// When it began, after the start it was told at the earliest.
    pub(crate) began_ns: u64,
    /// When the last of them was there.
    pub(crate) ended_ns: u64,
    /// CPU time of the client.
    pub(crate) cpu_ns: u64,
    /// Times from the intended start of a connection to the first byte of its answer.
    pub(crate) connection: Histogram,
    /// Times to the last byte.
    pub(crate) request: Histogram,
    /// Of a file that was looked at: bytes of the HTTP header, or behind the handshake on the wire.
    pub(crate) bytes: u64,
    /// Of the latter, records.
    pub(crate) records: u64,
    /// What went wrong.
    pub(crate) error: Option<String>,
}
