//! Messages that come in parts.

#![allow(unsafe_code, reason = "C's pointers are followed, and symbols exported by name")]

use std::borrow::Borrow;
use std::ffi::c_int;
use std::sync::Arc;

use kasoku_engine::{AesGcm, Error, Nonce, Opening, Sealing};

use crate::boundary;
use crate::buffers::{Input, Output, Text};
use crate::code::Code;
use crate::gcm::Gcm;

/// A message that is being sealed in parts. One thread at a time may use it.
pub struct GcmSealing {
    message: Message<Sealing<Shared>>,
}

/// A message that is being opened in parts. One thread at a time may use it.
pub struct GcmOpening {
    message: Message<Opening<Shared>>,
}

/// Begins to seal a message in parts: kasoku_gcm_sealing_aad() any number of times, then kasoku_gcm_sealing_update()
/// any number of times, then kasoku_gcm_sealing_finish(), then kasoku_gcm_sealing_free(). What comes out is the same as
/// from kasoku_gcm_seal(), however the message is cut. The key may be freed meanwhile.
///
/// Returns NULL if `gcm` or `nonce` is NULL, or `nonce_len` is 0 or more than 2^61 - 1.
///
/// # Safety
/// `gcm` must be NULL or a key of this library; `nonce` readable for `nonce_len` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kasoku_gcm_sealing_new(
    gcm: *const Gcm,
    nonce: *const u8,
    nonce_len: usize,
) -> *mut GcmSealing {
    boundary::guarded(std::ptr::null_mut(), || {
        // SAFETY: the caller vouches for both.
        let begun = unsafe { begin(gcm, nonce, nonce_len, |key, nonce| Sealing::new(key, nonce)) };
        begun.map_or(std::ptr::null_mut(), |message| Box::into_raw(Box::new(GcmSealing { message })))
    })
}

/// Takes a part of the AAD, all of which must come before the message.
///
/// Returns KASOKU_OK, KASOKU_ERR_NULL, KASOKU_ERR_AAD_TOO_LONG, KASOKU_ERR_AAD_TOO_LATE or KASOKU_ERR_FINISHED; after
/// an error the message is as it was.
///
/// # Safety
/// `sealing` must be NULL or come from this library, and be used by this thread only; `aad` readable for `aad_len`
/// bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kasoku_gcm_sealing_aad(sealing: *mut GcmSealing, aad: *const u8, aad_len: usize) -> c_int {
    boundary::code(|| {
        // SAFETY: the caller vouches for it.
        let sealing = unsafe { sealing.as_mut() }.ok_or(Code::NULL)?;
        // SAFETY: as above.
        let aad = unsafe { Input::aad(aad, aad_len)?.slice() };
        sealing.message.add(|message| message.aad(aad))
    })
}

/// Seals the next `len` bytes of the message from `in` to `out`, which may be the same buffer or lie apart from it.
///
/// Returns KASOKU_OK, or KASOKU_ERR_NULL, KASOKU_ERR_MESSAGE_TOO_LONG (all parts together), KASOKU_ERR_OVERLAP or
/// KASOKU_ERR_FINISHED with nothing written and the message as it was.
///
/// # Safety
/// `sealing` must be NULL or come from this library, and be used by this thread only; `in` readable and `out` writable
/// for `len` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kasoku_gcm_sealing_update(
    sealing: *mut GcmSealing,
    r#in: *const u8,
    len: usize,
    out: *mut u8,
) -> c_int {
    boundary::code(|| {
        // SAFETY: the caller vouches for it.
        let sealing = unsafe { sealing.as_mut() }.ok_or(Code::NULL)?;
        // SAFETY: as above.
        let text = unsafe { piece_of_text(r#in, len, out) }?;
        sealing.message.add(|message| match text {
            Text::InPlace(text) => message.update(text),
            Text::Between(plaintext, ciphertext) => message.update_to(plaintext, ciphertext),
        })
    })
}

/// Ends the message and writes its tag.
///
/// Returns KASOKU_OK; or KASOKU_ERR_NULL or KASOKU_ERR_FINISHED with nothing written. With `tag` NULL the message goes
/// on.
///
/// cbindgen:ptrs-as-arrays=[[tag;16]]
///
/// # Safety
/// `sealing` must be NULL or come from this library, and be used by this thread only; `tag` writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kasoku_gcm_sealing_finish(sealing: *mut GcmSealing, tag: *mut u8) -> c_int {
    boundary::code(|| {
        // SAFETY: the caller vouches for it.
        let sealing = unsafe { sealing.as_mut() }.ok_or(Code::NULL)?;
        let tag = Output::tag(tag)?;
        let computed = sealing.message.end(Sealing::finish)?;
        // SAFETY: as above.
        unsafe { tag.write(&computed) };
        Ok(())
    })
}

/// Wipes the message's state and frees it, finished or not; NULL is nothing to free.
///
/// # Safety
/// `sealing` must be NULL or come from this library, and not be used again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kasoku_gcm_sealing_free(sealing: *mut GcmSealing) {
    boundary::guarded((), || {
        if !sealing.is_null() {
            // SAFETY: it was made by `kasoku_gcm_sealing_new`, and the caller gives it back.
            drop(unsafe { Box::from_raw(sealing) });
        }
    });
}

/// Begins to open a message in parts, with calls like those for sealing.
///
/// What kasoku_gcm_opening_update() writes is NOT VERIFIED until kasoku_gcm_opening_finish() returns KASOKU_OK: do
/// nothing with it before, and throw it all away otherwise. Where the whole message fits into memory use
/// kasoku_gcm_open(), which writes nothing of a forgery.
///
/// Returns NULL if `gcm` or `nonce` is NULL, or `nonce_len` is 0 or more than 2^61 - 1.
///
/// # Safety
/// As kasoku_gcm_sealing_new().
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kasoku_gcm_opening_new(
    gcm: *const Gcm,
    nonce: *const u8,
    nonce_len: usize,
) -> *mut GcmOpening {
    boundary::guarded(std::ptr::null_mut(), || {
        // SAFETY: the caller vouches for both.
        let begun = unsafe { begin(gcm, nonce, nonce_len, |key, nonce| Opening::new(key, nonce)) };
        begun.map_or(std::ptr::null_mut(), |message| Box::into_raw(Box::new(GcmOpening { message })))
    })
}

/// Takes a part of the AAD, all of which must come before the message.
///
/// Returns KASOKU_OK, KASOKU_ERR_NULL, KASOKU_ERR_AAD_TOO_LONG, KASOKU_ERR_AAD_TOO_LATE or KASOKU_ERR_FINISHED; after
/// an error the message is as it was.
///
/// # Safety
/// As kasoku_gcm_sealing_aad().
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kasoku_gcm_opening_aad(opening: *mut GcmOpening, aad: *const u8, aad_len: usize) -> c_int {
    boundary::code(|| {
        // SAFETY: the caller vouches for it.
        let opening = unsafe { opening.as_mut() }.ok_or(Code::NULL)?;
        // SAFETY: as above.
        let aad = unsafe { Input::aad(aad, aad_len)?.slice() };
        opening.message.add(|message| message.aad(aad))
    })
}

/// Opens the next `len` bytes of the message from `in` to `out`, which may be the same buffer or lie apart from it.
/// They are NOT VERIFIED until kasoku_gcm_opening_finish() says so.
///
/// Returns KASOKU_OK, or KASOKU_ERR_NULL, KASOKU_ERR_MESSAGE_TOO_LONG (all parts together), KASOKU_ERR_OVERLAP or
/// KASOKU_ERR_FINISHED with nothing written and the message as it was.
///
/// # Safety
/// As kasoku_gcm_sealing_update().
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kasoku_gcm_opening_update(
    opening: *mut GcmOpening,
    r#in: *const u8,
    len: usize,
    out: *mut u8,
) -> c_int {
    boundary::code(|| {
        // SAFETY: the caller vouches for it.
        let opening = unsafe { opening.as_mut() }.ok_or(Code::NULL)?;
        // SAFETY: as above.
        let text = unsafe { piece_of_text(r#in, len, out) }?;
        opening.message.add(|message| match text {
            Text::InPlace(text) => message.update_unverified(text),
            Text::Between(ciphertext, plaintext) => message.update_unverified_to(ciphertext, plaintext),
        })
    })
}

/// Ends the message and verifies it against its tag.
///
/// Returns KASOKU_OK: everything that the updates gave is genuine. KASOKU_ERR_AUTHENTICATION: throw all of it away.
/// KASOKU_ERR_NULL, KASOKU_ERR_FINISHED: nothing was verified. With `tag` NULL the message goes on.
///
/// cbindgen:ptrs-as-arrays=[[tag;16]]
///
/// # Safety
/// `opening` must be NULL or come from this library, and be used by this thread only; `tag` readable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kasoku_gcm_opening_finish(opening: *mut GcmOpening, tag: *const u8) -> c_int {
    boundary::code(|| {
        // SAFETY: the caller vouches for it.
        let opening = unsafe { opening.as_mut() }.ok_or(Code::NULL)?;
        // SAFETY: as above.
        let tag = unsafe { Input::tag(tag)?.slice() }.try_into().map_err(|_| Code::NULL)?;
        opening.message.end(|message| message.finish(tag))??;
        Ok(())
    })
}

/// Wipes the message's state and frees it, finished or not; NULL is nothing to free.
///
/// # Safety
/// `opening` must be NULL or come from this library, and not be used again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kasoku_gcm_opening_free(opening: *mut GcmOpening) {
    boundary::guarded((), || {
        if !opening.is_null() {
            // SAFETY: it was made by `kasoku_gcm_opening_new`, and the caller gives it back.
            drop(unsafe { Box::from_raw(opening) });
        }
    });
}

/// A key that lives as long as anything uses it.
struct Shared(Arc<Gcm>);

impl Borrow<AesGcm> for Shared {
    fn borrow(&self) -> &AesGcm {
        self.0.key()
    }
}

/// A message under way. `None` once it is finished, or once a panic has left it in the middle of a part.
struct Message<M>(Option<M>);

impl<M> Message<M> {
    fn add(&mut self, part: impl FnOnce(&mut M) -> Result<(), Error>) -> Result<(), Code> {
        struct GivenUp<'a, M>(&'a mut Option<M>);
        impl<M> Drop for GivenUp<'_, M> {
            fn drop(&mut self) {
                *self.0 = None;
            }
        }
        let if_it_panics = GivenUp(&mut self.0);
        let Some(message) = if_it_panics.0.as_mut() else { return Err(Code::FINISHED) };
        let result = part(message);
        std::mem::forget(if_it_panics);
        Ok(result?)
    }

    /// Finishes it. (The engine keeps a message's state in one place of its own: what is moved here has no secrets.)
    fn end<R>(&mut self, finish: impl FnOnce(M) -> R) -> Result<R, Code> {
        self.0.take().map(finish).ok_or(Code::FINISHED)
    }
}

/// # Safety
/// `gcm` must be NULL or a key of this library; `nonce` readable for `nonce_len` bytes.
unsafe fn begin<M>(
    gcm: *const Gcm,
    nonce: *const u8,
    nonce_len: usize,
    new: impl FnOnce(Shared, Nonce<'_>) -> Result<M, Error>,
) -> Result<Message<M>, Code> {
    if gcm.is_null() {
        return Err(Code::NULL);
    }
    // SAFETY: the caller vouches for it.
    let nonce = unsafe { Input::nonce(nonce, nonce_len)?.slice() };
    // SAFETY: every key that C holds is one of the references that an `Arc` counts; this adds another.
    let key = unsafe {
        Arc::increment_strong_count(gcm);
        Shared(Arc::from_raw(gcm))
    };
    Ok(Message(Some(new(key, Nonce::try_from(nonce)?)?)))
}

/// # Safety
/// `input` must be readable and `output` writable for `bytes` bytes, and nobody else use them meanwhile.
unsafe fn piece_of_text<'a>(input: *const u8, bytes: usize, output: *mut u8) -> Result<Text<'a>, Code> {
    let (input, output) = (Input::text(input, bytes)?, Output::text(output, bytes)?);
    output.in_place_or_apart_from(input)?;
    // SAFETY: checked; the caller vouches for the memory.
    Ok(unsafe { output.text_from(input) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_in_a_piece_ends_the_message() {
        let mut message = Message(Some(7));
        let code = boundary::code(|| message.add(|_| panic!("a bug")));
        assert_eq!(code, crate::KASOKU_ERR_INTERNAL);
        assert_eq!(message.add(|_| Ok(())), Err(Code::FINISHED));
        assert_eq!(message.end(|_| ()), Err(Code::FINISHED));
    }

    #[test]
    fn an_error_leaves_the_message_as_it_was() {
        let mut message = Message(Some(7));
        assert_eq!(message.add(|_| Err(Error::AadTooLate)), Err(Code::from(Error::AadTooLate)));
        assert_eq!(message.end(|number| number), Ok(7));
        assert_eq!(message.end(|number| number), Err(Code::FINISHED));
    }
}
