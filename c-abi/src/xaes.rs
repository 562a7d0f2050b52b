//! XAES-256-GCM for whole messages: 24-byte nonces that may be random.

#![allow(unsafe_code, reason = "dereferences C pointers and exports symbols by name")]

use std::ffi::{c_char, c_int};

use kasoku_engine::{Error, Tag, XaesGcm};

use crate::boundary;
use crate::buffers::{Input, Message, MessageBuffers};
use crate::code::Code;
use crate::environment;
use crate::fixed_nonce::{self, FixedNonce};

/// XAES-256-GCM key. Several threads may use it at the same time.
pub struct Xaes {
    key: XaesGcm,
}

/// Expands a key of 32 bytes for XAES-256-GCM (https://c2sp.org/XAES-256-GCM). Its nonces of 24 bytes may be random:
/// the probability that any nonce repeats among 2^80 messages is 2^-32. The backend is chosen as described for
/// kasoku_gcm_new().
///
/// Returns NULL if `key` is NULL, or for the environment's errors described for kasoku_gcm_new(). kasoku_xaes_create()
/// reports the reason.
///
/// `key` may be wiped afterwards. Free the result with kasoku_xaes_free().
///
/// cbindgen:ptrs-as-arrays=[[key;32]]
///
/// # Safety
/// `key` must be readable for 32 bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kasoku_xaes_new(key: *const u8) -> *mut Xaes {
    boundary::guarded(std::ptr::null_mut(), || {
        // SAFETY: the caller guarantees the key.
        unsafe { expand(key, std::ptr::null()) }.map_or(std::ptr::null_mut(), Box::into_raw)
    })
}

/// Expands a key like kasoku_xaes_new(), but returns an error code, and uses the backend named `backend` and ignores
/// the environment. With `backend` NULL it chooses the backend as kasoku_xaes_new() does.
///
/// Stores the key in `*xaes`, or NULL after an error.
///
/// Returns KASOKU_OK, KASOKU_ERR_NULL, KASOKU_ERR_BACKEND_UNKNOWN or KASOKU_ERR_BACKEND_UNAVAILABLE.
///
/// cbindgen:ptrs-as-arrays=[[key;32]]
///
/// # Safety
/// `key` must be readable for 32 bytes, `backend` NULL or a string that ends with NUL, `xaes` NULL or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kasoku_xaes_create(key: *const u8, backend: *const c_char, xaes: *mut *mut Xaes) -> c_int {
    boundary::code(|| {
        if xaes.is_null() {
            return Err(Code::NULL);
        }
        // SAFETY: guaranteed by the caller.
        unsafe { xaes.write(std::ptr::null_mut()) };
        // SAFETY: the caller guarantees the key and the NUL at the end of the name.
        let made = unsafe { expand(key, backend) }?;
        // SAFETY: as above.
        unsafe { xaes.write(Box::into_raw(made)) };
        Ok(())
    })
}

/// Wipes and frees the key; does nothing for NULL.
///
/// # Safety
/// `xaes` must be NULL or come from this library, and not be used again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kasoku_xaes_free(xaes: *mut Xaes) {
    boundary::guarded((), || {
        if !xaes.is_null() {
            // SAFETY: the pointer was a box, and the caller gives it back.
            drop(unsafe { Box::from_raw(xaes) });
        }
    });
}

/// Seals a message under the rules of kasoku_gcm_seal(), with a nonce of 24 bytes. Draw each nonce from the system's
/// random generator. Deriving each message's AES-256-GCM key takes 35 to 200 ns with vaes512 and up to 330 ns with
/// aesni (Granite Rapids).
///
/// Returns KASOKU_OK; or KASOKU_ERR_NULL, KASOKU_ERR_NONCE_LENGTH (not 24), KASOKU_ERR_AAD_TOO_LONG,
/// KASOKU_ERR_MESSAGE_TOO_LONG or KASOKU_ERR_OVERLAP with nothing written.
///
/// cbindgen:ptrs-as-arrays=[[tag;16]]
///
/// # Safety
/// `xaes` must be NULL or a key of this library. Each buffer must be valid for its length, and nothing else may write
/// to it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kasoku_xaes_seal(
    xaes: *const Xaes,
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
    boundary::code(|| unsafe { fixed_nonce::seal(xaes.as_ref(), message, tag) })
}

/// Opens a message under the rules of kasoku_gcm_open(), with a nonce of 24 bytes.
///
/// Returns KASOKU_OK; KASOKU_ERR_AUTHENTICATION with `out` all zeros; or KASOKU_ERR_NULL, KASOKU_ERR_NONCE_LENGTH (not
/// 24), KASOKU_ERR_AAD_TOO_LONG, KASOKU_ERR_MESSAGE_TOO_LONG or KASOKU_ERR_OVERLAP with nothing written.
///
/// cbindgen:ptrs-as-arrays=[[tag;16]]
///
/// # Safety
/// The requirements are those of kasoku_xaes_seal().
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kasoku_xaes_open(
    xaes: *const Xaes,
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
    boundary::code(|| unsafe { fixed_nonce::open(xaes.as_ref(), message, tag) })
}

impl FixedNonce<{ XaesGcm::NONCE_BYTES }> for Xaes {
    fn seal(&self, nonce: &[u8; XaesGcm::NONCE_BYTES], aad: &[u8], text: MessageBuffers<'_>) -> Result<Tag, Error> {
        match text {
            MessageBuffers::InPlace(text) => self.key.seal(nonce, aad, text),
            MessageBuffers::Separate(plaintext, ciphertext) => self.key.seal_to(nonce, aad, plaintext, ciphertext),
        }
    }

    fn open(
        &self,
        nonce: &[u8; XaesGcm::NONCE_BYTES],
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
/// `key` must be readable for 32 bytes, `backend` NULL or a string that ends with NUL.
unsafe fn expand(key: *const u8, backend: *const c_char) -> Result<Box<Xaes>, Code> {
    // SAFETY: guaranteed by the caller.
    let key = unsafe { Input::key(key, 32)?.slice() };
    let key: &[u8; 32] = key.try_into().map_err(|_| Code::KEY_LENGTH)?;
    // SAFETY: as above.
    let path = unsafe { environment::requested_code_path(backend) }?;
    Ok(Box::new(Xaes { key: XaesGcm::with_backend(key, path)? }))
}
