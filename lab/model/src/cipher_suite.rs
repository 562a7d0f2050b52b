//! Properties of TLS cipher suites: OpenSSL's name, protocol version, and length of records.

use crate::algorithm::{Algorithm, CipherSuite};
use crate::name::named;

named! {
    /// A version of TLS, with the name that OpenSSL and nginx use.
    pub enum Protocol {
        Tls12 = "TLSv1.2",
        Tls13 = "TLSv1.3",
    }
}

impl Protocol {
    /// Returns the protocol version number on the wire (RFC 5246 §6.2.1, RFC 8446 §4.2.1).
    pub fn number(self) -> u16 {
        match self {
            Protocol::Tls12 => 0x0303,
            Protocol::Tls13 => 0x0304,
        }
    }
}

impl CipherSuite {
    pub fn of(algorithm: Algorithm) -> Option<CipherSuite> {
        match algorithm {
            Algorithm::CipherSuite(suite) => Some(suite),
            _ => None,
        }
    }

    pub fn openssl_name(self) -> &'static str {
        Algorithm::CipherSuite(self).title()
    }

    pub fn protocol(self) -> Protocol {
        match self {
            CipherSuite::Aes128GcmSha256 | CipherSuite::Aes128Sha => Protocol::Tls12,
            CipherSuite::Tls13Aes128Gcm | CipherSuite::Tls13Aes256Gcm | CipherSuite::Tls13ChaCha20 => Protocol::Tls13,
        }
    }

    /// Whether the cipher is AES-GCM, which Kasoku's OpenSSL provider implements.
    pub fn is_gcm(self) -> bool {
        matches!(self, CipherSuite::Aes128GcmSha256 | CipherSuite::Tls13Aes128Gcm | CipherSuite::Tls13Aes256Gcm)
    }

    /// Returns the bytes on the wire of a record that carries `text` bytes, including its header.
    pub fn record_bytes(self, text: u64) -> u64 {
        const HEADER: u64 = 5;
        match self {
            // RFC 5288 §3: eight bytes of nonce before the text, a tag after it.
            CipherSuite::Aes128GcmSha256 => HEADER + 8 + text + 16,
            // RFC 5246 §6.2.3.2: an IV of one block, then text, SHA-1 MAC and at least one byte of padding, in whole
            // blocks. This is MAC-then-encrypt: the server is configured not to negotiate RFC 7366.
            CipherSuite::Aes128Sha => HEADER + 16 + (text + 20 + 1).next_multiple_of(16),
            // RFC 8446 §5.2: content type and tag follow the text.
            CipherSuite::Tls13Aes128Gcm | CipherSuite::Tls13Aes256Gcm | CipherSuite::Tls13ChaCha20 => {
                HEADER + text + 1 + 16
            }
        }
    }
}
