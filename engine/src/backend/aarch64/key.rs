//! Expanded keys of 1.3 KB: AES round keys and powers of H.

use super::products::{Pair, Products, multiply};
use super::round_keys::RoundKeys;
use super::vector::Vector;
use crate::backend::Plain;

/// Number of blocks encrypted in parallel, called a group. Eight blocks keep four AES pipes with a latency of two
/// cycles busy, or two pipes with a latency of three cycles.
pub(super) const GROUP: usize = 8;

/// Maximum number of groups of eight blocks that are hashed before one reduction. More groups would need a larger table
/// of powers of H.
pub(super) const GROUPS: usize = 4;

/// Number of entries in the table of powers of H. Each entry has two powers.
const PAIRS: usize = GROUPS * GROUP / 2;

/// Number of powers of H in a key for many messages.
pub(super) const ALL_POWERS: usize = 2 * PAIRS;

/// Expanded key: AES round keys and powers of H. (The type is not aligned to 64 bytes, because the system's allocator
/// takes longer for such memory.)
#[repr(C, align(16))]
pub(crate) struct Expanded<P: Products> {
    /// Powers H^32 and H^31, …, H² and H. Each entry has two powers.
    pairs: [Pair; PAIRS],
    pub(super) round_keys: RoundKeys<P>,
}

impl<P: Products> Expanded<P> {
    pub(super) fn empty(proof: P::Proof) -> Self {
        Self { pairs: [Pair::ZERO; PAIRS], round_keys: RoundKeys::empty(proof) }
    }

    /// Expands `key`, which has 16, 24 or 32 bytes, and computes the powers H to H^`powers`.
    #[inline(always)]
    pub(super) fn expand(&mut self, key: &[u8], powers: usize) {
        let proof = self.proof();
        self.round_keys.expand(key);
        let mut hash_key = [Vector::zero(proof)];
        self.round_keys.encrypt(&mut hash_key, self.round_keys.key(0));
        self.expand_powers(hash_key[0].xor(self.round_keys.last()), powers);
    }

    /// Computes the powers H to H^`powers`, and stores them at the end of the table, with H as the last one.
    #[inline(always)]
    pub(super) fn expand_powers(&mut self, hash_key: Vector<P>, powers: usize) {
        let proof = self.proof();
        self.set_power(1, hash_key.reflect());
        // Multiplies each power so far by the highest of them, which doubles their number; no product waits for
        // another.
        let mut made = 1;
        while made < powers {
            let highest = self.power(made);
            for power in 1..=made.min(powers - made) {
                self.set_power(made + power, multiply(proof, self.power(power), highest));
            }
            made *= 2;
        }
        for pair in &mut self.pairs[PAIRS - powers.div_ceil(2)..] {
            let middles = P::middles(proof, pair.powers(proof));
            pair.middles = middles.map(Vector::to_bytes);
        }
    }

    #[inline(always)]
    pub(super) fn proof(&self) -> P::Proof {
        self.round_keys.proof
    }

    #[inline(always)]
    pub(super) fn power(&self, power: usize) -> Vector<P> {
        Vector::of_bytes(self.proof(), &self.pairs[PAIRS - power.div_ceil(2)].powers[power % 2])
    }

    #[inline(always)]
    fn set_power(&mut self, power: usize, value: Vector<P>) {
        self.pairs[PAIRS - power.div_ceil(2)].powers[power % 2] = value.to_bytes();
    }

    /// Returns the address of the last `count` entries in the table of powers of H. The last entry of the table has H²
    /// and H.
    #[inline(always)]
    pub(super) fn last_pairs(&self, count: usize) -> *const Pair {
        debug_assert!(count <= PAIRS);
        self.pairs.as_ptr().wrapping_add(PAIRS - count)
    }
}

// SAFETY: bytes, a number and a proof, which is nothing at run time; nothing is owned.
unsafe impl<P: Products> Plain for Expanded<P> {}
