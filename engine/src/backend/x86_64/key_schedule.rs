//! The AES key schedule (FIPS 197 §5.2), four words at a time.

use super::aesni::One;
use crate::backend::{Block, key_schedule};
use crate::cpu::proof;

pub(super) use crate::backend::key_schedule::MAX_ROUNDS;

/// Rcon of FIPS 197 §5.2, of as many steps as there are.
const ROUND_CONSTANTS: [u32; 10] = [0x01, 0x02, 0x04, 0x08, 0x10, 0x20, 0x40, 0x80, 0x1B, 0x36];

/// Writes the round keys of `key`, which has 16, 24 or 32 bytes; how many rounds there are.
#[inline(always)]
pub(super) fn expand(proof: proof::Aesni, key: &[u8], round_keys: &mut [Block; MAX_ROUNDS + 1]) -> usize {
    match key.as_chunks::<16>() {
        ([key], []) => of_one(proof, One::of_bytes(proof, key), round_keys),
        ([first, second], []) => {
            of_two(proof, [One::of_bytes(proof, first), One::of_bytes(proof, second)], round_keys);
        }
        // Six words of a key do not fit four of a vector.
        _ => key_schedule::expand(proof, One::substitute_word, key, round_keys),
    }
    key_schedule::rounds(key.len())
}

/// Those of a key of 16 bytes.
#[inline(always)]
pub(super) fn of_one(proof: proof::Aesni, key: One, round_keys: &mut [Block; MAX_ROUNDS + 1]) {
    let mut words = key;
    round_keys[0] = words.to_bytes();
    unroll!(round < 10, of 13, {
        words = words.next_words(words.substituted_last_word::<true>(proof, ROUND_CONSTANTS[round]));
        round_keys[round + 1] = words.to_bytes();
    });
}

/// Those of a key of 32 bytes.
#[inline(always)]
pub(super) fn of_two(proof: proof::Aesni, key: [One; 2], round_keys: &mut [Block; MAX_ROUNDS + 1]) {
    let [mut even, mut odd] = key;
    round_keys[0] = even.to_bytes();
    round_keys[1] = odd.to_bytes();
    unroll!(pair < 7, {
        even = even.next_words(odd.substituted_last_word::<true>(proof, ROUND_CONSTANTS[pair]));
        round_keys[2 * pair + 2] = even.to_bytes();
        if pair < 6 {
            odd = odd.next_words(even.substituted_last_word::<false>(proof, 0));
            round_keys[2 * pair + 3] = odd.to_bytes();
        }
    });
}
