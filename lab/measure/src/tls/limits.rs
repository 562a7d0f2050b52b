//! Reads the system limits that the published measurement tuned, and computes which of them a server would reach first.

use std::fs;

use super::cores;
use crate::plan::TlsPlan;
use kasoku_libraries::nginx::configuration;
use kasoku_model::document::Limit;
use kasoku_model::system_limit::{BACKLOG, OPEN_FILES, PORT_RANGE, TCP_MEMORY, WORKER_CONNECTIONS, first_to_bind};

/// Names of the kernel settings that the published measurement tuned, with their published values.
const TUNED: [(&str, &str); 14] = [
    ("net.ipv4.tcp_tw_reuse", "1"),
    ("net.ipv4.tcp_fin_timeout", "30"),
    (PORT_RANGE, "2000 65535"),
    ("net.ipv4.tcp_window_scaling", "1"),
    ("net.ipv4.tcp_max_syn_backlog", "3240000"),
    ("net.ipv4.tcp_max_tw_buckets", "1440000"),
    ("net.core.rmem_default", "8388608"),
    ("net.core.wmem_default", "8388608"),
    ("net.core.rmem_max", "16777216"),
    ("net.core.wmem_max", "16777216"),
    (TCP_MEMORY, "16777216 16777216 16777216"),
    ("net.ipv4.tcp_rmem", "16777216 16777216 16777216"),
    ("net.ipv4.tcp_wmem", "16777216 16777216 16777216"),
    (BACKLOG, ""),
];
/// Soft and hard limit of open files per process in the publication that the level tls repeats.
const TUNED_FILES: &str = "150000 180000";
/// Number of open files of a server process in addition to two for each connection (socket and served file).
const FILES_BESIDE: u64 = 64;

impl TlsPlan {
    /// Returns this system's limits on the connections of a server with the plan's smallest number of nginx workers.
    /// Returns an empty list if the servers are on other hosts, whose limits this process cannot read.
    pub fn limits(&self) -> Vec<Limit> {
        if self.is_elsewhere {
            return Vec::new();
        }
        let workers = self.cases.iter().filter_map(|case| Some(case.workload.served()?.workers)).min();
        let workers = workers.unwrap_or(1);
        let clients = cores::allot(&cores::usable(), workers).clients.len();
        read_limits(workers as u64, clients as u64)
    }
}

/// Returns the number of simultaneous connections that this system's limits allow.
pub(crate) fn most_connections(workers: u64, clients: u64) -> u64 {
    first_to_bind(&read_limits(workers, clients)).map_or(u64::MAX, |(_, most)| most)
}

/// Reads all limits for a server with `workers` worker processes, and for `clients` client processes.
fn read_limits(workers: u64, clients: u64) -> Vec<Limit> {
    let worker_connections = u64::from(configuration::WORKER_CONNECTIONS);
    let open_files = open_files();
    let setting =
        |name: &str| fs::read_to_string(format!("/proc/sys/{}", name.replace('.', "/"))).ok().map(|text| joined(&text));
    let mut all = vec![
        Limit {
            name: OPEN_FILES.to_owned(),
            value: format!("{} {}", open_files.0, open_files.1),
            published: Some(TUNED_FILES.to_owned()),
            connections: Some((open_files.0.saturating_sub(FILES_BESIDE) / 2 * workers).min(open_files.0 * clients)),
        },
        Limit {
            name: WORKER_CONNECTIONS.to_owned(),
            value: worker_connections.to_string(),
            published: Some("8192".to_owned()),
            connections: Some(worker_connections.saturating_sub(16) * workers),
        },
    ];
    let send_buffer = setting("net.ipv4.tcp_wmem").and_then(|text| number(&text, 2));
    for (name, published) in TUNED {
        let Some(value) = setting(name) else { continue };
        let connections = connections(name, &value, send_buffer);
        let published = (!published.is_empty()).then(|| published.to_owned());
        all.push(Limit { name: name.to_owned(), value, published, connections });
    }
    all
}

/// Returns the soft and the hard limit of open files for a process.
pub fn open_files() -> (u64, u64) {
    #[cfg(unix)]
    {
        let limit = rustix::process::getrlimit(rustix::process::Resource::Nofile);
        (limit.current.unwrap_or(u64::MAX), limit.maximum.unwrap_or(u64::MAX))
    }
    #[cfg(not(unix))]
    (u64::MAX, u64::MAX)
}

fn connections(name: &str, value: &str, send_buffer: Option<u64>) -> Option<u64> {
    match name {
        // Connections to the same address and port need distinct local ports.
        PORT_RANGE => {
            let (first, last) = (number(value, 0)?, number(value, 1)?);
            Some((last + 1).saturating_sub(first))
        }
        // Connections that wait to be accepted. All connections begin at the same time.
        BACKLOG => number(value, 0),
        // The third number is the maximum in pages. Both ends of a connection are on this host, but only the sender
        // fills its buffer.
        TCP_MEMORY => Some(number(value, 2)?.saturating_mul(page_bytes()) / send_buffer?.max(1)),
        _ => None,
    }
}

#[cfg(unix)]
fn page_bytes() -> u64 {
    rustix::param::page_size() as u64
}

/// Stub for systems other than Unix. It is never called, since only Linux has the TCP memory limit that is counted in
/// pages.
#[cfg(not(unix))]
fn page_bytes() -> u64 {
    4096
}

fn number(text: &str, index: usize) -> Option<u64> {
    text.split_whitespace().nth(index)?.parse().ok()
}

fn joined(text: &str) -> String {
    text.split_whitespace().take(4).collect::<Vec<_>>().join(" ")
}

pub(crate) fn memory_pressures() -> u64 {
    fs::read_to_string("/proc/net/netstat").ok().and_then(|text| pressures_of(&text)).unwrap_or(0)
}

/// Reads the counter TCPMemoryPressures from `/proc/net/netstat`, which has one line of names and one of values:
/// `TcpExt: A B …` and `TcpExt: 1 2 …`.
fn pressures_of(text: &str) -> Option<u64> {
    let mut lines = text.lines().filter(|line| line.starts_with("TcpExt:"));
    let index = lines.next()?.split_whitespace().position(|name| name == "TCPMemoryPressures")?;
    number(lines.next()?, index)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_limit_reached_is_the_one_with_the_fewest_connections() {
        assert_eq!(connections("net.ipv4.ip_local_port_range", "32768 60999", None), Some(28_232));
        assert_eq!(connections("net.core.somaxconn", "128", None), Some(128));
        assert_eq!(connections("net.ipv4.tcp_mem", "1 2 1024", Some(4 << 20)), Some(1));
        let limit =
            |name: &str, connections| Limit { name: name.into(), value: String::new(), published: None, connections };
        let limits = [limit("a", Some(7)), limit("b", None), limit("c", Some(3))];
        assert_eq!(
            first_to_bind(&limits).map(|(limit, connections)| (limit.name.as_str(), connections)),
            Some(("c", 3))
        );
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn read_limits_finds_limits_of_this_system() {
        let limits = read_limits(1, 1);
        assert!(limits.iter().any(|limit| limit.name == "nofile" && limit.connections.is_some()));
        assert!(first_to_bind(&limits).unwrap().1 > 0);
    }

    #[test]
    fn tcp_memory_pressure_counters_are_found_by_name() {
        let text = "TcpExt: SyncookiesSent TCPMemoryPressures X\nTcpExt: 1 42 3\nIpExt: A\nIpExt: 9\n";
        assert_eq!(pressures_of(text), Some(42));
        assert_eq!(pressures_of("nonsense"), None);
    }
}
