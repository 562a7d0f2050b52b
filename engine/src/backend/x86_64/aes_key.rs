//! AES round keys without powers of H, for modes that derive a new key for each message.

use super::cipher::RoundKeys;
use super::key_schedule::{self, MAX_ROUNDS};
use super::schedule::Schedule;
use crate::backend::{Block, Plain};

/// Round keys of an AES key of 16 or 32 bytes.
#[repr(C, align(64))]
pub(crate) struct AesKey<V: Schedule> {
    pub(super) round_keys: [Block; MAX_ROUNDS + 1],
    rounds: usize,
    pub(super) proof: V::Proof,
}

// SAFETY: contains only bytes, a number and a zero-sized proof, and owns no resource.
unsafe impl<V: Schedule> Plain for AesKey<V> {}

impl<V: Schedule> AesKey<V> {
    pub(super) fn empty(proof: V::Proof) -> Self {
        Self { round_keys: [[0; 16]; MAX_ROUNDS + 1], rounds: 0, proof }
    }

    /// Expands `key`, which has 16 or 32 bytes, into these round keys.
    #[inline(always)]
    pub(super) fn expand(&mut self, key: &[u8]) {
        self.rounds = key_schedule::expand(self.proof.into(), key, &mut self.round_keys);
    }

    #[inline(always)]
    pub(super) fn is_of_16_bytes(&self) -> bool {
        self.rounds == 10
    }
}

impl<V: Schedule> RoundKeys<V> for AesKey<V> {
    #[inline(always)]
    fn round_key(&self, round: usize) -> V {
        debug_assert!(round < self.round_keys.len());
        // SAFETY: the table has a key for each round, aligned to 16 bytes.
        unsafe { V::load_broadcast(self.proof, self.round_keys.as_ptr().add(round).cast()) }
    }
}
