//! QUIC through rustls's own traits, without a network.

#![allow(clippy::unwrap_used)]

#[allow(dead_code, reason = "each test program uses a part of this module")]
#[path = "../support"]
mod support {
    pub(crate) mod certificates;
    pub(crate) mod providers;
    pub(crate) mod published;
}

mod connections;
mod headers;
mod initial;
