//! AES-GCM keys, and whole messages sealed and opened with them.

#![allow(unsafe_code, reason = "dereferences C pointers and exports symbols by name")]

use std::ffi::{c_char, c_int, c_void};
use std::ptr::NonNull;

use kasoku_engine::cpu::{Found, RunnablePath};
use kasoku_engine::{AesGcm, Error, Nonce, OnceFunction, OneTimeKey, SealFunction, Tag};

use crate::boundary;
use crate::buffers::{Input, Message, MessageBuffers, Output, UnverifiedPlaintext};
use crate::checked_message;
use crate::code::Code;
use crate::environment;
use crate::key_object::Gcm;

/// Expands an AES-GCM key of 16, 24 or 32 bytes, for the fastest backend and schedule of this CPU.
///
/// On Linux two environment variables override the choice, for tests and measurements. KASOKU_BACKEND is portable,
/// aesni, vaes256, vaes512, neon, aes-pmull or aes-eor3. KASOKU_SCHEDULE is karatsuba (all backends but aes-eor3) or
/// schoolbook (vaes512 and aes-eor3). They are read once, for the first key, and ignored in programs with more rights
/// than their user.
///
/// Returns NULL if `key` is NULL or has another length, or if a variable names a backend or schedule that does not
/// exist or that this CPU lacks. There is no fallback to another backend. kasoku_gcm_create() reports the reason.
///
/// `key` may be wiped afterwards. Free the result with kasoku_gcm_free().
///
/// # Safety
/// `key` must be readable for `key_len` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kasoku_gcm_new(key: *const u8, key_len: usize) -> *mut Gcm {
    boundary::guarded(std::ptr::null_mut(), || {
        // SAFETY: the caller guarantees the key.
        unsafe { expand(key, key_len, std::ptr::null()) }.map_or(std::ptr::null_mut(), NonNull::as_ptr)
    })
}

/// Expands a key like kasoku_gcm_new(), but returns an error code, and uses the backend named `backend` and ignores the
/// environment. With `backend` NULL it chooses the backend as kasoku_gcm_new() does.
///
/// Stores the key in `*gcm`, or NULL after an error.
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
        // SAFETY: guaranteed by the caller.
        unsafe { gcm.write(std::ptr::null_mut()) };
        // SAFETY: the caller guarantees the key and the NUL at the end of the name.
        let made = unsafe { expand(key, key_len, backend) }?;
        // SAFETY: as above.
        unsafe { gcm.write(made.as_ptr()) };
        Ok(())
    })
}

/// Returns the size in bytes of the memory that kasoku_gcm_init() needs. It is the same until the process ends.
#[unsafe(no_mangle)]
pub extern "C" fn kasoku_gcm_size() -> usize {
    boundary::guarded(0, || {
        // If the environment is invalid, kasoku_gcm_init() reports the error, whatever the size.
        Gcm::bytes(environment::code_path_from_environment().unwrap_or_else(|_| RunnablePath::preferred()))
    })
}

/// Expands a key like kasoku_gcm_create(), but in `memory` of the caller. The memory has `memory_len` bytes, at least
/// kasoku_gcm_size(), and is aligned to 16 bytes, as malloc() aligns. The object lies at `memory` and must not be
/// moved.
///
/// Stores the key in `*gcm`, or NULL after an error. Wipe it with kasoku_gcm_wipe() before the memory is used for
/// anything else, after all streamed messages under the key have been freed.
///
/// Returns KASOKU_OK; or KASOKU_ERR_NULL, KASOKU_ERR_KEY_LENGTH, KASOKU_ERR_MEMORY, or an error about the environment
/// as described for kasoku_gcm_create().
///
/// # Safety
/// `memory` must be writable for `memory_len` bytes, and not used by anybody else until the key has been wiped. `key`
/// must be readable for `key_len` bytes and lie outside of `memory`, and `gcm` be NULL or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kasoku_gcm_init(
    memory: *mut c_void,
    memory_len: usize,
    key: *const u8,
    key_len: usize,
    gcm: *mut *mut Gcm,
) -> c_int {
    boundary::code(|| {
        if gcm.is_null() {
            return Err(Code::NULL);
        }
        // SAFETY: guaranteed by the caller.
        unsafe { gcm.write(std::ptr::null_mut()) };
        let memory = NonNull::new(memory.cast::<u8>()).ok_or(Code::NULL)?;
        let path = environment::code_path_from_environment()?;
        if memory_len < Gcm::bytes(path) || !Gcm::is_aligned(memory.as_ptr()) {
            return Err(Code::MEMORY);
        }
        // SAFETY: the caller guarantees key and memory; the memory is large enough and aligned.
        unsafe { gcm.write(Gcm::make_in_lent(memory, path, Input::key(key, key_len)?.slice())?.as_ptr()) };
        Ok(())
    })
}

/// Wipes a key that kasoku_gcm_init() made, whose memory may then be used for something else; does nothing for NULL.
///
/// # Safety
/// `gcm` must be NULL or a key that kasoku_gcm_init() made, and not be used again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kasoku_gcm_wipe(gcm: *mut Gcm) {
    // SAFETY: guaranteed by the caller.
    unsafe { kasoku_gcm_free(gcm) }
}

/// Wipes and frees the key; does nothing for NULL. A streamed message in progress keeps its own reference to the key.
///
/// # Safety
/// `gcm` must be NULL or come from this library, and not be used again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kasoku_gcm_free(gcm: *mut Gcm) {
    boundary::guarded((), || {
        if !gcm.is_null() {
            // SAFETY: the caller owns the key and gives it back.
            unsafe { Gcm::release(gcm) };
        }
    });
}

/// Seals a message: encrypts `len` bytes from `in` to `out`, and writes the tag that authenticates ciphertext and AAD.
///
/// `in` and `out` may be the same buffer. Otherwise `out` and `tag` must not overlap any other argument. NULL is
/// allowed where a length is 0. A nonce of 12 bytes is fastest and safest. Never use a nonce twice under one key: that
/// reveals the XOR of both plaintexts and allows forgeries.
///
/// Returns KASOKU_OK; or KASOKU_ERR_NULL, KASOKU_ERR_NONCE_LENGTH, KASOKU_ERR_AAD_TOO_LONG, KASOKU_ERR_MESSAGE_TOO_LONG
/// or KASOKU_ERR_OVERLAP with nothing written.
///
/// cbindgen:ptrs-as-arrays=[[tag;16]]
///
/// # Safety
/// `gcm` must be NULL or a key of this library. Each buffer must be valid for its length, and nothing else may write to
/// it.
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
    // The engine's kernel takes the same arguments in the same registers and stack slots, so this is a tail call: it
    // saves nothing on the stack, and takes about forty instructions less than an ordinary call. (There is only one
    // call, because the compiler turns only one into a jump. Nothing here panics.)
    // SAFETY: the caller guarantees the key and the buffers.
    unsafe {
        let (seal, first) = seal_function(gcm, message, tag);
        seal(first, nonce, nonce_len, aad, aad_len, r#in, len, out, tag)
    }
}

/// Returns the function that seals a message, and the function's first argument. Returns the engine's function if the
/// message fits the fast path and the key needs no preparation, otherwise [`seal_in_steps`].
///
/// # Safety
/// `gcm` must be NULL or a key of this library.
#[inline(always)]
unsafe fn seal_function(gcm: *const Gcm, message: Message, tag: *mut u8) -> (SealFunction, *const c_void) {
    let otherwise: (SealFunction, _) = (seal_in_steps, gcm.cast());
    // SAFETY: guaranteed by the caller.
    match unsafe { gcm.as_ref() } {
        Some(gcm) if message.fits_fast_path_to_seal(tag) => {
            gcm.key().seal_function(message.aad_bytes, message.bytes, otherwise)
        }
        _ => otherwise,
    }
}

/// Seals any message.
///
/// # Safety
/// The requirements are those of kasoku_gcm_seal(), which passes its arguments on.
unsafe extern "C" fn seal_in_steps(
    gcm: *const c_void,
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
    // SAFETY: guaranteed by the caller.
    boundary::code(|| unsafe { seal(gcm.cast::<Gcm>().as_ref().map(Gcm::key), message, tag) })
}

/// Opens a message: verifies the tag over the AAD and `len` bytes of ciphertext at `in`, and decrypts them to `out`.
///
/// `in` and `out` may be the same buffer. Otherwise `out` must not overlap any other argument. NULL is allowed where a
/// length is 0.
///
/// Returns KASOKU_OK; KASOKU_ERR_AUTHENTICATION with `out` all zeros; or KASOKU_ERR_NULL, KASOKU_ERR_NONCE_LENGTH,
/// KASOKU_ERR_AAD_TOO_LONG, KASOKU_ERR_MESSAGE_TOO_LONG or KASOKU_ERR_OVERLAP with nothing written.
///
/// cbindgen:ptrs-as-arrays=[[tag;16]]
///
/// # Safety
/// The requirements are those of kasoku_gcm_seal().
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
    // SAFETY: the caller guarantees the key and the buffers.
    boundary::code(|| unsafe { open(gcm.as_ref().map(Gcm::key), message, tag) })
}

/// Seals one message under a key that is used only once. It replaces kasoku_gcm_new(), kasoku_gcm_seal() and
/// kasoku_gcm_free(), and is faster: it expands only what the message needs, on the stack, and wipes it. (The backends
/// portable and neon, and nonces that do not have 12 bytes, use a key on the heap.)
///
/// `key` has 16, 24 or 32 bytes, and `out` and `tag` must not overlap it. All other rules are those of
/// kasoku_gcm_seal().
///
/// Returns KASOKU_OK; or KASOKU_ERR_NULL, KASOKU_ERR_KEY_LENGTH, KASOKU_ERR_NONCE_LENGTH, KASOKU_ERR_AAD_TOO_LONG,
/// KASOKU_ERR_MESSAGE_TOO_LONG, KASOKU_ERR_OVERLAP, or an error about the environment as described for
/// kasoku_gcm_create(), with nothing written.
///
/// cbindgen:ptrs-as-arrays=[[tag;16]]
///
/// # Safety
/// Each buffer must be valid for its length, and nothing else may write to it.
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
    let seal = once_function(key, key_len, message, tag).unwrap_or(seal_once_in_steps);
    // A tail call, as in kasoku_gcm_seal().
    // SAFETY: the caller guarantees the buffers.
    unsafe { seal(key, key_len, nonce, nonce_len, aad, aad_len, r#in, len, out, tag) }
}

/// Returns the engine's function that seals a message on the fast path. Returns `None` for other messages, and until
/// the process has made its first key.
#[inline(always)]
fn once_function(key: *const u8, key_len: usize, message: Message, tag: *mut u8) -> Option<OnceFunction> {
    if !message.fits_fast_path_to_seal_once(tag, key, key_len) {
        return None;
    }
    environment::known_code_path()?.seal_once_function()
}

/// Seals any message under a key that is used only once.
///
/// # Safety
/// The requirements are those of kasoku_gcm_seal_once(), which passes its arguments on.
unsafe extern "C" fn seal_once_in_steps(
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
    // SAFETY: guaranteed by the caller.
    boundary::code(|| unsafe {
        let key = Input::key(key, key_len)?;
        Output::tag(tag)?.check_apart_from(&[key])?;
        seal(Some(&one_time_key(key, &message)?), message, tag)
    })
}

/// Opens one message under a key that is used only once, with the rules of kasoku_gcm_seal_once(). It replaces
/// kasoku_gcm_new(), kasoku_gcm_open() and kasoku_gcm_free().
///
/// Returns KASOKU_OK; KASOKU_ERR_AUTHENTICATION with `out` all zeros; or KASOKU_ERR_NULL, KASOKU_ERR_KEY_LENGTH,
/// KASOKU_ERR_NONCE_LENGTH, KASOKU_ERR_AAD_TOO_LONG, KASOKU_ERR_MESSAGE_TOO_LONG, KASOKU_ERR_OVERLAP, or an error about
/// the environment as described for kasoku_gcm_create(), with nothing written.
///
/// cbindgen:ptrs-as-arrays=[[tag;16]]
///
/// # Safety
/// The requirements are those of kasoku_gcm_seal_once().
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
    // SAFETY: the caller guarantees the key and the buffers.
    boundary::code(|| unsafe {
        let key = one_time_key(Input::key(key, key_len)?, &message)?;
        open(Some(&key), message, tag)
    })
}

/// Returns the name of the backend that the key uses: portable, aesni, vaes256, vaes512, neon, aes-pmull or aes-eor3.
/// Returns NULL if `gcm` is NULL. The name must not be freed.
///
/// # Safety
/// `gcm` must be NULL or a key of this library.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kasoku_gcm_backend(gcm: *const Gcm) -> *const c_char {
    boundary::guarded(std::ptr::null(), || {
        // SAFETY: guaranteed by the caller.
        let Some(gcm) = (unsafe { gcm.as_ref() }) else { return std::ptr::null() };
        gcm.key().backend().c_name().as_ptr()
    })
}

/// Key that seals and opens whole messages, in place or between two buffers. The methods are separate, because passing
/// [`MessageBuffers`] through memory costs 1 ns.
trait MessageKey {
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

/// Implements [`MessageKey`] with the methods of the same names that the key type has.
macro_rules! impl_message_key {
    ($key:ty) => {
        impl MessageKey for $key {
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

impl_message_key!(AesGcm);
impl_message_key!(OneTimeKey<'_>);

/// Seals a message on the fast path if it fits, otherwise with [`seal_checked`].
///
/// # Safety
/// The buffers must be readable and writable for their lengths.
#[inline(always)]
unsafe fn seal(key: Option<&impl MessageKey>, message: Message, tag: *mut u8) -> Result<(), Code> {
    let Some(key) = key.filter(|_| message.fits_fast_path_to_seal(tag)) else {
        // SAFETY: guaranteed by the caller.
        return unsafe { seal_checked(key, message, tag) };
    };
    // SAFETY: the message fits the fast path; the caller guarantees the memory.
    let ((nonce, aad), tag) = unsafe { (message.nonce_and_aad(), &mut *tag.cast::<Tag>()) };
    // SAFETY: as above.
    let output = unsafe { message.output_slice() };
    if message.is_in_place() {
        key.seal_in_place(nonce, aad, output, tag)?;
    } else {
        // SAFETY: as above.
        key.seal_into(nonce, aad, unsafe { message.input_slice() }, output, tag)?;
    }
    Ok(())
}

/// Opens a message on the fast path if it fits, otherwise with [`open_checked`].
///
/// # Safety
/// The buffers must be readable and writable for their lengths.
#[inline(always)]
unsafe fn open(key: Option<&impl MessageKey>, message: Message, tag: *const u8) -> Result<(), Code> {
    let Some(key) = key.filter(|_| message.fits_fast_path_to_open(tag)) else {
        // SAFETY: guaranteed by the caller.
        return unsafe { open_checked(key, message, tag) };
    };
    // SAFETY: the message fits the fast path; the caller guarantees the memory. The slice of the output ends before the
    // guard is dropped.
    let unverified = unsafe { UnverifiedPlaintext::new([message.output_buffer()]) };
    // SAFETY: as above.
    let ((nonce, aad), tag) = unsafe { (message.nonce_and_aad(), &*tag.cast::<Tag>()) };
    // SAFETY: as above.
    let output = unsafe { message.output_slice() };
    let opened = if message.is_in_place() {
        key.open(nonce, aad, output, tag)
    } else {
        // SAFETY: as above.
        key.open_to(nonce, aad, unsafe { message.input_slice() }, output, tag)
    };
    // If authentication failed, the engine has already zeroed the output.
    unverified.keep();
    Ok(opened?)
}

/// Seals a message that is empty, or after checking its arguments rule by rule.
///
/// # Safety
/// The buffers must be readable and writable for their lengths.
#[cold]
#[inline(never)]
unsafe fn seal_checked(key: Option<&impl MessageKey>, message: Message, tag: *mut u8) -> Result<(), Code> {
    let key = key.ok_or(Code::NULL)?;
    // SAFETY: guaranteed by the caller.
    unsafe {
        if message.is_empty_and_fits_to_seal(tag) {
            let (nonce, aad) = message.nonce_and_aad();
            return Ok(key.seal_in_place(nonce, aad, &mut [], &mut *tag.cast())?);
        }
        checked_message::seal(message, tag, |nonce, aad, text| {
            let mut tag = [0; kasoku_engine::TAG_BYTES];
            let nonce = Nonce::try_from(nonce)?;
            match text {
                MessageBuffers::InPlace(text) => key.seal_in_place(nonce, aad, text, &mut tag),
                MessageBuffers::Separate(plaintext, ciphertext) => {
                    key.seal_into(nonce, aad, plaintext, ciphertext, &mut tag)
                }
            }?;
            Ok(tag)
        })
    }
}

/// Opens a message that is empty, or after checking its arguments rule by rule.
///
/// # Safety
/// The buffers must be readable and writable for their lengths.
#[cold]
#[inline(never)]
unsafe fn open_checked(key: Option<&impl MessageKey>, message: Message, tag: *const u8) -> Result<(), Code> {
    let key = key.ok_or(Code::NULL)?;
    // SAFETY: guaranteed by the caller.
    unsafe {
        if message.is_empty_and_fits_to_open(tag) {
            let (nonce, aad) = message.nonce_and_aad();
            return Ok(key.open(nonce, aad, &mut [], &*tag.cast())?);
        }
        checked_message::open(message, tag, |nonce, aad, text, tag| {
            let nonce = Nonce::try_from(nonce)?;
            Ok(match text {
                MessageBuffers::InPlace(text) => key.open(nonce, aad, text, tag),
                MessageBuffers::Separate(ciphertext, plaintext) => key.open_to(nonce, aad, ciphertext, plaintext, tag),
            }?)
        })
    }
}

/// Expands `key` for one message after checking that the message's output does not overlap the key.
///
/// # Safety
/// `key` must be readable for `'a`.
#[inline(always)]
unsafe fn one_time_key<'a>(key: Input, message: &Message) -> Result<OneTimeKey<'a>, Code> {
    Output::text(message.output, message.bytes)?.check_apart_from(&[key])?;
    // SAFETY: guaranteed by the caller.
    let key = unsafe { key.slice() };
    Ok(OneTimeKey::for_path(environment::code_path_from_environment()?, key)?)
}

/// # Safety
/// `key` must be readable for `bytes` bytes, `backend` NULL or a string that ends with NUL.
unsafe fn expand(key: *const u8, bytes: usize, backend: *const c_char) -> Result<NonNull<Gcm>, Code> {
    // SAFETY: guaranteed by the caller.
    let key = unsafe { Input::key(key, bytes)?.slice() };
    let path = if backend.is_null() {
        environment::code_path_from_environment()?
    } else {
        // SAFETY: as above.
        RunnablePath::new(unsafe { environment::requested_code_path(backend) }?, Found::here())?
    };
    Gcm::allocate(path, key)
}
