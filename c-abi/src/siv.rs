//! AES-GCM-SIV for whole messages.

#![allow(unsafe_code, reason = "dereferences C pointers and exports symbols by name")]

use std::ffi::{c_char, c_int};

use kasoku_engine::{AesGcmSiv, Error, Tag};

use crate::boundary;
use crate::buffers::{Input, Message, MessageBuffers};
use crate::code::Code;
use crate::environment;
use crate::fixed_nonce::{self, FixedNonce};

/// AES-GCM-SIV key. Several threads may use it at the same time.
pub struct Siv {
    key: AesGcmSiv,
}

/// Expands a key of 16 or 32 bytes for AES-GCM-SIV (RFC 8452). If a nonce is used twice, AES-GCM-SIV reveals only
/// whether the messages are equal. The backend is chosen as described for kasoku_gcm_new().
///
/// Returns NULL if `key` is NULL or has another length, or for the environment's errors described for kasoku_gcm_new().
/// kasoku_siv_create() reports the reason.
///
/// `key` may be wiped afterwards. Free the result with kasoku_siv_free().
///
/// cbindgen:ptrs-as-arrays=[[key;]]
///
/// # Safety
/// `key` must be readable for `key_len` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kasoku_siv_new(key: *const u8, key_len: usize) -> *mut Siv {
    boundary::guarded(std::ptr::null_mut(), || {
        // SAFETY: the caller guarantees the key.
        unsafe { expand(key, key_len, std::ptr::null()) }.map_or(std::ptr::null_mut(), Box::into_raw)
    })
}

/// Expands a key like kasoku_siv_new(), but returns an error code, and uses the backend named `backend` and ignores the
/// environment. With `backend` NULL it chooses the backend as kasoku_siv_new() does.
///
/// Stores the key in `*siv`, or NULL after an error.
///
/// Returns KASOKU_OK, KASOKU_ERR_NULL, KASOKU_ERR_KEY_LENGTH (not 16 or 32), KASOKU_ERR_BACKEND_UNKNOWN or
/// KASOKU_ERR_BACKEND_UNAVAILABLE.
///
/// # Safety
/// `key` must be readable for `key_len` bytes, `backend` NULL or a string that ends with NUL, `siv` NULL or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kasoku_siv_create(
    key: *const u8,
    key_len: usize,
    backend: *const c_char,
    siv: *mut *mut Siv,
) -> c_int {
    boundary::code(|| {
        if siv.is_null() {
            return Err(Code::NULL);
        }
        // SAFETY: guaranteed by the caller.
        unsafe { siv.write(std::ptr::null_mut()) };
        // SAFETY: the caller guarantees the key and the NUL at the end of the name.
        let made = unsafe { expand(key, key_len, backend) }?;
        // SAFETY: as above.
        unsafe { siv.write(Box::into_raw(made)) };
        Ok(())
    })
}

/// Wipes and frees the key; does nothing for NULL.
///
/// # Safety
/// `siv` must be NULL or come from this library, and not be used again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kasoku_siv_free(siv: *mut Siv) {
    boundary::guarded((), || {
        if !siv.is_null() {
            // SAFETY: the pointer was a box, and the caller gives it back.
            drop(unsafe { Box::from_raw(siv) });
        }
    });
}

/// Seals a message under the rules of kasoku_gcm_seal(), with a nonce of 12 bytes. The algorithm derives keys for each
/// message and reads the message twice.
///
/// Returns KASOKU_OK; or KASOKU_ERR_NULL, KASOKU_ERR_NONCE_LENGTH (not 12), KASOKU_ERR_AAD_TOO_LONG,
/// KASOKU_ERR_MESSAGE_TOO_LONG or KASOKU_ERR_OVERLAP with nothing written.
///
/// cbindgen:ptrs-as-arrays=[[tag;16]]
///
/// # Safety
/// `siv` must be NULL or a key of this library. Each buffer must be valid for its length, and nothing else may write to
/// it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kasoku_siv_seal(
    siv: *const Siv,
    nonce: *const u8,
    nonce_len: usize,
    aad: *const u8,
    aad_len: usize,
    r#in: *const u8,
    len: usize,
    out: *mut u8,
    tag: *mut u8,
) -> c_int {
    let message =
        Message { nonce, nonce_bytes: nonce_len, aad, aad_bytes: aad_len, input: r#in, output: out, bytes: len };
    // SAFETY: the caller guarantees the key and the buffers.
    boundary::code(|| unsafe { fixed_nonce::seal(siv.as_ref(), message, tag) })
}

/// Opens a message under the rules of kasoku_gcm_open(), with a nonce of 12 bytes.
///
/// Returns KASOKU_OK; KASOKU_ERR_AUTHENTICATION with `out` all zeros; or KASOKU_ERR_NULL, KASOKU_ERR_NONCE_LENGTH (not
/// 12), KASOKU_ERR_AAD_TOO_LONG, KASOKU_ERR_MESSAGE_TOO_LONG or KASOKU_ERR_OVERLAP with nothing written.
///
/// cbindgen:ptrs-as-arrays=[[tag;16]]
///
/// # Safety
/// The requirements are those of kasoku_siv_seal().
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kasoku_siv_open(
    siv: *const Siv,
    nonce: *const u8,
    nonce_len: usize,
    aad: *const u8,
    aad_len: usize,
    r#in: *const u8,
    len: usize,
    tag: *const u8,
    out: *mut u8,
) -> c_int {
    let message =
        Message { nonce, nonce_bytes: nonce_len, aad, aad_bytes: aad_len, input: r#in, output: out, bytes: len };
    // SAFETY: the caller guarantees the key and the buffers.
    boundary::code(|| unsafe { fixed_nonce::open(siv.as_ref(), message, tag) })
}

impl FixedNonce<{ AesGcmSiv::NONCE_BYTES }> for Siv {
    fn seal(&self, nonce: &[u8; AesGcmSiv::NONCE_BYTES], aad: &[u8], text: MessageBuffers<'_>) -> Result<Tag, Error> {
        match text {
            MessageBuffers::InPlace(text) => self.key.seal(nonce, aad, text),
            MessageBuffers::Separate(plaintext, ciphertext) => self.key.seal_to(nonce, aad, plaintext, ciphertext),
        }
    }

    fn open(
        &self,
        nonce: &[u8; AesGcmSiv::NONCE_BYTES],
        aad: &[u8],
        text: MessageBuffers<'_>,
        tag: &Tag,
    ) -> Result<(), Error> {
        match text {
            MessageBuffers::InPlace(text) => self.key.open(nonce, aad, text, tag),
            MessageBuffers::Separate(ciphertext, plaintext) => self.key.open_to(nonce, aad, ciphertext, plaintext, tag),
        }
    }
}

/// # Safety
/// `key` must be readable for `key_len` bytes, `backend` NULL or a string that ends with NUL.
unsafe fn expand(key: *const u8, key_len: usize, backend: *const c_char) -> Result<Box<Siv>, Code> {
    // SAFETY: guaranteed by the caller.
    let key = unsafe { Input::key(key, key_len)?.slice() };
    // SAFETY: as above.
    let path = unsafe { environment::requested_code_path(backend) }?;
    Ok(Box::new(Siv { key: AesGcmSiv::with_backend(key, path)? }))
}
