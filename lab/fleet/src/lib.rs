//! Many hosts: `kasoku serve` on the host with the web servers, clients on others that put load on them in step, and runs
//! on each host of a fleet that are gathered on one.

#[cfg(target_os = "linux")]
mod clock;
#[cfg(target_os = "linux")]
pub mod connection;
#[cfg(target_os = "linux")]
pub mod end;
#[cfg(target_os = "linux")]
pub mod follower;
#[cfg(target_os = "linux")]
pub mod gathering;
#[cfg(target_os = "linux")]
pub mod host_file;
#[cfg(target_os = "linux")]
pub mod hosts;
#[cfg(target_os = "linux")]
pub mod leader;
#[cfg(target_os = "linux")]
pub mod lines;
#[cfg(target_os = "linux")]
pub mod meeting;
#[cfg(all(target_os = "linux", feature = "mpi"))]
pub mod mpi;
#[cfg(target_os = "linux")]
pub mod orders;
#[cfg(target_os = "linux")]
pub mod own_host;
pub mod restore;
#[cfg(target_os = "linux")]
pub mod serve;
#[cfg(target_os = "linux")]
mod sharing;
pub mod token;

/// What this host calls itself.
#[cfg(target_os = "linux")]
pub fn host_name() -> String {
    kasoku_model::printable::printable(&rustix::system::uname().nodename().to_string_lossy())
}

/// The smallest and the largest file that is served.
#[cfg(target_os = "linux")]
const SMALLEST_FILE: u64 = 1;
#[cfg(target_os = "linux")]
const LARGEST_FILE: u64 = 64 << 30;

/// What tells two processes whether they are on one machine: it changes with each start of the kernel.
#[cfg(target_os = "linux")]
fn boot() -> String {
    let text = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    kasoku_model::printable::printable(&text)
}
