//! State of a message that comes in parts of any size.

use crate::backend::{Block, Key, Keys, Progress, add, count, lengths, wipe};
use crate::error::Error;
use crate::in_out::InOut;
use crate::limits;
use crate::nonce::{Form, Nonce};
use crate::tag::Tag;

/// Maximum number of AAD bytes kept until it is known whether the data comes in one part. A TLS 1.3 record has 5 bytes
/// of AAD, a QUIC packet some 30.
const MAX_KEPT: usize = 64;

/// State of a message between its parts, for sealing or opening.
///
/// Most messages that could come in parts come in one, and take less time as a whole. So AAD is at first only kept, and
/// the first part of data is treated as all of it, tag included. If more data comes, the hash is recovered from that
/// tag; see [`Stage`].
pub(crate) struct Stream {
    stage: Stage,
    progress: Progress,
    /// E(K, J0), which masks the tag. Unset in [`Stage::Kept`] and [`Stage::Whole`].
    mask: Block,
    /// The AAD kept in [`Stage::Kept`].
    aad: [u8; MAX_KEPT],
    aad_bytes: u64,
    data_bytes: u64,
    /// The current block of data: unused keystream at the places not yet filled, ciphertext at the filled ones.
    /// (Ciphertext that was hashed already is replaced by zeros.)
    partial: Block,
}

/// Meaning of the hash in `progress.hash`.
///
/// The tag of the data so far is Y·H + L·H + E(K, J0). Here Y is the hash after that data, its last block padded with
/// zeros, and L is the block of the lengths. Subtracting the mask and L·H leaves Y·H: the hash one step ahead.
///
/// Linearity brings in what follows. A next block X turns Y·H into Y·H + X·H, which is no longer ahead. The rest Q of a
/// partial last block, with zeros in place of what was hashed, turns it into Y·H + Q·H², which is as far ahead as
/// before.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// No message: none was begun, or its tag was returned. The tag is kept in place of the hash.
    Ended,
    /// Nothing is hashed yet. The counter block holds a nonce of 96 bits; the AAD is kept.
    Kept,
    /// One nonempty part of data came and was processed as a whole message. Its tag is kept in place of the hash.
    Whole,
    /// The hash is one step ahead, and the next data belongs to the block that was hashed last.
    AheadInBlock,
    /// The hash is one step ahead, and the next data begins a block.
    Ahead,
    /// The hash covers all full blocks.
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

    /// Resets the state. (Not all bytes are zeroed: the next message overwrites the rest.)
    pub(crate) fn clear(&mut self) {
        self.stage = Stage::Ended;
        self.progress.counter = [0; 16];
        self.progress.has_public_counter = false;
        self.progress.hash = [0; 16];
        self.aad_bytes = 0;
        self.data_bytes = 0;
    }

    /// Sets the first counter block and, unless the nonce has 96 bits, the mask (SP 800-38D §7.1, steps 2 and 3). The
    /// state must be empty.
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

    /// Hashes a part of the AAD. A partial block waits in `partial`.
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

    /// Processes the first part of data as a whole message.
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

    /// Recovers the hash, one step ahead, from the tag that [`process_whole`](Self::process_whole) computed: more data follows.
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

    /// Hashes the next block, or the rest of a block that was hashed in part.
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

    /// Adds the hash of `blocks` alone to the hash.
    fn add_product(&mut self, keys: &Keys, blocks: &[u8]) {
        let mut product = [0; 16];
        keys.absorb(&mut product, blocks);
        add(&mut self.progress.hash, &product);
        // The blocks are public, so H could be computed from the product.
        wipe(&mut product);
    }

    /// Encrypts J0, the current counter block, and moves to the next counter block.
    fn make_mask(&mut self, keys: &Keys) {
        self.mask = keys.encrypt_block(&self.progress.counter);
        count(&mut self.progress.counter);
    }

    /// Makes the keystream of a block that may come in several parts.
    fn next_keystream(&mut self, keys: &Keys) {
        self.partial = keys.encrypt_block(&self.progress.counter);
        count(&mut self.progress.counter);
    }

    /// Applies the keystream in `partial` from byte `filled` on, and leaves the ciphertext there.
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

    /// Returns the tag and ends the message: hashes the last blocks and the lengths, and adds the mask.
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

    /// Copies the state field by field, so that no temporary copy is left that nobody wipes.
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

    /// Hashes the partial block, if any, and the lengths.
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
