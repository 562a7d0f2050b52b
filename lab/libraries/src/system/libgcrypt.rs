//! The library `libgcrypt`, which GnuPG, APT and systemd use.

#![allow(unsafe_code)] // calls functions of a loaded library

use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::ptr::{NonNull, null, null_mut};

use super::{described, lacks, load_first};
use crate::fixtures::{Fixtures, whole_blocks};
use crate::loaded::{functions, opaque, text_at};
use crate::loops::aead::{Nonce, Sealing, Tag, TwoBufferAead, two_buffer_job};
use crate::loops::cipher::{cipher_job, in_place_job};
use crate::loops::packets::running::{RunningMessage, updates};
use crate::loops::rejected;
use crate::loops::repeated::repeated_job;
use crate::{
    JobError, Library, LibraryDescription, LibraryEntry, Opening, PreparedJob, Result, Switch, Unavailable, Unsupported,
};
use kasoku_model::acceleration::Acceleration;
use kasoku_model::algorithm::{Algorithm, AlgorithmKind};
use kasoku_model::workload::{Operation, Workload};

const NAME: &str = "libgcrypt";

pub(super) const ENTRY: LibraryEntry =
    LibraryEntry::system(NAME, "GnuPG's library, loaded", open, |state| match state {
        Acceleration::On => Switch::Environment(Vec::new()),
        _ => Switch::WhenOpened,
    });

opaque! { Handle }

// The types of gcrypt.h, which are the same since version 1.8.
functions! {
    gcry_check_version: fn(*const c_char) -> *const c_char;
    gcry_get_config: fn(c_int, *const c_char) -> *mut c_char;
    gcry_free: fn(*mut c_void);
    gcry_strerror: fn(c_uint) -> *const c_char;
    gcry_cipher_open: fn(*mut *mut Handle, c_int, c_int, c_uint) -> c_uint;
    gcry_cipher_close: fn(*mut Handle);
    gcry_cipher_setkey: fn(*mut Handle, *const u8, usize) -> c_uint;
    gcry_cipher_setiv: fn(*mut Handle, *const u8, usize) -> c_uint;
    gcry_cipher_setctr: fn(*mut Handle, *const u8, usize) -> c_uint;
    gcry_cipher_authenticate: fn(*mut Handle, *const u8, usize) -> c_uint;
    gcry_cipher_encrypt: fn(*mut Handle, *mut u8, usize, *const u8, usize) -> c_uint;
    gcry_cipher_decrypt: fn(*mut Handle, *mut u8, usize, *const u8, usize) -> c_uint;
    gcry_cipher_gettag: fn(*mut Handle, *mut u8, usize) -> c_uint;
    gcry_cipher_checktag: fn(*mut Handle, *const u8, usize) -> c_uint;
    gcry_md_algo_info: fn(c_int, c_int, *mut c_void, *mut usize) -> c_uint;
    gcry_md_hash_buffer: fn(c_int, *mut u8, *const u8, usize);
}

/// Returns the library's names of the CPU features that `state` disables, on all architectures.
fn disabled(state: Acceleration) -> &'static [&'static CStr] {
    match state {
        Acceleration::On => &[],
        Acceleration::Off => &[
            c"intel-aesni",
            c"intel-pclmul",
            c"intel-shaext",
            c"intel-vaes-vpclmul",
            c"arm-aes",
            c"arm-pmull",
            c"arm-sha1",
            c"arm-sha2",
        ],
        Acceleration::NoAes => &[c"intel-aesni", c"intel-vaes-vpclmul", c"arm-aes"],
        Acceleration::NoClmul => &[c"intel-pclmul", c"intel-vaes-vpclmul", c"arm-pmull"],
        Acceleration::NoVaes => &[c"intel-vaes-vpclmul"],
        Acceleration::NoAvx512 => &[c"intel-avx512"],
        Acceleration::NoSha => &[c"intel-shaext", c"arm-sha1", c"arm-sha2"],
    }
}

fn open(opening: &Opening) -> Result<Box<dyn Library>, Unavailable> {
    let handle = load_first(opening, &["libgcrypt.so.20"], "libgcrypt20")?;
    // SAFETY: the table has the types of gcrypt.h, and `load_first` never unloads.
    let functions: &Functions = Box::leak(Box::new(unsafe { Functions::of(handle) }.map_err(lacks)?));
    type Control = unsafe extern "C" fn(c_int, ...) -> c_uint;
    // SAFETY: the type is that of gcrypt.h.
    let control: Control = *unsafe { handle.get(b"gcry_control") }.map_err(|_| lacks("gcry_control"))?;

    const DISABLE_FEATURE: c_int = 63;
    const DISABLE_SECURE_MEMORY: c_int = 37;
    const INITIALIZATION_FINISHED: c_int = 38;
    let disabled = disabled(opening.acceleration.unwrap_or(Acceleration::On));
    for name in disabled {
        // The call fails for features of other architectures or versions, and after the first initialisation. The
        // check below notices features that remain.
        // SAFETY: the command takes a name and a null pointer.
        unsafe { control(DISABLE_FEATURE, name.as_ptr(), null_mut::<c_void>()) };
    }
    // SAFETY: null asks for no minimum version. The result is a static string.
    let version = unsafe { text_at((functions.gcry_check_version)(null())) }
        .ok_or_else(|| Unavailable::new("libgcrypt does not start"))?;
    // SAFETY: these commands take one integer. Secure memory is for keys that must not be swapped out; no key here is.
    unsafe {
        control(DISABLE_SECURE_MEMORY, 0 as c_int);
        control(INITIALIZATION_FINISHED, 0 as c_int);
    }
    let features = features(functions);
    let is_disabled = |feature: &str| disabled.iter().any(|name| name.to_bytes() == feature.as_bytes());
    if let Some(still) = features.split(':').find(|feature| is_disabled(feature)) {
        return Err(Unavailable::new(format!("libgcrypt {version} still uses {still}")));
    }
    let description = described(version, functions.gcry_cipher_open as *const ());
    Ok(Box::new(Libgcrypt {
        functions,
        description: LibraryDescription { cpu_features: Some(features), ..description },
    }))
}

/// Returns the CPU features that the library uses, with `:` between them.
fn features(functions: &Functions) -> String {
    // SAFETY: mode 0 and a documented name. The result is null or a string that the caller frees.
    let text = unsafe { (functions.gcry_get_config)(0, c"hwflist".as_ptr()) };
    // SAFETY: `text` is null or a string.
    let features = unsafe { text_at(text) }.unwrap_or_default();
    // SAFETY: the library allocated the string, and null is allowed.
    unsafe { (functions.gcry_free)(text.cast()) };
    features.trim().trim_start_matches("hwflist:").trim_end_matches(':').to_owned()
}

struct Libgcrypt {
    functions: &'static Functions,
    description: LibraryDescription,
}

impl Library for Libgcrypt {
    fn description(&self) -> LibraryDescription {
        self.description.clone()
    }

    fn prepare_primitive(&self, workload: &Workload, fixtures: &Fixtures) -> PreparedJob {
        match workload.algorithm.kind() {
            AlgorithmKind::Hash => hash(self.functions, workload, fixtures),
            AlgorithmKind::Cipher => cipher(self.functions, workload, fixtures),
            AlgorithmKind::Aead => {
                let (functions, workload) = (self.functions, *workload);
                two_buffer_job(&workload, fixtures, move |key| Cipher::new(functions, &workload, key))
            }
            _ => Err(Unsupported::algorithm(NAME, workload)),
        }
    }

    fn prepare_updates(&self, workload: &Workload, fixtures: &Fixtures) -> PreparedJob {
        updates(fixtures, Cipher::new(self.functions, workload, &fixtures.key)?)
    }
}

/// A message in parts: the cipher handle keeps its state.
impl RunningMessage for Cipher {
    fn begin(&mut self, nonce: &Nonce, aad: &[u8]) -> Result<()> {
        Cipher::begin(self, nonce, aad)
    }

    #[inline]
    fn update(&mut self, text: &mut [u8]) -> Result<()> {
        self.process_in_place(Operation::Encrypt, text)
    }

    fn finish(&mut self) -> Result<Tag> {
        let mut tag = [0; size_of::<Tag>()];
        self.tag(&mut tag)?;
        Ok(tag)
    }
}

/// A cipher handle with its key.
struct Cipher {
    functions: &'static Functions,
    handle: NonNull<Handle>,
}

impl Cipher {
    fn new(functions: &'static Functions, workload: &Workload, key: &[u8]) -> Result<Cipher, Unsupported> {
        const CBC: c_int = 3;
        const CTR: c_int = 6;
        let (algorithm, mode) = match workload.algorithm {
            Algorithm::DesEde3Cbc => (2, CBC),
            Algorithm::BlowfishCbc => (4, CBC),
            Algorithm::Camellia128Cbc => (310, CBC),
            Algorithm::Camellia256Cbc => (312, CBC),
            Algorithm::Aes128Cbc => (7, CBC),
            Algorithm::Aes256Cbc => (9, CBC),
            Algorithm::Aes128Ctr => (7, CTR),
            Algorithm::Aes256Ctr => (9, CTR),
            Algorithm::Aes256Xts => (9, 13),
            Algorithm::Aes128Gcm => (7, 9),
            Algorithm::Aes256Gcm => (9, 9),
            Algorithm::ChaCha20Poly1305 => (316, 10),
            _ => return Err(Unsupported::algorithm(NAME, workload)),
        };
        let mut handle = null_mut();
        // SAFETY: the call writes a new handle, or null with an error.
        let opened = unsafe { (functions.gcry_cipher_open)(&mut handle, algorithm, mode, 0) };
        check(functions, opened, "gcry_cipher_open")?;
        let handle = NonNull::new(handle).ok_or_else(|| Unsupported::algorithm(NAME, workload))?;
        let cipher = Cipher { functions, handle };
        cipher.set_key(key)?;
        Ok(cipher)
    }

    #[inline]
    fn set_key(&self, key: &[u8]) -> Result<()> {
        // SAFETY: the handle is open, and the key has the length passed.
        let code = unsafe { (self.functions.gcry_cipher_setkey)(self.handle.as_ptr(), key.as_ptr(), key.len()) };
        self.check("gcry_cipher_setkey", code)
    }

    #[inline]
    fn check(&self, call: &str, code: c_uint) -> Result<()> {
        check(self.functions, code, call)
    }

    #[inline]
    fn set_iv(&self, iv: &[u8]) -> Result<()> {
        // SAFETY: the handle has a key, and the IV has the length passed.
        let code = unsafe { (self.functions.gcry_cipher_setiv)(self.handle.as_ptr(), iv.as_ptr(), iv.len()) };
        self.check("gcry_cipher_setiv", code)
    }

    #[inline]
    fn set_counter(&self, counter: &[u8]) -> Result<()> {
        let (handle, counter, length) = (self.handle.as_ptr(), counter.as_ptr(), counter.len());
        // SAFETY: the handle has a key, and the counter has the length passed.
        let code = unsafe { (self.functions.gcry_cipher_setctr)(handle, counter, length) };
        self.check("gcry_cipher_setctr", code)
    }

    /// Starts a message: sets the nonce and authenticates the AAD.
    #[inline]
    fn begin(&self, nonce: &[u8], aad: &[u8]) -> Result<()> {
        self.set_iv(nonce)?;
        let (handle, aad, length) = (self.handle.as_ptr(), aad.as_ptr(), aad.len());
        // SAFETY: the handle has a key and a nonce, and the AAD has the length passed.
        let code = unsafe { (self.functions.gcry_cipher_authenticate)(handle, aad, length) };
        self.check("gcry_cipher_authenticate", code)
    }

    #[inline]
    fn encrypt(&self, input: &[u8], output: &mut [u8]) -> Result<()> {
        let (handle, from, to) = (self.handle.as_ptr(), input.as_ptr(), output.as_mut_ptr());
        // SAFETY: the buffers have the lengths passed, which the library compares, and do not overlap.
        let code = unsafe { (self.functions.gcry_cipher_encrypt)(handle, to, output.len(), from, input.len()) };
        self.check("gcry_cipher_encrypt", code)
    }

    #[inline]
    fn decrypt(&self, input: &[u8], output: &mut [u8]) -> Result<()> {
        let (handle, from, to) = (self.handle.as_ptr(), input.as_ptr(), output.as_mut_ptr());
        // SAFETY: the buffers have the lengths passed, which the library compares, and do not overlap.
        let code = unsafe { (self.functions.gcry_cipher_decrypt)(handle, to, output.len(), from, input.len()) };
        self.check("gcry_cipher_decrypt", code)
    }

    #[inline]
    fn tag(&self, tag: &mut Tag) -> Result<()> {
        // SAFETY: the handle has a message, and the tag has the length passed.
        let code = unsafe { (self.functions.gcry_cipher_gettag)(self.handle.as_ptr(), tag.as_mut_ptr(), tag.len()) };
        self.check("gcry_cipher_gettag", code)
    }

    /// Encrypts or decrypts `text` in place.
    fn process_in_place(&self, operation: Operation, text: &mut [u8]) -> Result<()> {
        let function = match operation {
            Operation::Decrypt => self.functions.gcry_cipher_decrypt,
            _ => self.functions.gcry_cipher_encrypt,
        };
        // SAFETY: the text has the length passed. Without an input the library works in place.
        let code = unsafe { function(self.handle.as_ptr(), text.as_mut_ptr(), text.len(), null(), 0) };
        self.check("gcry_cipher_encrypt or gcry_cipher_decrypt", code)
    }
}

impl Drop for Cipher {
    fn drop(&mut self) {
        // SAFETY: `new` opened the handle, and this value owns it.
        unsafe { (self.functions.gcry_cipher_close)(self.handle.as_ptr()) };
    }
}

#[inline]
fn check(functions: &Functions, code: c_uint, call: &str) -> Result<()> {
    if code == 0 { Ok(()) } else { Err(failed(functions, code, call)) }
}

#[cold]
fn failed(functions: &Functions, code: c_uint, call: &str) -> JobError {
    // SAFETY: any code is allowed; the result is a static string.
    let reason = unsafe { text_at((functions.gcry_strerror)(code)) }.unwrap_or_default();
    JobError::new(format!("{call} failed: {reason}"))
}

/// Each message sets the nonce, authenticates the AAD, encrypts and reads the tag: four calls under a kept key.
impl TwoBufferAead for Cipher {
    #[inline]
    fn seal(&self, nonce: &Nonce, aad: &[u8], text: &[u8], ciphertext: &mut [u8], tag: &mut Tag) -> Result<()> {
        self.begin(nonce, aad)?;
        self.encrypt(text, ciphertext)?;
        self.tag(tag)
    }

    #[inline]
    fn open(&self, nonce: &Nonce, aad: &[u8], ciphertext: &[u8], tag: &Tag, text: &mut [u8]) -> Result<()> {
        self.begin(nonce, aad)?;
        self.decrypt(ciphertext, text)?;
        // SAFETY: the message is complete, and the tag has the length passed.
        let code = unsafe { (self.functions.gcry_cipher_checktag)(self.handle.as_ptr(), tag.as_ptr(), tag.len()) };
        self.check("gcry_cipher_checktag", code)
    }

    #[inline]
    fn seal_with_new_key(
        &mut self,
        key: &[u8],
        message: Sealing<'_>,
        _expand: impl Fn(&[u8]) -> Result<Self, Unsupported>,
    ) -> Result<()> {
        self.set_key(key)?;
        message.seal_by(self)
    }
}

fn cipher(functions: &'static Functions, workload: &Workload, fixtures: &Fixtures) -> PreparedJob {
    let (cipher, operation) = (Cipher::new(functions, workload, &fixtures.key)?, workload.operation);
    if whole_blocks(workload.algorithm).is_some_and(|block| !fixtures.text.len().is_multiple_of(block)) {
        return Err(Unsupported::new("CBC takes whole blocks"));
    }
    if fixtures.nonce.len() != workload.algorithm.nonce_bytes() {
        return Err(rejected("IV"));
    }
    let is_counter = matches!(workload.algorithm, Algorithm::Aes128Ctr | Algorithm::Aes256Ctr);
    let iv = fixtures.nonce.clone();
    let set_iv = move |cipher: &Cipher| if is_counter { cipher.set_counter(&iv) } else { cipher.set_iv(&iv) };
    set_iv(&cipher)?;
    if workload.algorithm == Algorithm::Aes256Xts {
        if fixtures.text.len() < 16 {
            return Err(Unsupported::new("XTS takes 16 bytes or more"));
        }
        let note = "the tweak is set for each call: a call is a data unit";
        return Ok(in_place_job(&fixtures.text, note, move |text| {
            set_iv(&cipher)?;
            cipher.process_in_place(operation, text)
        }));
    }
    Ok(cipher_job(
        cipher,
        &fixtures.text,
        None,
        move |cipher| set_iv(cipher),
        move |cipher, input, output| {
            let output = &mut output[..input.len()];
            match operation {
                Operation::Decrypt => cipher.decrypt(input, output)?,
                _ => cipher.encrypt(input, output)?,
            }
            Ok(input.len())
        },
    ))
}

fn hash(functions: &'static Functions, workload: &Workload, fixtures: &Fixtures) -> PreparedJob {
    let (algorithm, bytes) = match workload.algorithm {
        Algorithm::Sha1 => (2, 20),
        Algorithm::Sha256 => (8, 32),
        Algorithm::Sha512 => (10, 64),
        Algorithm::Sha3_256 => (313, 32),
        Algorithm::Blake2b512 => (318, 64),
        Algorithm::Blake2s256 => (322, 32),
        _ => return Err(Unsupported::algorithm(NAME, workload)),
    };
    const TEST_ALGORITHM: c_int = 8;
    // SAFETY: the request takes no buffers.
    let code = unsafe { (functions.gcry_md_algo_info)(algorithm, TEST_ALGORITHM, null_mut(), null_mut()) };
    check(functions, code, "gcry_md_test_algo")?;
    Ok(repeated_job(&fixtures.text, bytes, None, move |text, output| {
        // SAFETY: the output has the digest's length, and the text has the length passed.
        unsafe { (functions.gcry_md_hash_buffer)(algorithm, output.as_mut_ptr(), text.as_ptr(), text.len()) };
        Ok(bytes)
    }))
}
