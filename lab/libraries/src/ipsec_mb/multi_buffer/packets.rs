//! What packets need beside whole messages: a message in parts, and a single block of AES.
#![allow(unsafe_code)] // a C library is called

use std::sync::Arc;

use super::{Context, Gcm, Line, MultiBuffer, MultiBufferVariant, NONCE_BYTES, TAG_BYTES};
use crate::Unsupported;

/// `aes_gcm_init_…`: expanded key, context, nonce, AAD, its length.
type Init = unsafe extern "C" fn(*const Line, *mut Context, *const u8, *const u8, u64);
/// `aes_gcm_enc_…_update_…`: expanded key, context, out, in, length.
type Update = unsafe extern "C" fn(*const Line, *mut Context, *mut u8, *const u8, u64);
/// `aes_gcm_enc_…_finalize_…`: expanded key, context, tag, its length.
type Finalize = unsafe extern "C" fn(*const Line, *mut Context, *mut u8, u64);
/// `aes_keyexp_128_…`: key, round keys to encrypt, round keys to decrypt.
type ExpandAes = unsafe extern "C" fn(*const u8, *mut RoundKeys, *mut RoundKeys);
/// `aes_cfb_128_one_…`: out, in, IV, round keys, length.
type CfbOne = unsafe extern "C" fn(*mut u8, *const u8, *const u8, *const RoundKeys, u64);

/// Eleven round keys, and room for the longest that a version might write.
#[repr(C, align(64))]
struct RoundKeys([u8; 256]);

impl MultiBufferVariant {
    /// The ending of the names of functions for AES alone.
    fn aes_name(self) -> &'static str {
        self.hash_name()
    }
}

impl MultiBuffer {
    /// Messages in parts under the key of `gcm`, which has `key_bytes`.
    pub(in super::super) fn message(
        self: &Arc<Self>,
        variant: MultiBufferVariant,
        gcm: Gcm,
        key_bytes: usize,
    ) -> Result<StreamedMessage, Unsupported> {
        let (bits, variant) = (key_bytes * 8, self.runnable(variant)?.name());
        let missing = |_| Unsupported::new(format!("ipsec-mb {} exports no streaming AES-GCM", self.version));
        let name = |part: &str| format!("aes_gcm_{part}_{variant}");
        // SAFETY: the type is that of the library's header for functions of this name.
        let init = *unsafe { self.handle.get::<Init>(name(&format!("init_{bits}"))) }.map_err(missing)?;
        // SAFETY: as above.
        let update = *unsafe { self.handle.get::<Update>(name(&format!("enc_{bits}_update"))) }.map_err(missing)?;
        // SAFETY: as above.
        let finalize =
            *unsafe { self.handle.get::<Finalize>(name(&format!("enc_{bits}_finalize"))) }.map_err(missing)?;
        Ok(StreamedMessage { gcm, init, update, finalize })
    }

    /// Masks of headers under `key`.
    pub(in super::super) fn header_mask(
        self: &Arc<Self>,
        variant: MultiBufferVariant,
        key: &[u8],
    ) -> Result<HeaderMask, Unsupported> {
        if key.len() != 16 {
            return Err(Unsupported::new(
                "ipsec-mb exports no single block of AES-256, which header protection needs; its manager's layout \
                 changes with the version",
            ));
        }
        let variant = self.runnable(variant)?.aes_name();
        let missing = |_| Unsupported::new(format!("ipsec-mb {} exports no single block of AES-128", self.version));
        // SAFETY: the type is that of the library's header for functions of this name.
        let expand = *unsafe { self.handle.get::<ExpandAes>(format!("aes_keyexp_128_{variant}")) }.map_err(missing)?;
        // SAFETY: as above.
        let encrypt = *unsafe { self.handle.get::<CfbOne>(format!("aes_cfb_128_one_{variant}")) }.map_err(missing)?;
        let (mut keys, mut inverse) = (Box::new(RoundKeys([0; 256])), RoundKeys([0; 256]));
        // SAFETY: the key has 16 bytes, and each list has more room than the eleven round keys that are written.
        unsafe { expand(key.as_ptr(), &raw mut *keys, &raw mut inverse) };
        Ok(HeaderMask { keys, encrypt, _library: Arc::clone(self) })
    }
}

impl Gcm {
    /// Encrypts `text` where it stands, and computes the tag.
    #[inline]
    pub(in super::super) fn encrypt_in_place(
        &self,
        nonce: &[u8; NONCE_BYTES],
        aad: &[u8],
        text: &mut [u8],
        tag: &mut [u8; TAG_BYTES],
    ) {
        self.call_in_place(self.encrypt, nonce, aad, text, tag);
    }

    /// Decrypts `text` where it stands, and computes the tag that has to be there; comparing is the caller's.
    #[inline]
    pub(in super::super) fn decrypt_in_place(
        &self,
        nonce: &[u8; NONCE_BYTES],
        aad: &[u8],
        text: &mut [u8],
        tag: &mut [u8; TAG_BYTES],
    ) {
        self.call_in_place(self.decrypt, nonce, aad, text, tag);
    }
}

/// A message in parts.
pub(in super::super) struct StreamedMessage {
    gcm: Gcm,
    init: Init,
    update: Update,
    finalize: Finalize,
}

impl StreamedMessage {
    pub(in super::super) fn begin(&mut self, nonce: &[u8; NONCE_BYTES], aad: &[u8]) {
        let (key, context) = (self.gcm.key.as_ptr(), self.gcm.context.get());
        // SAFETY: key and context are aligned and long enough, the key was expanded by the same variant, the AAD has
        // the length that is told; the context is this thread's alone.
        unsafe { (self.init)(key, context, nonce.as_ptr(), aad.as_ptr(), aad.len() as u64) };
    }

    /// Encrypts the next piece where it stands.
    #[inline]
    pub(in super::super) fn update(&mut self, text: &mut [u8]) {
        let (key, context, place) = (self.gcm.key.as_ptr(), self.gcm.context.get(), text.as_mut_ptr());
        // SAFETY: as above; the library allows the same buffer to go in and come out.
        unsafe { (self.update)(key, context, place, place, text.len() as u64) };
    }

    /// Ends it and gives its tag.
    pub(in super::super) fn finish(&mut self) -> [u8; TAG_BYTES] {
        let mut tag = [0; TAG_BYTES];
        let (key, context) = (self.gcm.key.as_ptr(), self.gcm.context.get());
        // SAFETY: as above; the tag has the length that is told.
        unsafe { (self.finalize)(key, context, tag.as_mut_ptr(), TAG_BYTES as u64) };
        tag
    }
}

/// A key that makes masks of headers.
pub(in super::super) struct HeaderMask {
    keys: Box<RoundKeys>,
    encrypt: CfbOne,
    /// Keeps the function in memory.
    _library: Arc<MultiBuffer>,
}

impl HeaderMask {
    /// The mask for `sample`. CFB XORs the encrypted IV with the text: with zeros for a text, that is the block alone.
    #[inline]
    pub(in super::super) fn of(&self, sample: &[u8; 16]) -> [u8; 5] {
        let mut block = [0; 16];
        let place = block.as_mut_ptr();
        // SAFETY: sample and block have 16 bytes, as many as are told; the library allows the same buffer to go in and
        // come out, and `_library` keeps the function.
        unsafe { (self.encrypt)(place, place, sample.as_ptr(), &raw const *self.keys, 16) };
        std::array::from_fn(|index| block[index])
    }
}
