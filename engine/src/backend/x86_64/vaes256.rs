//! `vaes256`: VAES and VPCLMULQDQ on AVX2, two blocks per vector.

use core::arch::asm;
use core::arch::x86_64::*;
use core::mem::MaybeUninit;

use super::aesni::Lanes1;
use super::schedule::{GROUP, Products, Schedule};
use super::vector::{Halves, Vector};
use crate::backend::Block;
use crate::cpu::proof;

#[derive(Clone, Copy)]
pub(crate) struct Lanes2(__m256i);

impl Lanes2 {
    #[inline(always)]
    fn low(self) -> Lanes1 {
        Lanes1::from_register(intrinsic!(_mm256_castsi256_si128(self.0)))
    }

    #[inline(always)]
    fn high(self) -> Lanes1 {
        Lanes1::from_register(intrinsic!(_mm256_extracti128_si256(self.0, 1)))
    }

    #[inline(always)]
    fn of(low: Lanes1, high: Lanes1) -> Self {
        Self(intrinsic!(_mm256_set_m128i(high.register(), low.register())))
    }
}

impl Vector for Lanes2 {
    type Proof = proof::Vaes256;

    const BLOCKS: usize = 2;

    #[inline(always)]
    fn zero(_: proof::Vaes256) -> Self {
        Self(intrinsic!(_mm256_setzero_si256()))
    }

    #[inline(always)]
    fn broadcast(_: proof::Vaes256, block: Lanes1) -> Self {
        Self(intrinsic!(_mm256_broadcastsi128_si256(block.register())))
    }

    #[inline(always)]
    unsafe fn load_broadcast(_: proof::Vaes256, from: *const u8) -> Self {
        // SAFETY: the caller says that 16 bytes can be read; no alignment is asked for.
        Self(unsafe { _mm256_broadcastsi128_si256(_mm_loadu_si128(from.cast())) })
    }

    #[inline(always)]
    unsafe fn load_halves(_: proof::Vaes256, from: *const u8) -> Halves<Self> {
        // SAFETY: the caller says that 16 bytes can be read.
        let [low, high] = unsafe { from.cast::<[i64; 2]>().read_unaligned() };
        Halves { low: Self(intrinsic!(_mm256_set1_epi64x(low))), high: Self(intrinsic!(_mm256_set1_epi64x(high))) }
    }

    #[inline(always)]
    unsafe fn load(_: proof::Vaes256, from: *const u8) -> Self {
        // SAFETY: the caller says that 32 bytes can be read; no alignment is asked for.
        Self(unsafe { _mm256_loadu_si256(from.cast()) })
    }

    #[inline(always)]
    unsafe fn load_aligned(_: proof::Vaes256, from: *const u8) -> Self {
        // SAFETY: guaranteed by the caller.
        Self(unsafe { _mm256_load_si256(from.cast()) })
    }

    #[inline(always)]
    unsafe fn load_part(proof: proof::Vaes256, from: *const u8, bytes: usize) -> Self {
        // SAFETY: guaranteed by the caller; the second half begins where the first ends.
        unsafe {
            if bytes >= 32 {
                return Self::load(proof, from);
            }
            if bytes <= 16 {
                return Self::of(Lanes1::load_part(proof.into(), from, bytes), Lanes1::zero(proof.into()));
            }
            Self::of(Lanes1::load(proof.into(), from), Lanes1::load_part(proof.into(), from.add(16), bytes - 16))
        }
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut u8) {
        // SAFETY: the caller says that 32 bytes can be written; no alignment is asked for.
        unsafe { _mm256_storeu_si256(to.cast(), self.0) };
    }

    #[inline(always)]
    unsafe fn store_low_halves(self, to: *mut u8) {
        // Takes quarters 0 and 2 of the register.
        let low = intrinsic!(_mm256_castsi256_si128(_mm256_permute4x64_epi64::<0b1000>(self.0)));
        // SAFETY: the caller says that 16 bytes can be written; no alignment is asked for.
        unsafe { _mm_storeu_si128(to.cast(), low) };
    }

    #[inline(always)]
    unsafe fn store_part(self, to: *mut u8, bytes: usize) {
        // SAFETY: guaranteed by the caller; the second half begins where the first ends.
        unsafe {
            if bytes >= 32 {
                return self.store(to);
            }
            if bytes <= 16 {
                return self.low().store_part(to, bytes);
            }
            self.low().store(to);
            self.high().store_part(to.add(16), bytes - 16);
        }
    }

    #[inline(always)]
    fn first_bytes(self, bytes: usize) -> Self {
        static MASKS: [u8; 64] = {
            let mut masks = [0; 64];
            let mut index = 0;
            while index < 32 {
                masks[index] = 255;
                index += 1;
            }
            masks
        };
        let start = 32 - if bytes < 32 { bytes } else { 32 };
        // SAFETY: `start` is at most 32, so 32 bytes from there are inside the array.
        let mask = unsafe { _mm256_loadu_si256(MASKS.as_ptr().add(start).cast()) };
        Self(intrinsic!(_mm256_and_si256(self.0, mask)))
    }

    #[inline(always)]
    fn with_first_block(self, block: Lanes1) -> Self {
        Self(intrinsic!(_mm256_inserti128_si256(self.0, block.register(), 0)))
    }

    #[inline(always)]
    fn xor_first_block(self, block: Lanes1) -> Self {
        Self(intrinsic!(_mm256_xor_si256(self.0, _mm256_zextsi128_si256(block.register()))))
    }

    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        Self(intrinsic!(_mm256_xor_si256(self.0, other.0)))
    }

    #[inline(always)]
    fn xor3(self, second: Self, third: Self) -> Self {
        self.xor(second.xor(third))
    }

    #[inline(always)]
    fn add_words(self, other: Self) -> Self {
        Self(intrinsic!(_mm256_add_epi32(self.0, other.0)))
    }

    #[inline(always)]
    fn aes_round(self, round_key: Self) -> Self {
        Self(intrinsic!(_mm256_aesenc_epi128(self.0, round_key.0)))
    }

    #[inline(always)]
    fn aes_last_round(self, round_key: Self) -> Self {
        Self(intrinsic!(_mm256_aesenclast_epi128(self.0, round_key.0)))
    }

    #[inline(always)]
    fn product_of_lows(self, other: Self) -> Self {
        Self(intrinsic!(_mm256_clmulepi64_epi128(self.0, other.0, 0x00)))
    }

    #[inline(always)]
    fn product_of_highs(self, other: Self) -> Self {
        Self(intrinsic!(_mm256_clmulepi64_epi128(self.0, other.0, 0x11)))
    }

    // Bit 0 of the constant selects the half of the first operand, bit 4 that of the second.
    #[inline(always)]
    fn crosswise(self, other: Self) -> [Self; 2] {
        [
            Self(intrinsic!(_mm256_clmulepi64_epi128(self.0, other.0, 0x10))),
            Self(intrinsic!(_mm256_clmulepi64_epi128(self.0, other.0, 0x01))),
        ]
    }

    #[inline(always)]
    fn reverse(self) -> Self {
        let order =
            intrinsic!(_mm256_broadcastsi128_si256(_mm_set_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)));
        Self(intrinsic!(_mm256_shuffle_epi8(self.0, order)))
    }

    #[inline(always)]
    fn swap_halves(self) -> Self {
        Self(intrinsic!(_mm256_shuffle_epi32(self.0, 0b01_00_11_10)))
    }

    #[inline(always)]
    fn low_halves(self, other: Self) -> Self {
        Self(intrinsic!(_mm256_unpacklo_epi64(self.0, other.0)))
    }

    #[inline(always)]
    fn high_halves(self, other: Self) -> Self {
        Self(intrinsic!(_mm256_unpackhi_epi64(self.0, other.0)))
    }

    #[inline(always)]
    fn alternate(self, other: Self) -> Self {
        self.first_half(other)
    }

    #[inline(always)]
    fn first_half(self, other: Self) -> Self {
        Self(intrinsic!(_mm256_blend_epi32(other.0, self.0, 0b0000_1111)))
    }

    #[inline(always)]
    fn broadcast_first(self) -> Self {
        Self(intrinsic!(_mm256_permute2x128_si256(self.0, self.0, 0)))
    }

    #[inline(always)]
    fn sum(self) -> Lanes1 {
        self.low().xor(self.high())
    }

    #[inline(always)]
    fn sums(vectors: &[Self; 4]) -> Self {
        let [first, second, ..] = vectors;
        let lows = intrinsic!(_mm256_permute2x128_si256(first.0, second.0, 0x20));
        let highs = intrinsic!(_mm256_permute2x128_si256(first.0, second.0, 0x31));
        Self(intrinsic!(_mm256_xor_si256(lows, highs)))
    }

    #[inline(always)]
    fn of_blocks(blocks: &[Lanes1; 4]) -> Self {
        Self::of(blocks[0], blocks[1])
    }

    #[inline(always)]
    fn blocks(self) -> [Lanes1; 4] {
        let zero = Lanes1::from_register(intrinsic!(_mm_setzero_si128()));
        [self.low(), self.high(), zero, zero]
    }
}

impl Schedule for Lanes2 {
    const HASHES_AHEAD: bool = false;

    const IS_INTERLEAVED: bool = true;

    const STRIDES: usize = 16 * GROUP;

    const ONE_TIME_STRETCH: usize = Self::STRIDES / 2;

    const PRODUCTS: Products = Products::Karatsuba;

    const IS_IN_FOURS: bool = false;

    const HAS_LONG_RUNS: bool = false;

    const SIDE_BY_SIDE: usize = 2;

    type Strides = [MaybeUninit<Block>; Self::STRIDES];

    type Folded = [MaybeUninit<[u8; 8]>; Self::STRIDES];

    #[inline(always)]
    fn least_run(vectors: usize) -> usize {
        if vectors <= 3 { 16 } else { usize::MAX }
    }

    #[inline(always)]
    fn pin(self) -> Self {
        Self(intrinsic!(pinned(self.0)))
    }

    #[inline(always)]
    fn pin_two(two: [Self; 2]) -> [Self; 2] {
        let [first, second] = intrinsic!(pinned_two([two[0].0, two[1].0]));
        [Self(first), Self(second)]
    }

    #[inline(always)]
    unsafe fn load_behind_two(proof: proof::Vaes256, _: *const u8, _: usize) -> Self {
        Self::zero(proof)
    }

    #[inline(always)]
    unsafe fn store_behind_two(self, _: *mut u8, _: usize) {}

    #[inline(always)]
    fn set_first_two(vectors: &mut [Self], zeroth: Lanes1, first: Lanes1) {
        vectors[0] = Self::of(zeroth, first);
    }

    #[inline(always)]
    fn second_block(vectors: &[Self]) -> Lanes1 {
        vectors[0].high()
    }
}

#[inline]
#[target_feature(enable = "avx")]
fn pinned(register: __m256i) -> __m256i {
    let mut register = register;
    // SAFETY: the assembly is empty.
    unsafe { asm!("/* {0} */", inout(ymm_reg) register, options(nomem, nostack, preserves_flags)) };
    register
}

#[inline]
#[target_feature(enable = "avx")]
fn pinned_two(two: [__m256i; 2]) -> [__m256i; 2] {
    let [mut first, mut second] = two;
    // SAFETY: the assembly is empty.
    unsafe {
        asm!("/* {0} {1} */", inout(ymm_reg) first, inout(ymm_reg) second, options(nomem, nostack, preserves_flags));
    }
    [first, second]
}
