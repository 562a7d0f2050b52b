//! What a web server adds to a workload: nginx, which sends whole files, or an HTTPS server in a virtual machine.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::name::named;

/// How a web server sends files, and to whom.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Served {
    /// Processes of the server that do the work.
    pub workers: usize,
    /// Whose time must not exceed the limit.
    #[serde(default)]
    pub latency_of: LatencyOf,
}

/// How a server in a virtual machine sends files over TLS, and to whom.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Https {
    /// Connections at once, each closed after its file and followed by a new one.
    pub connections: usize,
}

named! {
    /// Which time of a connection must not exceed the limit.
    #[derive(Default)]
    pub enum LatencyOf: exactly "the latency is that of a connection or of a request" {
        /// From its intended start to the first byte of the answer: connecting, the handshake, waiting.
        #[default]
        Connection = "connection",
        /// From its intended start to the last byte.
        Request = "request",
    }
}

/// What kept a server from sending more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Bottleneck {
    /// The server's own cores were busy: the figure is the server's own rate.
    ServerCpu,
    /// A client's core was busy: the server could do more.
    ClientCpu,
    /// Server and clients share the cores, and these were busy.
    SharedCpu,
    /// The kernel refused memory to TCP.
    Memory,
    /// No core was busy: server and clients waited for each other, for the network, or for cores that others had.
    Neither,
}

impl fmt::Display for Served {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} worker{}", self.workers, if self.workers == 1 { "" } else { "s" })?;
        if self.latency_of == LatencyOf::Request {
            f.write_str(", whole requests within the limit")?;
        }
        Ok(())
    }
}

impl fmt::Display for Https {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} connection{} at once", self.connections, if self.connections == 1 { "" } else { "s" })
    }
}
