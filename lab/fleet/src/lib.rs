//! Many hosts: `kasoku serve` on the host with the web servers, clients on others that put load on them in step, and
//! runs on each host of a fleet that are gathered on one. All of it needs Linux.
#![cfg(target_os = "linux")]

mod clock;
pub mod connection;
pub mod end;
pub mod follower;
pub mod gathering;
pub mod host_file;
pub mod hosts;
pub mod identity;
pub mod leader;
pub mod lines;
pub mod meeting;
#[cfg(feature = "mpi")]
pub mod mpi;
pub mod orders;
pub mod own_host;
pub mod serve;
mod sharing;
pub mod token;

/// What this host calls itself.
pub fn host_name() -> String {
    kasoku_model::printable::printable(&rustix::system::uname().nodename().to_string_lossy())
}

/// The smallest and the largest file that is served.
const MIN_FILE: u64 = 1;
const MAX_FILE: u64 = 64 << 30;

/// What tells two processes whether they are on one machine: it changes with each start of the kernel.
fn boot() -> String {
    let text = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    kasoku_model::printable::printable(&text)
}
