//! Setting of transfers: transport, and protection of packets or records.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::name::named;

/// Bytes of plaintext in a full TLS record (RFC 8446 §5.1).
pub const RECORD_BYTES: usize = 16_384;
/// Minimum bytes of UDP payload that a QUIC path must support (RFC 9000 §14).
pub const MIN_DATAGRAM: usize = 1200;
/// Maximum bytes of UDP payload over IPv4: 65,535 without the IP and UDP headers.
pub const MAX_DATAGRAM: usize = 65_507;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Transfer {
    pub transport: Transport,
    #[serde(default)]
    pub protection: Protection,
}

named! {
    #[derive(Default)]
    pub enum Transport: exactly "a transport is quic or tls" {
        /// QUIC over UDP, by quinn.
        #[default]
        Quic = "quic",
        /// TLS 1.3 over TCP, by rustls.
        Tls = "tls",
    }
}

named! {
    #[derive(Default)]
    pub enum Protection: exactly "a protection is provider or one-pass" {
        /// By cipher suites of a rustls provider: of a packet first the payload, then the header.
        #[default]
        Provider = "provider",
        /// Payload and header in one pass, through quinn's crypto interface.
        OnePass = "one-pass",
    }
}

impl fmt::Display for Transfer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.transport {
            Transport::Quic => f.write_str("QUIC packets")?,
            Transport::Tls => f.write_str("TLS records")?,
        }
        match self.protection {
            Protection::Provider => Ok(()),
            Protection::OnePass => f.write_str(" in one pass"),
        }
    }
}
