//! A 16-byte block in a register, and operations on such blocks.

use core::arch::aarch64::*;
use core::arch::asm;
use core::marker::PhantomData;

use super::products::Products;
use crate::backend::Block;

/// A block in a 128-bit register. The first vector is created from a proof that the CPU has the features of `P`, so
/// code that has a vector may use these instructions. All methods are inlined into functions that enable the
/// instructions.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub(crate) struct Vector<P>(uint8x16_t, PhantomData<P>);

/// Sixteen bytes of ones, then sixteen bytes of zeros. A 16-byte load at offset 16 - n gives a mask of n bytes of ones.
static FIRST_BYTES: [u8; 32] = {
    let mut bytes = [0; 32];
    let mut index = 0;
    while index < 16 {
        bytes[index] = 0xFF;
        index += 1;
    }
    bytes
};

impl<P: Products> Vector<P> {
    #[inline(always)]
    fn of(register: uint8x16_t) -> Self {
        Self(register, PhantomData)
    }

    #[inline(always)]
    pub(super) fn zero(_: P::Proof) -> Self {
        Self::of(intrinsic!(vdupq_n_u8(0)))
    }

    /// Returns the block with the 64-bit halves `low` and `high`.
    #[inline(always)]
    pub(super) fn of_halves(_: P::Proof, low: u64, high: u64) -> Self {
        Self::of(intrinsic!(vreinterpretq_u8_u64(vcombine_u64(vcreate_u64(low), vcreate_u64(high)))))
    }

    #[inline(always)]
    pub(super) fn of_bytes(proof: P::Proof, bytes: &Block) -> Self {
        // SAFETY: a block has 16 bytes.
        unsafe { Self::load(proof, bytes.as_ptr()) }
    }

    /// Loads a block from `from`.
    ///
    /// # Safety
    /// 16 bytes can be read.
    #[inline(always)]
    pub(super) unsafe fn load(_: P::Proof, from: *const u8) -> Self {
        // SAFETY: guaranteed by the caller; the proof says that the CPU has the instruction.
        Self::of(unsafe { vld1q_u8(from) })
    }

    /// Loads the first `bytes` bytes at `from`, at most 16, and pads them with zeros to a block.
    ///
    /// # Safety
    /// `bytes` bytes can be read.
    #[inline(always)]
    pub(super) unsafe fn load_part(proof: P::Proof, from: *const u8, bytes: usize) -> Self {
        if bytes >= 16 {
            // SAFETY: guaranteed by the caller.
            return unsafe { Self::load(proof, from) };
        }
        // Combines two overlapping loads, as wide as fit, in integer registers.
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

    /// Stores the whole block at `to`.
    ///
    /// # Safety
    /// 16 bytes can be written.
    #[inline(always)]
    pub(super) unsafe fn store(self, to: *mut u8) {
        // SAFETY: guaranteed by the caller.
        unsafe { vst1q_u8(to, self.0) }
    }

    /// Stores the first `bytes` bytes of the block, at most 16.
    ///
    /// # Safety
    /// `bytes` bytes can be written.
    #[inline(always)]
    pub(super) unsafe fn store_part(self, to: *mut u8, bytes: usize) {
        if bytes >= 16 {
            // SAFETY: guaranteed by the caller.
            return unsafe { self.store(to) };
        }
        let halves = intrinsic!(vreinterpretq_u64_u8(self.0));
        let (mut rest, high) = (intrinsic!(vgetq_lane_u64::<0>(halves)), intrinsic!(vgetq_lane_u64::<1>(halves)));
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
    pub(super) fn to_bytes(self) -> Block {
        let mut bytes = [0; 16];
        // SAFETY: a block has 16 bytes.
        unsafe { self.store(bytes.as_mut_ptr()) };
        bytes
    }

    /// Returns the block with its first `bytes` bytes, at most 16, and zeros in the other bytes.
    #[inline(always)]
    pub(super) fn first_bytes(self, bytes: usize) -> Self {
        debug_assert!(bytes <= 16);
        let mask = FIRST_BYTES.as_ptr().wrapping_add(16 - bytes);
        // SAFETY: the table has 16 bytes from this address on.
        Self::of(intrinsic!(vandq_u8(self.0, vld1q_u8(mask))))
    }

    #[inline(always)]
    pub(super) fn xor(self, other: Self) -> Self {
        Self::of(intrinsic!(veorq_u8(self.0, other.0)))
    }

    #[inline(always)]
    pub(super) fn xor3(self, second: Self, third: Self) -> Self {
        Self::of(P::xor3(self.0, second.0, third.0))
    }

    /// XORs the round key into the block, and then executes an AES round (FIPS 197 §5.1) without AddRoundKey.
    #[inline(always)]
    pub(super) fn aes_round(self, round_key: Self) -> Self {
        Self::of(intrinsic!(vaesmcq_u8(vaeseq_u8(self.0, round_key.0))))
    }

    /// Like [`aes_round`](Self::aes_round), but executes the last AES round, which has no MixColumns.
    #[inline(always)]
    pub(super) fn aes_last_round(self, round_key: Self) -> Self {
        Self::of(intrinsic!(vaeseq_u8(self.0, round_key.0)))
    }

    /// Applies the S-box to each byte of a word of the AES key schedule. (The AES instruction gets four equal columns,
    /// which ShiftRows does not change.)
    #[inline(always)]
    pub(super) fn substitute_word(_: P::Proof, word: u32) -> u32 {
        let columns = intrinsic!(vreinterpretq_u8_u32(vdupq_n_u32(word)));
        let substituted = intrinsic!(vaeseq_u8(columns, vdupq_n_u8(0)));
        intrinsic!(vgetq_lane_u32::<0>(vreinterpretq_u32_u8(substituted)))
    }

    /// Reverses the bits of each byte. This converts a GHASH block to a polynomial with its coefficients in order, and
    /// back.
    #[inline(always)]
    pub(super) fn reflect(self) -> Self {
        Self::of(intrinsic!(vrbitq_u8(self.0)))
    }

    #[inline(always)]
    pub(super) fn product_of_lows(self, other: Self) -> Self {
        let product = intrinsic!({
            let (one, other) = (vreinterpretq_p64_u8(self.0), vreinterpretq_p64_u8(other.0));
            vmull_p64(vgetq_lane_p64::<0>(one), vgetq_lane_p64::<0>(other))
        });
        Self::of(intrinsic!(vreinterpretq_u8_p128(product)))
    }

    #[inline(always)]
    pub(super) fn product_of_highs(self, other: Self) -> Self {
        let product = intrinsic!(vmull_high_p64(vreinterpretq_p64_u8(self.0), vreinterpretq_p64_u8(other.0)));
        Self::of(intrinsic!(vreinterpretq_u8_p128(product)))
    }

    /// Returns a vector with the low 64-bit half of `self` in the low half, and the low 64-bit half of `other` in the
    /// high half.
    #[inline(always)]
    pub(super) fn low_halves(self, other: Self) -> Self {
        let halves = intrinsic!(vtrn1q_u64(vreinterpretq_u64_u8(self.0), vreinterpretq_u64_u8(other.0)));
        Self::of(intrinsic!(vreinterpretq_u8_u64(halves)))
    }

    /// Returns a vector with the XOR of the 64-bit halves of `self` in the low half, and the XOR of the 64-bit halves
    /// of `other` in the high half.
    #[inline(always)]
    pub(super) fn fold_two(self, other: Self) -> Self {
        let highs = intrinsic!(vtrn2q_u64(vreinterpretq_u64_u8(self.0), vreinterpretq_u64_u8(other.0)));
        let lows: uint8x16_t;
        // SAFETY: the assembly works on registers only. (The compiler translates the intrinsic to two moves.)
        unsafe {
            asm!(
                "trn1 {0:v}.2d, {1:v}.2d, {2:v}.2d",
                lateout(vreg) lows, in(vreg) self.0, in(vreg) other.0,
                options(pure, nomem, nostack, preserves_flags),
            );
        }
        Self::of(lows).xor(Self::of(intrinsic!(vreinterpretq_u8_u64(highs))))
    }

    #[inline(always)]
    pub(super) fn swap_halves(self) -> Self {
        Self::of(intrinsic!(vextq_u8::<8>(self.0, self.0)))
    }

    /// Returns the vector unchanged, and acts as a fence for the compiler. Instructions that compute this vector stay
    /// before `pin`, and instructions that use the result stay after `pin`. No load or store crosses the fence.
    #[inline(always)]
    pub(super) fn pin(self) -> Self {
        let mut register = self.0;
        // SAFETY: the assembly is empty.
        unsafe { asm!("/* {0:v} */", inout(vreg) register, options(nostack, preserves_flags)) };
        Self::of(register)
    }

    #[inline(always)]
    pub(super) fn pin_two([one, two]: [Self; 2]) -> [Self; 2] {
        let (mut one, mut two) = (one.0, two.0);
        // SAFETY: the assembly is empty.
        unsafe { asm!("/* {0:v} {1:v} */", inout(vreg) one, inout(vreg) two, options(nostack, preserves_flags)) };
        [Self::of(one), Self::of(two)]
    }
}
