//! Messages of at most one group of vectors, in straight-line code: all blocks are in flight before the first result is
//! needed.

use super::aesni::Lanes1;
use super::cipher::{Counters, RoundKeys, last_round};
use super::hash::{Accumulator, add_consecutive};
use super::key::Expanded;
use super::lines::{HEADER_BYTES, Lines};
use super::schedule::Schedule;
use super::vector::Vector;

/// Blocks with a place before the data, for hashing.
pub(super) struct Places {
    /// The block of lengths.
    pub(super) lengths: Lanes1,
    /// The last block of the AAD.
    pub(super) aad: Lanes1,
    /// The block of AAD before the last one, if there can be one.
    pub(super) before: Option<Lanes1>,
}

/// Returns the power of H for the place before J0's, as its position gives it.
#[inline(always)]
#[expect(clippy::manual_div_ceil, reason = "div_ceil takes five instructions more, for sums that would overflow")]
pub(super) fn highest_power(lines: &Lines) -> usize {
    // The last block of the data has the second power, since the lengths would come after it.
    (lines.bytes() + HEADER_BYTES + 15) / 16 + 1
}

/// Processes a whole message in `N` vectors. Its data and the two places before it must reach into the last vector.
///
/// The lengths and the AAD's last block have the two places before the data. The lengths are hashed last all the same:
/// in their place, the vector of powers has H itself. So the tag needs no step of its own but the reduction.
///
/// Returns the hash, its bytes reversed, and the encryption of J0.
///
/// # Safety
/// Data and places fill `N` vectors.
#[cfg_attr(not(unoptimised), inline(always))]
pub(super) unsafe fn message<V: Schedule, const ROUNDS: usize, const SEAL: bool, const N: usize>(
    key: &Expanded<V>,
    counters: &Counters<V>,
    places: &Places,
    lines: Lines,
) -> (Lanes1, Lanes1) {
    // SAFETY: guaranteed by the caller.
    let ([states], [inputs]) = unsafe { encrypt::<V, ROUNDS, 1, N>(key, key, &[*counters], &[lines]) };
    let mask = V::second_block(&states);
    let mut hashed = if SEAL { states } else { inputs };
    if SEAL {
        hashed[N - 1] = lines.cut::<V, true>(hashed[N - 1], N - 1);
    }
    V::set_first_two(&mut hashed, places.lengths, places.aad);
    let mut sum = Accumulator::zero(key.proof);
    add_consecutive::<V, N, true>(key, &mut sum, &hashed, highest_power(&lines));
    if let Some(before) = places.before {
        // The lengths have taken this block's place.
        sum.add_block(before.reverse(), key.power(highest_power(&lines)));
    }
    (sum.finish(key.proof), mask)
}

/// Encrypts the data of `P` messages of one length side by side, each in `N` vectors. Returns the vectors written, with
/// the keystream in the places before the data, and the vectors read.
///
/// # Safety
/// Data and places of each message fill `N` vectors.
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
