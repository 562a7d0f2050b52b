//! GHASH on vectors of blocks. Products are added up unreduced, and reduced as rarely as the tables of powers of H
//! allow. One table has consecutive powers of H. The other table has strides: powers of H whose exponents are multiples
//! of the number of blocks in a vector.
//!
//! The hash of blocks X₁ … Xₙ is X₁·Hⁿ + X₂·Hⁿ⁻¹ + … + Xₙ·H in GF(2^128) (SP 800-38D §6.4). If the powers of H are
//! known, the products are independent of each other. Since addition is linear, one reduction of the sum suffices.
//!
//! Karatsuba's method makes each product of 128-bit polynomials from three 64-bit products: low = aₗ·hₗ, high = aₕ·hₕ,
//! middle = (aₗ + aₕ)·(hₗ + hₕ). The bits in the middle of the result are middle + low + high. This last addition is
//! linear too, so it is executed once, in the reduction.
//!
//! The schoolbook method makes a product from four 64-bit products, with middle = aₗ·hₕ + aₕ·hₗ. The fourth product
//! costs 11 to 18 % where the multiplier is the bottleneck, as on Zen 5, which begins one product in two cycles at any
//! width. Where the multiplier begins one product a cycle, Karatsuba's XORs of the halves take as much time as the
//! fourth product, and their shuffles use the multiplier's port.

use super::aesni::Lanes1;
use super::key::Expanded;
use super::schedule::{Products, Schedule};
use super::vector::{Halves, Vector};
use crate::cpu::proof;

/// Unreduced sums of products: three vectors with the sums of the low, high and middle 64-bit products, separately for
/// each lane.
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

    /// Adds, in each lane, the product of a byte-reversed block (`value`) and a power of H (`power`).
    #[cfg_attr(not(unoptimised), inline(always))]
    pub(super) fn add_one(&mut self, value: V, power: V) {
        self.low = self.low.xor(value.product_of_lows(power));
        self.high = self.high.xor(value.product_of_highs(power));
        self.middle = self.middle.xor(middle::<V, V>(value, power));
    }

    /// Adds the product of the byte-reversed block `value` and the power of H `power` to the sums in the first lane.
    #[inline(always)]
    pub(super) fn add_block(&mut self, value: Lanes1, power: Lanes1) {
        self.low = self.low.xor_first_block(value.product_of_lows(power));
        self.high = self.high.xor_first_block(value.product_of_highs(power));
        self.middle = self.middle.xor_first_block(middle::<V, Lanes1>(value, power));
    }

    /// Adds the products of two vectors of blocks with two vectors of powers of H, by the schoolbook method.
    #[cfg_attr(not(unoptimised), inline(always))]
    pub(super) fn add_two_by_four(&mut self, values: [V; 2], powers: [V; 2]) {
        let [first, second] = values;
        self.add_lows([first.product_of_lows(powers[0]), second.product_of_lows(powers[1])]);
        self.add_highs([first.product_of_highs(powers[0]), second.product_of_highs(powers[1])]);
        self.add_middles(first.crosswise(powers[0]));
        self.add_middles(second.crosswise(powers[1]));
    }

    /// Adds the products of two vectors of blocks with powers of H by Karatsuba's method. `folded` has the XORs of the
    /// powers' halves. Shuffles the XORs of both vectors' halves into one vector, in the order of `folded`, which takes
    /// three operations instead of four.
    #[cfg_attr(not(unoptimised), inline(always))]
    pub(super) fn add_two(&mut self, values: [V; 2], powers: [Halves<V>; 2], folded: Halves<V>) {
        let [first, second] = values;
        let sums = fold_two(first, second);
        self.low = self.low.xor3(first.product_of_lows(powers[0].low), second.product_of_lows(powers[1].low));
        self.high = self.high.xor3(first.product_of_highs(powers[0].high), second.product_of_highs(powers[1].high));
        self.middle = self.middle.xor3(sums.product_of_lows(folded.low), sums.product_of_highs(folded.high));
    }

    #[inline(always)]
    pub(super) fn add_lows(&mut self, products: [V; 2]) {
        self.low = self.low.xor3(products[0], products[1]);
    }

    #[inline(always)]
    pub(super) fn add_highs(&mut self, products: [V; 2]) {
        self.high = self.high.xor3(products[0], products[1]);
    }

    /// Adds two 64-bit products to the sum of middle products.
    #[inline(always)]
    pub(super) fn add_middles(&mut self, products: [V; 2]) {
        self.middle = self.middle.xor3(products[0], products[1]);
    }

    /// Adds the products of two vectors, whose bytes are not reversed yet, with the entries `index` and `index + 1` of
    /// the table of powers H^(B·k), for vectors of B blocks.
    #[cfg_attr(not(unoptimised), inline(always))]
    pub(super) fn add_stride(&mut self, key: &Expanded<V>, values: [V; 2], index: usize) {
        debug_assert!(index + 1 < V::STRIDES);
        let values = [values[0].reverse(), values[1].reverse()];
        let powers = key.strides_from(index);
        let folded = key.folded_strides_from(index);
        // SAFETY: both powers are in the tables; the table of folded strides is filled if products are made of three.
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

    /// Combines the sums of several vectors: lane `i` of the result is the sum over all lanes of `sums[i]`.
    #[inline(always)]
    pub(super) fn side_by_side(sums: &[Self; 4]) -> Self {
        Self {
            low: V::sums(&sums.map(|sum| sum.low)),
            high: V::sums(&sums.map(|sum| sum.high)),
            middle: V::sums(&sums.map(|sum| sum.middle)),
        }
    }

    #[inline(always)]
    pub(super) fn add(&mut self, other: &Self) {
        self.low = self.low.xor(other.low);
        self.high = self.high.xor(other.high);
        self.middle = self.middle.xor(other.middle);
    }

    /// Reduces the sum in each lane separately.
    ///
    /// The low, middle and high sum of 128 bits have the factors 1, x^64 and x^128. The result is their total divided
    /// by x^128. The low sum divided by x^64 is added to the middle sum, and the new middle sum divided by x^64 to the
    /// high sum.
    #[cfg_attr(not(unoptimised), inline(always))]
    pub(super) fn reduce(self, proof: V::Proof) -> V {
        let polynomial = V::broadcast(proof, polynomial(proof.into()));
        let middle = match V::PRODUCTS {
            Products::Karatsuba => self.middle.xor3(self.low, self.high),
            Products::Schoolbook => self.middle,
        };
        let [turned, product] = divide_by_x64(self.low, polynomial);
        let [turned, product] = divide_by_x64(middle.xor3(turned, product), polynomial);
        self.high.xor3(turned, product)
    }

    /// Adds up the sums of all lanes, and reduces the total.
    #[cfg_attr(not(unoptimised), inline(always))]
    pub(super) fn finish(self, proof: V::Proof) -> Lanes1 {
        self.reduce(proof).sum()
    }
}

impl<V: Schedule> Accumulator<V> {
    #[inline(always)]
    pub(super) fn pin(&mut self) {
        *self = Self { low: self.low.pin(), high: self.high.pin(), middle: self.middle.pin() };
    }
}

/// Multiplies the blocks of `N` vectors, whose bytes are not reversed yet, by H^`power` and the powers below it. Adds
/// the products to `sum`. With `LENGTHS`, the first block holds the lengths; it is multiplied by H, since GHASH ends
/// with the lengths.
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
        // SAFETY: the table has a power for each block of the N vectors, and ends with three spare entries.
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

#[inline(always)]
pub(super) fn add_two<V: Schedule>(sum: &mut Accumulator<V>, values: [V; 2], powers: [V; 2]) {
    let [first, second] = powers;
    match V::PRODUCTS {
        Products::Karatsuba => sum.add_two(
            values,
            [in_both_halves(first), in_both_halves(second)],
            in_both_halves(fold_two(first, second)),
        ),
        Products::Schoolbook => sum.add_two_by_four(values, powers),
    }
}

/// Returns [`Halves`] with `vector` both for the low and for the high halves.
#[inline(always)]
fn in_both_halves<V: Copy>(vector: V) -> Halves<V> {
    Halves { low: vector, high: vector }
}

/// Returns, in both halves of each block, the XOR of the block's two 64-bit halves.
#[inline(always)]
pub(super) fn fold_halves<V: Vector>(value: V) -> V {
    value.xor(value.swap_halves())
}

/// Returns the XORs of the two 64-bit halves of each block: for the blocks of `first` in the low halves, for the blocks
/// of `second` in the high halves.
#[inline(always)]
pub(super) fn fold_two<V: Vector>(first: V, second: V) -> V {
    first.low_halves(second).xor(first.high_halves(second))
}

/// Returns the part of each lane's product that is added to [`Accumulator::middle`]. By the schoolbook method, this is
/// the XOR of the two cross products. By Karatsuba's method, it also contains the low and high products, which the
/// reduction removes.
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

/// Upper 64 bits of the reduction polynomial without its leading term, for [`divide_by_x64`].
#[inline(always)]
fn polynomial(proof: proof::Aesni) -> Lanes1 {
    Lanes1::of_halves(proof, 0xC200_0000_0000_0000, 0)
}

/// Divides 128 bits by x^64, modulo x^128 + x^127 + x^126 + x^121 + 1, which is GCM's polynomial with its bits
/// reversed. The result is the XOR of the two returned vectors.
///
/// This is Montgomery's method: adding a multiple of the polynomial, whose lowest 64 bits are the number 1, makes the
/// lowest 64 bits zero. These bits are then dropped.
#[inline(always)]
fn divide_by_x64<V: Vector>(value: V, polynomial: V) -> [V; 2] {
    [value.swap_halves(), value.product_of_lows(polynomial)]
}

/// Squares the field element in each lane. (The two cross products of a square are equal, so they cancel out.)
#[cfg_attr(not(unoptimised), inline(always))]
pub(super) fn square<V: Schedule>(proof: V::Proof, value: V) -> V {
    let polynomial = V::broadcast(proof, polynomial(proof.into()));
    let [turned, product] = divide_by_x64(value.product_of_lows(value), polynomial);
    let [turned, product] = divide_by_x64(turned.xor(product), polynomial);
    value.product_of_highs(value).xor3(turned, product)
}
