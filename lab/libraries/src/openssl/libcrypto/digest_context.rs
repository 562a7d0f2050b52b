//! Hash functions and digest contexts: `EVP_MD` and `EVP_MD_CTX`.

#![allow(unsafe_code)] // calls functions of libcrypto

use std::ffi::{CStr, c_int, c_uint};
use std::ptr::{null, null_mut};
use std::sync::Arc;

use super::functions::{Engine, EvpMd, EvpMdCtx, EvpPkey, EvpPkeyCtx};
use super::key::AsymmetricKey;
use super::{Libcrypto, Owned};
use crate::{Result, Unsupported};

/// Maximum length of a digest in bytes (`EVP_MAX_MD_SIZE`).
pub(crate) const MAX_DIGEST_BYTES: usize = 64;

type BeginWithKey =
    unsafe extern "C" fn(*mut EvpMdCtx, *mut *mut EvpPkeyCtx, *const EvpMd, *mut Engine, *mut EvpPkey) -> c_int;

pub(crate) struct Digest(Owned<EvpMd>);

impl Digest {
    pub(crate) fn find(libcrypto: &Libcrypto, name: &CStr) -> Result<Digest, Unsupported> {
        let functions = &libcrypto.functions;
        libcrypto.algorithm(name, null_mut(), (functions.EVP_MD_fetch, functions.EVP_MD_free)).map(Digest)
    }
}

pub(crate) struct DigestContext {
    libcrypto: Arc<Libcrypto>,
    context: Owned<EvpMdCtx>,
}

impl DigestContext {
    pub(crate) fn new(libcrypto: &Arc<Libcrypto>) -> Result<DigestContext> {
        let functions = &libcrypto.functions;
        // SAFETY: `EVP_MD_CTX_free` frees what `EVP_MD_CTX_new` returns.
        let context = unsafe { Owned::new((functions.EVP_MD_CTX_new)(), functions.EVP_MD_CTX_free) };
        let context = context.ok_or_else(|| libcrypto.failed("EVP_MD_CTX_new"))?;
        Ok(DigestContext { libcrypto: Arc::clone(libcrypto), context })
    }

    #[inline]
    pub(crate) fn hash(&self, digest: &Digest, message: &[u8], output: &mut [u8; MAX_DIGEST_BYTES]) -> Result<usize> {
        let (libcrypto, context) = (&self.libcrypto, self.context.as_ptr());
        let functions = &libcrypto.functions;
        // SAFETY: context and digest are alive.
        let begun = unsafe { (functions.EVP_DigestInit_ex)(context, digest.0.as_ptr(), null_mut()) };
        libcrypto.check(begun, "EVP_DigestInit_ex")?;
        // SAFETY: the context is initialised, and `message` has the length passed.
        let updated = unsafe { (functions.EVP_DigestUpdate)(context, message.as_ptr().cast(), message.len()) };
        libcrypto.check(updated, "EVP_DigestUpdate")?;
        let mut written: c_uint = 0;
        // SAFETY: `output` has room for the longest digest.
        let ended = unsafe { (functions.EVP_DigestFinal_ex)(context, output.as_mut_ptr(), &mut written) };
        libcrypto.check(ended, "EVP_DigestFinal_ex")?;
        Ok(written as usize)
    }

    /// Signs `message` with `key` and returns the signature's length in bytes. `digest` is the hash of schemes that do
    /// not define their own. Starts from a fresh context, as programs do for each signature.
    pub(crate) fn sign(
        &self,
        key: &AsymmetricKey,
        digest: Option<&Digest>,
        message: &[u8],
        signature: &mut [u8],
    ) -> Result<usize> {
        let functions = &self.libcrypto.functions;
        let context = self.begin(functions.EVP_DigestSignInit, "EVP_DigestSignInit", key, digest)?;
        let mut length = signature.len();
        // SAFETY: `length` is the size of `signature`, and limits what is written. `message` has the length passed.
        let signed = unsafe {
            (functions.EVP_DigestSign)(context, signature.as_mut_ptr(), &mut length, message.as_ptr(), message.len())
        };
        self.libcrypto.check(signed, "EVP_DigestSign")?;
        Ok(length)
    }

    /// Returns whether `signature` is valid for `message` under `key`. Starts from a fresh context, like
    /// [`sign`](Self::sign).
    pub(crate) fn verify(
        &self,
        key: &AsymmetricKey,
        digest: Option<&Digest>,
        message: &[u8],
        signature: &[u8],
    ) -> Result<bool> {
        let functions = &self.libcrypto.functions;
        let context = self.begin(functions.EVP_DigestVerifyInit, "EVP_DigestVerifyInit", key, digest)?;
        // SAFETY: signature and message have the lengths passed.
        let result = unsafe {
            (functions.EVP_DigestVerify)(context, signature.as_ptr(), signature.len(), message.as_ptr(), message.len())
        };
        if result != 1 {
            self.libcrypto.forget_errors();
        }
        Ok(result == 1)
    }

    fn begin(
        &self,
        begin: BeginWithKey,
        call: &str,
        key: &AsymmetricKey,
        digest: Option<&Digest>,
    ) -> Result<*mut EvpMdCtx> {
        let context = self.context.as_ptr();
        // SAFETY: the context is alive.
        let reset = unsafe { (self.libcrypto.functions.EVP_MD_CTX_reset)(context) };
        self.libcrypto.check(reset, "EVP_MD_CTX_reset")?;
        let digest = digest.map_or(null(), |digest| digest.0.as_ptr().cast_const());
        // SAFETY: context, digest and key are alive, and the context holds references to the others.
        let begun = unsafe { begin(context, null_mut(), digest, null_mut(), key.0.as_ptr()) };
        self.libcrypto.check(begun, call)?;
        Ok(context)
    }
}
