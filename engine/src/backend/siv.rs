//! AES-GCM-SIV: the interface of a backend's key, and a generic implementation for backends without a kernel of their
//! own.

use alloc::boxed::Box;

use super::one_by_one::{AesBackend, BATCH};
use super::portable::Ghash;
use super::{Block, wipe};
use crate::backend::in_out::InOut;

/// A backend's key for AES-GCM-SIV. The caller checks lengths against the limits of AES-GCM-SIV before a call. After
/// opening, the caller compares the tags, and wipes the plaintext of forgeries.
pub(crate) trait SivKey {
    fn seal(&self, nonce: &[u8; 12], aad: &[u8], data: InOut<'_>, tag: &mut Block);

    /// Opens a message that was received with the tag `tag`. Returns the computed tag, which the caller compares with
    /// `tag`.
    fn open(&self, nonce: &[u8; 12], aad: &[u8], data: InOut<'_>, tag: &Block) -> Block;
}

/// An AES-GCM-SIV key that follows RFC 8452 step by step. It encrypts with AES of type `K` and hashes with GHASH of
/// type `G`.
pub(crate) struct GenericSivKey<K: AesBackend, G: Ghash<Proof = K::Proof>> {
    round_keys: K::RoundKeys,
    key_bytes: usize,
    proof: K::Proof,
    hash: core::marker::PhantomData<G>,
}

impl<K: AesBackend, G: Ghash<Proof = K::Proof>> GenericSivKey<K, G> {
    /// Expands `key`, which has 16 or 32 bytes.
    pub(crate) fn new(proof: K::Proof, key: &[u8]) -> Box<Self> {
        let hash = core::marker::PhantomData;
        let mut new = Box::new(Self { round_keys: K::empty(proof), key_bytes: key.len(), proof, hash });
        K::expand(&mut new.round_keys, key);
        new
    }

    fn with_message_keys<T>(&self, nonce: &[u8; 12], work: impl FnOnce(&MessageKeys<K, G>) -> T) -> T {
        let mut blocks = [[0; 16]; 6];
        for (number, block) in (0..).zip(&mut blocks) {
            block[0] = number;
            block[4..].copy_from_slice(nonce);
        }
        K::encrypt(&self.round_keys, &mut blocks[..2 + self.key_bytes / 8]);
        // Only the first half of each block is used (RFC 8452 §4).
        let mut derived = [0; 48];
        for (half, block) in derived.chunks_exact_mut(8).zip(&blocks) {
            half.copy_from_slice(&block[..8]);
        }
        let (authentication, encryption) = derived.split_at(16);
        let mut keys = MessageKeys::<K, G> { round_keys: K::empty(self.proof), hash_key: G::empty(self.proof) };
        K::expand(&mut keys.round_keys, &encryption[..self.key_bytes]);
        let mut h = hash_key_of_ghash(authentication);
        keys.hash_key.expand(&h);
        let outcome = work(&keys);
        keys.hash_key.wipe();
        K::wipe(&mut keys.round_keys);
        wipe(&mut h);
        wipe(&mut derived);
        wipe(&mut blocks);
        outcome
    }
}

impl<K: AesBackend, G: Ghash<Proof = K::Proof>> Drop for GenericSivKey<K, G> {
    fn drop(&mut self) {
        K::wipe(&mut self.round_keys);
    }
}

impl<K: AesBackend, G: Ghash<Proof = K::Proof>> SivKey for GenericSivKey<K, G> {
    fn seal(&self, nonce: &[u8; 12], aad: &[u8], data: InOut<'_>, tag: &mut Block) {
        self.with_message_keys(nonce, |keys| {
            *tag = keys.tag(nonce, aad, data.input());
            keys.counter_mode(tag, data);
        });
    }

    fn open(&self, nonce: &[u8; 12], aad: &[u8], mut data: InOut<'_>, tag: &Block) -> Block {
        self.with_message_keys(nonce, |keys| {
            keys.counter_mode(tag, data.reborrow());
            keys.tag(nonce, aad, data.output())
        })
    }
}

/// Keys derived for one message: the message-authentication key and the message-encryption key (RFC 8452 §4).
struct MessageKeys<K: AesBackend, G> {
    round_keys: K::RoundKeys,
    hash_key: G,
}

impl<K: AesBackend, G: Ghash> MessageKeys<K, G> {
    /// Computes the tag (RFC 8452 §4): XORs the POLYVAL hash with the nonce, clears the highest bit, and encrypts the
    /// result.
    fn tag(&self, nonce: &[u8; 12], aad: &[u8], plaintext: &[u8]) -> Block {
        let mut lengths = [0; 16];
        lengths[..8].copy_from_slice(&(8 * aad.len() as u64).to_le_bytes());
        lengths[8..].copy_from_slice(&(8 * plaintext.len() as u64).to_le_bytes());
        let mut hash = [0; 16];
        for data in [aad, plaintext, &lengths] {
            self.absorb(&mut hash, data);
        }
        hash.reverse();
        hash.iter_mut().zip(nonce).for_each(|(byte, nonce)| *byte ^= nonce);
        hash[15] &= 0x7F;
        K::encrypt(&self.round_keys, core::slice::from_mut(&mut hash));
        hash
    }

    /// Updates the POLYVAL value `hash` with `data`. Uses GHASH, for which the bytes of each block are reversed.
    fn absorb(&self, hash: &mut Block, data: &[u8]) {
        for piece in data.chunks(16 * BATCH) {
            let mut blocks = [[0; 16]; BATCH];
            blocks.as_flattened_mut()[..piece.len()].copy_from_slice(piece);
            let blocks_mut = &mut blocks[..piece.len().div_ceil(16)];
            blocks_mut.iter_mut().for_each(|block| block.reverse());
            self.hash_key.absorb(hash, blocks_mut.as_flattened());
            wipe(&mut blocks);
        }
    }

    /// Encrypts in counter mode. The first counter block is `tag` with the highest bit set. The counter is the first
    /// 32-bit word of the block, and wraps around.
    fn counter_mode(&self, tag: &Block, mut data: InOut<'_>) {
        let [a, b, c, d, rest @ ..] = *tag;
        let mut count = u32::from_le_bytes([a, b, c, d]);
        let mut keystream = [[0; 16]; BATCH];
        let mut done = 0;
        while done < data.len() {
            for block in &mut keystream {
                block[..4].copy_from_slice(&count.to_le_bytes());
                block[4..].copy_from_slice(&rest);
                block[15] |= 0x80;
                count = count.wrapping_add(1);
            }
            K::encrypt(&self.round_keys, &mut keystream);
            let bytes = (data.len() - done).min(16 * BATCH);
            data.xor(done, &keystream.as_flattened()[..bytes]);
            done += bytes;
        }
        wipe(&mut keystream);
    }
}

/// Returns the key with which GHASH computes POLYVAL under `key`, except for the byte order (RFC 8452 Appendix A):
/// `key` times x, with the bytes reversed.
fn hash_key_of_ghash(key: &[u8]) -> Block {
    let value = key.iter().rev().fold(0, |value, &byte| value << 8 | u128::from(byte));
    // Because GCM's bit order is reversed, multiplying by x is a shift to the right. The bit shifted out is x^128,
    // which reduces to 0xE1 in the highest byte. RFC 8452 reverses the bytes, so `value` is the key read as a
    // little-endian number.
    ((value >> 1) ^ ((value & 1).wrapping_neg() & (0xE1 << 120))).to_be_bytes()
}
