//! The library `mbedtls`: Mbed TLS's libmbedcrypto, common in embedded systems.

#![allow(unsafe_code)] // calls functions of a loaded library

use std::ffi::{c_char, c_int, c_uint, c_void};

use super::{Memory, described, lacks, load_first, require_one_key};
use crate::fixtures::{Fixtures, whole_blocks};
use crate::loaded::functions;
use crate::loops::aead::{Nonce, Sealing, Tag, TwoBufferAead, two_buffer_job};
use crate::loops::cipher::cipher_job;
use crate::loops::{failed, rejected, to_array};
use crate::{
    Library, LibraryDescription, LibraryEntry, Opening, PreparedJob, Result, Switch, Unavailable, Unsupported,
};
use kasoku_model::algorithm::Algorithm;
use kasoku_model::workload::{Operation, Workload};

const NAME: &str = "mbedtls";

pub(super) const ENTRY: LibraryEntry = LibraryEntry::system(NAME, "Mbed TLS's libmbedcrypto, loaded", open, |state| {
    Switch::only_on(state, "Mbed TLS reads the CPU itself and offers no switch")
});

/// File names of the versions 3.6 to 2.28. Version 4 no longer exports these functions.
const FILES: [&str; 4] = ["libmbedcrypto.so.16", "libmbedcrypto.so.15", "libmbedcrypto.so.14", "libmbedcrypto.so.7"];

/// Bytes for a context, whose size depends on how the library was built. Version 3.6 needs at most about 4,600, with a
/// large table for GHASH.
const MAX_CONTEXT: usize = 8192;

type Context = *mut c_void;

// The types of gcm.h, chachapoly.h and aes.h, which are the same from 2.28 to 3.6.
functions! {
    mbedtls_version_get_string: fn(*mut c_char);
    mbedtls_gcm_init: fn(Context);
    mbedtls_gcm_free: fn(Context);
    mbedtls_gcm_setkey: fn(Context, c_int, *const u8, c_uint) -> c_int;
    mbedtls_gcm_crypt_and_tag: fn(
        Context, c_int, usize, *const u8, usize, *const u8, usize, *const u8, *mut u8, usize, *mut u8
    ) -> c_int;
    mbedtls_gcm_auth_decrypt: fn(
        Context, usize, *const u8, usize, *const u8, usize, *const u8, usize, *const u8, *mut u8
    ) -> c_int;
    mbedtls_chachapoly_init: fn(Context);
    mbedtls_chachapoly_free: fn(Context);
    mbedtls_chachapoly_setkey: fn(Context, *const u8) -> c_int;
    mbedtls_chachapoly_encrypt_and_tag:
        fn(Context, usize, *const u8, *const u8, usize, *const u8, *mut u8, *mut u8) -> c_int;
    mbedtls_chachapoly_auth_decrypt:
        fn(Context, usize, *const u8, *const u8, usize, *const u8, *const u8, *mut u8) -> c_int;
    mbedtls_aes_init: fn(Context);
    mbedtls_aes_free: fn(Context);
    mbedtls_aes_setkey_enc: fn(Context, *const u8, c_uint) -> c_int;
    mbedtls_aes_setkey_dec: fn(Context, *const u8, c_uint) -> c_int;
    mbedtls_aes_crypt_cbc: fn(Context, c_int, usize, *mut u8, *const u8, *mut u8) -> c_int;
}

const DECRYPT: c_int = 0;
const ENCRYPT: c_int = 1;

fn open(opening: &Opening) -> Result<Box<dyn Library>, Unavailable> {
    let handle = load_first(opening, &FILES, "libmbedcrypto7 (or libmbedcrypto16)")?;
    // SAFETY: the table has the types of the headers, and `load_first` never unloads.
    let functions: &Functions = Box::leak(Box::new(unsafe { Functions::of(handle) }.map_err(lacks)?));
    let mut version: [u8; 64] = [0; 64];
    // SAFETY: the call writes at most nine bytes.
    unsafe { (functions.mbedtls_version_get_string)(version.as_mut_ptr().cast()) };
    let version = String::from_utf8_lossy(&version).trim_end_matches('\0').to_owned();
    if !version.starts_with("2.28.") && !version.starts_with("3.") {
        return Err(Unavailable::new(format!("Mbed TLS {version} is neither 2.28 nor 3, whose structures are known")));
    }
    let description = described(version, functions.mbedtls_gcm_init as *const ());
    Ok(Box::new(MbedTls { functions, description }))
}

struct MbedTls {
    functions: &'static Functions,
    description: LibraryDescription,
}

impl Library for MbedTls {
    fn description(&self) -> LibraryDescription {
        self.description.clone()
    }

    fn prepare_primitive(&self, workload: &Workload, fixtures: &Fixtures) -> PreparedJob {
        let functions = self.functions;
        require_one_key(NAME, workload)?;
        match workload.algorithm {
            Algorithm::Aes128Gcm | Algorithm::Aes256Gcm => {
                two_buffer_job(workload, fixtures, move |key| Gcm::new(functions, key))
            }
            Algorithm::ChaCha20Poly1305 => {
                two_buffer_job(workload, fixtures, move |key| ChaChaPoly::new(functions, key))
            }
            Algorithm::Aes128Cbc | Algorithm::Aes256Cbc => cbc(functions, workload, fixtures),
            _ => Err(Unsupported::algorithm(NAME, workload)),
        }
    }
}

/// A context that `free` clears on drop.
struct Initialised {
    memory: Memory,
    free: unsafe extern "C" fn(Context),
}

impl Initialised {
    /// # Safety
    /// `init` and `free` are a pair of the library's functions for one type of context.
    unsafe fn new(init: unsafe extern "C" fn(Context), free: unsafe extern "C" fn(Context)) -> Initialised {
        let memory = Memory::new(MAX_CONTEXT);
        // SAFETY: the memory has room for any context of the library.
        unsafe { init(memory.as_ptr()) };
        Initialised { memory, free }
    }

    #[inline]
    fn as_ptr(&self) -> Context {
        self.memory.as_ptr()
    }
}

impl Drop for Initialised {
    fn drop(&mut self) {
        // SAFETY: `new` initialised the context for this function.
        unsafe { (self.free)(self.memory.as_ptr()) };
    }
}

/// AES-GCM: each message is one call under a kept key.
struct Gcm {
    functions: &'static Functions,
    context: Initialised,
}

impl Gcm {
    fn new(functions: &'static Functions, key: &[u8]) -> Result<Gcm, Unsupported> {
        // SAFETY: the two functions are a pair.
        let context = unsafe { Initialised::new(functions.mbedtls_gcm_init, functions.mbedtls_gcm_free) };
        let gcm = Gcm { functions, context };
        gcm.set_key(key)?;
        Ok(gcm)
    }

    #[inline]
    fn set_key(&self, key: &[u8]) -> Result<(), Unsupported> {
        const AES: c_int = 2;
        // SAFETY: the context is initialised, and the key has the length passed.
        let code = unsafe { (self.functions.mbedtls_gcm_setkey)(self.context.as_ptr(), AES, key.as_ptr(), bits(key)?) };
        if code == 0 { Ok(()) } else { Err(rejected("key")) }
    }
}

fn bits(key: &[u8]) -> Result<c_uint, Unsupported> {
    c_uint::try_from(key.len() * 8).map_err(|_| rejected("key"))
}

impl TwoBufferAead for Gcm {
    #[inline]
    fn seal(&self, nonce: &Nonce, aad: &[u8], text: &[u8], ciphertext: &mut [u8], tag: &mut Tag) -> Result<()> {
        assert_eq!(text.len(), ciphertext.len());
        // SAFETY: the context has a key. All buffers have the lengths passed, and text and ciphertext are as long.
        let code = unsafe {
            (self.functions.mbedtls_gcm_crypt_and_tag)(
                self.context.as_ptr(),
                ENCRYPT,
                text.len(),
                nonce.as_ptr(),
                nonce.len(),
                aad.as_ptr(),
                aad.len(),
                text.as_ptr(),
                ciphertext.as_mut_ptr(),
                tag.len(),
                tag.as_mut_ptr(),
            )
        };
        if code == 0 { Ok(()) } else { Err(failed("seal")) }
    }

    #[inline]
    fn open(&self, nonce: &Nonce, aad: &[u8], ciphertext: &[u8], tag: &Tag, text: &mut [u8]) -> Result<()> {
        assert_eq!(text.len(), ciphertext.len());
        // SAFETY: the context has a key. All buffers have the lengths passed, and text and ciphertext are as long.
        let code = unsafe {
            (self.functions.mbedtls_gcm_auth_decrypt)(
                self.context.as_ptr(),
                ciphertext.len(),
                nonce.as_ptr(),
                nonce.len(),
                aad.as_ptr(),
                aad.len(),
                tag.as_ptr(),
                tag.len(),
                ciphertext.as_ptr(),
                text.as_mut_ptr(),
            )
        };
        if code == 0 { Ok(()) } else { Err(failed("open")) }
    }
    #[inline]
    fn seal_with_new_key(
        &mut self,
        key: &[u8],
        message: Sealing<'_>,
        _expand: impl Fn(&[u8]) -> Result<Self, Unsupported>,
    ) -> Result<()> {
        self.set_key(key).map_err(|_| failed("take the key"))?;
        message.seal_by(self)
    }
}

/// ChaCha20-Poly1305: each message is one call under a kept key.
struct ChaChaPoly {
    functions: &'static Functions,
    context: Initialised,
}

impl ChaChaPoly {
    fn new(functions: &'static Functions, key: &[u8]) -> Result<ChaChaPoly, Unsupported> {
        let key: [u8; 32] = to_array("key", key)?;
        // SAFETY: the two functions are a pair.
        let context = unsafe { Initialised::new(functions.mbedtls_chachapoly_init, functions.mbedtls_chachapoly_free) };
        // SAFETY: the context is initialised, and the key has 32 bytes.
        let code = unsafe { (functions.mbedtls_chachapoly_setkey)(context.as_ptr(), key.as_ptr()) };
        if code == 0 { Ok(ChaChaPoly { functions, context }) } else { Err(rejected("key")) }
    }
}

impl TwoBufferAead for ChaChaPoly {
    #[inline]
    fn seal(&self, nonce: &Nonce, aad: &[u8], text: &[u8], ciphertext: &mut [u8], tag: &mut Tag) -> Result<()> {
        assert_eq!(text.len(), ciphertext.len());
        let (context, nonce, from, to) =
            (self.context.as_ptr(), nonce.as_ptr(), text.as_ptr(), ciphertext.as_mut_ptr());
        let (aad, aad_bytes, bytes, tag) = (aad.as_ptr(), aad.len(), text.len(), tag.as_mut_ptr());
        // SAFETY: the context has a key, nonce and tag the algorithm's lengths, the other buffers the lengths passed.
        let code = unsafe {
            (self.functions.mbedtls_chachapoly_encrypt_and_tag)(context, bytes, nonce, aad, aad_bytes, from, to, tag)
        };
        if code == 0 { Ok(()) } else { Err(failed("seal")) }
    }

    #[inline]
    fn open(&self, nonce: &Nonce, aad: &[u8], ciphertext: &[u8], tag: &Tag, text: &mut [u8]) -> Result<()> {
        assert_eq!(text.len(), ciphertext.len());
        let (context, nonce, from, to) =
            (self.context.as_ptr(), nonce.as_ptr(), ciphertext.as_ptr(), text.as_mut_ptr());
        let (aad, aad_bytes, bytes, tag) = (aad.as_ptr(), aad.len(), ciphertext.len(), tag.as_ptr());
        // SAFETY: the context has a key, nonce and tag the algorithm's lengths, the other buffers the lengths passed.
        let code = unsafe {
            (self.functions.mbedtls_chachapoly_auth_decrypt)(context, bytes, nonce, aad, aad_bytes, tag, from, to)
        };
        if code == 0 { Ok(()) } else { Err(failed("open")) }
    }
}

fn cbc(functions: &'static Functions, workload: &Workload, fixtures: &Fixtures) -> PreparedJob {
    if whole_blocks(workload.algorithm).is_some_and(|block| !fixtures.text.len().is_multiple_of(block)) {
        return Err(Unsupported::new("CBC takes whole blocks"));
    }
    let (direction, set_key) = match workload.operation {
        Operation::Decrypt => (DECRYPT, functions.mbedtls_aes_setkey_dec),
        _ => (ENCRYPT, functions.mbedtls_aes_setkey_enc),
    };
    let first: [u8; 16] = to_array("IV", &fixtures.nonce)?;
    // SAFETY: the two functions are a pair.
    let context = unsafe { Initialised::new(functions.mbedtls_aes_init, functions.mbedtls_aes_free) };
    // SAFETY: the context is initialised, and the key has the length passed.
    if unsafe { set_key(context.as_ptr(), fixtures.key.as_ptr(), bits(&fixtures.key)?) } != 0 {
        return Err(rejected("key"));
    }
    let restart = move |(_, iv): &mut (Initialised, [u8; 16])| {
        *iv = first;
        Ok(())
    };
    Ok(cipher_job((context, first), &fixtures.text, None, restart, move |(context, iv), input, output| {
        let (context, to) = (context.as_ptr(), output[..input.len()].as_mut_ptr());
        let (bytes, from) = (input.len(), input.as_ptr());
        // SAFETY: the context has a key, both buffers have the length passed, and the library updates the IV's block.
        let code = unsafe { (functions.mbedtls_aes_crypt_cbc)(context, direction, bytes, iv.as_mut_ptr(), from, to) };
        if code == 0 { Ok(input.len()) } else { Err(failed("encrypt or decrypt")) }
    }))
}
