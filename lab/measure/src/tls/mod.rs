//! Measures a TLS web server: nginx on this host, files of random data, and clients that fetch each file over a
//! connection of its own.
//!
//! For every file size, the run first verifies each combination of cipher suite, provider and number of workers once.
//! It then searches for the best number of connections. After that it measures all combinations in rounds, in shuffled
//! order.

#![cfg_attr(not(target_os = "linux"), allow(dead_code, reason = "the servers and their clients need Linux"))]

#[cfg(target_os = "linux")]
pub mod client;
pub mod cores;
#[cfg(target_os = "linux")]
pub(crate) mod fixture;
#[cfg(target_os = "linux")]
pub(crate) mod java;
pub mod limits;
#[cfg(target_os = "linux")]
pub(crate) mod load;
pub(crate) mod processes;
pub mod records;
#[cfg(target_os = "linux")]
pub mod remote;
#[cfg(target_os = "linux")]
mod run;
pub mod search;
#[cfg(target_os = "linux")]
pub(crate) mod server;
#[cfg(target_os = "linux")]
pub mod testbed;

#[cfg(target_os = "linux")]
pub use load::LoadStep;
pub use processes::{CpuUse, children_of};
#[cfg(target_os = "linux")]
pub use run::{run, run_on};

/// Fails, since the level needs Linux.
#[cfg(not(target_os = "linux"))]
pub fn run(
    _plan: &crate::plan::Plan,
    _tls: &crate::plan::TlsPlan,
    _observer: &mut dyn crate::record::Observer,
) -> Result<crate::record::PlanResults, String> {
    Err("the level tls needs Linux".to_owned())
}
