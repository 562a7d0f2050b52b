//! System limits that bound the number of connections of a web server.

use crate::document::Limit;

/// Name of the limit of open files per process. Each connection is an open file.
pub const OPEN_FILES: &str = "nofile";
pub const WORKER_CONNECTIONS: &str = "worker_connections";
/// Name of the range of ports that clients can use for connections to one address.
pub const PORT_RANGE: &str = "net.ipv4.ip_local_port_range";
/// Name of the limit of connections that wait to be accepted.
pub const BACKLOG: &str = "net.core.somaxconn";
pub const TCP_MEMORY: &str = "net.ipv4.tcp_mem";

/// Returns the limit that allows the fewest simultaneous connections, and their number.
pub fn first_to_bind(limits: &[Limit]) -> Option<(&Limit, u64)> {
    let known = limits.iter().filter_map(|limit| Some((limit, limit.connections?)));
    known.min_by_key(|(_, connections)| *connections)
}
