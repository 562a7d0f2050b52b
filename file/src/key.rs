//! The key of a file, and the values derived from it: cipher, first nonce and commitment.

use std::fmt;

use hmac::{Hmac, KeyInit, Mac};
use kasoku_engine::{AesGcm, Backend};
use sha2::Sha512;
use zeroize::{Zeroize as _, Zeroizing};

use crate::chunk::Chunks;
use crate::format::{COMMITMENT_BYTES, HEADER_BYTES, SALT_BYTES};
use crate::{Cipher, Error};

/// Length of the longest key in bytes.
pub(crate) const MAX_KEY_BYTES: usize = 32;

/// File key for one cipher: uniformly random bytes, wiped when dropped.
///
/// For passphrases, see [`passphrase`](crate::passphrase).
#[derive(Clone)]
pub struct Key {
    cipher: Cipher,
    /// The key, followed by zeros.
    bytes: Zeroizing<[u8; MAX_KEY_BYTES]>,
}

impl Key {
    /// Generates a key for `cipher` from the system's random numbers.
    ///
    /// # Errors
    /// [`Error::Random`].
    pub fn generate(cipher: Cipher) -> Result<Key, Error> {
        Key::filled(cipher, fill_randomly)
    }

    /// Creates a key from uniformly random bytes: 16 for [`Cipher::Cobblestone128`], 32 for
    /// [`Cipher::Cobblestone256`].
    ///
    /// # Errors
    /// [`Error::KeyLength`].
    pub fn from_bytes(bytes: &[u8]) -> Result<Key, Error> {
        let cipher = Cipher::ALL.into_iter().find(|cipher| cipher.key_bytes() == bytes.len());
        let cipher = cipher.ok_or(Error::KeyLength { bytes: bytes.len() })?;
        Key::filled(cipher, |key| {
            key.copy_from_slice(bytes);
            Ok(())
        })
    }

    /// Creates a key whose bytes `fill` writes.
    pub(crate) fn filled<E>(cipher: Cipher, fill: impl FnOnce(&mut [u8]) -> Result<(), E>) -> Result<Key, E> {
        let mut bytes = Zeroizing::new([0; MAX_KEY_BYTES]);
        fill(&mut bytes[..cipher.key_bytes()])?;
        Ok(Key { cipher, bytes })
    }

    /// Returns the key's bytes, to store them.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes[..self.cipher.key_bytes()]
    }

    /// Returns the cipher that this key is for.
    pub fn cipher(&self) -> Cipher {
        self.cipher
    }

    /// Creates a header with a random salt, and the cipher for the chunks after it.
    pub(crate) fn begin(
        &self,
        context: &[u8],
        backend: Option<Backend>,
    ) -> Result<([u8; HEADER_BYTES], Chunks), Error> {
        let mut salt = [0; SALT_BYTES];
        fill_randomly(&mut salt)?;
        self.begin_with(&salt, context, backend)
    }

    /// Creates a header with a given salt. Using a salt for two files under one key reveals the XOR of both plaintexts.
    pub(crate) fn begin_with(
        &self,
        salt: &[u8; SALT_BYTES],
        context: &[u8],
        backend: Option<Backend>,
    ) -> Result<([u8; HEADER_BYTES], Chunks), Error> {
        let (chunks, commitment) = self.derive(salt, context, backend)?;
        let mut header = [0; HEADER_BYTES];
        header[..SALT_BYTES].copy_from_slice(salt);
        header[SALT_BYTES..].copy_from_slice(&commitment);
        Ok((header, chunks))
    }

    /// Returns the cipher for the chunks after `header`.
    ///
    /// # Errors
    /// [`Error::WrongKey`] if the header does not commit to this key and context.
    pub(crate) fn recognise(
        &self,
        header: &[u8; HEADER_BYTES],
        context: &[u8],
        backend: Option<Backend>,
    ) -> Result<Chunks, Error> {
        let (salt, stated) = header.split_at(SALT_BYTES);
        let salt: &[u8; SALT_BYTES] = salt.try_into().map_err(|_| Error::WrongKey)?;
        let (chunks, commitment) = self.derive(salt, context, backend)?;
        let is_equal: bool = subtle::ConstantTimeEq::ct_eq(&commitment[..], stated).into();
        if is_equal { Ok(chunks) } else { Err(Error::WrongKey) }
    }

    /// Derives key 16 or 32 ‖ nonce 12 ‖ commitment 32 = HKDF-Expand-SHA-512(self, label ‖ salt ‖ context), two blocks
    /// of RFC 5869 §2.3.
    fn derive(
        &self,
        salt: &[u8; SALT_BYTES],
        context: &[u8],
        backend: Option<Backend>,
    ) -> Result<(Chunks, [u8; COMMITMENT_BYTES]), Error> {
        let mut material = Zeroizing::new([0; 128]);
        let (first, second) = material.split_at_mut(64);
        first.copy_from_slice(&self.block(&[], salt, context, 1)[..]);
        second.copy_from_slice(&self.block(first, salt, context, 2)[..]);

        let (key, rest) = material.split_at(self.cipher.key_bytes());
        let mut nonce = [0; 12];
        nonce.copy_from_slice(&rest[..12]);
        let mut commitment = [0; COMMITMENT_BYTES];
        commitment.copy_from_slice(&rest[12..12 + COMMITMENT_BYTES]);
        // An AES key of 16 or 32 bytes is always valid, so the only error is an unavailable backend.
        let cipher = match backend {
            Some(backend) => AesGcm::with_backend(key, backend),
            None => AesGcm::new(key),
        };
        let cipher = cipher.map_err(|error| Error::Engine(error.to_string()))?;
        Ok((Chunks::new(cipher, nonce), commitment))
    }

    fn block(&self, before: &[u8], salt: &[u8; SALT_BYTES], context: &[u8], number: u8) -> Zeroizing<[u8; 64]> {
        let Ok(mut mac) = Hmac::<Sha512>::new_from_slice(self.as_bytes()) else {
            unreachable!("HMAC takes keys of any length")
        };
        for part in [before, self.cipher.label(), salt, context, &[number]] {
            mac.update(part);
        }
        let mut block = Zeroizing::new([0; 64]);
        let mut made = mac.finalize().into_bytes();
        block.copy_from_slice(&made);
        made.as_mut_slice().zeroize();
        block
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Key(…)")
    }
}

pub(crate) fn fill_randomly(bytes: &mut [u8]) -> Result<(), Error> {
    getrandom::fill(bytes).map_err(|error| Error::Random(error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn generated_keys_and_salts_differ() {
        let [mut first, mut second] = [[0; 32]; 2];
        fill_randomly(&mut first).unwrap();
        fill_randomly(&mut second).unwrap();
        assert!(first != [0; 32] && second != [0; 32] && first != second);
    }

    #[test]
    fn debug_output_hides_the_key() {
        assert_eq!(format!("{:?}", Key::from_bytes(&[0x42; 32]).unwrap()), "Key(…)");
    }

    #[test]
    fn key_length_selects_the_cipher() {
        for cipher in Cipher::ALL {
            let key = Key::generate(cipher).unwrap();
            assert_eq!((key.cipher(), key.as_bytes().len()), (cipher, cipher.key_bytes()));
            let copy = Key::from_bytes(key.as_bytes()).unwrap();
            assert_eq!((copy.cipher(), copy.as_bytes()), (cipher, key.as_bytes()));
        }
        for bytes in [0, 15, 17, 24, 31, 33] {
            let result = Key::from_bytes(&[7; 40][..bytes]);
            assert!(matches!(result, Err(Error::KeyLength { bytes: found }) if found == bytes), "{bytes} bytes");
        }
    }
}
