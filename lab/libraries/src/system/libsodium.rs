//! The library `libsodium`, whose AES-256-GCM needs the CPU's AES instructions. It has no AES-128.

#![allow(unsafe_code)] // calls functions of a loaded library

use std::ffi::{c_char, c_int, c_ulonglong, c_void};
use std::ptr::{null, null_mut};

use super::{Memory, described, lacks, load_first};
use crate::fixtures::Fixtures;
use crate::loaded::{functions, text_at};
use crate::loops::aead::{Nonce, Tag, TwoBufferAead, two_buffer_job};
use crate::loops::{failed, rejected, repeated::repeated_job, to_array};
use crate::{
    Library, LibraryDescription, LibraryEntry, Opening, PreparedJob, Result, Switch, Unavailable, Unsupported,
};
use kasoku_model::algorithm::Algorithm;
use kasoku_model::workload::Workload;

const NAME: &str = "libsodium";

pub(super) const ENTRY: LibraryEntry = LibraryEntry::system(NAME, "libsodium, loaded", open, |state| {
    Switch::only_on(state, "libsodium reads the CPU itself and offers no switch")
});

// The types of crypto_aead_aes256gcm.h and its neighbours, which are stable.
functions! {
    sodium_init: fn() -> c_int;
    sodium_version_string: fn() -> *const c_char;
    crypto_aead_aes256gcm_is_available: fn() -> c_int;
    crypto_aead_aes256gcm_statebytes: fn() -> usize;
    crypto_aead_aes256gcm_beforenm: fn(*mut c_void, *const u8) -> c_int;
    crypto_aead_aes256gcm_encrypt_detached_afternm: fn(
        *mut u8, *mut u8, *mut c_ulonglong, *const u8, c_ulonglong, *const u8, c_ulonglong, *const u8, *const u8,
        *const c_void
    ) -> c_int;
    crypto_aead_aes256gcm_decrypt_detached_afternm: fn(
        *mut u8, *mut u8, *const u8, c_ulonglong, *const u8, *const u8, c_ulonglong, *const u8, *const c_void
    ) -> c_int;
    crypto_aead_chacha20poly1305_ietf_encrypt_detached: fn(
        *mut u8, *mut u8, *mut c_ulonglong, *const u8, c_ulonglong, *const u8, c_ulonglong, *const u8, *const u8,
        *const u8
    ) -> c_int;
    crypto_aead_chacha20poly1305_ietf_decrypt_detached: fn(
        *mut u8, *mut u8, *const u8, c_ulonglong, *const u8, *const u8, c_ulonglong, *const u8, *const u8
    ) -> c_int;
    crypto_hash_sha256: fn(*mut u8, *const u8, c_ulonglong) -> c_int;
    crypto_hash_sha512: fn(*mut u8, *const u8, c_ulonglong) -> c_int;
}

fn open(opening: &Opening) -> Result<Box<dyn Library>, Unavailable> {
    let handle = load_first(opening, &["libsodium.so.26", "libsodium.so.23"], "libsodium23")?;
    // SAFETY: the table has the types of the headers, and `load_first` never unloads.
    let functions: &Functions = Box::leak(Box::new(unsafe { Functions::of(handle) }.map_err(lacks)?));
    // SAFETY: the call takes nothing, and may be repeated.
    if unsafe { (functions.sodium_init)() } < 0 {
        return Err(Unavailable::new("sodium_init failed"));
    }
    // SAFETY: the result is a static string.
    let version = unsafe { text_at((functions.sodium_version_string)()) }.unwrap_or_default();
    let description = described(version, functions.sodium_init as *const ());
    Ok(Box::new(Libsodium { functions, description }))
}

struct Libsodium {
    functions: &'static Functions,
    description: LibraryDescription,
}

impl Library for Libsodium {
    fn description(&self) -> LibraryDescription {
        self.description.clone()
    }

    fn prepare_primitive(&self, workload: &Workload, fixtures: &Fixtures) -> PreparedJob {
        let functions = self.functions;
        match workload.algorithm {
            Algorithm::Aes256Gcm => two_buffer_job(workload, fixtures, move |key| Gcm::new(functions, key)),
            Algorithm::ChaCha20Poly1305 => {
                two_buffer_job(workload, fixtures, move |key| Ok(ChaCha { functions, key: to_array("key", key)? }))
            }
            Algorithm::Sha256 => Ok(hash::<32>(functions.crypto_hash_sha256, fixtures)),
            Algorithm::Sha512 => Ok(hash::<64>(functions.crypto_hash_sha512, fixtures)),
            _ => Err(Unsupported::algorithm(NAME, workload)),
        }
    }
}

/// AES-256-GCM: each message is one call under a kept key.
struct Gcm {
    functions: &'static Functions,
    state: Memory,
}

impl Gcm {
    fn new(functions: &'static Functions, key: &[u8]) -> Result<Gcm, Unsupported> {
        // SAFETY: the call takes nothing.
        if unsafe { (functions.crypto_aead_aes256gcm_is_available)() } != 1 {
            return Err(Unsupported::new("libsodium's AES-256-GCM needs the CPU's AES instructions"));
        }
        let key: [u8; 32] = to_array("key", key)?;
        // SAFETY: the call takes nothing.
        let state = Memory::new(unsafe { (functions.crypto_aead_aes256gcm_statebytes)() });
        // SAFETY: the state has the size that the library states, and the key 32 bytes.
        let code = unsafe { (functions.crypto_aead_aes256gcm_beforenm)(state.as_ptr(), key.as_ptr()) };
        if code == 0 { Ok(Gcm { functions, state }) } else { Err(rejected("key")) }
    }
}

impl TwoBufferAead for Gcm {
    #[inline]
    fn seal(&self, nonce: &Nonce, aad: &[u8], text: &[u8], ciphertext: &mut [u8], tag: &mut Tag) -> Result<()> {
        assert_eq!(text.len(), ciphertext.len());
        // SAFETY: the state has a key. Nonce and tag have the algorithm's lengths, all else the lengths passed.
        let code = unsafe {
            (self.functions.crypto_aead_aes256gcm_encrypt_detached_afternm)(
                ciphertext.as_mut_ptr(),
                tag.as_mut_ptr(),
                null_mut(),
                text.as_ptr(),
                text.len() as c_ulonglong,
                aad.as_ptr(),
                aad.len() as c_ulonglong,
                null(),
                nonce.as_ptr(),
                self.state.as_ptr(),
            )
        };
        if code == 0 { Ok(()) } else { Err(failed("seal")) }
    }

    #[inline]
    fn open(&self, nonce: &Nonce, aad: &[u8], ciphertext: &[u8], tag: &Tag, text: &mut [u8]) -> Result<()> {
        assert_eq!(text.len(), ciphertext.len());
        // SAFETY: the state has a key. Nonce and tag have the algorithm's lengths, all else the lengths passed.
        let code = unsafe {
            (self.functions.crypto_aead_aes256gcm_decrypt_detached_afternm)(
                text.as_mut_ptr(),
                null_mut(),
                ciphertext.as_ptr(),
                ciphertext.len() as c_ulonglong,
                tag.as_ptr(),
                aad.as_ptr(),
                aad.len() as c_ulonglong,
                nonce.as_ptr(),
                self.state.as_ptr(),
            )
        };
        if code == 0 { Ok(()) } else { Err(failed("open")) }
    }
}

/// ChaCha20-Poly1305: each message is one call, which takes the key itself.
struct ChaCha {
    functions: &'static Functions,
    key: [u8; 32],
}

impl TwoBufferAead for ChaCha {
    #[inline]
    fn seal(&self, nonce: &Nonce, aad: &[u8], text: &[u8], ciphertext: &mut [u8], tag: &mut Tag) -> Result<()> {
        assert_eq!(text.len(), ciphertext.len());
        // SAFETY: key, nonce and tag have the algorithm's lengths, the other buffers the lengths passed.
        let code = unsafe {
            (self.functions.crypto_aead_chacha20poly1305_ietf_encrypt_detached)(
                ciphertext.as_mut_ptr(),
                tag.as_mut_ptr(),
                null_mut(),
                text.as_ptr(),
                text.len() as c_ulonglong,
                aad.as_ptr(),
                aad.len() as c_ulonglong,
                null(),
                nonce.as_ptr(),
                self.key.as_ptr(),
            )
        };
        if code == 0 { Ok(()) } else { Err(failed("seal")) }
    }

    #[inline]
    fn open(&self, nonce: &Nonce, aad: &[u8], ciphertext: &[u8], tag: &Tag, text: &mut [u8]) -> Result<()> {
        assert_eq!(text.len(), ciphertext.len());
        // SAFETY: key, nonce and tag have the algorithm's lengths, the other buffers the lengths passed.
        let code = unsafe {
            (self.functions.crypto_aead_chacha20poly1305_ietf_decrypt_detached)(
                text.as_mut_ptr(),
                null_mut(),
                ciphertext.as_ptr(),
                ciphertext.len() as c_ulonglong,
                tag.as_ptr(),
                aad.as_ptr(),
                aad.len() as c_ulonglong,
                nonce.as_ptr(),
                self.key.as_ptr(),
            )
        };
        if code == 0 { Ok(()) } else { Err(failed("open")) }
    }
}

type Hash = unsafe extern "C" fn(*mut u8, *const u8, c_ulonglong) -> c_int;

fn hash<const N: usize>(function: Hash, fixtures: &Fixtures) -> Box<dyn crate::Job> {
    repeated_job(&fixtures.text, N, None, move |text, output| {
        // SAFETY: the text has the length passed, and the output that of the digest.
        let code = unsafe { function(output.as_mut_ptr(), text.as_ptr(), text.len() as c_ulonglong) };
        if code == 0 { Ok(N) } else { Err(failed("hash")) }
    })
}
