//! GHASH divided into small steps, to be placed between rounds of AES.
//!
//! The last vectors of a message are multiplied by consecutive powers of H. Earlier vectors are multiplied by strides,
//! powers whose exponents are multiples of the number of blocks in a vector.

use core::ptr;

use super::super::aesni::Lanes1;
use super::super::hash::Accumulator;
use super::super::key::Expanded;
use super::super::lines::Lines;
use super::super::message::{Aad, lengths};
use super::super::schedule::{Products, Schedule};
use super::super::unrolled::highest_power;
use super::super::vector::Vector;
use super::hidden_key;

/// Returns the number of steps in which `vectors` vectors are hashed.
#[inline(always)]
pub(super) const fn steps(vectors: usize) -> usize {
    6 * vectors.div_ceil(2)
}

/// Source of the powers of H by which vectors of blocks are multiplied.
pub(super) trait Multipliers<V: Schedule> {
    /// Loads the powers for a vector to be hashed, the one that is `vector` vectors after the next one.
    ///
    /// # Safety
    /// The powers are in the tables of `key`.
    unsafe fn load(&self, key: &Expanded<V>, vector: usize) -> V;
}

/// State of hashing: the sum of products, and the position in a table of powers of H for the next vectors.
#[derive(Clone, Copy)]
pub(super) struct Hashing<V, P> {
    pub(super) sum: Accumulator<V>,
    pub(super) powers: P,
    /// Powers for the two vectors that are being hashed, kept from one step to the next. (If the code loaded a power
    /// twice, the compiler would load 16 bytes once and shuffle them for each use.)
    loaded: [V; 2],
}

impl<V: Schedule, P: Multipliers<V>> Hashing<V, P> {
    #[inline(always)]
    fn new(key: &Expanded<V>, sum: Accumulator<V>, powers: P) -> Self {
        debug_assert!(V::PRODUCTS == Products::Schoolbook, "the middle sum has nothing of the others");
        Self { sum, powers, loaded: [V::zero(key.proof); 2] }
    }

    /// Does step number `step` of hashing the vectors `values`. Six steps hash two vectors.
    #[inline(always)]
    pub(super) fn step<const H: usize>(&mut self, key: &Expanded<V>, values: &mut [V; H], step: usize) {
        let (first, second) = (step / 6 * 2, step / 6 * 2 + 1);
        let has_second = second < H;
        let zero = V::zero(key.proof);
        match step % 6 {
            0 => values[first] = values[first].reverse().pin(),
            1 if has_second => values[second] = values[second].reverse().pin(),
            2 => {
                // SAFETY: the powers are in the tables.
                unsafe {
                    self.loaded[0] = self.powers.load(key, first);
                    if has_second {
                        self.loaded[1] = self.powers.load(key, second);
                    }
                }
                let other = if has_second { values[second].product_of_lows(self.loaded[1]) } else { zero };
                self.sum.add_lows([values[first].product_of_lows(self.loaded[0]), other]);
                self.sum.pin();
            }
            3 => {
                let other = if has_second { values[second].product_of_highs(self.loaded[1]) } else { zero };
                self.sum.add_highs([values[first].product_of_highs(self.loaded[0]), other]);
                self.sum.pin();
            }
            4 => {
                self.sum.add_middles(values[first].crosswise(self.loaded[0]));
                self.sum.pin();
            }
            5 if has_second => {
                self.sum.add_middles(values[second].crosswise(self.loaded[1]));
                self.sum.pin();
            }
            _ => {}
        }
    }

    /// Does all steps of hashing the vectors `values`.
    #[inline(always)]
    pub(super) fn add_all<const H: usize>(&mut self, key: &Expanded<V>, values: &mut [V; H]) {
        unroll!(step < steps(H), of 13, {
            self.step(key, values, step);
        });
    }
}

/// Consecutive powers of H, in descending order.
pub(super) struct Consecutive {
    /// Address of the power for the first block, the highest one.
    from: *const u8,
    /// Whether the first block holds the lengths, which are multiplied by H.
    has_lengths: bool,
}

impl<V: Schedule> Multipliers<V> for Consecutive {
    #[inline(always)]
    unsafe fn load(&self, key: &Expanded<V>, vector: usize) -> V {
        // SAFETY: guaranteed by the caller; three spare places follow the last power.
        let powers = unsafe { V::load(key.proof, self.from.wrapping_add(vector * V::BYTES)) };
        if self.has_lengths && vector == 0 { powers.with_first_block(key.first_power()) } else { powers }
    }
}

impl<V: Schedule> Hashing<V, Consecutive> {
    /// Starts hashing with consecutive powers: H^`highest` multiplies the first block. Products are added to `sum`.
    #[inline(always)]
    pub(super) fn consecutive(key: &Expanded<V>, sum: Accumulator<V>, highest: usize) -> Self {
        Self::new(key, sum, Consecutive { from: key.consecutive_from(highest), has_lengths: false })
    }

    /// Starts hashing of a whole message, and returns the block of lengths. The caller puts this block into the first
    /// lane, which is free, before the last block of the AAD. GHASH takes the lengths last, so that lane is multiplied
    /// by H (see [`unrolled`](super::super::unrolled)).
    #[inline(always)]
    pub(super) fn of_message(key: &Expanded<V>, aad: &Aad, lines: &Lines) -> (Self, Lanes1) {
        let (mut sum, highest) = (Accumulator::zero(key.proof), highest_power(lines));
        if aad.may_have_two {
            sum.add_block(aad.blocks[0].reverse(), key.power(highest));
        }
        let mut new = Self::consecutive(key, sum, highest);
        new.powers.has_lengths = true;
        (new, lengths(key, aad.bytes, lines.bytes()))
    }

    /// Advances the powers by `vectors` vectors, which have been hashed.
    #[inline(always)]
    pub(super) fn pass(&mut self, vectors: usize) {
        self.powers = Consecutive { from: self.powers.from.wrapping_add(vectors * V::BYTES), has_lengths: false };
    }
}

/// Position in the table of strides. A stride multiplies all lanes of a vector.
#[derive(Clone, Copy)]
pub(super) struct Strides {
    /// Index in the table of the power for the next vector.
    index: usize,
    /// Address of the power for the next vector.
    pub(super) from: *const u8,
}

impl<V: Schedule> Multipliers<V> for Strides {
    #[inline(always)]
    unsafe fn load(&self, key: &Expanded<V>, vector: usize) -> V {
        // SAFETY: guaranteed by the caller.
        unsafe { V::load_broadcast(key.proof, self.from.wrapping_add(16 * vector)) }
    }
}

impl<V: Schedule> Hashing<V, Strides> {
    /// Starts hashing with an empty sum. The first vector is multiplied by entry `index` of the table of strides.
    #[inline(always)]
    pub(super) fn strided(key: &Expanded<V>, index: usize) -> Self {
        let mut new = Self::new(key, Accumulator::zero(key.proof), Strides { index, from: ptr::null() });
        new.pass(key, 0);
        new
    }

    /// Advances the powers by `vectors` vectors, which have been hashed.
    #[inline(always)]
    pub(super) fn pass(&mut self, key: &Expanded<V>, vectors: usize) {
        self.powers.index += vectors;
        self.powers.from = hidden_key(key).strides_from(self.powers.index);
    }

    /// Returns the number of vectors that can still be hashed before the next reduction.
    #[inline(always)]
    pub(super) fn left(&self) -> usize {
        V::STRIDES - self.powers.index
    }

    /// Returns the reduced sum, which the caller adds to the vector hashed next.
    #[inline(always)]
    pub(super) fn end(&self, key: &Expanded<V>) -> V {
        self.sum.reduce(key.proof)
    }

    /// Reduces the sum, and restarts at the first entry of the table of strides. Multiplies the reduced sum by this
    /// stride, as if it had been added to the next vector.
    #[inline(always)]
    pub(super) fn begin_anew(&mut self, key: &Expanded<V>) {
        let sum = self.end(key);
        *self = Self::strided(key, 0);
        // SAFETY: the stride is in the table.
        self.sum.add_one(sum, unsafe { self.powers.load(key, 0) });
    }
}
