//! The library `wolfssl`: wolfCrypt, the cryptography of wolfSSL.

#![allow(unsafe_code)] // calls functions of a loaded library

use std::ffi::{c_char, c_int, c_uint, c_void};
use std::ptr::null_mut;

use super::{Memory, described, lacks, load_first, require_one_key};
use crate::fixtures::{Fixtures, whole_blocks};
use crate::loaded::{functions, text_at};
use crate::loops::aead::{Nonce, Sealing, Tag, TwoBufferAead, two_buffer_job};
use crate::loops::cipher::cipher_job;
use crate::loops::repeated::repeated_job;
use crate::loops::{failed, rejected, to_array};
use crate::{
    Library, LibraryDescription, LibraryEntry, Opening, PreparedJob, Result, Switch, Unavailable, Unsupported,
};
use kasoku_model::algorithm::Algorithm;
use kasoku_model::workload::{Operation, Workload};

const NAME: &str = "wolfssl";

pub(super) const ENTRY: LibraryEntry = LibraryEntry::system(NAME, "wolfSSL's wolfCrypt, loaded", open, |state| {
    Switch::only_on(state, "wolfSSL reads the CPU itself and offers no switch")
});

/// File names of the versions 5.8 to 5.5, the newest first.
const FILES: [&str; 6] = [
    "libwolfssl.so.44",
    "libwolfssl.so.43",
    "libwolfssl.so.42",
    "libwolfssl.so.41",
    "libwolfssl.so.40",
    "libwolfssl.so.35",
];

/// Bytes for an `Aes`, whose size depends on how the library was built. Version 5.5 needs at most about 5,000, with
/// tables of 4,096 bytes for GHASH.
const MAX_AES: usize = 16_384;

// The types of wolfssl/wolfcrypt/aes.h and its neighbours, which are the same in all versions 5.
functions! {
    wolfSSL_lib_version: fn() -> *const c_char;
    wolfCrypt_Init: fn() -> c_int;
    wc_AesInit: fn(*mut c_void, *mut c_void, c_int) -> c_int;
    wc_AesFree: fn(*mut c_void);
    wc_AesSetKey: fn(*mut c_void, *const u8, c_uint, *const u8, c_int) -> c_int;
    wc_AesSetIV: fn(*mut c_void, *const u8) -> c_int;
    wc_AesCbcEncrypt: fn(*mut c_void, *mut u8, *const u8, c_uint) -> c_int;
    wc_AesCbcDecrypt: fn(*mut c_void, *mut u8, *const u8, c_uint) -> c_int;
    wc_AesGcmSetKey: fn(*mut c_void, *const u8, c_uint) -> c_int;
    wc_AesGcmEncrypt: fn(
        *mut c_void, *mut u8, *const u8, c_uint, *const u8, c_uint, *mut u8, c_uint, *const u8, c_uint
    ) -> c_int;
    wc_AesGcmDecrypt: fn(
        *mut c_void, *mut u8, *const u8, c_uint, *const u8, c_uint, *const u8, c_uint, *const u8, c_uint
    ) -> c_int;
    wc_ChaCha20Poly1305_Encrypt:
        fn(*const u8, *const u8, *const u8, c_uint, *const u8, c_uint, *mut u8, *mut u8) -> c_int;
    wc_ChaCha20Poly1305_Decrypt:
        fn(*const u8, *const u8, *const u8, c_uint, *const u8, c_uint, *const u8, *mut u8) -> c_int;
    wc_ShaHash: fn(*const u8, c_uint, *mut u8) -> c_int;
    wc_Sha256Hash: fn(*const u8, c_uint, *mut u8) -> c_int;
    wc_Sha512Hash: fn(*const u8, c_uint, *mut u8) -> c_int;
}

fn open(opening: &Opening) -> Result<Box<dyn Library>, Unavailable> {
    let handle = load_first(opening, &FILES, "libwolfssl35 (or libwolfssl42t64)")?;
    // SAFETY: the table has the types of the headers, and `load_first` never unloads.
    let functions: &Functions = Box::leak(Box::new(unsafe { Functions::of(handle) }.map_err(lacks)?));
    // SAFETY: the call takes nothing, and may be repeated.
    if unsafe { (functions.wolfCrypt_Init)() } != 0 {
        return Err(Unavailable::new("wolfCrypt_Init failed"));
    }
    // SAFETY: the result is a static string.
    let version = unsafe { text_at((functions.wolfSSL_lib_version)()) }.unwrap_or_default();
    if !version.starts_with("5.") {
        return Err(Unavailable::new(format!("wolfSSL {version} is not a version 5, whose structures are known")));
    }
    let description = described(version, functions.wc_AesInit as *const ());
    Ok(Box::new(WolfSsl { functions, description }))
}

struct WolfSsl {
    functions: &'static Functions,
    description: LibraryDescription,
}

impl Library for WolfSsl {
    fn description(&self) -> LibraryDescription {
        self.description.clone()
    }

    fn prepare_primitive(&self, workload: &Workload, fixtures: &Fixtures) -> PreparedJob {
        let functions = self.functions;
        require_one_key(NAME, workload)?;
        match workload.algorithm {
            Algorithm::Aes128Gcm | Algorithm::Aes256Gcm => two_buffer_job(workload, fixtures, move |key| {
                let aes = Aes::new(functions)?;
                aes.set_key(key)?;
                Ok(aes)
            }),
            Algorithm::ChaCha20Poly1305 => {
                two_buffer_job(workload, fixtures, move |key| Ok(ChaCha { functions, key: to_array("key", key)? }))
            }
            Algorithm::Aes128Cbc | Algorithm::Aes256Cbc => cbc(functions, workload, fixtures),
            Algorithm::Sha1 => Ok(hash::<20>(functions.wc_ShaHash, fixtures)),
            Algorithm::Sha256 => Ok(hash::<32>(functions.wc_Sha256Hash, fixtures)),
            Algorithm::Sha512 => Ok(hash::<64>(functions.wc_Sha512Hash, fixtures)),
            _ => Err(Unsupported::algorithm(NAME, workload)),
        }
    }
}

fn length(bytes: &[u8]) -> Result<c_uint> {
    c_uint::try_from(bytes.len()).map_err(|_| failed("take so many bytes"))
}

/// An initialised `Aes`.
struct Aes {
    functions: &'static Functions,
    memory: Memory,
}

impl Aes {
    fn new(functions: &'static Functions) -> Result<Aes, Unsupported> {
        const NO_DEVICE: c_int = -2;
        let memory = Memory::new(MAX_AES);
        // SAFETY: the memory has room for the structure; without a heap the library uses malloc.
        match unsafe { (functions.wc_AesInit)(memory.as_ptr(), null_mut(), NO_DEVICE) } {
            0 => Ok(Aes { functions, memory }),
            _ => Err(Unsupported::new("wc_AesInit failed")),
        }
    }

    #[inline]
    fn set_key(&self, key: &[u8]) -> Result<(), Unsupported> {
        // SAFETY: the structure is initialised, and the key has the length passed.
        let code = unsafe { (self.functions.wc_AesGcmSetKey)(self.memory.as_ptr(), key.as_ptr(), length(key)?) };
        if code == 0 { Ok(()) } else { Err(rejected("key")) }
    }
}

impl Drop for Aes {
    fn drop(&mut self) {
        // SAFETY: `new` initialised the structure.
        unsafe { (self.functions.wc_AesFree)(self.memory.as_ptr()) };
    }
}

/// AES-GCM: each message is one call under a kept key.
impl TwoBufferAead for Aes {
    #[inline]
    fn seal(&self, nonce: &Nonce, aad: &[u8], text: &[u8], ciphertext: &mut [u8], tag: &mut Tag) -> Result<()> {
        assert_eq!(text.len(), ciphertext.len());
        // SAFETY: the structure has a key. All buffers have the lengths passed, and text and ciphertext are as long.
        let code = unsafe {
            (self.functions.wc_AesGcmEncrypt)(
                self.memory.as_ptr(),
                ciphertext.as_mut_ptr(),
                text.as_ptr(),
                length(text)?,
                nonce.as_ptr(),
                length(nonce)?,
                tag.as_mut_ptr(),
                length(tag)?,
                aad.as_ptr(),
                length(aad)?,
            )
        };
        if code == 0 { Ok(()) } else { Err(failed("seal")) }
    }

    #[inline]
    fn open(&self, nonce: &Nonce, aad: &[u8], ciphertext: &[u8], tag: &Tag, text: &mut [u8]) -> Result<()> {
        assert_eq!(text.len(), ciphertext.len());
        // SAFETY: the structure has a key. All buffers have the lengths passed, and text and ciphertext are as long.
        let code = unsafe {
            (self.functions.wc_AesGcmDecrypt)(
                self.memory.as_ptr(),
                text.as_mut_ptr(),
                ciphertext.as_ptr(),
                length(ciphertext)?,
                nonce.as_ptr(),
                length(nonce)?,
                tag.as_ptr(),
                length(tag)?,
                aad.as_ptr(),
                length(aad)?,
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

/// ChaCha20-Poly1305: each message is one call, which takes the key itself.
struct ChaCha {
    functions: &'static Functions,
    key: [u8; 32],
}

impl TwoBufferAead for ChaCha {
    #[inline]
    fn seal(&self, nonce: &Nonce, aad: &[u8], text: &[u8], ciphertext: &mut [u8], tag: &mut Tag) -> Result<()> {
        assert_eq!(text.len(), ciphertext.len());
        let (key, nonce, to, tag) = (self.key.as_ptr(), nonce.as_ptr(), ciphertext.as_mut_ptr(), tag.as_mut_ptr());
        let (aad, aad_bytes, from, bytes) = (aad.as_ptr(), length(aad)?, text.as_ptr(), length(text)?);
        // SAFETY: key, nonce and tag have the algorithm's lengths, the other buffers the lengths passed.
        let code =
            unsafe { (self.functions.wc_ChaCha20Poly1305_Encrypt)(key, nonce, aad, aad_bytes, from, bytes, to, tag) };
        if code == 0 { Ok(()) } else { Err(failed("seal")) }
    }

    #[inline]
    fn open(&self, nonce: &Nonce, aad: &[u8], ciphertext: &[u8], tag: &Tag, text: &mut [u8]) -> Result<()> {
        assert_eq!(text.len(), ciphertext.len());
        let (key, nonce, to, tag) = (self.key.as_ptr(), nonce.as_ptr(), text.as_mut_ptr(), tag.as_ptr());
        let (aad, aad_bytes, from, bytes) = (aad.as_ptr(), length(aad)?, ciphertext.as_ptr(), length(ciphertext)?);
        // SAFETY: key, nonce and tag have the algorithm's lengths, the other buffers the lengths passed.
        let code =
            unsafe { (self.functions.wc_ChaCha20Poly1305_Decrypt)(key, nonce, aad, aad_bytes, from, bytes, tag, to) };
        if code == 0 { Ok(()) } else { Err(failed("open")) }
    }
}

fn cbc(functions: &'static Functions, workload: &Workload, fixtures: &Fixtures) -> PreparedJob {
    if whole_blocks(workload.algorithm).is_some_and(|block| !fixtures.text.len().is_multiple_of(block)) {
        return Err(Unsupported::new("CBC takes whole blocks"));
    }
    let (direction, process) = match workload.operation {
        Operation::Decrypt => (1, functions.wc_AesCbcDecrypt),
        _ => (0, functions.wc_AesCbcEncrypt),
    };
    let (aes, key, iv) = (Aes::new(functions)?, &fixtures.key, to_array::<16>("IV", &fixtures.nonce)?);
    // SAFETY: the structure is initialised, the key has the length passed, and the IV a block.
    let code =
        unsafe { (functions.wc_AesSetKey)(aes.memory.as_ptr(), key.as_ptr(), length(key)?, iv.as_ptr(), direction) };
    if code != 0 {
        return Err(rejected("key"));
    }
    let restart = move |aes: &mut Aes| {
        // SAFETY: the structure has a key, and the IV a block.
        let code = unsafe { (aes.functions.wc_AesSetIV)(aes.memory.as_ptr(), iv.as_ptr()) };
        if code == 0 { Ok(()) } else { Err(failed("take the IV")) }
    };
    Ok(cipher_job(aes, &fixtures.text, None, restart, move |aes, input, output| {
        let output = &mut output[..input.len()];
        // SAFETY: the structure has a key and an IV, and both buffers have the length passed.
        let code = unsafe { process(aes.memory.as_ptr(), output.as_mut_ptr(), input.as_ptr(), length(input)?) };
        if code == 0 { Ok(input.len()) } else { Err(failed("encrypt or decrypt")) }
    }))
}

type Hash = unsafe extern "C" fn(*const u8, c_uint, *mut u8) -> c_int;

fn hash<const N: usize>(function: Hash, fixtures: &Fixtures) -> Box<dyn crate::Job> {
    repeated_job(&fixtures.text, N, None, move |text, output| {
        // SAFETY: the text has the length passed, and the output that of the digest.
        let code = unsafe { function(text.as_ptr(), length(text)?, output.as_mut_ptr()) };
        if code == 0 { Ok(N) } else { Err(failed("hash")) }
    })
}
