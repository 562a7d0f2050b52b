//! Products of four in two sums, with consecutive powers that are kept twice, as they are and over x^64.
//!
//! A product of A = aₗ + aₕ·x^64 with a power P is aₗ·P + aₕ·x^64·P, which is x^64·(aₗ·Q + aₕ·P) with Q = P over x^64:
//! two sums, aₗ·qₗ + aₕ·pₗ and aₗ·qₕ + aₕ·pₕ, which are 64 bits apart, instead of three; and one product for their
//! reduction instead of two. It takes 16 bytes more per power, and pays off where few powers are used and the result is
//! waited for.

use super::aesni::One;
use super::hash::{over_x64, polynomial};
use super::key::Expanded;
use super::schedule::Schedule;
use super::vector::Vector;

/// The sums, unreduced.
#[derive(Clone, Copy)]
pub(crate) struct TwoSums<V> {
    low: V,
    high: V,
}

impl<V: Schedule> TwoSums<V> {
    #[inline(always)]
    pub(super) fn zero(proof: V::Proof) -> Self {
        Self { low: V::zero(proof), high: V::zero(proof) }
    }

    /// Adds the product of a block, its bytes reversed, with a power, in the first place.
    #[inline(always)]
    pub(super) fn add_block(&mut self, key: &Expanded<V>, value: One, power: usize) {
        let [shifted, whole] = one_power(key, power);
        let ([low_by_high, _], [_, high_by_low]) = (value.crosswise(shifted), value.crosswise(whole));
        self.low = self.low.xor_first_block(value.product_of_lows(shifted).xor(high_by_low));
        self.high = self.high.xor_first_block(low_by_high.xor(value.product_of_highs(whole)));
    }

    /// Adds the products for the lower sum of a vector, its bytes reversed, with powers over x^64 and as they are.
    #[inline(always)]
    pub(super) fn add_low(&mut self, value: V, [shifted, whole]: [V; 2]) {
        let [_, high_by_low] = value.crosswise(whole);
        self.low = self.low.xor3(value.product_of_lows(shifted), high_by_low).pin();
    }

    /// The same for the higher sum.
    #[inline(always)]
    pub(super) fn add_high(&mut self, value: V, [shifted, whole]: [V; 2]) {
        let [low_by_high, _] = value.crosswise(shifted);
        self.high = self.high.xor3(low_by_high, value.product_of_highs(whole)).pin();
    }

    /// All places together, reduced.
    #[inline(always)]
    pub(super) fn finish(self, proof: V::Proof) -> One {
        let [turned, product] = over_x64(self.low, V::broadcast(proof, polynomial(proof.into())));
        self.high.xor3(turned, product).sum()
    }
}

/// The powers of a vector, from `power` on downwards, over x^64 and as they are. With `lengths` the first block is not
/// the first of the data but the last to be hashed, and gets the power one.
#[inline(always)]
pub(super) fn powers<V: Schedule>(key: &Expanded<V>, power: usize, lengths: bool) -> [V; 2] {
    // SAFETY: as many powers are in the tables, and three spare places.
    let powers =
        unsafe { [V::load(key.proof, key.shifted_from(power)), V::load(key.proof, key.consecutive_from(power))] };
    if !lengths {
        return powers;
    }
    let [shifted, whole] = one_power(key, 1);
    [powers[0].with_first_block(shifted), powers[1].with_first_block(whole)]
}

/// One power.
#[inline(always)]
fn one_power<V: Schedule>(key: &Expanded<V>, power: usize) -> [One; 2] {
    let proof = key.proof.into();
    // SAFETY: it is in both tables.
    unsafe { [One::load(proof, key.shifted_from(power)), One::load(proof, key.consecutive_from(power))] }
}
