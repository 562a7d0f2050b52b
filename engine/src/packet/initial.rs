//! Keys of Initial packets (RFC 9001 §5.2, RFC 9369 §3.3). These keys are derived from a connection ID that everybody
//! can read. So they protect against accidental corruption only, not against attackers.

mod sha256;

use super::PacketProtection;
use crate::error::Error;
use sha256::{Hash, hmac};

/// A version of QUIC. Each version has its own salt and labels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Version {
    /// QUIC version 1 (RFC 9000 and RFC 9001).
    V1,
    /// QUIC version 2 (RFC 9369).
    V2,
}

/// The side of a connection that sends packets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sender {
    /// The client. The keys of both sides are derived from the destination connection ID of the client's first packet.
    Client,
    /// The server.
    Server,
}

/// The keys with which one side protects its Initial packets. Everybody on the path can compute these keys, so they are
/// not secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Secrets {
    /// The packet key, for AES-128-GCM.
    pub key: [u8; 16],
    /// The IV.
    pub iv: [u8; 12],
    /// The header-protection key.
    pub header_key: [u8; 16],
}

impl Secrets {
    /// Derives the keys of `sender`. `connection_id` is the destination connection ID of the client's first packet.
    ///
    /// ```
    /// use kasoku_engine::packet::initial::{Secrets, Sender, Version};
    /// let connection_id = [0x83, 0x94, 0xc8, 0xf0, 0x3e, 0x51, 0x57, 0x08]; // of RFC 9001 appendix A
    /// let secrets = Secrets::new(Version::V1, Sender::Client, &connection_id);
    /// assert_eq!(secrets.iv[..4], [0xfa, 0x04, 0x4b, 0x2f]);
    /// ```
    #[must_use]
    pub fn new(version: Version, sender: Sender, connection_id: &[u8]) -> Self {
        let initial = hmac(version.salt(), &[connection_id]);
        let side: &[u8] = match sender {
            Sender::Client => b"client in",
            Sender::Server => b"server in",
        };
        let secret = expand_label::<32>(&initial, b"", side);
        let prefix = version.label_prefix();
        Self {
            key: expand_label(&secret, prefix, b" key"),
            iv: expand_label(&secret, prefix, b" iv"),
            header_key: expand_label(&secret, prefix, b" hp"),
        }
    }

    /// Expands the keys for packet protection.
    ///
    /// # Errors
    /// None in practice, because the lengths of these keys are valid.
    pub fn protection(&self) -> Result<PacketProtection, Error> {
        PacketProtection::new(&self.key, &self.iv, &self.header_key)
    }
}

impl Version {
    const fn salt(self) -> &'static [u8] {
        match self {
            Self::V1 => &[
                0x38, 0x76, 0x2c, 0xf7, 0xf5, 0x59, 0x34, 0xb3, 0x4d, 0x17, 0x9a, 0xe6, 0xa4, 0xc8, 0x0c, 0xad, 0xcc,
                0xbb, 0x7f, 0x0a,
            ],
            Self::V2 => &[
                0x0d, 0xed, 0xe3, 0xde, 0xf7, 0x00, 0xa6, 0xdb, 0x81, 0x93, 0x81, 0xbe, 0x6e, 0x26, 0x9d, 0xcb, 0xf9,
                0xbd, 0x2e, 0xd9,
            ],
        }
    }

    const fn label_prefix(self) -> &'static [u8] {
        match self {
            Self::V1 => b"quic",
            Self::V2 => b"quicv2",
        }
    }
}

/// Computes HKDF-Expand-Label (RFC 8446 §7.1) with SHA-256, without context. The label is the concatenation of `prefix`
/// and `label`.
fn expand_label<const BYTES: usize>(secret: &Hash, prefix: &[u8], label: &[u8]) -> [u8; BYTES] {
    const {
        assert!(BYTES <= 32, "one block of HKDF-Expand");
    }
    let label_bytes = (b"tls13 ".len() + prefix.len() + label.len()) as u8;
    let length = [0, BYTES as u8, label_bytes];
    // The last two bytes are an empty context and the block number of HKDF-Expand, which is 1.
    let block = hmac(secret, &[&length, b"tls13 ", prefix, label, &[0], &[1]]);
    let mut bytes = [0; BYTES];
    bytes.copy_from_slice(&block[..BYTES]);
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    const CONNECTION_ID: [u8; 8] = [0x83, 0x94, 0xc8, 0xf0, 0x3e, 0x51, 0x57, 0x08];

    /// Tests the vectors of RFC 9001 A.1.
    #[test]
    fn initial_secrets_match_rfc_9001() {
        let client = Secrets::new(Version::V1, Sender::Client, &CONNECTION_ID);
        assert_eq!(client.key, 0x1f36_9613_dd76_d546_7730_efcb_e3b1_a22d_u128.to_be_bytes());
        assert_eq!(client.iv, [0xfa, 0x04, 0x4b, 0x2f, 0x42, 0xa3, 0xfd, 0x3b, 0x46, 0xfb, 0x25, 0x5c]);
        assert_eq!(client.header_key, 0x9f50_449e_04a0_e810_283a_1e99_33ad_edd2_u128.to_be_bytes());
        let server = Secrets::new(Version::V1, Sender::Server, &CONNECTION_ID);
        assert_eq!(server.key, 0xcf3a_5331_653c_364c_88f0_f379_b606_7e37_u128.to_be_bytes());
        assert_eq!(server.iv, [0x0a, 0xc1, 0x49, 0x3c, 0xa1, 0x90, 0x58, 0x53, 0xb0, 0xbb, 0xa0, 0x3e]);
        assert_eq!(server.header_key, 0xc206_b8d9_b9f0_f376_4443_0b49_0eea_a314_u128.to_be_bytes());
    }

    /// Tests the vectors of RFC 9369 A.1.
    #[test]
    fn initial_secrets_match_rfc_9369() {
        let client = Secrets::new(Version::V2, Sender::Client, &CONNECTION_ID);
        assert_eq!(client.key, 0x8b1a_0bc1_2128_4290_a29e_0971_b5cd_045d_u128.to_be_bytes());
        assert_eq!(client.iv, [0x91, 0xf7, 0x3e, 0x23, 0x51, 0xd8, 0xfa, 0x91, 0x66, 0x0e, 0x90, 0x9f]);
        assert_eq!(client.header_key, 0x45b9_5e15_235d_6f45_a6b1_9cbc_b029_4ba9_u128.to_be_bytes());
        let server = Secrets::new(Version::V2, Sender::Server, &CONNECTION_ID);
        assert_eq!(server.key, 0x82db_6378_61d5_5e1d_011f_19ea_71d5_d2a7_u128.to_be_bytes());
        assert_eq!(server.iv, [0xdd, 0x13, 0xc2, 0x76, 0x49, 0x9c, 0x02, 0x49, 0xd3, 0x31, 0x06, 0x52]);
        assert_eq!(server.header_key, 0xedf6_d05c_8312_1201_b436_e168_7759_3c3a_u128.to_be_bytes());
    }
}
