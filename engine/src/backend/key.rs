//! The interface of a backend's key for messages.

use core::ffi::{c_int, c_void};

use super::block::Block;
use super::parts::gather;
use crate::error::Error;
use crate::in_out::InOut;

/// Progress of a message that is sealed or opened in parts.
#[derive(Clone, Copy)]
pub(crate) struct Progress {
    /// Counter block of the next block of data.
    pub(crate) counter: Block,
    /// Whether the counter is public. With a nonce of 96 bits it starts at one; with any other nonce, at a hash under
    /// the secret H.
    pub(crate) has_public_counter: bool,
    /// GHASH of all blocks so far.
    pub(crate) hash: Block,
}

/// A function that seals a whole message with a nonce of 12 bytes. The arguments are those of the C library's
/// kasoku_gcm_seal(): key, nonce, AAD, plaintext, address for the ciphertext, address for the tag. It returns 0. So the
/// C library's function can end in a jump to this one.
///
/// The caller guarantees that the memory can be read and written, that the ciphertext replaces the plaintext or overlaps
/// nothing else, and that the tag overlaps nothing else.
pub type SealFunction = unsafe extern "C" fn(
    key: *const c_void,
    nonce: *const u8,
    nonce_bytes: usize,
    aad: *const u8,
    aad_bytes: usize,
    input: *const u8,
    bytes: usize,
    output: *mut u8,
    tag: *mut u8,
) -> c_int;

/// A function that seals or opens one message under a key of 16, 24 or 32 bytes, with a nonce of 12 bytes. The arguments
/// are those of the C library's kasoku_gcm_seal_once(): key, nonce, AAD, input, address for the output, address for the
/// tag, or for the expected tag when opening. It returns 0.
///
/// The caller's guarantees are those for a [`SealFunction`]; nothing that is written overlaps the key.
pub type OnceFunction = unsafe extern "C" fn(
    key: *const u8,
    key_bytes: usize,
    nonce: *const u8,
    nonce_bytes: usize,
    aad: *const u8,
    aad_bytes: usize,
    input: *const u8,
    bytes: usize,
    output: *mut u8,
    tag: *mut u8,
) -> c_int;

/// An AES-GCM key expanded by a backend. The caller checks lengths against AES-GCM's limits before a call, compares
/// tags after it, and wipes the plaintext of forgeries.
pub(crate) trait Key {
    /// Seals a whole message with a 96-bit nonce. Writes the tag to `tag`, because returning it would copy it.
    fn seal(&self, nonce: &[u8; 12], aad: &[u8], data: InOut<'_>, tag: &mut Block);

    /// Returns the function that seals a message of `bytes` bytes with `aad_bytes` bytes of AAD, and its first argument.
    /// Returns `otherwise` if the message takes more than one function, or if the key has too few powers of H for it.
    /// (With an `Option`, the compiler would test for `None` behind all branches.)
    #[inline(always)]
    fn seal_function(
        &self,
        aad_bytes: usize,
        bytes: usize,
        otherwise: (SealFunction, *const c_void),
    ) -> (SealFunction, *const c_void) {
        let _ = (aad_bytes, bytes);
        otherwise
    }

    /// Seals a message with a 96-bit nonce whose plaintext is given in slices, with the total length of `output`. By
    /// default, copies all slices to `output` first.
    ///
    /// # Errors
    /// [`Error::LengthsDiffer`]; the content of `output` is then unspecified.
    fn seal_gathered<'a>(
        &self,
        nonce: &[u8; 12],
        aad: &[u8],
        slices: impl Iterator<Item = &'a [u8]>,
        output: &mut [u8],
        tag: &mut Block,
    ) -> Result<(), Error> {
        gather(slices, output)?;
        self.seal(nonce, aad, InOut::InPlace(output), tag);
        Ok(())
    }

    /// Opens a whole message with a 96-bit nonce, and writes the computed tag to `tag`, for the caller to compare.
    fn open(&self, nonce: &[u8; 12], aad: &[u8], data: InOut<'_>, tag: &mut Block);

    fn encrypt_block(&self, block: &Block) -> Block;

    /// Updates the GHASH value `hash` with `data`, padding the last block with zeros.
    fn absorb(&self, hash: &mut Block, data: &[u8]);

    /// Seals whole blocks and hashes their ciphertext; the counter wraps modulo 2^32.
    fn seal_blocks(&self, progress: &mut Progress, data: InOut<'_>);

    /// Hashes whole blocks of ciphertext and opens them; the counter wraps modulo 2^32.
    fn open_blocks(&self, progress: &mut Progress, data: InOut<'_>);
}
