//! The interface of each backend's AES-GCM key for messages.

use core::ffi::{c_int, c_void};

use super::block::Block;
use super::kept::encrypt_and_keep;
use super::parts::gather;
use crate::backend::in_out::InOut;
use crate::error::Error;

/// Length in bytes of a window: data of consecutive counters. If the counters are public, the first is a multiple of
/// the number of blocks in a window, so that no kernel's table of counters ends inside a window.
pub(crate) const WINDOW: usize = 512;

/// Progress of a message that is sealed or opened in parts.
#[derive(Clone, Copy)]
pub(crate) struct Progress {
    /// Counter block for the next block of data.
    pub(crate) counter: Block,
    /// Whether the counter may be revealed. With a nonce of 96 bits, the counter starts at one. With any other nonce,
    /// it starts at a hash under the secret H.
    pub(crate) has_public_counter: bool,
    /// GHASH value of all blocks processed so far.
    pub(crate) hash: Block,
}

/// A function that seals a whole message with a nonce of 12 bytes. The arguments are those of the C library's
/// kasoku_gcm_seal(): key, nonce, AAD, plaintext, address for the ciphertext, address for the tag. The function returns
/// 0, like kasoku_gcm_seal(), which can therefore end with a jump to this function.
///
/// The caller guarantees that the memory can be read and written. Ciphertext and plaintext must be the same buffer or
/// not overlap, and neither ciphertext nor tag may overlap another argument.
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

/// A function that seals or opens one message under a key of 16, 24 or 32 bytes, with a nonce of 12 bytes. The
/// arguments are those of the C library's kasoku_gcm_seal_once(): key, nonce, AAD, input, address for the output,
/// address of the tag (when opening, of the expected tag). The function returns 0.
///
/// The caller gives the guarantees for a [`SealFunction`]. In addition, neither output nor tag may overlap the key.
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

/// An AES-GCM key expanded by a backend. The caller checks lengths against AES-GCM's limits before a call. After
/// opening, the caller compares the tags, and wipes the plaintext of forgeries.
pub(crate) trait Key {
    /// Seals a whole message with a 96-bit nonce. Writes the tag to `tag`. (Returning the tag would copy it.)
    fn seal(&self, nonce: &[u8; 12], aad: &[u8], data: InOut<'_>, tag: &mut Block);

    /// Returns the function that seals a message of `bytes` bytes with `aad_bytes` bytes of AAD, and the first argument
    /// for that function. Returns `otherwise` if sealing the message takes more than one function, or if the key has
    /// too few powers of H for the message. (With an `Option`, the compiler would test for `None` after all branches.)
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

    /// Seals a message with a 96-bit nonce. The plaintext is given in slices, whose total length must be that of
    /// `output`. By default, copies all slices to `output` first.
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
        self.seal(nonce, aad, InOut::in_place(output), tag);
        Ok(())
    }

    /// Opens a whole message with a 96-bit nonce. Writes the computed tag to `tag`; the caller compares this tag with
    /// the received one.
    fn open(&self, nonce: &[u8; 12], aad: &[u8], data: InOut<'_>, tag: &mut Block);

    fn encrypt_block(&self, block: &Block) -> Block;

    /// Updates the GHASH value `hash` with `data`. Pads the last block with zeros.
    fn absorb(&self, hash: &mut Block, data: &[u8]);

    /// Fills `keystream`, whole blocks inside a window, with the keystream from the counter in `progress` on. Advances
    /// the counter, which wraps modulo 2^32.
    fn keystream(&self, progress: &mut Progress, keystream: &mut [u8]);

    /// Does the same as [`encrypt_and_keep`], in vectors if the backend has them.
    fn encrypt_and_keep<const SEAL: bool>(&self, data: InOut<'_>, kept: &mut [u8]) {
        encrypt_and_keep::<SEAL>(data, kept);
    }

    /// Returns the alignment of a public counter that [`seal_blocks`](Self::seal_blocks) requires, in blocks: a power
    /// of two, at most the number of blocks in a window ([`WINDOW`]).
    fn counter_step(&self) -> usize {
        1
    }

    /// Seals whole blocks and hashes their ciphertext. The counter wraps modulo 2^32. The data is longer than a window.
    /// Unless the counter is secret, the counter is a multiple of [`counter_step`](Self::counter_step).
    fn seal_blocks(&self, progress: &mut Progress, data: InOut<'_>);

    /// Hashes whole blocks of ciphertext and opens them, with the requirements of [`seal_blocks`](Self::seal_blocks).
    fn open_blocks(&self, progress: &mut Progress, data: InOut<'_>);
}
