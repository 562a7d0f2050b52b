//! XAES-256-GCM (C2SP): derives a key for each message from the message's nonce. Expands this key on the stack, with
//! only the powers of H that the message needs.
//!
//! The fixed cost of a message is a chain of dependent operations: two blocks in parallel for the message key, the key
//! schedule, H and its powers.

use super::aes_key::AesKey;
use super::aesni::Lanes1;
use super::key::{KeyMemory, Powers};
use super::key_schedule::MAX_ROUNDS;
use super::schedule::Schedule;
use super::vector::Vector;
use crate::backend::xaes::{BEGINNINGS, subkey};
use crate::backend::{Block, Plain};

/// An XAES-256-GCM key, from which the AES-GCM keys of messages are derived.
#[repr(C, align(64))]
pub(crate) struct MasterKey<V: Schedule> {
    aes: AesKey<V>,
    /// The subkey K1 of CMAC (SP 800-38B §6.1).
    subkey: Block,
}

// SAFETY: contains only bytes and another plain type, and owns no resource.
unsafe impl<V: Schedule> Plain for MasterKey<V> {}

impl<V: Schedule> MasterKey<V> {
    /// Returns key memory that does not contain a key yet.
    pub(super) fn empty(proof: V::Proof) -> Self {
        Self { aes: AesKey::empty(proof), subkey: [0; 16] }
    }

    /// Returns the proof that the CPU has the features of the backend.
    #[inline(always)]
    pub(super) fn proof(&self) -> V::Proof {
        self.aes.proof
    }

    /// Expands `key`, and computes the subkey K1 of CMAC.
    #[inline(always)]
    pub(super) fn expand(&mut self, key: &[u8; 32]) {
        self.aes.expand(key);
        let zero = Lanes1::zero(self.proof().into());
        self.subkey = subkey(self.encrypt([zero; 2])[0].to_bytes());
    }

    /// Derives the AES-GCM key of a message from `context`, the first half of the message's nonce. Expands this key
    /// into `message`, with the powers of H that `powers` selects.
    #[inline(always)]
    pub(super) fn derive(&self, context: &[u8; 12], powers: Powers, message: &mut KeyMemory<V>) {
        let proof = self.proof().into();
        let [a, b, c] = context.as_chunks::<4>().0 else { unreachable!("twelve bytes") };
        let [a, b, c] = [a, b, c].map(|word| u64::from(u32::from_le_bytes(*word)));
        let subkey = Lanes1::of_bytes(proof, &self.subkey);
        let [first, second] = BEGINNINGS.map(|word| Lanes1::of_halves(proof, u64::from(word) | a << 32, b | c << 32));
        let key = self.encrypt([first.xor(subkey), second.xor(subkey)]);
        message.expand_256(key, powers);
    }

    /// Encrypts two blocks in parallel with AES-256.
    #[inline(always)]
    fn encrypt(&self, blocks: [Lanes1; 2]) -> [Lanes1; 2] {
        let key = |round: usize| Lanes1::of_bytes(self.proof().into(), &self.aes.round_keys[round]);
        let [mut first, mut second] = [blocks[0].xor(key(0)), blocks[1].xor(key(0))];
        for round in 1..MAX_ROUNDS {
            (first, second) = (first.aes_round(key(round)), second.aes_round(key(round)));
        }
        [first.aes_last_round(key(MAX_ROUNDS)), second.aes_last_round(key(MAX_ROUNDS))]
    }
}
