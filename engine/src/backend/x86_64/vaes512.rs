//! `vaes512`: VAES and VPCLMULQDQ on AVX-512, four blocks per vector. Partial vectors use masks.

use core::arch::asm;
use core::arch::x86_64::*;
use core::marker::PhantomData;
use core::mem::MaybeUninit;

use super::aesni::Lanes1;
use super::schedule::{GROUP, Products, Schedule, Table};
use super::vector::{Halves, Vector};
use crate::backend::Block;
use crate::cpu::proof;

/// Four blocks in a 512-bit register. `O` selects the method of multiplication.
#[derive(Clone, Copy)]
pub(crate) struct Lanes4<O>(__m512i, PhantomData<O>);

/// Tuning parameters for vectors of four blocks that depend on the method of multiplication.
pub(crate) trait Order: Copy {
    const PRODUCTS: Products;
    const STRIDES: usize;
    const ONE_TIME_STRETCH: usize;
    type Strides: Table<Block>;
    type Folded: Table<[u8; 8]>;
}

/// Instruction schedule for CPUs limited by carry-less products, which begin one product in two cycles (AMD's, and
/// Intel's before Sapphire Rapids). Uses three products for each block, and encrypts several pairs of vectors at a
/// time.
#[derive(Clone, Copy)]
pub(crate) enum Karatsuba {}

/// Instruction schedule for CPUs limited by AES, which begin one AES round and one product a cycle (Intel's since
/// Sapphire Rapids). Uses four products for each block, and encrypts groups of four vectors.
#[derive(Clone, Copy)]
pub(crate) enum Schoolbook {}

impl Order for Karatsuba {
    const PRODUCTS: Products = Products::Karatsuba;
    const STRIDES: usize = 8 * GROUP;
    const ONE_TIME_STRETCH: usize = GROUP;
    type Strides = [MaybeUninit<Block>; Self::STRIDES];
    type Folded = [MaybeUninit<[u8; 8]>; Self::STRIDES];
}

impl Order for Schoolbook {
    const PRODUCTS: Products = Products::Schoolbook;
    const STRIDES: usize = 16 * GROUP;
    const ONE_TIME_STRETCH: usize = Self::STRIDES / 2;
    type Strides = [MaybeUninit<Block>; Self::STRIDES];
    type Folded = [MaybeUninit<[u8; 8]>; 0];
}

/// Mask of the first two blocks of a vector, with one bit for each 64-bit word.
const FIRST_TWO: __mmask8 = 0b0000_1111;

/// Mask of the high halves of all blocks of a vector, with one bit for each 64-bit word.
const HIGH_HALVES: __mmask8 = 0b1010_1010;

/// Mask of the last word of each block of a vector, with one bit for each 32-bit word.
const LAST_WORDS: __mmask16 = 0b1000_1000_1000_1000;

/// Three masks: of the first, of the second, and of the third 32-bit word of each block.
static WORDS: Words = Words([[[!0, 0, 0, 0]; 4], [[0, !0, 0, 0]; 4], [[0, 0, !0, 0]; 4]]);

#[repr(align(64))]
struct Words([[[u32; 4]; 4]; 3]);

/// Mask of the first block of a vector, with one bit for each 64-bit word.
const FIRST: __mmask8 = 0b0000_0011;

impl<O: Order> Lanes4<O> {
    #[inline(always)]
    fn of(register: __m512i) -> Self {
        Self(register, PhantomData)
    }

    #[inline(always)]
    fn of_two(low: Lanes1, high: Lanes1) -> __m512i {
        intrinsic!(_mm512_zextsi256_si512(_mm256_set_m128i(high.register(), low.register())))
    }
}

impl<O: Order> Vector for Lanes4<O> {
    type Proof = proof::Vaes512;

    const BLOCKS: usize = 4;

    #[inline(always)]
    fn zero(_: proof::Vaes512) -> Self {
        Self::of(intrinsic!(_mm512_setzero_si512()))
    }

    #[inline(always)]
    fn broadcast(_: proof::Vaes512, block: Lanes1) -> Self {
        Self::of(intrinsic!(_mm512_broadcast_i32x4(block.register())))
    }

    #[inline(always)]
    fn of_halves(_: proof::Vaes512, low: u64, high: u64) -> Self {
        let low = intrinsic!(_mm512_set1_epi64(low.cast_signed()));
        Self::of(intrinsic!(_mm512_mask_set1_epi64(low, HIGH_HALVES, high.cast_signed())))
    }

    #[inline(always)]
    fn of_last_word(_: proof::Vaes512, word: u32) -> Self {
        Self::of(intrinsic!(_mm512_maskz_set1_epi32(LAST_WORDS, word.cast_signed())))
    }

    // The load broadcasts a word, and a mask selects its position, so no shuffle is needed. (Assembling the nonce in a
    // register takes four shuffles, which wait for the multiplications of the previous message.)
    #[inline(always)]
    unsafe fn xor_words(self, _: proof::Vaes512, from: [*const u32; 3]) -> Self {
        let mut sum = self.0;
        unroll!(index < 3, of 4, {
            // SAFETY: guaranteed by the caller.
            let word = intrinsic!(_mm512_set1_epi32(from[index].cast::<i32>().read_unaligned()));
            let places = intrinsic!(_mm512_load_si512(WORDS.0.as_ptr().add(index).cast()));
            // sum ^ word & places
            sum = intrinsic!(_mm512_ternarylogic_epi32(sum, word, places, 0x78));
        });
        Self::of(sum)
    }

    #[inline(always)]
    unsafe fn load_broadcast(_: proof::Vaes512, from: *const u8) -> Self {
        // SAFETY: the caller says that 16 bytes can be read; no alignment is asked for.
        Self::of(unsafe { _mm512_broadcast_i32x4(_mm_loadu_si128(from.cast())) })
    }

    #[inline(always)]
    unsafe fn load_halves(_: proof::Vaes512, from: *const u8) -> Halves<Self> {
        // SAFETY: the caller says that 16 bytes can be read.
        let [low, high] = unsafe { from.cast::<[i64; 2]>().read_unaligned() };
        Halves {
            low: Self::of(intrinsic!(_mm512_set1_epi64(low))),
            high: Self::of(intrinsic!(_mm512_set1_epi64(high))),
        }
    }

    #[inline(always)]
    unsafe fn load(_: proof::Vaes512, from: *const u8) -> Self {
        // SAFETY: the caller says that 64 bytes can be read; no alignment is asked for.
        Self::of(unsafe { _mm512_loadu_si512(from.cast()) })
    }

    #[inline(always)]
    unsafe fn load_aligned(_: proof::Vaes512, from: *const u8) -> Self {
        // SAFETY: guaranteed by the caller.
        Self::of(unsafe { _mm512_load_si512(from.cast()) })
    }

    #[inline(always)]
    unsafe fn load_part(_: proof::Vaes512, from: *const u8, bytes: usize) -> Self {
        // SAFETY: the mask leaves out bytes after `bytes`, and masked-out bytes are not read.
        Self::of(unsafe { _mm512_maskz_loadu_epi8(first_bits(bytes), from.cast()) })
    }

    #[inline(always)]
    unsafe fn load_block(_: proof::Vaes512, from: *const u8, bytes: usize) -> Lanes1 {
        // SAFETY: as in `load_part`, with 16 bytes.
        Lanes1::from_register(unsafe { _mm_maskz_loadu_epi8(first_bits(bytes) as u16, mapped(from, bytes).cast()) })
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut u8) {
        // SAFETY: the caller says that 64 bytes can be written; no alignment is asked for.
        unsafe { _mm512_storeu_si512(to.cast(), self.0) };
    }

    #[inline(always)]
    unsafe fn store_low_halves(self, to: *mut u8) {
        const LOW_HALVES: __mmask8 = 0b0101_0101;
        let low = intrinsic!(_mm512_castsi512_si256(_mm512_maskz_compress_epi64(LOW_HALVES, self.0)));
        // SAFETY: the caller says that 32 bytes can be written; no alignment is asked for.
        unsafe { _mm256_storeu_si256(to.cast(), low) };
    }

    #[inline(always)]
    unsafe fn store_part(self, to: *mut u8, bytes: usize) {
        // SAFETY: the mask leaves out bytes after `bytes`, and masked-out bytes are not written.
        unsafe { _mm512_mask_storeu_epi8(to.cast(), first_bits(bytes), self.0) };
    }

    #[inline(always)]
    fn first_bytes(self, bytes: usize) -> Self {
        Self::of(intrinsic!(_mm512_maskz_mov_epi8(first_bits(bytes), self.0)))
    }

    #[inline(always)]
    fn with_first_block(self, block: Lanes1) -> Self {
        Self::of(intrinsic!(_mm512_mask_broadcast_i64x2(self.0, FIRST, block.register())))
    }

    #[inline(always)]
    fn xor_first_block(self, block: Lanes1) -> Self {
        Self::of(intrinsic!(_mm512_xor_si512(self.0, _mm512_zextsi128_si512(block.register()))))
    }

    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        Self::of(intrinsic!(_mm512_xor_si512(self.0, other.0)))
    }

    #[inline(always)]
    fn xor3(self, second: Self, third: Self) -> Self {
        // 0x96 is the truth table of a three-way XOR.
        Self::of(intrinsic!(_mm512_ternarylogic_epi64(self.0, second.0, third.0, 0x96)))
    }

    #[inline(always)]
    fn add_words(self, other: Self) -> Self {
        Self::of(intrinsic!(_mm512_add_epi32(self.0, other.0)))
    }

    #[inline(always)]
    fn aes_round(self, round_key: Self) -> Self {
        Self::of(intrinsic!(_mm512_aesenc_epi128(self.0, round_key.0)))
    }

    #[inline(always)]
    fn aes_last_round(self, round_key: Self) -> Self {
        Self::of(intrinsic!(_mm512_aesenclast_epi128(self.0, round_key.0)))
    }

    #[inline(always)]
    fn product_of_lows(self, other: Self) -> Self {
        Self::of(intrinsic!(_mm512_clmulepi64_epi128(self.0, other.0, 0x00)))
    }

    #[inline(always)]
    fn product_of_highs(self, other: Self) -> Self {
        Self::of(intrinsic!(_mm512_clmulepi64_epi128(self.0, other.0, 0x11)))
    }

    // Bit 0 of the constant selects the half of the first operand, bit 4 that of the second.
    #[inline(always)]
    fn crosswise(self, other: Self) -> [Self; 2] {
        [
            Self::of(intrinsic!(_mm512_clmulepi64_epi128(self.0, other.0, 0x10))),
            Self::of(intrinsic!(_mm512_clmulepi64_epi128(self.0, other.0, 0x01))),
        ]
    }

    #[inline(always)]
    fn reverse(self) -> Self {
        let order =
            intrinsic!(_mm512_broadcast_i32x4(_mm_set_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)));
        Self::of(intrinsic!(_mm512_shuffle_epi8(self.0, order)))
    }

    #[inline(always)]
    fn swap_halves(self) -> Self {
        Self::of(intrinsic!(_mm512_shuffle_epi32(self.0, 0b01_00_11_10)))
    }

    #[inline(always)]
    fn low_halves(self, other: Self) -> Self {
        Self::of(intrinsic!(_mm512_unpacklo_epi64(self.0, other.0)))
    }

    #[inline(always)]
    fn high_halves(self, other: Self) -> Self {
        Self::of(intrinsic!(_mm512_unpackhi_epi64(self.0, other.0)))
    }

    #[inline(always)]
    fn alternate(self, other: Self) -> Self {
        const EVEN: __mmask8 = 0b0011_0011;
        Self::of(intrinsic!(_mm512_mask_mov_epi64(other.0, EVEN, self.0)))
    }

    #[inline(always)]
    fn first_half(self, other: Self) -> Self {
        Self::of(intrinsic!(_mm512_mask_mov_epi64(other.0, FIRST_TWO, self.0)))
    }

    #[inline(always)]
    fn broadcast_first(self) -> Self {
        Self::of(intrinsic!(_mm512_shuffle_i64x2(self.0, self.0, 0)))
    }

    #[inline(always)]
    fn sum(self) -> Lanes1 {
        let half = intrinsic!(_mm256_xor_si256(_mm512_castsi512_si256(self.0), _mm512_extracti64x4_epi64(self.0, 1)));
        Lanes1::from_register(intrinsic!(_mm_xor_si128(
            _mm256_castsi256_si128(half),
            _mm256_extracti128_si256(half, 1)
        )))
    }

    #[inline(always)]
    fn sums(vectors: &[Self; 4]) -> Self {
        let [a, b, c, d] = vectors;
        // For vectors a and b, returns the lanes a₀+a₂, a₁+a₃, b₀+b₂, b₁+b₃.
        let halves = |one: &Self, other: &Self| {
            let firsts = intrinsic!(_mm512_shuffle_i64x2(one.0, other.0, 0b01_00_01_00));
            let seconds = intrinsic!(_mm512_shuffle_i64x2(one.0, other.0, 0b11_10_11_10));
            intrinsic!(_mm512_xor_si512(firsts, seconds))
        };
        let (one, other) = (halves(a, b), halves(c, d));
        let evens = intrinsic!(_mm512_shuffle_i64x2(one, other, 0b10_00_10_00));
        let odds = intrinsic!(_mm512_shuffle_i64x2(one, other, 0b11_01_11_01));
        Self::of(intrinsic!(_mm512_xor_si512(evens, odds)))
    }

    #[inline(always)]
    fn of_blocks(blocks: &[Lanes1; 4]) -> Self {
        let [a, b, c, d] = *blocks;
        Self::of(intrinsic!(_mm512_inserti64x4(Self::of_two(a, b), _mm256_set_m128i(d.register(), c.register()), 1)))
    }

    #[inline(always)]
    fn blocks(self) -> [Lanes1; 4] {
        [
            Lanes1::from_register(intrinsic!(_mm512_castsi512_si128(self.0))),
            Lanes1::from_register(intrinsic!(_mm512_extracti32x4_epi32(self.0, 1))),
            Lanes1::from_register(intrinsic!(_mm512_extracti32x4_epi32(self.0, 2))),
            Lanes1::from_register(intrinsic!(_mm512_extracti32x4_epi32(self.0, 3))),
        ]
    }
}

impl<O: Order> Schedule for Lanes4<O> {
    const HASHES_AHEAD: bool = true;

    const IS_INTERLEAVED: bool = false;

    const STRIDES: usize = O::STRIDES;

    const ONE_TIME_STRETCH: usize = O::ONE_TIME_STRETCH;

    const PRODUCTS: Products = O::PRODUCTS;

    const IS_IN_FOURS: bool = matches!(O::PRODUCTS, Products::Schoolbook);

    const HAS_LONG_RUNS: bool = Self::IS_IN_FOURS;

    const SIDE_BY_SIDE: usize = 4;

    type Strides = O::Strides;

    type Folded = O::Folded;

    #[inline(always)]
    fn least_run(vectors: usize) -> usize {
        match (O::PRODUCTS, vectors) {
            (Products::Schoolbook, 1..=2) => 16,
            (Products::Schoolbook, _) => 64,
            (Products::Karatsuba, 1) => 8,
            (Products::Karatsuba, 2..=GROUP) => 16,
            (Products::Karatsuba, _) => usize::MAX,
        }
    }

    // Only the schedule of fours needs pinning: with pairs, the compiler's order is good.
    #[inline(always)]
    fn pin(self) -> Self {
        if Self::IS_IN_FOURS { Self::of(intrinsic!(pinned(self.0))) } else { self }
    }

    #[inline(always)]
    fn pin_two(two: [Self; 2]) -> [Self; 2] {
        [two[0].pin(), two[1].pin()]
    }

    // A masked load of 64 bytes, starting 32 bytes before the data, may touch an unmapped page. It does not fault, but
    // costs about 140 ns. So this loads half a register and inserts it.
    #[inline(always)]
    unsafe fn load_behind_two(_: proof::Vaes512, from: *const u8, bytes: usize) -> Self {
        // SAFETY: as in `load_part`, with 32 bytes.
        let data = unsafe { _mm256_maskz_loadu_epi8(first_bits(bytes) as u32, mapped(from, bytes).cast()) };
        Self::of(intrinsic!(_mm512_inserti64x4(_mm512_setzero_si512(), data, 1)))
    }

    #[inline(always)]
    unsafe fn store_behind_two(self, to: *mut u8, bytes: usize) {
        if bytes == 0 {
            return; // see `mapped`
        }
        // SAFETY: as in `store_part`, with 32 bytes.
        unsafe {
            let data = _mm512_extracti64x4_epi64(self.0, 1);
            _mm256_mask_storeu_epi8(to.cast(), first_bits(bytes) as u32, data);
        }
    }

    #[inline(always)]
    fn set_first_two(vectors: &mut [Self], zeroth: Lanes1, first: Lanes1) {
        vectors[0] = Self::of(intrinsic!(_mm512_mask_mov_epi64(vectors[0].0, FIRST_TWO, Self::of_two(zeroth, first))));
    }

    #[inline(always)]
    fn second_block(vectors: &[Self]) -> Lanes1 {
        Lanes1::from_register(intrinsic!(_mm512_extracti32x4_epi32(vectors[0].0, 1)))
    }
}

#[inline]
#[target_feature(enable = "avx512f")]
fn pinned(register: __m512i) -> __m512i {
    let mut register = register;
    // SAFETY: the assembly is empty.
    unsafe { asm!("/* {0} */", inout(zmm_reg) register, options(nomem, nostack, preserves_flags)) };
    register
}

/// Returns a number whose lowest `count` bits are ones.
#[inline(always)]
fn first_bits(count: usize) -> u64 {
    debug_assert!(count <= 64);
    intrinsic!(_bzhi_u64(!0, count as u32))
}

/// Returns `from`, or the address of a static if no bytes are read. (A masked load of no bytes never faults. But at an
/// unmapped address, such as that of an empty slice, it makes the CPU walk the page tables every time.)
#[inline(always)]
fn mapped(from: *const u8, bytes: usize) -> *const u8 {
    static ANYTHING: [u8; 32] = [0; 32];
    if bytes == 0 { ANYTHING.as_ptr() } else { from }
}
