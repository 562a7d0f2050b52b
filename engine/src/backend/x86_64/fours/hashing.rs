//! GHASH divided into small steps, which are placed between AES rounds.
//!
//! The last vectors of a message are multiplied by consecutive powers of H. Earlier vectors are multiplied by strides:
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

/// Returns the number of small steps in which `vectors` vectors are hashed: six for every two vectors.
#[inline(always)]
pub(super) const fn steps(vectors: usize) -> usize {
    6 * vectors.div_ceil(2)
}

/// Source of the powers of H by which vectors of blocks are multiplied.
pub(super) trait Multipliers<V: Schedule> {
    /// Loads the powers of H for a vector: the one that comes `vector` vectors after the vector to be hashed next.
    ///
    /// # Safety
    /// The key has these powers.
    unsafe fn load(&self, key: &Expanded<V>, vector: usize) -> V;
}

/// State of hashing vectors of blocks: the unreduced sum of products, and the powers of H for the next vectors.
#[derive(Clone, Copy)]
pub(super) struct Hashing<V, P> {
    pub(super) sum: Accumulator<V>,
    pub(super) powers: P,
    /// Powers of H for the two vectors that are being hashed, kept from one step to the next. (If the code loaded each
    /// power twice, the compiler would load 16 bytes once and shuffle them for each use.)
    loaded: [V; 2],
}

impl<V: Schedule, P: Multipliers<V>> Hashing<V, P> {
    #[inline(always)]
    fn new(key: &Expanded<V>, sum: Accumulator<V>, powers: P) -> Self {
        debug_assert!(V::PRODUCTS == Products::Schoolbook, "the middle sum has nothing of the others");
        Self { sum, powers, loaded: [V::zero(key.proof); 2] }
    }

    /// Executes step number `step` of hashing the vectors in `values`. Two vectors take six steps.
    #[inline(always)]
    pub(super) fn step<const H: usize>(&mut self, key: &Expanded<V>, values: &mut [V; H], step: usize) {
        let (first, second) = (step / 6 * 2, step / 6 * 2 + 1);
        let has_second = second < H;
        let zero = V::zero(key.proof);
        match step % 6 {
            0 => values[first] = values[first].reverse().pin(),
            1 if has_second => values[second] = values[second].reverse().pin(),
            2 => {
                // SAFETY: the tables have these powers.
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

    /// Hashes all vectors in `values` at once, without AES rounds in between.
    #[inline(always)]
    pub(super) fn add_all<const H: usize>(&mut self, key: &Expanded<V>, values: &mut [V; H]) {
        unroll!(step < steps(H), of 13, {
            self.step(key, values, step);
        });
    }
}

/// Consecutive powers of H in descending order, one for each block.
pub(super) struct Consecutive {
    /// Address of the power of H for the first block. This power is the highest one.
    from: *const u8,
    /// Whether the first block hashed is the block of lengths. GHASH ends with the lengths, so this block is multiplied
    /// by H instead of the power at `from`.
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
    /// Starts hashing with consecutive powers of H. The first block is multiplied by H^`highest`. Products are added to
    /// `sum`.
    #[inline(always)]
    pub(super) fn consecutive(key: &Expanded<V>, sum: Accumulator<V>, highest: usize) -> Self {
        Self::new(key, sum, Consecutive { from: key.consecutive_from(highest), has_lengths: false })
    }

    /// Starts hashing a whole message. Returns the block of lengths, which the caller stores as the first block of the
    /// first vector, in place of the block with counter 0. GHASH ends with the lengths, so this block is multiplied by
    /// H although it comes first (see [`unrolled`](super::super::unrolled)).
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

    /// Moves the position in the table of powers of H past the powers for `vectors` vectors of data, which have been
    /// hashed.
    #[inline(always)]
    pub(super) fn pass(&mut self, vectors: usize) {
        self.powers = Consecutive { from: self.powers.from.wrapping_add(vectors * V::BYTES), has_lengths: false };
    }
}

/// Position in the table of powers H^(B·k), for vectors of B blocks. Each power multiplies all blocks of one vector.
#[derive(Clone, Copy)]
pub(super) struct Strides {
    /// Index of the power of H for the next vector.
    index: usize,
    /// Address of the power of H for the next vector.
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
    /// Starts hashing with an empty sum. The first vector is multiplied by entry `index` in the table of powers
    /// H^(B·k), for vectors of B blocks.
    #[inline(always)]
    pub(super) fn strided(key: &Expanded<V>, index: usize) -> Self {
        let mut new = Self::new(key, Accumulator::zero(key.proof), Strides { index, from: ptr::null() });
        new.pass(key, 0);
        new
    }

    /// Moves the position in the table of powers of H past the powers for `vectors` vectors of data, which have been
    /// hashed.
    #[inline(always)]
    pub(super) fn pass(&mut self, key: &Expanded<V>, vectors: usize) {
        self.powers.index += vectors;
        self.powers.from = hidden_key(key).strides_from(self.powers.index);
    }

    /// Returns the number of vectors that can be hashed before the powers of H are used up, so that the sum must be
    /// reduced.
    #[inline(always)]
    pub(super) fn left(&self) -> usize {
        V::STRIDES - self.powers.index
    }

    /// Returns the reduced sum of products. The caller adds this sum to the vector that is hashed next.
    #[inline(always)]
    pub(super) fn end(&self, key: &Expanded<V>) -> V {
        self.sum.reduce(key.proof)
    }

    /// Begins a new sum of products, after all powers H^(B·k) in the table have been used, for vectors of B blocks.
    /// GHASH adds the reduced old sum to the next vector, which is multiplied by the highest of these powers; here, the
    /// old sum is multiplied by this power on its own.
    #[inline(always)]
    pub(super) fn begin_anew(&mut self, key: &Expanded<V>) {
        let sum = self.end(key);
        *self = Self::strided(key, 0);
        // SAFETY: the table has this stride.
        self.sum.add_one(sum, unsafe { self.powers.load(key, 0) });
    }
}
