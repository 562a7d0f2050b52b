//! What `EVP_CIPHER_CTX` has of a provider, whatever the cipher.

use std::ffi::c_uint;

use crate::abi::Param;
use crate::buffers::Piece;
use crate::context::Failure;
use crate::parameter::Params;
use crate::provider::Provider;

/// A key, and one message after another.
pub(crate) trait CipherContext {
    /// `EVP_CIPH_…_MODE`.
    const MODE: c_uint;

    /// What can be asked of it, and what can be set.
    const GETTABLE: *const Param;
    const SETTABLE: *const Param;

    /// One for keys of so many bytes.
    fn new(provider: &'static Provider, key_bytes: usize) -> Box<Self>;

    /// Another one in the same state.
    fn duplicate(&self) -> Box<Self>;

    fn provider(&self) -> &'static Provider;

    /// Sets the direction, and an IV and a key where there are any.
    fn start(&mut self, is_encrypting: bool, key: Option<&[u8]>, iv: Option<&[u8]>) -> Result<(), Failure>;

    /// Takes the next piece; how many bytes came out.
    fn take(&mut self, piece: Piece<'_>) -> Result<usize, Failure>;

    /// Answers what is asked.
    fn get(&mut self, params: Params<'_>) -> Result<(), Failure>;

    /// Sets what is given.
    fn set_all(&mut self, params: Params<'_>) -> Result<(), Failure>;
}
