//! Keys, and whole messages under them.

#![allow(unsafe_code, reason = "C's pointers are followed, and symbols exported by name")]

use std::ffi::{c_char, c_int};
use std::sync::Arc;

use kasoku_engine::{AesGcm, Nonce, Tag};

use crate::boundary;
use crate::buffers::{Input, Message, Text, Unverified};
use crate::code::Code;
use crate::environment;
use crate::whole;

/// An AES-GCM key, expanded once. Several threads may use it at the same time.
pub struct Gcm {
    key: AesGcm,
}

impl Gcm {
    pub(crate) fn key(&self) -> &AesGcm {
        &self.key
    }
}

/// Expands a key of 16, 24 or 32 bytes for the fastest backend of this CPU, or for the one that the environment
/// variable KASOKU_BACKEND names (portable, aesni, vaes256, vaes512, neon, aes-pmull, aes-eor3); in the schedule that
/// is fastest here, or in the one that KASOKU_SCHEDULE names (karatsuba; for vaes512 also schoolbook, which is the one
/// of aes-eor3). Both are meant for tests and measurements. They are read once, when the first key is made, and not at
/// all in programs with more rights than their user.
///
/// Returns NULL if the length is another one, `key` is NULL, or a variable names a backend or a schedule that does not
/// exist or cannot be had here: never another one instead. kasoku_gcm_create() says which.
///
/// `key` can be wiped afterwards. The result is freed with kasoku_gcm_free().
///
/// # Safety
/// `key` must be readable for `key_len` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kasoku_gcm_new(key: *const u8, key_len: usize) -> *mut Gcm {
    boundary::guarded(std::ptr::null_mut(), || {
        // SAFETY: the caller vouches for the key.
        unsafe { expand(key, key_len, std::ptr::null()) }.map_or(std::ptr::null_mut(), into_c)
    })
}

/// As kasoku_gcm_new(), but says why there is no key, and uses the backend named by `backend` whatever the environment
/// says. With `backend` NULL it chooses as kasoku_gcm_new() does.
///
/// Stores the key in `*gcm`, or NULL if there is an error.
///
/// Returns KASOKU_OK, KASOKU_ERR_NULL, KASOKU_ERR_KEY_LENGTH, KASOKU_ERR_BACKEND_UNKNOWN or
/// KASOKU_ERR_BACKEND_UNAVAILABLE.
///
/// # Safety
/// `key` must be readable for `key_len` bytes, `backend` NULL or a string that ends with NUL, `gcm` NULL or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kasoku_gcm_create(
    key: *const u8,
    key_len: usize,
    backend: *const c_char,
    gcm: *mut *mut Gcm,
) -> c_int {
    boundary::code(|| {
        if gcm.is_null() {
            return Err(Code::NULL);
        }
        // SAFETY: the caller vouches for it.
        unsafe { gcm.write(std::ptr::null_mut()) };
        // SAFETY: the caller vouches for the key and for the NUL at the name's end.
        let made = unsafe { expand(key, key_len, backend) }?;
        // SAFETY: as above.
        unsafe { gcm.write(into_c(made)) };
        Ok(())
    })
}

/// Wipes the key and frees it; NULL is nothing to free. A streamed message that is still under way keeps the key until
/// it is freed itself.
///
/// # Safety
/// `gcm` must be NULL or come from this library, and not be used again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kasoku_gcm_free(gcm: *mut Gcm) {
    boundary::guarded((), || {
        if !gcm.is_null() {
            // SAFETY: it was made by `into_c`, and the caller gives it back.
            drop(unsafe { Arc::from_raw(gcm.cast_const()) });
        }
    });
}

/// Seals a message: encrypts `len` bytes from `in` to `out`, and makes the tag that proves them and the AAD genuine.
///
/// `in` and `out` may be the same buffer; any other overlap of what is written (`out`, `tag`) with anything else is
/// refused. NULL is allowed where a length is 0. A nonce of 12 bytes is fastest and safest. A nonce must never be used
/// twice under one key: doing so reveals both plaintexts and lets anybody forge messages.
///
/// Returns KASOKU_OK, or KASOKU_ERR_NULL, KASOKU_ERR_NONCE_LENGTH, KASOKU_ERR_AAD_TOO_LONG, KASOKU_ERR_MESSAGE_TOO_LONG
/// or KASOKU_ERR_OVERLAP with nothing written.
///
/// cbindgen:ptrs-as-arrays=[[tag;16]]
///
/// # Safety
/// `gcm` must be NULL or a key of this library; each buffer readable or writable for its length, and not be written
/// by anybody else meanwhile.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kasoku_gcm_seal(
    gcm: *const Gcm,
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
    boundary::code(|| {
        if gcm.is_null() || !message.is_plain_to_seal(tag) {
            // SAFETY: the caller vouches for it.
            return unsafe { seal_checked(gcm, message, tag) };
        }
        // SAFETY: it is plain; the caller vouches for the memory.
        let (key, (nonce, aad), tag) = unsafe { (&(*gcm).key, message.plain_header(), &mut *tag.cast::<Tag>()) };
        // SAFETY: as above.
        let output = unsafe { message.plain_output() };
        if message.is_in_place() {
            key.seal_in_place(nonce, aad, output, tag)?;
        } else {
            // SAFETY: as above.
            key.seal_into(nonce, aad, unsafe { message.plain_input() }, output, tag)?;
        }
        Ok(())
    })
}

/// Opens a message: checks the tag over `len` bytes at `in` and the AAD, and decrypts to `out`.
///
/// `in` and `out` may be the same buffer; any other overlap of `out` with anything else is refused. NULL is allowed
/// where a length is 0.
///
/// Returns KASOKU_OK; KASOKU_ERR_AUTHENTICATION with zeros in all of `out`; or KASOKU_ERR_NULL,
/// KASOKU_ERR_NONCE_LENGTH, KASOKU_ERR_AAD_TOO_LONG, KASOKU_ERR_MESSAGE_TOO_LONG or KASOKU_ERR_OVERLAP with nothing
/// written.
///
/// cbindgen:ptrs-as-arrays=[[tag;16]]
///
/// # Safety
/// As kasoku_gcm_seal().
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kasoku_gcm_open(
    gcm: *const Gcm,
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
    boundary::code(|| {
        if gcm.is_null() || !message.is_plain_to_open(tag) {
            // SAFETY: the caller vouches for it.
            return unsafe { open_checked(gcm, message, tag) };
        }
        // SAFETY: it is plain; the caller vouches for the memory. The slice of the output is gone when this is dropped.
        let unverified = unsafe { Unverified::new([message.output()]) };
        // SAFETY: as above.
        let (key, (nonce, aad), tag) = unsafe { (&(*gcm).key, message.plain_header(), &*tag.cast::<Tag>()) };
        // SAFETY: as above.
        let output = unsafe { message.plain_output() };
        let opened = if message.is_in_place() {
            key.open(nonce, aad, output, tag)
        } else {
            // SAFETY: as above.
            key.open_to(nonce, aad, unsafe { message.plain_input() }, output, tag)
        };
        // Of a forgery the engine has left zeros.
        unverified.keep();
        Ok(opened?)
    })
}

/// The name of the backend that does the work: portable, aesni, vaes256, vaes512, neon, aes-pmull or aes-eor3. NULL for
/// NULL. Never to be freed.
///
/// # Safety
/// `gcm` must be NULL or a key of this library.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kasoku_gcm_backend(gcm: *const Gcm) -> *const c_char {
    boundary::guarded(std::ptr::null(), || {
        // SAFETY: the caller vouches for it.
        let Some(gcm) = (unsafe { gcm.as_ref() }) else { return std::ptr::null() };
        gcm.key.backend().c_name().as_ptr()
    })
}

/// [`kasoku_gcm_seal`], by one rule after the other.
///
/// # Safety
/// As there.
#[cold]
#[inline(never)]
unsafe fn seal_checked(gcm: *const Gcm, message: Message, tag: *mut u8) -> Result<(), Code> {
    // SAFETY: the caller vouches for it.
    let gcm = unsafe { gcm.as_ref() }.ok_or(Code::NULL)?;
    // SAFETY: as above.
    unsafe {
        whole::seal(message, tag, |nonce, aad, text| {
            let nonce = Nonce::try_from(nonce)?;
            Ok(match text {
                Text::InPlace(text) => gcm.key.seal(nonce, aad, text),
                Text::Between(plaintext, ciphertext) => gcm.key.seal_to(nonce, aad, plaintext, ciphertext),
            }?)
        })
    }
}

/// [`kasoku_gcm_open`], by one rule after the other.
///
/// # Safety
/// As there.
#[cold]
#[inline(never)]
unsafe fn open_checked(gcm: *const Gcm, message: Message, tag: *const u8) -> Result<(), Code> {
    // SAFETY: the caller vouches for it.
    let gcm = unsafe { gcm.as_ref() }.ok_or(Code::NULL)?;
    // SAFETY: as above.
    unsafe {
        whole::open(message, tag, |nonce, aad, text, tag| {
            let nonce = Nonce::try_from(nonce)?;
            Ok(match text {
                Text::InPlace(text) => gcm.key.open(nonce, aad, text, tag),
                Text::Between(ciphertext, plaintext) => gcm.key.open_to(nonce, aad, ciphertext, plaintext, tag),
            }?)
        })
    }
}

/// # Safety
/// `key` must be readable for `bytes` bytes, `backend` NULL or a string that ends with NUL.
unsafe fn expand(key: *const u8, bytes: usize, backend: *const c_char) -> Result<Arc<Gcm>, Code> {
    // SAFETY: the caller vouches for it.
    let key = unsafe { Input::key(key, bytes)?.slice() };
    // SAFETY: as above.
    let key = match unsafe { environment::asked_for(backend) }? {
        Some(backend) => AesGcm::with_backend(key, backend),
        None => AesGcm::new(key),
    }?;
    Ok(Arc::new(Gcm { key }))
}

/// What C holds is one of the counted references, so that a streamed message can hold another.
fn into_c(gcm: Arc<Gcm>) -> *mut Gcm {
    Arc::into_raw(gcm).cast_mut()
}
