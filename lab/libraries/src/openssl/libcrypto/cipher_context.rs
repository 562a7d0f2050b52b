//! A keyed cipher: `EVP_CIPHER_CTX`.

#![allow(unsafe_code)] // calls functions of libcrypto

use std::ffi::{CStr, c_int, c_uchar, c_void};
use std::ptr::{null, null_mut};
use std::sync::Arc;

use super::functions::{Engine, EvpCipher, EvpCipherCtx};
use super::{Libcrypto, Owned};
use crate::{JobError, Result, Unsupported};

/// Bytes by which output buffers must exceed the input: a cipher may output a block that it held back.
pub(crate) const ROOM: usize = 32;
pub(crate) const TAG_BYTES: usize = 16;
/// Bytes of the authenticated header of a TLS record: sequence number, type, version, length.
pub(crate) const RECORD_HEADER_BYTES: usize = 13;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CipherDirection {
    Encrypt,
    Decrypt,
}

/// Settings to make before the key is set.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Settings {
    /// Nonce length in bytes, if it must be set.
    pub(crate) nonce_bytes: Option<usize>,
    /// Whether to set the tag's length first, as CCM, OCB and GCM-SIV require.
    pub(crate) tag_beforehand: bool,
    /// Whether to disable padding, for input of whole blocks.
    pub(crate) without_padding: bool,
    /// Whether the cipher belongs to OpenSSL's legacy provider.
    pub(crate) is_legacy: bool,
}

const SET_TAG: c_int = 0x11;

type Initialise =
    unsafe extern "C" fn(*mut EvpCipherCtx, *const EvpCipher, *mut Engine, *const c_uchar, *const c_uchar) -> c_int;
type Update = unsafe extern "C" fn(*mut EvpCipherCtx, *mut c_uchar, *mut c_int, *const c_uchar, c_int) -> c_int;
type Finish = unsafe extern "C" fn(*mut EvpCipherCtx, *mut c_uchar, *mut c_int) -> c_int;

pub(crate) struct CipherContext {
    libcrypto: Arc<Libcrypto>,
    context: Owned<EvpCipherCtx>,
    key_bytes: usize,
    iv_bytes: usize,
    /// Whether each update outputs as many bytes as it takes.
    is_stream: bool,
    initialise: Initialise,
    update: Update,
    finish: Finish,
}

impl CipherContext {
    pub(crate) fn new(
        libcrypto: &Arc<Libcrypto>,
        name: &CStr,
        direction: CipherDirection,
        settings: Settings,
        key: &[u8],
        iv: &[u8],
    ) -> Result<CipherContext, Unsupported> {
        let functions = &libcrypto.functions;
        let provider = match settings.is_legacy {
            true => libcrypto.legacy().map_err(Unsupported::new)?.0.as_ptr(),
            false => null_mut(),
        };
        let fetch = (functions.EVP_CIPHER_fetch, functions.EVP_CIPHER_free);
        let cipher = libcrypto.algorithm(name, provider, fetch)?;
        // SAFETY: `EVP_CIPHER_CTX_free` frees what `EVP_CIPHER_CTX_new` returns.
        let context = unsafe { Owned::new((functions.EVP_CIPHER_CTX_new)(), functions.EVP_CIPHER_CTX_free) }
            .ok_or_else(|| libcrypto.failed("EVP_CIPHER_CTX_new"))?;
        let (initialise, update, finish): (Initialise, Update, Finish) = match direction {
            CipherDirection::Encrypt => {
                (functions.EVP_EncryptInit_ex, functions.EVP_EncryptUpdate, functions.EVP_EncryptFinal_ex)
            }
            CipherDirection::Decrypt => {
                (functions.EVP_DecryptInit_ex, functions.EVP_DecryptUpdate, functions.EVP_DecryptFinal_ex)
            }
        };
        // SAFETY: the cipher is alive.
        let key_bytes = unsafe { (functions.EVP_CIPHER_get_key_length)(cipher.as_ptr()) };
        // SAFETY: the cipher is alive.
        let iv_bytes = unsafe { (functions.EVP_CIPHER_get_iv_length)(cipher.as_ptr()) };
        let mut made = CipherContext {
            libcrypto: Arc::clone(libcrypto),
            context,
            key_bytes: key_bytes as usize,
            iv_bytes: iv_bytes as usize,
            // True for GCM and ChaCha20-Poly1305. CCM and OCB need the tag's length before the key.
            is_stream: settings.nonce_bytes.is_some() && !settings.tag_beforehand,
            initialise,
            update,
            finish,
        };
        let context = made.context.as_ptr();
        // SAFETY: context and cipher are alive; key and IV may be null here. The context then holds the cipher.
        let begun = unsafe { initialise(context, cipher.as_ptr(), null_mut(), null(), null()) };
        libcrypto.check(begun, "EVP_CipherInit_ex")?;
        // Set it even if it equals the cipher's stated length: CCM states 12 but starts with 7.
        if let Some(bytes) = settings.nonce_bytes {
            const SET_NONCE_LENGTH: c_int = 0x9;
            made.control("EVP_CTRL_AEAD_SET_IVLEN", SET_NONCE_LENGTH, bytes, null_mut())?;
            made.iv_bytes = bytes;
        }
        if settings.tag_beforehand {
            made.control("EVP_CTRL_AEAD_SET_TAG", SET_TAG, TAG_BYTES, null_mut())?;
        }
        if key.len() != key_bytes as usize || iv.len() != made.iv_bytes {
            return Err(Unsupported::new(format!(
                "{} takes a key of {key_bytes} and an IV of {} bytes, not {} and {}",
                name.to_string_lossy(),
                made.iv_bytes,
                key.len(),
                iv.len()
            )));
        }
        // SAFETY: key and IV have the lengths that the library reads, as checked above.
        let keyed = unsafe { initialise(context, null(), null_mut(), key.as_ptr(), iv.as_ptr()) };
        libcrypto.check(keyed, "EVP_CipherInit_ex with a key")?;
        if settings.without_padding {
            // SAFETY: the context has a cipher.
            let is_set = unsafe { (functions.EVP_CIPHER_CTX_set_padding)(context, 0) };
            libcrypto.check(is_set, "EVP_CIPHER_CTX_set_padding")?;
        }
        Ok(made)
    }

    /// Sets the IV, nonce or tweak, and starts a new message under the current key.
    #[inline]
    pub(crate) fn set_iv(&self, iv: &[u8]) -> Result<()> {
        if iv.len() != self.iv_bytes {
            return Err(JobError::new("an IV of another length"));
        }
        // SAFETY: the context has a cipher and a key, and the IV has the length that the library reads.
        let result = unsafe { (self.initialise)(self.context.as_ptr(), null(), null_mut(), null(), iv.as_ptr()) };
        self.libcrypto.check(result, "EVP_CipherInit_ex with an IV")
    }

    /// Sets another key and an IV, and starts a new message.
    #[inline]
    pub(crate) fn set_key_and_iv(&self, key: &[u8], iv: &[u8]) -> Result<()> {
        if (key.len(), iv.len()) != (self.key_bytes, self.iv_bytes) {
            return Err(JobError::new("a key or an IV of another length"));
        }
        // SAFETY: the context has a cipher, and key and IV have the lengths that the library reads.
        let result = unsafe { (self.initialise)(self.context.as_ptr(), null(), null_mut(), key.as_ptr(), iv.as_ptr()) };
        self.libcrypto.check(result, "EVP_CipherInit_ex with another key")
    }

    /// Processes `input` and returns the number of bytes written to `output`, at most one block more than `input` has.
    /// `output` must be [`ROOM`] bytes longer than `input`.
    #[inline]
    pub(crate) fn update(&self, input: &[u8], output: &mut [u8]) -> Result<usize> {
        let (Ok(length), true) = (c_int::try_from(input.len()), output.len() >= input.len().saturating_add(ROOM))
        else {
            return Err(JobError::new("an output buffer that is too short"));
        };
        let mut written = 0;
        // SAFETY: `input` has `length` bytes, `output` has room for a block more, and they do not overlap.
        let result =
            unsafe { (self.update)(self.context.as_ptr(), output.as_mut_ptr(), &mut written, input.as_ptr(), length) };
        self.libcrypto.check(result, "EVP_CipherUpdate")?;
        Ok(written as usize)
    }

    /// Encrypts or decrypts `text` in place. Fails for ciphers that may output more or less than they take.
    #[inline]
    pub(crate) fn update_in_place(&self, text: &mut [u8]) -> Result<()> {
        let Ok(length) = c_int::try_from(text.len()) else { return Err(JobError::new("message too long")) };
        if !self.is_stream {
            return Err(JobError::new("a cipher that may give out more than it was given"));
        }
        let mut written = 0;
        let place = text.as_mut_ptr();
        // SAFETY: EVP allows in-place processing, and a stream cipher writes as many bytes as it reads.
        let result = unsafe { (self.update)(self.context.as_ptr(), place, &mut written, place, length) };
        if result == 1 && written == length { Ok(()) } else { Err(self.libcrypto.failed("EVP_CipherUpdate")) }
    }

    #[inline]
    pub(crate) fn finish_without_output(&self) -> Result<()> {
        let mut rest = [0; ROOM];
        self.finish(&mut rest).map(|_| ())
    }

    #[inline]
    pub(crate) fn associate(&self, aad: &[u8]) -> Result<()> {
        let Ok(length) = c_int::try_from(aad.len()) else { return Err(JobError::new("associated data too long")) };
        let mut written = 0;
        // SAFETY: without an output buffer, EVP takes the input as AAD, of which it reads `length` bytes.
        let result = unsafe { (self.update)(self.context.as_ptr(), null_mut(), &mut written, aad.as_ptr(), length) };
        self.libcrypto.check(result, "EVP_CipherUpdate with associated data")
    }

    /// Sets the text's length in advance, as CCM requires.
    #[inline]
    pub(crate) fn declare_length(&self, bytes: usize) -> Result<()> {
        let Ok(length) = c_int::try_from(bytes) else { return Err(JobError::new("message too long")) };
        let mut written = 0;
        // SAFETY: without buffers, EVP only stores the length.
        let result = unsafe { (self.update)(self.context.as_ptr(), null_mut(), &mut written, null(), length) };
        self.libcrypto.check(result, "EVP_CipherUpdate with a length")
    }

    /// Ends the message. Returns the number of bytes written to `output`, which must have [`ROOM`] bytes.
    #[inline]
    pub(crate) fn finish(&self, output: &mut [u8]) -> Result<usize> {
        if output.len() < ROOM {
            return Err(JobError::new("an output buffer that is too short"));
        }
        let mut written = 0;
        // SAFETY: `output` has room for the longest block of any cipher.
        let result = unsafe { (self.finish)(self.context.as_ptr(), output.as_mut_ptr(), &mut written) };
        self.libcrypto.check(result, "EVP_CipherFinal_ex")?;
        Ok(written as usize)
    }

    #[inline]
    pub(crate) fn tag(&self, tag: &mut [u8; TAG_BYTES]) -> Result<()> {
        const GET_TAG: c_int = 0x10;
        self.control("EVP_CTRL_AEAD_GET_TAG", GET_TAG, TAG_BYTES, tag.as_mut_ptr().cast()).map(|_| ())
    }

    #[inline]
    pub(crate) fn expect_tag(&self, tag: &[u8; TAG_BYTES]) -> Result<()> {
        self.control("EVP_CTRL_AEAD_SET_TAG", SET_TAG, TAG_BYTES, tag.as_ptr().cast_mut().cast()).map(|_| ())
    }

    pub(crate) fn set_mac_key(&self, key: &[u8]) -> Result<()> {
        const SET_MAC_KEY: c_int = 0x17;
        let mut key = key.to_vec(); // the call takes a mutable pointer
        self.control("EVP_CTRL_AEAD_SET_MAC_KEY", SET_MAC_KEY, key.len(), key.as_mut_ptr().cast()).map(|_| ())
    }

    /// Begins a TLS record with a cipher combined with HMAC. Returns the number of bytes that MAC and padding add. The
    /// library overwrites the header, so it is passed by value.
    #[inline]
    pub(crate) fn begin_record(&self, mut header: [u8; RECORD_HEADER_BYTES]) -> Result<usize> {
        const TLS1_AAD: c_int = 0x16;
        self.control("EVP_CTRL_AEAD_TLS1_AAD", TLS1_AAD, RECORD_HEADER_BYTES, header.as_mut_ptr().cast())
    }

    /// Calls `EVP_CIPHER_CTX_ctrl`. The commands used here read `bytes` bytes at `pointer` (GET_TAG and TLS1_AAD write
    /// them), or none if it is null.
    #[inline]
    fn control(&self, name: &str, command: c_int, bytes: usize, pointer: *mut c_void) -> Result<usize> {
        let Ok(length) = c_int::try_from(bytes) else { return Err(JobError::new("a length beyond an int")) };
        let functions = &self.libcrypto.functions;
        // SAFETY: the callers pass a buffer of `bytes` bytes, or null for commands that only set a length.
        let result = unsafe { (functions.EVP_CIPHER_CTX_ctrl)(self.context.as_ptr(), command, length, pointer) };
        if result > 0 { Ok(result as usize) } else { Err(self.libcrypto.failed(name)) }
    }
}
