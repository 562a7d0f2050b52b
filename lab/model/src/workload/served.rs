//! What the level `tls` adds to a workload: a web server that sends whole files, and what fetches them.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::name::named;

/// How a web server sends files, and to whom.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Served {
    /// Processes of the server that do the work.
    pub workers: usize,
    /// Whose time must not exceed the limit.
    pub latency_of: LatencyOf,
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

named!(
    LatencyOf,
    exactly "the latency is that of a connection or of a request",
    Connection = "connection",
    Request = "request",
);

impl fmt::Display for Served {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} worker{}", self.workers, if self.workers == 1 { "" } else { "s" })?;
        if self.latency_of == LatencyOf::Request {
            f.write_str(", whole requests within the limit")?;
        }
        Ok(())
    }
}
