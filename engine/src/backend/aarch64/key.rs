//! Expanded keys of 1.3 KB: AES round keys and powers of H.
//!
//! A new key contains only the few powers of H that short messages need. The first longer message computes all powers,
//! for all later messages ([`GrowingKey::grow`]).

use core::cell::UnsafeCell;
use core::mem::offset_of;
use core::panic::RefUnwindSafe;

use super::products::{Pair, Products, multiply};
use super::round_keys::RoundKeys;
use super::vector::Vector;
use crate::backend::growth::Growth;
use crate::backend::{Block, Plain};

/// Number of blocks encrypted in parallel, called a group. Eight blocks keep four AES pipes with a latency of two
/// cycles busy, or two pipes with a latency of three cycles.
pub(super) const GROUP: usize = 8;

/// Maximum number of groups of eight blocks that are hashed before one reduction. More groups would need a larger table
/// of powers of H.
pub(super) const GROUPS: usize = 4;

/// Number of entries in the table of powers of H. Each entry has two powers.
const PAIRS: usize = GROUPS * GROUP / 2;

/// Number of powers of H with which all messages can be hashed.
const ALL_POWERS: usize = 2 * PAIRS;

/// Number of powers of H in a new key, an even number. They suffice for AAD of any length.
const FEW_POWERS: usize = GROUP;

/// Maximum length in bytes of a text that is hashed with the powers of H in a new key. (The last two blocks of AAD and
/// the block of lengths need a power each.)
const FEW_POWERS_BYTES: usize = 16 * (FEW_POWERS - 3);

/// Memory layout of a key: the table of powers of H, and the round keys. (The type is not aligned to 64 bytes, because
/// the system's allocator takes longer for such memory.)
#[repr(C, align(16))]
pub(crate) struct KeyMemory<P: Products> {
    /// Powers H^32 and H^31, …, H² and H. Each entry has two powers.
    pairs: [Pair; PAIRS],
    expanded: Expanded<P>,
}

/// The part of a key that kernels borrow: the round keys. The table of powers of H is before this part, in
/// [`KeyMemory`].
///
/// A reference to `Expanded` does not cover the table, so another thread may write more powers there.
#[repr(C, align(16))]
pub(crate) struct Expanded<P: Products> {
    pub(super) round_keys: RoundKeys<P>,
}

impl<P: Products> Expanded<P> {
    #[inline(always)]
    pub(super) fn proof(&self) -> P::Proof {
        self.round_keys.proof
    }

    /// Loads H^`power` from the table of powers of H, which must have this power.
    #[inline(always)]
    pub(super) fn power(&self, power: usize) -> Vector<P> {
        let pair = self.last_pairs(power.div_ceil(2)).cast::<Block>();
        // SAFETY: the table has the pair, which begins with its two powers.
        unsafe { Vector::load(self.proof(), pair.wrapping_add(power % 2).cast()) }
    }

    /// Returns the address of the last `count` entries in the table of powers of H. The last entry of the table has H²
    /// and H.
    #[inline(always)]
    pub(super) fn last_pairs(&self, count: usize) -> *const Pair {
        debug_assert!(count <= PAIRS);
        let memory = (&raw const *self).cast::<u8>().wrapping_sub(offset_of!(KeyMemory<P>, expanded));
        memory.wrapping_add(offset_of!(KeyMemory<P>, pairs)).cast::<Pair>().wrapping_add(PAIRS - count)
    }
}

impl<P: Products> KeyMemory<P> {
    /// Returns key memory that does not contain a key yet.
    pub(super) fn empty(proof: P::Proof) -> Self {
        Self { pairs: [Pair::ZERO; PAIRS], expanded: Expanded { round_keys: RoundKeys::empty(proof) } }
    }

    /// Returns the part of the key that kernels borrow.
    #[inline(always)]
    pub(super) fn expanded(&self) -> &Expanded<P> {
        &self.expanded
    }

    /// Expands `key`, which has 16, 24 or 32 bytes, and computes the powers H to H^`powers`.
    #[inline(always)]
    pub(super) fn expand(&mut self, key: &[u8], powers: usize) {
        let proof = self.expanded.proof();
        let round_keys = &mut self.expanded.round_keys;
        round_keys.expand(key);
        let mut hash_key = [Vector::zero(proof)];
        round_keys.encrypt(&mut hash_key, round_keys.key(0));
        let hash_key = hash_key[0].xor(round_keys.last());
        self.expand_powers(hash_key, powers);
    }

    /// Computes all powers of `hash_key`, without round keys.
    #[inline(always)]
    pub(super) fn expand_all_powers(&mut self, hash_key: Vector<P>) {
        self.expand_powers(hash_key, ALL_POWERS);
    }

    #[inline(always)]
    fn expand_powers(&mut self, hash_key: Vector<P>, powers: usize) {
        // SAFETY: `self` is borrowed exclusively.
        unsafe {
            Self::set_power(self, 1, hash_key.reflect());
            Self::add_powers(self, 1, powers);
        }
    }

    /// Copies the round keys and H from `other`, and computes all powers of H.
    #[inline(always)]
    pub(super) fn expand_from_key(&mut self, other: &Expanded<P>) {
        let round_keys = &mut self.expanded.round_keys;
        (round_keys.keys, round_keys.rounds) = (other.round_keys.keys, other.round_keys.rounds);
        // SAFETY: `self` is borrowed exclusively.
        unsafe {
            Self::set_power(self, 1, other.power(1));
            Self::add_powers(self, 1, ALL_POWERS);
        }
    }

    /// Computes the powers of H after H^`made` up to H^`powers`. `made` is 1 or even.
    ///
    /// # Safety
    /// During the call, no other thread writes powers of H, or reads powers above `made`.
    #[inline(always)]
    unsafe fn add_powers(this: *mut Self, made: usize, powers: usize) {
        // SAFETY: the table has room for all powers; the rest is guaranteed by the caller.
        unsafe {
            let key = &(*this).expanded;
            let proof = key.proof();
            // Multiplies all powers so far by the highest one, which doubles their number. The products of a pass do
            // not depend on each other.
            let mut done = made;
            while done < powers {
                let highest = key.power(done);
                for power in 1..=done.min(powers - done) {
                    Self::set_power(this, done + power, multiply(proof, key.power(power), highest));
                }
                done *= 2;
            }
            for index in PAIRS - powers.div_ceil(2)..PAIRS - made / 2 {
                let pair = (&raw mut (*this).pairs).cast::<Pair>().add(index);
                let middles = P::middles(proof, (*pair).powers(proof));
                (*pair).middles = middles.map(Vector::to_bytes);
            }
        }
    }

    /// Writes H^`power` into the table of powers of H.
    ///
    /// # Safety
    /// During the call, no other thread accesses this power.
    #[inline(always)]
    unsafe fn set_power(this: *mut Self, power: usize, value: Vector<P>) {
        // SAFETY: guaranteed by the caller.
        unsafe {
            let pair = (&raw mut (*this).pairs).cast::<Pair>().add(PAIRS - power.div_ceil(2));
            (&raw mut (*pair).powers).cast::<Block>().add(power % 2).write(value.to_bytes());
        }
    }
}

// SAFETY: contains only bytes, a number and a zero-sized proof, and owns no resource.
unsafe impl<P: Products> Plain for KeyMemory<P> {}

/// A key that computes all powers of H when a longer message first needs them.
pub(crate) struct GrowingKey<P: Products> {
    memory: UnsafeCell<KeyMemory<P>>,
    growth: Growth,
}

// SAFETY: `growth` lets one thread at a time write powers, and other threads read only powers that it has published.
unsafe impl<P: Products> Sync for GrowingKey<P> {}

// If computing powers panics, they are not published, so no later call reads them.
impl<P: Products> RefUnwindSafe for GrowingKey<P> {}

impl<P: Products> GrowingKey<P> {
    /// Returns a key without round keys and powers of H. The caller must call [`expand`](Self::expand).
    pub(super) fn empty(proof: P::Proof) -> Self {
        Self { memory: UnsafeCell::new(KeyMemory::empty(proof)), growth: Growth::new(FEW_POWERS_BYTES) }
    }

    /// Returns a key that never computes more powers of H than those that [`expand_for_one`](Self::expand_for_one)
    /// computes for one message.
    pub(super) fn empty_for_one(proof: P::Proof) -> Self {
        Self { growth: Growth::new(usize::MAX), ..Self::empty(proof) }
    }

    /// Expands `key`, which has 16, 24 or 32 bytes, and computes the powers of H for short messages.
    #[inline(always)]
    pub(super) fn expand(&mut self, key: &[u8]) {
        self.memory.get_mut().expand(key, FEW_POWERS);
    }

    /// Expands `key`, which has 16, 24 or 32 bytes, and computes the powers H to H^`powers`.
    #[inline(always)]
    pub(super) fn expand_for_one(&mut self, key: &[u8], powers: usize) {
        self.memory.get_mut().expand(key, powers);
    }

    /// Returns the part of the key that kernels borrow, with the powers of H computed so far.
    #[inline(always)]
    pub(super) fn key(&self) -> &Expanded<P> {
        // SAFETY: round keys are written under `&mut self` only, and `grow` writes powers where there were none.
        unsafe { &(*self.memory.get()).expanded }
    }

    /// Returns whether the powers of H computed so far suffice for a text of `bytes` bytes.
    #[inline(always)]
    pub(super) fn has_powers_for(&self, bytes: usize) -> bool {
        bytes <= FEW_POWERS_BYTES || self.growth.has_powers_for(bytes)
    }

    /// Computes all powers of H, and returns `true`. Returns `false` at once if another thread is computing powers of
    /// H.
    #[inline(always)]
    pub(super) fn grow(&self) -> bool {
        if !self.growth.begin() {
            return false;
        }
        // SAFETY: `growth` admits one thread, and other threads read only the few powers of a new key.
        unsafe {
            // Another thread may have computed all powers just before.
            if !self.growth.has_powers_for(usize::MAX) {
                KeyMemory::add_powers(self.memory.get(), FEW_POWERS, ALL_POWERS);
            }
        }
        self.growth.finish(usize::MAX);
        true
    }

    /// Sets the flag that another thread is computing powers of H, for a test.
    #[cfg(test)]
    pub(super) fn pretend_growth(&self) {
        self.growth.pretend_growth();
    }

    /// Returns the key's memory, for the caller to wipe. Records that the key has no powers of H any more.
    pub(super) fn forget_powers(&mut self) -> &mut KeyMemory<P> {
        self.growth.forget_powers();
        self.memory.get_mut()
    }
}
