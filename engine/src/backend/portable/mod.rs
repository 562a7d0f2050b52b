//! AES-GCM on any CPU, in constant time: no branch and no address of a memory access depends on a secret.
//!
//! AES is bitsliced (`aes.rs`). GHASH multiplies with integer products that leave gaps for the carries (`ghash.rs`).
//! Encryption and hashing are not interleaved, since they use the same execution units.

mod aes;
mod ghash;
mod s_box;

use alloc::boxed::Box;
use core::mem::MaybeUninit;

pub(crate) use ghash::HashKey;

use super::one_by_one::AesBackend;
use super::{Block, Progress, count, lengths, wipe};
use crate::backend::in_out::InOut;

/// Number of keystream blocks generated at the same time: as many as bitsliced AES encrypts at once.
const BATCH: usize = aes::BATCH;

/// A GHASH implementation that is combined with portable AES.
pub(crate) trait Ghash {
    type Proof: Copy;

    fn empty(proof: Self::Proof) -> Self;

    fn proof(&self) -> Self::Proof;

    fn expand(&mut self, h: &Block);

    /// Updates the GHASH value `hash` with `data`. Pads the last block with zeros.
    fn absorb(&self, hash: &mut Block, data: &[u8]);

    fn wipe(&mut self);
}

/// An AES-GCM key: bitsliced AES round keys, and a GHASH key of type `G`.
pub(crate) struct Key<G: Ghash = HashKey> {
    round_keys: aes::RoundKeys,
    hash_key: G,
}

impl<G: Ghash> Key<G> {
    /// Expands `key`, which has 16, 24 or 32 bytes.
    pub(crate) fn new(proof: G::Proof, key: &[u8]) -> Box<Self> {
        let mut new = Box::new(Self::empty(proof));
        new.expand(key);
        new
    }

    /// Like [`new`](Self::new), but expands the key into the memory `place`.
    pub(crate) fn new_in<'p>(place: &'p mut MaybeUninit<Self>, proof: G::Proof, key: &[u8]) -> &'p mut Self {
        let new = place.write(Self::empty(proof));
        new.expand(key);
        new
    }

    fn empty(proof: G::Proof) -> Self {
        Self { round_keys: aes::RoundKeys::empty(), hash_key: G::empty(proof) }
    }

    fn expand(&mut self, key: &[u8]) {
        self.round_keys.expand(key);
        let mut h = [[0; 16]; BATCH];
        self.round_keys.encrypt(&mut h);
        self.hash_key.expand(&h[0]);
        wipe(&mut h);
    }

    /// Encrypts `data` in counter mode; the last block may be partial. Advances `counter` to an unused counter block,
    /// not necessarily the next one.
    fn encrypt(&self, counter: &mut Block, mut data: InOut<'_>) {
        let mut keystream = [[0; 16]; BATCH];
        let mut done = 0;
        while done < data.len() {
            for block in &mut keystream {
                *block = *counter;
                count(counter);
            }
            self.round_keys.encrypt(&mut keystream);
            let bytes = (data.len() - done).min(16 * BATCH);
            data.xor(done, &keystream.as_flattened()[..bytes]);
            done += bytes;
        }
        wipe(&mut keystream);
    }

    // Not inlined: otherwise a function that chooses the backend would save this function's registers for every
    // backend. `data` consists of slices, because a struct would be written to the stack for every backend.
    #[inline(never)]
    fn seal_parts(&self, nonce: &[u8; 12], aad: &[u8], data: (Option<&[u8]>, &mut [u8]), tag: &mut Block) {
        let mut data = InOut::from_parts(data);
        let first_counter = first_counter(nonce);
        let mut counter = first_counter;
        count(&mut counter);
        self.encrypt(&mut counter, data.reborrow());
        let mut hash = [0; 16];
        self.hash_key.absorb(&mut hash, aad);
        self.hash_key.absorb(&mut hash, data.output());
        *tag = self.tag(hash, &first_counter, aad.len(), data.len());
    }

    #[inline(never)]
    fn open_parts(&self, nonce: &[u8; 12], aad: &[u8], data: (Option<&[u8]>, &mut [u8]), tag: &mut Block) {
        let data = InOut::from_parts(data);
        let first_counter = first_counter(nonce);
        let mut counter = first_counter;
        count(&mut counter);
        let mut hash = [0; 16];
        self.hash_key.absorb(&mut hash, aad);
        self.hash_key.absorb(&mut hash, data.input());
        let data_bytes = data.len();
        self.encrypt(&mut counter, data);
        *tag = self.tag(hash, &first_counter, aad.len(), data_bytes);
    }

    fn tag(&self, mut hash: Block, first_counter: &Block, aad_bytes: usize, data_bytes: usize) -> Block {
        self.hash_key.absorb(&mut hash, &lengths(aad_bytes as u64, data_bytes as u64));
        let mask = super::Key::encrypt_block(self, first_counter);
        (u128::from_ne_bytes(hash) ^ u128::from_ne_bytes(mask)).to_ne_bytes()
    }
}

impl<G: Ghash> super::Key for Key<G> {
    #[inline]
    fn seal(&self, nonce: &[u8; 12], aad: &[u8], data: InOut<'_>, tag: &mut Block) {
        self.seal_parts(nonce, aad, data.into_parts(), tag);
    }

    #[inline]
    fn open(&self, nonce: &[u8; 12], aad: &[u8], data: InOut<'_>, tag: &mut Block) {
        self.open_parts(nonce, aad, data.into_parts(), tag);
    }

    fn encrypt_block(&self, block: &Block) -> Block {
        let mut blocks = [[0; 16]; BATCH];
        blocks[0] = *block;
        self.round_keys.encrypt(&mut blocks);
        // The unused blocks encrypt zeros, which gives H.
        let encrypted = blocks[0];
        wipe(&mut blocks);
        encrypted
    }

    fn absorb(&self, hash: &mut Block, data: &[u8]) {
        self.hash_key.absorb(hash, data);
    }

    fn keystream(&self, progress: &mut Progress, keystream: &mut [u8]) {
        let blocks = keystream.len() / 16;
        keystream.fill(0);
        self.encrypt(&mut progress.counter.clone(), InOut::in_place(keystream));
        advance(&mut progress.counter, blocks);
    }

    fn seal_blocks(&self, progress: &mut Progress, mut data: InOut<'_>) {
        let blocks = data.len() / 16;
        self.encrypt(&mut progress.counter.clone(), data.reborrow());
        advance(&mut progress.counter, blocks);
        self.hash_key.absorb(&mut progress.hash, data.output());
    }

    fn open_blocks(&self, progress: &mut Progress, data: InOut<'_>) {
        let blocks = data.len() / 16;
        self.hash_key.absorb(&mut progress.hash, data.input());
        self.encrypt(&mut progress.counter.clone(), data);
        advance(&mut progress.counter, blocks);
    }
}

impl<G: Ghash> AesBackend for Key<G> {
    type RoundKeys = aes::RoundKeys;
    type Proof = G::Proof;

    fn new(proof: G::Proof, key: &[u8]) -> Box<Self> {
        Self::new(proof, key)
    }

    fn proof(&self) -> G::Proof {
        self.hash_key.proof()
    }

    fn empty(_: G::Proof) -> aes::RoundKeys {
        aes::RoundKeys::empty()
    }

    fn expand(round_keys: &mut aes::RoundKeys, key: &[u8]) {
        round_keys.expand(key);
    }

    fn copy(round_keys: &mut aes::RoundKeys, others: &aes::RoundKeys) {
        round_keys.copy(others);
    }

    fn encrypt(round_keys: &aes::RoundKeys, blocks: &mut [Block]) {
        let mut batch = [[0; 16]; BATCH];
        batch[..blocks.len()].copy_from_slice(blocks);
        round_keys.encrypt(&mut batch);
        blocks.copy_from_slice(&batch[..blocks.len()]);
        wipe(&mut batch);
    }

    fn wipe(round_keys: &mut aes::RoundKeys) {
        round_keys.wipe();
    }
}

impl<G: Ghash> Drop for Key<G> {
    fn drop(&mut self) {
        self.round_keys.wipe();
        self.hash_key.wipe();
    }
}

/// Returns J0, the first counter block, for a 96-bit nonce (SP 800-38D §7.1, step 2).
fn first_counter(nonce: &[u8; 12]) -> Block {
    let mut counter = [0; 16];
    counter[..12].copy_from_slice(nonce);
    counter[15] = 1;
    counter
}

/// Advances the counter by `blocks` blocks, fewer than 2^32 because of the maximum message length.
fn advance(counter: &mut Block, blocks: usize) {
    let [.., a, b, c, d] = *counter;
    let next = u32::from_be_bytes([a, b, c, d]).wrapping_add(blocks as u32);
    counter[12..].copy_from_slice(&next.to_be_bytes());
}

#[cfg(test)]
mod random {
    /// Marsaglia's xorshift64, which generates pseudorandom inputs for tests.
    pub(super) struct Random(pub(super) u64);

    impl Random {
        pub(super) fn byte(&mut self) -> u8 {
            self.0 ^= self.0 << 13;
            self.0 ^= self.0 >> 7;
            self.0 ^= self.0 << 17;
            (self.0 >> 56) as u8
        }

        pub(super) fn bytes<const COUNT: usize>(&mut self) -> [u8; COUNT] {
            core::array::from_fn(|_| self.byte())
        }

        pub(super) fn block(&mut self) -> u128 {
            u128::from_be_bytes(self.bytes())
        }

        pub(super) fn fill(&mut self, bytes: &mut [u8]) {
            bytes.fill_with(|| self.byte());
        }
    }
}
