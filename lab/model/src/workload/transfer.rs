//! What moving data end to end adds to a workload: over which transport, and how its packets are protected.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::name::named;

/// Bytes of text in a full TLS record (RFC 8446 §5.1).
pub const RECORD_BYTES: usize = 16_384;
/// The payload that a UDP datagram must be able to have for QUIC (RFC 9000 §14).
pub const MIN_DATAGRAM: usize = 1200;
/// The most that a UDP datagram over IPv4 can have: 65,535 bytes without both headers.
pub const MAX_DATAGRAM: usize = 65_507;

/// How data goes from one process to another.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Transfer {
    /// Over what.
    pub transport: Transport,
    /// How a packet is protected.
    #[serde(default)]
    pub protection: Protection,
}

named! {
    /// What carries the data.
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
    /// How a packet or a record is protected.
    #[derive(Default)]
    pub enum Protection: exactly "a protection is provider or one-pass" {
        /// By the suites of a provider of rustls: of a packet the payload and then the header.
        #[default]
        Provider = "provider",
        /// Payload and header in one pass, by quinn's own interface.
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
