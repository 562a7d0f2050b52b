//! What the level `tls` adds to a workload: a web server that sends whole files, and what fetches them.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::name::named;

/// How a web server sends files, and to whom.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Served {
    /// Processes of the server that do the work.
    pub workers: usize,
    /// What fetches the files.
    pub client: Client,
    /// Whose time must not exceed the limit.
    pub latency_of: LatencyOf,
}

/// What fetches the files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Client {
    /// Ours: the handshake by libssl, and then it only counts the bytes that come.
    #[default]
    Draining,
    /// Apache's `ab`, which decrypts what it gets.
    Ab,
}

/// Which time of a connection must not exceed the limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LatencyOf {
    /// From its intended start to the first byte of the answer: connecting, the handshake, waiting.
    #[default]
    Connection,
    /// From its intended start to the last byte.
    Request,
}

named!(Client, exactly "a client is draining or ab", Draining = "draining", Ab = "ab");

named!(
    LatencyOf,
    exactly "the latency is that of a connection or of a request",
    Connection = "connection",
    Request = "request",
);

impl fmt::Display for Served {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} worker{}", self.workers, if self.workers == 1 { "" } else { "s" })?;
        if self.client != Client::Draining {
            write!(f, ", fetched by {}", self.client.name())?;
        }
        if self.latency_of == LatencyOf::Request {
            f.write_str(", whole requests within the limit")?;
        }
        Ok(())
    }
}
