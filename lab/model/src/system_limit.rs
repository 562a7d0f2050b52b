//! The limits of the system that bound how many connections a web server holds.

use crate::document::Limit;

/// Names of limits that tell how many connections at once are possible: open files of a process, nginx's own, ports of
/// clients to one address, connections that wait to be accepted, and the memory of TCP.
pub const OPEN_FILES: &str = "nofile";
/// As above.
pub const WORKER_CONNECTIONS: &str = "worker_connections";
/// As above.
pub const PORT_RANGE: &str = "net.ipv4.ip_local_port_range";
/// As above.
pub const BACKLOG: &str = "net.core.somaxconn";
/// As above.
pub const TCP_MEMORY: &str = "net.ipv4.tcp_mem";

/// How many connections at once are possible here, and the limit that allows no more.
pub fn first_to_bind(limits: &[Limit]) -> Option<(&Limit, u64)> {
    let known = limits.iter().filter_map(|limit| Some((limit, limit.connections?)));
    known.min_by_key(|(_, connections)| *connections)
}
