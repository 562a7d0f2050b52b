//! Steps of AES (FIPS 197 §5.1) on blocks of bits, in byte order with the lowest bit of each byte first.

use crate::field::Bit;
use crate::reference::Block;
use crate::symbols::Symbols;

/// The S-box (FIPS 197 §5.1.1), computed from its definition.
pub const S_BOX: [u8; 256] = s_box();

/// Applies SubBytes and ShiftRows, in either order, since the two transformations commute.
pub fn substitute_and_shift(state: &[Bit], symbols: &mut Symbols, out: &mut [Bit]) {
    for column in 0..4 {
        for row in 0..4 {
            let (from, to) = (8 * (4 * ((column + row) % 4) + row), 8 * (4 * column + row));
            let mut byte = [Bit::ZERO; 8];
            byte.copy_from_slice(&state[from..from + 8]);
            out[to..to + 8].copy_from_slice(&symbols.substitute(&byte));
        }
    }
}

pub fn mix_columns(state: &mut [Bit]) {
    for column in state.as_chunks_mut::<32>().0 {
        let old = *column;
        for row in 0..4 {
            let byte = |index: usize, bit: usize| old[8 * (index % 4) + bit];
            // Multiplies a + b by {02}: the highest bit is reduced to {1b}.
            let doubled: [Bit; 8] = std::array::from_fn(|bit| byte(row, bit) ^ byte(row + 1, bit));
            for bit in 0..8 {
                let mut sum = byte(row + 1, bit) ^ byte(row + 2, bit) ^ byte(row + 3, bit);
                if bit > 0 {
                    sum ^= doubled[bit - 1];
                }
                if 0x1B >> bit & 1 == 1 {
                    sum ^= doubled[7];
                }
                column[8 * row + bit] = sum;
            }
        }
    }
}

/// Computes one AES round as AESENC does, or the last round as AESENCLAST does if `is_last`. Caches rounds by their
/// input state.
pub fn round(state: &Block, round_key: &Block, is_last: bool, symbols: &mut Symbols, out: &mut Block) {
    if let Some(known) = symbols.cached_round(state, is_last) {
        for ((out, &known), &key) in out.iter_mut().zip(known).zip(round_key) {
            *out = known ^ key;
        }
        return;
    }
    substitute_and_shift(state, symbols, out);
    if !is_last {
        mix_columns(out);
    }
    symbols.cache_round(state, is_last, out);
    add(out, round_key);
}

pub fn add(sum: &mut [Bit], other: &[Bit]) {
    for (sum, &other) in sum.iter_mut().zip(other) {
        *sum ^= other;
    }
}

const fn s_box() -> [u8; 256] {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        // The inverse of x is x^254, which maps 0 to 0.
        let mut inverse = 1;
        let mut power = byte as u8;
        let mut exponent = 254;
        while exponent > 0 {
            if exponent & 1 == 1 {
                inverse = times(inverse, power);
            }
            power = times(power, power);
            exponent >>= 1;
        }
        table[byte] = inverse
            ^ inverse.rotate_left(1)
            ^ inverse.rotate_left(2)
            ^ inverse.rotate_left(3)
            ^ inverse.rotate_left(4)
            ^ 0x63;
        byte += 1;
    }
    table
}

/// Multiplies two bytes in GF(2^8) (FIPS 197 §4.2).
const fn times(one: u8, other: u8) -> u8 {
    let mut product = 0;
    let mut place = 8;
    while place > 0 {
        place -= 1;
        let carry = product >> 7;
        product = (product << 1) ^ (carry * 0x1B);
        product ^= (other >> place & 1) * one;
    }
    product
}
