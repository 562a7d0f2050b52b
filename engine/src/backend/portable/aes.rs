//! AES (FIPS 197) without tables and without AES instructions: sixteen blocks at a time, bitsliced.
//!
//! # Representation
//!
//! The state of sixteen blocks is stored as eight planes of four words. Plane `i` holds bit `i` of every byte. Word `r`
//! of a plane belongs to row `r` of the AES state. Bit `16 * c + b` of a word belongs to column `c` of block `b`. With
//! this layout,
//!
//! * SubBytes is a circuit of AND and XOR over eight words, the same for each of the four rows: a loop over rows that a
//!   compiler can turn into vector instructions (two rows at once with 128-bit registers, four with 256-bit ones);
//! * ShiftRows is one rotation of each word, by a multiple of 16;
//! * MixColumns is XOR of words of different rows: no rotation, no mask.
//!
//! Käsper and Schwabe ("Faster and Timing-Attack Resistant AES-GCM", CHES 2009, eprint 2009/129) keep all rows of a
//! plane in one vector register, which needs a byte shuffle for ShiftRows and MixColumns. With four times as many words
//! nothing has to be shuffled, and plain integers suffice.
//!
//! # Constant time
//!
//! The instructions executed depend only on the length of the key: no table, no branch and no address depends on key or
//! data. The only operations on key and data are AND, XOR and shifts by constants.
//!
//! # Wiping
//!
//! [`RoundKeys`] is plain data, `u64` words without padding; its owner wipes it.

use super::s_box::substitute;
use crate::backend::wipe;

/// Number of blocks encrypted in parallel: bitslicing puts bits of sixteen blocks into each 64-bit word.
pub(super) const BATCH: usize = 16;

/// AES round keys, bitsliced like the state.
#[repr(C)]
pub(crate) struct RoundKeys {
    /// Round keys: `keys[0]` is added before the first round, and `keys[i]` after round `i`. All except `keys[0]`
    /// include the constant 0x63 of the S-box, which [`substitute`] leaves out.
    keys: [State; MAX_ROUNDS + 1],
    /// Number of AES rounds: 10, 12 or 14. (The type is `u64`, like the words of the keys, so that the struct has no
    /// padding.)
    rounds: u64,
}

impl RoundKeys {
    pub(super) const fn empty() -> Self {
        Self { keys: [EMPTY; MAX_ROUNDS + 1], rounds: 0 }
    }

    pub(super) fn copy(&mut self, other: &Self) {
        self.keys = other.keys;
        self.rounds = other.rounds;
    }

    /// Expands a key of 16, 24 or 32 bytes into these round keys. (Returning round keys by value could leave a copy
    /// that is not wiped.)
    ///
    /// # Panics
    ///
    /// If the key has another length. Callers check the length first.
    pub(super) fn expand(&mut self, key: &[u8]) {
        assert!(matches!(key.len(), 16 | 24 | 32), "an AES key of {} bytes", key.len());
        let rounds = key.len() / 4 + 6;
        let mut words = expand(key);
        for (round, words) in words.as_chunks::<4>().0[..=rounds].iter().enumerate() {
            let constant = if round == 0 { 0 } else { AFFINE_CONSTANT };
            let block = core::array::from_fn(|i| words[i / 4][i % 4] ^ constant);
            self.keys[round] = slice(&[block; BATCH]);
        }
        self.rounds = rounds as u64;
        wipe(&mut words);
    }

    pub(super) fn wipe(&mut self) {
        wipe(&mut self.keys);
    }

    pub(super) fn encrypt(&self, blocks: &mut [[u8; 16]; BATCH]) {
        let last = self.rounds as usize;
        let mut state = slice(blocks);
        add_round_key(&mut state, &self.keys[0]);
        for key in &self.keys[1..last] {
            substitute_bytes(&mut state);
            shift_rows(&mut state);
            mix_columns(&mut state);
            add_round_key(&mut state, key);
        }
        substitute_bytes(&mut state);
        shift_rows(&mut state);
        add_round_key(&mut state, &self.keys[last]);
        unslice(state, blocks);
    }
}

const ROWS: usize = 4;
const MAX_ROUNDS: usize = 14;

/// One bit of every byte of the sixteen blocks, in four words; word `r` belongs to row `r` of the AES state.
type Plane = [u64; ROWS];

/// State of sixteen blocks: plane `i` holds bit `i` of every byte. Bit 0 is the least significant one.
type State = [Plane; 8];

const EMPTY: State = [[0; ROWS]; 8];

/// The constant that the S-box adds at its end (FIPS 197 §5.1.1).
const AFFINE_CONSTANT: u8 = 0x63;

/// Expands a key into words of four bytes (FIPS 197 §5.2). For keys of 16 or 24 bytes, the words that are not needed
/// stay zero.
fn expand(key: &[u8]) -> [[u8; 4]; 4 * (MAX_ROUNDS + 1)] {
    const ROUND_CONSTANTS: [u8; 10] = [1, 2, 4, 8, 0x10, 0x20, 0x40, 0x80, 0x1b, 0x36];
    let (key_words, _) = key.as_chunks::<4>();
    let length = key_words.len();
    let mut words = [[0; 4]; 4 * (MAX_ROUNDS + 1)];
    words[..length].copy_from_slice(key_words);
    for i in length..4 * (length + 7) {
        let mut word = words[i - 1];
        if i % length == 0 {
            word.rotate_left(1);
            word = substitute_word(word);
            word[0] ^= ROUND_CONSTANTS[i / length - 1];
        } else if length == 8 && i % length == 4 {
            word = substitute_word(word);
        }
        let before = words[i - length];
        words[i] = core::array::from_fn(|byte| before[byte] ^ word[byte]);
    }
    words
}

/// Computes SubWord of the key expansion, with the circuit that computes SubBytes.
fn substitute_word(word: [u8; 4]) -> [u8; 4] {
    let bit = |plane: usize, byte: usize| u64::from((word[byte] >> plane) & 1) << byte;
    let planes = core::array::from_fn(|i| bit(i, 0) ^ bit(i, 1) ^ bit(i, 2) ^ bit(i, 3));
    let planes = substitute(planes);
    core::array::from_fn(|byte| {
        (0..8).fold(AFFINE_CONSTANT, |value, i| value ^ ((((planes[i] >> byte) & 1) as u8) << i))
    })
}

fn add_round_key(state: &mut State, key: &State) {
    for (plane, key) in state.iter_mut().zip(key) {
        for (word, key) in plane.iter_mut().zip(key) {
            *word ^= key;
        }
    }
}

/// Computes SubBytes without adding the S-box's constant 0x63.
#[inline(always)] // A call would keep the loop from becoming vector instructions.
fn substitute_bytes(state: &mut State) {
    for row in 0..ROWS {
        let bits = substitute(core::array::from_fn(|i| state[i][row]));
        for (plane, bit) in state.iter_mut().zip(bits) {
            plane[row] = bit;
        }
    }
}

/// Computes ShiftRows: rotates row `r` left by `r` columns.
#[inline(always)]
fn shift_rows(state: &mut State) {
    for [_, row1, row2, row3] in state {
        *row1 = row1.rotate_right(16);
        *row2 = row2.rotate_right(32);
        *row3 = row3.rotate_right(48);
    }
}

/// Computes MixColumns: row `r` becomes `2 a[r] + 3 a[r+1] + a[r+2] + a[r+3]`, with row indices modulo four.
///
/// With `s[r] = a[r] + a[r+1]`, the new row is `2 s[r] + a[r+1] + s[r+2]`. Doubling moves each bit up by one. If the
/// top bit is shifted out, 0x1b is added, which has the bits 0, 1, 3 and 4.
#[inline(always)]
fn mix_columns(state: &mut State) {
    let rows = *state;
    let sums = rows.map(|a| [a[0] ^ a[1], a[1] ^ a[2], a[2] ^ a[3], a[3] ^ a[0]]);
    for bit in 0..8 {
        for row in 0..ROWS {
            let below = sums[(bit + 7) % 8][row];
            let carry = if matches!(bit, 1 | 3 | 4) { sums[7][row] } else { 0 };
            let next = rows[bit][(row + 1) % ROWS];
            state[bit][row] = below ^ carry ^ next ^ sums[bit][(row + 2) % ROWS];
        }
    }
}

/// Converts sixteen blocks into bit planes.
///
/// Four bits identify a block (`b3` to `b0`), two its column (`c1 c0`), two its row (`r1 r0`) and three a bit of the
/// byte (`i2 i1 i0`). A word loaded from columns `c` and `c + 2` of a block has its bits in the order `c1 r1 r0 i2 i1
/// i0`. A word of a plane has them in the order `c1 c0 b3 b2 b1 b0`.
///
/// Words are first stored at the index `[b2 b1 b0][c0 b3]`. Exchanging each of five bits of the position in a word with
/// one bit of the word's index gives the planes: the first three bits of the index become the plane, the others the
/// row.
fn slice(blocks: &[[u8; 16]; BATCH]) -> State {
    let mut state = core::array::from_fn(|plane| {
        core::array::from_fn(|row| {
            let (columns, _) = blocks[plane + 8 * (row % 2)].as_chunks::<4>();
            let [low, high] = [columns[row / 2], columns[row / 2 + 2]];
            u64::from(u32::from_le_bytes(low)) | (u64::from(u32::from_le_bytes(high)) << 32)
        })
    });
    transpose(&mut state);
    state
}

/// Converts bit planes back into sixteen blocks.
fn unslice(mut state: State, blocks: &mut [[u8; 16]; BATCH]) {
    // The five exchanges use different bits and each is its own inverse, so together they are their own inverse too.
    transpose(&mut state);
    for (plane, words) in state.iter().enumerate() {
        for (row, word) in words.iter().enumerate() {
            let (columns, _) = blocks[plane + 8 * (row % 2)].as_chunks_mut::<4>();
            columns[row / 2] = (*word as u32).to_le_bytes();
            columns[row / 2 + 2] = ((word >> 32) as u32).to_le_bytes();
        }
    }
}

/// Executes the five exchanges of bits that [`slice()`] describes.
#[inline(always)]
fn transpose(state: &mut State) {
    for row in 0..ROWS {
        for plane in [0, 2, 4, 6] {
            exchange::<1>(state, [plane, row], [plane + 1, row]);
        }
        for plane in [0, 1, 4, 5] {
            exchange::<2>(state, [plane, row], [plane + 2, row]);
        }
        for plane in [0, 1, 2, 3] {
            exchange::<4>(state, [plane, row], [plane + 4, row]);
        }
    }
    for plane in 0..8 {
        exchange::<8>(state, [plane, 0], [plane, 1]);
        exchange::<8>(state, [plane, 2], [plane, 3]);
        exchange::<16>(state, [plane, 0], [plane, 2]);
        exchange::<16>(state, [plane, 1], [plane, 3]);
    }
}

/// Exchanges bits between two words `a` and `b` of the state: the bits of `a` whose index has the bit `DISTANCE` (a
/// power of two) set are exchanged with the bits of `b` whose index is lower by `DISTANCE`.
#[inline(always)]
fn exchange<const DISTANCE: u32>(state: &mut State, a: [usize; 2], b: [usize; 2]) {
    // Alternating runs of DISTANCE ones and DISTANCE zeros: 0x5555..., 0x3333... and so on.
    let lower = u64::MAX / ((1 << DISTANCE) + 1);
    let [first, second] = [state[a[0]][a[1]], state[b[0]][b[1]]];
    let difference = ((first >> DISTANCE) ^ second) & lower;
    state[a[0]][a[1]] = first ^ (difference << DISTANCE);
    state[b[0]][b[1]] = second ^ difference;
}

#[cfg(test)]
mod tests {
    use super::super::random::Random;
    use super::*;

    /// Encrypts one block at index `position` of a batch of sixteen blocks.
    fn encrypt_at(position: usize, key: &[u8], block: u128) -> u128 {
        let mut blocks = [[0xa5; 16]; BATCH];
        blocks[position] = block.to_be_bytes();
        expanded(key).encrypt(&mut blocks);
        u128::from_be_bytes(blocks[position])
    }

    /// Multiplies in GF(2^8), modulo x^8 + x^4 + x^3 + x + 1 (FIPS 197 §4.2).
    fn multiply(mut a: u8, mut b: u8) -> u8 {
        let mut product = 0;
        while b != 0 {
            if b & 1 == 1 {
                product ^= a;
            }
            a = if a & 0x80 == 0 { a << 1 } else { (a << 1) ^ 0x1b };
            b >>= 1;
        }
        product
    }

    /// Computes the S-box as FIPS 197 §5.1.1 defines it: the multiplicative inverse, then an affine map.
    fn reference_s_box(byte: u8) -> u8 {
        let inverse = (0..=255).find(|&other| multiply(byte, other) == 1).unwrap_or(0);
        (0..5).fold(0x63, |sum, turn| sum ^ inverse.rotate_left(turn))
    }

    /// Reference implementation: encrypts with AES byte by byte (FIPS 197 §5.1), with round keys from [`expand`].
    fn reference_encrypt(sbox: &[u8; 256], key: &[u8], block: [u8; 16]) -> [u8; 16] {
        let words = expand(key);
        let rounds = key.len() / 4 + 6;
        let key = |round: usize| -> [u8; 16] { core::array::from_fn(|i| words[4 * round + i / 4][i % 4]) };
        let add = |a: [u8; 16], b: [u8; 16]| -> [u8; 16] { core::array::from_fn(|i| a[i] ^ b[i]) };
        let mut state = add(block, key(0));
        for round in 1..=rounds {
            let substituted = state.map(|byte| sbox[usize::from(byte)]);
            // The byte of row r and column c is number r + 4 c.
            let shifted = core::array::from_fn(|i| substituted[(i + 4 * (i % 4)) % 16]);
            let mixed = core::array::from_fn(|i| {
                let byte = |turn: usize| shifted[i / 4 * 4 + (i + turn) % 4];
                multiply(byte(0), 2) ^ multiply(byte(1), 3) ^ byte(2) ^ byte(3)
            });
            state = add(if round == rounds { shifted } else { mixed }, key(round));
        }
        state
    }

    fn expanded(key: &[u8]) -> RoundKeys {
        let mut keys = RoundKeys::empty();
        keys.expand(key);
        keys
    }

    /// Tests FIPS 197, Appendix C.1 to C.3, in every position of a batch.
    #[test]
    fn portable_aes_encrypts_the_vectors_of_fips_197_in_each_position() {
        let key: [u8; 32] = core::array::from_fn(|i| i as u8);
        let plaintext = 0x00112233445566778899aabbccddeeff;
        for (length, ciphertext) in [
            (16, 0x69c4e0d86a7b0430d8cdb78070b4c55a),
            (24, 0xdda97ca4864cdfe06eaf70a0ec0d7191),
            (32, 0x8ea2b7ca516745bfeafc49904b496089),
        ] {
            for position in 0..BATCH {
                let encrypted = encrypt_at(position, &key[..length], plaintext);
                assert_eq!(encrypted, ciphertext, "{length} bytes, position {position}");
            }
        }
    }

    /// Tests the keys of FIPS 197, Appendix A.1 to A.3, with the last words of their expansion as printed there. The
    /// ciphertexts are from SP 800-38A, F.1.1, F.1.3 and F.1.5.
    #[test]
    fn portable_aes_expands_the_example_keys_of_fips_197() {
        let plaintext = 0x6bc1bee22e409f96e93d7e117393172a;
        let examples: [(&[u8], [u32; 4], u128); 3] = [
            (
                &0x2b7e151628aed2a6abf7158809cf4f3c_u128.to_be_bytes(),
                [0xd014f9a8, 0xc9ee2589, 0xe13f0cc8, 0xb6630ca6],
                0x3ad77bb40d7a3660a89ecaf32466ef97,
            ),
            (
                &[
                    0x8e, 0x73, 0xb0, 0xf7, 0xda, 0x0e, 0x64, 0x52, 0xc8, 0x10, 0xf3, 0x2b, 0x80, 0x90, 0x79, 0xe5,
                    0x62, 0xf8, 0xea, 0xd2, 0x52, 0x2c, 0x6b, 0x7b,
                ],
                [0xe98ba06f, 0x448c773c, 0x8ecc7204, 0x01002202],
                0xbd334f1d6e45f25ff712a214571fa5cc,
            ),
            (
                &[
                    0x60, 0x3d, 0xeb, 0x10, 0x15, 0xca, 0x71, 0xbe, 0x2b, 0x73, 0xae, 0xf0, 0x85, 0x7d, 0x77, 0x81,
                    0x1f, 0x35, 0x2c, 0x07, 0x3b, 0x61, 0x08, 0xd7, 0x2d, 0x98, 0x10, 0xa3, 0x09, 0x14, 0xdf, 0xf4,
                ],
                [0xfe4890d1, 0xe6188d0b, 0x046df344, 0x706c631e],
                0xf3eed1bdb5d2a03c064b5a7e3db181f8,
            ),
        ];
        for (key, last_words, ciphertext) in examples {
            let end = key.len() + 28;
            let words = &expand(key)[end - 4..end];
            assert_eq!(words, last_words.map(u32::to_be_bytes), "{key:x?}");
            assert_eq!(encrypt_at(0, key, plaintext), ciphertext, "{key:x?}");
        }
    }

    /// Uses the example of FIPS 197, Appendix B.
    #[test]
    fn portable_aes_encrypts_the_cipher_example_of_fips_197() {
        let key = 0x2b7e151628aed2a6abf7158809cf4f3c_u128.to_be_bytes();
        let encrypted = encrypt_at(BATCH - 1, &key, 0x3243f6a8885a308d313198a2e0370734);
        assert_eq!(encrypted, 0x3925841d02dc09fbdc118597196a0b32);
    }

    /// Uses one batch, which has 256 bytes, so that each byte value occurs once.
    #[test]
    fn substitution_circuit_matches_the_s_box_for_every_byte() {
        let mut blocks: [[u8; 16]; BATCH] =
            core::array::from_fn(|block| core::array::from_fn(|i| (16 * block + i) as u8));
        let mut state = slice(&blocks);
        substitute_bytes(&mut state);
        unslice(state, &mut blocks);
        for (value, byte) in (0..=255).zip(blocks.as_flattened()) {
            assert_eq!(byte ^ AFFINE_CONSTANT, reference_s_box(value), "{value:#x}");
            assert_eq!(substitute_word([value; 4]), [byte ^ AFFINE_CONSTANT; 4]);
        }
    }

    #[test]
    fn slice_places_every_bit_and_unslice_restores_it() {
        let mut random = Random(11);
        let blocks: [[u8; 16]; BATCH] = core::array::from_fn(|_| random.bytes());
        let state = slice(&blocks);
        for (number, block) in blocks.iter().enumerate() {
            for (i, byte) in block.iter().enumerate() {
                for (bit, plane) in state.iter().enumerate() {
                    let sliced = plane[i % 4] >> (16 * (i / 4) + number) & 1;
                    assert_eq!(sliced, u64::from(byte >> bit & 1), "block {number}, byte {i}");
                }
            }
        }
        let mut back = [[0; 16]; BATCH];
        unslice(state, &mut back);
        assert_eq!(back, blocks);
    }

    #[test]
    fn portable_aes_matches_the_reference_for_random_batches() {
        let sbox = core::array::from_fn(|value| reference_s_box(value as u8));
        let mut random = Random(0x9e3779b97f4a7c15);
        for round in 0..60 {
            let key: [u8; 32] = random.bytes();
            let key = &key[..16 + 8 * (round % 3)];
            let plain: [[u8; 16]; BATCH] = core::array::from_fn(|_| random.bytes());
            let mut blocks = plain;
            expanded(key).encrypt(&mut blocks);
            assert_eq!(blocks, plain.map(|block| reference_encrypt(&sbox, key, block)));
        }
    }

    #[test]
    fn portable_aes_blocks_of_a_batch_are_independent() {
        let mut random = Random(0x2545f4914f6cdd1d);
        let keys = expanded(&random.bytes::<16>());
        let plain: [[u8; 16]; BATCH] = core::array::from_fn(|_| random.bytes());
        let mut expected = plain;
        keys.encrypt(&mut expected);
        for position in 0..BATCH {
            let mut blocks = plain;
            blocks[position] = random.bytes();
            keys.encrypt(&mut blocks);
            for other in 0..BATCH {
                assert_eq!(blocks[other] == expected[other], other != position);
            }
        }
    }

    #[test]
    #[should_panic(expected = "an AES key of 17 bytes")]
    fn portable_aes_panics_for_invalid_key_lengths() {
        expanded(&[0; 17]);
    }

    #[test]
    fn portable_round_keys_have_no_padding() {
        assert_eq!(size_of::<RoundKeys>(), 8 * (8 * ROWS * (MAX_ROUNDS + 1) + 1));
    }
}
