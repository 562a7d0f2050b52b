//! A hash function and its running state: `EVP_MD` and `EVP_MD_CTX`.

#![allow(unsafe_code)] // libcrypto's functions are called

use std::ffi::{CStr, c_uint};
use std::ptr::{NonNull, null, null_mut};
use std::sync::Arc;

use super::Libcrypto;
use super::functions::{EvpMd, EvpMdCtx};
use crate::{Result, Unsupported};

/// The longest digest there is (`EVP_MAX_MD_SIZE`).
pub(crate) const MAX_DIGEST_BYTES: usize = 64;

/// A hash function as the library found it.
pub(crate) struct Digest {
    libcrypto: Arc<Libcrypto>,
    pointer: NonNull<EvpMd>,
    is_fetched: bool,
}

impl Digest {
    /// The hash function of that name.
    ///
    /// # Errors
    /// If the library has it not.
    pub(crate) fn find(libcrypto: &Arc<Libcrypto>, name: &CStr) -> Result<Digest, Unsupported> {
        let (pointer, is_fetched) = match libcrypto.functions.EVP_MD_fetch {
            // SAFETY: the default context, and a string.
            Some(fetch) => (unsafe { fetch(null_mut(), name.as_ptr(), null()) }, true),
            // SAFETY: a string; the answer is the library's own and lives as long as it.
            None => (unsafe { (libcrypto.functions.EVP_get_digestbyname)(name.as_ptr()) }.cast_mut(), false),
        };
        match NonNull::new(pointer) {
            Some(pointer) => Ok(Digest { libcrypto: Arc::clone(libcrypto), pointer, is_fetched }),
            None => {
                libcrypto.forget_errors();
                let name = name.to_string_lossy();
                Err(Unsupported::new(format!("OpenSSL {} does not offer {name} here", libcrypto.version)))
            }
        }
    }

    /// Bytes of a digest.
    pub(crate) fn bytes(&self) -> usize {
        // SAFETY: the digest is alive.
        let bytes = unsafe { (self.libcrypto.functions.EVP_MD_get_size)(self.pointer.as_ptr()) };
        usize::try_from(bytes).unwrap_or(0)
    }

    /// For the calls that take one.
    pub(super) fn pointer(&self) -> *const EvpMd {
        self.pointer.as_ptr()
    }
}

impl Drop for Digest {
    fn drop(&mut self) {
        if let (true, Some(free)) = (self.is_fetched, self.libcrypto.functions.EVP_MD_free) {
            // SAFETY: a reference that was counted by the fetch.
            unsafe { free(self.pointer.as_ptr()) }
        }
    }
}

/// A running state, for hashing and for the signatures that hash.
pub(crate) struct DigestContext {
    pub(super) libcrypto: Arc<Libcrypto>,
    pub(super) context: NonNull<EvpMdCtx>,
}

impl DigestContext {
    /// An empty one.
    ///
    /// # Errors
    /// If there is no memory.
    pub(crate) fn new(libcrypto: &Arc<Libcrypto>) -> Result<DigestContext> {
        // SAFETY: makes a context; freed by Drop.
        let context = NonNull::new(unsafe { (libcrypto.functions.EVP_MD_CTX_new)() })
            .ok_or_else(|| libcrypto.failed("EVP_MD_CTX_new"))?;
        Ok(DigestContext { libcrypto: Arc::clone(libcrypto), context })
    }

    /// Hashes `message` whole.
    #[inline]
    pub(crate) fn hash(&mut self, digest: &Digest, message: &[u8], output: &mut [u8; MAX_DIGEST_BYTES]) -> Result<()> {
        let functions = &self.libcrypto.functions;
        let context = self.context.as_ptr();
        // SAFETY: context and digest are alive.
        if unsafe { (functions.EVP_DigestInit_ex)(context, digest.pointer.as_ptr(), null_mut()) } != 1 {
            return Err(self.libcrypto.failed("EVP_DigestInit_ex"));
        }
        // SAFETY: the context has been initialised; the message has its length.
        if unsafe { (functions.EVP_DigestUpdate)(context, message.as_ptr().cast(), message.len()) } != 1 {
            return Err(self.libcrypto.failed("EVP_DigestUpdate"));
        }
        let mut written: c_uint = 0;
        // SAFETY: the buffer holds the longest digest.
        if unsafe { (functions.EVP_DigestFinal_ex)(context, output.as_mut_ptr(), &mut written) } != 1 {
            return Err(self.libcrypto.failed("EVP_DigestFinal_ex"));
        }
        Ok(())
    }
}

impl Drop for DigestContext {
    fn drop(&mut self) {
        // SAFETY: made in `new` and used by nobody else.
        unsafe { (self.libcrypto.functions.EVP_MD_CTX_free)(self.context.as_ptr()) }
    }
}
