//! AES-GCM-SIV (RFC 8452): a repeated nonce reveals only whether two messages are equal.

use crate::backend::in_out::InOut;
use crate::backend::{Keys, Siv, SivKey};
use crate::cpu::backend::Backend;
use crate::cpu::schedule::CodePath;
use crate::cpu::{Found, RunnablePath};
use crate::error::Error;
use crate::tag::{TAG_BYTES, Tag, are_equal};

/// An AES-128-GCM-SIV or AES-256-GCM-SIV key. Several threads may use one key at the same time.
///
/// If a nonce repeats, AES-GCM reveals its hash key, but AES-GCM-SIV does not. (Nonces may repeat if very many are
/// drawn at random, or on machines that are restored from snapshots.) AES-GCM-SIV costs a second pass over the
/// plaintext, and keys derived for each message. With random nonces, one key may seal up to 2^32 messages of at most
/// 2^29 bytes, or fewer longer messages (RFC 8452 §9).
///
/// ```
/// use kasoku_engine::AesGcmSiv;
///
/// let key = AesGcmSiv::new(&[7; 32])?;
/// let nonce = [0; 12]; // from the system's random generator
/// let mut data = *b"to be kept secret";
/// let tag = key.seal(&nonce, b"header", &mut data)?;
/// key.open(&nonce, b"header", &mut data, &tag)?;
/// assert_eq!(&data, b"to be kept secret");
/// # Ok::<(), kasoku_engine::Error>(())
/// ```
pub struct AesGcmSiv {
    keys: Keys<Siv>,
}

/// Maximum number of bytes of plaintext, and of AAD (RFC 8452 §6).
const MAX_BYTES: u64 = 1 << 36;

impl AesGcmSiv {
    /// Length of a nonce in bytes.
    pub const NONCE_BYTES: usize = 12;

    /// Expands a key of 16 or 32 bytes for the preferred backend of this CPU.
    ///
    /// # Errors
    /// [`Error::SivKeyLength`].
    pub fn new(key: &[u8]) -> Result<Self, Error> {
        Self::for_path(RunnablePath::preferred(), key)
    }

    /// Expands a key for the given backend. For tests and measurements.
    ///
    /// # Errors
    /// [`Error::SivKeyLength`], [`Error::BackendUnavailable`] and [`Error::ScheduleUnavailable`].
    pub fn with_backend(key: &[u8], path: impl Into<CodePath>) -> Result<Self, Error> {
        check_key(key)?;
        Self::for_path(RunnablePath::new(path, Found::here())?, key)
    }

    /// Returns the backend that the key was expanded for.
    #[must_use]
    pub fn backend(&self) -> Backend {
        self.keys.code_path().backend
    }

    /// Seals `in_out` in place: replaces the plaintext by the ciphertext. Returns the tag.
    ///
    /// # Errors
    /// [`Error::MessageTooLong`] and [`Error::AadTooLong`], which leave `in_out` unchanged.
    pub fn seal(&self, nonce: &[u8; Self::NONCE_BYTES], aad: &[u8], in_out: &mut [u8]) -> Result<Tag, Error> {
        self.seal_in_out(nonce, aad, InOut::in_place(in_out))
    }

    /// Seals `plaintext` into `ciphertext`, which must have the same length. Returns the tag.
    ///
    /// # Errors
    /// As for [`seal`](Self::seal), and [`Error::LengthsDiffer`].
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
    /// [`Error::AuthenticationFailed`]. [`Error::MessageTooLong`] and [`Error::AadTooLong`], which leave `in_out`
    /// unchanged.
    pub fn open(&self, nonce: &[u8; Self::NONCE_BYTES], aad: &[u8], in_out: &mut [u8], tag: &Tag) -> Result<(), Error> {
        self.open_in_out(nonce, aad, InOut::in_place(in_out), tag)
    }

    /// Opens `ciphertext` into `plaintext`, which must have the same length. If authentication fails, fills `plaintext`
    /// with zeros.
    ///
    /// # Errors
    /// As for [`open`](Self::open), and [`Error::LengthsDiffer`].
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

    fn for_path(path: RunnablePath, key: &[u8]) -> Result<Self, Error> {
        check_key(key)?;
        Ok(Self { keys: Keys::expand(path, key) })
    }

    fn seal_in_out(&self, nonce: &[u8; 12], aad: &[u8], data: InOut<'_>) -> Result<Tag, Error> {
        check(aad, &data)?;
        let mut tag = [0; TAG_BYTES];
        self.keys.seal(nonce, aad, data, &mut tag);
        Ok(tag)
    }

    fn open_in_out(&self, nonce: &[u8; 12], aad: &[u8], mut data: InOut<'_>, tag: &Tag) -> Result<(), Error> {
        check(aad, &data)?;
        let made = self.keys.open(nonce, aad, data.reborrow(), tag);
        if are_equal(&made, tag) {
            return Ok(());
        }
        data.output_mut().fill(0);
        Err(Error::AuthenticationFailed)
    }
}

/// Returns an error unless the key has 16 or 32 bytes.
fn check_key(key: &[u8]) -> Result<(), Error> {
    if matches!(key.len(), 16 | 32) { Ok(()) } else { Err(Error::SivKeyLength(key.len())) }
}

fn check(aad: &[u8], data: &InOut<'_>) -> Result<(), Error> {
    match (aad.len() as u64 > MAX_BYTES, data.len() as u64 > MAX_BYTES) {
        (true, _) => Err(Error::AadTooLong),
        (_, true) => Err(Error::MessageTooLong),
        _ => Ok(()),
    }
}

impl core::fmt::Debug for AesGcmSiv {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("AesGcmSiv").field("backend", &format_args!("{}", self.keys.code_path())).finish_non_exhaustive()
    }
}
