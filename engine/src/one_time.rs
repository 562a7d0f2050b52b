//! AES-GCM with a key that seals or opens only one message.

use crate::backend::Keys;
use crate::backend::in_out::InOut;
use crate::cpu::backend::Backend;
use crate::cpu::schedule::CodePath;
use crate::cpu::{Found, RunnablePath};
use crate::error::Error;
use crate::gcm::{AesGcm, check_key, refuse};
use crate::limits;
use crate::nonce::{Form, Nonce};
use crate::tag::{TAG_BYTES, Tag, are_equal};

/// An AES-GCM key for a single message, as in envelope encryption, ratchets, or files with a key of their own.
///
/// Each call expands the key on the stack, with only the powers of H that the message needs, and wipes the expanded
/// key. For two or more messages under one key, [`AesGcm`] is faster. The key is expanded on the heap instead with the
/// backends `portable` and `neon`, and for nonces that do not have 12 bytes.
///
/// ```
/// use kasoku_engine::OneTimeKey;
///
/// let key = OneTimeKey::new(&[7; 32])?;
/// let nonce = [0; 12];
/// let mut data = *b"to be kept secret";
/// let tag = key.seal(&nonce, b"header", &mut data)?;
/// key.open(&nonce, b"header", &mut data, &tag)?;
/// assert_eq!(&data, b"to be kept secret");
/// # Ok::<(), kasoku_engine::Error>(())
/// ```
#[derive(Clone, Copy)]
pub struct OneTimeKey<'key> {
    key: &'key [u8],
    path: RunnablePath,
}

impl<'key> OneTimeKey<'key> {
    /// Borrows a key of 16, 24 or 32 bytes for the preferred backend of this CPU.
    ///
    /// # Errors
    /// [`Error::KeyLength`].
    #[inline(always)]
    pub fn new(key: &'key [u8]) -> Result<Self, Error> {
        Self::for_path(RunnablePath::preferred(), key)
    }

    /// Borrows a key for the given code path: a backend in its preferred instruction schedule, or a [`CodePath`] with a
    /// given schedule. For tests and measurements.
    ///
    /// # Errors
    /// [`Error::KeyLength`]. [`Error::BackendUnavailable`] or [`Error::ScheduleUnavailable`] if the code path is not
    /// available; no other code path is used instead.
    pub fn with_backend(key: &'key [u8], path: impl Into<CodePath>) -> Result<Self, Error> {
        check_key(key)?;
        Self::for_path(RunnablePath::new(path, Found::here())?, key)
    }

    /// Borrows a key of 16, 24 or 32 bytes for a code path (backend and instruction schedule) that this CPU can run.
    ///
    /// # Errors
    /// [`Error::KeyLength`].
    #[inline(always)]
    pub fn for_path(path: RunnablePath, key: &'key [u8]) -> Result<Self, Error> {
        check_key(key)?;
        Ok(Self { key, path })
    }

    /// Returns the backend that seals and opens messages.
    #[must_use]
    pub fn backend(&self) -> Backend {
        self.path.code_path().backend
    }

    /// Seals `in_out` in place: replaces the plaintext by the ciphertext. Returns the tag.
    ///
    /// # Errors
    /// [`Error::MessageTooLong`], [`Error::AadTooLong`].
    #[inline]
    pub fn seal<'n>(&self, nonce: impl Into<Nonce<'n>>, aad: &[u8], in_out: &mut [u8]) -> Result<Tag, Error> {
        let mut tag = [0; TAG_BYTES];
        self.seal_in_out(nonce.into(), aad, InOut::in_place(in_out), &mut tag)?;
        Ok(tag)
    }

    /// Like [`seal`](Self::seal), but writes the tag to `tag`.
    ///
    /// # Errors
    /// As for [`seal`](Self::seal). After an error, `tag` is unchanged.
    #[inline]
    pub fn seal_in_place<'n>(
        &self,
        nonce: impl Into<Nonce<'n>>,
        aad: &[u8],
        in_out: &mut [u8],
        tag: &mut Tag,
    ) -> Result<(), Error> {
        self.seal_in_out(nonce.into(), aad, InOut::in_place(in_out), tag)
    }

    /// Seals `plaintext` into `ciphertext`, which must have the same length, and writes the tag to `tag`.
    ///
    /// # Errors
    /// [`Error::MessageTooLong`], [`Error::AadTooLong`], [`Error::LengthsDiffer`]. After an error, `tag` is unchanged.
    #[inline]
    pub fn seal_into<'n>(
        &self,
        nonce: impl Into<Nonce<'n>>,
        aad: &[u8],
        plaintext: &[u8],
        ciphertext: &mut [u8],
        tag: &mut Tag,
    ) -> Result<(), Error> {
        self.seal_in_out(nonce.into(), aad, InOut::between(plaintext, ciphertext)?, tag)
    }

    /// Opens `in_out` in place: replaces the ciphertext by the plaintext. If authentication fails, fills `in_out` with
    /// zeros.
    ///
    /// # Errors
    /// [`Error::AuthenticationFailed`]. [`Error::MessageTooLong`] and [`Error::AadTooLong`], which leave `in_out`
    /// unchanged.
    #[inline]
    pub fn open<'n>(&self, nonce: impl Into<Nonce<'n>>, aad: &[u8], in_out: &mut [u8], tag: &Tag) -> Result<(), Error> {
        self.open_in_out(nonce.into(), aad, InOut::in_place(in_out), tag)
    }

    /// Opens `ciphertext` into `plaintext`, which must have the same length. If authentication fails, fills `plaintext`
    /// with zeros.
    ///
    /// # Errors
    /// [`Error::AuthenticationFailed`]. [`Error::MessageTooLong`], [`Error::AadTooLong`] and [`Error::LengthsDiffer`],
    /// which leave `plaintext` unchanged.
    #[inline]
    pub fn open_to<'n>(
        &self,
        nonce: impl Into<Nonce<'n>>,
        aad: &[u8],
        ciphertext: &[u8],
        plaintext: &mut [u8],
        tag: &Tag,
    ) -> Result<(), Error> {
        self.open_in_out(nonce.into(), aad, InOut::between(ciphertext, plaintext)?, tag)
    }

    #[inline(always)]
    fn seal_in_out(&self, nonce: Nonce<'_>, aad: &[u8], data: InOut<'_>, tag: &mut Tag) -> Result<(), Error> {
        limits::check(aad.len(), data.len())?;
        match nonce.0 {
            Form::Bits96(nonce) => {
                self.process::<true>(nonce, aad, data, tag);
                Ok(())
            }
            Form::Other(_) => self.expanded()?.seal_in_out(nonce, aad, data, tag),
        }
    }

    #[inline(always)]
    fn open_in_out(&self, nonce: Nonce<'_>, aad: &[u8], mut data: InOut<'_>, tag: &Tag) -> Result<(), Error> {
        limits::check(aad.len(), data.len())?;
        let Form::Bits96(nonce) = nonce.0 else { return self.expanded()?.open_in_out(nonce, aad, data, tag) };
        let mut computed = [0; TAG_BYTES];
        self.process::<false>(nonce, aad, data.reborrow(), &mut computed);
        if are_equal(&computed, tag) { Ok(()) } else { refuse(data) }
    }

    /// Seals a message if `SEAL`, otherwise opens one. Writes the computed tag to `tag`.
    #[inline(always)]
    pub(crate) fn process<const SEAL: bool>(&self, nonce: &[u8; 12], aad: &[u8], data: InOut<'_>, tag: &mut Tag) {
        Keys::once::<SEAL>(self.path, self.key, nonce, aad, data, tag);
    }

    /// Expands the key on the heap, for nonces that do not have 12 bytes and must be hashed first.
    #[cold]
    fn expanded(&self) -> Result<AesGcm, Error> {
        AesGcm::for_path(self.path, self.key)
    }
}

impl core::fmt::Debug for OneTimeKey<'_> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("OneTimeKey")
            .field("backend", &format_args!("{}", self.path.code_path()))
            .finish_non_exhaustive()
    }
}
