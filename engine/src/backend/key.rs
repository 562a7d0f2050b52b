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

/// A backend's key for messages. The caller checks lengths against AES-GCM's limits before a call, compares tags after
/// it, and wipes the plaintext of forgeries.
pub(crate) trait Key {
    /// Seals a whole message with a 96-bit nonce, and writes its tag to `tag`. (A tag returned in a `Result` would be
    /// taken apart and put together again.)
    fn seal(&self, nonce: &[u8; 12], aad: &[u8], data: InOut<'_>, tag: &mut Block);

    /// Seals a message with a 96-bit nonce whose plaintext is given in slices, together as long as `output`. The
    /// default copies the slices to `output` first.
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

    /// Opens a whole message with a 96-bit nonce, and writes the expected tag to `tag`.
    fn open(&self, nonce: &[u8; 12], aad: &[u8], data: InOut<'_>, tag: &mut Block);

    fn encrypt_block(&self, block: &Block) -> Block;

    /// Absorbs `data` into `hash`, padding the last block with zeros.
    fn absorb(&self, hash: &mut Block, data: &[u8]);

    /// Seals whole blocks and hashes their ciphertext; the counter wraps modulo 2^32.
    fn seal_blocks(&self, progress: &mut Progress, data: InOut<'_>);

    /// Hashes whole blocks of ciphertext and opens them; the counter wraps modulo 2^32.
    fn open_blocks(&self, progress: &mut Progress, data: InOut<'_>);
}
