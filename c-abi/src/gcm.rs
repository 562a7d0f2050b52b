//! Keys, and whole messages under them.

#![allow(unsafe_code, reason = "C's pointers are followed, and symbols exported by name")]

use std::ffi::{c_char, c_int};
use std::sync::Arc;

use kasoku_engine::{AesGcm, Error, Nonce, OneTimeKey, Tag};

use crate::boundary;
use crate::buffers::{Input, Message, Output, Text, Unverified};
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
    // SAFETY: the caller vouches for key and buffers.
    boundary::code(|| unsafe { seal(gcm.as_ref().map(Gcm::key), message, tag) })
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
    // SAFETY: the caller vouches for key and buffers.
    boundary::code(|| unsafe { open(gcm.as_ref().map(Gcm::key), message, tag) })
}

/// Seals one message under a key that is used for nothing else: as kasoku_gcm_new(), kasoku_gcm_seal() and
/// kasoku_gcm_free(), but faster. The key is expanded on the stack, with no more than the message needs, and wiped.
/// (The backends portable and neon, and nonces of other than 12 bytes, take a key on the heap instead.)
///
/// `key` has 16, 24 or 32 bytes. The rules of kasoku_gcm_seal() hold for everything else; what is written may not
/// overlap the key either.
///
/// Returns KASOKU_OK, or KASOKU_ERR_NULL, KASOKU_ERR_KEY_LENGTH, KASOKU_ERR_NONCE_LENGTH, KASOKU_ERR_AAD_TOO_LONG,
/// KASOKU_ERR_MESSAGE_TOO_LONG, KASOKU_ERR_OVERLAP, or what kasoku_gcm_create() says of the environment's variables,
/// with nothing written.
///
/// cbindgen:ptrs-as-arrays=[[tag;16]]
///
/// # Safety
/// Each buffer must be readable or writable for its length, and not be written by anybody else meanwhile.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kasoku_gcm_seal_once(
    key: *const u8,
    key_len: usize,
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
    boundary::code(|| unsafe {
        let key = Input::key(key, key_len)?;
        Output::tag(tag)?.apart_from(&[key])?;
        seal(Some(&one_time_key(key, &message)?), message, tag)
    })
}

/// Opens one message under a key that is used for nothing else, as kasoku_gcm_seal_once() seals it.
///
/// Returns KASOKU_OK; KASOKU_ERR_AUTHENTICATION with zeros in all of `out`; or KASOKU_ERR_NULL, KASOKU_ERR_KEY_LENGTH,
/// KASOKU_ERR_NONCE_LENGTH, KASOKU_ERR_AAD_TOO_LONG, KASOKU_ERR_MESSAGE_TOO_LONG, KASOKU_ERR_OVERLAP, or what
/// kasoku_gcm_create() says of the environment's variables, with nothing written.
///
/// cbindgen:ptrs-as-arrays=[[tag;16]]
///
/// # Safety
/// As kasoku_gcm_seal_once().
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kasoku_gcm_open_once(
    key: *const u8,
    key_len: usize,
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
    boundary::code(|| unsafe {
        let key = one_time_key(Input::key(key, key_len)?, &message)?;
        open(Some(&key), message, tag)
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

/// Key that seals and opens whole messages, in place or from one buffer to another. (A [`Text`] as argument would go
/// through memory, which costs 1 ns.)
trait WholeMessages {
    fn seal_in_place<'n>(
        &self,
        nonce: impl Into<Nonce<'n>>,
        aad: &[u8],
        text: &mut [u8],
        tag: &mut Tag,
    ) -> Result<(), Error>;

    fn seal_into<'n>(
        &self,
        nonce: impl Into<Nonce<'n>>,
        aad: &[u8],
        plaintext: &[u8],
        ciphertext: &mut [u8],
        tag: &mut Tag,
    ) -> Result<(), Error>;

    fn open<'n>(&self, nonce: impl Into<Nonce<'n>>, aad: &[u8], text: &mut [u8], tag: &Tag) -> Result<(), Error>;

    fn open_to<'n>(
        &self,
        nonce: impl Into<Nonce<'n>>,
        aad: &[u8],
        ciphertext: &[u8],
        plaintext: &mut [u8],
        tag: &Tag,
    ) -> Result<(), Error>;
}

/// Implements [`WholeMessages`] by the key's methods of the same names.
macro_rules! whole_messages {
    ($key:ty) => {
        impl WholeMessages for $key {
            #[inline(always)]
            fn seal_in_place<'n>(
                &self,
                nonce: impl Into<Nonce<'n>>,
                aad: &[u8],
                text: &mut [u8],
                tag: &mut Tag,
            ) -> Result<(), Error> {
                self.seal_in_place(nonce, aad, text, tag)
            }

            #[inline(always)]
            fn seal_into<'n>(
                &self,
                nonce: impl Into<Nonce<'n>>,
                aad: &[u8],
                plaintext: &[u8],
                ciphertext: &mut [u8],
                tag: &mut Tag,
            ) -> Result<(), Error> {
                self.seal_into(nonce, aad, plaintext, ciphertext, tag)
            }

            #[inline(always)]
            fn open<'n>(
                &self,
                nonce: impl Into<Nonce<'n>>,
                aad: &[u8],
                text: &mut [u8],
                tag: &Tag,
            ) -> Result<(), Error> {
                self.open(nonce, aad, text, tag)
            }

            #[inline(always)]
            fn open_to<'n>(
                &self,
                nonce: impl Into<Nonce<'n>>,
                aad: &[u8],
                ciphertext: &[u8],
                plaintext: &mut [u8],
                tag: &Tag,
            ) -> Result<(), Error> {
                self.open_to(nonce, aad, ciphertext, plaintext, tag)
            }
        }
    };
}

whole_messages!(AesGcm);
whole_messages!(OneTimeKey<'_>);

/// Seals a message.
///
/// # Safety
/// The buffers must be readable and writable for their lengths.
#[inline(always)]
unsafe fn seal(key: Option<&impl WholeMessages>, message: Message, tag: *mut u8) -> Result<(), Code> {
    let Some(key) = key.filter(|_| message.is_plain_to_seal(tag)) else {
        // SAFETY: the caller vouches for it.
        return unsafe { seal_checked(key, message, tag) };
    };
    // SAFETY: it is plain; the caller vouches for the memory.
    let ((nonce, aad), tag) = unsafe { (message.plain_header(), &mut *tag.cast::<Tag>()) };
    // SAFETY: as above.
    let output = unsafe { message.plain_output() };
    if message.is_in_place() {
        key.seal_in_place(nonce, aad, output, tag)?;
    } else {
        // SAFETY: as above.
        key.seal_into(nonce, aad, unsafe { message.plain_input() }, output, tag)?;
    }
    Ok(())
}

/// Opens a message.
///
/// # Safety
/// As [`seal`].
#[inline(always)]
unsafe fn open(key: Option<&impl WholeMessages>, message: Message, tag: *const u8) -> Result<(), Code> {
    let Some(key) = key.filter(|_| message.is_plain_to_open(tag)) else {
        // SAFETY: the caller vouches for it.
        return unsafe { open_checked(key, message, tag) };
    };
    // SAFETY: it is plain; the caller vouches for the memory. The slice of the output is gone when this is dropped.
    let unverified = unsafe { Unverified::new([message.output()]) };
    // SAFETY: as above.
    let ((nonce, aad), tag) = unsafe { (message.plain_header(), &*tag.cast::<Tag>()) };
    // SAFETY: as above.
    let output = unsafe { message.plain_output() };
    let opened = if message.is_in_place() {
        key.open(nonce, aad, output, tag)
    } else {
        // SAFETY: as above.
        key.open_to(nonce, aad, unsafe { message.plain_input() }, output, tag)
    };
    // The engine has written zeros over the plaintext of a forgery.
    unverified.keep();
    Ok(opened?)
}

/// Seals a message, by one rule after the other.
///
/// # Safety
/// As [`seal`].
#[cold]
#[inline(never)]
unsafe fn seal_checked(key: Option<&impl WholeMessages>, message: Message, tag: *mut u8) -> Result<(), Code> {
    let key = key.ok_or(Code::NULL)?;
    // SAFETY: the caller vouches for it.
    unsafe {
        whole::seal(message, tag, |nonce, aad, text| {
            let mut tag = [0; kasoku_engine::TAG_BYTES];
            let nonce = Nonce::try_from(nonce)?;
            match text {
                Text::InPlace(text) => key.seal_in_place(nonce, aad, text, &mut tag),
                Text::Between(plaintext, ciphertext) => key.seal_into(nonce, aad, plaintext, ciphertext, &mut tag),
            }?;
            Ok(tag)
        })
    }
}

/// Opens a message, by one rule after the other.
///
/// # Safety
/// As [`seal`].
#[cold]
#[inline(never)]
unsafe fn open_checked(key: Option<&impl WholeMessages>, message: Message, tag: *const u8) -> Result<(), Code> {
    let key = key.ok_or(Code::NULL)?;
    // SAFETY: the caller vouches for it.
    unsafe {
        whole::open(message, tag, |nonce, aad, text, tag| {
            let nonce = Nonce::try_from(nonce)?;
            Ok(match text {
                Text::InPlace(text) => key.open(nonce, aad, text, tag),
                Text::Between(ciphertext, plaintext) => key.open_to(nonce, aad, ciphertext, plaintext, tag),
            }?)
        })
    }
}

/// Returns the key of `message`, whose output may not overlap the key.
///
/// # Safety
/// `key` must be readable for `'a`.
#[inline(always)]
unsafe fn one_time_key<'a>(key: Input, message: &Message) -> Result<OneTimeKey<'a>, Code> {
    Output::text(message.output, message.bytes)?.apart_from(&[key])?;
    // SAFETY: the caller vouches for it.
    let key = unsafe { key.slice() };
    // SAFETY: no name is given.
    Ok(match unsafe { environment::asked_for(std::ptr::null()) }? {
        Some(path) => OneTimeKey::with_backend(key, path),
        None => OneTimeKey::new(key),
    }?)
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
