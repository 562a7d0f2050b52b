//! Runs servers, clients and whole measurements on other hosts.
//!
//! A [launcher](launcher::Launcher) such as ssh starts `kasoku host` there and connects its standard streams; both ends
//! exchange lines of JSON. Kasoku has no network protocol of its own, and everything on a host ends when its standard
//! input does.

#[cfg(target_os = "linux")]
pub mod agent;
#[cfg(target_os = "linux")]
pub mod connection;
pub mod launcher;
#[cfg(target_os = "linux")]
pub mod protocol;
