//! The inputs of a workload: key, nonce, AAD and text. They are the same bytes for every library, so that outputs can
//! be compared.

use std::fmt::Write as _;

use rand_xoshiro::SplitMix64;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use serde::{Deserialize, Serialize};

use crate::vectors;
use kasoku_model::algorithm::{Algorithm, AlgorithmKind};
use kasoku_model::workload::{Operation, Packets, Workload, packets};

/// Bytes of AAD in an AEAD workload: the length in a TLS 1.2 record.
pub const AAD_BYTES: usize = 13;

/// Length in bytes of the shorter of two texts that the benchmark suite `crypto.aes` encrypts.
pub const SUITE_SMALL: usize = 1_696;
/// Length in bytes of the longer of two texts that the benchmark suite `crypto.aes` encrypts.
pub const SUITE_LARGE: usize = 729_600;

/// Number of keys that messages with new keys use in turn.
const NEW_KEYS: usize = 16;

/// The inputs of one operation. A field is empty if the operation does not use it.
///
/// | algorithm | `key` | `public` | `text` |
/// |---|---|---|---|
/// | ciphers, AEADs | raw key (XTS: both halves; CBC-HMAC: cipher key, MAC key); many or new keys in turn | – | what goes in |
/// | hashes | – | – | the message |
/// | `x25519`, `x448` | raw scalar | the peer's raw public key | – |
/// | `ecdh-p256` | scalar, 32 bytes big-endian | the peer's uncompressed point, 65 bytes | – |
/// | `ed25519`, `ed448` | raw seed | raw public key | the message |
/// | `ecdsa-p256` | scalar, 32 bytes big-endian | own uncompressed point | the message, hashed with SHA-256 |
/// | `rsa-…` | PKCS #8 DER | PKCS #1 `RSAPublicKey` DER | the message, PKCS #1 v1.5 with SHA-256 |
/// | `ml-kem-768` | seed d ‖ z, 64 bytes | encapsulation key, 1,184 bytes | the ciphertext (`decapsulate`) |
/// | `crypto.aes…` | AES-128 key ‖ 3DES key | – | the long text; its first [`SUITE_SMALL`] bytes are the short one |
/// | `ml-dsa-65` | seed ξ, 32 bytes | public key, 1,952 bytes | the message |
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Fixtures {
    #[serde(with = "hexadecimal", skip_serializing_if = "Vec::is_empty")]
    pub key: Vec<u8>,
    /// Nonce, IV or tweak.
    #[serde(with = "hexadecimal", skip_serializing_if = "Vec::is_empty")]
    pub nonce: Vec<u8>,
    #[serde(with = "hexadecimal", skip_serializing_if = "Vec::is_empty")]
    pub aad: Vec<u8>,
    /// Plaintext, ciphertext (`decrypt`, `decapsulate`) or message. For `open` without a `tag` it is the *plaintext*:
    /// the job seals it first, outside the timed region.
    #[serde(with = "hexadecimal", skip_serializing_if = "Vec::is_empty")]
    pub text: Vec<u8>,
    /// Tag that `open` checks, if `text` is a ciphertext. Only user-written workers get requests with a tag.
    #[serde(with = "hexadecimal", skip_serializing_if = "Vec::is_empty")]
    pub tag: Vec<u8>,
    #[serde(with = "hexadecimal", skip_serializing_if = "Vec::is_empty")]
    pub header_key: Vec<u8>,
    /// Public key of the peer (agreement), signer (signature) or recipient (encapsulation).
    #[serde(with = "hexadecimal", skip_serializing_if = "Vec::is_empty")]
    pub public: Vec<u8>,
    /// Signature over `text`, for `verify`: ECDSA in DER, others as their standard encodes them.
    #[serde(with = "hexadecimal", skip_serializing_if = "Vec::is_empty")]
    pub signature: Vec<u8>,
}

impl Fixtures {
    /// Returns the inputs of `workload`, equal in every process of every run. Pads text for CBC to whole blocks (PKCS
    /// #7).
    pub fn of(workload: &Workload) -> Fixtures {
        let algorithm = workload.algorithm;
        let bytes = if algorithm.kind() == AlgorithmKind::Suite { SUITE_LARGE } else { workload.bytes };
        let keys = if workload.operation == Operation::SealNewKey { NEW_KEYS } else { workload.keys };
        let plain = match algorithm.kind() {
            AlgorithmKind::Cipher | AlgorithmKind::Aead | AlgorithmKind::Hash | AlgorithmKind::Suite => Fixtures {
                key: pattern(algorithm, "key", keys * algorithm.key_bytes()),
                nonce: pattern(algorithm, "nonce", algorithm.nonce_bytes()),
                aad: if algorithm.kind() == AlgorithmKind::Aead {
                    pattern(algorithm, "aad", AAD_BYTES)
                } else {
                    Vec::new()
                },
                text: padded(algorithm, pattern(algorithm, "text", bytes)),
                ..Fixtures::default()
            },
            // A TLS connection derives its own keys.
            AlgorithmKind::CipherSuite => Fixtures::default(),
            AlgorithmKind::KeyAgreement | AlgorithmKind::Signature | AlgorithmKind::Kem => {
                vectors::timed(algorithm, workload.operation)
            }
        };
        match workload.packets() {
            Some(packets) => plain.in_packets(algorithm, packets),
            None => plain,
        }
    }

    /// Replaces the AAD by the header of a packet or record, and adds a header key to packets.
    fn in_packets(mut self, algorithm: Algorithm, packets: Packets) -> Fixtures {
        if packets.record {
            // RFC 8446 §5.2: type application data, legacy version, length including one byte of type and the tag.
            let length = (self.text.len() + 16) as u16; // no valid record if the text is longer, but any header will do
            self.aad = [&[0x17, 3, 3], &length.to_be_bytes()[..]].concat();
            return self;
        }
        self.aad = pattern(algorithm, "aad", packets.header_bytes());
        // RFC 9000 §17.3.1: short header, fixed bit, packet number 0 in two bytes.
        self.aad[0] = 0x41;
        self.aad[packets::HEADER_BYTES - 2..].fill(0);
        self.header_key = pattern(algorithm, "header key", algorithm.key_bytes());
        self
    }
}

/// Returns whether the output of `workload` is determined by its inputs. The parts of a [`Job`](crate::Job)'s output
/// are:
///
/// | operation | output |
/// |---|---|
/// | `encrypt`, `decrypt` | the text that comes out |
/// | `seal`, `seal-new-key` | ciphertext ‖ tag |
/// | `open` | ciphertext ‖ tag ‖ plaintext that came out, so that the whole round trip is compared |
/// | `hash` | the digest |
/// | `derive` | the shared secret (the x coordinate for P-256) |
/// | `sign` | the signature |
/// | `verify` | two bytes: 1 if the signature is accepted, 1 if it is refused once a bit is flipped |
/// | `encapsulate` | ciphertext ‖ shared secret |
/// | `decapsulate` | the shared secret |
/// | `roundtrip` | what each part of the mix was encrypted to, in the order in which they are done |
///
/// Packets (`seal`, `protect`): the whole first batch, each packet from its header to its tag. `unprotect`: the
/// protected packets, then their decrypted payloads. Cipher alone: the first packet; its AAD is the header, and its tag
/// is computed for the comparison.
///
/// With many keys, the tags of the first ciphertext under each key follow, in order of use.
pub fn deterministic(workload: &Workload) -> bool {
    !matches!(
        (workload.operation, workload.algorithm),
        (Operation::Sign, Algorithm::EcdsaP256 | Algorithm::MlDsa65) | (Operation::Encapsulate, _)
    )
}

/// Returns the block size in bytes if the mode of `algorithm` accepts only whole blocks, as CBC does; else `None`.
pub fn whole_blocks(algorithm: Algorithm) -> Option<usize> {
    match algorithm {
        Algorithm::DesEde3Cbc | Algorithm::BlowfishCbc => Some(8),
        Algorithm::Camellia128Cbc | Algorithm::Camellia256Cbc | Algorithm::Aes128Cbc | Algorithm::Aes256Cbc => Some(16),
        _ => None,
    }
}

fn padded(algorithm: Algorithm, mut text: Vec<u8>) -> Vec<u8> {
    if let Some(block) = whole_blocks(algorithm) {
        let missing = text.len().next_multiple_of(block) - text.len();
        text.extend(std::iter::repeat_n(missing as u8, missing));
    }
    text
}

/// Returns pseudo-random bytes for one part of an algorithm's inputs, such as `key`. The bytes depend only on the names
/// of the algorithm and of the part.
fn pattern(algorithm: Algorithm, part: &str, length: usize) -> Vec<u8> {
    let mut state = 0xcbf2_9ce4_8422_2325_u64;
    for byte in algorithm.name().bytes().chain(part.bytes()) {
        state = (state ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    }
    let mut bytes = vec![0; length];
    SplitMix64::seed_from_u64(state).fill_bytes(&mut bytes);
    bytes
}

pub fn to_hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut text, byte| {
        let _ = write!(text, "{byte:02x}"); // writing to a String cannot fail
        text
    })
}

/// Parses hexadecimal. `None` if `text` is not an even number of hexadecimal digits.
pub fn from_hexadecimal(text: &str) -> Option<Vec<u8>> {
    let digits = text.as_bytes();
    if !digits.len().is_multiple_of(2) {
        return None;
    }
    let digit = |byte: u8| (byte as char).to_digit(16);
    digits.chunks_exact(2).map(|pair| Some((digit(pair[0])? << 4 | digit(pair[1])?) as u8)).collect()
}

mod hexadecimal {
    use serde::{Deserialize, Deserializer, Serializer};

    pub(super) fn serialize<S: Serializer>(bytes: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&super::to_hexadecimal(bytes))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<u8>, D::Error> {
        super::from_hexadecimal(&String::deserialize(deserializer)?)
            .ok_or_else(|| serde::de::Error::custom("not hexadecimal"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fixtures_have_the_key_and_nonce_lengths_of_the_algorithm_and_pad_cbc_text() {
        for &algorithm in Algorithm::ALL {
            for &operation in Operation::of(algorithm.kind()) {
                let workload = Workload::new(operation, algorithm, 1350);
                let fixtures = Fixtures::of(&workload);
                if algorithm.kind().is_bulk() {
                    assert_eq!(fixtures.key.len(), algorithm.key_bytes());
                    assert_eq!(fixtures.nonce.len(), algorithm.nonce_bytes());
                    assert!(fixtures.text.len() >= 1350 && fixtures.text.len() < 1350 + 16);
                } else {
                    assert!(!fixtures.public.is_empty(), "{workload}");
                }
            }
        }
        let text = Fixtures::of(&Workload::new(Operation::Encrypt, Algorithm::Aes128Cbc, 1350)).text;
        assert_eq!(text.len(), 1360);
        assert_eq!(text[1350..], [10; 10]);
    }

    #[test]
    fn hexadecimal_round_trips_and_rejects_malformed_text() {
        assert_eq!(from_hexadecimal(&to_hexadecimal(&[0, 0xab, 255])), Some(vec![0, 0xab, 255]));
        assert_eq!(from_hexadecimal("abc"), None);
        assert_eq!(from_hexadecimal("zz"), None);
    }
}
