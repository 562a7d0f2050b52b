//! `aesni`: AES-NI and PCLMULQDQ, one block per vector, without AVX.

use core::arch::asm;
use core::arch::x86_64::*;
use core::mem::MaybeUninit;

use super::schedule::{GROUP, Products, Schedule};
use super::vector::{Halves, Vector};
use crate::backend::Block;
use crate::cpu::proof;

/// One 16-byte block in a 128-bit register.
#[derive(Clone, Copy)]
pub(crate) struct Lanes1(__m128i);

impl Lanes1 {
    /// Returns the block with the 64-bit halves `low` and `high`.
    #[inline(always)]
    pub(super) fn of_halves(_: proof::Aesni, low: u64, high: u64) -> Self {
        Self(intrinsic!(_mm_set_epi64x(high.cast_signed(), low.cast_signed())))
    }

    /// Applies the S-box to one word of the AES key schedule.
    #[inline(always)]
    pub(super) fn substitute_word(_: proof::Aesni, word: u32) -> u32 {
        // The first word of the result is the S-box of the second word of the operand, without rotation.
        let assisted = intrinsic!(_mm_aeskeygenassist_si128(_mm_set1_epi32(word.cast_signed()), 0));
        intrinsic!(_mm_cvtsi128_si32(assisted)).cast_unsigned()
    }

    #[inline(always)]
    pub(super) fn repeat_word(_: proof::Aesni, word: u32) -> Self {
        Self(intrinsic!(_mm_set1_epi32(word.cast_signed())))
    }

    #[inline(always)]
    pub(super) fn of_words(_: proof::Aesni, words: [u32; 4]) -> Self {
        let [a, b, c, d] = words.map(u32::cast_signed);
        Self(intrinsic!(_mm_set_epi32(d, c, b, a)))
    }

    /// Shuffles the four 32-bit words. `ORDER` has two bits for each word of the result, the lowest two bits for the
    /// first word: the index of the word to copy.
    #[inline(always)]
    pub(super) fn shuffle_words<const ORDER: i32>(self) -> Self {
        Self(intrinsic!(_mm_shuffle_epi32(self.0, ORDER)))
    }

    /// Rotates each 32-bit word right by `bytes` bytes, 0 to 3.
    #[inline(always)]
    pub(super) fn rotate_words_right(self, proof: proof::Aesni, bytes: usize) -> Self {
        if bytes == 0 {
            return self;
        }
        let word = 0x0302_0100_u32.rotate_right(8 * bytes as u32);
        let order = Self::of_words(proof, [word, word + 0x0404_0404, word + 0x0808_0808, word + 0x0C0C_0C0C]);
        Self(intrinsic!(_mm_shuffle_epi8(self.0, order.0)))
    }

    #[inline(always)]
    pub(super) fn and(self, other: Self) -> Self {
        Self(intrinsic!(_mm_and_si128(self.0, other.0)))
    }

    #[inline(always)]
    pub(super) fn from_register(register: __m128i) -> Self {
        Self(register)
    }

    #[inline(always)]
    pub(super) fn register(self) -> __m128i {
        self.0
    }

    /// Shifts the block by `places` bytes towards higher addresses, and fills the free bytes with zeros.
    #[inline(always)]
    pub(super) fn moved(self, places: i8) -> Self {
        // Index of the source of each byte, counted so that an index outside the block has its highest bit set, for
        // which the shuffle gives zero.
        let order = intrinsic!(_mm_set_epi8(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0));
        let from = intrinsic!(_mm_sub_epi8(order, _mm_set1_epi8(places)));
        let from = intrinsic!(_mm_adds_epu8(from, _mm_set1_epi8(0x70)));
        Self(intrinsic!(_mm_shuffle_epi8(self.0, from)))
    }

    /// Multiplies the block by x modulo x^128 + x^127 + x^126 + x^121 + 1, which is GCM's polynomial with its bits
    /// reversed.
    #[inline(always)]
    pub(super) fn times_x(self, proof: proof::Aesni) -> Self {
        let modulus = Self::of_halves(proof, 1, 0xC200_0000_0000_0000);
        let highest = intrinsic!(_mm_shuffle_epi32(_mm_srai_epi32(self.0, 31), 0b11_11_11_11));
        // Doubles both halves, and adds the bit that leaves the lower half.
        let between = intrinsic!(_mm_slli_si128(_mm_srli_epi64(self.0, 63), 8));
        let doubled = intrinsic!(_mm_or_si128(_mm_add_epi64(self.0, self.0), between));
        Self(intrinsic!(_mm_xor_si128(doubled, _mm_and_si128(highest, modulus.0))))
    }

    #[inline(always)]
    pub(super) fn low_half(self) -> u64 {
        intrinsic!(_mm_cvtsi128_si64(self.0)).cast_unsigned()
    }

    #[inline(always)]
    pub(super) fn to_bytes(self) -> [u8; 16] {
        let mut bytes = [0; 16];
        // SAFETY: 16 bytes can be written.
        unsafe { self.store(bytes.as_mut_ptr()) };
        bytes
    }

    #[inline(always)]
    pub(super) fn of_bytes(proof: proof::Aesni, bytes: &[u8; 16]) -> Self {
        // SAFETY: 16 bytes can be read.
        unsafe { Self::load(proof, bytes.as_ptr()) }
    }
}

impl Vector for Lanes1 {
    type Proof = proof::Aesni;

    const BLOCKS: usize = 1;

    #[inline(always)]
    fn zero(_: proof::Aesni) -> Self {
        Self(intrinsic!(_mm_setzero_si128()))
    }

    #[inline(always)]
    fn broadcast(_: proof::Aesni, block: Lanes1) -> Self {
        block
    }

    #[inline(always)]
    unsafe fn load_broadcast(proof: proof::Aesni, from: *const u8) -> Self {
        // SAFETY: guaranteed by the caller.
        unsafe { Self::load_aligned(proof, from) }
    }

    #[inline(always)]
    unsafe fn load_halves(proof: proof::Aesni, from: *const u8) -> Halves<Self> {
        // SAFETY: guaranteed by the caller.
        let both = unsafe { Self::load(proof, from) };
        Halves { low: both, high: both }
    }

    #[inline(always)]
    unsafe fn load(_: proof::Aesni, from: *const u8) -> Self {
        // SAFETY: the caller says that 16 bytes can be read; no alignment is asked for.
        Self(unsafe { _mm_loadu_si128(from.cast()) })
    }

    #[inline(always)]
    unsafe fn load_aligned(_: proof::Aesni, from: *const u8) -> Self {
        debug_assert!(from.addr().is_multiple_of(16));
        // SAFETY: guaranteed by the caller.
        Self(unsafe { _mm_load_si128(from.cast()) })
    }

    #[inline(always)]
    unsafe fn load_part(proof: proof::Aesni, from: *const u8, bytes: usize) -> Self {
        if bytes >= 16 {
            // SAFETY: guaranteed by the caller.
            return unsafe { Self::load(proof, from) };
        }
        // Combines two overlapping loads, as wide as fit, in integer registers. A load of sixteen bytes right after
        // stores of single bytes would have to wait for the store buffer.
        // SAFETY: every read lies within the first `bytes` bytes.
        let (low, high) = unsafe {
            if bytes >= 8 {
                let tail = from.add(bytes - 8).cast::<u64>().read_unaligned();
                // A shift by 64 (no byte in the high half) is written as shifts by 63 and by one.
                (from.cast::<u64>().read_unaligned(), tail >> 1 >> (8 * (16 - bytes) - 1))
            } else if bytes >= 4 {
                let head = u64::from(from.cast::<u32>().read_unaligned());
                let tail = u64::from(from.add(bytes - 4).cast::<u32>().read_unaligned());
                (head | tail << (8 * (bytes - 4)), 0)
            } else if bytes > 0 {
                let middle = u64::from(from.add(bytes / 2).read()) << (8 * (bytes / 2));
                let last = u64::from(from.add(bytes - 1).read()) << (8 * (bytes - 1));
                (u64::from(from.read()) | middle | last, 0)
            } else {
                (0, 0)
            }
        };
        Self::of_halves(proof, low, high)
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut u8) {
        // SAFETY: the caller says that 16 bytes can be written; no alignment is asked for.
        unsafe { _mm_storeu_si128(to.cast(), self.0) };
    }

    #[inline(always)]
    unsafe fn store_low_halves(self, to: *mut u8) {
        // SAFETY: the caller says that 8 bytes can be written; no alignment is asked for.
        unsafe { _mm_storel_epi64(to.cast(), self.0) };
    }

    #[inline(always)]
    unsafe fn store_part(self, to: *mut u8, bytes: usize) {
        if bytes >= 16 {
            // SAFETY: guaranteed by the caller.
            return unsafe { self.store(to) };
        }
        let mut rest = intrinsic!(_mm_cvtsi128_si64(self.0)).cast_unsigned();
        let high = intrinsic!(_mm_extract_epi64(self.0, 1)).cast_unsigned();
        let (mut to, mut left) = (to, bytes);
        // SAFETY: each write takes as many bytes as are subtracted from `left`, so all lie within the first `bytes`
        // bytes.
        unsafe {
            if left >= 8 {
                to.cast::<u64>().write_unaligned(rest);
                rest = high;
                (to, left) = (to.add(8), left - 8);
            }
            if left >= 4 {
                to.cast::<u32>().write_unaligned(rest as u32);
                (to, left, rest) = (to.add(4), left - 4, rest >> 32);
            }
            if left >= 2 {
                to.cast::<u16>().write_unaligned(rest as u16);
                (to, left, rest) = (to.add(2), left - 2, rest >> 16);
            }
            if left >= 1 {
                to.write(rest as u8);
            }
        }
    }

    #[inline(always)]
    fn first_bytes(self, bytes: usize) -> Self {
        // Sixteen bytes of ones, then sixteen of zeros: a load from the right offset is the mask.
        static MASKS: [u8; 32] = [
            255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 0, 0, 0, 0, 0, 0, 0, 0, 0,
            0, 0, 0, 0, 0, 0, 0,
        ];
        let start = 16 - if bytes < 16 { bytes } else { 16 };
        // SAFETY: `start` is at most 16, so 16 bytes from there are inside the array.
        let mask = unsafe { _mm_loadu_si128(MASKS.as_ptr().add(start).cast()) };
        Self(intrinsic!(_mm_and_si128(self.0, mask)))
    }

    #[inline(always)]
    fn with_first_block(self, block: Lanes1) -> Self {
        block
    }

    #[inline(always)]
    fn xor_first_block(self, block: Lanes1) -> Self {
        self.xor(block)
    }

    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        Self(intrinsic!(_mm_xor_si128(self.0, other.0)))
    }

    #[inline(always)]
    fn xor3(self, second: Self, third: Self) -> Self {
        self.xor(second.xor(third))
    }

    #[inline(always)]
    fn add_words(self, other: Self) -> Self {
        Self(intrinsic!(_mm_add_epi32(self.0, other.0)))
    }

    #[inline(always)]
    fn aes_round(self, round_key: Self) -> Self {
        Self(intrinsic!(_mm_aesenc_si128(self.0, round_key.0)))
    }

    #[inline(always)]
    fn aes_last_round(self, round_key: Self) -> Self {
        Self(intrinsic!(_mm_aesenclast_si128(self.0, round_key.0)))
    }

    #[inline(always)]
    fn product_of_lows(self, other: Self) -> Self {
        Self(intrinsic!(_mm_clmulepi64_si128(self.0, other.0, 0x00)))
    }

    #[inline(always)]
    fn product_of_highs(self, other: Self) -> Self {
        Self(intrinsic!(_mm_clmulepi64_si128(self.0, other.0, 0x11)))
    }

    // Bit 0 of the constant selects the half of the first operand, bit 4 that of the second.
    #[inline(always)]
    fn crosswise(self, other: Self) -> [Self; 2] {
        [
            Self(intrinsic!(_mm_clmulepi64_si128(self.0, other.0, 0x10))),
            Self(intrinsic!(_mm_clmulepi64_si128(self.0, other.0, 0x01))),
        ]
    }

    #[inline(always)]
    fn reverse(self) -> Self {
        let order = intrinsic!(_mm_set_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15));
        Self(intrinsic!(_mm_shuffle_epi8(self.0, order)))
    }

    #[inline(always)]
    fn swap_halves(self) -> Self {
        Self(intrinsic!(_mm_shuffle_epi32(self.0, 0b01_00_11_10)))
    }

    #[inline(always)]
    fn low_halves(self, other: Self) -> Self {
        Self(intrinsic!(_mm_unpacklo_epi64(self.0, other.0)))
    }

    #[inline(always)]
    fn high_halves(self, other: Self) -> Self {
        Self(intrinsic!(_mm_unpackhi_epi64(self.0, other.0)))
    }

    #[inline(always)]
    fn alternate(self, _: Self) -> Self {
        self
    }

    #[inline(always)]
    fn first_half(self, _: Self) -> Self {
        self
    }

    #[inline(always)]
    fn broadcast_first(self) -> Self {
        self
    }

    #[inline(always)]
    fn sum(self) -> Lanes1 {
        self
    }

    #[inline(always)]
    fn sums(vectors: &[Self; 4]) -> Self {
        vectors[0]
    }

    #[inline(always)]
    fn of_blocks(blocks: &[Lanes1; 4]) -> Self {
        blocks[0]
    }

    #[inline(always)]
    fn blocks(self) -> [Lanes1; 4] {
        let zero = Self(intrinsic!(_mm_setzero_si128()));
        [self, zero, zero, zero]
    }
}

impl Schedule for Lanes1 {
    const HASHES_AHEAD: bool = false;

    const IS_INTERLEAVED: bool = true;

    const STRIDES: usize = 16 * GROUP;

    const ONE_TIME_STRETCH: usize = Self::STRIDES / 2;

    const PRODUCTS: Products = Products::Karatsuba;

    const IS_IN_FOURS: bool = false;

    const HAS_LONG_RUNS: bool = false;

    const SIDE_BY_SIDE: usize = 1;

    type Strides = [MaybeUninit<Block>; Self::STRIDES];

    type Folded = [MaybeUninit<[u8; 8]>; Self::STRIDES];

    #[inline(always)]
    fn least_run(vectors: usize) -> usize {
        if vectors <= 6 { 32 } else { usize::MAX }
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
    unsafe fn load_behind_two(proof: proof::Aesni, _: *const u8, _: usize) -> Self {
        Self::zero(proof)
    }

    #[inline(always)]
    unsafe fn store_behind_two(self, _: *mut u8, _: usize) {}

    #[inline(always)]
    fn set_first_two(vectors: &mut [Self], zeroth: Lanes1, first: Lanes1) {
        vectors[0] = zeroth;
        vectors[1] = first;
    }

    #[inline(always)]
    fn second_block(vectors: &[Self]) -> Lanes1 {
        vectors[1]
    }
}

#[inline]
#[target_feature(enable = "sse2")]
fn pinned(register: __m128i) -> __m128i {
    let mut register = register;
    // SAFETY: the assembly is empty.
    unsafe { asm!("/* {0} */", inout(xmm_reg) register, options(nomem, nostack, preserves_flags)) };
    register
}

#[inline]
#[target_feature(enable = "sse2")]
fn pinned_two(two: [__m128i; 2]) -> [__m128i; 2] {
    let [mut first, mut second] = two;
    // SAFETY: the assembly is empty.
    unsafe {
        asm!("/* {0} {1} */", inout(xmm_reg) first, inout(xmm_reg) second, options(nomem, nostack, preserves_flags));
    }
    [first, second]
}
