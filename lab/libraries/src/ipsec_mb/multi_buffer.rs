//! Loads the library, lists its variants, and wraps its exported functions in a safe interface.
#![allow(unsafe_code)] // loads a C library and calls its functions

use std::cell::UnsafeCell;
use std::ffi::{OsStr, c_char};
use std::hint::black_box;
use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;

use crate::loaded::{containing_file, load, loader_message, text_at};
use crate::loops::aead::{Nonce, Sealing, Tag, TwoBufferAead};
use crate::loops::failed;
use crate::loops::packets::running::RunningMessage;
use crate::loops::packets::{HeaderKey, HeaderProtectionSample, Mask, PacketAead, split_tag};
use crate::{JobError, Result, Unsupported};

/// File names of the library, newest first.
const FILES: [&str; 2] = ["libIPSec_MB.so.2", "libIPSec_MB.so.1"];

/// A cache line of an expanded key.
#[repr(C, align(64))]
#[derive(Clone, Copy)]
struct Line([u8; 64]);

/// Maximum length of an expanded key in lines. Version 1.3 needs 1,008 bytes; later versions may need more.
const MAX_LINES: usize = 8192 / 64;

/// Memory for the state of one message. Version 1.3 needs 88 bytes.
#[repr(C, align(64))]
pub(super) struct Context([u8; 1024]);

/// Type of the functions `aes_gcm_pre_…`, with the parameters key and expanded key.
type Expand = unsafe extern "C" fn(*const u8, *mut Line);
/// Type of the functions `aes_gcm_enc_…` and `aes_gcm_dec_…`, with the parameters expanded key, context, output, input,
/// length, nonce, AAD, its length, tag, its length.
type Crypt =
    unsafe extern "C" fn(*const Line, *mut Context, *mut u8, *const u8, u64, *const u8, *const u8, u64, *mut u8, u64);
/// Type of the functions `aes_gcm_init_…`, with the parameters expanded key, context, nonce, AAD, its length.
type Init = unsafe extern "C" fn(*const Line, *mut Context, *const u8, *const u8, u64);
/// Type of the functions `aes_gcm_enc_…_update_…`, with the parameters expanded key, context, output, input, length.
type Update = unsafe extern "C" fn(*const Line, *mut Context, *mut u8, *const u8, u64);
/// Type of the functions `aes_gcm_enc_…_finalize_…`, with the parameters expanded key, context, tag, its length.
type Finalize = unsafe extern "C" fn(*const Line, *mut Context, *mut u8, u64);
/// Type of the functions `aes_keyexp_128_…`, with the parameters key, round keys to encrypt, round keys to decrypt.
type ExpandAes = unsafe extern "C" fn(*const u8, *mut RoundKeys, *mut RoundKeys);
/// Type of the functions `aes_cfb_128_one_…`, with the parameters output, input, IV, round keys, length.
type CfbOne = unsafe extern "C" fn(*mut u8, *const u8, *const u8, *const RoundKeys, u64);

/// Memory for the eleven round keys of AES-128, and for more in case a version writes them.
#[repr(C, align(64))]
struct RoundKeys([u8; 256]);

/// One of the library's implementations, each of which uses other CPU instructions.
#[derive(Debug)]
pub(super) struct Variant {
    /// Suffix of the names of the variant's AES-GCM functions.
    pub(super) name: &'static str,
    /// Vector instructions that the variant uses: the suffix of the names of its single-block AES functions.
    pub(super) vectors: &'static str,
    /// Whether the variant uses VAES and VPCLMULQDQ instead of AES-NI.
    pub(super) is_vector_aes: bool,
}

/// All variants, the fastest first, as the library's manager prefers them.
pub(super) static VARIANTS: [Variant; 6] = [
    Variant { name: "vaes_avx512", vectors: "avx512", is_vector_aes: true },
    // Not in version 1.3.
    Variant { name: "vaes_avx2", vectors: "avx2", is_vector_aes: true },
    Variant { name: "avx512", vectors: "avx512", is_vector_aes: false },
    Variant { name: "avx_gen4", vectors: "avx2", is_vector_aes: false },
    Variant { name: "avx_gen2", vectors: "avx", is_vector_aes: false },
    Variant { name: "sse", vectors: "sse", is_vector_aes: false },
];

impl Variant {
    pub(super) fn runs_here(&self) -> bool {
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
        let has_vectors = match self.vectors {
            "avx512" => avx512,
            "avx2" => avx2,
            "avx" => avx,
            _ => sse,
        };
        has_vectors && (vaes || !self.is_vector_aes)
    }
}

pub(super) struct MultiBuffer {
    handle: libloading::Library,
    pub(super) version: String,
    pub(super) loaded_from: Option<String>,
}

impl MultiBuffer {
    pub(super) fn load(file: Option<&Path>) -> Result<Arc<MultiBuffer>, String> {
        let names: Vec<&OsStr> = match file {
            Some(file) => vec![file.as_os_str()],
            None => FILES.iter().map(OsStr::new).collect(),
        };
        let mut problems = Vec::new();
        for name in names {
            match load(name) {
                Ok(handle) => return MultiBuffer::identify(handle, name),
                Err(error) => problems.push(loader_message(&error)),
            }
        }
        Err(problems.join("; "))
    }

    fn identify(handle: libloading::Library, name: &OsStr) -> Result<Arc<MultiBuffer>, String> {
        type VersionText = unsafe extern "C" fn() -> *const c_char;
        // SAFETY: the library documents that imb_get_version_str has no arguments and returns a string.
        let version_text = *unsafe { handle.get::<VersionText>("imb_get_version_str") }
            .map_err(|_| format!("{} is not the multi-buffer library", name.display()))?;
        // SAFETY: the string is a constant of the library, which is still loaded.
        let version = unsafe { text_at(version_text()) }
            .ok_or_else(|| format!("{} does not report its version", name.display()))?;
        let loaded_from = containing_file(version_text as *const ()).map(|path| path.to_string_lossy().into_owned());
        Ok(Arc::new(MultiBuffer { handle, version, loaded_from }))
    }

    /// Returns whether the library exports `variant`. Later versions export fewer.
    pub(super) fn exports(&self, variant: &Variant) -> bool {
        [128, 256].iter().all(|bits| {
            ["pre", "enc", "dec"].iter().all(|part| {
                let name = format!("aes_gcm_{part}_{bits}_{}", variant.name);
                // SAFETY: the symbol is never called.
                unsafe { self.handle.get::<Expand>(name) }.is_ok()
            })
        })
    }

    /// Looks up the function `name`. If the library does not export the function, the error message is the library's
    /// name and version, followed by `lacks`, such as "exports no streaming AES-GCM".
    ///
    /// # Safety
    /// `T` is the function's type in the library's header.
    unsafe fn function<T: Copy>(&self, name: &str, lacks: &str) -> Result<T, Unsupported> {
        // SAFETY: the caller guarantees that `T` is the function's type.
        let function = unsafe { self.handle.get::<T>(name) };
        function.map(|it| *it).map_err(|_| Unsupported::new(format!("ipsec-mb {} {lacks}", self.version)))
    }

    /// Expands `key` for AES-GCM. Fails if this CPU cannot run the variant.
    pub(super) fn gcm(
        self: &Arc<Self>,
        variant: &Variant,
        key: &[u8],
        context: SharedContext,
    ) -> Result<Gcm, Unsupported> {
        let bits = match key.len() {
            16 => 128,
            32 => 256,
            other => return Err(Unsupported::new(format!("a key of {other} bytes"))),
        };
        let variant = runnable(variant)?.name;
        let lacks = format!("exports no AES-GCM {variant}");
        // SAFETY: the type is that of the library's header for functions of this name.
        let expand: Expand = unsafe { self.function(&format!("aes_gcm_pre_{bits}_{variant}"), &lacks) }?;
        // SAFETY: the type is that of the library's header for functions of this name.
        let encrypt: Crypt = unsafe { self.function(&format!("aes_gcm_enc_{bits}_{variant}"), &lacks) }?;
        // SAFETY: the type is that of the library's header for functions of this name.
        let decrypt: Crypt = unsafe { self.function(&format!("aes_gcm_dec_{bits}_{variant}"), &lacks) }?;
        let mut roomy = [Line([0; 64]); MAX_LINES];
        // SAFETY: `key` has `bits` bits, `roomy` is aligned and large enough, and `runnable` found the CPU's
        // instructions.
        unsafe { expand(key.as_ptr(), roomy.as_mut_ptr()) };
        let mut over_ones = [Line([0xff; 64]); MAX_LINES];
        // SAFETY: as for `roomy`.
        unsafe { expand(key.as_ptr(), over_ones.as_mut_ptr()) };
        // Bytes that the library did not write differ between the two. Keep the written lines and one more, because
        // the library's loads are wide. Keys of full length would lie a page apart and evict each other from caches.
        let is_written =
            |index: &usize| roomy[*index].0.iter().zip(&over_ones[*index].0).any(|(one, other)| one == other);
        let lines = (0..MAX_LINES).rev().find(is_written).map_or(MAX_LINES, |last| (last + 2).min(MAX_LINES));
        let (key_bytes, expanded) = (key.len(), roomy[..lines].into());
        Ok(Gcm { key: expanded, key_bytes, context, expand, encrypt, decrypt, _library: Arc::clone(self) })
    }

    /// Creates a message state, to be shared by keys that one thread uses in turn.
    pub(super) fn context() -> SharedContext {
        Rc::new(UnsafeCell::new(Context([0; 1024])))
    }

    /// Creates a message in parts under the key of `gcm`, which has `key_bytes` bytes.
    pub(super) fn message(
        &self,
        variant: &Variant,
        gcm: Gcm,
        key_bytes: usize,
    ) -> Result<StreamedMessage, Unsupported> {
        let (bits, variant, lacks) = (key_bytes * 8, runnable(variant)?.name, "exports no streaming AES-GCM");
        // SAFETY: the type is that of the library's header for functions of this name.
        let init: Init = unsafe { self.function(&format!("aes_gcm_init_{bits}_{variant}"), lacks) }?;
        // SAFETY: the type is that of the library's header for functions of this name.
        let update: Update = unsafe { self.function(&format!("aes_gcm_enc_{bits}_update_{variant}"), lacks) }?;
        // SAFETY: the type is that of the library's header for functions of this name.
        let finalize: Finalize = unsafe { self.function(&format!("aes_gcm_enc_{bits}_finalize_{variant}"), lacks) }?;
        Ok(StreamedMessage { gcm, init, update, finalize })
    }

    pub(super) fn header_mask(self: &Arc<Self>, variant: &Variant, key: &[u8]) -> Result<HeaderMask, Unsupported> {
        if key.len() != 16 {
            return Err(Unsupported::new(
                "ipsec-mb exports no single block of AES-256, which header protection needs; its manager's layout \
                 changes with the version",
            ));
        }
        let (variant, lacks) = (runnable(variant)?.vectors, "exports no single block of AES-128");
        // SAFETY: the type is that of the library's header for functions of this name.
        let expand: ExpandAes = unsafe { self.function(&format!("aes_keyexp_128_{variant}"), lacks) }?;
        // SAFETY: the type is that of the library's header for functions of this name.
        let encrypt: CfbOne = unsafe { self.function(&format!("aes_cfb_128_one_{variant}"), lacks) }?;
        let (mut keys, mut inverse) = (Box::new(RoundKeys([0; 256])), RoundKeys([0; 256]));
        // SAFETY: the key has 16 bytes, and each buffer is larger than the eleven round keys written.
        unsafe { expand(key.as_ptr(), &raw mut *keys, &raw mut inverse) };
        Ok(HeaderMask { keys, encrypt, _library: Arc::clone(self) })
    }
}

fn runnable(variant: &Variant) -> Result<&Variant, Unsupported> {
    if variant.runs_here() { Ok(variant) } else { Err(Unsupported::new("this CPU lacks the instructions")) }
}

/// The library's message state, which carries nothing from one message to the next.
pub(super) type SharedContext = Rc<UnsafeCell<Context>>;

pub(super) struct Gcm {
    key: Box<[Line]>,
    key_bytes: usize,
    context: SharedContext,
    expand: Expand,
    encrypt: Crypt,
    decrypt: Crypt,
    /// Keeps the library loaded.
    _library: Arc<MultiBuffer>,
}

impl Gcm {
    /// Encrypts or decrypts with `function`, and computes the tag.
    ///
    /// # Safety
    /// `length` bytes are readable at `text` and writable at `out`, which equals `text` or overlaps nothing.
    #[inline]
    #[allow(clippy::too_many_arguments)] // those of the library's function
    unsafe fn call(
        &self,
        function: Crypt,
        nonce: &Nonce,
        aad: &[u8],
        text: *const u8,
        out: *mut u8,
        length: usize,
        tag: &mut Tag,
    ) {
        // SAFETY: key and context are aligned and large enough, the same variant expanded the key, the buffers have the
        // lengths passed, and `_library` keeps the function loaded. Only this thread has the context, and no other call
        // uses it now.
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
                tag.len() as u64,
            );
        }
    }
}

impl TwoBufferAead for Gcm {
    const NOTE: Option<&'static str> = Some("the library only computes the tag; comparing it is ours, and is timed");

    #[inline]
    fn seal(&self, nonce: &Nonce, aad: &[u8], text: &[u8], ciphertext: &mut [u8], tag: &mut Tag) -> Result<()> {
        assert_eq!(text.len(), ciphertext.len());
        let (text, out, length) = (text.as_ptr(), ciphertext.as_mut_ptr(), text.len());
        // SAFETY: the ciphertext has the text's length and does not overlap it.
        unsafe { self.call(self.encrypt, nonce, aad, text, out, length, tag) };
        Ok(())
    }

    #[inline]
    fn open(&self, nonce: &Nonce, aad: &[u8], ciphertext: &[u8], tag: &Tag, text: &mut [u8]) -> Result<()> {
        assert_eq!(text.len(), ciphertext.len());
        let mut computed = [0; 16];
        let (from, out, length) = (ciphertext.as_ptr(), text.as_mut_ptr(), text.len());
        // SAFETY: the text has the ciphertext's length and does not overlap it.
        unsafe { self.call(self.decrypt, nonce, aad, from, out, length, &mut computed) };
        compare(&computed, tag)
    }

    #[inline]
    fn seal_with_new_key(
        &mut self,
        key: &[u8],
        message: Sealing<'_>,
        _expand: impl Fn(&[u8]) -> Result<Self, Unsupported>,
    ) -> Result<()> {
        if key.len() != self.key_bytes {
            return Err(failed("take the key"));
        }
        // SAFETY: the key has the length of the first, for which the same function wrote at most these lines.
        unsafe { (self.expand)(key.as_ptr(), self.key.as_mut_ptr()) };
        message.seal_by(self)
    }
}

impl PacketAead for Gcm {
    #[inline]
    fn seal(&self, nonce: &Nonce, aad: &[u8], text: &mut [u8], tag: &mut Tag) -> Result<()> {
        let place = text.as_mut_ptr();
        // SAFETY: the library allows in-place processing.
        unsafe { self.call(self.encrypt, nonce, aad, place, place, text.len(), tag) };
        Ok(())
    }

    #[inline]
    fn open(&self, nonce: &Nonce, aad: &[u8], sealed: &mut [u8]) -> Result<()> {
        let (text, tag) = split_tag(sealed)?;
        let mut computed = [0; 16];
        let place = text.as_mut_ptr();
        // SAFETY: the library allows in-place processing.
        unsafe { self.call(self.decrypt, nonce, aad, place, place, text.len(), &mut computed) };
        compare(&computed, tag)
    }
}

/// Compares two tags in constant time.
#[inline]
fn compare(computed: &Tag, tag: &Tag) -> Result<()> {
    let is_same = black_box(u128::from_ne_bytes(*computed) ^ u128::from_ne_bytes(*tag)) == 0;
    if is_same { Ok(()) } else { Err(JobError::new("the tag is not the one that was sealed")) }
}

pub(super) struct StreamedMessage {
    gcm: Gcm,
    init: Init,
    update: Update,
    finalize: Finalize,
}

impl RunningMessage for StreamedMessage {
    fn begin(&mut self, nonce: &Nonce, aad: &[u8]) -> Result<()> {
        let (key, context) = (self.gcm.key.as_ptr(), self.gcm.context.get());
        // SAFETY: key and context are aligned and large enough, the same variant expanded the key, and the AAD has the
        // length passed. Only this thread has the context.
        unsafe { (self.init)(key, context, nonce.as_ptr(), aad.as_ptr(), aad.len() as u64) };
        Ok(())
    }

    #[inline]
    fn update(&mut self, text: &mut [u8]) -> Result<()> {
        let (key, context, place) = (self.gcm.key.as_ptr(), self.gcm.context.get(), text.as_mut_ptr());
        // SAFETY: as in `begin`; the library allows in-place processing.
        unsafe { (self.update)(key, context, place, place, text.len() as u64) };
        Ok(())
    }

    fn finish(&mut self) -> Result<Tag> {
        let mut tag = [0; 16];
        let (key, context) = (self.gcm.key.as_ptr(), self.gcm.context.get());
        // SAFETY: as in `begin`; the tag has the length passed.
        unsafe { (self.finalize)(key, context, tag.as_mut_ptr(), tag.len() as u64) };
        Ok(tag)
    }
}

pub(super) struct HeaderMask {
    keys: Box<RoundKeys>,
    encrypt: CfbOne,
    _library: Arc<MultiBuffer>,
}

impl HeaderKey for HeaderMask {
    /// CFB XORs the encrypted IV with the text. If the text is zero, the result is the encrypted block.
    #[inline]
    fn mask(&mut self, sample: &HeaderProtectionSample) -> Result<Mask> {
        let mut block = [0; 16];
        let place = block.as_mut_ptr();
        // SAFETY: sample and block have the 16 bytes passed, the library allows in-place processing, and `_library`
        // keeps the function loaded.
        unsafe { (self.encrypt)(place, place, sample.as_ptr(), &raw const *self.keys, 16) };
        Ok(std::array::from_fn(|index| block[index]))
    }
}
