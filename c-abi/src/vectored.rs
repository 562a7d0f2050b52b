//! Whole messages that lie in several slices.

#![allow(unsafe_code, reason = "C's pointers are followed, and symbols exported by name")]

use std::ffi::c_int;

use kasoku_engine::{AesGcm, Nonce};

use crate::boundary;
use crate::buffers::{Input, Output, Slices, Unverified, kasoku_slice};
use crate::code::Code;
use crate::gcm::Gcm;

/// Seals a message that lies in `in_count` slices, with AAD in `aad_count`: the same message, and the same tag, as
/// kasoku_gcm_seal() makes of the slices put together. `out` takes as many bytes as all slices of `in` have.
///
/// The slices may have any lengths, also 0, and lie anywhere; but `out` and `tag` overlap none of them, nor the arrays.
/// NULL is allowed for an array of 0 slices.
///
/// Returns KASOKU_OK, or KASOKU_ERR_NULL, KASOKU_ERR_NONCE_LENGTH, KASOKU_ERR_AAD_TOO_LONG, KASOKU_ERR_MESSAGE_TOO_LONG
/// or KASOKU_ERR_OVERLAP with nothing written.
///
/// cbindgen:ptrs-as-arrays=[[tag;16]]
///
/// # Safety
/// `gcm` must be NULL or a key of this library; each buffer, slice and array readable or writable for its length, and
/// not be written by anybody else meanwhile.
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
        // SAFETY: the caller vouches for it.
        let message = unsafe { Message::new(gcm, (nonce, nonce_len), (aad, aad_count), (r#in, in_count), out) }?;
        let tag = Output::tag(tag)?;
        message.keeps_apart_from(message.output)?;
        message.keeps_apart_from(tag)?;
        tag.apart_from(&[message.output.as_input()])?;
        let Message { key, nonce, aad, text, output } = message;
        // SAFETY: checked above; the caller vouches for the memory.
        unsafe {
            let nonce = Nonce::try_from(nonce.slice())?;
            tag.write(&key.seal_vectored(nonce, aad.slices(), text.slices(), output.slice())?);
        }
        Ok(())
    })
}

/// Opens a message that lies in `in_count` slices, with AAD in `aad_count`: as kasoku_gcm_open() does with the slices
/// put together. `out` takes as many bytes as all slices of `in` have; it overlaps none of them, nor the arrays.
///
/// Returns KASOKU_OK; KASOKU_ERR_AUTHENTICATION with zeros in all of `out`; or KASOKU_ERR_NULL,
/// KASOKU_ERR_NONCE_LENGTH, KASOKU_ERR_AAD_TOO_LONG, KASOKU_ERR_MESSAGE_TOO_LONG or KASOKU_ERR_OVERLAP with nothing
/// written.
///
/// cbindgen:ptrs-as-arrays=[[tag;16]]
///
/// # Safety
/// As kasoku_gcm_seal_vectored().
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
        // SAFETY: the caller vouches for it.
        let message = unsafe { Message::new(gcm, (nonce, nonce_len), (aad, aad_count), (r#in, in_count), out) }?;
        let tag = Input::tag(tag)?;
        message.keeps_apart_from(message.output)?;
        message.output.apart_from(&[tag])?;
        let Message { key, nonce, aad, text, output } = message;
        // SAFETY: checked above; the caller vouches for the memory. The slice of the output is gone when this is
        // dropped.
        let unverified = unsafe { Unverified::new([output]) };
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

/// What C gave, but for the tag, each by itself checked.
struct Message<'a> {
    key: &'a AesGcm,
    nonce: Input,
    aad: Slices,
    text: Slices,
    output: Output,
}

impl Message<'_> {
    /// # Safety
    /// As [`kasoku_gcm_seal_vectored`].
    unsafe fn new(
        gcm: *const Gcm,
        nonce: (*const u8, usize),
        aad: (*const kasoku_slice, usize),
        text: (*const kasoku_slice, usize),
        output: *mut u8,
    ) -> Result<Self, Code> {
        // SAFETY: the caller's.
        unsafe {
            let key = gcm.as_ref().ok_or(Code::NULL)?.key();
            let nonce = Input::nonce(nonce.0, nonce.1)?;
            let aad = Slices::new(aad.0, aad.1, Input::aad)?;
            let text = Slices::new(text.0, text.1, Input::text)?;
            let output = Output::text(output, text.bytes())?;
            Ok(Self { key, nonce, aad, text, output })
        }
    }

    /// Refuses to write over anything that is read.
    fn keeps_apart_from(&self, written: Output) -> Result<(), Code> {
        written.apart_from(&[self.nonce])?;
        self.aad.inputs().chain(self.text.inputs()).try_for_each(|input| written.apart_from(&[input]))
    }
}
