//! The interface of a backend's key for messages.

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

/// An AES-GCM key expanded by a backend. The caller checks lengths against AES-GCM's limits before a call, compares
/// tags after it, and wipes the plaintext of forgeries.
pub(crate) trait Key {
    /// Seals a whole message with a 96-bit nonce. Writes the tag to `tag`, because returning it would copy it.
    fn seal(&self, nonce: &[u8; 12], aad: &[u8], data: InOut<'_>, tag: &mut Block);

    /// Seals a message with a 96-bit nonce whose plaintext is given in slices with the total length of `output`. By
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
