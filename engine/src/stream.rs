//! State of a message that is processed in parts of any size.

use crate::backend::in_out::InOut;
use crate::backend::{Block, Key, Keys, Progress, WINDOW, add, count, encrypt_and_keep, lengths, wipe};
use crate::error::Error;
use crate::limits;
use crate::nonce::{Form, Nonce};
use crate::one_time::OneTimeKey;
use crate::streaming::StreamingKey;
use crate::tag::Tag;

/// Maximum number of AAD bytes that are buffered until the first data arrives. The AAD of common protocols fits: a TLS
/// 1.3 record has 5 bytes of AAD, a QUIC packet some 30.
const MAX_KEPT: usize = 64;

/// Offset in the window at which the data of a message begins. With a nonce of 96 bits the first block of data has the
/// counter 2, so a block's index in the window is its counter modulo the number of blocks in a window.
const DATA_BEGIN: usize = 32;

/// Minimum length in bytes of data that the backend XORs with keystream, in vectors. Shorter data is XORed in words,
/// because choosing the backend takes as long as several words.
const MIN_VECTOR_BYTES: usize = 96;

/// State of a message between its parts, for sealing or opening.
///
/// Most messages have only one part in practice, and are processed faster as whole messages. So AAD is only buffered at
/// first, and the first part of the data is processed as a whole message, with its tag. If more data follows, the hash
/// is recovered from this tag (see [`Stage`]).
///
/// Later parts use keystream that was generated ahead, in a window of [`WINDOW`] bytes. Their ciphertext replaces this
/// keystream, and is hashed when the window is full. So most short parts take an XOR, without AES or GHASH. Of a longer
/// part, only the bytes before the first aligned counter and after the last one pass through the window
/// ([`Key::counter_step`]).
pub(crate) struct Stream {
    stage: Stage,
    progress: Progress,
    /// E(K, J0), which is XORed with the hash to give the tag. Not set yet in [`Stage::Kept`] and [`Stage::Whole`].
    mask: Block,
    /// The AAD buffered in [`Stage::Kept`].
    aad: [u8; MAX_KEPT],
    aad_bytes: u64,
    data_bytes: u64,
    /// Ciphertext that is not hashed yet, from offset `hashed` to `place`, then unused keystream up to `ready`. In a
    /// block that was partly hashed before, zeros replace the hashed bytes. While AAD is hashed, the first 16 bytes are
    /// the current block of AAD.
    window: [u8; WINDOW],
    /// Offset in the window of the first block that is not hashed.
    hashed: usize,
    /// Offset in the window of the next byte of data.
    place: usize,
    /// Offset in the window of the end of the keystream, a multiple of 16.
    ready: usize,
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
            window: [0; WINDOW],
            hashed: DATA_BEGIN,
            place: DATA_BEGIN,
            ready: DATA_BEGIN,
        }
    }

    /// Resets the state, and wipes unused keystream. (Does not overwrite all bytes with zeros, because the next message
    /// overwrites the other bytes.)
    pub(crate) fn clear(&mut self) {
        self.wipe_keystream();
        self.stage = Stage::Ended;
        self.progress.counter = [0; 16];
        self.progress.has_public_counter = false;
        self.progress.hash = [0; 16];
        self.aad_bytes = 0;
        self.data_bytes = 0;
        self.move_to(DATA_BEGIN);
    }

    /// Begins a message: computes J0, the first counter block, from the nonce (SP 800-38D §7.1, step 2). The state must
    /// be empty.
    ///
    /// For a nonce that does not have 96 bits, also computes E(K, J0), which masks the tag. For a 96-bit nonce, E(K,
    /// J0) is computed later, and only if the message cannot be processed as a whole.
    pub(crate) fn start(&mut self, key: &impl StreamingKey, nonce: Nonce<'_>) -> Result<(), Error> {
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
                let keys = key.expanded().keys();
                keys.absorb(counter, nonce);
                keys.absorb(counter, &lengths(0, nonce.len() as u64));
                self.make_mask(keys);
                self.stage = Stage::Streamed;
            }
        }
        Ok(())
    }

    pub(crate) fn aad(&mut self, key: &impl StreamingKey, part: &[u8]) -> Result<(), Error> {
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
        let kept = self.aad_bytes as usize;
        if self.stage == Stage::Kept {
            if let Some(place) = self.aad.get_mut(kept..total as usize) {
                place.copy_from_slice(part);
                self.aad_bytes = total;
                return Ok(());
            }
            self.stage = Stage::Streamed;
            self.make_mask(key.expanded().keys());
            self.aad_bytes = 0;
            let kept_aad = self.aad;
            self.hash_aad(key.expanded().keys(), &kept_aad[..kept]);
        }
        self.hash_aad(key.expanded().keys(), part);
        Ok(())
    }

    /// Hashes a part of the AAD. Keeps a partial last block at the beginning of the window.
    fn hash_aad(&mut self, keys: &Keys, part: &[u8]) {
        let filled = (self.aad_bytes % 16) as usize;
        self.aad_bytes += part.len() as u64;
        let mut rest = part;
        if filled > 0 {
            let taken = rest.len().min(16 - filled);
            self.window[filled..filled + taken].copy_from_slice(&rest[..taken]);
            rest = &rest[taken..];
            if filled + taken < 16 {
                return;
            }
            keys.absorb(&mut self.progress.hash, &self.window[..16]);
        }
        let (whole, last) = rest.split_at(rest.len() / 16 * 16);
        keys.absorb(&mut self.progress.hash, whole);
        self.window[..last.len()].copy_from_slice(last);
    }

    #[inline(always)]
    pub(crate) fn seal(&mut self, keys: &Keys, data: InOut<'_>) -> Result<(), Error> {
        self.update::<true>(keys, data)
    }

    #[inline(always)]
    pub(crate) fn open(&mut self, keys: &Keys, data: InOut<'_>) -> Result<(), Error> {
        self.update::<false>(keys, data)
    }

    #[inline(always)]
    fn update<const SEAL: bool>(&mut self, keys: &Keys, data: InOut<'_>) -> Result<(), Error> {
        // The longest message ends at the end of a window, so its length needs no check here.
        if data.len() <= self.ready - self.place {
            self.apply_keystream::<SEAL>(keys, data);
            return Ok(());
        }
        self.update_beyond::<SEAL>(keys, data)
    }

    /// Processes data for which there is not enough keystream yet.
    #[inline(never)]
    fn update_beyond<const SEAL: bool>(&mut self, keys: &Keys, mut rest: InOut<'_>) -> Result<(), Error> {
        let total = self.data_bytes.checked_add(rest.len() as u64).ok_or(Error::MessageTooLong)?;
        if total > limits::PLAINTEXT_BYTES {
            return Err(Error::MessageTooLong);
        }
        match self.stage {
            Stage::Ended => return Err(Error::NoMessage),
            Stage::Kept => {
                self.data_bytes = total;
                let (nonce, aad, tag) = self.begin_whole_message();
                if SEAL {
                    keys.seal(nonce, aad, rest, tag)
                } else {
                    keys.open(nonce, aad, rest, tag)
                }
                return Ok(());
            }
            Stage::Whole => self.recover_hash(keys),
            _ if self.data_bytes == 0 => self.end_aad(keys),
            _ => {}
        }
        loop {
            if self.place < self.ready {
                let bytes = rest.len().min(self.ready - self.place);
                let (part, after) = rest.split_at(bytes);
                self.apply_keystream::<SEAL>(keys, part);
                rest = after;
                if rest.len() == 0 {
                    return Ok(());
                }
            }
            // Long data is faster with AES and GHASH in one pass.
            let step = 16 * keys.counter_step();
            let is_long = rest.len() > WINDOW + step;
            if is_long || self.place == WINDOW {
                self.hash_window(keys);
                self.move_to(self.place % WINDOW);
            }
            if is_long && self.stage == Stage::Streamed && self.place.is_multiple_of(step) {
                let bytes = rest.len() / step * step;
                let (whole, last) = rest.split_at(bytes);
                if SEAL {
                    keys.seal_blocks(&mut self.progress, whole);
                } else {
                    keys.open_blocks(&mut self.progress, whole);
                }
                self.data_bytes += bytes as u64;
                self.move_to((self.place + bytes) % WINDOW);
                rest = last;
                if rest.len() == 0 {
                    return Ok(());
                }
            }
            if is_long {
                self.generate_keystream(keys, step - self.place % step);
            } else {
                // Ahead at most as many bytes as the message has, so that messages of few short parts waste little.
                self.generate_keystream(keys, rest.len().max(self.data_bytes.min(WINDOW as u64) as usize));
            }
        }
    }

    /// Begins to process the first part of the data as if it were the whole message. Returns the nonce and the AAD of
    /// that message, and the place for its tag. If more data follows, [`recover_hash`](Self::recover_hash) computes the
    /// hash from the tag of this message.
    #[inline]
    fn begin_whole_message(&mut self) -> (&[u8; 12], &[u8], &mut Block) {
        self.stage = Stage::Whole;
        let Progress { counter, hash: tag, .. } = &mut self.progress;
        let [nonce @ .., _, _, _, _] = &*counter;
        (nonce, &self.aad[..self.aad_bytes as usize], tag)
    }

    /// Returns whether a message has begun whose data can be processed by [`process_once`](Self::process_once).
    #[inline(always)]
    pub(crate) fn is_kept(&self) -> bool {
        self.stage == Stage::Kept
    }

    /// Seals the first part of the data if `SEAL`, otherwise opens it, under a key that is not expanded.
    #[inline(never)]
    pub(crate) fn process_once<const SEAL: bool>(&mut self, key: OneTimeKey<'_>, data: InOut<'_>) -> Result<(), Error> {
        limits::check(0, data.len())?;
        self.data_bytes = data.len() as u64;
        let (nonce, aad, tag) = self.begin_whole_message();
        key.process::<SEAL>(nonce, aad, data, tag);
        Ok(())
    }

    /// Recovers the hash from the tag of the first part, which was processed as a whole message, because more data
    /// follows. The recovered hash has already been multiplied by H for the next block.
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
        let place = ((self.data_bytes - filled as u64 + DATA_BEGIN as u64) % WINDOW as u64) as usize;
        self.move_to(place);
        if filled > 0 {
            self.generate_keystream(keys, 16);
            self.place = place + filled;
            wipe(&mut self.window[place..self.place]);
        }
        self.stage = if filled > 0 { Stage::AheadInBlock } else { Stage::Ahead };
    }

    /// Hashes the ciphertext in the window, which consists of whole blocks.
    fn hash_window(&mut self, keys: &Keys) {
        if self.hashed < self.place {
            hash_blocks(keys, &mut self.stage, &mut self.progress.hash, &self.window[self.hashed..self.place]);
            self.hashed = self.place;
        }
    }

    /// Computes E(K, J0) from the current counter block, which is J0, and increments the counter block.
    fn make_mask(&mut self, keys: &Keys) {
        self.mask = keys.encrypt_block(&self.progress.counter);
        count(&mut self.progress.counter);
    }

    /// Generates keystream for the next `bytes` bytes, rounded up to whole blocks, but not past the end of the window.
    fn generate_keystream(&mut self, keys: &Keys, bytes: usize) {
        self.ready = self.place + bytes.min(WINDOW - self.place).next_multiple_of(16);
        keys.keystream(&mut self.progress, &mut self.window[self.place..self.ready]);
    }

    /// Continues at offset `place` of an empty window.
    fn move_to(&mut self, place: usize) {
        (self.hashed, self.place, self.ready) = (place, place, place);
    }

    /// XORs `data` with the next keystream in the window. Replaces this keystream by the ciphertext.
    #[inline(always)]
    fn apply_keystream<const SEAL: bool>(&mut self, keys: &Keys, data: InOut<'_>) {
        let (begin, bytes) = (self.place, data.len());
        let kept = &mut self.window[begin..begin + bytes];
        if bytes < MIN_VECTOR_BYTES {
            encrypt_and_keep::<SEAL>(data, kept);
        } else {
            keys.encrypt_and_keep::<SEAL>(data, kept);
        }
        self.place += bytes;
        self.data_bytes += bytes as u64;
    }

    fn wipe_keystream(&mut self) {
        wipe(&mut self.window[self.place..self.ready]);
        self.ready = self.place;
    }

    /// Hashes the last block of the AAD if it is partial.
    fn end_aad(&mut self, keys: &Keys) {
        let filled = (self.aad_bytes % 16) as usize;
        if filled > 0 {
            keys.absorb(&mut self.progress.hash, &self.window[..filled]);
        }
    }

    /// Hashes the last blocks of the message and the block of lengths, XORs E(K, J0), and returns the resulting tag.
    /// The message ends here.
    pub(crate) fn tag(&mut self, key: &impl StreamingKey) -> Tag {
        match self.stage {
            Stage::Kept => {
                let (nonce, aad, tag) = self.begin_whole_message();
                key.expanded().keys().seal(nonce, aad, InOut::in_place(&mut []), tag);
            }
            Stage::Ended | Stage::Whole => {}
            _ => {
                self.finish_hash(key.expanded().keys());
                add(&mut self.progress.hash, &self.mask);
            }
        }
        self.stage = Stage::Ended;
        self.progress.hash
    }

    /// Copies the state field by field, because a temporary copy of the whole state would not be wiped.
    pub(crate) fn copy_from(&mut self, source: &Self) {
        let Self { stage, progress, mask, aad, aad_bytes, data_bytes, window, hashed, place, ready } = self;
        *stage = source.stage;
        *progress = source.progress;
        *mask = source.mask;
        *aad = source.aad;
        *aad_bytes = source.aad_bytes;
        *data_bytes = source.data_bytes;
        *window = source.window;
        (*hashed, *place, *ready) = (source.hashed, source.place, source.ready);
    }

    /// Hashes the data in the window, and the block of lengths. Wipes unused keystream.
    fn finish_hash(&mut self, keys: &Keys) {
        self.wipe_keystream();
        if self.data_bytes == 0 {
            self.end_aad(keys);
        }
        // The rest of a partial block is keystream that was wiped.
        self.place = self.place.next_multiple_of(16);
        self.hash_window(keys);
        let lengths = lengths(self.aad_bytes, self.data_bytes);
        hash_blocks(keys, &mut self.stage, &mut self.progress.hash, &lengths);
        self.ready = self.place;
    }
}

/// Hashes whole blocks of data. The first block may be the rest of a block that was partly hashed before.
fn hash_blocks(keys: &Keys, stage: &mut Stage, hash: &mut Block, blocks: &[u8]) {
    let mut rest = blocks;
    while *stage != Stage::Streamed && !rest.is_empty() {
        let (first, after) = rest.split_at(16);
        let mut product = [0; 16];
        keys.absorb(&mut product, first);
        *stage = if *stage == Stage::AheadInBlock {
            keys.absorb(&mut product, &[0; 16]);
            Stage::Ahead
        } else {
            Stage::Streamed
        };
        add(hash, &product);
        // The blocks are public, so H could be computed from the product.
        wipe(&mut product);
        rest = after;
    }
    keys.absorb(hash, rest);
}

impl Drop for Stream {
    fn drop(&mut self) {
        // Wipes keystream, and values from which the hash key could be computed.
        wipe(&mut self.progress.counter);
        wipe(&mut self.progress.hash);
        wipe(&mut self.mask);
        self.wipe_keystream();
    }
}
