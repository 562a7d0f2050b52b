//! What a backend does with messages.

use super::block::Block;
use super::parts::gather;
use crate::error::Error;
use crate::in_out::InOut;

/// Progress of a message that is sealed or opened in parts.
#[derive(Clone, Copy)]
pub(crate) struct Progress {
    /// The counter block of the next block of data.
    pub(crate) counter: Block,
    /// Whether the counter is public: with a nonce of 96 bits it begins at one, with any other at a hash under the
    /// secret H.
    pub(crate) has_public_counter: bool,
    /// The hash of all blocks so far.
    pub(crate) hash: Block,
}

/// What a backend's key can do. Lengths are within the mode's limits when it is called; tags are compared, and the
/// plaintext of forgeries wiped, by the caller.
pub(crate) trait Key {
    /// Seals a whole message with a 96-bit nonce, and writes its tag. (Not a value: returned in a `Result` it would be
    /// taken apart and put together again.)
    fn seal(&self, nonce: &[u8; 12], aad: &[u8], data: InOut<'_>, tag: &mut Block);

    /// Seals a message with a 96-bit nonce whose plaintext is given in slices, together as long as `output`. (Usually
    /// they are copied to it.)
    ///
    /// # Errors
    /// [`Error::LengthsDiffer`], with anything in the output.
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

    /// Opens a whole message with a 96-bit nonce, and writes the tag it ought to have.
    fn open(&self, nonce: &[u8; 12], aad: &[u8], data: InOut<'_>, tag: &mut Block);

    /// One AES block.
    fn encrypt_block(&self, block: &Block) -> Block;

    /// Absorbs `data` into `hash`, its last block filled up with zeros.
    fn absorb(&self, hash: &mut Block, data: &[u8]);

    /// Seals a part of whole blocks and hashes the ciphertext; the counter counts modulo 2^32.
    fn seal_blocks(&self, progress: &mut Progress, data: InOut<'_>);

    /// Opens a part of whole blocks after hashing the ciphertext; the counter counts modulo 2^32.
    fn open_blocks(&self, progress: &mut Progress, data: InOut<'_>);
}
