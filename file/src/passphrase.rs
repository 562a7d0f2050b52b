//! Passphrases instead of keys: an Argon2id envelope before a file in the unchanged format.
//!
//! The format needs a uniformly random key, so a passphrase is stretched into one (RFC 9106). The parameters are in an
//! envelope of 44 bytes before the file:
//!
//! ```text
//! "kasoku-argon2id" 15 | cipher 1 | memory in KiB 4 | passes 4 | lanes 4 | salt 16        (numbers big-endian)
//! ```
//! The cipher is the character "1" for Cobblestone-256 and "2" for Cobblestone-128. Argon2id's output is as long as the
//! cipher's key.
//!
//! The envelope is prepended to the context, so that a file opens only with its own envelope. An ordinary encrypted
//! file follows: any program can read it with the stretched key and the extended context.

use argon2::{Algorithm, Argon2, Params, Version};

use crate::key::fill_randomly;
use crate::{Cipher, Error, Key};

/// Length of an envelope in bytes.
pub const ENVELOPE_BYTES: usize = 44;

/// First 15 bytes of an envelope.
pub const MAGIC: &[u8; 15] = b"kasoku-argon2id";

/// Maximum memory that an envelope may require, in KiB: 1 GiB. The limit protects against files from strangers.
pub const MAX_MEMORY_KIB: u32 = 1 << 20;

/// Maximum number of passes that an envelope may require.
pub const MAX_PASSES: u32 = 16;

/// Maximum number of lanes that an envelope may require.
pub const MAX_LANES: u32 = 16;

/// Parameters and salt for stretching a passphrase.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Envelope {
    cipher: Cipher,
    memory_kib: u32,
    passes: u32,
    lanes: u32,
    salt: [u8; 16],
}

/// Error in an envelope.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EnvelopeError {
    /// The bytes do not begin with [`MAGIC`].
    #[error("not encrypted with a passphrase; its key is needed")]
    None,
    /// The envelope names a cipher that this version of the crate does not have.
    #[error("its passphrase parameters name an unknown cipher; use a newer version of kasoku-file")]
    UnknownCipher,
    /// The envelope requires more than the limits of this module allow.
    #[error(
        "its passphrase parameters ask for {memory_kib} KiB of memory, {passes} passes and {lanes} lanes; at most \
         {MAX_MEMORY_KIB} KiB, {MAX_PASSES} passes and {MAX_LANES} lanes are allowed"
    )]
    TooMuch {
        /// Required memory in KiB.
        memory_kib: u32,
        /// Required number of passes.
        passes: u32,
        /// Required number of lanes.
        lanes: u32,
    },
    /// Argon2id does not support these parameters.
    #[error("invalid Argon2id parameters: {memory_kib} KiB, {passes} passes, {lanes} lanes")]
    Impossible {
        /// Required memory in KiB.
        memory_kib: u32,
        /// Required number of passes.
        passes: u32,
        /// Required number of lanes.
        lanes: u32,
    },
    /// The system could not provide the memory.
    #[error("not enough memory for its passphrase: {memory_kib} KiB are needed")]
    NoMemory {
        /// Required memory in KiB.
        memory_kib: u32,
    },
}

impl Envelope {
    /// Creates an envelope for a file with `cipher`. Its salt is random, its parameters are the second recommended
    /// option of RFC 9106 (64 MiB, three passes, four lanes).
    ///
    /// # Errors
    /// [`Error::Random`].
    pub fn new(cipher: Cipher) -> Result<Self, Error> {
        let mut salt = [0; 16];
        fill_randomly(&mut salt)?;
        Ok(Envelope { cipher, memory_kib: 64 << 10, passes: 3, lanes: 4, salt })
    }

    /// Returns the envelope's bytes.
    pub fn to_bytes(&self) -> [u8; ENVELOPE_BYTES] {
        let mut bytes = [0; ENVELOPE_BYTES];
        bytes[..15].copy_from_slice(MAGIC);
        bytes[15] = cipher_byte(self.cipher);
        for (place, number) in bytes[16..28].chunks_mut(4).zip([self.memory_kib, self.passes, self.lanes]) {
            place.copy_from_slice(&number.to_be_bytes());
        }
        bytes[28..].copy_from_slice(&self.salt);
        bytes
    }

    /// Reads an envelope.
    ///
    /// # Errors
    /// See [`EnvelopeError`]. No memory for Argon2id has been allocated then.
    pub fn from_bytes(bytes: &[u8; ENVELOPE_BYTES]) -> Result<Self, EnvelopeError> {
        if !has_magic(bytes) {
            return Err(EnvelopeError::None);
        }
        let cipher = Cipher::ALL.into_iter().find(|cipher| cipher_byte(*cipher) == bytes[15]);
        let cipher = cipher.ok_or(EnvelopeError::UnknownCipher)?;
        let number = |at: usize| u32::from_be_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
        let (memory_kib, passes, lanes) = (number(16), number(20), number(24));
        if memory_kib > MAX_MEMORY_KIB || passes > MAX_PASSES || lanes > MAX_LANES {
            return Err(EnvelopeError::TooMuch { memory_kib, passes, lanes });
        }
        let mut salt = [0; 16];
        salt.copy_from_slice(&bytes[28..]);
        let envelope = Envelope { cipher, memory_kib, passes, lanes, salt };
        envelope.parameters()?;
        Ok(envelope)
    }

    /// Returns the cipher of the file.
    pub fn cipher(&self) -> Cipher {
        self.cipher
    }

    /// Stretches `passphrase` into a key. Takes tenths of a second and the memory that the envelope requires.
    ///
    /// # Errors
    /// [`EnvelopeError::NoMemory`].
    pub fn key(&self, passphrase: &[u8]) -> Result<Key, EnvelopeError> {
        let parameters = self.parameters()?;
        let no_memory = EnvelopeError::NoMemory { memory_kib: self.memory_kib };
        let mut blocks = Vec::new();
        blocks.try_reserve_exact(parameters.block_count()).map_err(|_| no_memory)?;
        blocks.resize(parameters.block_count(), argon2::Block::default());
        let argon2 = Argon2::new(Algorithm::Argon2id, Version::V0x13, parameters);
        let key = Key::filled(self.cipher, |key| {
            argon2.hash_password_into_with_memory(passphrase, &self.salt, key, &mut blocks)
        });
        for block in &mut blocks {
            zeroize::Zeroize::zeroize(block);
        }
        key.map_err(|_| self.impossible())
    }

    /// Returns the context to encrypt or decrypt the file with: the bytes of this envelope, followed by the caller's
    /// `context`. Envelopes have one length, so different contexts of the caller always give different results.
    pub fn context(&self, context: &[u8]) -> Vec<u8> {
        [&self.to_bytes(), context].concat()
    }

    fn parameters(&self) -> Result<Params, EnvelopeError> {
        Params::new(self.memory_kib, self.passes, self.lanes, Some(self.cipher.key_bytes()))
            .map_err(|_| self.impossible())
    }

    fn impossible(&self) -> EnvelopeError {
        let Envelope { memory_kib, passes, lanes, .. } = *self;
        EnvelopeError::Impossible { memory_kib, passes, lanes }
    }
}

/// Returns the byte that stands for `cipher` in an envelope.
fn cipher_byte(cipher: Cipher) -> u8 {
    match cipher {
        Cipher::Cobblestone256 => b'1',
        Cipher::Cobblestone128 => b'2',
    }
}

/// Returns whether a file that begins with `beginning` was encrypted with a passphrase. Of the files encrypted with a
/// key, one in 2¹²⁰ also begins with [`MAGIC`], by chance.
pub fn has_magic(beginning: &[u8]) -> bool {
    beginning.starts_with(MAGIC)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cheap() -> Envelope {
        Envelope { cipher: Cipher::Cobblestone256, memory_kib: 64, passes: 1, lanes: 2, salt: [3; 16] }
    }

    #[test]
    fn envelope_survives_a_round_trip() {
        let most = Envelope { memory_kib: MAX_MEMORY_KIB, passes: MAX_PASSES, lanes: MAX_LANES, ..cheap() };
        for envelope in [cheap(), most].into_iter().chain(Cipher::ALL.map(|cipher| Envelope::new(cipher).unwrap())) {
            assert_eq!(Envelope::from_bytes(&envelope.to_bytes()), Ok(envelope));
        }
        let mut other = cheap().to_bytes();
        other[0] ^= 1;
        assert_eq!(Envelope::from_bytes(&other), Err(EnvelopeError::None));
        for byte in [0, b'0', b'3', 0xff] {
            let mut other = cheap().to_bytes();
            other[15] = byte;
            assert_eq!(Envelope::from_bytes(&other), Err(EnvelopeError::UnknownCipher), "{byte}");
        }
    }

    #[test]
    fn envelope_above_the_limits_is_rejected_before_allocating_memory() {
        for (place, number) in [(16, MAX_MEMORY_KIB + 1), (16, u32::MAX), (20, MAX_PASSES + 1), (24, MAX_LANES + 1)] {
            let mut bytes = cheap().to_bytes();
            bytes[place..place + 4].copy_from_slice(&number.to_be_bytes());
            assert!(matches!(Envelope::from_bytes(&bytes), Err(EnvelopeError::TooMuch { .. })), "{place} {number}");
        }
        for (place, number) in [(16, 0_u32), (16, 8), (20, 0), (24, 0)] {
            let mut bytes = cheap().to_bytes();
            bytes[place..place + 4].copy_from_slice(&number.to_be_bytes());
            assert!(matches!(Envelope::from_bytes(&bytes), Err(EnvelopeError::Impossible { .. })), "{place} {number}");
        }
    }

    #[test]
    fn every_field_of_the_envelope_changes_the_key() {
        let key = |envelope: Envelope, passphrase: &[u8]| envelope.key(passphrase).unwrap().as_bytes()[..16].to_vec();
        let mut keys = vec![
            key(cheap(), b"horse"),
            key(cheap(), b"hors"),
            key(Envelope { salt: [4; 16], ..cheap() }, b"horse"),
            key(Envelope { memory_kib: 72, ..cheap() }, b"horse"),
            key(Envelope { passes: 2, ..cheap() }, b"horse"),
            key(Envelope { lanes: 1, ..cheap() }, b"horse"),
            key(Envelope { cipher: Cipher::Cobblestone128, ..cheap() }, b"horse"),
        ];
        assert_eq!(key(cheap(), b"horse"), keys[0]);
        keys.sort_unstable();
        keys.dedup();
        assert_eq!(keys.len(), 7);
    }

    #[test]
    fn argon2id_matches_rfc_9106() {
        // Computed with PyPI's cryptography 50: Argon2id(salt, 32 or 16, iterations=2, lanes=1, memory_cost=64).
        for (cipher, expected) in [
            (Cipher::Cobblestone256, "1a98fba8e6394425c9bdc333a9c750aaf811df070f5fb4a5788e1cf4db5793a1"),
            (Cipher::Cobblestone128, "792a97be9a1a50fea36d796d22d20103"),
        ] {
            let envelope = Envelope { cipher, memory_kib: 64, passes: 2, lanes: 1, salt: *b"somesaltsomesalt" };
            let key = envelope.key(b"password").unwrap();
            let hexadecimal: String = key.as_bytes().iter().map(|byte| format!("{byte:02x}")).collect();
            assert_eq!(hexadecimal, expected);
        }
    }
}
