//! Measures cryptographic libraries: plans, workers, clocks, rounds and verification, and the levels that use them.

#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

#[cfg(target_os = "linux")]
pub mod ab;
mod child;
pub mod clock;
pub mod code_path;
pub mod conclusion;
pub mod conformance;
pub mod cpu;
pub mod driver;
pub mod files;
pub mod hosts;
pub mod level;
pub mod machine;
pub mod own_program;
pub mod plan;
mod preparation;
mod procedure;
pub mod protocol;
pub mod record;
mod rounds;
mod scheduled_sample;
pub mod serve;
pub mod steal;
pub mod tls;
pub mod transfer;
mod verification;
pub mod worker;
