//! Asymmetric keys and their operations: `EVP_PKEY` and `EVP_PKEY_CTX`.

#![allow(unsafe_code)] // calls functions of libcrypto

use std::ffi::{CStr, c_int, c_long, c_uchar};
use std::ptr::{null, null_mut};
use std::sync::Arc;

use super::functions::{EvpPkey, EvpPkeyCtx, Parameter};
use super::{Libcrypto, Owned};
use crate::{JobError, Result};

/// Maximum length of a shared secret in bytes, rounded up (X448 has 56).
pub(crate) const MAX_SECRET_BYTES: usize = 64;

/// Key types with raw keys, with OpenSSL's numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RawKey {
    X25519 = 1034,
    X448 = 1035,
    Ed25519 = 1087,
    Ed448 = 1088,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Half {
    /// Private key, or its seed.
    Private,
    Public,
}

pub(crate) struct AsymmetricKey(pub(super) Owned<EvpPkey>);

impl AsymmetricKey {
    pub(crate) fn raw(libcrypto: &Libcrypto, kind: RawKey, half: Half, bytes: &[u8]) -> Result<AsymmetricKey> {
        let new = match half {
            Half::Private => libcrypto.functions.EVP_PKEY_new_raw_private_key,
            Half::Public => libcrypto.functions.EVP_PKEY_new_raw_public_key,
        };
        // SAFETY: `bytes` has the length passed with it.
        let pointer = unsafe { new(kind as c_int, null_mut(), bytes.as_ptr(), bytes.len()) };
        AsymmetricKey::of(libcrypto, pointer, "EVP_PKEY_new_raw key")
    }

    /// Parses a key in DER: PKCS #8 for private keys, SubjectPublicKeyInfo for public ones.
    pub(crate) fn der(libcrypto: &Libcrypto, half: Half, der: &[u8]) -> Result<AsymmetricKey> {
        let (read, name) = match half {
            Half::Private => (libcrypto.functions.d2i_AutoPrivateKey, "d2i_AutoPrivateKey"),
            Half::Public => (libcrypto.functions.d2i_PUBKEY, "d2i_PUBKEY"),
        };
        let Ok(length) = c_long::try_from(der.len()) else { return Err(JobError::new("a key too long")) };
        let mut place = der.as_ptr();
        // SAFETY: the parser reads at most `length` bytes, and advances `place` within `der`.
        let pointer = unsafe { read(null_mut(), &mut place, length) };
        AsymmetricKey::of(libcrypto, pointer, name)
    }

    /// Creates a key of the algorithm `name` from one parameter.
    pub(crate) fn parameter(
        libcrypto: &Libcrypto,
        name: &CStr,
        half: Half,
        parameter: &CStr,
        bytes: &[u8],
    ) -> Result<AsymmetricKey> {
        const PUBLIC_KEY: c_int = 0x86;
        const KEY_PAIR: c_int = 0x87;
        let functions = &libcrypto.functions;
        // SAFETY: null stands for the default context, and the name is a C string.
        let context = unsafe { (functions.EVP_PKEY_CTX_new_from_name)(null_mut(), name.as_ptr(), null()) };
        let context = key_context(libcrypto, context)?;
        // SAFETY: the context is alive.
        libcrypto.check(unsafe { (functions.EVP_PKEY_fromdata_init)(context.as_ptr()) }, "EVP_PKEY_fromdata_init")?;
        let mut bytes = bytes.to_vec(); // OSSL_PARAM takes a mutable pointer
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
        // SAFETY: the list has an end marker, and its only entry points to `bytes`.
        let made = unsafe {
            (functions.EVP_PKEY_fromdata)(context.as_ptr(), &mut pointer, selection, parameters.as_mut_ptr())
        };
        libcrypto.check(made, "EVP_PKEY_fromdata")?;
        AsymmetricKey::of(libcrypto, pointer, "EVP_PKEY_fromdata")
    }

    fn of(libcrypto: &Libcrypto, pointer: *mut EvpPkey, call: &str) -> Result<AsymmetricKey> {
        // SAFETY: the caller passes its own reference; contexts hold references of their own.
        let key = unsafe { Owned::new(pointer, libcrypto.functions.EVP_PKEY_free) };
        key.map(AsymmetricKey).ok_or_else(|| libcrypto.failed(call))
    }

    fn context(&self, libcrypto: &Libcrypto) -> Result<Owned<EvpPkeyCtx>> {
        // SAFETY: the key is alive, and the context holds a reference to it.
        key_context(libcrypto, unsafe { (libcrypto.functions.EVP_PKEY_CTX_new)(self.0.as_ptr(), null_mut()) })
    }
}

fn key_context(libcrypto: &Libcrypto, pointer: *mut EvpPkeyCtx) -> Result<Owned<EvpPkeyCtx>> {
    // SAFETY: the callers have just created the context, and give it away.
    let context = unsafe { Owned::new(pointer, libcrypto.functions.EVP_PKEY_CTX_free) };
    context.ok_or_else(|| libcrypto.failed("EVP_PKEY_CTX_new"))
}

/// A key prepared for one operation, whose C function has the type `F`.
pub(crate) struct KeyOperation<F> {
    libcrypto: Arc<Libcrypto>,
    context: Owned<EvpPkeyCtx>,
    function: F,
}

type Derive = unsafe extern "C" fn(*mut EvpPkeyCtx, *mut c_uchar, *mut usize) -> c_int;
type Encapsulate = unsafe extern "C" fn(*mut EvpPkeyCtx, *mut c_uchar, *mut usize, *mut c_uchar, *mut usize) -> c_int;
type Decapsulate = unsafe extern "C" fn(*mut EvpPkeyCtx, *mut c_uchar, *mut usize, *const c_uchar, usize) -> c_int;
type BeginWithParameters = unsafe extern "C" fn(*mut EvpPkeyCtx, *const Parameter) -> c_int;

impl KeyOperation<Derive> {
    /// Prepares `own` for key agreement with `peer`, whose key is checked here.
    pub(crate) fn agreement(libcrypto: &Arc<Libcrypto>, own: &AsymmetricKey, peer: &AsymmetricKey) -> Result<Self> {
        let functions = &libcrypto.functions;
        let context = own.context(libcrypto)?;
        // SAFETY: the context is alive.
        libcrypto.check(unsafe { (functions.EVP_PKEY_derive_init)(context.as_ptr()) }, "EVP_PKEY_derive_init")?;
        // SAFETY: both are alive, and the context holds a reference to the peer's key.
        let is_set = unsafe { (functions.EVP_PKEY_derive_set_peer)(context.as_ptr(), peer.0.as_ptr()) };
        libcrypto.check(is_set, "EVP_PKEY_derive_set_peer")?;
        Ok(KeyOperation { libcrypto: Arc::clone(libcrypto), context, function: functions.EVP_PKEY_derive })
    }

    /// Writes the shared secret to `secret` and returns its length in bytes.
    pub(crate) fn derive(&self, secret: &mut [u8; MAX_SECRET_BYTES]) -> Result<usize> {
        let mut length = secret.len();
        // SAFETY: `length` is the size of `secret`, and limits what is written.
        let result = unsafe { (self.function)(self.context.as_ptr(), secret.as_mut_ptr(), &mut length) };
        self.libcrypto.check(result, "EVP_PKEY_derive")?;
        Ok(length)
    }
}

impl<F> KeyOperation<F> {
    /// Prepares `key` with `begin` for calls of `function`.
    fn with_parameters(
        libcrypto: &Arc<Libcrypto>,
        key: &AsymmetricKey,
        begin: BeginWithParameters,
        function: F,
    ) -> Result<Self> {
        let context = key.context(libcrypto)?;
        // SAFETY: the context is alive, and the parameters may be null.
        libcrypto.check(unsafe { begin(context.as_ptr(), null()) }, "EVP_PKEY_encapsulate_init")?;
        Ok(KeyOperation { libcrypto: Arc::clone(libcrypto), context, function })
    }
}

impl KeyOperation<Encapsulate> {
    pub(crate) fn encapsulation(libcrypto: &Arc<Libcrypto>, key: &AsymmetricKey) -> Result<Self> {
        let functions = &libcrypto.functions;
        Self::with_parameters(libcrypto, key, functions.EVP_PKEY_encapsulate_init, functions.EVP_PKEY_encapsulate)
    }

    /// Generates a secret and its ciphertext. Returns the lengths in bytes of ciphertext and secret.
    pub(crate) fn encapsulate(&self, ciphertext: &mut [u8], secret: &mut [u8]) -> Result<(usize, usize)> {
        let (mut ciphertext_bytes, mut secret_bytes) = (ciphertext.len(), secret.len());
        let (context, ciphertext, secret) = (self.context.as_ptr(), ciphertext.as_mut_ptr(), secret.as_mut_ptr());
        // SAFETY: each length is the size of its buffer, and limits what is written.
        let result = unsafe { (self.function)(context, ciphertext, &mut ciphertext_bytes, secret, &mut secret_bytes) };
        self.libcrypto.check(result, "EVP_PKEY_encapsulate")?;
        Ok((ciphertext_bytes, secret_bytes))
    }
}

impl KeyOperation<Decapsulate> {
    pub(crate) fn decapsulation(libcrypto: &Arc<Libcrypto>, key: &AsymmetricKey) -> Result<Self> {
        let functions = &libcrypto.functions;
        Self::with_parameters(libcrypto, key, functions.EVP_PKEY_decapsulate_init, functions.EVP_PKEY_decapsulate)
    }

    pub(crate) fn decapsulate(&self, ciphertext: &[u8], secret: &mut [u8]) -> Result<usize> {
        let mut length = secret.len();
        let (context, secret) = (self.context.as_ptr(), secret.as_mut_ptr());
        // SAFETY: `length` is the size of `secret`, and limits what is written. The ciphertext has the length passed.
        let result = unsafe { (self.function)(context, secret, &mut length, ciphertext.as_ptr(), ciphertext.len()) };
        self.libcrypto.check(result, "EVP_PKEY_decapsulate")?;
        Ok(length)
    }
}
