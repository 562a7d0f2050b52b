//! GHASH on vectors: products of blocks, which are added up unreduced and then reduced together.
//!
//! Blocks are polynomials with their coefficients in order (see [`Vector::reflect`]).

use core::arch::aarch64::*;

use super::vector::Vector;
use crate::backend::Block;
use crate::cpu::proof;

/// A method of multiplying 128-bit blocks, chosen by the class of CPU. The products of two blocks are computed in four
/// steps, which the main loop interleaves with AES rounds.
pub(crate) trait Products: Copy {
    type Proof: Copy;

    /// Whether the middle 64-bit product is computed by Karatsuba's method, as the product of the XORs of the factors'
    /// halves. One register then holds these XORs for two blocks.
    const IS_FOLDED: bool;

    fn xor3(first: uint8x16_t, second: uint8x16_t, third: uint8x16_t) -> uint8x16_t;

    /// Returns the factors for the middle products of two blocks, computed from two powers of H.
    fn middles(proof: Self::Proof, powers: [Vector<Self>; 2]) -> [Vector<Self>; 2];

    /// Adds middle products of two blocks to `sum`: those that belong to step `step`, which is 2 or 3. ([`Sum::step`]
    /// divides the work on two blocks into four steps.)
    fn add_middle(sum: &mut Sum<Self>, blocks: [Vector<Self>; 2], middles: [Vector<Self>; 2], step: usize);
}

/// Karatsuba's method: three 64-bit products for each block, with AES and PMULL instructions only. For CPUs in which
/// one pipe computes all products (Arm's cores up to A78, Neoverse N1).
#[derive(Clone, Copy)]
pub(crate) struct Karatsuba;

/// Schoolbook method: four 64-bit products for each block. The instruction EOR3 adds two products at once, which makes
/// up for the fourth product. For Neoverse V1, V2, N2 and Apple's cores.
#[derive(Clone, Copy)]
pub(crate) struct Eor3;

impl Products for Karatsuba {
    type Proof = proof::AesPmull;
    const IS_FOLDED: bool = true;

    #[inline(always)]
    fn xor3(first: uint8x16_t, second: uint8x16_t, third: uint8x16_t) -> uint8x16_t {
        intrinsic!(veorq_u8(first, veorq_u8(second, third)))
    }

    #[inline(always)]
    fn middles(proof: proof::AesPmull, [one, two]: [Vector<Self>; 2]) -> [Vector<Self>; 2] {
        [one.fold_two(two), Vector::zero(proof)]
    }

    #[inline(always)]
    fn add_middle(sum: &mut Sum<Self>, [one, two]: [Vector<Self>; 2], middles: [Vector<Self>; 2], step: usize) {
        if step == 2 {
            let folded = one.fold_two(two).pin();
            let products = [folded.product_of_lows(middles[0]), folded.product_of_highs(middles[0])];
            sum.middle = sum.middle.xor(products[0]).xor(products[1]);
        }
    }
}

impl Products for Eor3 {
    type Proof = proof::AesEor3;
    const IS_FOLDED: bool = false;

    #[inline(always)]
    fn xor3(first: uint8x16_t, second: uint8x16_t, third: uint8x16_t) -> uint8x16_t {
        intrinsic!(veor3q_u8(first, second, third))
    }

    #[inline(always)]
    fn middles(_: proof::AesEor3, powers: [Vector<Self>; 2]) -> [Vector<Self>; 2] {
        [powers[0].swap_halves(), powers[1].swap_halves()]
    }

    #[inline(always)]
    fn add_middle(sum: &mut Sum<Self>, blocks: [Vector<Self>; 2], middles: [Vector<Self>; 2], step: usize) {
        let (block, middle) = (blocks[step - 2], middles[step - 2]);
        sum.middle = sum.middle.xor3(block.product_of_lows(middle), block.product_of_highs(middle));
    }
}

/// Two consecutive powers of H, with precomputed factors for the middle 64-bit products.
#[repr(C, align(16))]
pub(crate) struct Pair {
    pub(super) powers: [Block; 2],
    pub(super) middles: [Block; 2],
}

impl Pair {
    pub(super) const ZERO: Self = Self { powers: [[0; 16]; 2], middles: [[0; 16]; 2] };

    /// Loads the two powers of H, each with one 16-byte load. (The compiler would load each half where a product needs
    /// it, which takes two instructions instead of one.)
    #[inline(always)]
    pub(super) fn powers<P: Products>(&self, proof: P::Proof) -> [Vector<P>; 2] {
        Vector::pin_two([Vector::of_bytes(proof, &self.powers[0]), Vector::of_bytes(proof, &self.powers[1])])
    }

    /// Loads the factors for the middle products, each with one 16-byte load. (The compiler would use two loads.)
    #[inline(always)]
    pub(super) fn middles<P: Products>(&self, proof: P::Proof) -> [Vector<P>; 2] {
        if P::IS_FOLDED {
            return [Vector::of_bytes(proof, &self.middles[0]).pin(), Vector::zero(proof)];
        }
        Vector::pin_two([Vector::of_bytes(proof, &self.middles[0]), Vector::of_bytes(proof, &self.middles[1])])
    }
}

/// Unreduced sums of the low, high and middle 64-bit products. With Karatsuba's method, `middle` also contains the sums
/// of the low and high products, until the reduction removes these sums.
#[derive(Clone, Copy)]
pub(crate) struct Sum<P> {
    low: Vector<P>,
    high: Vector<P>,
    middle: Vector<P>,
}

impl<P: Products> Sum<P> {
    #[inline(always)]
    pub(super) fn zero(proof: P::Proof) -> Self {
        let zero = Vector::zero(proof);
        Self { low: zero, high: zero, middle: zero }
    }

    /// Executes one of the four steps of adding the products of two blocks: step 0 for the low halves, 1 for the high
    /// halves, 2 and 3 for the middle products. `factors` are powers of H in steps 0 and 1, and values of
    /// [`Products::middles`] in steps 2 and 3.
    #[inline(always)]
    pub(super) fn step(&mut self, blocks: [Vector<P>; 2], factors: [Vector<P>; 2], step: usize) {
        let [one, two] = blocks;
        match step {
            0 => self.low = add_two(self.low, one.product_of_lows(factors[0]), two.product_of_lows(factors[1])),
            1 => self.high = add_two(self.high, one.product_of_highs(factors[0]), two.product_of_highs(factors[1])),
            _ => P::add_middle(self, blocks, factors, step),
        }
    }

    #[inline(always)]
    pub(super) fn add_two(&mut self, proof: P::Proof, blocks: [Vector<P>; 2], pair: &Pair) {
        let powers = pair.powers(proof);
        self.step(blocks, powers, 0);
        self.step(blocks, powers, 1);
        let middles = pair.middles(proof);
        self.step(blocks, middles, 2);
        self.step(blocks, middles, 3);
    }

    #[inline(always)]
    pub(super) fn add_one(&mut self, block: Vector<P>, power: Vector<P>) {
        let swapped = power.swap_halves();
        let (low, high) = (block.product_of_lows(power), block.product_of_highs(power));
        let middle = block.product_of_lows(swapped).xor(block.product_of_highs(swapped));
        self.low = self.low.xor(low);
        self.high = self.high.xor(high);
        self.middle = self.middle.xor(if P::IS_FOLDED { middle.xor3(low, high) } else { middle });
    }

    /// Reduces the sum modulo x^128 + x^7 + x^2 + x + 1. Since x^128 = 0x87, the bits from x^192 up times 0x87 are
    /// added at x^64. Then the bits from x^128 to x^191 times 0x87 are added at x^0.
    #[inline(always)]
    pub(super) fn reduce(&self, proof: P::Proof) -> Vector<P> {
        let Self { low, high, middle } = *self;
        let modulus = Vector::of_halves(proof, 0x87, 0x87);
        let middle = if P::IS_FOLDED { middle.xor3(low, high) } else { middle };
        let middle = middle.xor(high.product_of_highs(modulus));
        let high = high.xor(middle.swap_halves());
        low.xor3(Vector::zero(proof).low_halves(middle), high.product_of_lows(modulus))
    }

    #[inline(always)]
    pub(super) fn pin(&mut self) {
        *self = Self { low: self.low.pin(), high: self.high.pin(), middle: self.middle.pin() };
    }
}

#[inline(always)]
pub(super) fn multiply<P: Products>(proof: P::Proof, one: Vector<P>, other: Vector<P>) -> Vector<P> {
    let mut sum = Sum::zero(proof);
    sum.add_one(one, other);
    sum.reduce(proof)
}

/// Adds two products to `sum`. With EOR3 this takes one instruction. Otherwise the products are added one after the
/// other, so that the first addition need not wait for the second product.
#[inline(always)]
fn add_two<P: Products>(sum: Vector<P>, one: Vector<P>, two: Vector<P>) -> Vector<P> {
    if P::IS_FOLDED { sum.xor(one).xor(two) } else { sum.xor3(one, two) }
}
