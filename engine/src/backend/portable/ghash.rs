//! GHASH (SP 800-38D §6.4) without tables and without carry-less instructions: products of polynomials by integer
//! multiplication.
//!
//! # Multiplication with holes
//!
//! A carry-less product is an integer product without the carries. If only every fourth bit of the factors can be set,
//! there is room for the carries. With 32-bit factors at most eight bit products meet in a position, and their carries
//! end before the next used position, four bits higher. So each factor is split into four words, one for each position
//! modulo four. The used positions of the sixteen integer products together are the carry-less product. The method is
//! Pornin's (BearSSL, `ghash_ctmul.c` and its relatives).
//!
//! With factors of 64 bits, sixteen bit products can meet, one too many. BearSSL computes only the lower half of such
//! products and gets the upper half from factors with their bits reversed. Here factors have 32 bits and products 64,
//! so the product is complete and no bits are reversed. Vector instructions also multiply 32-bit factors (`pmuludq` of
//! SSE2 and AVX2, `umull` of NEON), so a compiler can do two or four at once. Karatsuba's method, applied twice, makes
//! a 128-bit product of nine such products.
//!
//! # Eight blocks at once
//!
//! Y' = (((Y + X1)·H + X2)·H + ...)·H is (Y + X1)·H^8 + X2·H^7 + ... + X8·H. The eight products are independent, so
//! vector instructions can compute them side by side, and their sum is reduced once.
//!
//! # Constant time
//!
//! The instructions executed depend only on the length of the data: no table, no branch and no address depends on key
//! or data.
//!
//! This assumes a CPU whose multiplication of 32-bit factors to 64 bits takes the same time for all factors. According
//! to BearSSL's notes (<https://www.bearssl.org/ctmul.html>), the time varies on Intel's 80386 and 80486, VIA's Nano
//! 2000, ARM7 and ARM9, Cortex-M3, and the PowerPC lines G3 and G4. Cortex-M0 and M0+ have no such instruction, so
//! there the time depends on the routine that the compiler calls. For a CPU about which neither BearSSL's notes nor the
//! manufacturer says that the time is constant, we make no claim.
//!
//! # Wiping
//!
//! [`HashKey`] is plain data, `u32` words without padding; its owner wipes it.

use super::Ghash;
use crate::backend::wipe;

/// Powers of H, split into words for integer multiplication.
#[repr(C)]
pub(crate) struct HashKey {
    /// Words of the powers of H. The first index is the number of a 32-bit Karatsuba product (see [`forms`]), the
    /// second is the bit position modulo four. The third is the position, in a group of eight, of the block to be
    /// multiplied: the first block is multiplied by H^8, the last one by H.
    powers: [[[u32; GROUP]; 4]; FORMS],
}

impl Ghash for HashKey {
    type Proof = ();

    fn empty(_: ()) -> Self {
        Self { powers: [[[0; GROUP]; 4]; FORMS] }
    }

    fn proof(&self) {}

    /// Computes the powers of H = `h`, and stores them in this key.
    fn expand(&mut self, h: &[u8; 16]) {
        let mut power = u128::from_be_bytes(*h);
        for position in (0..GROUP).rev() {
            self.set_power(position, power);
            // After the first pass, the last position holds H.
            power = self.multiply_and_add([power]);
        }
    }

    fn wipe(&mut self) {
        wipe(&mut self.powers);
    }

    /// Updates the GHASH value `y` with each block X of `data`: Y = (Y + X)·H. Pads the last block with zeros.
    fn absorb(&self, y: &mut [u8; 16], data: &[u8]) {
        let mut state = u128::from_be_bytes(*y);
        let (groups, rest) = data.as_chunks::<GROUP_BYTES>();
        for group in groups {
            state = self.absorb_group(state, group, 0);
        }
        if rest.len() > 16 * SINGLES {
            // Zero blocks before the first block change nothing.
            let first = GROUP - rest.len().div_ceil(16);
            let mut group = [0; GROUP_BYTES];
            group[16 * first..][..rest.len()].copy_from_slice(rest);
            state = self.absorb_group(state, &group, first);
        } else {
            for bytes in rest.chunks(16) {
                let mut block = [0; 16];
                block[..bytes.len()].copy_from_slice(bytes);
                state = self.multiply_and_add([state ^ u128::from_be_bytes(block)]);
            }
        }
        *y = state.to_be_bytes();
    }
}

impl HashKey {
    /// Returns the GHASH value after the blocks of `group` from index `first` on. `state` is the GHASH value before
    /// them. The blocks before index `first` are zero.
    fn absorb_group(&self, state: u128, group: &[u8; GROUP_BYTES], first: usize) -> u128 {
        let (bytes, _) = group.as_chunks::<16>();
        let mut blocks = core::array::from_fn::<_, GROUP, _>(|i| u128::from_be_bytes(bytes[i]));
        blocks[first] ^= state;
        self.multiply_and_add(blocks)
    }

    fn set_power(&mut self, position: usize, power: u128) {
        for (places, form) in self.powers.iter_mut().zip(forms(power)) {
            for (place, word) in places.iter_mut().enumerate() {
                word[position] = form & (HOLES << place);
            }
        }
    }

    /// Returns the reduced sum of the blocks, each multiplied by a power of H: the last block by H, the one before by
    /// H², and so on.
    #[inline(always)] // Compiled separately for eight blocks and for one.
    fn multiply_and_add<const COUNT: usize>(&self, blocks: [u128; COUNT]) -> u128 {
        let mut factors = [[0; COUNT]; FORMS];
        for (i, block) in blocks.into_iter().enumerate() {
            for (factor, form) in factors.iter_mut().zip(forms(block)) {
                factor[i] = form;
            }
        }
        let products = core::array::from_fn(|form| sum_of_products(&factors[form], &self.powers[form]));
        reduce(assemble(products))
    }
}

/// Number of blocks hashed with one reduction. The products of eight blocks fill vector registers.
const GROUP: usize = 8;

const GROUP_BYTES: usize = 16 * GROUP;

/// Maximum number of remaining blocks that are hashed one by one. For more blocks, padding with zeros to [`GROUP`]
/// blocks is faster.
const SINGLES: usize = 3;

/// Mask with every fourth bit set. The three zero bits after each bit leave room for the carries of an integer product.
const HOLES: u32 = 0x1111_1111;

/// Number of 32-bit products in a 128-bit product: Karatsuba's method, applied twice, takes three times three products.
const FORMS: usize = 9;

/// Returns the 32-bit factors of a block for Karatsuba's method, applied first to the 64-bit halves of the block and
/// then to their 32-bit words. There are three factors each for the lower half, the upper half, and the XOR of both
/// halves: the lower word, the upper word, and the XOR of both words.
#[inline(always)]
fn forms(block: u128) -> [u32; FORMS] {
    let words: [u32; 4] = core::array::from_fn(|i| (block >> (32 * i)) as u32);
    let [a, b, c, d] = words;
    let [e, f] = [a ^ c, b ^ d];
    [a, b, a ^ b, c, d, c ^ d, e, f, e ^ f]
}

/// Returns the XOR of the carry-less products of all `factors` with powers of H. The powers are the last `COUNT`
/// elements of `powers`.
#[inline(always)]
fn sum_of_products<const COUNT: usize>(factors: &[u32; COUNT], powers: &[[u32; GROUP]; 4]) -> u64 {
    let skipped = GROUP - COUNT;
    let [mut sum0, mut sum1, mut sum2, mut sum3] = [0; 4];
    for (i, factor) in factors.iter().enumerate() {
        let [a0, a1, a2, a3] = [0, 1, 2, 3].map(|place| u64::from(factor & (HOLES << place)));
        let [b0, b1, b2, b3] = [0, 1, 2, 3].map(|place| u64::from(powers[place][skipped + i]));
        sum0 ^= a0.wrapping_mul(b0) ^ a1.wrapping_mul(b3) ^ a2.wrapping_mul(b2) ^ a3.wrapping_mul(b1);
        sum1 ^= a0.wrapping_mul(b1) ^ a1.wrapping_mul(b0) ^ a2.wrapping_mul(b3) ^ a3.wrapping_mul(b2);
        sum2 ^= a0.wrapping_mul(b2) ^ a1.wrapping_mul(b1) ^ a2.wrapping_mul(b0) ^ a3.wrapping_mul(b3);
        sum3 ^= a0.wrapping_mul(b3) ^ a1.wrapping_mul(b2) ^ a2.wrapping_mul(b1) ^ a3.wrapping_mul(b0);
    }
    // Carries need not be dropped earlier, because they never reach a used position.
    let holes = (u64::from(HOLES) << 32) | u64::from(HOLES);
    (sum0 & holes) | (sum1 & (holes << 1)) | (sum2 & (holes << 2)) | (sum3 & (holes << 3))
}

/// Combines the nine Karatsuba products of 32-bit factors into the product of two blocks. Returns the lower and the
/// upper half of that product.
#[inline(always)]
fn assemble(products: [u64; FORMS]) -> [u128; 2] {
    let [low, high, sum] = [0, 3, 6].map(|i| {
        let [low, high, sum] = [0, 1, 2].map(|j| u128::from(products[i + j]));
        low ^ ((low ^ high ^ sum) << 32) ^ (high << 64)
    });
    let middle = low ^ high ^ sum;
    [low ^ (middle << 64), high ^ (middle >> 64)]
}

/// Reduces a product modulo x^128 + x^7 + x^2 + x + 1.
///
/// GHASH has the coefficient of x^0 in the most significant bit. In this bit order, the product of two blocks, 255
/// bits, starts one bit too low. After a shift up by one bit, its upper half has the coefficients of x^0 to x^127, and
/// its lower half those from x^128 on.
///
/// Since x^128 = 1 + x + x^2 + x^7, the lower half is added to the upper half four times, shifted right by 0, 1, 2 and
/// 7 bits. Bits shifted out on the right are again coefficients from x^128 on. So they are added to the lower half
/// first. There are at most seven such bits, from which nothing is shifted out again.
#[inline(always)]
fn reduce([low, high]: [u128; 2]) -> u128 {
    let upper = (high << 1) | (low >> 127);
    let lower = low << 1;
    let lower = lower ^ (lower << 127) ^ (lower << 126) ^ (lower << 121);
    upper ^ lower ^ (lower >> 1) ^ (lower >> 2) ^ (lower >> 7)
}

#[cfg(test)]
mod tests {
    use super::super::random::Random;
    use super::*;

    /// Reference implementation: multiplies in GF(2^128) bit by bit (SP 800-38D §6.3, Algorithm 1).
    fn reference_multiply(x: u128, y: u128) -> u128 {
        const R: u128 = 0xe1 << 120;
        let (mut z, mut v) = (0, y);
        for i in 0..128 {
            if x >> (127 - i) & 1 == 1 {
                z ^= v;
            }
            v = if v & 1 == 0 { v >> 1 } else { (v >> 1) ^ R };
        }
        z
    }

    /// Reference implementation of [`HashKey::absorb`] (SP 800-38D §6.4, Algorithm 2).
    fn reference_absorb(h: u128, mut y: u128, data: &[u8]) -> u128 {
        for bytes in data.chunks(16) {
            let mut block = [0; 16];
            block[..bytes.len()].copy_from_slice(bytes);
            y = reference_multiply(y ^ u128::from_be_bytes(block), h);
        }
        y
    }

    fn absorb(h: u128, y: u128, data: &[u8]) -> u128 {
        let mut state = y.to_be_bytes();
        let mut key = HashKey::empty(());
        key.expand(&h.to_be_bytes());
        key.absorb(&mut state, data);
        u128::from_be_bytes(state)
    }

    /// Tests test case 2 of "The Galois/Counter Mode of Operation (GCM)" by McGrew and Viega.
    #[test]
    fn portable_ghash_matches_the_vector_of_mcgrew_and_viega() {
        let h = 0x66e94bd4ef8a2c3b884cfa59ca342b2e;
        let mut data = [0; 32];
        data[..16].copy_from_slice(&0x0388dace60b6a392f328c2b971b2fe78_u128.to_be_bytes());
        data[16..].copy_from_slice(&0x80_u128.to_be_bytes());
        assert_eq!(absorb(h, 0, &data), 0xf38cbb1ad69223dcc3457ae5b6b0f885);
    }

    #[test]
    fn portable_ghash_matches_the_reference_for_every_length() {
        let mut random = Random(0x9e3779b97f4a7c15);
        let mut data = [0; 3 * GROUP_BYTES];
        for length in 0..=data.len() {
            random.fill(&mut data[..length]);
            let (h, y) = (random.block(), random.block());
            let expected = reference_absorb(h, y, &data[..length]);
            assert_eq!(absorb(h, y, &data[..length]), expected, "{length} bytes");
        }
    }

    #[test]
    fn portable_multiplication_matches_the_reference_for_random_factors() {
        let mut random = Random(0x2545f4914f6cdd1d);
        for _ in 0..2000 {
            let (x, h) = (random.block(), random.block());
            assert_eq!(absorb(h, x, &[0; 16]), reference_multiply(x, h), "{x:x} {h:x}");
        }
    }

    /// Tests factors with a single bit set, and factors with all bits set, for which the number of bit products per
    /// position is highest.
    #[test]
    fn portable_multiplication_matches_the_reference_for_extreme_factors() {
        for factor in [1, u128::MAX, u128::MAX << 64, u128::MAX >> 64, 1 << 127] {
            for bit in 0..128 {
                let single = 1 << bit;
                for (x, h) in [(single, factor), (factor, single), (!single, factor)] {
                    assert_eq!(absorb(h, x, &[0; 16]), reference_multiply(x, h), "{x:x} {h:x}");
                }
            }
        }
        let data = [0xff; 2 * GROUP_BYTES];
        let expected = reference_absorb(u128::MAX, u128::MAX, &data);
        assert_eq!(absorb(u128::MAX, u128::MAX, &data), expected);
    }

    #[test]
    fn portable_ghash_of_pieces_equals_ghash_of_the_whole() {
        let mut random = Random(7);
        let mut data = [0; 2 * GROUP_BYTES + 5];
        random.fill(&mut data);
        let (h, y) = (random.block(), random.block());
        let whole = absorb(h, y, &data);
        for cut in (0..data.len()).step_by(16) {
            let (first, second) = data.split_at(cut);
            assert_eq!(absorb(h, absorb(h, y, first), second), whole, "cut at {cut}");
        }
    }

    #[test]
    fn portable_ghash_of_empty_data_changes_nothing() {
        assert_eq!(absorb(3, 5, &[]), 5);
    }

    #[test]
    fn portable_hash_key_has_no_padding() {
        assert_eq!(size_of::<HashKey>(), 4 * GROUP * 4 * FORMS);
    }
}
