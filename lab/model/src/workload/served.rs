//! Settings of servers that send whole files: nginx, or an HTTPS server in a Java virtual machine.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::name::named;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Served {
    /// Number of worker processes of the server.
    pub workers: usize,
    #[serde(default)]
    pub latency_of: LatencyOf,
    /// Number of simultaneous connections, if it is part of the task; `None` if it is the best number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub connections: Option<usize>,
}

/// Setting of an HTTPS server in a Java virtual machine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Https {
    /// Number of simultaneous connections. Each is closed after its file and replaced by a new one.
    pub connections: usize,
}

named! {
    /// Kind of latency that must not exceed the limit.
    #[derive(Default)]
    pub enum LatencyOf: exactly "the latency is that of a connection or of a request" {
        /// From the intended start of a connection to the first byte of the response.
        #[default]
        Connection = "connection",
        /// From the intended start of a connection to the last byte of the response.
        Request = "request",
    }
}

/// Resource that kept the server from sending more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Bottleneck {
    /// The server's cores were busy, so the figure is the limit of the server itself.
    ServerCpu,
    /// A client's core was busy, so the server may be able to send more.
    ClientCpu,
    /// Server and clients share cores, and these were busy.
    SharedCpu,
    Memory,
    /// No core was busy. Server and clients waited for each other, for the network, or for cores that other programs
    /// used.
    Neither,
}

impl fmt::Display for Served {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} worker{}", self.workers, if self.workers == 1 { "" } else { "s" })?;
        if self.latency_of == LatencyOf::Request {
            f.write_str(", whole requests within the limit")?;
        }
        self.connections.map_or(Ok(()), |connections| write!(f, ", {}", Https { connections }))
    }
}

impl fmt::Display for Https {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} connection{} at once", self.connections, if self.connections == 1 { "" } else { "s" })
    }
}
