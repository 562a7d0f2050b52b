//! Asymmetric keys and what is done with them: `EVP_PKEY` and `EVP_PKEY_CTX`.

#![allow(unsafe_code)] // libcrypto's functions are called

use std::ffi::{CStr, c_int, c_long};
use std::ptr::{NonNull, null, null_mut};
use std::sync::Arc;

use super::Libcrypto;
use super::digest_context::{Digest, DigestContext};
use super::functions::{EvpPkey, EvpPkeyCtx, Parameter};
use crate::{JobError, Result};

/// The longest secret an agreement here gives (X448 has 56 bytes).
pub(crate) const MAX_SECRET_BYTES: usize = 64;

/// The key types that have raw keys, by the numbers OpenSSL gave them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // the variants are the names
pub(crate) enum RawKey {
    X25519 = 1034,
    X448 = 1035,
    Ed25519 = 1087,
    Ed448 = 1088,
}

/// Which half of a key is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Half {
    /// The private key (or what it is made from).
    Private,
    /// The public key.
    Public,
}

/// A private or a public key.
pub(crate) struct AsymmetricKey {
    libcrypto: Arc<Libcrypto>,
    pointer: NonNull<EvpPkey>,
}

impl AsymmetricKey {
    /// A key given as the bytes its standard defines.
    ///
    /// # Errors
    /// If the library refuses it.
    pub(crate) fn raw(libcrypto: &Arc<Libcrypto>, kind: RawKey, half: Half, bytes: &[u8]) -> Result<AsymmetricKey> {
        let new = match half {
            Half::Private => libcrypto.functions.EVP_PKEY_new_raw_private_key,
            Half::Public => libcrypto.functions.EVP_PKEY_new_raw_public_key,
        };
        // SAFETY: the bytes have their length.
        let pointer = unsafe { new(kind as c_int, null_mut(), bytes.as_ptr(), bytes.len()) };
        AsymmetricKey::of(libcrypto, pointer, "EVP_PKEY_new_raw key")
    }

    /// A key in DER: PKCS #8, or SubjectPublicKeyInfo.
    ///
    /// # Errors
    /// If the library refuses it.
    pub(crate) fn der(libcrypto: &Arc<Libcrypto>, half: Half, der: &[u8]) -> Result<AsymmetricKey> {
        let (read, name) = match half {
            Half::Private => (libcrypto.functions.d2i_AutoPrivateKey, "d2i_AutoPrivateKey"),
            Half::Public => (libcrypto.functions.d2i_PUBKEY, "d2i_PUBKEY"),
        };
        let Ok(length) = c_long::try_from(der.len()) else { return Err(JobError::new("a key too long")) };
        let mut place = der.as_ptr();
        // SAFETY: reads at most that many bytes and moves `place` in them.
        let pointer = unsafe { read(null_mut(), &mut place, length) };
        AsymmetricKey::of(libcrypto, pointer, name)
    }

    /// A key of the algorithm called `name`, from the parameter called `parameter`; from 3.0 on.
    ///
    /// # Errors
    /// If the library does not know the algorithm or refuses the key.
    pub(crate) fn parameter(
        libcrypto: &Arc<Libcrypto>,
        name: &CStr,
        half: Half,
        parameter: &CStr,
        bytes: &[u8],
    ) -> Result<AsymmetricKey> {
        const PUBLIC_KEY: c_int = 0x86;
        const KEY_PAIR: c_int = 0x87;
        let functions = &libcrypto.functions;
        let (Some(new), Some(begin), Some(from)) =
            (functions.EVP_PKEY_CTX_new_from_name, functions.EVP_PKEY_fromdata_init, functions.EVP_PKEY_fromdata)
        else {
            return Err(JobError::new("EVP_PKEY_fromdata is not there"));
        };
        // SAFETY: the default context, and a string.
        let context = KeyContext::of(libcrypto, unsafe { new(null_mut(), name.as_ptr(), null()) })?;
        // SAFETY: the context is alive.
        if unsafe { begin(context.pointer.as_ptr()) } != 1 {
            return Err(libcrypto.failed("EVP_PKEY_fromdata_init"));
        }
        let mut bytes = bytes.to_vec(); // the call takes a pointer to what could be changed
        let mut parameters = [
            Parameter {
                key: parameter.as_ptr(),
                data_type: Parameter::OCTET_STRING,
                data: bytes.as_mut_ptr().cast(),
                data_size: bytes.len(),
                return_size: 0,
            },
            Parameter::END,
        ];
        let selection = if half == Half::Private { KEY_PAIR } else { PUBLIC_KEY };
        let mut pointer = null_mut();
        // SAFETY: the list is ended, and its one entry describes the bytes.
        if unsafe { from(context.pointer.as_ptr(), &mut pointer, selection, parameters.as_mut_ptr()) } != 1 {
            return Err(libcrypto.failed("EVP_PKEY_fromdata"));
        }
        AsymmetricKey::of(libcrypto, pointer, "EVP_PKEY_fromdata")
    }

    fn of(libcrypto: &Arc<Libcrypto>, pointer: *mut EvpPkey, call: &str) -> Result<AsymmetricKey> {
        let pointer = NonNull::new(pointer).ok_or_else(|| libcrypto.failed(call))?;
        Ok(AsymmetricKey { libcrypto: Arc::clone(libcrypto), pointer })
    }
}

impl Drop for AsymmetricKey {
    fn drop(&mut self) {
        // SAFETY: a reference that is this one's own; contexts count theirs.
        unsafe { (self.libcrypto.functions.EVP_PKEY_free)(self.pointer.as_ptr()) }
    }
}

/// A private key ready to agree with one peer.
pub(crate) struct Agreement(KeyContext);

impl Agreement {
    /// Of `own` with `peer`, whose key is checked here.
    ///
    /// # Errors
    /// If the library refuses.
    pub(crate) fn new(libcrypto: &Arc<Libcrypto>, own: &AsymmetricKey, peer: &AsymmetricKey) -> Result<Agreement> {
        let functions = &libcrypto.functions;
        let context = KeyContext::for_key(libcrypto, own)?;
        // SAFETY: the context is alive.
        if unsafe { (functions.EVP_PKEY_derive_init)(context.pointer.as_ptr()) } != 1 {
            return Err(libcrypto.failed("EVP_PKEY_derive_init"));
        }
        // SAFETY: the context is alive and counts its own reference to the peer's key.
        if unsafe { (functions.EVP_PKEY_derive_set_peer)(context.pointer.as_ptr(), peer.pointer.as_ptr()) } != 1 {
            return Err(libcrypto.failed("EVP_PKEY_derive_set_peer"));
        }
        Ok(Agreement(context))
    }

    /// The shared secret, and how many bytes it has. The buffer is one for the longest secret: before 3.0 the curves
    /// with raw keys do not look at its length.
    pub(crate) fn derive(&mut self, secret: &mut [u8; MAX_SECRET_BYTES]) -> Result<usize> {
        let libcrypto = &self.0.libcrypto;
        let mut length = secret.len();
        // SAFETY: `length` tells how much may be written.
        let result =
            unsafe { (libcrypto.functions.EVP_PKEY_derive)(self.0.pointer.as_ptr(), secret.as_mut_ptr(), &mut length) };
        if result == 1 { Ok(length) } else { Err(libcrypto.failed("EVP_PKEY_derive")) }
    }
}

/// A key ready for encapsulation or decapsulation, one of which it is made for.
pub(crate) struct Encapsulation {
    context: KeyContext,
    half: Half,
}

impl Encapsulation {
    /// For encapsulating to a public key, or decapsulating with a private one.
    ///
    /// # Errors
    /// If the library refuses.
    pub(crate) fn new(libcrypto: &Arc<Libcrypto>, key: &AsymmetricKey, half: Half) -> Result<Encapsulation> {
        let begin = match half {
            Half::Private => libcrypto.functions.EVP_PKEY_decapsulate_init,
            Half::Public => libcrypto.functions.EVP_PKEY_encapsulate_init,
        };
        let begin = begin.ok_or_else(|| JobError::new("EVP_PKEY_encapsulate is not there"))?;
        let context = KeyContext::for_key(libcrypto, key)?;
        // SAFETY: the context is alive; no parameters.
        if unsafe { begin(context.pointer.as_ptr(), null()) } != 1 {
            return Err(libcrypto.failed("EVP_PKEY_encapsulate_init"));
        }
        Ok(Encapsulation { context, half })
    }

    /// A fresh secret and its ciphertext; gives how many bytes the ciphertext and the secret have.
    pub(crate) fn encapsulate(&mut self, ciphertext: &mut [u8], secret: &mut [u8]) -> Result<(usize, usize)> {
        let libcrypto = &self.context.libcrypto;
        let (Half::Public, Some(encapsulate)) = (self.half, libcrypto.functions.EVP_PKEY_encapsulate) else {
            return Err(JobError::new("not made for encapsulation"));
        };
        let (mut ciphertext_bytes, mut secret_bytes) = (ciphertext.len(), secret.len());
        // SAFETY: the lengths tell how much may be written.
        let result = unsafe {
            encapsulate(
                self.context.pointer.as_ptr(),
                ciphertext.as_mut_ptr(),
                &mut ciphertext_bytes,
                secret.as_mut_ptr(),
                &mut secret_bytes,
            )
        };
        if result == 1 { Ok((ciphertext_bytes, secret_bytes)) } else { Err(libcrypto.failed("EVP_PKEY_encapsulate")) }
    }

    /// The secret in `ciphertext`, and how many bytes it has.
    pub(crate) fn decapsulate(&mut self, ciphertext: &[u8], secret: &mut [u8]) -> Result<usize> {
        let libcrypto = &self.context.libcrypto;
        let (Half::Private, Some(decapsulate)) = (self.half, libcrypto.functions.EVP_PKEY_decapsulate) else {
            return Err(JobError::new("not made for decapsulation"));
        };
        let mut length = secret.len();
        // SAFETY: `length` tells how much may be written; the ciphertext has its length.
        let result = unsafe {
            decapsulate(
                self.context.pointer.as_ptr(),
                secret.as_mut_ptr(),
                &mut length,
                ciphertext.as_ptr(),
                ciphertext.len(),
            )
        };
        if result == 1 { Ok(length) } else { Err(libcrypto.failed("EVP_PKEY_decapsulate")) }
    }
}

impl DigestContext {
    /// Signs `message` with `key`, hashed with `digest` where the scheme does not bring its own; gives how many bytes
    /// the signature has. Sets everything up anew, as a program does for each signature.
    pub(crate) fn sign(
        &mut self,
        key: &AsymmetricKey,
        digest: Option<&Digest>,
        message: &[u8],
        signature: &mut [u8],
    ) -> Result<usize> {
        self.reset()?;
        let functions = &self.libcrypto.functions;
        let context = self.context.as_ptr();
        let digest = digest.map_or(null(), Digest::pointer);
        // SAFETY: context, digest and key are alive; the context counts its own references.
        if unsafe { (functions.EVP_DigestSignInit)(context, null_mut(), digest, null_mut(), key.pointer.as_ptr()) } != 1
        {
            return Err(self.libcrypto.failed("EVP_DigestSignInit"));
        }
        let mut length = signature.len();
        // SAFETY: `length` tells how much may be written; the message has its length.
        let result = unsafe {
            (functions.EVP_DigestSign)(context, signature.as_mut_ptr(), &mut length, message.as_ptr(), message.len())
        };
        if result == 1 { Ok(length) } else { Err(self.libcrypto.failed("EVP_DigestSign")) }
    }

    /// Whether `signature` is that of `message` under `key`; set up anew as for [`sign`](Self::sign).
    pub(crate) fn verify(
        &mut self,
        key: &AsymmetricKey,
        digest: Option<&Digest>,
        message: &[u8],
        signature: &[u8],
    ) -> Result<bool> {
        self.reset()?;
        let functions = &self.libcrypto.functions;
        let context = self.context.as_ptr();
        let digest = digest.map_or(null(), Digest::pointer);
        // SAFETY: as for signing.
        if unsafe { (functions.EVP_DigestVerifyInit)(context, null_mut(), digest, null_mut(), key.pointer.as_ptr()) }
            != 1
        {
            return Err(self.libcrypto.failed("EVP_DigestVerifyInit"));
        }
        // SAFETY: signature and message have their lengths.
        let result = unsafe {
            (functions.EVP_DigestVerify)(context, signature.as_ptr(), signature.len(), message.as_ptr(), message.len())
        };
        if result != 1 {
            self.libcrypto.forget_errors();
        }
        Ok(result == 1)
    }

    fn reset(&mut self) -> Result<()> {
        // SAFETY: the context is alive.
        if unsafe { (self.libcrypto.functions.EVP_MD_CTX_reset)(self.context.as_ptr()) } == 1 {
            Ok(())
        } else {
            Err(self.libcrypto.failed("EVP_MD_CTX_reset"))
        }
    }
}

struct KeyContext {
    libcrypto: Arc<Libcrypto>,
    pointer: NonNull<EvpPkeyCtx>,
}

impl KeyContext {
    fn for_key(libcrypto: &Arc<Libcrypto>, key: &AsymmetricKey) -> Result<KeyContext> {
        // SAFETY: the key is alive; the context counts its own reference.
        KeyContext::of(libcrypto, unsafe { (libcrypto.functions.EVP_PKEY_CTX_new)(key.pointer.as_ptr(), null_mut()) })
    }

    fn of(libcrypto: &Arc<Libcrypto>, pointer: *mut EvpPkeyCtx) -> Result<KeyContext> {
        let pointer = NonNull::new(pointer).ok_or_else(|| libcrypto.failed("EVP_PKEY_CTX_new"))?;
        Ok(KeyContext { libcrypto: Arc::clone(libcrypto), pointer })
    }
}

impl Drop for KeyContext {
    fn drop(&mut self) {
        // SAFETY: made for this one and used by nobody else.
        unsafe { (self.libcrypto.functions.EVP_PKEY_CTX_free)(self.pointer.as_ptr()) }
    }
}
