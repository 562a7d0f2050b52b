//! What the level `tls` adds to a workload: a web server that sends whole files, and what fetches them.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

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

impl Client {
    /// The name in code, output and documents.
    pub fn name(self) -> &'static str {
        match self {
            Client::Draining => "draining",
            Client::Ab => "ab",
        }
    }
}

impl LatencyOf {
    /// The name in code, output and documents.
    pub fn name(self) -> &'static str {
        match self {
            LatencyOf::Connection => "connection",
            LatencyOf::Request => "request",
        }
    }
}

impl FromStr for Client {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        let known = [Client::Draining, Client::Ab].into_iter().find(|client| client.name() == name);
        known.ok_or_else(|| "a client is draining or ab".to_owned())
    }
}

impl FromStr for LatencyOf {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        let known = [LatencyOf::Connection, LatencyOf::Request].into_iter().find(|of| of.name() == name);
        known.ok_or_else(|| "the latency is that of a connection or of a request".to_owned())
    }
}

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
