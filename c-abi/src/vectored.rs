//! AES-GCM for whole messages that lie in several slices.

#![allow(unsafe_code, reason = "dereferences C pointers and exports symbols by name")]

use std::ffi::c_int;

use kasoku_engine::{AesGcm, Nonce};

use crate::boundary;
use crate::buffers::{Input, Output, Slices, UnverifiedPlaintext, kasoku_slice};
use crate::code::Code;
use crate::key_object::Gcm;

/// Seals a message that lies in `in_count` slices, with AAD in `aad_count` slices. Ciphertext and tag are those of
/// kasoku_gcm_seal() for the concatenated slices. `out` must have room for the total length of the slices of `in`.
///
/// Slices may have any length, also 0, and lie anywhere. `out` and `tag` must not overlap a slice or an array of
/// slices. An array of 0 slices may be NULL.
///
/// Returns KASOKU_OK; or KASOKU_ERR_NULL, KASOKU_ERR_NONCE_LENGTH, KASOKU_ERR_AAD_TOO_LONG, KASOKU_ERR_MESSAGE_TOO_LONG
/// or KASOKU_ERR_OVERLAP with nothing written.
///
/// cbindgen:ptrs-as-arrays=[[tag;16]]
///
/// # Safety
/// `gcm` must be NULL or a key of this library. Each buffer, slice and array must be valid for its length, and nothing
/// else may write to it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kasoku_gcm_seal_vectored(
    gcm: *const Gcm,
    nonce: *const u8,
    nonce_len: usize,
    aad: *const kasoku_slice,
    aad_count: usize,
    r#in: *const kasoku_slice,
    in_count: usize,
    out: *mut u8,
    tag: *mut u8,
) -> c_int {
    boundary::code(|| {
        // SAFETY: guaranteed by the caller.
        let message =
            unsafe { VectoredMessage::new(gcm, (nonce, nonce_len), (aad, aad_count), (r#in, in_count), out) }?;
        let tag = Output::tag(tag)?;
        message.check_apart_from(message.output)?;
        message.check_apart_from(tag)?;
        tag.check_apart_from(&[message.output.as_input()])?;
        let VectoredMessage { key, nonce, aad, text, output } = message;
        // SAFETY: checked above; the caller guarantees the memory.
        unsafe {
            let nonce = Nonce::try_from(nonce.slice())?;
            tag.write(&key.seal_vectored(nonce, aad.slices(), text.slices(), output.slice())?);
        }
        Ok(())
    })
}

/// Opens a message that lies in `in_count` slices, with AAD in `aad_count` slices, like kasoku_gcm_open() opens the
/// concatenated slices. `out` must have room for the total length of the slices of `in`, and must not overlap a slice
/// or an array of slices.
///
/// Returns KASOKU_OK; KASOKU_ERR_AUTHENTICATION with `out` all zeros; or KASOKU_ERR_NULL, KASOKU_ERR_NONCE_LENGTH,
/// KASOKU_ERR_AAD_TOO_LONG, KASOKU_ERR_MESSAGE_TOO_LONG or KASOKU_ERR_OVERLAP with nothing written.
///
/// cbindgen:ptrs-as-arrays=[[tag;16]]
///
/// # Safety
/// The requirements are those of kasoku_gcm_seal_vectored().
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kasoku_gcm_open_vectored(
    gcm: *const Gcm,
    nonce: *const u8,
    nonce_len: usize,
    aad: *const kasoku_slice,
    aad_count: usize,
    r#in: *const kasoku_slice,
    in_count: usize,
    tag: *const u8,
    out: *mut u8,
) -> c_int {
    boundary::code(|| {
        // SAFETY: guaranteed by the caller.
        let message =
            unsafe { VectoredMessage::new(gcm, (nonce, nonce_len), (aad, aad_count), (r#in, in_count), out) }?;
        let tag = Input::tag(tag)?;
        message.check_apart_from(message.output)?;
        message.output.check_apart_from(&[tag])?;
        let VectoredMessage { key, nonce, aad, text, output } = message;
        // SAFETY: checked above; the caller guarantees the memory. The slice of the output ends before the guard is
        // dropped.
        let unverified = unsafe { UnverifiedPlaintext::new([output]) };
        // SAFETY: as above; the tag has 16 bytes.
        unsafe {
            let nonce = Nonce::try_from(nonce.slice())?;
            let tag = tag.slice().try_into().map_err(|_| Code::NULL)?;
            key.open_vectored(nonce, aad.slices(), text.slices(), output.slice(), tag)?;
        }
        unverified.keep();
        Ok(())
    })
}

/// Arguments of a call with slices, except the tag. Each argument is checked by itself.
struct VectoredMessage<'a> {
    key: &'a AesGcm,
    nonce: Input,
    aad: Slices,
    text: Slices,
    output: Output,
}

impl VectoredMessage<'_> {
    /// # Safety
    /// The requirements are those of [`kasoku_gcm_seal_vectored`].
    unsafe fn new(
        gcm: *const Gcm,
        nonce: (*const u8, usize),
        aad: (*const kasoku_slice, usize),
        text: (*const kasoku_slice, usize),
        output: *mut u8,
    ) -> Result<Self, Code> {
        // SAFETY: guaranteed by the caller.
        unsafe {
            let key = gcm.as_ref().ok_or(Code::NULL)?.key();
            let nonce = Input::nonce(nonce.0, nonce.1)?;
            let aad = Slices::new(aad.0, aad.1, Input::aad)?;
            let text = Slices::new(text.0, text.1, Input::text)?;
            let output = Output::text(output, text.bytes())?;
            Ok(Self { key, nonce, aad, text, output })
        }
    }

    /// Returns an overlap error if `written` overlaps anything that the call reads.
    fn check_apart_from(&self, written: Output) -> Result<(), Code> {
        written.check_apart_from(&[self.nonce])?;
        self.aad.inputs().chain(self.text.inputs()).try_for_each(|input| written.check_apart_from(&[input]))
    }
}
