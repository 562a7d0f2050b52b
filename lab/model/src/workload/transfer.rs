//! Setting of end-to-end transfers: the transport, and the way of protecting packets or records.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::name::named;

/// Bytes of plaintext in a full TLS record (RFC 8446 §5.1).
pub const RECORD_BYTES: usize = 16_384;
/// Minimum length in bytes of the UDP payload that a QUIC path must support (RFC 9000 §14).
pub const MIN_DATAGRAM: usize = 1200;
/// Maximum length in bytes of a UDP payload over IPv4: 65,535 without the IP and UDP headers.
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
        /// QUIC over UDP, with the library quinn.
        #[default]
        Quic = "quic",
        /// TLS 1.3 over TCP, with the library rustls.
        Tls = "tls",
    }
}

named! {
    #[derive(Default)]
    pub enum Protection: exactly "a protection is provider or one-pass" {
        /// A rustls provider's cipher suites protect first the payload of a packet and then its header.
        #[default]
        Provider = "provider",
        /// One pass protects payload and header, through quinn's crypto interface.
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
