//! TLS with Kasoku's suites: rustls on both sides in memory, OpenSSL and curl over loopback.

#![allow(clippy::unwrap_used)]

#[allow(dead_code, reason = "each test program uses a part of this module")]
#[path = "../support"]
mod support {
    pub(crate) mod certificates;
    pub(crate) mod children;
    pub(crate) mod folder;
    pub(crate) mod providers;
}

mod backends;
mod corruption;
mod extraction;
mod keys;
mod openssl;
mod pair;
mod peers;
mod records;
