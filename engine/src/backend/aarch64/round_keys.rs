//! AES round keys, and AES encryption without the addition of the last round key.

use super::products::Products;
use super::vector::Vector;
use crate::backend::key_schedule::{self, MAX_ROUNDS};
use crate::backend::{Block, Plain};

#[repr(C, align(16))]
pub(crate) struct RoundKeys<P: Products> {
    pub(super) keys: [Block; MAX_ROUNDS + 1],
    pub(super) rounds: usize,
    pub(super) proof: P::Proof,
}

impl<P: Products> RoundKeys<P> {
    pub(super) fn empty(proof: P::Proof) -> Self {
        Self { keys: [[0; 16]; MAX_ROUNDS + 1], rounds: 0, proof }
    }

    /// Expands `key`, which has 16, 24 or 32 bytes, into these round keys.
    #[inline(always)]
    pub(super) fn expand(&mut self, key: &[u8]) {
        key_schedule::expand(self.proof, Vector::<P>::substitute_word, key, &mut self.keys);
        self.rounds = key_schedule::rounds(key.len());
    }

    #[inline(always)]
    pub(super) fn key(&self, round: usize) -> Vector<P> {
        debug_assert!(round <= MAX_ROUNDS);
        // SAFETY: the table has a key for each round.
        unsafe { Vector::load(self.proof, self.keys.as_ptr().wrapping_add(round).cast()) }
    }

    /// Returns the last round key, which the caller adds after the last AES round.
    #[inline(always)]
    pub(super) fn last(&self) -> Vector<P> {
        self.key(self.rounds)
    }

    /// Executes all AES rounds on `states`, with `first` as the first round key. Does not add the last round key.
    #[inline(always)]
    pub(super) fn encrypt<const N: usize>(&self, states: &mut [Vector<P>; N], first: Vector<P>) {
        round(states, first);
        // The extra rounds of longer keys come first, so that the last ten rounds are the same code for all key sizes.
        let more = self.rounds - 10;
        if more > 0 {
            round(states, self.key(1));
            round(states, self.key(2));
            if more > 2 {
                round(states, self.key(3));
                round(states, self.key(4));
            }
        }
        unroll!(index < 8, {
            round(states, self.key(more + 1 + index));
        });
        let last = self.key(more + 9);
        unroll!(index < N, {
            states[index] = states[index].aes_last_round(last);
        });
    }

    #[inline(always)]
    pub(super) fn encrypt_block(&self, block: &Block) -> Block {
        let mut state = [Vector::of_bytes(self.proof, block)];
        self.encrypt(&mut state, self.key(0));
        state[0].xor(self.last()).to_bytes()
    }
}

#[inline(always)]
fn round<P: Products, const N: usize>(states: &mut [Vector<P>; N], round_key: Vector<P>) {
    unroll!(index < N, {
        states[index] = states[index].aes_round(round_key);
    });
}

// SAFETY: contains only bytes, a number and a zero-sized proof, and owns no resource.
unsafe impl<P: Products> Plain for RoundKeys<P> {}
