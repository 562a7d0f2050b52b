//! What an HTTPS server in a virtual machine adds to a workload.

use std::fmt;

use serde::{Deserialize, Serialize};

/// How a server in a virtual machine sends files over TLS, and to whom.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Https {
    /// Connections at once, each closed after its file and followed by a new one.
    pub connections: usize,
}

impl fmt::Display for Https {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} connection{} at once", self.connections, if self.connections == 1 { "" } else { "s" })
    }
}
