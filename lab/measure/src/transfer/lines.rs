//! The lines that the laboratory and an endpoint exchange: one JSON object each. The first says what the endpoint is,
//! each further one asks for data; an endpoint that cannot go on says why and ends.

use std::net::SocketAddr;

use serde::{Deserialize, Serialize};

use kasoku_model::algorithm::Algorithm;
use kasoku_model::workload::transfer::{Protection, Transport};

/// The longest line: an endpoint says its certificate in one.
pub(super) const MAX_LINE: usize = 64 << 10;

/// What an endpoint is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct EndpointSetting {
    /// Whose code protects the data.
    pub(super) library: String,
    pub(super) algorithm: Algorithm,
    /// Over what: `quic` or `tls`.
    pub(super) transport: String,
    /// How: `provider` or `one-pass`.
    pub(super) protection: String,
    /// Bytes of a UDP payload, or of a record's text.
    pub(super) bytes: usize,
    /// Of the sender: where the receiver is. A receiver has none, and says where it is.
    pub(super) peer: Option<Peer>,
}

/// Where the receiver is, and how it is known.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Peer {
    pub(super) address: SocketAddr,
    /// Its certificate, in hexadecimal.
    pub(super) certificate: String,
}

impl EndpointSetting {
    /// Over what and how.
    ///
    /// # Errors
    /// If that is not known.
    pub(super) fn transfer(&self) -> Result<(Transport, Protection), String> {
        Ok((self.transport.parse()?, self.protection.parse()?))
    }
}

/// Data to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct EndpointOrder {
    pub(super) bytes: u64,
    /// Whether each of them is looked at, instead of the ends of each piece.
    pub(super) is_looked_at: bool,
}

/// What an endpoint says.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct EndpointAnswer {
    /// Of a receiver that waits: where.
    pub(super) peer: Option<Peer>,
    /// Of a sender that is connected: the most packets it gives the system in one call.
    pub(super) segments: Option<usize>,
    /// Wall time.
    pub(super) ns: u64,
    /// CPU time of the process.
    pub(super) cpu_ns: u64,
    /// Of it, in the kernel.
    pub(super) kernel_ns: u64,
    /// Time it could have run and something else had its core.
    pub(super) waited_ns: u64,
    /// Packets that it sent.
    pub(super) packets: u64,
    /// Calls of the system in which it sent them.
    pub(super) calls: u64,
    /// Packets that it took for lost.
    pub(super) lost: u64,
    /// What went wrong; nothing comes after it.
    pub(super) error: Option<String>,
}
