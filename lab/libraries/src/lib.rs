//! The cryptographic libraries that the laboratory measures, one file or folder each. A library gives a [`Job`] for
//! each workload that it supports.
//!
//! A worker process opens one library, in the environment of one acceleration state. This crate measures no time,
//! except that `specjvm2008` brings its own clock.

#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

pub mod aws_lc;
pub mod bound;
mod buffer;
#[cfg(windows)]
mod cng;
pub mod command;
mod contract;
mod crate_version;
pub mod files;
pub mod fixtures;
pub mod folder;
pub mod graviola;
pub mod install;
pub mod interruption;
pub mod ipsec_mb;
pub mod jvm;
pub mod kasoku;
mod keyring;
mod loaded;
mod loops;
pub mod nginx;
mod nonces;
pub mod openssl;
pub mod openssl_provider;
mod registry;
pub mod ring;
mod ring_api;
pub mod rustcrypto;
pub mod rustls_provider;
pub mod simulated;
mod switch;
mod system;
#[cfg(feature = "test-doubles")]
mod test_doubles;
pub mod vectors;

pub use contract::{
    Job, JobError, Library, LibraryDescription, LibraryEntry, Opening, OwnTiming, PreparedJob, Program, Result, Switch,
    Unavailable, Unsupported,
};
pub use registry::{LIBRARIES, find};
pub use switch::{openssl_switch, remove_switches, switch_variables};

use contract::require_default_nonces_and_one_key;
