//! State of a message that is processed in parts of any size.

use crate::backend::{Block, Key, Keys, Progress, add, count, lengths, wipe};
use crate::error::Error;
use crate::in_out::InOut;
use crate::limits;
use crate::nonce::{Form, Nonce};
use crate::tag::Tag;

/// Maximum number of AAD bytes that are buffered until the first data arrives. The AAD of common protocols fits: a TLS
/// 1.3 record has 5 bytes of AAD, a QUIC packet some 30.
const MAX_KEPT: usize = 64;

/// State of a message between its parts, for sealing or opening.
///
/// Most messages have only one part in practice, and are processed faster as whole messages. So AAD is only buffered at
/// first, and the first part of the data is processed as a whole message, with its tag. If more data follows, the hash
/// is recovered from this tag (see [`Stage`]).
pub(crate) struct Stream {
    stage: Stage,
    progress: Progress,
    /// E(K, J0), which is XORed with the hash to give the tag. Not set yet in [`Stage::Kept`] and [`Stage::Whole`].
    mask: Block,
    /// The AAD buffered in [`Stage::Kept`].
    aad: [u8; MAX_KEPT],
    aad_bytes: u64,
    data_bytes: u64,
    /// The current block of data: ciphertext in the filled bytes, unused keystream in the other bytes. (Ciphertext that
    /// has already been hashed is replaced by zeros.)
    partial: Block,
}

/// Stage of a message, which determines the meaning of `progress.hash`.
///
/// Let Y be the GHASH value of the data so far, with its last block padded with zeros. The tag of this data is Y·H +
/// L·H + E(K, J0), where L is the block of lengths. Subtracting E(K, J0) and L·H from the tag leaves Y·H: the hash,
/// already multiplied by H for the next block.
///
/// To append a block X, GHASH computes (Y + X)·H = Y·H + X·H. So adding X·H to Y·H gives the ordinary hash. If the last
/// block was partial, its remaining bytes Q, with zeros for the bytes hashed before, are added to it: this changes Y·H
/// to Y·H + Q·H². The result is again a hash that is already multiplied by H for the next block.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// No message was begun, or the tag of the last message was returned. `progress.hash` is that tag.
    Ended,
    /// A message was begun, but nothing is hashed yet, and AAD is buffered. The nonce has 96 bits and is in the counter
    /// block.
    Kept,
    /// One nonempty part of data was processed as a whole message. `progress.hash` is the tag of that message.
    Whole,
    /// `progress.hash` is Y·H: the GHASH value Y of the data so far, already multiplied by H for the next block. The
    /// last block of this data is partial, and the next data continues that block.
    AheadInBlock,
    /// `progress.hash` is Y·H: the GHASH value Y of the data so far, already multiplied by H for the next block. The
    /// next data begins a new block.
    Ahead,
    /// `progress.hash` is the ordinary GHASH value of all full blocks of the data so far.
    Streamed,
}

impl Stream {
    pub(crate) const fn empty() -> Self {
        Self {
            stage: Stage::Ended,
            progress: Progress { counter: [0; 16], has_public_counter: false, hash: [0; 16] },
            mask: [0; 16],
            aad: [0; MAX_KEPT],
            aad_bytes: 0,
            data_bytes: 0,
            partial: [0; 16],
        }
    }

    /// Resets the state. (Does not overwrite all bytes with zeros, because the next message overwrites the other
    /// bytes.)
    pub(crate) fn clear(&mut self) {
        self.stage = Stage::Ended;
        self.progress.counter = [0; 16];
        self.progress.has_public_counter = false;
        self.progress.hash = [0; 16];
        self.aad_bytes = 0;
        self.data_bytes = 0;
    }

    /// Begins a message: computes J0, the first counter block, from the nonce (SP 800-38D §7.1, step 2). The state must
    /// be empty.
    ///
    /// For a nonce that does not have 96 bits, also computes E(K, J0), which masks the tag. For a 96-bit nonce, E(K,
    /// J0) is computed later, and only if the message cannot be processed as a whole.
    pub(crate) fn start(&mut self, keys: &Keys, nonce: Nonce<'_>) -> Result<(), Error> {
        let counter = &mut self.progress.counter;
        match nonce.0 {
            Form::Bits96(nonce) => {
                counter[..12].copy_from_slice(nonce);
                counter[15] = 1;
                self.progress.has_public_counter = true;
                self.stage = Stage::Kept;
            }
            Form::Other(nonce) => {
                limits::check(nonce.len(), 0)?;
                keys.absorb(counter, nonce);
                keys.absorb(counter, &lengths(0, nonce.len() as u64));
                self.make_mask(keys);
                self.stage = Stage::Streamed;
            }
        }
        Ok(())
    }

    pub(crate) fn aad(&mut self, keys: &Keys, part: &[u8]) -> Result<(), Error> {
        if self.stage == Stage::Ended && !part.is_empty() {
            return Err(Error::NoMessage);
        }
        if self.data_bytes > 0 {
            return if part.is_empty() { Ok(()) } else { Err(Error::AadTooLate) };
        }
        let total = self.aad_bytes.checked_add(part.len() as u64).ok_or(Error::AadTooLong)?;
        if total > limits::AAD_BYTES {
            return Err(Error::AadTooLong);
        }
        if self.stage == Stage::Kept {
            let kept = self.aad_bytes as usize;
            if let Some(place) = self.aad.get_mut(kept..total as usize) {
                place.copy_from_slice(part);
                self.aad_bytes = total;
                return Ok(());
            }
            self.stage = Stage::Streamed;
            self.make_mask(keys);
            self.aad_bytes = 0;
            let kept_aad = self.aad;
            self.hash_aad(keys, &kept_aad[..kept]);
        }
        self.hash_aad(keys, part);
        Ok(())
    }

    /// Hashes a part of the AAD. Keeps a partial last block in `partial`.
    fn hash_aad(&mut self, keys: &Keys, part: &[u8]) {
        let filled = (self.aad_bytes % 16) as usize;
        self.aad_bytes += part.len() as u64;
        let mut rest = part;
        if filled > 0 {
            let taken = rest.len().min(16 - filled);
            self.partial[filled..filled + taken].copy_from_slice(&rest[..taken]);
            rest = &rest[taken..];
            if filled + taken < 16 {
                return;
            }
            keys.absorb(&mut self.progress.hash, &self.partial);
        }
        let (whole, last) = rest.split_at(rest.len() / 16 * 16);
        keys.absorb(&mut self.progress.hash, whole);
        self.partial[..last.len()].copy_from_slice(last);
    }

    pub(crate) fn seal(&mut self, keys: &Keys, data: InOut<'_>) -> Result<(), Error> {
        self.update(keys, data, Direction::Seal)
    }

    pub(crate) fn open(&mut self, keys: &Keys, data: InOut<'_>) -> Result<(), Error> {
        self.update(keys, data, Direction::Open)
    }

    fn update(&mut self, keys: &Keys, data: InOut<'_>, direction: Direction) -> Result<(), Error> {
        let total = self.data_bytes.checked_add(data.len() as u64).ok_or(Error::MessageTooLong)?;
        if total > limits::PLAINTEXT_BYTES {
            return Err(Error::MessageTooLong);
        }
        if data.len() == 0 {
            return Ok(());
        }
        match self.stage {
            Stage::Ended => return Err(Error::NoMessage),
            Stage::Kept => {
                self.data_bytes = total;
                self.process_whole(keys, data, direction);
                return Ok(());
            }
            Stage::Whole => self.recover_hash(keys),
            _ if self.data_bytes == 0 => self.end_aad(keys),
            _ => {}
        }
        let mut filled = (self.data_bytes % 16) as usize;
        self.data_bytes = total;
        let mut rest = data;
        // Data that completes a block, or follows a hash that is ahead, goes block by block.
        while rest.len() > 0 && (filled > 0 || self.stage != Stage::Streamed) {
            let taken = rest.len().min(16 - filled);
            let (part, after) = rest.split_at(taken);
            if filled == 0 {
                self.next_keystream(keys);
            }
            self.apply_keystream(part, filled, direction);
            filled = (filled + taken) % 16;
            if filled == 0 {
                self.hash_block(keys, self.partial);
            }
            rest = after;
        }
        let whole_bytes = rest.len() / 16 * 16;
        let (whole, last) = rest.split_at(whole_bytes);
        if whole.len() > 0 {
            match direction {
                Direction::Seal => keys.seal_blocks(&mut self.progress, whole),
                Direction::Open => keys.open_blocks(&mut self.progress, whole),
            }
        }
        if last.len() > 0 {
            self.next_keystream(keys);
            self.apply_keystream(last, 0, direction);
        }
        Ok(())
    }

    /// Processes the first part of the data as if it were the whole message. If more data follows,
    /// [`recover_hash`](Self::recover_hash) computes the hash from the tag of this message.
    #[inline]
    fn process_whole(&mut self, keys: &Keys, data: InOut<'_>, direction: Direction) {
        let Progress { counter, hash: tag, .. } = &mut self.progress;
        let [nonce @ .., _, _, _, _] = &*counter;
        let aad = &self.aad[..self.aad_bytes as usize];
        match direction {
            Direction::Seal => keys.seal(nonce, aad, data, tag),
            Direction::Open => keys.open(nonce, aad, data, tag),
        }
        self.stage = Stage::Whole;
    }

    /// Recovers the hash from the tag that [`process_whole`](Self::process_whole) computed, because more data follows.
    /// The recovered hash has already been multiplied by H for the next block.
    fn recover_hash(&mut self, keys: &Keys) {
        self.make_mask(keys);
        let mut last = [0; 16];
        keys.absorb(&mut last, &lengths(self.aad_bytes, self.data_bytes));
        add(&mut self.progress.hash, &self.mask);
        add(&mut self.progress.hash, &last);
        wipe(&mut last);
        // The data began with counter 2. With the longest message the counter reaches its maximum but does not pass it.
        let [.., a, b, c, d] = &mut self.progress.counter;
        [*a, *b, *c, *d] = ((self.data_bytes / 16 + 2) as u32).to_be_bytes();
        let filled = (self.data_bytes % 16) as usize;
        if filled > 0 {
            self.next_keystream(keys);
            self.partial[..filled].fill(0);
        }
        self.stage = if filled > 0 { Stage::AheadInBlock } else { Stage::Ahead };
    }

    /// Hashes the next block of data, or the remaining bytes of a block that was partly hashed before.
    fn hash_block(&mut self, keys: &Keys, block: Block) {
        match self.stage {
            Stage::AheadInBlock => {
                let mut blocks = [0; 32];
                blocks[..16].copy_from_slice(&block);
                self.add_product(keys, &blocks);
                self.stage = Stage::Ahead;
            }
            Stage::Ahead => {
                self.add_product(keys, &block);
                self.stage = Stage::Streamed;
            }
            _ => keys.absorb(&mut self.progress.hash, &block),
        }
    }

    /// Adds the GHASH value of `blocks` to the hash. (The GHASH value of `blocks` is computed with an initial value of
    /// zero.)
    fn add_product(&mut self, keys: &Keys, blocks: &[u8]) {
        let mut product = [0; 16];
        keys.absorb(&mut product, blocks);
        add(&mut self.progress.hash, &product);
        // The blocks are public, so H could be computed from the product.
        wipe(&mut product);
    }

    /// Computes E(K, J0) from the current counter block, which is J0, and increments the counter block.
    fn make_mask(&mut self, keys: &Keys) {
        self.mask = keys.encrypt_block(&self.progress.counter);
        count(&mut self.progress.counter);
    }

    /// Generates the keystream of a block whose data may arrive in several parts.
    fn next_keystream(&mut self, keys: &Keys) {
        self.partial = keys.encrypt_block(&self.progress.counter);
        count(&mut self.progress.counter);
    }

    /// XORs `data` with the keystream in `partial` from byte `filled` on. Replaces these bytes of `partial` by the
    /// ciphertext.
    fn apply_keystream(&mut self, mut data: InOut<'_>, filled: usize, direction: Direction) {
        let bytes = data.len();
        let mut part = [0; 16];
        part[..bytes].copy_from_slice(data.input());
        for ((output, input), kept) in
            data.output_mut().iter_mut().zip(&part).zip(&mut self.partial[filled..filled + bytes])
        {
            *output = input ^ *kept;
            *kept = match direction {
                Direction::Seal => *output,
                Direction::Open => *input,
            };
        }
        wipe(&mut part);
    }

    /// Hashes the last block of the AAD if it is partial.
    fn end_aad(&mut self, keys: &Keys) {
        let filled = (self.aad_bytes % 16) as usize;
        if filled > 0 {
            keys.absorb(&mut self.progress.hash, &self.partial[..filled]);
        }
    }

    /// Hashes the last blocks of the message and the block of lengths, XORs E(K, J0), and returns the resulting tag.
    /// The message ends here.
    pub(crate) fn tag(&mut self, keys: &Keys) -> Tag {
        match self.stage {
            Stage::Kept => self.process_whole(keys, InOut::InPlace(&mut []), Direction::Seal),
            Stage::Ended | Stage::Whole => {}
            _ => {
                self.finish_hash(keys);
                add(&mut self.progress.hash, &self.mask);
            }
        }
        self.stage = Stage::Ended;
        self.progress.hash
    }

    /// Copies the state field by field, because a temporary copy of the whole state would not be wiped.
    pub(crate) fn copy_from(&mut self, source: &Self) {
        let Self { stage, progress, mask, aad, aad_bytes, data_bytes, partial } = self;
        *stage = source.stage;
        *progress = source.progress;
        *mask = source.mask;
        *aad = source.aad;
        *aad_bytes = source.aad_bytes;
        *data_bytes = source.data_bytes;
        *partial = source.partial;
    }

    /// Hashes the partial last block of the data, if any, and the block of lengths.
    fn finish_hash(&mut self, keys: &Keys) {
        let filled = (self.data_bytes % 16) as usize;
        if self.data_bytes == 0 {
            self.end_aad(keys);
        } else if filled > 0 {
            let mut last = [0; 16];
            last[..filled].copy_from_slice(&self.partial[..filled]);
            self.hash_block(keys, last);
        }
        self.hash_block(keys, lengths(self.aad_bytes, self.data_bytes));
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        // Wipes keystream, and values from which the hash key could be computed.
        wipe(&mut self.progress.counter);
        wipe(&mut self.progress.hash);
        wipe(&mut self.mask);
        wipe(&mut self.partial);
    }
}

#[derive(Clone, Copy)]
enum Direction {
    Seal,
    Open,
}
