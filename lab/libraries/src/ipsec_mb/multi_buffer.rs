//! The library itself: loading it, choosing its variant for this CPU, and safe calls of what it exports.
#![allow(unsafe_code)] // a C library is loaded and called

pub(super) mod packets;

use std::cell::UnsafeCell;
use std::ffi::{CStr, OsStr, c_char};
use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;

use crate::Unsupported;
use crate::openssl::libcrypto::said;
use kasoku_model::algorithm::Algorithm;

/// Bytes of an AES-GCM tag.
pub(super) const TAG_BYTES: usize = 16;
/// Bytes of an AES-GCM nonce.
pub(super) const NONCE_BYTES: usize = 12;

/// What the loader knows it by, newest first.
const FILES: [&str; 2] = ["libIPSec_MB.so.2", "libIPSec_MB.so.1"];

/// Part of an expanded key.
#[repr(C, align(64))]
#[derive(Clone, Copy)]
struct Line([u8; 64]);

/// Room for any expanded key: version 1.3 takes 1,008 bytes; the rest is for versions whose tables are longer.
const MAX_LINES: usize = 8192 / 64;

/// Room for the state of one message. Version 1.3 takes 88 bytes.
#[repr(C, align(64))]
pub(super) struct Context([u8; 1024]);

/// `aes_gcm_pre_…`: key, expanded key.
type Expand = unsafe extern "C" fn(*const u8, *mut Line);
/// `aes_gcm_enc_…` and `aes_gcm_dec_…`: expanded key, context, out, in, length, nonce, AAD, its length, tag, its
/// length.
type Crypt =
    unsafe extern "C" fn(*const Line, *mut Context, *mut u8, *const u8, u64, *const u8, *const u8, u64, *mut u8, u64);
/// `sha256_…` and its like: message, length, digest.
type HashMessage = unsafe extern "C" fn(*const u8, u64, *mut u8);

/// One of the library's implementations, by the instructions it uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MultiBufferVariant {
    /// AVX-512 with VAES and VPCLMULQDQ.
    VaesAvx512,
    /// AVX2 with VAES and VPCLMULQDQ; not in version 1.3.
    VaesAvx2,
    /// AVX-512 with AES-NI.
    Avx512,
    /// AVX2 with AES-NI.
    Avx2,
    /// AVX with AES-NI.
    Avx,
    /// SSE4.2 with AES-NI.
    Sse,
}

impl MultiBufferVariant {
    /// All, the fastest first: the order in which the library's manager prefers them.
    pub(super) const ALL: &[MultiBufferVariant] = &[
        MultiBufferVariant::VaesAvx512,
        MultiBufferVariant::VaesAvx2,
        MultiBufferVariant::Avx512,
        MultiBufferVariant::Avx2,
        MultiBufferVariant::Avx,
        MultiBufferVariant::Sse,
    ];

    /// The ending of its AES-GCM functions' names.
    pub(super) fn name(self) -> &'static str {
        match self {
            MultiBufferVariant::VaesAvx512 => "vaes_avx512",
            MultiBufferVariant::VaesAvx2 => "vaes_avx2",
            MultiBufferVariant::Avx512 => "avx512",
            MultiBufferVariant::Avx2 => "avx_gen4",
            MultiBufferVariant::Avx => "avx_gen2",
            MultiBufferVariant::Sse => "sse",
        }
    }

    /// The ending of the hash functions' names.
    fn hash_name(self) -> &'static str {
        match self {
            MultiBufferVariant::VaesAvx512 | MultiBufferVariant::Avx512 => "avx512",
            MultiBufferVariant::VaesAvx2 | MultiBufferVariant::Avx2 => "avx2",
            MultiBufferVariant::Avx => "avx",
            MultiBufferVariant::Sse => "sse",
        }
    }

    /// Whether it uses the vector forms of the AES instructions.
    pub(super) fn is_vector_aes(self) -> bool {
        matches!(self, MultiBufferVariant::VaesAvx512 | MultiBufferVariant::VaesAvx2)
    }

    /// Whether it uses AVX-512.
    pub(super) fn is_avx512(self) -> bool {
        matches!(self, MultiBufferVariant::VaesAvx512 | MultiBufferVariant::Avx512)
    }

    /// Whether CPU and operating system have what it uses.
    pub(super) fn runs_here(self) -> bool {
        let sse = is_x86_feature_detected!("sse4.2")
            && is_x86_feature_detected!("aes")
            && is_x86_feature_detected!("pclmulqdq");
        let avx = sse && is_x86_feature_detected!("avx");
        let avx2 = avx && is_x86_feature_detected!("avx2") && is_x86_feature_detected!("bmi2");
        let avx512 = avx2
            && is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512dq")
            && is_x86_feature_detected!("avx512cd")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512vl");
        let vaes = is_x86_feature_detected!("vaes") && is_x86_feature_detected!("vpclmulqdq");
        match self {
            MultiBufferVariant::VaesAvx512 => avx512 && vaes,
            MultiBufferVariant::VaesAvx2 => avx2 && vaes,
            MultiBufferVariant::Avx512 => avx512,
            MultiBufferVariant::Avx2 => avx2,
            MultiBufferVariant::Avx => avx,
            MultiBufferVariant::Sse => sse,
        }
    }
}

/// The loaded library.
pub(super) struct MultiBuffer {
    handle: libloading::Library,
    version: String,
    loaded_from: Option<String>,
}

impl MultiBuffer {
    /// Loads `file`, or what the system has.
    pub(super) fn load(file: Option<&Path>) -> Result<Arc<MultiBuffer>, String> {
        let names: Vec<&OsStr> = match file {
            Some(file) => vec![file.as_os_str()],
            None => FILES.iter().map(OsStr::new).collect(),
        };
        let mut problems = Vec::new();
        for name in names {
            // SAFETY: the library's initialisers only look at the CPU; the user chose the file if it is another.
            match unsafe { libloading::Library::new(name) } {
                Ok(handle) => return MultiBuffer::identify(handle, name),
                Err(error) => problems.push(said(&error)),
            }
        }
        Err(problems.join("; "))
    }

    fn identify(handle: libloading::Library, name: &OsStr) -> Result<Arc<MultiBuffer>, String> {
        type VersionText = unsafe extern "C" fn() -> *const c_char;
        // SAFETY: the library documents imb_get_version_str as taking nothing and returning a string.
        let version_text = *unsafe { handle.get::<VersionText>("imb_get_version_str") }
            .map_err(|_| format!("{} is not the multi-buffer library", name.display()))?;
        // SAFETY: as above.
        let version = unsafe { version_text() };
        if version.is_null() {
            return Err(format!("{} does not report its version", name.display()));
        }
        // SAFETY: not null, and a constant string of the library, which is still loaded.
        let version = unsafe { CStr::from_ptr(version) }.to_string_lossy().into_owned();
        let loaded_from = file_of(version_text as *const ());
        Ok(Arc::new(MultiBuffer { handle, version, loaded_from }))
    }

    /// The version as the library states it.
    pub(super) fn version(&self) -> &str {
        &self.version
    }

    /// The file it was loaded from.
    pub(super) fn loaded_from(&self) -> Option<&str> {
        self.loaded_from.as_deref()
    }

    /// Whether `variant` can be called directly: later versions keep some to themselves.
    pub(super) fn exports(&self, variant: MultiBufferVariant) -> bool {
        [128, 256].iter().all(|bits| {
            ["pre", "enc", "dec"].iter().all(|part| {
                let name = format!("aes_gcm_{part}_{bits}_{}", variant.name());
                // SAFETY: only looked for.
                unsafe { self.handle.get::<Expand>(name) }.is_ok()
            })
        })
    }

    /// AES-GCM under `key`, expanded. Only for a variant that runs here.
    pub(super) fn gcm(
        self: &Arc<Self>,
        variant: MultiBufferVariant,
        key: &[u8],
        context: SharedContext,
    ) -> Result<Gcm, Unsupported> {
        let bits = match key.len() {
            16 => 128,
            32 => 256,
            other => return Err(Unsupported::new(format!("a key of {other} bytes"))),
        };
        let variant = self.runnable(variant)?.name();
        let missing = |_| Unsupported::new(format!("ipsec-mb {} exports no AES-GCM {variant}", self.version));
        // SAFETY: the type is that of the library's header for functions of this name.
        let expand = *unsafe { self.handle.get::<Expand>(format!("aes_gcm_pre_{bits}_{variant}")) }.map_err(missing)?;
        // SAFETY: as above.
        let encrypt = *unsafe { self.handle.get::<Crypt>(format!("aes_gcm_enc_{bits}_{variant}")) }.map_err(missing)?;
        // SAFETY: as above.
        let decrypt = *unsafe { self.handle.get::<Crypt>(format!("aes_gcm_dec_{bits}_{variant}")) }.map_err(missing)?;
        let mut roomy = [Line([0; 64]); MAX_LINES];
        // SAFETY: `key` has the bytes that the function's name says, and `roomy` is aligned and long enough; the CPU
        // has the instructions.
        unsafe { expand(key.as_ptr(), roomy.as_mut_ptr()) };
        let mut over_ones = [Line([0xff; 64]); MAX_LINES];
        // SAFETY: as above.
        unsafe { expand(key.as_ptr(), over_ones.as_mut_ptr()) };
        // What the library did not write differs. Kept is what it wrote and a line more, since its loads are wide:
        // many keys would otherwise lie a page from each other and drive one another from the caches.
        let is_written =
            |index: &usize| roomy[*index].0.iter().zip(&over_ones[*index].0).any(|(one, other)| one == other);
        let lines = (0..MAX_LINES).rev().find(is_written).map_or(MAX_LINES, |last| (last + 2).min(MAX_LINES));
        Ok(Gcm { key: roomy[..lines].into(), context, encrypt, decrypt, _library: Arc::clone(self) })
    }

    /// Room for the state of one message after another, for as many keys as work one after the other.
    pub(super) fn context() -> SharedContext {
        Rc::new(UnsafeCell::new(Context([0; 1024])))
    }

    /// The hash function `algorithm`. Only for a variant that runs here.
    pub(super) fn digest(
        self: &Arc<Self>,
        variant: MultiBufferVariant,
        algorithm: Algorithm,
    ) -> Result<HashFunction, Unsupported> {
        let (name, bytes) = match algorithm {
            Algorithm::Sha1 => ("sha1", 20),
            Algorithm::Sha256 => ("sha256", 32),
            Algorithm::Sha512 => ("sha512", 64),
            _ => return Err(Unsupported::new(format!("ipsec-mb exports no {}", algorithm.title()))),
        };
        let name = format!("{name}_{}", self.runnable(variant)?.hash_name());
        // SAFETY: the type is that of the library's header for functions of this name.
        let function = *unsafe { self.handle.get::<HashMessage>(&name) }
            .map_err(|_| Unsupported::new(format!("ipsec-mb {} does not export {name}", self.version)))?;
        Ok(HashFunction { function, bytes, _library: Arc::clone(self) })
    }

    fn runnable(&self, variant: MultiBufferVariant) -> Result<MultiBufferVariant, Unsupported> {
        if variant.runs_here() { Ok(variant) } else { Err(Unsupported::new("this CPU lacks the instructions")) }
    }
}

/// The library's state of a message, which holds nothing between two.
pub(super) type SharedContext = Rc<UnsafeCell<Context>>;

/// AES-GCM with an expanded key.
pub(super) struct Gcm {
    key: Box<[Line]>,
    context: SharedContext,
    encrypt: Crypt,
    decrypt: Crypt,
    /// Keeps the functions in memory.
    _library: Arc<MultiBuffer>,
}

impl Gcm {
    /// Encrypts `text` to `out`, which is as long, and computes the tag.
    #[inline]
    pub(super) fn encrypt(
        &self,
        nonce: &[u8; NONCE_BYTES],
        aad: &[u8],
        text: &[u8],
        out: &mut [u8],
        tag: &mut [u8; TAG_BYTES],
    ) {
        self.call(self.encrypt, nonce, aad, text, out, tag);
    }

    /// Decrypts `text` to `out`, which is as long, and computes the tag that has to be there; comparing is the
    /// caller's.
    #[inline]
    pub(super) fn decrypt(
        &self,
        nonce: &[u8; NONCE_BYTES],
        aad: &[u8],
        text: &[u8],
        out: &mut [u8],
        tag: &mut [u8; TAG_BYTES],
    ) {
        self.call(self.decrypt, nonce, aad, text, out, tag);
    }

    #[inline]
    fn call(
        &self,
        function: Crypt,
        nonce: &[u8; NONCE_BYTES],
        aad: &[u8],
        text: &[u8],
        out: &mut [u8],
        tag: &mut [u8; TAG_BYTES],
    ) {
        assert_eq!(text.len(), out.len());
        // SAFETY: `out` is as long as `text` and overlaps nothing.
        unsafe { self.call_at(function, nonce, aad, text.as_ptr(), out.as_mut_ptr(), text.len(), tag) };
    }

    #[inline]
    fn call_in_place(
        &self,
        function: Crypt,
        nonce: &[u8; NONCE_BYTES],
        aad: &[u8],
        text: &mut [u8],
        tag: &mut [u8; TAG_BYTES],
    ) {
        let place = text.as_mut_ptr();
        // SAFETY: the library allows the same buffer to go in and come out.
        unsafe { self.call_at(function, nonce, aad, place, place, text.len(), tag) };
    }

    /// # Safety
    /// `length` bytes can be read at `text` and written at `out`, which is the same place or overlaps nothing.
    #[inline]
    #[allow(clippy::too_many_arguments)] // as many as the library's own has
    unsafe fn call_at(
        &self,
        function: Crypt,
        nonce: &[u8; NONCE_BYTES],
        aad: &[u8],
        text: *const u8,
        out: *mut u8,
        length: usize,
        tag: &mut [u8; TAG_BYTES],
    ) {
        // SAFETY: key and context are aligned and long enough, the key was expanded by the same variant, every length
        // is that of its buffer, and `_library` keeps the function. The context is this thread's alone, and nobody else
        // is in a call with it.
        unsafe {
            function(
                self.key.as_ptr(),
                self.context.get(),
                out,
                text,
                length as u64,
                nonce.as_ptr(),
                aad.as_ptr(),
                aad.len() as u64,
                tag.as_mut_ptr(),
                TAG_BYTES as u64,
            );
        }
    }
}

pub(super) struct HashFunction {
    function: HashMessage,
    bytes: usize,
    /// Keeps the function in memory.
    _library: Arc<MultiBuffer>,
}

impl HashFunction {
    /// Bytes of a digest.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Hashes `message` to `digest`, which has [`Digest::bytes`].
    #[inline]
    pub(super) fn hash(&self, message: &[u8], digest: &mut [u8]) {
        assert_eq!(digest.len(), self.bytes);
        // SAFETY: the length is the message's, `digest` has the bytes that this function writes, and `_library` keeps
        // it.
        unsafe { (self.function)(message.as_ptr(), message.len() as u64, digest.as_mut_ptr()) };
    }
}

/// The file that holds the code at `address`.
#[cfg(unix)]
fn file_of(address: *const ()) -> Option<String> {
    let mut found = std::mem::MaybeUninit::<libc::Dl_info>::zeroed();
    // SAFETY: dladdr takes any address and writes one Dl_info.
    if unsafe { libc::dladdr(address.cast(), found.as_mut_ptr()) } == 0 {
        return None;
    }
    // SAFETY: written by dladdr, and all zeros are valid for its pointers and numbers besides.
    let name = unsafe { found.assume_init() }.dli_fname;
    if name.is_null() {
        return None;
    }
    // SAFETY: the loader's string for a library that is still loaded.
    let name = unsafe { CStr::from_ptr(name) }.to_string_lossy().into_owned();
    Some(std::fs::canonicalize(&name).map_or(name, |path| path.to_string_lossy().into_owned()))
}

/// The file that holds the code at `address`: not asked for here.
#[cfg(not(unix))]
fn file_of(_address: *const ()) -> Option<String> {
    None
}
