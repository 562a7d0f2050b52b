//! The AES key schedule (FIPS 197 §5.2), four cycles a round key.
//!
//! Only the last word of a round key goes through the S-box. Let x(n) be the last word of round key n of AES-128. Then
//! x(n) = x(n − 4) + SubWord(RotWord(x(n − 1))) + Rcon(n), since the other words cancel over four round keys. The words
//! of round key n are x(n) + x(n − 1) + x(n − 2) + x(n − 3), x(n) + x(n − 2), x(n) + x(n − 1) and x(n).
//!
//! To keep rotations out of this chain, let y(n) be x(n) rotated left by n bytes, and let R(n) be Rcon(n) rotated left
//! by n bytes. Then y(n) = y(n − 4) + SubWord(y(n − 1)) + R(n). If all four words of a vector are y, this is one
//! AESENCLAST, since ShiftRows does not change equal columns. AES-256 has two such sequences, which feed each other.

use super::aesni::Lanes1;
use super::vector::Vector;
use crate::backend::{Block, key_schedule};
use crate::cpu::proof;

pub(super) use crate::backend::key_schedule::MAX_ROUNDS;

/// Rcon of FIPS 197 §5.2, for round keys 1 to 10.
const ROUND_CONSTANTS: [u32; 10] = [0x01, 0x02, 0x04, 0x08, 0x10, 0x20, 0x40, 0x80, 0x1B, 0x36];

/// Round keys of the largest AES key.
type RoundKeys = [Block; MAX_ROUNDS + 1];

/// Writes the round keys of `key`, which has 16, 24 or 32 bytes. Returns the number of AES rounds.
#[inline(always)]
pub(super) fn expand(proof: proof::Aesni, key: &[u8], round_keys: &mut RoundKeys) -> usize {
    expand_and_encrypt_zeros(proof, key, round_keys).0
}

/// Writes the round keys of `key`, which has 16, 24 or 32 bytes. Returns the number of AES rounds, and the encrypted
/// zero block, which is computed at the same time as the round keys.
#[inline(always)]
pub(super) fn expand_and_encrypt_zeros(proof: proof::Aesni, key: &[u8], round_keys: &mut RoundKeys) -> (usize, Lanes1) {
    let rounds = key_schedule::rounds(key.len());
    let zeros = match key.as_chunks::<16>() {
        ([key], []) => expand_128(proof, Lanes1::of_bytes(proof, key), round_keys),
        ([first, second], []) => {
            expand_256(proof, [Lanes1::of_bytes(proof, first), Lanes1::of_bytes(proof, second)], round_keys)
        }
        // A key of six words does not fit the vectors of four words, so AES-192 is expanded word by word.
        _ => {
            key_schedule::expand(proof, Lanes1::substitute_word, key, round_keys);
            let mut zeros = Lanes1::zero(proof);
            for (number, round_key) in round_keys.iter().enumerate().take(rounds + 1) {
                zeros = add_round(zeros, Lanes1::of_bytes(proof, round_key), number, rounds);
            }
            zeros
        }
    };
    (rounds, zeros)
}

/// Writes the round keys of a 16-byte key, and returns the encrypted zero block.
#[inline(always)]
pub(super) fn expand_128(proof: proof::Aesni, key: Lanes1, round_keys: &mut RoundKeys) -> Lanes1 {
    let mut words = LastWords::new(proof, key);
    round_keys[0] = key.to_bytes();
    let mut zeros = key;
    unroll!(index < 10, of 13, {
        let number = index + 1;
        let next = words.rotated[0].aes_last_round(words.rotated[3].xor(round_constant(proof, number)));
        let round_key = words.push(proof, next, number);
        round_keys[number] = round_key.to_bytes();
        zeros = add_round(zeros, round_key, number, 10);
    });
    zeros
}

/// Writes the round keys of a 32-byte key, and returns the encrypted zero block.
#[inline(always)]
pub(super) fn expand_256(proof: proof::Aesni, key: [Lanes1; 2], round_keys: &mut RoundKeys) -> Lanes1 {
    let [mut even, mut odd] = key.map(|key| LastWords::new(proof, key));
    round_keys[0] = key[0].to_bytes();
    round_keys[1] = key[1].to_bytes();
    let mut zeros = add_round(key[0], key[1], 1, MAX_ROUNDS);
    unroll!(index < 7, {
        let number = index + 1;
        let next = odd.rotated[0].aes_last_round(even.rotated[3].xor(round_constant(proof, number)));
        let round_key = even.push(proof, next, number);
        round_keys[2 * number] = round_key.to_bytes();
        zeros = add_round(zeros, round_key, 2 * number, MAX_ROUNDS);
        if number < 7 {
            let next = even.rotated[0].aes_last_round(odd.rotated[3]);
            let round_key = odd.push(proof, next, number);
            round_keys[2 * number + 1] = round_key.to_bytes();
            zeros = add_round(zeros, round_key, 2 * number + 1, MAX_ROUNDS);
        }
    });
    zeros
}

/// Executes one step of encrypting a block: AddRoundKey if `number` is 0, otherwise AES round `number` of `rounds`
/// rounds, with the round key `round_key`.
#[inline(always)]
fn add_round(state: Lanes1, round_key: Lanes1, number: usize, rounds: usize) -> Lanes1 {
    if number == 0 {
        state.xor(round_key)
    } else if number < rounds {
        state.aes_round(round_key)
    } else {
        state.aes_last_round(round_key)
    }
}

/// Returns round constant `number` (Rcon), rotated left by `number` bytes, in every word of a vector.
#[inline(always)]
fn round_constant(proof: proof::Aesni, number: usize) -> Lanes1 {
    Lanes1::repeat_word(proof, ROUND_CONSTANTS[number - 1].rotate_left(8 * number as u32))
}

/// Last words of the four newest round keys, the newest first, each repeated in all 32-bit words of a vector. AES-256
/// has two sequences of round keys, those with even and those with odd numbers; each sequence is counted on its own.
struct LastWords {
    /// The last words x(n), x(n − 1), x(n − 2) and x(n − 3), not rotated. x(i) is the last word of round key i, and n
    /// is the number of the newest round key.
    plain: [Lanes1; 4],
    /// The rotated last words y(n), y(n − 1), y(n − 2) and y(n − 3). y(i) is the last word of round key i, rotated left
    /// by i bytes, and n is the number of the newest round key. The next word, y(n + 1), is computed from these words
    /// without a rotation.
    rotated: [Lanes1; 4],
}

impl LastWords {
    /// Computes the last words x(0) to x(−3) and their rotations y(0) to y(−3) from the four words of round key 0. The
    /// words x(i) with i < 0 continue the recurrence x(n) = x(n − 4) + SubWord(RotWord(x(n − 1))) + Rcon(n) backwards.
    #[inline(always)]
    fn new(proof: proof::Aesni, key: Lanes1) -> Self {
        let pairs = key.xor(key.shuffle_words::<0b10_11_00_01>());
        let halves = key.xor(key.swap_halves());
        let plain = [
            key.shuffle_words::<0b11_11_11_11>(),
            pairs.shuffle_words::<0b10_10_10_10>(),
            halves.shuffle_words::<0b01_01_01_01>(),
            pairs.xor(pairs.swap_halves()),
        ];
        let rotated = core::array::from_fn(|index| plain[index].rotate_words_right(proof, index));
        Self { plain, rotated }
    }

    /// Adds the last word of round key `number` as the newest word, and drops the oldest word. `rotated` is the added
    /// word, rotated left by `number` bytes as in [`LastWords::rotated`]. Returns round key `number`.
    #[inline(always)]
    fn push(&mut self, proof: proof::Aesni, rotated: Lanes1, number: usize) -> Lanes1 {
        let [first, second, third, _] = self.plain;
        self.plain = [rotated.rotate_words_right(proof, number % 4), first, second, third];
        self.rotated = [rotated, self.rotated[0], self.rotated[1], self.rotated[2]];
        let [last, before, before_that, oldest] = self.plain;
        let in_words = |words: [u32; 4], value: Lanes1| value.and(Lanes1::of_words(proof, words));
        last.xor3(
            in_words([!0, 0, !0, 0], before),
            in_words([!0, !0, 0, 0], before_that).xor(in_words([!0, 0, 0, 0], oldest)),
        )
    }
}
