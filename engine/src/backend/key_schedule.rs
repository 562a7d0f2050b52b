//! The AES key schedule (FIPS 197 §5.2), word by word. The CPU's own instruction computes the S-box.

use super::{Block, wipe};

/// Maximum number of AES rounds, that of AES-256.
pub(super) const MAX_ROUNDS: usize = 14;

const WORDS: usize = 4 * (MAX_ROUNDS + 1);

/// Writes the round keys of `key`, which has 16, 24 or 32 bytes. `substitute_word` applies the S-box to a word. (This
/// closure gets the proof of CPU features as an argument instead of capturing it, because it must be inlined.)
#[inline(always)]
pub(super) fn expand<P: Copy>(
    proof: P,
    substitute_word: impl Fn(P, u32) -> u32,
    key: &[u8],
    round_keys: &mut [Block; MAX_ROUNDS + 1],
) {
    let key_words = key.len() / 4;
    let mut words = [0_u32; WORDS];
    for (word, bytes) in words.iter_mut().zip(key.as_chunks::<4>().0) {
        *word = u32::from_le_bytes(*bytes);
    }
    let end = 4 * (rounds(key.len()) + 1);
    let mut round_constant = 1_u32;
    // Expands `key_words` words at a time, because computing a remainder for each word would cost more than everything
    // else.
    for start in (key_words..end).step_by(key_words) {
        // RotWord rotates little-endian words to the right.
        let mut word = substitute_word(proof, words[start - 1]).rotate_right(8) ^ round_constant;
        // Doubles in GF(2^8), where x^8 = 0x1B.
        round_constant = (round_constant << 1) ^ ((round_constant >> 7) * 0x11B);
        for index in start..end.min(start + key_words) {
            if key_words > 6 && index == start + 4 {
                word = substitute_word(proof, word);
            }
            word ^= words[index - key_words];
            words[index] = word;
        }
    }
    for (round_key, words) in round_keys.iter_mut().zip(words.as_chunks::<4>().0) {
        for (bytes, word) in round_key.as_chunks_mut::<4>().0.iter_mut().zip(words) {
            *bytes = word.to_le_bytes();
        }
    }
    wipe(&mut words);
}

/// Returns the number of AES rounds for a key of `key_bytes` bytes: 10, 12 or 14.
pub(super) const fn rounds(key_bytes: usize) -> usize {
    key_bytes / 4 + 6
}
