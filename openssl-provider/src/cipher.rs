//! The functions of a cipher that OpenSSL calls, and the dispatch tables that list them.

#![allow(unsafe_code, reason = "defines functions that OpenSSL calls with pointers")]

use std::alloc::{Layout, alloc};
use std::ffi::{CStr, c_int, c_uint, c_void};

use crate::abi::{Dispatch, MODE_GCM, Param, cipher_function, entry, kind};
use crate::boundary::guarded;
use crate::buffers::Piece;
use crate::context::{Context, Failure, USUAL_IV_BYTES};
use crate::context_parameters::{self, GETTABLE, SETTABLE, set};
use crate::gcm_siv::SivContext;
use crate::parameter::{END, Params, described, located};
use crate::provider::Provider;
use crate::reason::Reason;

/// Provider's state of an `EVP_CIPHER_CTX` for any cipher: a key and the current message.
pub(crate) trait CipherContext {
    /// Mode of the cipher: `EVP_CIPH_…_MODE`.
    const MODE: c_uint;

    /// Parameters that can be read from a context, as a list that ends with a NULL key.
    const GETTABLE: *const Param;
    /// Parameters that can be set in a context, as a list that ends with a NULL key.
    const SETTABLE: *const Param;

    /// Creates a context for keys of `key_bytes` bytes; `None` if memory runs out.
    fn new(provider: &'static Provider, key_bytes: usize) -> Option<Box<Self>>;

    /// Returns a copy in the same state; `None` if memory runs out.
    fn duplicate(&self) -> Option<Box<Self>>;

    fn provider(&self) -> &'static Provider;

    /// Sets the direction, and the IV and the key if given.
    fn start(&mut self, is_encrypting: bool, key: Option<&[u8]>, iv: Option<&[u8]>) -> Result<(), Failure>;

    /// Processes the next piece of a message and returns the number of output bytes.
    fn take(&mut self, piece: Piece<'_>) -> Result<usize, Failure>;

    /// Writes the values of the requested parameters.
    fn get(&mut self, params: Params<'_>) -> Result<(), Failure>;

    /// Sets the parameters in the list.
    fn set_all(&mut self, params: Params<'_>) -> Result<(), Failure>;
}

pub(crate) static AES_128_GCM: [Dispatch; 15] = table::<Context, 16>();
pub(crate) static AES_192_GCM: [Dispatch; 15] = table::<Context, 24>();
pub(crate) static AES_256_GCM: [Dispatch; 15] = table::<Context, 32>();

pub(crate) static AES_128_GCM_SIV: [Dispatch; 15] = table::<SivContext, 16>();
pub(crate) static AES_256_GCM_SIV: [Dispatch; 15] = table::<SivContext, 32>();

impl CipherContext for Context {
    const MODE: c_uint = MODE_GCM;
    const GETTABLE: *const Param = GETTABLE.as_ptr();
    const SETTABLE: *const Param = SETTABLE.as_ptr();

    fn new(provider: &'static Provider, key_bytes: usize) -> Option<Box<Self>> {
        Self::new(provider, key_bytes)
    }

    fn duplicate(&self) -> Option<Box<Self>> {
        self.duplicate()
    }

    #[inline(always)]
    fn provider(&self) -> &'static Provider {
        self.provider()
    }

    #[inline(always)]
    fn start(&mut self, is_encrypting: bool, key: Option<&[u8]>, iv: Option<&[u8]>) -> Result<(), Failure> {
        self.start(is_encrypting, key, iv)
    }

    #[inline(always)]
    fn take(&mut self, piece: Piece<'_>) -> Result<usize, Failure> {
        self.take(piece)
    }

    fn get(&mut self, params: Params<'_>) -> Result<(), Failure> {
        context_parameters::get(self, params)
    }

    #[inline(always)]
    fn set_all(&mut self, params: Params<'_>) -> Result<(), Failure> {
        context_parameters::set_all(self, params)
    }
}

type New = unsafe extern "C" fn(*mut c_void) -> *mut c_void;
type Init = unsafe extern "C" fn(*mut c_void, *const u8, usize, *const u8, usize, *const Param) -> c_int;
type Update = unsafe extern "C" fn(*mut c_void, *mut u8, *mut usize, usize, *const u8, usize) -> c_int;
type Final = unsafe extern "C" fn(*mut c_void, *mut u8, *mut usize, usize) -> c_int;
type Free = unsafe extern "C" fn(*mut c_void);
type GetParams = unsafe extern "C" fn(*mut Param) -> c_int;
type GetContextParams = unsafe extern "C" fn(*mut c_void, *mut Param) -> c_int;
type SetContextParams = unsafe extern "C" fn(*mut c_void, *const Param) -> c_int;
type Describe = unsafe extern "C" fn(*mut c_void) -> *const Param;
type DescribeContext = unsafe extern "C" fn(*mut c_void, *mut c_void) -> *const Param;

const fn table<C: CipherContext, const KEY_BYTES: usize>() -> [Dispatch; 15] {
    [
        entry!(cipher_function::NEWCTX, new_context::<C, KEY_BYTES> => New),
        entry!(cipher_function::ENCRYPT_INIT, start_encrypting::<C> => Init),
        entry!(cipher_function::DECRYPT_INIT, start_decrypting::<C> => Init),
        entry!(cipher_function::UPDATE, update::<C> => Update),
        entry!(cipher_function::FINAL, finish::<C> => Final),
        entry!(cipher_function::CIPHER, cipher::<C> => Update),
        entry!(cipher_function::FREECTX, free_context::<C> => Free),
        entry!(cipher_function::DUPCTX, duplicate_context::<C> => New),
        entry!(cipher_function::GET_PARAMS, get_params::<C, KEY_BYTES> => GetParams),
        entry!(cipher_function::GET_CTX_PARAMS, get_context_params::<C> => GetContextParams),
        entry!(cipher_function::SET_CTX_PARAMS, set_context_params::<C> => SetContextParams),
        entry!(cipher_function::GETTABLE_PARAMS, describe_params => Describe),
        entry!(cipher_function::GETTABLE_CTX_PARAMS, describe_gettable::<C> => DescribeContext),
        entry!(cipher_function::SETTABLE_CTX_PARAMS, describe_settable::<C> => DescribeContext),
        Dispatch::END,
    ]
}

/// # Safety
/// `provider` must come from `OSSL_provider_init` and outlive the context.
unsafe extern "C" fn new_context<C: CipherContext, const KEY_BYTES: usize>(provider: *mut c_void) -> *mut c_void {
    guarded(std::ptr::null_mut(), || {
        // SAFETY: OpenSSL frees every context of a provider before the provider.
        let Some(provider) = (unsafe { provider.cast::<Provider>().as_ref() }) else { return std::ptr::null_mut() };
        into_pointer(provider, C::new(provider, KEY_BYTES))
    })
}

/// # Safety
/// `context` must be NULL or come from `new_context`, and only this thread may use it.
unsafe extern "C" fn duplicate_context<C: CipherContext>(context: *mut c_void) -> *mut c_void {
    guarded(std::ptr::null_mut(), || {
        // SAFETY: guaranteed by the caller.
        let Some(context) = (unsafe { context.cast::<C>().as_ref() }) else { return std::ptr::null_mut() };
        into_pointer(context.provider(), context.duplicate())
    })
}

/// Returns the context as a pointer for OpenSSL; NULL, with an error in the queue, if memory ran out.
fn into_pointer<C: CipherContext>(provider: &Provider, context: Option<Box<C>>) -> *mut c_void {
    let no_memory = || {
        provider.raise(Reason::OutOfMemory);
        std::ptr::null_mut()
    };
    context.map_or_else(no_memory, |context| Box::into_raw(context).cast())
}

/// Returns a box with the value, or `None` if memory runs out. (`Box::new` would abort the program.)
pub(crate) fn boxed<T>(value: T) -> Option<Box<T>> {
    const { assert!(size_of::<T>() > 0) };
    // SAFETY: the layout's size is not 0.
    let place = unsafe { alloc(Layout::new::<T>()) }.cast::<T>();
    if place.is_null() {
        return None;
    }
    // SAFETY: new memory of the global allocator with the layout of `T`, written before the box is made.
    Some(unsafe {
        place.write(value);
        Box::from_raw(place)
    })
}

/// # Safety
/// `context` must be NULL or come from `new_context`, and not be used again.
unsafe extern "C" fn free_context<C: CipherContext>(context: *mut c_void) {
    guarded((), || {
        if !context.is_null() {
            // SAFETY: the pointer was a box.
            drop(unsafe { Box::from_raw(context.cast::<C>()) });
        }
    });
}

/// # Safety
/// See [`start`].
unsafe extern "C" fn start_encrypting<C: CipherContext>(
    context: *mut c_void,
    key: *const u8,
    key_bytes: usize,
    iv: *const u8,
    iv_bytes: usize,
    params: *const Param,
) -> c_int {
    // SAFETY: guaranteed by the caller.
    unsafe { start::<C>(true, context, (key, key_bytes), (iv, iv_bytes), params) }
}

/// # Safety
/// See [`start`].
unsafe extern "C" fn start_decrypting<C: CipherContext>(
    context: *mut c_void,
    key: *const u8,
    key_bytes: usize,
    iv: *const u8,
    iv_bytes: usize,
    params: *const Param,
) -> c_int {
    // SAFETY: guaranteed by the caller.
    unsafe { start::<C>(false, context, (key, key_bytes), (iv, iv_bytes), params) }
}

/// # Safety
/// `context` must satisfy [`with_context`] and `params` [`Params::new`]. `key` and `iv` must be NULL or readable for
/// their lengths.
#[inline]
unsafe fn start<C: CipherContext>(
    is_encrypting: bool,
    context: *mut c_void,
    key: (*const u8, usize),
    iv: (*const u8, usize),
    params: *const Param,
) -> c_int {
    let work = |context: &mut C| {
        // SAFETY: (all three) guaranteed by the caller.
        let (key, iv, params) = unsafe { (bytes(key), bytes(iv), Params::new(params.cast_mut())) };
        context.start(is_encrypting, key, iv)?;
        context.set_all(params)?;
        Ok(0)
    };
    // SAFETY: guaranteed by the caller.
    c_int::from(unsafe { with_context(context, work) }.is_some())
}

/// Processes a piece of AAD or text.
///
/// # Safety
/// `context` must satisfy [`with_context`], `output` and `input` [`Piece::new`]. `written` must be writable.
unsafe extern "C" fn update<C: CipherContext>(
    context: *mut c_void,
    output: *mut u8,
    written: *mut usize,
    room: usize,
    input: *const u8,
    bytes: usize,
) -> c_int {
    let work = |context: &mut C| {
        if bytes == 0 {
            return Ok(0);
        }
        // SAFETY: the caller guarantees both buffers.
        let piece = unsafe { piece(output, room, input, bytes) }?;
        context.take(piece).map_err(|failure| {
            if let Some(reason) = failure {
                context.provider().raise(reason);
            }
            Some(Reason::CipherOperationFailed)
        })
    };
    // SAFETY: guaranteed by the caller.
    unsafe { write_length(written, with_context(context, work)) }
}

/// Implements `EVP_Cipher`: processes a piece of AAD or text, or ends the message if there is no input.
///
/// # Safety
/// See [`update`].
unsafe extern "C" fn cipher<C: CipherContext>(
    context: *mut c_void,
    output: *mut u8,
    written: *mut usize,
    room: usize,
    input: *const u8,
    bytes: usize,
) -> c_int {
    let work = |context: &mut C| {
        // SAFETY: the caller guarantees both buffers.
        let piece = unsafe { piece(output, room, input, bytes) }?;
        // Returns the input's length, for records too, as the default provider does.
        context.take(piece).map(|_| bytes)
    };
    // SAFETY: guaranteed by the caller.
    unsafe { write_length(written, with_context(context, work)) }
}

/// Ends a message.
///
/// # Safety
/// See [`update`].
unsafe extern "C" fn finish<C: CipherContext>(
    context: *mut c_void,
    _: *mut u8,
    written: *mut usize,
    _: usize,
) -> c_int {
    let work = |context: &mut C| context.take(Piece::End).map(|_| 0);
    // SAFETY: guaranteed by the caller.
    unsafe { write_length(written, with_context(context, work)) }
}

unsafe extern "C" fn get_params<C: CipherContext, const KEY_BYTES: usize>(params: *mut Param) -> c_int {
    guarded(0, || {
        let names: [&CStr; 9] =
            [c"mode", c"aead", c"custom-iv", c"cts", c"tls-multi", c"has-randkey", c"keylen", c"blocksize", c"ivlen"];
        // SAFETY: the caller guarantees the list.
        let [mode, aead, custom_iv, cts, multi_block, random_key, key_bytes, block_bytes, iv_bytes] =
            located(unsafe { Params::new(params) }, &names);
        let flags = [(mode, C::MODE), (aead, 1), (custom_iv, 1), (cts, 0), (multi_block, 0), (random_key, 0)];
        let sizes = [(key_bytes, KEY_BYTES), (block_bytes, 1), (iv_bytes, USUAL_IV_BYTES)];
        // Without a context there is no access to the error queue.
        let flags = flags.into_iter().try_for_each(|(wanted, value)| set(wanted, |wanted| wanted.set_uint(value)));
        let all = flags.and_then(|()| {
            sizes.into_iter().try_for_each(|(wanted, value)| set(wanted, |wanted| wanted.set_size(value)))
        });
        c_int::from(all.is_ok())
    })
}

/// # Safety
/// `context` must satisfy [`with_context`] and `params` [`Params::new`].
unsafe extern "C" fn get_context_params<C: CipherContext>(context: *mut c_void, params: *mut Param) -> c_int {
    let work = |context: &mut C| {
        // SAFETY: the caller guarantees the list.
        let params = unsafe { Params::new(params) };
        context.get(params).map(|()| 0)
    };
    // SAFETY: guaranteed by the caller.
    c_int::from(unsafe { with_context(context, work) }.is_some())
}

/// # Safety
/// See [`get_context_params`].
unsafe extern "C" fn set_context_params<C: CipherContext>(context: *mut c_void, params: *const Param) -> c_int {
    let work = |context: &mut C| {
        // SAFETY: the caller guarantees the list, and nothing here writes to it.
        let params = unsafe { Params::new(params.cast_mut()) };
        context.set_all(params).map(|()| 0)
    };
    // SAFETY: guaranteed by the caller.
    c_int::from(unsafe { with_context(context, work) }.is_some())
}

static GETTABLE_OF_CIPHER: [Param; 10] = [
    described(c"mode", kind::UNSIGNED_INTEGER, size_of::<u32>()),
    described(c"keylen", kind::UNSIGNED_INTEGER, size_of::<usize>()),
    described(c"ivlen", kind::UNSIGNED_INTEGER, size_of::<usize>()),
    described(c"blocksize", kind::UNSIGNED_INTEGER, size_of::<usize>()),
    described(c"aead", kind::INTEGER, size_of::<c_int>()),
    described(c"custom-iv", kind::INTEGER, size_of::<c_int>()),
    described(c"cts", kind::INTEGER, size_of::<c_int>()),
    described(c"tls-multi", kind::INTEGER, size_of::<c_int>()),
    described(c"has-randkey", kind::INTEGER, size_of::<c_int>()),
    END,
];

unsafe extern "C" fn describe_params(_: *mut c_void) -> *const Param {
    GETTABLE_OF_CIPHER.as_ptr()
}

unsafe extern "C" fn describe_gettable<C: CipherContext>(_: *mut c_void, _: *mut c_void) -> *const Param {
    C::GETTABLE
}

unsafe extern "C" fn describe_settable<C: CipherContext>(_: *mut c_void, _: *mut c_void) -> *const Param {
    C::SETTABLE
}

/// Runs `work` on the context. Returns `None` if `work` fails, with its reason in the error queue.
///
/// # Safety
/// `context` must be NULL or come from `new_context`, and only this thread may use it.
#[inline(always)]
unsafe fn with_context<C: CipherContext>(
    context: *mut c_void,
    work: impl FnOnce(&mut C) -> Result<usize, Failure>,
) -> Option<usize> {
    // Returns one number across the boundary instead of a `Result`. The parts of a `Result` would be stored singly and
    // loaded together, which stalls the CPU for longer than an AES block takes. No result is as large as these numbers.
    const FAILED: usize = usize::MAX;
    const PANICKED: usize = usize::MAX - 1;
    // SAFETY: guaranteed by the caller.
    let context = unsafe { context.cast::<C>().as_mut() }?;
    let provider = context.provider();
    let done = guarded(PANICKED, || {
        work(context).unwrap_or_else(|reason| {
            if let Some(reason) = reason {
                provider.raise(reason);
            }
            FAILED
        })
    });
    if done == PANICKED {
        provider.raise(Reason::Internal);
    }
    (done < PANICKED).then_some(done)
}

/// Converts the C buffers of a call to a [`Piece`] of a message. Fails if `output` has fewer than `bytes` bytes (`room`).
///
/// # Safety
/// See [`Piece::new`].
#[inline(always)]
unsafe fn piece<'a>(output: *mut u8, room: usize, input: *const u8, bytes: usize) -> Result<Piece<'a>, Failure> {
    if room < bytes {
        return Err(Some(Reason::OutputBufferTooSmall));
    }
    // SAFETY: guaranteed by the caller.
    unsafe { Piece::new(output, input, bytes) }.ok_or(Some(Reason::OutputBufferTooSmall))
}

/// Writes the number of output bytes to `written` and returns OpenSSL's 1 for success, 0 for failure.
///
/// # Safety
/// `written` must be NULL or writable.
#[inline(always)]
unsafe fn write_length(written: *mut usize, done: Option<usize>) -> c_int {
    let (Some(bytes), false) = (done, written.is_null()) else { return 0 };
    // SAFETY: guaranteed by the caller.
    unsafe { written.write(bytes) };
    1
}

/// Returns the bytes of a key or IV; `None` for NULL.
///
/// # Safety
/// The pointer must be NULL, or readable for the length during `'a`.
unsafe fn bytes<'a>((start, bytes): (*const u8, usize)) -> Option<&'a [u8]> {
    if start.is_null() {
        return None;
    }
    // A slice has at most isize::MAX bytes. No key or IV is longer, and the code that uses it rejects wrong lengths.
    // SAFETY: guaranteed by the caller.
    Some(unsafe { std::slice::from_raw_parts(start, bytes.min(isize::MAX as usize)) })
}
