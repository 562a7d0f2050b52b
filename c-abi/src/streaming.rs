//! AES-GCM messages that are sealed or opened in parts.

#![allow(unsafe_code, reason = "dereferences C pointers and exports symbols by name")]

use std::borrow::Borrow;
use std::ffi::c_int;
use std::ptr::NonNull;

use kasoku_engine::{AesGcm, Error, Nonce, Opening, Sealing};

use crate::boundary;
use crate::buffers::{Input, MessageBuffers, Output};
use crate::code::Code;
use crate::key_object::Gcm;

/// Message being sealed in parts. Only one thread at a time may use it.
pub struct GcmSealing {
    message: StreamedMessage<Sealing<SharedKey>>,
}

/// Message being opened in parts. Only one thread at a time may use it.
pub struct GcmOpening {
    message: StreamedMessage<Opening<SharedKey>>,
}

/// Begins to seal a message in parts. The calls that follow are kasoku_gcm_sealing_aad() any number of times,
/// kasoku_gcm_sealing_update() any number of times, kasoku_gcm_sealing_finish() and kasoku_gcm_sealing_free().
///
/// Ciphertext and tag are those of kasoku_gcm_seal(), however the message is divided. The key may be freed before the
/// message is finished.
///
/// Returns NULL if `gcm` or `nonce` is NULL, or `nonce_len` is 0 or more than 2^61 - 1.
///
/// # Safety
/// `gcm` must be NULL or a key of this library; `nonce` must be readable for `nonce_len` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kasoku_gcm_sealing_new(
    gcm: *const Gcm,
    nonce: *const u8,
    nonce_len: usize,
) -> *mut GcmSealing {
    boundary::guarded(std::ptr::null_mut(), || {
        // SAFETY: the caller guarantees key and nonce.
        let begun = unsafe { begin(gcm, nonce, nonce_len, |key, nonce| Sealing::new(key, nonce)) };
        begun.map_or(std::ptr::null_mut(), |message| Box::into_raw(Box::new(GcmSealing { message })))
    })
}

/// Adds a part of the AAD. All AAD must come before the message.
///
/// Returns KASOKU_OK; or KASOKU_ERR_NULL, KASOKU_ERR_AAD_TOO_LONG, KASOKU_ERR_AAD_TOO_LATE or KASOKU_ERR_FINISHED with
/// the message unchanged.
///
/// # Safety
/// `sealing` must be NULL or come from this library, and only this thread may use it; `aad` must be readable for
/// `aad_len` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kasoku_gcm_sealing_aad(sealing: *mut GcmSealing, aad: *const u8, aad_len: usize) -> c_int {
    boundary::code(|| {
        // SAFETY: guaranteed by the caller.
        let sealing = unsafe { sealing.as_mut() }.ok_or(Code::NULL)?;
        // SAFETY: as above.
        let aad = unsafe { Input::aad(aad, aad_len)?.slice() };
        sealing.message.update(|message| message.aad(aad))
    })
}

/// Seals the next `len` bytes of the message from `in` to `out`. The two may be the same buffer, but must not overlap
/// otherwise.
///
/// Returns KASOKU_OK; or KASOKU_ERR_NULL, KASOKU_ERR_MESSAGE_TOO_LONG (all parts together), KASOKU_ERR_OVERLAP or
/// KASOKU_ERR_FINISHED with nothing written and the message unchanged.
///
/// # Safety
/// `sealing` must be NULL or come from this library, and only this thread may use it; `in` must be readable and `out`
/// writable for `len` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kasoku_gcm_sealing_update(
    sealing: *mut GcmSealing,
    r#in: *const u8,
    len: usize,
    out: *mut u8,
) -> c_int {
    boundary::code(|| {
        // SAFETY: guaranteed by the caller.
        let sealing = unsafe { sealing.as_mut() }.ok_or(Code::NULL)?;
        // SAFETY: as above.
        let text = unsafe { part_buffers(r#in, len, out) }?;
        sealing.message.update(|message| match text {
            MessageBuffers::InPlace(text) => message.update(text),
            MessageBuffers::Separate(plaintext, ciphertext) => message.update_to(plaintext, ciphertext),
        })
    })
}

/// Finishes the message and writes its tag.
///
/// Returns KASOKU_OK; or KASOKU_ERR_NULL or KASOKU_ERR_FINISHED with nothing written. If only `tag` is NULL, the
/// message is not finished and can go on.
///
/// cbindgen:ptrs-as-arrays=[[tag;16]]
///
/// # Safety
/// `sealing` must be NULL or come from this library, and only this thread may use it; `tag` must be writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kasoku_gcm_sealing_finish(sealing: *mut GcmSealing, tag: *mut u8) -> c_int {
    boundary::code(|| {
        // SAFETY: guaranteed by the caller.
        let sealing = unsafe { sealing.as_mut() }.ok_or(Code::NULL)?;
        let tag = Output::tag(tag)?;
        let computed = sealing.message.finish(Sealing::finish)?;
        // SAFETY: as above.
        unsafe { tag.write(&computed) };
        Ok(())
    })
}

/// Wipes and frees the message's state, finished or not; does nothing for NULL.
///
/// # Safety
/// `sealing` must be NULL or come from this library, and not be used again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kasoku_gcm_sealing_free(sealing: *mut GcmSealing) {
    boundary::guarded((), || {
        if !sealing.is_null() {
            // SAFETY: `kasoku_gcm_sealing_new` made the pointer, and the caller gives it back.
            drop(unsafe { Box::from_raw(sealing) });
        }
    });
}

/// Begins to open a message in parts, with calls like those for sealing.
///
/// The plaintext from kasoku_gcm_opening_update() is NOT VERIFIED until kasoku_gcm_opening_finish() returns KASOKU_OK.
/// Do not use it before, and discard all of it after an error. If the whole message fits into memory, use
/// kasoku_gcm_open(), which releases no unverified plaintext.
///
/// Returns NULL if `gcm` or `nonce` is NULL, or `nonce_len` is 0 or more than 2^61 - 1.
///
/// # Safety
/// The requirements are those of kasoku_gcm_sealing_new().
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kasoku_gcm_opening_new(
    gcm: *const Gcm,
    nonce: *const u8,
    nonce_len: usize,
) -> *mut GcmOpening {
    boundary::guarded(std::ptr::null_mut(), || {
        // SAFETY: the caller guarantees key and nonce.
        let begun = unsafe { begin(gcm, nonce, nonce_len, |key, nonce| Opening::new(key, nonce)) };
        begun.map_or(std::ptr::null_mut(), |message| Box::into_raw(Box::new(GcmOpening { message })))
    })
}

/// Adds a part of the AAD. All AAD must come before the message.
///
/// Returns KASOKU_OK; or KASOKU_ERR_NULL, KASOKU_ERR_AAD_TOO_LONG, KASOKU_ERR_AAD_TOO_LATE or KASOKU_ERR_FINISHED with
/// the message unchanged.
///
/// # Safety
/// The requirements are those of kasoku_gcm_sealing_aad().
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kasoku_gcm_opening_aad(opening: *mut GcmOpening, aad: *const u8, aad_len: usize) -> c_int {
    boundary::code(|| {
        // SAFETY: guaranteed by the caller.
        let opening = unsafe { opening.as_mut() }.ok_or(Code::NULL)?;
        // SAFETY: as above.
        let aad = unsafe { Input::aad(aad, aad_len)?.slice() };
        opening.message.update(|message| message.aad(aad))
    })
}

/// Opens the next `len` bytes of the message from `in` to `out`. The two may be the same buffer, but must not overlap
/// otherwise. The plaintext is NOT VERIFIED until kasoku_gcm_opening_finish() returns KASOKU_OK.
///
/// Returns KASOKU_OK; or KASOKU_ERR_NULL, KASOKU_ERR_MESSAGE_TOO_LONG (all parts together), KASOKU_ERR_OVERLAP or
/// KASOKU_ERR_FINISHED with nothing written and the message unchanged.
///
/// # Safety
/// The requirements are those of kasoku_gcm_sealing_update().
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kasoku_gcm_opening_update(
    opening: *mut GcmOpening,
    r#in: *const u8,
    len: usize,
    out: *mut u8,
) -> c_int {
    boundary::code(|| {
        // SAFETY: guaranteed by the caller.
        let opening = unsafe { opening.as_mut() }.ok_or(Code::NULL)?;
        // SAFETY: as above.
        let text = unsafe { part_buffers(r#in, len, out) }?;
        opening.message.update(|message| match text {
            MessageBuffers::InPlace(text) => message.update_unverified(text),
            MessageBuffers::Separate(ciphertext, plaintext) => message.update_unverified_to(ciphertext, plaintext),
        })
    })
}

/// Finishes the message and verifies its tag.
///
/// Returns KASOKU_OK if all AAD and plaintext is authentic, KASOKU_ERR_AUTHENTICATION if all of it must be discarded,
/// or KASOKU_ERR_NULL or KASOKU_ERR_FINISHED if nothing was verified. If only `tag` is NULL, the message is not
/// finished and can go on.
///
/// cbindgen:ptrs-as-arrays=[[tag;16]]
///
/// # Safety
/// `opening` must be NULL or come from this library, and only this thread may use it; `tag` must be readable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kasoku_gcm_opening_finish(opening: *mut GcmOpening, tag: *const u8) -> c_int {
    boundary::code(|| {
        // SAFETY: guaranteed by the caller.
        let opening = unsafe { opening.as_mut() }.ok_or(Code::NULL)?;
        // SAFETY: as above.
        let tag = unsafe { Input::tag(tag)?.slice() }.try_into().map_err(|_| Code::NULL)?;
        opening.message.finish(|message| message.finish(tag))??;
        Ok(())
    })
}

/// Wipes and frees the message's state, finished or not; does nothing for NULL.
///
/// # Safety
/// `opening` must be NULL or come from this library, and not be used again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kasoku_gcm_opening_free(opening: *mut GcmOpening) {
    boundary::guarded((), || {
        if !opening.is_null() {
            // SAFETY: `kasoku_gcm_opening_new` made the pointer, and the caller gives it back.
            drop(unsafe { Box::from_raw(opening) });
        }
    });
}

/// Owner of a key, so that a message can continue after the caller has freed the key.
struct SharedKey(NonNull<Gcm>);

impl Borrow<AesGcm> for SharedKey {
    fn borrow(&self) -> &AesGcm {
        // SAFETY: this is an owner of the object.
        unsafe { self.0.as_ref() }.key()
    }
}

impl Drop for SharedKey {
    fn drop(&mut self) {
        // SAFETY: this is an owner of the object, and does not use it any more.
        unsafe { Gcm::release(self.0.as_ptr()) };
    }
}

/// Message in progress; `None` after the message has ended or a panic has interrupted one of its parts.
struct StreamedMessage<M>(Option<M>);

impl<M> StreamedMessage<M> {
    fn update(&mut self, part: impl FnOnce(&mut M) -> Result<(), Error>) -> Result<(), Code> {
        struct EndOnPanic<'a, M>(&'a mut Option<M>);
        impl<M> Drop for EndOnPanic<'_, M> {
            fn drop(&mut self) {
                *self.0 = None;
            }
        }
        let guard = EndOnPanic(&mut self.0);
        let Some(message) = guard.0.as_mut() else { return Err(Code::FINISHED) };
        let result = part(message);
        std::mem::forget(guard);
        Ok(result?)
    }

    /// Moves the message to `finish`, and returns the result of `finish`. The move leaves no copies of secrets behind,
    /// because `M` only points to the message's state.
    fn finish<R>(&mut self, finish: impl FnOnce(M) -> R) -> Result<R, Code> {
        self.0.take().map(finish).ok_or(Code::FINISHED)
    }
}

/// # Safety
/// `gcm` must be NULL or a key of this library; `nonce` readable for `nonce_len` bytes.
unsafe fn begin<M>(
    gcm: *const Gcm,
    nonce: *const u8,
    nonce_len: usize,
    new: impl FnOnce(SharedKey, Nonce<'_>) -> Result<M, Error>,
) -> Result<StreamedMessage<M>, Code> {
    let gcm = NonNull::new(gcm.cast_mut()).ok_or(Code::NULL)?;
    // SAFETY: guaranteed by the caller.
    let nonce = unsafe { Input::nonce(nonce, nonce_len)?.slice() };
    // SAFETY: as above.
    unsafe { gcm.as_ref() }.add_owner();
    let key = SharedKey(gcm);
    Ok(StreamedMessage(Some(new(key, Nonce::try_from(nonce)?)?)))
}

/// # Safety
/// `input` must be readable and `output` writable for `bytes` bytes, and nothing else may access them.
unsafe fn part_buffers<'a>(input: *const u8, bytes: usize, output: *mut u8) -> Result<MessageBuffers<'a>, Code> {
    let (input, output) = (Input::text(input, bytes)?, Output::text(output, bytes)?);
    output.check_in_place_or_apart_from(input)?;
    // SAFETY: checked; the caller guarantees the memory.
    Ok(unsafe { output.buffers_from(input) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn panic_in_one_part_ends_the_streamed_message() {
        let mut message = StreamedMessage(Some(7));
        let code = boundary::code(|| message.update(|_| panic!("a bug")));
        assert_eq!(code, crate::KASOKU_ERR_INTERNAL);
        assert_eq!(message.update(|_| Ok(())), Err(Code::FINISHED));
        assert_eq!(message.finish(|_| ()), Err(Code::FINISHED));
    }

    #[test]
    fn failed_part_leaves_the_streamed_message_unchanged() {
        let mut message = StreamedMessage(Some(7));
        assert_eq!(message.update(|_| Err(Error::AadTooLate)), Err(Code::from(Error::AadTooLate)));
        assert_eq!(message.finish(|number| number), Ok(7));
        assert_eq!(message.finish(|number| number), Err(Code::FINISHED));
    }
}
