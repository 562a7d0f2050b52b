//! An expanded key: round keys and powers of H, in 3.9 KB (schoolbook: 2.9). With `vaes512` a packet of 1,440 bytes
//! touches 1.1 of them (0.8), so thousands of keys stay near the CPU.

use core::mem::{MaybeUninit, offset_of};

use super::aesni::One;
use super::hash::{Accumulator, fold_halves};
use super::key_schedule;
pub(super) use super::key_schedule::MAX_ROUNDS;
use super::schedule::{CONSECUTIVE, GROUP, STRIDES, Schedule, Table};
use super::vector::Vector;
use crate::backend::{Block, Plain, wipe};

/// Round keys and powers of H for vectors `V`.
///
/// H and its powers are kept in the form that the products need: bytes reversed, so that a block is a polynomial with
/// its coefficients in order, and multiplied by x, which makes up for the bit by which a carry-less product of two
/// reflected operands comes out too low (Gueron and Kounavis, "Intel Carry-Less Multiplication Instruction and its
/// Usage for Computing the GCM Mode", 2010).
///
/// Round keys and strides begin at multiples of 16. What a packet needs is close together: the ends of the strides, the
/// round keys, the consecutive powers.
#[repr(C, align(64))]
pub(crate) struct Expanded<V: Schedule> {
    /// H^(BLOCKS·STRIDES), …, H^(2·BLOCKS), H^BLOCKS: each multiplies a whole vector, every block of it by the same
    /// power.
    pub(super) strides: [MaybeUninit<Block>; STRIDES],
    /// Their halves added up, for Karatsuba's middle product.
    pub(super) folded_strides: V::Folded,
    pub(super) rounds: usize,
    /// For what follows to begin at a multiple of 16.
    aligned: [u128; 0],
    pub(super) round_keys: [Block; MAX_ROUNDS + 1],
    /// H^(BLOCKS·GROUP + 1), …, H², H, and zeros: for the last vectors, whose blocks end where the data ends.
    pub(super) consecutive: [MaybeUninit<Block>; CONSECUTIVE],
    /// Proof that the CPU was checked.
    pub(super) proof: V::Proof,
}

impl<V: Schedule> Expanded<V> {
    /// The highest power in the table of consecutive ones.
    pub(super) const HIGHEST: usize = V::BLOCKS * GROUP + 1;

    /// Room for a key.
    pub(super) fn empty(proof: V::Proof) -> Self {
        const { assert!(offset_of!(Self, round_keys) % 16 == 0 && offset_of!(Self, strides) % 16 == 0) };
        Self {
            round_keys: [[0; 16]; MAX_ROUNDS + 1],
            rounds: 0,
            aligned: [],
            proof,
            strides: Table::EMPTY,
            folded_strides: Table::EMPTY,
            consecutive: Table::EMPTY,
        }
    }

    /// Fills it with the expansion of `key`, which has 16, 24 or 32 bytes.
    #[cfg_attr(not(unoptimised), inline(always))]
    pub(super) fn expand(&mut self, key: &[u8]) {
        self.rounds = key_schedule::expand(self.proof.into(), key, &mut self.round_keys);
        self.expand_powers(Powers::all::<V>());
    }

    /// Fills it with the expansion of a key of 32 bytes, but with these powers only.
    #[cfg_attr(not(unoptimised), inline(always))]
    pub(super) fn expand_for_message(&mut self, key: [One; 2], powers: Powers) {
        key_schedule::of_two(self.proof.into(), key, &mut self.round_keys);
        self.rounds = MAX_ROUNDS;
        self.expand_powers(powers);
    }

    #[cfg_attr(not(unoptimised), inline(always))]
    fn expand_powers(&mut self, powers: Powers) {
        let narrow = self.proof.into();
        let mut hash_key = One::of_bytes(narrow, &self.round_keys[0]);
        for round_key in &self.round_keys[1..self.rounds] {
            hash_key = hash_key.aes_round(One::of_bytes(narrow, round_key));
        }
        hash_key = hash_key.aes_last_round(One::of_bytes(narrow, &self.round_keys[self.rounds]));
        let first = hash_key.reverse().times_x(narrow);

        for behind in &mut self.consecutive[Self::HIGHEST..][..V::BLOCKS - 1] {
            behind.write([0; 16]);
        }
        // SAFETY: as many vectors are behind the highest power, and in the table of strides.
        unsafe {
            let from = self.consecutive[powers.first_consecutive::<V>()..].as_mut_ptr().cast();
            let highest = write_powers::<V>(self.proof, first, from, powers.consecutive);
            let is_all = powers.consecutive == GROUP;
            let before = if is_all { multiply(narrow, highest, first) } else { One::zero(narrow) };
            self.consecutive[powers.first_consecutive::<V>() - 1].write(before.to_bytes());
            if powers.strides > 0 {
                let from = self.strides[powers.first_stride::<V>()..].as_mut_ptr().cast();
                write_powers::<V>(self.proof, self.power(V::BLOCKS), from, powers.strides);
            }
        }
        let made = powers.first_stride::<V>() / V::BLOCKS;
        let strides = self.strides.chunks_exact(V::BLOCKS).skip(made);
        for (powers, folded) in strides.zip(self.folded_strides.as_mut().chunks_exact_mut(V::BLOCKS).skip(made)) {
            // SAFETY: a vector's blocks, and half as many bytes for their halves.
            unsafe {
                let powers = V::load(self.proof, powers.as_ptr().cast());
                fold_halves(powers).store_low_halves(folded.as_mut_ptr().cast());
            }
        }
    }

    /// Wipes the round keys and these powers.
    #[inline(always)]
    pub(super) fn wipe(&mut self, powers: Powers) {
        wipe(&mut self.round_keys);
        // What is written begins one power before them.
        wipe(&mut self.consecutive[powers.first_consecutive::<V>() - 1..]);
        let first = powers.first_stride::<V>();
        wipe(&mut self.strides[first..]);
        wipe(self.folded_strides.as_mut().get_mut(first..).unwrap_or_default());
    }

    /// Where the consecutive powers from `power` down begin.
    #[inline(always)]
    pub(super) fn consecutive_from(&self, power: usize) -> *const u8 {
        debug_assert!(power >= 1 && power <= Self::HIGHEST, "power {power}");
        self.consecutive.as_ptr().wrapping_add(Self::HIGHEST - power).cast()
    }

    /// H.
    #[inline(always)]
    pub(super) fn first_power(&self) -> One {
        self.power(1)
    }

    /// One of the consecutive powers of H.
    #[inline(always)]
    pub(super) fn power(&self, power: usize) -> One {
        // SAFETY: as many powers are there.
        unsafe { One::load(self.proof.into(), self.consecutive_from(power)) }
    }
}

/// How many vectors of powers are made, those of H last: one, or a multiple of four, of consecutive ones, and as many
/// or none of strides.
#[derive(Clone, Copy)]
pub(crate) struct Powers {
    consecutive: usize,
    strides: usize,
}

impl Powers {
    /// All that there is room for.
    #[inline(always)]
    pub(super) fn all<V: Schedule>() -> Self {
        Self { consecutive: GROUP, strides: STRIDES / V::BLOCKS }
    }

    /// At least so many consecutive ones, and so many strides, as far as there is room.
    #[inline(always)]
    pub(super) fn at_least<V: Schedule>(consecutive: usize, strides: usize) -> Self {
        let vectors = |powers: usize| match powers.div_ceil(V::BLOCKS) {
            1 => 1,
            vectors => vectors.next_multiple_of(4),
        };
        let all = Self::all::<V>();
        Self { consecutive: vectors(consecutive).min(all.consecutive), strides: vectors(strides).min(all.strides) }
    }

    /// Where the consecutive ones begin. (Before them are the highest of the table if they are all others, or zeros.)
    #[inline(always)]
    fn first_consecutive<V: Schedule>(self) -> usize {
        1 + (GROUP - self.consecutive) * V::BLOCKS
    }

    /// Where the strides begin.
    #[inline(always)]
    fn first_stride<V: Schedule>(self) -> usize {
        STRIDES - self.strides * V::BLOCKS
    }
}

// SAFETY: bytes, a number and a proof, which is nothing at run time; nothing is owned.
unsafe impl<V: Schedule> Plain for Expanded<V> {}

/// Writes the powers of `first`, the first power last, into so many vectors: one, or four or eight or twelve…; returns
/// the highest. Each vector is made from those behind it. There are ever more of them, until four products are in
/// flight where a chain would wait for each.
///
/// # Safety
/// As many vectors can be written at `table`.
#[cfg_attr(not(unoptimised), inline(always))]
pub(super) unsafe fn write_powers<V: Schedule>(proof: V::Proof, first: One, table: *mut Block, vectors: usize) -> One {
    const CHAINS: usize = 4;
    let narrow = proof.into();
    let square = multiply(narrow, first, first);
    let powers = match V::BLOCKS {
        1 => [first; 4],
        2 => [square, first, first, first],
        _ => [multiply(narrow, square, square), multiply(narrow, square, first), square, first],
    };
    let mut behind = [V::of_blocks(&powers); CHAINS];
    let mut step = powers[0];
    // SAFETY: the caller's.
    let write = |index: usize, vector: V| unsafe { vector.store(table.add((vectors - 1 - index) * V::BLOCKS).cast()) };
    write(0, behind[0]);
    if vectors == 1 {
        return step;
    }
    for made in [1, 2] {
        for index in made..2 * made {
            behind[index] = multiply(proof, behind[index - made], V::broadcast(proof, step));
            write(index, behind[index]);
        }
        step = multiply(narrow, step, step);
    }
    let step = V::broadcast(proof, step);
    debug_assert!(vectors.is_multiple_of(CHAINS));
    for index in (CHAINS..vectors).step_by(CHAINS) {
        unroll!(chain < CHAINS, of 4, {
            behind[chain] = multiply(proof, behind[chain], step);
            write(index + chain, behind[chain]);
        });
    }
    behind[CHAINS - 1].blocks()[0]
}

/// The product of two blocks in each place.
#[cfg_attr(not(unoptimised), inline(always))]
fn multiply<V: Schedule>(proof: V::Proof, one: V, other: V) -> V {
    let mut product = Accumulator::zero(proof);
    product.add_one(one, other);
    product.reduce(proof)
}

#[cfg(test)]
mod tests {
    use super::super::aesni::One;
    use super::super::vaes256::Two;
    use super::super::vaes512::{Four, Karatsuba, Schoolbook};
    use super::*;
    use crate::cpu::{Found, proof};

    #[test]
    fn nothing_is_left_of_what_was_written() {
        let found = Found::here();
        if let Some(proof) = proof::Aesni::of(found) {
            nothing_is_left::<One>(proof);
        }
        if let Some(proof) = proof::Vaes256::of(found) {
            nothing_is_left::<Two>(proof);
        }
        if let Some(proof) = proof::Vaes512::of(found) {
            nothing_is_left::<Four<Karatsuba>>(proof);
            nothing_is_left::<Four<Schoolbook>>(proof);
        }
    }

    fn nothing_is_left<V: Schedule>(proof: V::Proof) {
        let (mut key, bytes) = (Box::new(Expanded::<V>::empty(proof)), size_of::<Expanded<V>>());
        for (consecutive, strides) in (1..=CONSECUTIVE).flat_map(|powers| [(powers, 0), (powers, 4 * powers)]) {
            wipe(&mut *key);
            let powers = Powers::at_least::<V>(consecutive, strides);
            key.expand_for_message([One::zero(proof.into()); 2], powers);
            key.wipe(powers);
            key.rounds = 0;
            // SAFETY: every byte was written, zeros at least.
            let left = unsafe { core::slice::from_raw_parts((&raw const *key).cast::<u8>(), bytes) };
            let place = left.iter().position(|&byte| byte != 0);
            assert_eq!(place, None, "{consecutive} consecutive powers and {strides} strides");
        }
    }
}
