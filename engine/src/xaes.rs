//! XAES-256-GCM: AES-256-GCM under nonces of 192 bits (<https://c2sp.org/XAES-256-GCM>).

use crate::backend::in_out::InOut;
use crate::backend::{Keys, Xaes, XaesKey};
use crate::cpu::backend::Backend;
use crate::cpu::schedule::CodePath;
use crate::cpu::{Found, RunnablePath};
use crate::error::Error;
use crate::gcm::refuse;
use crate::limits;
use crate::tag::{TAG_BYTES, Tag, are_equal};

/// An XAES-256-GCM key. Several threads may use one key at the same time.
///
/// Nonces of XAES-256-GCM are long enough to be drawn at random for every message: among 2^80 messages under one key, a
/// nonce repeats with a probability of 2^-32. Each message has its own AES-256-GCM key, derived from this key and the
/// first half of the nonce. Like AES-GCM, XAES-256-GCM is neither resistant to repeated nonces nor key-committing.
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
    keys: Keys<Xaes>,
}

impl XaesGcm {
    /// Length of a nonce in bytes.
    pub const NONCE_BYTES: usize = 24;

    /// Expands a key for the preferred backend of this CPU.
    #[must_use]
    pub fn new(key: &[u8; 32]) -> Self {
        Self { keys: Keys::expand(RunnablePath::preferred(), key) }
    }

    /// Expands a key for the given backend. For tests and measurements.
    ///
    /// # Errors
    /// As for [`AesGcm::with_backend`](crate::AesGcm::with_backend).
    pub fn with_backend(key: &[u8; 32], path: impl Into<CodePath>) -> Result<Self, Error> {
        Ok(Self { keys: Keys::expand(RunnablePath::new(path, Found::here())?, key) })
    }

    /// Returns the backend that the key was expanded for.
    #[must_use]
    pub fn backend(&self) -> Backend {
        self.keys.code_path().backend
    }

    /// Seals `in_out` in place: replaces the plaintext by the ciphertext. Returns the tag.
    ///
    /// # Errors
    /// The errors of [`AesGcm::seal`](crate::AesGcm::seal).
    pub fn seal(&self, nonce: &[u8; Self::NONCE_BYTES], aad: &[u8], in_out: &mut [u8]) -> Result<Tag, Error> {
        self.seal_in_out(nonce, aad, InOut::in_place(in_out))
    }

    /// Seals `plaintext` into `ciphertext`, which must have the same length. Returns the tag.
    ///
    /// # Errors
    /// The errors of [`AesGcm::seal_to`](crate::AesGcm::seal_to).
    pub fn seal_to(
        &self,
        nonce: &[u8; Self::NONCE_BYTES],
        aad: &[u8],
        plaintext: &[u8],
        ciphertext: &mut [u8],
    ) -> Result<Tag, Error> {
        self.seal_in_out(nonce, aad, InOut::between(plaintext, ciphertext)?)
    }

    /// Opens `in_out` in place: replaces the ciphertext by the plaintext. If authentication fails, fills `in_out` with
    /// zeros.
    ///
    /// # Errors
    /// The errors of [`AesGcm::open`](crate::AesGcm::open).
    pub fn open(&self, nonce: &[u8; Self::NONCE_BYTES], aad: &[u8], in_out: &mut [u8], tag: &Tag) -> Result<(), Error> {
        self.open_in_out(nonce, aad, InOut::in_place(in_out), tag)
    }

    /// Opens `ciphertext` into `plaintext`, which must have the same length. If authentication fails, fills `plaintext`
    /// with zeros.
    ///
    /// # Errors
    /// The errors of [`AesGcm::open_to`](crate::AesGcm::open_to).
    pub fn open_to(
        &self,
        nonce: &[u8; Self::NONCE_BYTES],
        aad: &[u8],
        ciphertext: &[u8],
        plaintext: &mut [u8],
        tag: &Tag,
    ) -> Result<(), Error> {
        self.open_in_out(nonce, aad, InOut::between(ciphertext, plaintext)?, tag)
    }

    fn seal_in_out(&self, nonce: &[u8; 24], aad: &[u8], data: InOut<'_>) -> Result<Tag, Error> {
        limits::check(aad.len(), data.len())?;
        let mut tag = [0; TAG_BYTES];
        self.keys.seal(nonce, aad, data, &mut tag);
        Ok(tag)
    }

    fn open_in_out(&self, nonce: &[u8; 24], aad: &[u8], mut data: InOut<'_>, tag: &Tag) -> Result<(), Error> {
        limits::check(aad.len(), data.len())?;
        let mut computed = [0; TAG_BYTES];
        self.keys.open(nonce, aad, data.reborrow(), &mut computed);
        if are_equal(&computed, tag) {
            return Ok(());
        }
        refuse(data)
    }
}

impl core::fmt::Debug for XaesGcm {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("XaesGcm").field("backend", &format_args!("{}", self.keys.code_path())).finish_non_exhaustive()
    }
}
