//! AES-GCM for whole messages under one key (SP 800-38D §7).

use core::ffi::c_void;
use core::iter::once;

use crate::backend::in_out::InOut;
use crate::backend::{Key, Keys, LentMemory, SealFunction};
use crate::cpu::backend::Backend;
use crate::cpu::schedule::CodePath;
use crate::cpu::{Found, RunnablePath};
use crate::error::Error;
use crate::limits;
use crate::nonce::{Form, Nonce};
use crate::stream::Stream;
use crate::tag::{TAG_BYTES, Tag, are_equal};

/// An AES-GCM key, expanded for one backend. Several threads may use one key at the same time.
///
/// All calls check lengths first ([`Error::MessageTooLong`], [`Error::AadTooLong`], [`Error::LengthsDiffer`]). Opening
/// can also return [`Error::AuthenticationFailed`]. No call panics.
///
/// The key does not count messages: with random 96-bit nonces it may seal 2^32 messages (SP 800-38D §8.3). A
/// [`RandomSealing`](crate::RandomSealing) counts messages for you. A [`SealingSequence`](crate::SealingSequence) makes
/// nonces that cannot repeat.
pub struct AesGcm {
    keys: Keys,
}

impl AesGcm {
    /// Expands a key of 16, 24 or 32 bytes for the preferred backend of this CPU.
    ///
    /// # Errors
    /// [`Error::KeyLength`].
    pub fn new(key: &[u8]) -> Result<Self, Error> {
        Self::for_path(RunnablePath::preferred(), key)
    }

    /// Expands a key for the given code path: a backend in its preferred instruction schedule, or a [`CodePath`] with a
    /// given schedule. For tests and measurements.
    ///
    /// # Errors
    /// [`Error::KeyLength`]. [`Error::BackendUnavailable`] or [`Error::ScheduleUnavailable`] if the code path is not
    /// available; no other code path is used instead.
    pub fn with_backend(key: &[u8], path: impl Into<CodePath>) -> Result<Self, Error> {
        Self::with_features(key, path, Found::here())
    }

    /// Like [`with_backend`](Self::with_backend), but treats the CPU as if it had only the features in `found`.
    ///
    /// # Errors
    /// As for [`with_backend`](Self::with_backend).
    pub fn with_features(key: &[u8], path: impl Into<CodePath>, found: Found) -> Result<Self, Error> {
        check_key(key)?;
        Self::for_path(RunnablePath::new(path, found)?, key)
    }

    /// Expands a key of 16, 24 or 32 bytes for a code path (backend and instruction schedule) that this CPU can run.
    ///
    /// # Errors
    /// [`Error::KeyLength`].
    pub fn for_path(path: RunnablePath, key: &[u8]) -> Result<Self, Error> {
        Self::placed(path, key, None)
    }

    /// Expands a key of 16, 24 or 32 bytes in `memory`, or on the heap if there is none.
    #[inline(always)]
    pub(crate) fn placed(path: RunnablePath, key: &[u8], memory: Option<LentMemory>) -> Result<Self, Error> {
        check_key(key)?;
        Ok(Self { keys: Keys::expand(path, (key, memory)) })
    }

    /// Returns the backend that the key was expanded for.
    #[must_use]
    pub fn backend(&self) -> Backend {
        self.keys.code_path().backend
    }

    /// Returns the backend and the instruction schedule that the key was expanded for.
    #[must_use]
    pub fn code_path(&self) -> CodePath {
        self.keys.code_path()
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

    /// Seals `plaintext` into `ciphertext`, which must have the same length. Returns the tag.
    ///
    /// # Errors
    /// [`Error::MessageTooLong`], [`Error::AadTooLong`], [`Error::LengthsDiffer`].
    #[inline]
    pub fn seal_to<'n>(
        &self,
        nonce: impl Into<Nonce<'n>>,
        aad: &[u8],
        plaintext: &[u8],
        ciphertext: &mut [u8],
    ) -> Result<Tag, Error> {
        let mut tag = [0; TAG_BYTES];
        self.seal_in_out(nonce.into(), aad, InOut::between(plaintext, ciphertext)?, &mut tag)?;
        Ok(tag)
    }

    /// Like [`seal_to`](Self::seal_to), but writes the tag to `tag`, for example directly after the ciphertext in a
    /// packet. This is some nanoseconds faster than returning and copying the tag.
    ///
    /// # Errors
    /// As for [`seal_to`](Self::seal_to). After an error, `tag` is unchanged.
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

    /// Returns the function that seals a message of `bytes` bytes with `aad_bytes` bytes of AAD, and the first argument
    /// for that function. Returns `otherwise` if sealing the message takes more than one function, or if the key has
    /// too few powers of H for the message. Does not check the lengths against AES-GCM's limits: the C library, which
    /// calls this function, checks them.
    #[doc(hidden)]
    #[must_use]
    #[inline(always)]
    pub fn seal_function(
        &self,
        aad_bytes: usize,
        bytes: usize,
        otherwise: (SealFunction, *const c_void),
    ) -> (SealFunction, *const c_void) {
        self.keys.seal_function(aad_bytes, bytes, otherwise)
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
    pub(crate) fn seal_in_out(
        &self,
        nonce: Nonce<'_>,
        aad: &[u8],
        data: InOut<'_>,
        tag: &mut Tag,
    ) -> Result<(), Error> {
        // Does not use `check()?`: the compiler would continue here after the call of the cold function, and every
        // message would save registers for that call.
        if limits::are_exceeded(aad.len(), data.len()) {
            return Err(limits::length_error(aad.len()));
        }
        match nonce.0 {
            Form::Bits96(nonce) => {
                self.keys.seal(nonce, aad, data, tag);
                Ok(())
            }
            Form::Other(_) => self.seal_in_stream(nonce, &mut once(aad), data, tag),
        }
    }

    #[inline(always)]
    pub(crate) fn open_in_out(
        &self,
        nonce: Nonce<'_>,
        aad: &[u8],
        mut data: InOut<'_>,
        tag: &Tag,
    ) -> Result<(), Error> {
        // Does not use `check()?`, as in `seal_in_out`.
        if limits::are_exceeded(aad.len(), data.len()) {
            return Err(limits::length_error(aad.len()));
        }
        let mut computed = [0; TAG_BYTES];
        match nonce.0 {
            Form::Bits96(nonce) => self.keys.open(nonce, aad, data.reborrow(), &mut computed),
            Form::Other(_) => self.open_in_stream(nonce, &mut once(aad), data.reborrow(), &mut computed)?,
        }
        if are_equal(&computed, tag) {
            return Ok(());
        }
        refuse(data)
    }

    /// Seals a message whose nonce does not have 96 bits, or whose AAD is in several parts. Not inlined, so that the
    /// code for common messages stays short.
    #[inline(never)]
    pub(crate) fn seal_in_stream(
        &self,
        nonce: Nonce<'_>,
        aad: &mut dyn Iterator<Item = &[u8]>,
        data: InOut<'_>,
        tag: &mut Tag,
    ) -> Result<(), Error> {
        let mut stream = Stream::empty();
        stream.start(self, nonce)?;
        for part in aad {
            stream.aad(self, part)?;
        }
        stream.seal(&self.keys, data)?;
        *tag = stream.tag(self);
        Ok(())
    }

    /// Opens a message whose nonce does not have 96 bits, or whose AAD is in several parts. Writes the computed tag to
    /// `tag`; the caller compares this tag with the received one.
    #[inline(never)]
    pub(crate) fn open_in_stream(
        &self,
        nonce: Nonce<'_>,
        aad: &mut dyn Iterator<Item = &[u8]>,
        data: InOut<'_>,
        tag: &mut Tag,
    ) -> Result<(), Error> {
        let mut stream = Stream::empty();
        stream.start(self, nonce)?;
        for part in aad {
            stream.aad(self, part)?;
        }
        stream.open(&self.keys, data)?;
        *tag = stream.tag(self);
        Ok(())
    }

    pub(crate) fn keys(&self) -> &Keys {
        &self.keys
    }
}

impl core::fmt::Debug for AesGcm {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("AesGcm").field("backend", &format_args!("{}", self.code_path())).finish_non_exhaustive()
    }
}

/// Returns an error unless the key has 16, 24 or 32 bytes.
#[inline(always)]
pub(crate) fn check_key(key: &[u8]) -> Result<(), Error> {
    if matches!(key.len(), 16 | 24 | 32) { Ok(()) } else { Err(Error::KeyLength(key.len())) }
}

/// Wipes the plaintext of a forgery, and returns the error.
#[cold]
pub(crate) fn refuse(mut data: InOut<'_>) -> Result<(), Error> {
    data.output_mut().fill(0);
    Err(Error::AuthenticationFailed)
}
