//! The field K = GF(2^128), whose elements represent the bits of the modelled machine.
//!
//! K is GF(2)\[x\] modulo x^128 + x^7 + x^2 + x + 1; bit i of a `u128` is the coefficient of x^i. GF(2) is the subfield
//! {0, 1} of K. A concrete bit is 0 or 1. A symbolic bit is a polynomial over GF(2), represented by its value at a
//! random point of K.

#![allow(unsafe_code, reason = "uses intrinsics after `check_cpu`")]

use std::arch::x86_64::*;
use std::ops::{BitXor, BitXorAssign};

/// A bit of the modelled machine. A concrete bit is 0 or 1. A symbolic bit is a polynomial, represented by its value at
/// a random point of GF(2^128).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct Bit(pub u128);

impl Bit {
    pub const ZERO: Self = Self(0);
    pub const ONE: Self = Self(1);

    /// Returns the bit's value if the bit is concrete (0 or 1).
    #[must_use]
    pub fn known(self) -> Option<bool> {
        (self.0 <= 1).then_some(self.0 == 1)
    }

    /// Multiplies two bits. Returns the bit itself if the two bits are equal, because x² = x for bits.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        match (self.0, other.0) {
            (one, other) if one == other => self,
            (0, _) | (_, 0) => Self::ZERO,
            (1, one) | (one, 1) => Self(one),
            // SAFETY: `check_cpu` has seen the feature.
            (one, other) => Self(unsafe { product(one, other) }),
        }
    }

    #[must_use]
    pub fn or(self, other: Self) -> Self {
        self ^ other ^ self.and(other)
    }

    #[must_use]
    pub fn inverted(self) -> Self {
        self ^ Self::ONE
    }
}

impl From<bool> for Bit {
    fn from(bit: bool) -> Self {
        Self(u128::from(bit))
    }
}

impl BitXor for Bit {
    type Output = Self;

    #[inline(always)]
    fn bitxor(self, other: Self) -> Self {
        Self(self.0 ^ other.0)
    }
}

impl BitXorAssign for Bit {
    #[inline(always)]
    fn bitxor_assign(&mut self, other: Self) {
        self.0 ^= other.0;
    }
}

/// Checks that this CPU has the instruction PCLMULQDQ, which the prover uses to multiply in GF(2^128).
pub fn check_cpu() -> Result<(), &'static str> {
    if std::is_x86_feature_detected!("pclmulqdq") { Ok(()) } else { Err("the prover needs a CPU with PCLMULQDQ") }
}

/// Multiplies two polynomials of degree 63, whose coefficients `one` and `other` are elements of GF(2^128). This models
/// PCLMULQDQ on symbolic bits. The last coefficient of the product is 0.
pub fn carryless_product(one: &[Bit], other: &[Bit], product: &mut [Bit]) {
    assert!(one.len() == 64 && other.len() == 64 && product.len() == 128, "a product of 64 bits by 64");
    for (known, factor) in [(other, one), (one, other)] {
        if known.iter().all(|bit| bit.0 <= 1) {
            product.fill(Bit::ZERO);
            for (place, _) in known.iter().enumerate().filter(|(_, bit)| bit.0 == 1) {
                for (sum, &bit) in product[place..].iter_mut().zip(factor) {
                    *sum ^= bit;
                }
            }
            return;
        }
    }
    // SAFETY: `check_cpu` has seen the feature.
    unsafe { karatsuba_64(one, other, product) };
}

/// A product of two polynomials over GF(2) with 128 coefficients each, before reduction.
#[derive(Clone, Copy)]
struct Wide {
    low: __m128i,
    high: __m128i,
}

/// Multiplies two elements of GF(2^128).
///
/// # Safety
/// The CPU must have PCLMULQDQ.
#[target_feature(enable = "pclmulqdq")]
unsafe fn product(one: u128, other: u128) -> u128 {
    reduce(multiply(register(one), register(other)))
}

#[inline]
#[target_feature(enable = "sse2")]
fn register(value: u128) -> __m128i {
    _mm_set_epi64x((value >> 64) as i64, value as i64)
}

#[inline]
#[target_feature(enable = "pclmulqdq")]
fn multiply(one: __m128i, other: __m128i) -> Wide {
    let middle = _mm_xor_si128(_mm_clmulepi64_si128::<0x01>(one, other), _mm_clmulepi64_si128::<0x10>(one, other));
    Wide {
        low: _mm_xor_si128(_mm_clmulepi64_si128::<0x00>(one, other), _mm_slli_si128::<8>(middle)),
        high: _mm_xor_si128(_mm_clmulepi64_si128::<0x11>(one, other), _mm_srli_si128::<8>(middle)),
    }
}

#[inline]
#[target_feature(enable = "sse2")]
fn sum(one: Wide, other: Wide) -> Wide {
    Wide { low: _mm_xor_si128(one.low, other.low), high: _mm_xor_si128(one.high, other.high) }
}

/// Reduces a product modulo x^128 + x^7 + x^2 + x + 1, the polynomial that defines the field GF(2^128).
#[inline]
#[target_feature(enable = "pclmulqdq")]
fn reduce(wide: Wide) -> u128 {
    let modulus = _mm_set_epi64x(0, 0x87);
    // The coefficients from x^192 on reduce to x^64, and up to seven of them to x^128 again.
    let upper = _mm_clmulepi64_si128::<0x01>(wide.high, modulus);
    let high = _mm_xor_si128(wide.high, _mm_srli_si128::<8>(upper));
    let low = _mm_xor_si128(wide.low, _mm_slli_si128::<8>(upper));
    let low = _mm_xor_si128(low, _mm_clmulepi64_si128::<0x00>(high, modulus));
    let (first, second) = (_mm_cvtsi128_si64(low) as u64, _mm_cvtsi128_si64(_mm_srli_si128::<8>(low)) as u64);
    u128::from(first) | u128::from(second) << 64
}

/// Defines a function that multiplies polynomials with `2 * $half` coefficients by Karatsuba's method: three products
/// of polynomials with `$half` coefficients. The coefficients are elements of GF(2^128); each is reduced once, at the
/// end.
macro_rules! karatsuba {
    ($name:ident, $of_half:ident, $half:literal) => {
        #[target_feature(enable = "pclmulqdq")]
        fn $name(one: &[__m128i; 2 * $half], other: &[__m128i; 2 * $half], product: &mut [Wide; 4 * $half]) {
            let zero = _mm_setzero_si128();
            let (mut one_folded, mut other_folded) = ([zero; $half], [zero; $half]);
            let (mut one_halves, mut other_halves) = ([[zero; $half]; 2], [[zero; $half]; 2]);
            for index in 0..$half {
                one_halves[0][index] = one[index];
                one_halves[1][index] = one[index + $half];
                other_halves[0][index] = other[index];
                other_halves[1][index] = other[index + $half];
                one_folded[index] = _mm_xor_si128(one[index], one[index + $half]);
                other_folded[index] = _mm_xor_si128(other[index], other[index + $half]);
            }
            let nothing = Wide { low: zero, high: zero };
            let (mut low, mut high, mut middle) = ([nothing; 2 * $half], [nothing; 2 * $half], [nothing; 2 * $half]);
            $of_half(&one_halves[0], &other_halves[0], &mut low);
            $of_half(&one_halves[1], &other_halves[1], &mut high);
            $of_half(&one_folded, &other_folded, &mut middle);
            for index in 0..2 * $half {
                product[index] = low[index];
                product[index + 2 * $half] = high[index];
            }
            for index in 0..2 * $half {
                let added = sum(sum(middle[index], low[index]), high[index]);
                product[index + $half] = sum(product[index + $half], added);
            }
        }
    };
}

karatsuba!(karatsuba_64_wide, karatsuba_32, 32);
karatsuba!(karatsuba_32, karatsuba_16, 16);
karatsuba!(karatsuba_16, karatsuba_8, 8);
karatsuba!(karatsuba_8, karatsuba_4, 4);
karatsuba!(karatsuba_4, karatsuba_2, 2);

#[inline]
#[target_feature(enable = "pclmulqdq")]
fn karatsuba_2(one: &[__m128i; 2], other: &[__m128i; 2], product: &mut [Wide; 4]) {
    let low = multiply(one[0], other[0]);
    let high = multiply(one[1], other[1]);
    let middle = multiply(_mm_xor_si128(one[0], one[1]), _mm_xor_si128(other[0], other[1]));
    let zero = _mm_setzero_si128();
    *product = [low, sum(sum(middle, low), high), high, Wide { low: zero, high: zero }];
}

#[target_feature(enable = "pclmulqdq")]
fn karatsuba_64(one: &[Bit], other: &[Bit], product: &mut [Bit]) {
    let zero = _mm_setzero_si128();
    let mut factors = [[zero; 64]; 2];
    for (factor, bits) in factors.iter_mut().zip([one, other]) {
        for (coefficient, bit) in factor.iter_mut().zip(bits) {
            *coefficient = register(bit.0);
        }
    }
    let mut wide = [Wide { low: zero, high: zero }; 128];
    karatsuba_64_wide(&factors[0], &factors[1], &mut wide);
    for (bit, coefficient) in product.iter_mut().zip(wide) {
        *bit = Bit(reduce(coefficient));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Multiplies two elements of GF(2^128) by shifting and adding, for comparison with the fast product.
    fn plain_product(one: u128, other: u128) -> u128 {
        let mut product = 0;
        for place in (0..128).rev() {
            let carry = product >> 127;
            product = (product << 1) ^ (carry * 0x87);
            product ^= (other >> place & 1) * one;
        }
        product
    }

    fn numbers() -> impl Iterator<Item = u128> {
        (1..).scan(0x0123_4567_89AB_CDEF_u128, |state, step: u128| {
            *state = state.wrapping_mul(0xDA94_2042_E4DD_58B5_1234_5678_9ABC_DEF1).wrapping_add(step);
            Some(*state ^ *state >> 61)
        })
    }

    #[test]
    fn field_products_match_shift_and_add() {
        let edges = [0, 1, 2, u128::MAX, 1 << 127, 0x87];
        let some: Vec<u128> = edges.into_iter().chain(numbers().take(60)).collect();
        for (&one, &other) in some.iter().flat_map(|one| some.iter().map(move |other| (one, other))) {
            let expected = if one == other { one } else { plain_product(one, other) };
            assert_eq!(Bit(one).and(Bit(other)).0, expected, "{one:x} {other:x}");
        }
    }

    #[test]
    fn and_of_a_bit_with_itself_returns_the_bit() {
        let bit = Bit(0x1234);
        assert_eq!((bit.and(bit), bit.or(bit), bit.and(Bit::ONE), bit.or(Bit::ZERO)), (bit, bit, bit, bit));
    }

    #[test]
    fn carryless_products_match_schoolbook_multiplication() {
        let mut numbers = numbers();
        for kind in 0..4 {
            let mut factor = |known: bool| -> Vec<Bit> {
                numbers.by_ref().take(64).map(|value| Bit(if known { value & 1 } else { value })).collect()
            };
            let (one, other) = (factor(kind & 1 == 1), factor(kind & 2 == 2));
            let mut expected = [Bit::ZERO; 128];
            for (i, j) in (0..64).flat_map(|i| (0..64).map(move |j| (i, j))) {
                expected[i + j] ^= one[i].and(other[j]);
            }
            let mut product = [Bit::ONE; 128];
            carryless_product(&one, &other, &mut product);
            assert_eq!(product, expected);
        }
    }
}
