//! Text of many vectors: AES of one pair of vectors runs beside GHASH of another.
//!
//! AES and carry-less products use different ports, and neither alone keeps the CPU busy. So the loop goes over pairs
//! of vectors. Each turn begins one pair, does some rounds of the two pairs begun before, ends the pair begun three turns
//! ago, and adds up the products of a pair whose ciphertext is there: the one that the turn before ended or, opening, one
//! further on. None of these strands waits for another in the same turn.
//!
//! A vector of four blocks is multiplied by one power of H in all places, H^(4·k) for the k-th vector from the end of a
//! stretch of 128, so that a table of 128 powers serves 512 blocks and any alignment. What the places lack of each other
//! (H³, H², H, 1) is left to the end of the text: the last vectors, three to eight, are multiplied by consecutive
//! powers. In between, a sum is reduced in each place by itself and carried into the next stretch by adding it to its
//! first vector (Horner's rule with a stride).

use super::aesni::One;
use super::cipher::{Counters, Pairs, last_round, rounds};
use super::hash::{Accumulator, add_consecutive};
use super::key::{Expanded, STRIDES};
use super::lines::{HEADER_BYTES, Lines};
use super::vector::Vector;

/// Pairs on their way through AES.
const DEPTH: usize = 3;

/// How many pairs further on ciphertext is hashed that is opened.
const AHEAD: usize = 2;

/// Encrypts and hashes text from the block with number `count` on, which is public and divides by the blocks of a group;
/// with `HEADER` the text has two places before it. `opening` is the AAD's block for the second of those places; without
/// a header it is the hash so far, which is added to the first block.
///
/// Returns the sum of the products, in which the text's last block has the second power with a header and the first
/// without, and the second block of keystream.
///
/// # Safety
/// Text and places are more than `2 * DEPTH + 2` vectors, as those of more than a group are.
#[inline(always)]
pub(super) unsafe fn text<V: Vector, const ROUNDS: usize, const SEAL: bool, const HEADER: bool>(
    key: &Expanded<V>,
    counters: &Counters,
    count: u32,
    opening: One,
    lines: Lines,
) -> (Accumulator<V>, One) {
    let header = if HEADER { HEADER_BYTES } else { 0 };
    let vectors = (lines.bytes() + header).div_ceil(V::BYTES);
    let pairs = vectors.div_ceil(2);
    debug_assert!(pairs > DEPTH + 1, "{vectors} vectors");

    let mut places = counters.from(key, count);
    let mut stages = Stages::<V, ROUNDS>::start(key, &mut places);

    // The first pair, whose first places may have no text.
    // SAFETY: there are more pairs behind it.
    let texts = unsafe { [lines.load::<V, HEADER>(key.proof, 0, false), lines.load::<V, HEADER>(key.proof, 1, false)] };
    let mut states = stages.turn(key, &mut places);
    last_round::<V, ROUNDS, 2>(key, &mut states, &texts);
    // SAFETY: as above.
    unsafe {
        lines.store::<V, HEADER>(states[0], 0, false);
        lines.store::<V, HEADER>(states[1], 1, false);
    }
    let mask = V::second_block(&states);
    let mut ciphertext = if SEAL { states } else { texts };
    if HEADER {
        V::set_first_two(&mut ciphertext, One::zero(key.proof.into()), opening);
    } else {
        ciphertext[0] = ciphertext[0].xor_first_block(opening);
    }

    let mut run = Run {
        places,
        stages,
        ciphertext,
        sum: Accumulator::zero(key.proof),
        lines: lines.after(2 * V::BYTES - header),
    };
    // Sealing, the last pairs are not there to be hashed before the end. Opening, all ciphertext is there: the loop can
    // hash two pairs further on, and the end has less to wait for.
    let is_ahead = !SEAL && V::HASHES_AHEAD;
    let mut left = pairs - 1 - DEPTH;
    let strided = if is_ahead { left + AHEAD } else { left };
    let mut power = STRIDES - 2 * ((strided - 1) % (STRIDES / 2) + 1);
    if is_ahead {
        for pair in 0..AHEAD {
            run.sum.add_stride(key, run.ciphertext, power);
            // SAFETY: more pairs are behind these.
            run.ciphertext = unsafe { run.lines.load_pair(key.proof, pair) };
            power += 2;
            if power == STRIDES {
                run.end_stretch(key);
                power = 0;
            }
        }
    }
    while left > 0 {
        left -= (STRIDES - power) / 2;
        // As many turns written out as bring every pair back into the registers it came from; the way out between them
        // keeps the compiler from mixing them up.
        'stretch: loop {
            unroll!(index < DEPTH + 1, {
                // SAFETY: the last pairs are left to `finish`.
                unsafe { run.turn::<SEAL>(key, power) };
                power += 2;
                if power == STRIDES {
                    break 'stretch;
                }
            });
        }
        run.end_stretch(key);
        power = 0;
    }
    let last = run.stages.end(key);
    let sum = match (is_ahead, vectors % 2) {
        (false, 1) => finish::<V, ROUNDS, SEAL, HEADER, { 2 * DEPTH - 1 }, { 2 * DEPTH + 1 }>(
            key,
            last,
            run.ciphertext,
            run.lines,
        ),
        (false, _) => {
            finish::<V, ROUNDS, SEAL, HEADER, { 2 * DEPTH }, { 2 * DEPTH + 2 }>(key, last, run.ciphertext, run.lines)
        }
        (true, 1) => finish::<V, ROUNDS, SEAL, HEADER, { 2 * DEPTH - 1 }, 3>(key, last, run.ciphertext, run.lines),
        (true, _) => finish::<V, ROUNDS, SEAL, HEADER, { 2 * DEPTH }, 4>(key, last, run.ciphertext, run.lines),
    };
    (sum, mask)
}

/// The loop's state.
struct Run<V, const ROUNDS: usize> {
    places: Pairs<V>,
    stages: Stages<V, ROUNDS>,
    /// The next pair to be hashed: sealing, the one that was finished last.
    ciphertext: [V; 2],
    sum: Accumulator<V>,
    /// The text from the next pair to be finished on.
    lines: Lines,
}

impl<V: Vector, const ROUNDS: usize> Run<V, ROUNDS> {
    /// One turn: a pair begun, a pair finished, and the pair before hashed with powers `power` and the next.
    ///
    /// # Safety
    /// More pairs follow than the one that is finished.
    #[inline(always)]
    unsafe fn turn<const SEAL: bool>(&mut self, key: &Expanded<V>, power: usize) {
        let lines = self.lines;
        // SAFETY: there are more pairs behind this one.
        let texts =
            unsafe { [lines.load::<V, false>(key.proof, 0, false), lines.load::<V, false>(key.proof, 1, false)] };
        let mut states = self.stages.turn(key, &mut self.places);
        self.sum.add_stride(key, self.ciphertext, power);
        if !SEAL && V::HASHES_AHEAD {
            // SAFETY: the last two pairs are not hashed here, so that this one is whole; it has not been written yet.
            self.ciphertext = unsafe { lines.load_pair(key.proof, AHEAD) };
        }
        last_round::<V, ROUNDS, 2>(key, &mut states, &texts);
        // SAFETY: as above.
        unsafe {
            lines.store::<V, false>(states[0], 0, false);
            lines.store::<V, false>(states[1], 1, false);
        }
        self.lines = lines.after(2 * V::BYTES);
        if SEAL {
            self.ciphertext = states;
        } else if !V::HASHES_AHEAD {
            self.ciphertext = texts;
        }
    }

    /// Reduces the sum of a stretch and carries it into the next pair.
    #[inline(always)]
    fn end_stretch(&mut self, key: &Expanded<V>) {
        self.ciphertext[0] = self.ciphertext[0].xor(self.sum.reduce(key.proof).reverse());
        self.sum = Accumulator::zero(key.proof);
    }
}

/// AES of several pairs, each some rounds behind the one before.
struct Stages<V, const ROUNDS: usize>([[V; 2]; DEPTH]);

impl<V: Vector, const ROUNDS: usize> Stages<V, ROUNDS> {
    /// The first round that is done in stage `stage`.
    const fn first(stage: usize) -> usize {
        1 + (stage * (ROUNDS - 1)).div_ceil(DEPTH + 1)
    }

    #[inline(always)]
    fn start(key: &Expanded<V>, places: &mut Pairs<V>) -> Self {
        let mut stages = [places.next(key); DEPTH];
        unroll!(index < DEPTH, {
            if index > 0 {
                stages[index] = places.next(key);
            }
            rounds(key, &mut stages[index], 1, Self::first(DEPTH - index));
        });
        Self(stages)
    }

    /// A new pair in, the oldest out, all rounds done but the last.
    #[inline(always)]
    fn turn(&mut self, key: &Expanded<V>, places: &mut Pairs<V>) -> [V; 2] {
        let mut oldest = self.0[0];
        rounds(key, &mut oldest, Self::first(DEPTH), ROUNDS);
        unroll!(index < DEPTH, {
            if index + 1 < DEPTH {
                self.0[index] = self.0[index + 1];
            } else {
                self.0[index] = places.next(key);
            }
            rounds(key, &mut self.0[index], Self::first(DEPTH - 1 - index), Self::first(DEPTH - index));
        });
        oldest
    }

    /// All that are in, all rounds done but the last.
    #[inline(always)]
    fn end(mut self, key: &Expanded<V>) -> [[V; 2]; DEPTH] {
        unroll!(index < DEPTH, {
            rounds(key, &mut self.0[index], Self::first(DEPTH - index), ROUNDS);
        });
        self.0
    }
}

/// The last `N` vectors, which may end inside a block. The last of them and the pair before these, `ALL` vectors, are
/// multiplied by consecutive powers; the others have been hashed.
#[inline(always)]
fn finish<V: Vector, const ROUNDS: usize, const SEAL: bool, const HEADER: bool, const N: usize, const ALL: usize>(
    key: &Expanded<V>,
    states: [[V; 2]; DEPTH],
    ciphertext: [V; 2],
    lines: Lines,
) -> Accumulator<V> {
    let mut last = [states[0][0]; N];
    let mut texts = [V::zero(key.proof); N];
    unroll!(index < N, {
        last[index] = states.as_flattened()[index];
        // SAFETY: the text ends in the last of N vectors.
        texts[index] = unsafe { lines.load::<V, false>(key.proof, index, index == N - 1) };
    });
    last_round::<V, ROUNDS, N>(key, &mut last, &texts);
    unroll!(index < N, {
        // SAFETY: as above.
        unsafe { lines.store::<V, false>(last[index], index, index == N - 1) };
    });
    let before = N + 2 - ALL;
    let mut hashed = [ciphertext[0]; ALL];
    hashed[1] = ciphertext[1];
    hashed[2..].copy_from_slice(if SEAL { &last[before..] } else { &texts[before..] });
    if SEAL {
        hashed[ALL - 1] = lines.cut::<V, false>(hashed[ALL - 1], N - 1);
    }
    // The lengths come after the text of a whole message.
    let power = 2 * V::BLOCKS + (lines.bytes() - before * V::BYTES).div_ceil(16) + usize::from(HEADER);
    let mut sum = Accumulator::zero(key.proof);
    add_consecutive::<V, ALL, false>(key, &mut sum, &hashed, power);
    sum
}
