//! What the cipher suites of TLS are made of, as far as a server's configuration and the length of its records show it.

use crate::algorithm::{Algorithm, CipherSuite};
use crate::name::named;

named! {
    /// A version of TLS, by the name that OpenSSL and nginx have for it.
    pub enum Protocol {
        /// TLS 1.2.
        Tls12 = "TLSv1.2",
        /// TLS 1.3.
        Tls13 = "TLSv1.3",
    }
}

impl Protocol {
    /// As it stands on the wire (RFC 5246 §6.2.1, RFC 8446 §4.2.1).
    pub fn number(self) -> u16 {
        match self {
            Protocol::Tls12 => 0x0303,
            Protocol::Tls13 => 0x0304,
        }
    }
}

impl CipherSuite {
    /// The suite that `algorithm` names, if it is one.
    pub fn of(algorithm: Algorithm) -> Option<CipherSuite> {
        match algorithm {
            Algorithm::CipherSuite(suite) => Some(suite),
            _ => None,
        }
    }

    /// OpenSSL's name.
    pub fn openssl_name(self) -> &'static str {
        Algorithm::CipherSuite(self).title()
    }

    /// The version it belongs to.
    pub fn protocol(self) -> Protocol {
        match self {
            CipherSuite::Aes128GcmSha256 | CipherSuite::Aes128Sha => Protocol::Tls12,
            CipherSuite::Tls13Aes128Gcm | CipherSuite::Tls13Aes256Gcm | CipherSuite::Tls13ChaCha20 => Protocol::Tls13,
        }
    }

    /// Whether its cipher is AES-GCM, which is what Kasoku's provider brings.
    pub fn is_gcm(self) -> bool {
        matches!(self, CipherSuite::Aes128GcmSha256 | CipherSuite::Tls13Aes128Gcm | CipherSuite::Tls13Aes256Gcm)
    }

    /// Bytes on the wire of a record that carries `text` bytes, its header included.
    pub fn record_bytes(self, text: u64) -> u64 {
        const HEADER: u64 = 5;
        match self {
            // RFC 5288 §3: eight bytes of the nonce in front, the tag behind.
            CipherSuite::Aes128GcmSha256 => HEADER + 8 + text + 16,
            // RFC 5246 §6.2.3.2: an IV of a block in front; a MAC of SHA-1 and at least one byte of padding behind, to
            // whole blocks. This is MAC-then-encrypt: the server is told not to negotiate RFC 7366.
            CipherSuite::Aes128Sha => HEADER + 16 + (text + 20 + 1).next_multiple_of(16),
            // RFC 8446 §5.2: the type of the content and the tag behind.
            CipherSuite::Tls13Aes128Gcm | CipherSuite::Tls13Aes256Gcm | CipherSuite::Tls13ChaCha20 => {
                HEADER + text + 1 + 16
            }
        }
    }
}
