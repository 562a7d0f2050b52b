//! The library `nettle`, which GnuTLS uses.

#![allow(unsafe_code)] // calls functions of a loaded library

use std::ffi::{c_char, c_int, c_uint, c_void};
use std::hint::black_box;

use super::{Memory, described, lacks, load_first};
use crate::fixtures::Fixtures;
use crate::loaded::functions;
use crate::loops::aead::{Nonce, Sealing, Tag, TwoBufferAead, two_buffer_job};
use crate::loops::packets::running::{RunningMessage, updates};
use crate::loops::{failed, rejected, repeated::repeated_job};
use crate::{
    Library, LibraryDescription, LibraryEntry, Opening, PreparedJob, Result, Switch, Unavailable, Unsupported,
};
use kasoku_model::acceleration::Acceleration;
use kasoku_model::algorithm::Algorithm;
use kasoku_model::workload::Workload;

const NAME: &str = "nettle";

pub(super) const ENTRY: LibraryEntry = LibraryEntry {
    variables: &["NETTLE_FAT_OVERRIDE"],
    ..LibraryEntry::system(NAME, "Nettle, loaded", open, |state| match state {
        Acceleration::On => Switch::Environment(Vec::new()),
        // The variable lists the features to use. It would also enable those that the CPU lacks, so it lists none.
        Acceleration::Off => Switch::Environment(vec![("NETTLE_FAT_OVERRIDE", "none".to_owned())]),
        _ => Switch::None("NETTLE_FAT_OVERRIDE enables features without asking the CPU; only off is offered"),
    })
};

functions! {
    nettle_version_major: fn() -> c_int;
    nettle_version_minor: fn() -> c_int;
}

type SetKey = unsafe extern "C" fn(*mut c_void, *const u8);
type Update = unsafe extern "C" fn(*mut c_void, usize, *const u8);
type Crypt = unsafe extern "C" fn(*mut c_void, usize, *mut u8, *const u8);
type Digest = unsafe extern "C" fn(*mut c_void, usize, *mut u8);

/// `struct nettle_aead` of nettle-meta.h in Nettle 3: sizes and functions of an AEAD.
#[repr(C)]
struct AeadInfo {
    name: *const c_char,
    context_size: c_uint,
    block_size: c_uint,
    key_size: c_uint,
    nonce_size: c_uint,
    digest_size: c_uint,
    set_encrypt_key: SetKey,
    set_decrypt_key: SetKey,
    set_nonce: SetKey,
    update: Update,
    encrypt: Crypt,
    decrypt: Crypt,
    digest: Digest,
}

/// `struct nettle_hash` of nettle-meta.h in Nettle 3.
#[repr(C)]
struct HashInfo {
    name: *const c_char,
    context_size: c_uint,
    digest_size: c_uint,
    block_size: c_uint,
    init: unsafe extern "C" fn(*mut c_void),
    update: Update,
    digest: Digest,
}

fn open(opening: &Opening) -> Result<Box<dyn Library>, Unavailable> {
    let handle = load_first(opening, &["libnettle.so.8"], "libnettle8 (or libnettle8t64)")?;
    // SAFETY: the table has the types of version.h, and `load_first` never unloads.
    let functions = unsafe { Functions::of(handle) }.map_err(lacks)?;
    // SAFETY: the calls take nothing.
    let (major, minor) = unsafe { ((functions.nettle_version_major)(), (functions.nettle_version_minor)()) };
    if major != 3 {
        return Err(Unavailable::new(format!("Nettle {major}.{minor} is not a version 3, whose structures are known")));
    }
    let description = described(format!("{major}.{minor}"), functions.nettle_version_major as *const ());
    Ok(Box::new(Nettle { handle, description }))
}

struct Nettle {
    handle: &'static libloading::Library,
    description: LibraryDescription,
}

impl Nettle {
    /// Returns the structure that the library exports as `name`.
    ///
    /// # Safety
    /// `T` is the type of that structure.
    unsafe fn info<T>(&self, name: &str) -> Result<&'static T, Unsupported> {
        // SAFETY: the symbol's address is that of a structure, so a pointer has it.
        let symbol = unsafe { self.handle.get::<*const T>(name) };
        let address = symbol.map(|symbol| *symbol).unwrap_or_default();
        // SAFETY: the caller guarantees the type. The library never changes the structure, and is never unloaded.
        unsafe { address.as_ref() }
            .ok_or_else(|| Unsupported::new(format!("Nettle {} has no {name}", self.description.version)))
    }
}

impl Library for Nettle {
    fn description(&self) -> LibraryDescription {
        self.description.clone()
    }

    fn prepare_primitive(&self, workload: &Workload, fixtures: &Fixtures) -> PreparedJob {
        let aead = |name: &str| {
            // SAFETY: the structures that the callers name are AEADs.
            let info = unsafe { self.info::<AeadInfo>(name) }?;
            two_buffer_job(workload, fixtures, move |key| Aead::new(info, key))
        };
        let hash = |name: &str| {
            // SAFETY: the structures that the callers name are hashes.
            let info = unsafe { self.info::<HashInfo>(name) }?;
            Ok(hash(info, fixtures))
        };
        match workload.algorithm {
            Algorithm::Aes128Gcm => aead("nettle_gcm_aes128"),
            Algorithm::Aes256Gcm => aead("nettle_gcm_aes256"),
            Algorithm::ChaCha20Poly1305 => aead("nettle_chacha_poly1305"),
            Algorithm::Sha1 => hash("nettle_sha1"),
            Algorithm::Sha256 => hash("nettle_sha256"),
            Algorithm::Sha512 => hash("nettle_sha512"),
            Algorithm::Sha3_256 => hash("nettle_sha3_256"),
            _ => Err(Unsupported::algorithm(NAME, workload)),
        }
    }

    fn prepare_updates(&self, workload: &Workload, fixtures: &Fixtures) -> PreparedJob {
        let name = match workload.algorithm {
            Algorithm::Aes128Gcm => "nettle_gcm_aes128",
            Algorithm::Aes256Gcm => "nettle_gcm_aes256",
            Algorithm::ChaCha20Poly1305 => "nettle_chacha_poly1305",
            _ => return Err(Unsupported::algorithm(NAME, workload)),
        };
        let block = if workload.algorithm == Algorithm::ChaCha20Poly1305 { 64 } else { 16 };
        if fixtures.text.is_empty() || !fixtures.text.len().is_multiple_of(block) {
            return Err(Unsupported::new("Nettle takes parts of whole blocks"));
        }
        // SAFETY: the structures named above are AEADs.
        updates(fixtures, Aead::new(unsafe { self.info::<AeadInfo>(name) }?, &fixtures.key)?)
    }
}

/// A message in parts: the sealing context keeps its state. Parts have whole blocks.
impl RunningMessage for Aead {
    fn begin(&mut self, nonce: &Nonce, aad: &[u8]) -> Result<()> {
        let context = self.sealing.as_ptr();
        // SAFETY: the context has a key. The nonce has the length that `new` compared, the AAD the length passed.
        unsafe {
            (self.info.set_nonce)(context, nonce.as_ptr());
            (self.info.update)(context, aad.len(), aad.as_ptr());
        }
        Ok(())
    }

    #[inline]
    fn update(&mut self, text: &mut [u8]) -> Result<()> {
        let text_at = text.as_mut_ptr();
        // SAFETY: the context has a message, and the text the length passed. Nettle works in place.
        unsafe { (self.info.encrypt)(self.sealing.as_ptr(), text.len(), text_at, text_at) };
        Ok(())
    }

    fn finish(&mut self) -> Result<Tag> {
        let mut tag = [0; size_of::<Tag>()];
        // SAFETY: the context has a message, and the tag the length passed.
        unsafe { (self.info.digest)(self.sealing.as_ptr(), tag.len(), tag.as_mut_ptr()) };
        Ok(tag)
    }
}

/// A key with one context for each direction, as the descriptor has a function for each.
struct Aead {
    info: &'static AeadInfo,
    sealing: Memory,
    opening: Memory,
}

impl Aead {
    fn new(info: &'static AeadInfo, key: &[u8]) -> Result<Aead, Unsupported> {
        let is_usual = info.nonce_size as usize == size_of::<Nonce>() && info.digest_size as usize == size_of::<Tag>();
        if key.len() != info.key_size as usize || !is_usual {
            return Err(rejected("key"));
        }
        let [sealing, opening] = [Memory::new(info.context_size as usize), Memory::new(info.context_size as usize)];
        // SAFETY: the contexts have the size that the descriptor states, and so has the key.
        unsafe {
            (info.set_encrypt_key)(sealing.as_ptr(), key.as_ptr());
            (info.set_decrypt_key)(opening.as_ptr(), key.as_ptr());
        }
        Ok(Aead { info, sealing, opening })
    }

    /// Processes a message with `function` and returns the tag.
    #[inline]
    fn process(
        &self,
        context: &Memory,
        function: Crypt,
        nonce: &Nonce,
        aad: &[u8],
        input: &[u8],
        output: &mut [u8],
    ) -> Tag {
        assert_eq!(input.len(), output.len());
        let (context, mut tag) = (context.as_ptr(), [0; size_of::<Tag>()]);
        // SAFETY: the context has a key. Nonce and tag have the lengths that `new` compared, the other buffers the
        // lengths passed.
        unsafe {
            (self.info.set_nonce)(context, nonce.as_ptr());
            (self.info.update)(context, aad.len(), aad.as_ptr());
            function(context, input.len(), output.as_mut_ptr(), input.as_ptr());
            (self.info.digest)(context, tag.len(), tag.as_mut_ptr());
        }
        tag
    }
}

/// Each message sets the nonce, authenticates the AAD, encrypts and reads the tag: four calls under a kept key.
impl TwoBufferAead for Aead {
    const NOTE: Option<&'static str> = Some("the library only computes the tag; comparing it is ours, and is timed");

    #[inline]
    fn seal(&self, nonce: &Nonce, aad: &[u8], text: &[u8], ciphertext: &mut [u8], tag: &mut Tag) -> Result<()> {
        *tag = self.process(&self.sealing, self.info.encrypt, nonce, aad, text, ciphertext);
        Ok(())
    }

    #[inline]
    fn open(&self, nonce: &Nonce, aad: &[u8], ciphertext: &[u8], tag: &Tag, text: &mut [u8]) -> Result<()> {
        let computed = self.process(&self.opening, self.info.decrypt, nonce, aad, ciphertext, text);
        let is_same = black_box(u128::from_ne_bytes(computed) ^ u128::from_ne_bytes(*tag)) == 0;
        if is_same { Ok(()) } else { Err(failed("open")) }
    }

    #[inline]
    fn seal_with_new_key(
        &mut self,
        key: &[u8],
        message: Sealing<'_>,
        _expand: impl Fn(&[u8]) -> Result<Self, Unsupported>,
    ) -> Result<()> {
        if key.len() != self.info.key_size as usize {
            return Err(failed("take the key"));
        }
        // SAFETY: the context has the size that the descriptor states, and so has the key.
        unsafe { (self.info.set_encrypt_key)(self.sealing.as_ptr(), key.as_ptr()) };
        message.seal_by(self)
    }
}

fn hash(info: &'static HashInfo, fixtures: &Fixtures) -> Box<dyn crate::Job> {
    let (context, bytes) = (Memory::new(info.context_size as usize), info.digest_size as usize);
    // SAFETY: the context has the size that the descriptor states.
    unsafe { (info.init)(context.as_ptr()) };
    repeated_job(&fixtures.text, bytes, None, move |text, output| {
        // SAFETY: the context is initialised, and again by `digest`. The buffers have the lengths passed.
        unsafe {
            (info.update)(context.as_ptr(), text.len(), text.as_ptr());
            (info.digest)(context.as_ptr(), output.len(), output.as_mut_ptr());
        }
        Ok(bytes)
    })
}
