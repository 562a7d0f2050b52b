//! The functions of a cipher, as OpenSSL calls them, and their tables.

#![allow(unsafe_code, reason = "functions that OpenSSL calls, with its pointers")]

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

/// What `EVP_CIPHER_CTX` has of a provider, whatever the cipher: a key, and one message after another.
pub(crate) trait CipherContext {
    /// `EVP_CIPH_…_MODE`.
    const MODE: c_uint;

    /// What can be asked of it, and what can be set.
    const GETTABLE: *const Param;
    const SETTABLE: *const Param;

    /// One for keys of this many bytes, if there is memory for it.
    fn new(provider: &'static Provider, key_bytes: usize) -> Option<Box<Self>>;

    /// Another one in the same state, if there is memory for it.
    fn duplicate(&self) -> Option<Box<Self>>;

    fn provider(&self) -> &'static Provider;

    /// Sets the direction, and an IV and a key where there are any.
    fn start(&mut self, is_encrypting: bool, key: Option<&[u8]>, iv: Option<&[u8]>) -> Result<(), Failure>;

    /// Takes the next piece; how many bytes came out.
    fn take(&mut self, piece: Piece<'_>) -> Result<usize, Failure>;

    /// Answers what is asked.
    fn get(&mut self, params: Params<'_>) -> Result<(), Failure>;

    /// Sets what is given.
    fn set_all(&mut self, params: Params<'_>) -> Result<(), Failure>;
}

/// AES-GCM with keys of this many bytes.
pub(crate) static AES_128_GCM: [Dispatch; 15] = table::<Context, 16>();
pub(crate) static AES_192_GCM: [Dispatch; 15] = table::<Context, 24>();
pub(crate) static AES_256_GCM: [Dispatch; 15] = table::<Context, 32>();

/// AES-GCM-SIV with keys of this many bytes.
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
/// `provider` must be what `OSSL_provider_init` gave, and outlive the context.
unsafe extern "C" fn new_context<C: CipherContext, const KEY_BYTES: usize>(provider: *mut c_void) -> *mut c_void {
    guarded(std::ptr::null_mut(), || {
        // SAFETY: OpenSSL frees every context of a provider before the provider.
        let Some(provider) = (unsafe { provider.cast::<Provider>().as_ref() }) else { return std::ptr::null_mut() };
        pointer(provider, C::new(provider, KEY_BYTES))
    })
}

/// # Safety
/// `context` must be NULL or come from `new_context`, and be used by this thread only.
unsafe extern "C" fn duplicate_context<C: CipherContext>(context: *mut c_void) -> *mut c_void {
    guarded(std::ptr::null_mut(), || {
        // SAFETY: the caller vouches for it.
        let Some(context) = (unsafe { context.cast::<C>().as_ref() }) else { return std::ptr::null_mut() };
        pointer(context.provider(), context.duplicate())
    })
}

/// The context for OpenSSL; NULL, with the reason in the error queue, where there was no memory for it.
fn pointer<C: CipherContext>(provider: &Provider, context: Option<Box<C>>) -> *mut c_void {
    let no_memory = || {
        provider.raise(Reason::OutOfMemory);
        std::ptr::null_mut()
    };
    context.map_or_else(no_memory, |context| Box::into_raw(context).cast())
}

/// A box with the value, if there is memory for it. (`Box::new` would end the program.)
pub(crate) fn boxed<T>(value: T) -> Option<Box<T>> {
    const { assert!(size_of::<T>() > 0) };
    // SAFETY: the layout has a size.
    let place = unsafe { alloc(Layout::new::<T>()) }.cast::<T>();
    if place.is_null() {
        return None;
    }
    // SAFETY: new memory of the global allocator with the layout of `T`, which is written before the box has it.
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
            // SAFETY: it came out of a box.
            drop(unsafe { Box::from_raw(context.cast::<C>()) });
        }
    });
}

/// # Safety
/// As [`start`].
unsafe extern "C" fn start_encrypting<C: CipherContext>(
    context: *mut c_void,
    key: *const u8,
    key_bytes: usize,
    iv: *const u8,
    iv_bytes: usize,
    params: *const Param,
) -> c_int {
    // SAFETY: the caller's.
    unsafe { start::<C>(true, context, (key, key_bytes), (iv, iv_bytes), params) }
}

/// # Safety
/// As [`start`].
unsafe extern "C" fn start_decrypting<C: CipherContext>(
    context: *mut c_void,
    key: *const u8,
    key_bytes: usize,
    iv: *const u8,
    iv_bytes: usize,
    params: *const Param,
) -> c_int {
    // SAFETY: the caller's.
    unsafe { start::<C>(false, context, (key, key_bytes), (iv, iv_bytes), params) }
}

/// # Safety
/// `context` as in [`with_context`]; `key` and `iv` NULL or as long as they say; `params` as in [`Params::new`].
#[inline]
unsafe fn start<C: CipherContext>(
    is_encrypting: bool,
    context: *mut c_void,
    key: (*const u8, usize),
    iv: (*const u8, usize),
    params: *const Param,
) -> c_int {
    let work = |context: &mut C| {
        // SAFETY: all three: the caller vouches for them.
        let (key, iv, params) = unsafe { (bytes(key), bytes(iv), Params::new(params.cast_mut())) };
        context.start(is_encrypting, key, iv)?;
        context.set_all(params)?;
        Ok(0)
    };
    // SAFETY: the caller's.
    c_int::from(unsafe { with_context(context, work) }.is_some())
}

/// Takes a piece of AAD or text.
///
/// # Safety
/// `context` as in [`with_context`]; `output` and `input` as in [`Piece::new`]; `written` writable.
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
        // SAFETY: the caller vouches for both.
        let piece = unsafe { piece(output, room, input, bytes) }?;
        context.take(piece).map_err(|failure| {
            if let Some(reason) = failure {
                context.provider().raise(reason);
            }
            Some(Reason::CipherOperationFailed)
        })
    };
    // SAFETY: the caller's.
    unsafe { answered(written, with_context(context, work)) }
}

/// Takes a piece, or ends the message where there is no input: `EVP_Cipher`.
///
/// # Safety
/// As [`update`].
unsafe extern "C" fn cipher<C: CipherContext>(
    context: *mut c_void,
    output: *mut u8,
    written: *mut usize,
    room: usize,
    input: *const u8,
    bytes: usize,
) -> c_int {
    let work = |context: &mut C| {
        // SAFETY: the caller vouches for both.
        let piece = unsafe { piece(output, room, input, bytes) }?;
        // As many as came in, of a record too: that is what the default provider says here.
        context.take(piece).map(|_| bytes)
    };
    // SAFETY: the caller's.
    unsafe { answered(written, with_context(context, work)) }
}

/// Ends a message.
///
/// # Safety
/// As [`update`].
unsafe extern "C" fn finish<C: CipherContext>(
    context: *mut c_void,
    _: *mut u8,
    written: *mut usize,
    _: usize,
) -> c_int {
    let work = |context: &mut C| context.take(Piece::End).map(|_| 0);
    // SAFETY: the caller's.
    unsafe { answered(written, with_context(context, work)) }
}

unsafe extern "C" fn get_params<C: CipherContext, const KEY_BYTES: usize>(params: *mut Param) -> c_int {
    guarded(0, || {
        let names: [&CStr; 9] =
            [c"mode", c"aead", c"custom-iv", c"cts", c"tls-multi", c"has-randkey", c"keylen", c"blocksize", c"ivlen"];
        // SAFETY: the caller vouches for the list.
        let [mode, aead, custom_iv, cts, multi_block, random_key, key_bytes, block_bytes, iv_bytes] =
            located(unsafe { Params::new(params) }, &names);
        let flags = [(mode, C::MODE), (aead, 1), (custom_iv, 1), (cts, 0), (multi_block, 0), (random_key, 0)];
        let sizes = [(key_bytes, KEY_BYTES), (block_bytes, 1), (iv_bytes, USUAL_IV_BYTES)];
        // No context, and so no way to the error queue.
        let flags = flags.into_iter().try_for_each(|(wanted, value)| set(wanted, |wanted| wanted.set_uint(value)));
        let all = flags.and_then(|()| {
            sizes.into_iter().try_for_each(|(wanted, value)| set(wanted, |wanted| wanted.set_size(value)))
        });
        c_int::from(all.is_ok())
    })
}

/// # Safety
/// `context` as in [`with_context`]; `params` as in [`Params::new`].
unsafe extern "C" fn get_context_params<C: CipherContext>(context: *mut c_void, params: *mut Param) -> c_int {
    let work = |context: &mut C| {
        // SAFETY: the caller vouches for the list.
        let params = unsafe { Params::new(params) };
        context.get(params).map(|()| 0)
    };
    // SAFETY: the caller's.
    c_int::from(unsafe { with_context(context, work) }.is_some())
}

/// # Safety
/// As [`get_context_params`].
unsafe extern "C" fn set_context_params<C: CipherContext>(context: *mut c_void, params: *const Param) -> c_int {
    let work = |context: &mut C| {
        // SAFETY: the caller vouches for the list, which nothing here writes to.
        let params = unsafe { Params::new(params.cast_mut()) };
        context.set_all(params).map(|()| 0)
    };
    // SAFETY: the caller's.
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

/// What `work` gives; `None` if it fails, with its reason in the error queue.
///
/// # Safety
/// `context` must be NULL or come from `new_context`, and be used by this thread only.
#[inline(always)]
unsafe fn with_context<C: CipherContext>(
    context: *mut c_void,
    work: impl FnOnce(&mut C) -> Result<usize, Failure>,
) -> Option<usize> {
    // One number comes across the boundary, not a `Result`: that is written in parts and read as a whole, for which the
    // CPU waits longer than for a block of AES. No work gives as many bytes as these.
    const FAILED: usize = usize::MAX;
    const PANICKED: usize = usize::MAX - 1;
    // SAFETY: the caller vouches for it.
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

/// # Safety
/// As [`Piece::new`].
#[inline(always)]
unsafe fn piece<'a>(output: *mut u8, room: usize, input: *const u8, bytes: usize) -> Result<Piece<'a>, Failure> {
    if room < bytes {
        return Err(Some(Reason::OutputBufferTooSmall));
    }
    // SAFETY: the caller's.
    unsafe { Piece::new(output, input, bytes) }.ok_or(Some(Reason::OutputBufferTooSmall))
}

/// Writes how many bytes came out; OpenSSL's one or zero.
///
/// # Safety
/// `written` must be NULL or writable.
#[inline(always)]
unsafe fn answered(written: *mut usize, done: Option<usize>) -> c_int {
    let (Some(bytes), false) = (done, written.is_null()) else { return 0 };
    // SAFETY: the caller vouches for it.
    unsafe { written.write(bytes) };
    1
}

/// # Safety
/// NULL, or readable for as many bytes during `'a`.
unsafe fn bytes<'a>((start, bytes): (*const u8, usize)) -> Option<&'a [u8]> {
    if start.is_null() {
        return None;
    }
    // No key and no IV is longer; the length is refused where it is looked at.
    // SAFETY: the caller vouches for it.
    Some(unsafe { std::slice::from_raw_parts(start, bytes.min(isize::MAX as usize)) })
}
