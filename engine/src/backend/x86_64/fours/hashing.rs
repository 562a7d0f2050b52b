//! Hashing step by step, between rounds of AES.

use core::ptr;

use super::super::aesni::One;
use super::super::hash::Accumulator;
use super::super::key::Expanded;
use super::super::lines::Lines;
use super::super::message::{Aad, lengths};
use super::super::schedule::{STRIDES, Schedule};
use super::super::two_sums::{TwoSums, powers};
use super::super::unrolled::first_power;
use super::super::vector::Vector;
use super::again;

/// Vectors that are hashed step by step.
pub(super) trait Hashing<V: Schedule> {
    /// Steps for so many vectors.
    fn steps(vectors: usize) -> usize;

    /// One of them.
    fn step<const H: usize>(&mut self, key: &Expanded<V>, values: &mut [V; H], step: usize);

    /// All of them.
    #[inline(always)]
    fn add_all<const H: usize>(&mut self, key: &Expanded<V>, values: &mut [V; H]) {
        unroll!(step < Self::steps(H), of 13, {
            self.step(key, values, step);
        });
    }
}

/// With consecutive powers, the first block of the first vector with `power`, or if that is of the lengths with H.
pub(super) struct Consecutive<V> {
    pub(super) sum: TwoSums<V>,
    pub(super) power: usize,
    pub(super) has_lengths: bool,
}

impl<V: Schedule> Consecutive<V> {
    /// For a whole message; the lengths take the place before the AAD's last block, as in
    /// [`unrolled`](super::unrolled).
    #[inline(always)]
    pub(super) fn of_message(key: &Expanded<V>, aad: &Aad, lines: &Lines) -> (Self, One) {
        let (mut sum, power) = (TwoSums::zero(key.proof), first_power(lines));
        if aad.may_have_two {
            sum.add_block(key, aad.blocks[0].reverse(), power);
        }
        (Self { sum, power, has_lengths: true }, lengths(key, aad.bytes, lines.bytes()))
    }

    /// Goes on behind so many vectors.
    #[inline(always)]
    pub(super) fn pass(&mut self, vectors: usize) {
        self.power -= vectors * V::BLOCKS;
        self.has_lengths = false;
    }
}

impl<V: Schedule> Hashing<V> for Consecutive<V> {
    #[inline(always)]
    fn steps(vectors: usize) -> usize {
        3 * vectors
    }

    #[inline(always)]
    fn step<const H: usize>(&mut self, key: &Expanded<V>, values: &mut [V; H], step: usize) {
        let vector = step / 3;
        if step.is_multiple_of(3) {
            values[vector] = values[vector].reverse().pin();
            return;
        }
        let powers = powers(key, self.power - vector * V::BLOCKS, self.has_lengths && vector == 0);
        match step % 3 {
            1 => self.sum.add_low(values[vector], powers),
            _ => self.sum.add_high(values[vector], powers),
        }
    }
}

/// With strides.
#[derive(Clone, Copy)]
pub(super) struct Strided<V> {
    pub(super) sum: Accumulator<V>,
    /// The stride that the next vector is multiplied by.
    index: usize,
    /// Where that is.
    pub(super) from: *const u8,
    /// The powers for the two that are hashed now, each loaded once: the compiler would merge two loads of the same
    /// bytes into one, and broadcast them by a shuffle.
    powers: [V; 2],
}

impl<V: Schedule> Strided<V> {
    /// Nothing hashed, and the first vector with number `index`.
    #[inline(always)]
    pub(super) fn new(key: &Expanded<V>, index: usize) -> Self {
        let mut new =
            Self { sum: Accumulator::zero(key.proof), index, from: ptr::null(), powers: [V::zero(key.proof); 2] };
        new.pass(key, 0);
        new
    }

    /// Goes on behind so many vectors.
    #[inline(always)]
    pub(super) fn pass(&mut self, key: &Expanded<V>, vectors: usize) {
        self.index += vectors;
        self.from = again(key).strides.as_ptr().wrapping_add(self.index).cast();
    }

    /// Vectors that have strides left.
    #[inline(always)]
    pub(super) fn left(&self) -> usize {
        STRIDES - self.index
    }

    /// The sum, which becomes part of the vector behind the last stride.
    #[inline(always)]
    pub(super) fn end(&self, key: &Expanded<V>) -> V {
        self.sum.reduce(key.proof)
    }

    /// Begins anew where the strides end, with the sum as part of the first vector.
    #[inline(always)]
    pub(super) fn begin_anew(&mut self, key: &Expanded<V>) {
        let sum = self.end(key);
        *self = Self::new(key, 0);
        // SAFETY: it is in the table.
        self.sum.add_one(sum, unsafe { V::load_broadcast(key.proof, self.from) });
    }
}

impl<V: Schedule> Hashing<V> for Strided<V> {
    #[inline(always)]
    fn steps(vectors: usize) -> usize {
        6 * vectors.div_ceil(2)
    }

    /// Two vectors take six, so each sum adds products of both at once.
    #[inline(always)]
    fn step<const H: usize>(&mut self, key: &Expanded<V>, values: &mut [V; H], step: usize) {
        let (first, second) = (step / 6 * 2, step / 6 * 2 + 1);
        let has_second = second < H;
        match step % 6 {
            0 => values[first] = values[first].reverse().pin(),
            1 if has_second => values[second] = values[second].reverse().pin(),
            2 => {
                let from = self.from.wrapping_add(16 * first);
                // SAFETY: they are in the table.
                self.powers = unsafe {
                    let power = V::load_broadcast(key.proof, from);
                    [power, if has_second { V::load_broadcast(key.proof, from.wrapping_add(16)) } else { power }]
                };
                let product = values[first].product_of_lows(self.powers[0]);
                let other =
                    if has_second { values[second].product_of_lows(self.powers[1]) } else { V::zero(key.proof) };
                self.sum.add_lows([product, other]);
                self.sum.pin();
            }
            3 => {
                let product = values[first].product_of_highs(self.powers[0]);
                let other =
                    if has_second { values[second].product_of_highs(self.powers[1]) } else { V::zero(key.proof) };
                self.sum.add_highs([product, other]);
                self.sum.pin();
            }
            4 => {
                let products = values[first].crosswise(self.powers[0]);
                self.sum.add_middles(products);
                self.sum.pin();
            }
            5 if has_second => {
                let products = values[second].crosswise(self.powers[1]);
                self.sum.add_middles(products);
                self.sum.pin();
            }
            _ => {}
        }
    }
}
