//! The limits of the system that bound how many connections a web server holds.

use crate::document::Limit;

/// The limit of a process's open files, each connection being one.
pub const OPEN_FILES: &str = "nofile";
/// nginx's own limit.
pub const WORKER_CONNECTIONS: &str = "worker_connections";
/// The ports that clients have to one address.
pub const PORT_RANGE: &str = "net.ipv4.ip_local_port_range";
/// The connections that can wait to be accepted.
pub const BACKLOG: &str = "net.core.somaxconn";
/// The memory of TCP.
pub const TCP_MEMORY: &str = "net.ipv4.tcp_mem";

/// How many connections at once are possible here, and the limit that allows no more.
pub fn first_to_bind(limits: &[Limit]) -> Option<(&Limit, u64)> {
    let known = limits.iter().filter_map(|limit| Some((limit, limit.connections?)));
    known.min_by_key(|(_, connections)| *connections)
}
