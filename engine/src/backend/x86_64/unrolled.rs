//! Messages of at most [`GROUP`](super::schedule::GROUP) vectors, in straight-line code that encrypts all blocks at the
//! same time.
//!
//! The vectors begin with two blocks for counter 0, which GCM does not use, and for J0. The data begins with the third
//! block.

use super::aesni::Lanes1;
use super::cipher::{Counters, RoundKeys, last_round};
use super::hash::{Accumulator, add_consecutive};
use super::key::Expanded;
use super::lines::{HEADER_BYTES, Lines};
use super::schedule::Schedule;
use super::vector::Vector;

/// The blocks that GHASH reads in addition to the data: the block of lengths, and the last two blocks of the AAD.
pub(super) struct Places {
    /// Block with the lengths of AAD and data in bits.
    pub(super) lengths: Lanes1,
    /// Last block of the AAD.
    pub(super) aad: Lanes1,
    /// Second-to-last block of the AAD. `None` if the code is compiled for AAD of at most one block.
    pub(super) before: Option<Lanes1>,
}

/// Returns the exponent of the highest power of H that a message needs: the power for the first block of the first
/// vector. This block belongs to counter 0. The data begins two blocks later, with counter 2.
#[inline(always)]
#[expect(clippy::manual_div_ceil, reason = "div_ceil takes five instructions more, for sums that would overflow")]
pub(super) fn highest_power(lines: &Lines) -> usize {
    // The last block of data gets the second power, since the block of lengths gets the first one.
    (lines.bytes() + HEADER_BYTES + 15) / 16 + 1
}

/// Encrypts or decrypts a whole message in `N` vectors, and hashes it. The vectors begin with two blocks for counter 0
/// (unused) and J0. The data begins with the third block, and ends in the last vector.
///
/// For the hash, the block of lengths and the last block of the AAD replace these two blocks. The block of lengths is
/// the first in the vectors, but the last in GHASH, so it is multiplied by H. In this way the lengths need no separate
/// step.
///
/// Returns the byte-reversed hash, the encryption of J0, and the first 32 bytes of the ciphertext. Zeros follow a
/// shorter ciphertext.
///
/// # Safety
/// The data, with two more blocks for counter 0 (unused) and J0, fills `N` vectors.
#[cfg_attr(not(unoptimised), inline(always))]
pub(super) unsafe fn message<V: Schedule, const ROUNDS: usize, const SEAL: bool, const N: usize>(
    key: &Expanded<V>,
    counters: &Counters<V>,
    places: &Places,
    lines: Lines,
) -> (Lanes1, Lanes1, [Lanes1; 2]) {
    // SAFETY: guaranteed by the caller.
    let ([states], [inputs]) = unsafe { encrypt::<V, ROUNDS, 1, N>(key, key, &[*counters], &[lines]) };
    let mask = V::second_block(&states);
    let mut hashed = if SEAL { states } else { inputs };
    if SEAL {
        hashed[N - 1] = lines.cut::<V, true>(hashed[N - 1], N - 1);
    }
    let beginning = third_and_fourth_block(&hashed);
    V::set_first_two(&mut hashed, places.lengths, places.aad);
    let mut sum = Accumulator::zero(key.proof);
    add_consecutive::<V, N, true>(key, &mut sum, &hashed, highest_power(&lines));
    if let Some(before) = places.before {
        // In the vectors, the block of lengths is at this AAD block's position, so its product is added separately.
        sum.add_block(before.reverse(), key.power(highest_power(&lines)));
    }
    (sum.finish(key.proof), mask, beginning)
}

/// Returns the third and the fourth block of `vectors`, or zeros if there are only two.
#[inline(always)]
pub(super) fn third_and_fourth_block<V: Vector>(vectors: &[V]) -> [Lanes1; 2] {
    match (V::BLOCKS, vectors) {
        (4, [vector, ..]) => {
            let [_, _, third, fourth] = vector.blocks();
            [third, fourth]
        }
        (2, [_, vector, ..]) => {
            let [third, fourth, ..] = vector.blocks();
            [third, fourth]
        }
        (1, [_, _, third, rest @ ..]) => {
            let [third, zero, ..] = third.blocks();
            [third, if let [fourth, ..] = rest { fourth.blocks()[0] } else { zero }]
        }
        (_, [vector, ..]) => {
            let zero = vector.xor(*vector).blocks()[0];
            [zero; 2]
        }
        (_, []) => unreachable!("a message has a vector"),
    }
}

/// Encrypts the data of `P` messages of equal length in parallel, each in `N` vectors. Returns the vectors written and
/// the vectors read. The vectors written begin with two keystream blocks, for counter 0 (unused) and J0.
///
/// # Safety
/// The data of each message, with two more blocks for counter 0 (unused) and J0, fills `N` vectors.
#[cfg_attr(not(unoptimised), inline(always))]
pub(super) unsafe fn encrypt<V: Schedule, const ROUNDS: usize, const P: usize, const N: usize>(
    key: &Expanded<V>,
    keys: &impl RoundKeys<V>,
    counters: &[Counters<V>; P],
    lines: &[Lines; P],
) -> ([[V; N]; P], [[V; N]; P]) {
    let mut inputs = [[V::zero(key.proof); N]; P];
    let mut states = inputs;
    unroll!(message < P, of 4, {
        unroll!(index < N, {
            // SAFETY: the caller says that the data ends in the last of N vectors.
            inputs[message][index] = unsafe { lines[message].load::<V, true>(key.proof, index, index == N - 1) };
        });
        states[message] = counters[message].first_states::<N>(key, 0);
    });
    for round in 1..ROUNDS {
        let round_key = keys.round_key(round);
        unroll!(message < P, of 4, {
            unroll!(index < N, {
                states[message][index] = states[message][index].aes_round(round_key);
            });
        });
    }
    unroll!(message < P, of 4, {
        last_round::<V, ROUNDS, N>(keys, &mut states[message], &inputs[message]);
        unroll!(index < N, {
            // SAFETY: as above.
            unsafe { lines[message].store::<V, true>(states[message][index], index, index == N - 1) };
        });
    });
    (states, inputs)
}
