//! GHASH on vectors: products are added up, unreduced, and reduced as rarely as the powers allow.
//!
//! The hash of blocks X₁ … Xₙ is X₁·Hⁿ + X₂·Hⁿ⁻¹ + … + Xₙ·H in GF(2^128) (SP 800-38D §6.4). With the powers at hand the
//! products are independent of each other, and since addition is linear the sum can be reduced once for all.
//!
//! Each product of 128-bit polynomials is made of three 64-bit ones (Karatsuba): low = aₗ·hₗ, high = aₕ·hₕ, middle =
//! (aₗ + aₕ)·(hₗ + hₕ), and the middle of the result is middle + low + high. That last addition is linear too, so it is
//! left until the end. Or it is made of four (schoolbook): middle = aₗ·hₕ + aₕ·hₗ. The fourth costs 11 to 18 % where
//! the multiplier is the bottleneck, as on Zen 5: one in two cycles, whatever its width. Where it begins one a cycle,
//! the sums of the halves cost as much, and their shuffles use the multiplier's own port.

use super::aesni::One;
use super::key::Expanded;
use super::schedule::{Products, STRIDES, Schedule};
use super::vector::{Halves, Vector};
use crate::cpu::proof;

/// Unreduced sums of products.
#[derive(Clone, Copy)]
pub(crate) struct Accumulator<V> {
    low: V,
    high: V,
    middle: V,
}

impl<V: Schedule> Accumulator<V> {
    #[inline(always)]
    pub(super) fn zero(proof: V::Proof) -> Self {
        Self { low: V::zero(proof), high: V::zero(proof), middle: V::zero(proof) }
    }

    /// Adds the product of a vector, its bytes reversed, with a vector of powers.
    #[cfg_attr(not(unoptimised), inline(always))]
    pub(super) fn add_one(&mut self, value: V, power: V) {
        self.low = self.low.xor(value.product_of_lows(power));
        self.high = self.high.xor(value.product_of_highs(power));
        self.middle = self.middle.xor(middle::<V, V>(value, power));
    }

    /// Adds the product of a block, its bytes reversed, with a power, in the first place.
    #[inline(always)]
    pub(super) fn add_block(&mut self, value: One, power: One) {
        self.low = self.low.xor_first_block(value.product_of_lows(power));
        self.high = self.high.xor_first_block(value.product_of_highs(power));
        self.middle = self.middle.xor_first_block(middle::<V, One>(value, power));
    }

    /// Adds the products of two vectors, each of four.
    #[cfg_attr(not(unoptimised), inline(always))]
    pub(super) fn add_two_by_four(&mut self, values: [V; 2], powers: [V; 2]) {
        let [first, second] = values;
        self.add_lows([first.product_of_lows(powers[0]), second.product_of_lows(powers[1])]);
        self.add_highs([first.product_of_highs(powers[0]), second.product_of_highs(powers[1])]);
        self.add_middles(first.crosswise(powers[0]));
        self.add_middles(second.crosswise(powers[1]));
    }

    /// Adds the products of two vectors. The sums of their halves are shuffled into one vector, which takes three
    /// operations instead of four; `folded` has the sums of the powers' halves in the same order.
    #[cfg_attr(not(unoptimised), inline(always))]
    pub(super) fn add_two(&mut self, values: [V; 2], powers: [Halves<V>; 2], folded: Halves<V>) {
        let [first, second] = values;
        let sums = fold_two(first, second);
        self.low = self.low.xor3(first.product_of_lows(powers[0].low), second.product_of_lows(powers[1].low));
        self.high = self.high.xor3(first.product_of_highs(powers[0].high), second.product_of_highs(powers[1].high));
        self.middle = self.middle.xor3(sums.product_of_lows(folded.low), sums.product_of_highs(folded.high));
    }

    /// Adds two products of low halves.
    #[inline(always)]
    pub(super) fn add_lows(&mut self, products: [V; 2]) {
        self.low = self.low.xor3(products[0], products[1]);
    }

    /// Adds two products of high halves.
    #[inline(always)]
    pub(super) fn add_highs(&mut self, products: [V; 2]) {
        self.high = self.high.xor3(products[0], products[1]);
    }

    /// Adds two products of sums of halves, or of low and high halves.
    #[inline(always)]
    pub(super) fn add_middles(&mut self, products: [V; 2]) {
        self.middle = self.middle.xor3(products[0], products[1]);
    }

    /// Adds the products of two vectors, as they stand in memory, with powers number `index` and the next of the table
    /// of strides.
    #[cfg_attr(not(unoptimised), inline(always))]
    pub(super) fn add_stride(&mut self, key: &Expanded<V>, values: [V; 2], index: usize) {
        debug_assert!(index + 1 < STRIDES);
        let values = [values[0].reverse(), values[1].reverse()];
        let powers = key.strides_from(index);
        let folded = key.folded_strides_from(index);
        // SAFETY: both are in the tables; that of the folded ones is there if products are made of three.
        unsafe {
            match V::PRODUCTS {
                Products::Karatsuba => {
                    let powers = [V::load_halves(key.proof, powers), V::load_halves(key.proof, powers.add(16))];
                    self.add_two(values, powers, V::load_halves(key.proof, folded));
                }
                Products::Schoolbook => {
                    let powers = [V::load_broadcast(key.proof, powers), V::load_broadcast(key.proof, powers.add(16))];
                    self.add_two_by_four(values, powers);
                }
            }
        }
    }

    /// The sums over all places of the first so many accumulators as there are places, each in a place of its own.
    #[inline(always)]
    pub(super) fn side_by_side(sums: &[Self; 4]) -> Self {
        Self {
            low: V::sums(&sums.map(|sum| sum.low)),
            high: V::sums(&sums.map(|sum| sum.high)),
            middle: V::sums(&sums.map(|sum| sum.middle)),
        }
    }

    /// Adds other sums.
    #[inline(always)]
    pub(super) fn add(&mut self, other: &Self) {
        self.low = self.low.xor(other.low);
        self.high = self.high.xor(other.high);
        self.middle = self.middle.xor(other.middle);
    }

    /// Each place reduced by itself.
    ///
    /// The sums are 128 bits each, at 1, x^64 and x^128, and the result is their total over x^128: the first over x^64
    /// lands on the second, and both of them over x^64 on the third.
    #[cfg_attr(not(unoptimised), inline(always))]
    pub(super) fn reduce(self, proof: V::Proof) -> V {
        let polynomial = V::broadcast(proof, polynomial(proof.into()));
        let middle = match V::PRODUCTS {
            Products::Karatsuba => self.middle.xor3(self.low, self.high),
            Products::Schoolbook => self.middle,
        };
        let [turned, product] = over_x64(self.low, polynomial);
        let [turned, product] = over_x64(middle.xor3(turned, product), polynomial);
        self.high.xor3(turned, product)
    }

    /// All places together, reduced.
    #[cfg_attr(not(unoptimised), inline(always))]
    pub(super) fn finish(self, proof: V::Proof) -> One {
        self.reduce(proof).sum()
    }
}

impl<V: Schedule> Accumulator<V> {
    /// [`Schedule::pin`].
    #[inline(always)]
    pub(super) fn pin(&mut self) {
        *self = Self { low: self.low.pin(), high: self.high.pin(), middle: self.middle.pin() };
    }
}

/// Adds the products of `N` vectors, as they stand in memory, with consecutive powers from `power` on downwards.
/// With `LENGTHS` the very first block is not the first of the data but the last to be hashed, and gets the power one.
#[cfg_attr(not(unoptimised), inline(always))]
pub(super) fn add_consecutive<V: Schedule, const N: usize, const LENGTHS: bool>(
    key: &Expanded<V>,
    sum: &mut Accumulator<V>,
    values: &[V; N],
    power: usize,
) {
    let from = key.consecutive_from(power);
    let mut powers = [V::zero(key.proof); N];
    unroll!(index < N, {
        // SAFETY: as many powers follow as there are blocks in N vectors, and the table ends in three spare places.
        powers[index] = unsafe { V::load(key.proof, from.wrapping_add(index * V::BYTES)) };
    });
    if LENGTHS {
        powers[0] = powers[0].with_first_block(key.first_power());
    }
    unroll!(pair < 5, {
        let (first, second) = (2 * pair, 2 * pair + 1);
        if second < N {
            let values = [values[first].reverse(), values[second].reverse()];
            add_two(sum, values, [powers[first], powers[second]]);
        } else if first < N {
            sum.add_one(values[first].reverse(), powers[first]);
        }
    });
}

/// Adds the products of two vectors and two vectors of powers.
#[inline(always)]
pub(super) fn add_two<V: Schedule>(sum: &mut Accumulator<V>, values: [V; 2], powers: [V; 2]) {
    let [first, second] = powers;
    match V::PRODUCTS {
        Products::Karatsuba => sum.add_two(values, [both(first), both(second)], both(fold_two(first, second))),
        Products::Schoolbook => sum.add_two_by_four(values, powers),
    }
}

/// One vector for both halves.
#[inline(always)]
fn both<V: Copy>(vector: V) -> Halves<V> {
    Halves { low: vector, high: vector }
}

/// The sum of the halves of each block, in both halves.
#[inline(always)]
pub(super) fn fold_halves<V: Vector>(value: V) -> V {
    value.xor(value.swap_halves())
}

/// The sums of the halves: those of the first vector in the low halves, those of the second in the high ones.
#[inline(always)]
pub(super) fn fold_two<V: Vector>(first: V, second: V) -> V {
    first.low_halves(second).xor(first.high_halves(second))
}

/// What is in the middle of a product, as vectors `V` keep it: with the low and the high part added, or by itself.
#[inline(always)]
fn middle<V: Schedule, W: Vector>(value: W, power: W) -> W {
    match V::PRODUCTS {
        Products::Karatsuba => fold_halves(value).product_of_lows(fold_halves(power)),
        Products::Schoolbook => {
            let [one, other] = value.crosswise(power);
            one.xor(other)
        }
    }
}

/// The polynomial's upper half below its leading term, as the reduction multiplies by it.
#[inline(always)]
fn polynomial(proof: proof::Aesni) -> One {
    One::of_halves(proof, 0xC200_0000_0000_0000, 0)
}

/// 128 bits over x^64, modulo the reflected polynomial x^128 + x^127 + x^126 + x^121 + 1: adding a multiple of the
/// polynomial, whose lowest 64 bits are just 1, makes the lowest 64 bits zero (Montgomery's way), and they are dropped.
/// It is the sum of both.
#[inline(always)]
fn over_x64<V: Vector>(value: V, polynomial: V) -> [V; 2] {
    [value.swap_halves(), value.product_of_lows(polynomial)]
}

/// Squares each place. The two products in the middle are equal, so their sum is zero.
#[cfg_attr(not(unoptimised), inline(always))]
pub(super) fn square<V: Schedule>(proof: V::Proof, value: V) -> V {
    let polynomial = V::broadcast(proof, polynomial(proof.into()));
    let [turned, product] = over_x64(value.product_of_lows(value), polynomial);
    let [turned, product] = over_x64(turned.xor(product), polynomial);
    value.product_of_highs(value).xor3(turned, product)
}
