//! Packet protection, compared with the standards and with two passes of independent AES-GCM and AES implementations.

#![allow(clippy::unwrap_used)]

#[path = "../support"]
mod support {
    pub(crate) mod backends;
    #[cfg(unix)]
    pub(crate) mod guarded;
    pub(crate) mod peers;
    pub(crate) mod random;
}

mod batches;
mod errors;
mod fixtures;
mod forgeries;
#[cfg(unix)]
mod guard_pages;
mod lengths;
mod limits;
mod misuse;
mod numbers;
mod parts;
mod paths;
mod phases;
mod published;
mod reference;
mod threads;
