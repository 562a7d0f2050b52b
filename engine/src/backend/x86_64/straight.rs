//! Messages of one group of vectors at most, in straight lines: everything is on its way before the first result is
//! waited for.

use super::aesni::One;
use super::cipher::{Counters, last_round, rounds};
use super::hash::{Accumulator, add_consecutive};
use super::key::Expanded;
use super::lines::{HEADER_BYTES, Lines};
use super::vector::Vector;

/// A whole message in `N` vectors, which its text and the two places before it fill to the last one.
///
/// The lengths have the place before the text, as the AAD has, though they are hashed last: their power of H, the
/// first, is put into that place of the table's vector. So the tag needs no step of its own but the reduction.
///
/// Returns the hash, its bytes reversed, and the encryption of J0.
///
/// # Safety
/// Text and places are as many vectors.
#[inline(always)]
pub(super) unsafe fn message<V: Vector, const ROUNDS: usize, const SEAL: bool, const N: usize>(
    key: &Expanded<V>,
    counters: &Counters,
    lengths: One,
    aad: One,
    lines: Lines,
) -> (One, One) {
    let mut texts = [V::zero(key.proof); N];
    unroll!(index < N, {
        // SAFETY: the caller says that the text ends in the last of N vectors.
        texts[index] = unsafe { lines.load::<V, true>(key.proof, index, index == N - 1) };
    });
    let mut states = counters.first_states::<V, N>(key, 0);
    rounds(key, &mut states, 1, ROUNDS);
    last_round::<V, ROUNDS, N>(key, &mut states, &texts);
    unroll!(index < N, {
        // SAFETY: as above.
        unsafe { lines.store::<V, true>(states[index], index, index == N - 1) };
    });
    let mask = V::second_block(&states);
    let mut hashed = if SEAL { states } else { texts };
    if SEAL {
        hashed[N - 1] = lines.cut::<V, true>(hashed[N - 1], N - 1);
    }
    V::set_first_two(&mut hashed, lengths, aad);
    let mut sum = Accumulator::zero(key.proof);
    // The last block of the text has the second power, after which the lengths would come.
    #[expect(clippy::manual_div_ceil, reason = "div_ceil takes five instructions more, for sums that would overflow")]
    let power = (lines.bytes() + HEADER_BYTES + 15) / 16 + 1;
    add_consecutive::<V, N, true>(key, &mut sum, &hashed, power);
    (sum.finish(key.proof.into()), mask)
}
