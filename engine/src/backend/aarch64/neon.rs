//! GHASH by products of bytes, for CPUs without 64-bit carry-less products (Raspberry Pi 3 and 4).
//!
//! One instruction multiplies half a block, eight bytes, by one byte of a power of H. The result is a row: eight 16-bit
//! products, each shifted up by a byte from the product before it. Karatsuba's three products of 64-bit halves consist
//! of 24 rows. Each row is summed over up to eight blocks. Only then are the rows shifted to their positions, combined
//! and reduced.
//!
//! The executed instructions depend only on the length of the data. Blocks are polynomials with their coefficients in
//! order.

use core::arch::aarch64::*;

use crate::backend::portable::Ghash;
use crate::backend::{Block, wipe};
use crate::cpu::proof;

const GROUP: usize = 8;

/// Number of multiplications of a 64-bit half by a byte in a product of two blocks. There are eight each for the low
/// halves, the high halves, and the XORs of both halves.
const ROWS: usize = 3 * 8;

/// Powers of H, arranged as factors for carry-less products of bytes.
pub(crate) struct HashKey {
    /// Bytes of the powers of H, each repeated eight times. The first index is the position, in a group of eight, of
    /// the block to be multiplied: the first block is multiplied by H^8, the last one by H. The second index is the
    /// number of the multiplication.
    powers: [[[u8; 8]; ROWS]; GROUP],
    proof: proof::Neon,
}

impl Ghash for HashKey {
    type Proof = proof::Neon;

    fn empty(proof: proof::Neon) -> Self {
        Self { powers: [[[0; 8]; ROWS]; GROUP], proof }
    }

    fn proof(&self) -> proof::Neon {
        self.proof
    }

    fn expand(&mut self, h: &Block) {
        let mut power = *h;
        for position in (0..GROUP).rev() {
            let [low, high] = halves(polynomial(&power));
            let bytes = [low, high, low ^ high].map(u64::to_le_bytes);
            for (row, byte) in self.powers[position].iter_mut().zip(bytes.as_flattened()) {
                *row = [*byte; 8];
            }
            // After the first pass, the last position holds H.
            self.absorb(&mut power, &[0; 16]);
        }
        wipe(&mut power);
    }

    fn absorb(&self, hash: &mut Block, data: &[u8]) {
        let mut state = polynomial(hash);
        for group in data.chunks(16 * GROUP) {
            // SAFETY: the key contains the proof that the CPU has the instructions.
            state = unsafe { self.absorb_group(state, group) };
        }
        *hash = state.reverse_bits().to_be_bytes();
    }

    fn wipe(&mut self) {
        wipe(&mut self.powers);
    }
}

impl HashKey {
    /// Returns the GHASH value after the blocks of `group`, at most eight. `state` is the GHASH value before them.
    #[target_feature(enable = "neon")]
    fn absorb_group(&self, state: u128, group: &[u8]) -> u128 {
        let mut sums = [vdupq_n_u16(0); ROWS];
        let blocks = group.len().div_ceil(16);
        let mut before = state;
        for (bytes, rows) in group.chunks(16).zip(&self.powers[GROUP - blocks..]) {
            let mut block = [0; 16];
            block[..bytes.len()].copy_from_slice(bytes);
            let [low, high] = halves(polynomial(&block) ^ before);
            before = 0;
            let factors = [vcreate_p8(low), vcreate_p8(high), vcreate_p8(low ^ high)];
            unroll!(row < 8, of 8, {
                add_row(&mut sums[row], factors[0], &rows[row]);
                add_row(&mut sums[8 + row], factors[1], &rows[8 + row]);
                add_row(&mut sums[16 + row], factors[2], &rows[16 + row]);
            });
        }
        let [low, high, middle] = [assemble(&sums[..8]), assemble(&sums[8..16]), assemble(&sums[16..])];
        reduce(low, high, middle ^ low ^ high)
    }
}

#[target_feature(enable = "neon")]
#[inline]
fn add_row(sum: &mut uint16x8_t, half: poly8x8_t, byte: &[u8; 8]) {
    let product = vmull_p8(half, vcreate_p8(u64::from_le_bytes(*byte)));
    *sum = veorq_u16(*sum, vreinterpretq_u16_p16(product));
}

/// Adds eight vectors of 16-bit products to one 128-bit polynomial. Vector i is shifted up by i bytes.
#[target_feature(enable = "neon")]
#[inline]
fn assemble(rows: &[uint16x8_t]) -> u128 {
    let zero = vdupq_n_u8(0);
    let even = |row: uint16x8_t| vreinterpret_u8_u16(vmovn_u32(vreinterpretq_u32_u16(row)));
    let odd = |row: uint16x8_t| vreinterpret_u8_u16(vshrn_n_u32::<16>(vreinterpretq_u32_u16(row)));
    let mut sum = vcombine_u8(even(rows[0]), vget_low_u8(zero));
    unroll!(row < 8, of 8, {
        let mut next = odd(rows[row]);
        if row < 7 {
            next = veor_u8(next, even(rows[(row + 1) % 8]));
        }
        let next = vcombine_u8(next, vget_low_u8(zero));
        sum = veorq_u8(sum, vextq_u8::<{ 15 - INDEX as i32 }>(zero, next));
    });
    let halves = vreinterpretq_u64_u8(sum);
    u128::from(vgetq_lane_u64::<0>(halves)) | u128::from(vgetq_lane_u64::<1>(halves)) << 64
}

/// Reduces `low` + `middle`·x^64 + `high`·x^128 modulo x^128 + x^7 + x^2 + x + 1.
fn reduce(low: u128, high: u128, middle: u128) -> u128 {
    let (low, high) = (low ^ middle << 64, high ^ middle >> 64);
    // Reduces the bits that the shifts below move out at the top.
    let high = high ^ high >> 127 ^ high >> 126 ^ high >> 121;
    low ^ high ^ high << 1 ^ high << 2 ^ high << 7
}

/// Converts a GHASH block to a polynomial, in which bit i is the coefficient of x^i.
fn polynomial(block: &Block) -> u128 {
    u128::from_be_bytes(*block).reverse_bits()
}

fn halves(value: u128) -> [u64; 2] {
    [value as u64, (value >> 64) as u64]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::portable;
    use crate::cpu::Found;

    #[test]
    fn neon_ghash_matches_portable_ghash_for_every_length() {
        let Some(proof) = proof::Neon::of(Found::here()) else { return };
        let data: Vec<u8> = (0..1000_u32).map(|at| (at * at * 7 / 16) as u8).collect();
        for h in [[0; 16], [0xFF; 16], [0x80; 16], [1; 16], core::array::from_fn(|at| 37 * at as u8)] {
            let (mut key, mut expected) = (HashKey::empty(proof), portable::HashKey::empty(()));
            key.expand(&h);
            expected.expand(&h);
            for length in 0..data.len() {
                let [mut hash, mut expected_hash] = [h; 2];
                key.absorb(&mut hash, &data[..length]);
                expected.absorb(&mut expected_hash, &data[..length]);
                assert_eq!(hash, expected_hash, "{length} bytes, {h:02x?}");
            }
        }
    }
}
