//! XAES-256-GCM: AES-256-GCM under nonces of 192 bits (<https://c2sp.org/XAES-256-GCM>).

use alloc::boxed::Box;

use crate::backend::{Block, Key, wipe};
use crate::cpu::backend::Backend;
use crate::cpu::schedule::CodePath;
use crate::error::Error;
use crate::gcm::AesGcm;
use crate::tag::Tag;

/// An XAES-256-GCM key; several threads may use it at once.
///
/// Its nonces are long enough to be drawn at random for every message: among 2^80 messages under one key one repeats
/// with a probability of 2^-32. Each message has its own AES-256-GCM key, derived from this key and the first half of
/// the nonce; expanding that costs some hundred nanoseconds. Like AES-GCM itself, it is neither resistant to repeated
/// nonces nor key-committing.
///
/// ```
/// use kasoku_engine::XaesGcm;
///
/// let key = XaesGcm::new(&[7; 32]);
/// let nonce = [0; 24]; // from the system's random generator
/// let mut data = *b"to be kept secret";
/// let tag = key.seal(&nonce, b"header", &mut data)?;
/// key.open(&nonce, b"header", &mut data, &tag)?;
/// assert_eq!(&data, b"to be kept secret");
/// # Ok::<(), kasoku_engine::Error>(())
/// ```
pub struct XaesGcm {
    key: AesGcm,
    /// K1 of CMAC (SP 800-38B §6.1), on the heap like every secret.
    subkey: Box<Block>,
}

impl XaesGcm {
    /// Bytes of a nonce.
    pub const NONCE_BYTES: usize = 24;

    /// Expands a key for the backend we prefer on this CPU.
    #[must_use]
    pub fn new(key: &[u8; 32]) -> Self {
        match AesGcm::new(key) {
            Ok(key) => Self::of(key),
            Err(_) => unreachable!("32 bytes are a key"),
        }
    }

    /// Expands a key for a chosen backend: for tests and measurements.
    ///
    /// # Errors
    /// As [`AesGcm::with_backend`].
    pub fn with_backend(key: &[u8; 32], path: impl Into<CodePath>) -> Result<Self, Error> {
        AesGcm::with_backend(key, path).map(Self::of)
    }

    /// The backend that does the work.
    #[must_use]
    pub fn backend(&self) -> Backend {
        self.key.backend()
    }

    /// Seals `in_out` in place: plaintext before, ciphertext after. Returns the tag.
    ///
    /// # Errors
    /// Those of [`AesGcm::seal`].
    pub fn seal(&self, nonce: &[u8; Self::NONCE_BYTES], aad: &[u8], in_out: &mut [u8]) -> Result<Tag, Error> {
        let (key, nonce) = self.derive(nonce)?;
        key.seal(&nonce, aad, in_out)
    }

    /// Seals `plaintext` into `ciphertext`, which is as long. Returns the tag.
    ///
    /// # Errors
    /// Those of [`AesGcm::seal_to`].
    pub fn seal_to(
        &self,
        nonce: &[u8; Self::NONCE_BYTES],
        aad: &[u8],
        plaintext: &[u8],
        ciphertext: &mut [u8],
    ) -> Result<Tag, Error> {
        let (key, nonce) = self.derive(nonce)?;
        key.seal_to(&nonce, aad, plaintext, ciphertext)
    }

    /// Opens `in_out` in place: ciphertext before, plaintext after. If authentication fails it is all zeros.
    ///
    /// # Errors
    /// Those of [`AesGcm::open`].
    pub fn open(&self, nonce: &[u8; Self::NONCE_BYTES], aad: &[u8], in_out: &mut [u8], tag: &Tag) -> Result<(), Error> {
        let (key, nonce) = self.derive(nonce)?;
        key.open(&nonce, aad, in_out, tag)
    }

    /// Opens `ciphertext` into `plaintext`, which is as long. If authentication fails, `plaintext` is all zeros.
    ///
    /// # Errors
    /// Those of [`AesGcm::open_to`].
    pub fn open_to(
        &self,
        nonce: &[u8; Self::NONCE_BYTES],
        aad: &[u8],
        ciphertext: &[u8],
        plaintext: &mut [u8],
        tag: &Tag,
    ) -> Result<(), Error> {
        let (key, nonce) = self.derive(nonce)?;
        key.open_to(&nonce, aad, ciphertext, plaintext, tag)
    }

    fn of(key: AesGcm) -> Self {
        let zeros = key.keys().encrypt_block(&Block::default());
        Self { subkey: Box::new(doubled(zeros)), key }
    }

    /// The key and the nonce of a message: SP 800-108r1's KDF in counter mode over CMAC, whose two messages are a
    /// block each.
    fn derive(&self, nonce: &[u8; Self::NONCE_BYTES]) -> Result<(AesGcm, [u8; 12]), Error> {
        let (context, rest) = nonce.split_at(12);
        let mut derived = [0; 32];
        for (counter, half) in (1..).zip(derived.as_chunks_mut::<16>().0) {
            let mut input = [0, counter, b'X', 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
            input[4..].copy_from_slice(context);
            input.iter_mut().zip(self.subkey.iter()).for_each(|(byte, key)| *byte ^= key);
            *half = self.key.keys().encrypt_block(&input);
            wipe(&mut input);
        }
        let key = AesGcm::with_backend(&derived, self.key.code_path());
        wipe(&mut derived);
        let mut gcm_nonce = [0; 12];
        gcm_nonce.copy_from_slice(rest);
        Ok((key?, gcm_nonce))
    }
}

/// A block times x in CMAC's field (SP 800-38B §6.1), whatever its bits.
fn doubled(block: Block) -> Block {
    let value = u128::from_be_bytes(block);
    // 0x87 is what x^128 is worth.
    ((value << 1) ^ ((value >> 127) * 0x87)).to_be_bytes()
}

impl Drop for XaesGcm {
    fn drop(&mut self) {
        wipe(&mut *self.subkey);
    }
}

impl core::fmt::Debug for XaesGcm {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("XaesGcm").field("backend", &format_args!("{}", self.key.code_path())).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// L and K1 of the specification's vectors, without and with the reduction.
    #[test]
    fn the_subkey_is_that_of_the_specification() {
        let k1 = 0xe531_954a_ca06_3d5b_8d9c_47a4_7d4c_c6f0_u128;
        assert_eq!(*XaesGcm::new(&[1; 32]).subkey, k1.to_be_bytes());
        let k1 = 0x2381_0ec5_0edb_99f3_7440_9466_ed1f_4b7b_u128;
        assert_eq!(*XaesGcm::new(&[3; 32]).subkey, k1.to_be_bytes());
    }

    #[test]
    fn neither_key_nor_subkey_is_printed() {
        let text = alloc::format!("{:?}", XaesGcm::new(&[233; 32]));
        assert!(text.starts_with("XaesGcm") && !text.contains("233"), "{text}");
    }
}
