//! The library `botan`: Botan, a C++ library, through its interface for C.

#![allow(unsafe_code)] // calls functions of a loaded library

use std::cell::RefCell;
use std::ffi::{CStr, c_char, c_int};
use std::ptr::{NonNull, null_mut};

use super::{described, lacks, load_first};
use crate::fixtures::Fixtures;
use crate::loaded::{functions, opaque, text_at};
use crate::loops::aead::{Nonce, Sealing, Tag, TwoBufferAead, two_buffer_job};
use crate::loops::{failed, rejected, repeated::repeated_job};
use crate::{
    Library, LibraryDescription, LibraryEntry, Opening, PreparedJob, Result, Switch, Unavailable, Unsupported,
};
use kasoku_model::acceleration::Acceleration;
use kasoku_model::algorithm::{Algorithm, AlgorithmKind};
use kasoku_model::workload::Workload;

const NAME: &str = "botan";

pub(super) const ENTRY: LibraryEntry = LibraryEntry {
    variables: &["BOTAN_CLEAR_CPUID"],
    ..LibraryEntry::system(NAME, "Botan, loaded", open, |state| {
        // Names of versions 2 and 3, on x86-64 and AArch64. Botan ignores those that it does not know.
        let cleared = match state {
            Acceleration::On => return Switch::Environment(Vec::new()),
            Acceleration::Off => {
                "aesni,clmul,intel_sha,sha,avx2_aes,avx512_aes,avx2_clmul,avx512_clmul,armv8aes,armv8pmull,armv8sha1,\
                 armv8sha2,armv8sha512,aes,pmull,sha1,sha2,sha2_512"
            }
            Acceleration::NoAes => "aesni,avx2_aes,avx512_aes,armv8aes,aes",
            Acceleration::NoClmul => "clmul,avx2_clmul,avx512_clmul,armv8pmull,pmull",
            Acceleration::NoVaes => "avx2_aes,avx512_aes,avx2_clmul,avx512_clmul",
            Acceleration::NoAvx512 => "avx512f,avx512,avx512_aes,avx512_clmul",
            Acceleration::NoSha => "intel_sha,sha,armv8sha1,armv8sha2,armv8sha512,sha1,sha2,sha2_512",
        };
        Switch::Environment(vec![("BOTAN_CLEAR_CPUID", cleared.to_owned())])
    })
};

/// File names of the versions 3.7 to 3.0 and 2.19, the newest first.
const FILES: [&str; 9] = [
    "libbotan-3.so.7",
    "libbotan-3.so.6",
    "libbotan-3.so.5",
    "libbotan-3.so.4",
    "libbotan-3.so.3",
    "libbotan-3.so.2",
    "libbotan-3.so.1",
    "libbotan-3.so.0",
    "libbotan-2.so.19",
];

opaque! { CipherObject HashObject }

// The types of ffi.h, which are the same in versions 2 and 3.
functions! {
    botan_version_string: fn() -> *const c_char;
    botan_cipher_init: fn(*mut *mut CipherObject, *const c_char, u32) -> c_int;
    botan_cipher_destroy: fn(*mut CipherObject) -> c_int;
    botan_cipher_set_key: fn(*mut CipherObject, *const u8, usize) -> c_int;
    botan_cipher_set_associated_data: fn(*mut CipherObject, *const u8, usize) -> c_int;
    botan_cipher_start: fn(*mut CipherObject, *const u8, usize) -> c_int;
    botan_cipher_update:
        fn(*mut CipherObject, u32, *mut u8, usize, *mut usize, *const u8, usize, *mut usize) -> c_int;
    botan_hash_init: fn(*mut *mut HashObject, *const c_char, u32) -> c_int;
    botan_hash_destroy: fn(*mut HashObject) -> c_int;
    botan_hash_output_length: fn(*mut HashObject, *mut usize) -> c_int;
    botan_hash_update: fn(*mut HashObject, *const u8, usize) -> c_int;
    botan_hash_final: fn(*mut HashObject, *mut u8) -> c_int;
}

fn open(opening: &Opening) -> Result<Box<dyn Library>, Unavailable> {
    let handle = load_first(opening, &FILES, "libbotan-2-19 (or libbotan-3-7)")?;
    // SAFETY: the table has the types of ffi.h, and `load_first` never unloads.
    let functions: &Functions = Box::leak(Box::new(unsafe { Functions::of(handle) }.map_err(lacks)?));
    // SAFETY: the result is a static string, such as "Botan 2.19.3 (release, dated 20221116, …)".
    let version = unsafe { text_at((functions.botan_version_string)()) }.unwrap_or_default();
    let version = version.split(' ').nth(1).unwrap_or(&version).to_owned();
    let description = described(version, functions.botan_cipher_init as *const ());
    Ok(Box::new(Botan { functions, description }))
}

struct Botan {
    functions: &'static Functions,
    description: LibraryDescription,
}

impl Library for Botan {
    fn description(&self) -> LibraryDescription {
        self.description.clone()
    }

    fn prepare_primitive(&self, workload: &Workload, fixtures: &Fixtures) -> PreparedJob {
        let name = match workload.algorithm {
            Algorithm::Aes128Gcm => c"AES-128/GCM",
            Algorithm::Aes256Gcm => c"AES-256/GCM",
            Algorithm::Aes128Ccm => c"AES-128/CCM",
            Algorithm::Aes128Ocb => c"AES-128/OCB",
            Algorithm::ChaCha20Poly1305 => c"ChaCha20Poly1305",
            Algorithm::Sha1 => c"SHA-1",
            Algorithm::Sha256 => c"SHA-256",
            Algorithm::Sha512 => c"SHA-512",
            Algorithm::Sha3_256 => c"SHA-3(256)",
            Algorithm::Blake2b512 => c"BLAKE2b(512)",
            _ => return Err(Unsupported::algorithm(NAME, workload)),
        };
        match workload.algorithm.kind() {
            AlgorithmKind::Hash => hash(self.functions, name, fixtures),
            _ => {
                let (functions, room) = (self.functions, fixtures.text.len() + size_of::<Tag>());
                two_buffer_job(workload, fixtures, move |key| {
                    let cipher = |direction| Cipher::new(functions, name, direction, key);
                    let (sealing, opening) = (cipher(ENCRYPT)?, cipher(DECRYPT)?);
                    Ok(Aead { sealing, opening, sealed: RefCell::new(vec![0; room]) })
                })
            }
        }
    }
}

const ENCRYPT: u32 = 0;
const DECRYPT: u32 = 1;

/// A cipher object with its key.
struct Cipher {
    functions: &'static Functions,
    object: NonNull<CipherObject>,
}

impl Cipher {
    fn new(functions: &'static Functions, name: &CStr, direction: u32, key: &[u8]) -> Result<Cipher, Unsupported> {
        let mut object = null_mut();
        // SAFETY: the name is a C string; the call writes a new object, or none with an error.
        let code = unsafe { (functions.botan_cipher_init)(&mut object, name.as_ptr(), direction) };
        let object = NonNull::new(object).filter(|_| code == 0);
        let object = object.ok_or_else(|| Unsupported::new(format!("Botan has no {}", name.to_string_lossy())))?;
        let cipher = Cipher { functions, object };
        cipher.set_key(key)?;
        Ok(cipher)
    }

    #[inline]
    fn set_key(&self, key: &[u8]) -> Result<(), Unsupported> {
        // SAFETY: the object is alive, and the key has the length passed.
        let code = unsafe { (self.functions.botan_cipher_set_key)(self.object.as_ptr(), key.as_ptr(), key.len()) };
        if code == 0 { Ok(()) } else { Err(rejected("key")) }
    }

    /// Processes a message and returns the number of bytes written to `output`.
    #[inline]
    fn process(&self, nonce: &Nonce, aad: &[u8], input: &[u8], output: &mut [u8]) -> Option<usize> {
        const FINAL: u32 = 1;
        let (functions, object) = (self.functions, self.object.as_ptr());
        let (mut written, mut consumed) = (0, 0);
        // SAFETY: the object has a key, and all buffers have the lengths passed.
        let code = unsafe {
            let mut code = (functions.botan_cipher_set_associated_data)(object, aad.as_ptr(), aad.len());
            code |= (functions.botan_cipher_start)(object, nonce.as_ptr(), nonce.len());
            code |= (functions.botan_cipher_update)(
                object,
                FINAL,
                output.as_mut_ptr(),
                output.len(),
                &mut written,
                input.as_ptr(),
                input.len(),
                &mut consumed,
            );
            code
        };
        (code == 0 && consumed == input.len()).then_some(written)
    }
}

impl Drop for Cipher {
    fn drop(&mut self) {
        // SAFETY: `new` created the object, and this value owns it.
        unsafe { (self.functions.botan_cipher_destroy)(self.object.as_ptr()) };
    }
}

/// A key with one object for each direction. Each message takes three calls: AAD, nonce, and text with its tag.
struct Aead {
    sealing: Cipher,
    opening: Cipher,
    /// Ciphertext and tag one after the other, as Botan opens them.
    sealed: RefCell<Vec<u8>>,
}

impl TwoBufferAead for Aead {
    const ROOM: usize = size_of::<Tag>();
    const NOTE: Option<&'static str> = Some("the figure includes copying the ciphertext in front of its tag");

    #[inline]
    fn seal(&self, nonce: &Nonce, aad: &[u8], text: &[u8], ciphertext: &mut [u8], tag: &mut Tag) -> Result<()> {
        let written = self.sealing.process(nonce, aad, text, ciphertext).ok_or_else(|| failed("seal"))?;
        match ciphertext.get(..written).and_then(|sealed| sealed.split_last_chunk()) {
            Some((sealed, last)) if sealed.len() == text.len() => {
                *tag = *last;
                Ok(())
            }
            _ => Err(failed("seal")),
        }
    }

    #[inline]
    fn open(&self, nonce: &Nonce, aad: &[u8], ciphertext: &[u8], tag: &Tag, text: &mut [u8]) -> Result<()> {
        let mut sealed = self.sealed.borrow_mut();
        sealed.clear();
        sealed.extend_from_slice(ciphertext);
        sealed.extend_from_slice(tag);
        match self.opening.process(nonce, aad, &sealed, text) {
            Some(written) if written == ciphertext.len() => Ok(()),
            _ => Err(failed("open")),
        }
    }

    #[inline]
    fn seal_with_new_key(
        &mut self,
        key: &[u8],
        message: Sealing<'_>,
        _expand: impl Fn(&[u8]) -> Result<Self, Unsupported>,
    ) -> Result<()> {
        self.sealing.set_key(key).map_err(|_| failed("take the key"))?;
        message.seal_by(self)
    }
}

/// A hash object, which is ready for the next message after each digest.
struct Hash {
    functions: &'static Functions,
    object: NonNull<HashObject>,
}

impl Hash {
    #[inline]
    fn digest(&self, text: &[u8], output: &mut [u8]) -> Result<()> {
        let (functions, object) = (self.functions, self.object.as_ptr());
        // SAFETY: the object is alive, the text has the length passed, and the output that of the digest.
        let code = unsafe {
            (functions.botan_hash_update)(object, text.as_ptr(), text.len())
                | (functions.botan_hash_final)(object, output.as_mut_ptr())
        };
        if code == 0 { Ok(()) } else { Err(failed("hash")) }
    }
}

impl Drop for Hash {
    fn drop(&mut self) {
        // SAFETY: `hash` created the object, and this value owns it.
        unsafe { (self.functions.botan_hash_destroy)(self.object.as_ptr()) };
    }
}

fn hash(functions: &'static Functions, name: &CStr, fixtures: &Fixtures) -> PreparedJob {
    let mut object = null_mut();
    // SAFETY: the name is a C string; the call writes a new object, or none with an error.
    let code = unsafe { (functions.botan_hash_init)(&mut object, name.as_ptr(), 0) };
    let object = NonNull::new(object).filter(|_| code == 0);
    let object = object.ok_or_else(|| Unsupported::new(format!("Botan has no {}", name.to_string_lossy())))?;
    let hash = Hash { functions, object };
    let mut bytes = 0;
    // SAFETY: the object is alive; the call writes the digest's length.
    if unsafe { (functions.botan_hash_output_length)(object.as_ptr(), &mut bytes) } != 0 {
        return Err(rejected("hash"));
    }
    Ok(repeated_job(&fixtures.text, bytes, None, move |text, output| hash.digest(text, output).map(|()| bytes)))
}
