//! An expanded key: round keys and powers of H, in 3.9 KB. A packet of 1,440 bytes touches 1.1 of them, so thousands of
//! keys stay near the CPU.

use super::aesni::One;
use super::hash::{Accumulator, fold_halves, over_x64, polynomial};
use super::key_schedule;
pub(super) use super::key_schedule::MAX_ROUNDS;
use super::schedule::{CONSECUTIVE, GROUP, STRIDES, Schedule, Table as _};
use super::vector::Vector;
use crate::backend::{Block, Plain};

/// Round keys and powers of H for vectors `V`.
///
/// H and its powers are kept in the form that the products need: bytes reversed, so that a block is a polynomial with
/// its coefficients in order, and multiplied by x, which makes up for the bit by which a carry-less product of two
/// reflected operands comes out too low (Gueron and Kounavis, "Intel Carry-Less Multiplication Instruction and its
/// Usage for Computing the GCM Mode", 2010).
///
/// Round keys and strides begin at multiples of 16.
#[repr(C, align(64))]
pub(crate) struct Expanded<V: Schedule> {
    pub(super) round_keys: [Block; MAX_ROUNDS + 1],
    /// H^(BLOCKS·STRIDES), …, H^(2·BLOCKS), H^BLOCKS: each multiplies a whole vector, every block of it by the same
    /// power.
    pub(super) strides: [Block; STRIDES],
    /// Their halves added up, for Karatsuba's middle product.
    pub(super) folded_strides: V::Folded,
    /// H^(BLOCKS·GROUP + 1), …, H², H, then anything: for the last vectors, whose blocks end where the data ends.
    pub(super) consecutive: [Block; CONSECUTIVE],
    /// The same over x^64, for products of four in two sums.
    pub(super) shifted: V::Shifted,
    pub(super) rounds: usize,
    /// Proof that the CPU was checked.
    pub(super) proof: V::Proof,
}

impl<V: Schedule> Expanded<V> {
    /// The highest power in the table of consecutive ones.
    pub(super) const HIGHEST: usize = V::BLOCKS * GROUP + 1;

    /// Room for a key.
    pub(super) fn empty(proof: V::Proof) -> Self {
        Self {
            round_keys: [[0; 16]; MAX_ROUNDS + 1],
            rounds: 0,
            proof,
            strides: [[0; 16]; STRIDES],
            folded_strides: V::Folded::ZEROS,
            consecutive: [[0; 16]; CONSECUTIVE],
            shifted: V::Shifted::ZEROS,
        }
    }

    /// Fills it with the expansion of `key`, which has 16, 24 or 32 bytes.
    #[cfg_attr(not(unoptimised), inline(always))]
    pub(super) fn expand(&mut self, key: &[u8]) {
        let narrow = self.proof.into();
        self.rounds = key_schedule::expand(narrow, key, &mut self.round_keys);

        let mut hash_key = One::of_bytes(narrow, &self.round_keys[0]);
        for round_key in &self.round_keys[1..self.rounds] {
            hash_key = hash_key.aes_round(One::of_bytes(narrow, round_key));
        }
        hash_key = hash_key.aes_last_round(One::of_bytes(narrow, &self.round_keys[self.rounds]));
        let first = times_x(hash_key.reverse().to_bytes());
        let first = One::of_bytes(narrow, &first);

        // SAFETY: a group of vectors behind the highest power, and the table of strides.
        unsafe {
            let highest = write_powers::<V>(self.proof, first, self.consecutive[1..].as_mut_ptr(), GROUP);
            self.consecutive[0] = multiply(narrow, highest, first).to_bytes();
            let stride = self.power(V::BLOCKS);
            write_powers::<V>(self.proof, stride, self.strides.as_mut_ptr(), STRIDES / V::BLOCKS);
        }
        let powers = self.strides.chunks_exact(V::BLOCKS);
        for (powers, folded) in powers.zip(self.folded_strides.as_mut().chunks_exact_mut(V::BLOCKS)) {
            // SAFETY: a vector's blocks, and half as many bytes for their halves.
            unsafe {
                let powers = V::load(self.proof, powers.as_ptr().cast());
                fold_halves(powers).store_low_halves(folded.as_mut_ptr().cast());
            }
        }
        let polynomial = V::broadcast(self.proof, polynomial(narrow));
        let powers = self.consecutive.chunks_exact(V::BLOCKS);
        for (powers, shifted) in powers.zip(self.shifted.as_mut().chunks_exact_mut(V::BLOCKS)) {
            // SAFETY: a vector's blocks, and as many.
            unsafe {
                let [turned, product] = over_x64(V::load(self.proof, powers.as_ptr().cast()), polynomial);
                turned.xor(product).store(shifted.as_mut_ptr().cast());
            }
        }
    }

    /// Where the consecutive powers from `power` down begin.
    #[inline(always)]
    pub(super) fn consecutive_from(&self, power: usize) -> *const u8 {
        debug_assert!(power >= 1 && power <= Self::HIGHEST, "power {power}");
        self.consecutive.as_ptr().wrapping_add(Self::HIGHEST - power).cast()
    }

    /// Where the same over x^64 begin.
    #[inline(always)]
    pub(super) fn shifted_from(&self, power: usize) -> *const u8 {
        debug_assert!(power >= 1 && power <= Self::HIGHEST, "power {power}");
        self.shifted.as_ref().as_ptr().wrapping_add(Self::HIGHEST - power).cast()
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

/// The polynomial times x, modulo x^128 + x^127 + x^126 + x^121 + 1, which is GCM's read backwards.
fn times_x(block: Block) -> Block {
    let value = u128::from_le_bytes(block);
    let carry = value >> 127;
    let modulus = 0xC200_0000_0000_0000_0000_0000_0000_0001;
    ((value << 1) ^ (carry.wrapping_neg() & modulus)).to_le_bytes()
}
