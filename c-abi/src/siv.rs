//! AES-GCM-SIV: whole messages, of which a repeated nonce gives nothing away.

#![allow(unsafe_code, reason = "C's pointers are followed, and symbols exported by name")]

use std::ffi::{c_char, c_int};

use kasoku_engine::{AesGcmSiv, Error, Tag};

use crate::boundary;
use crate::buffers::{Input, Message, Text};
use crate::code::Code;
use crate::environment;
use crate::fixed_nonce::{self, FixedNonce};

/// An AES-GCM-SIV key. Several threads may use it at the same time.
pub struct Siv {
    key: AesGcmSiv,
}

/// Expands a key of 16 or 32 bytes for AES-GCM-SIV (RFC 8452): where a nonce is used twice, no more is given away than
/// whether the messages are equal. The backend is chosen as kasoku_gcm_new() chooses it.
///
/// Returns NULL if the key has another length or `key` is NULL, or where kasoku_gcm_new() does for the environment's
/// sake. kasoku_siv_create() says which.
///
/// `key` can be wiped afterwards. The result is freed with kasoku_siv_free().
///
/// cbindgen:ptrs-as-arrays=[[key;]]
///
/// # Safety
/// `key` must be readable for `key_len` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kasoku_siv_new(key: *const u8, key_len: usize) -> *mut Siv {
    boundary::guarded(std::ptr::null_mut(), || {
        // SAFETY: the caller vouches for the key.
        unsafe { expand(key, key_len, std::ptr::null()) }.map_or(std::ptr::null_mut(), Box::into_raw)
    })
}

/// As kasoku_siv_new(), but says why there is no key, and uses the backend named by `backend` whatever the environment
/// says. With `backend` NULL it chooses as kasoku_siv_new() does.
///
/// Stores the key in `*siv`, or NULL if there is an error.
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
        // SAFETY: the caller vouches for it.
        unsafe { siv.write(std::ptr::null_mut()) };
        // SAFETY: the caller vouches for the key and for the NUL at the name's end.
        let made = unsafe { expand(key, key_len, backend) }?;
        // SAFETY: as above.
        unsafe { siv.write(Box::into_raw(made)) };
        Ok(())
    })
}

/// Wipes the key and frees it; NULL is nothing to free.
///
/// # Safety
/// `siv` must be NULL or come from this library, and not be used again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kasoku_siv_free(siv: *mut Siv) {
    boundary::guarded((), || {
        if !siv.is_null() {
            // SAFETY: it was a box, and the caller gives it back.
            drop(unsafe { Box::from_raw(siv) });
        }
    });
}

/// As kasoku_gcm_seal(), with a nonce of 12 bytes. Each message has keys of its own, and is gone over twice.
///
/// Returns KASOKU_OK, or KASOKU_ERR_NULL, KASOKU_ERR_NONCE_LENGTH (not 12), KASOKU_ERR_AAD_TOO_LONG,
/// KASOKU_ERR_MESSAGE_TOO_LONG or KASOKU_ERR_OVERLAP with nothing written.
///
/// cbindgen:ptrs-as-arrays=[[tag;16]]
///
/// # Safety
/// `siv` must be NULL or a key of this library; each buffer readable or writable for its length, and not be written
/// by anybody else meanwhile.
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
    // SAFETY: the caller vouches for key and buffers.
    boundary::code(|| unsafe { fixed_nonce::seal(siv.as_ref(), message, tag) })
}

/// As kasoku_gcm_open(), with a nonce of 12 bytes.
///
/// Returns KASOKU_OK; KASOKU_ERR_AUTHENTICATION with zeros in all of `out`; or KASOKU_ERR_NULL,
/// KASOKU_ERR_NONCE_LENGTH (not 12), KASOKU_ERR_AAD_TOO_LONG, KASOKU_ERR_MESSAGE_TOO_LONG or KASOKU_ERR_OVERLAP with
/// nothing written.
///
/// cbindgen:ptrs-as-arrays=[[tag;16]]
///
/// # Safety
/// As kasoku_siv_seal().
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
    // SAFETY: the caller vouches for key and buffers.
    boundary::code(|| unsafe { fixed_nonce::open(siv.as_ref(), message, tag) })
}

impl FixedNonce<{ AesGcmSiv::NONCE_BYTES }> for Siv {
    fn seal(&self, nonce: &[u8; AesGcmSiv::NONCE_BYTES], aad: &[u8], text: Text<'_>) -> Result<Tag, Error> {
        match text {
            Text::InPlace(text) => self.key.seal(nonce, aad, text),
            Text::Between(plaintext, ciphertext) => self.key.seal_to(nonce, aad, plaintext, ciphertext),
        }
    }

    fn open(&self, nonce: &[u8; AesGcmSiv::NONCE_BYTES], aad: &[u8], text: Text<'_>, tag: &Tag) -> Result<(), Error> {
        match text {
            Text::InPlace(text) => self.key.open(nonce, aad, text, tag),
            Text::Between(ciphertext, plaintext) => self.key.open_to(nonce, aad, ciphertext, plaintext, tag),
        }
    }
}

/// # Safety
/// `key` must be readable for `key_len` bytes, `backend` NULL or a string that ends with NUL.
unsafe fn expand(key: *const u8, key_len: usize, backend: *const c_char) -> Result<Box<Siv>, Code> {
    // SAFETY: the caller vouches for it.
    let key = unsafe { Input::key(key, key_len)?.slice() };
    // SAFETY: as above.
    let key = match unsafe { environment::asked_for(backend) }? {
        Some(path) => AesGcmSiv::with_backend(key, path)?,
        None => AesGcmSiv::new(key)?,
    };
    Ok(Box::new(Siv { key }))
}
