//! The loop over long messages: AES of one pair of vectors runs beside GHASH of another.
//!
//! AES and carry-less products use different ports, and neither alone keeps the CPU busy. So the loop goes over pairs
//! of vectors. Each iteration begins one pair, does some rounds of the two pairs begun before, ends the pair begun
//! three iterations ago, and adds up the products of a pair whose ciphertext is available: the pair that the iteration
//! before ended or, when opening, one further on. None of these strands waits for another in the same iteration.
//!
//! A vector of four blocks is multiplied by one power of H in all lanes, H^(4·k) for the k-th vector from the end of a
//! stretch of 128. So a table of 128 powers serves 512 blocks and any alignment. The powers by which the lanes differ
//! (H³, H², H, 1) are left to the end of the data: the last vectors, three to eight, are multiplied by consecutive
//! powers. In between, a sum is reduced in each lane by itself and carried into the next stretch by adding it to its
//! first vector (Horner's rule with a stride).

use super::aesni::Lanes1;
use super::cipher::{Counters, Pairs, last_round, rounds};
use super::hash::{Accumulator, add_consecutive};
use super::interleaved::{self, Interleaved};
use super::key::Expanded;
use super::lines::{HEADER_BYTES, Lines};
use super::parts::{OnePlace, Source};
use super::schedule::{STRIDES, Schedule};
use crate::backend::parts::Steps;

/// Number of pairs in flight through AES.
pub(super) const DEPTH: usize = 3;

/// When opening: how many pairs ahead of AES the ciphertext is hashed.
const AHEAD: usize = 2;

/// Encrypts and hashes the data from block number `count` on. `count` is public and a multiple of the blocks in a
/// group. With `HEADER` the data has two places before it, and `opening` is the AAD for these. Without a header, the
/// first block of `opening` is the hash so far, which is added to the first block of the data.
///
/// Returns the sum of the products and the second block of keystream. In the sum, the data's last block has the second
/// power with a header and the first without.
///
/// # Safety
/// Data and places fill more than `2 * DEPTH + 2` vectors, as they do if they fill more than a group.
#[cfg_attr(not(unoptimised), inline(always))]
pub(super) unsafe fn encrypt_and_hash<V: Schedule, const ROUNDS: usize, const SEAL: bool, const HEADER: bool>(
    key: &Expanded<V>,
    counters: &Counters<V>,
    count: u32,
    opening: [Lanes1; 2],
    lines: Lines,
) -> (Accumulator<V>, Lanes1) {
    let begun = Begun::<V, ROUNDS>::new(key, counters, count);
    // SAFETY: guaranteed by the caller.
    let (tail, mask, ()) = unsafe { begun.go_on::<SEAL, HEADER, ()>(key, opening, lines, OnePlace, || ()) };
    (tail.hash(key), mask)
}

/// Positions where a message of `bytes` bytes, with its header, can continue at another input address when it is
/// sealed: wherever a pair has ended, up to the pairs that are ended together.
pub(super) fn steps<V: Schedule>(bytes: usize) -> Steps {
    let (turn, head) = (2 * V::BYTES, 2 * V::BYTES - HEADER_BYTES);
    let pairs = (bytes + HEADER_BYTES).div_ceil(turn);
    Steps { head, turn, tail: head + (pairs - 1 - DEPTH) * turn, bytes }
}

/// A message whose first pairs are in flight through AES.
pub(super) struct Begun<V, const ROUNDS: usize> {
    places: Pairs<V>,
    stages: Stages<V, ROUNDS>,
}

impl<V: Schedule, const ROUNDS: usize> Begun<V, ROUNDS> {
    /// Begins with block number `count`.
    #[cfg_attr(not(unoptimised), inline(always))]
    pub(super) fn new(key: &Expanded<V>, counters: &Counters<V>, count: u32) -> Self {
        let mut places = counters.from(key, count);
        let stages = Stages::start(key, &mut places);
        Self { places, stages }
    }

    /// Encrypts all of the data, and hashes all but the tail. Calls `meanwhile` before the last pairs are through AES,
    /// which they do not keep busy. Data that is opened, or goes through [`interleaved`], lies at one address.
    ///
    /// # Safety
    /// As for [`encrypt_and_hash`]; `source` changes its address at [`steps`] only.
    #[cfg_attr(not(unoptimised), inline(always))]
    pub(super) unsafe fn go_on<const SEAL: bool, const HEADER: bool, T>(
        self,
        key: &Expanded<V>,
        opening: [Lanes1; 2],
        lines: Lines,
        mut source: impl Source,
        meanwhile: impl FnOnce() -> T,
    ) -> (Tail<V>, Lanes1, T) {
        let Self { mut places, mut stages } = self;
        let header = if HEADER { HEADER_BYTES } else { 0 };
        let vectors = (lines.bytes() + header).div_ceil(V::BYTES);
        let pairs = vectors.div_ceil(2);
        debug_assert!(pairs > DEPTH + 1, "{vectors} vectors");

        // The first pair, whose first places may have no data.
        // SAFETY: more pairs follow the first one.
        let inputs =
            unsafe { [lines.load::<V, HEADER>(key.proof, 0, false), lines.load::<V, HEADER>(key.proof, 1, false)] };
        let mut states = stages.turn(key, &mut places);
        last_round::<V, ROUNDS, 2>(key, &mut states, &inputs);
        // SAFETY: as for the loads.
        unsafe {
            lines.store::<V, HEADER>(states[0], 0, false);
            lines.store::<V, HEADER>(states[1], 1, false);
        }
        // The mask is needed only at the end. Unless pinned, the compiler would put its rounds there, and everything
        // would wait for them.
        let mask = V::second_block(&states).pin();
        let mut ciphertext = if SEAL { states } else { inputs };
        if HEADER {
            V::set_first_two(&mut ciphertext, opening[0], opening[1]);
        } else {
            ciphertext[0] = ciphertext[0].xor_first_block(opening[0]);
        }

        let lines = source.after(2 * V::BYTES - header, lines.after(2 * V::BYTES - header));
        if V::IS_INTERLEAVED {
            let turns = pairs - 1 - DEPTH;
            let blocks_behind = first_power_of_end::<V, HEADER>(2, lines.bytes() - turns * 2 * V::BYTES);
            let mut run = Interleaved::<V, ROUNDS>::new(key, places, stages.0, ciphertext, lines);
            // SAFETY: the last pairs are left to `finish`. (The key is hidden so that its tables are loaded again after
            // the loop, instead of being kept in memory of the loop's own.)
            let key = unsafe {
                run.turns::<SEAL>(turns, blocks_behind);
                &*interleaved::hide(key)
            };
            let done = meanwhile();
            let Interleaved { pairs: [newest, middle, oldest], ciphertext, sum, lines, .. } = run;
            let last = Stages::<V, ROUNDS>([oldest, middle, newest]).end(key);
            let tail = if vectors % 2 == 1 {
                finish::<V, ROUNDS, SEAL, HEADER, { 2 * DEPTH - 1 }, { 2 * DEPTH + 1 }>(
                    key, sum, last, ciphertext, lines,
                )
            } else {
                finish::<V, ROUNDS, SEAL, HEADER, { 2 * DEPTH }, { 2 * DEPTH + 2 }>(key, sum, last, ciphertext, lines)
            };
            return (tail, mask, done);
        }

        let mut run = Run { places, stages, ciphertext, sum: Accumulator::zero(key.proof), lines };
        // Sealing cannot hash the last pairs before the end, since they are not encrypted yet. When opening, all
        // ciphertext is there: the loop can hash two pairs further on, and the end has less to wait for.
        let is_ahead = !SEAL && V::HASHES_AHEAD;
        let mut left = pairs - 1 - DEPTH;
        let strided = if is_ahead { left + AHEAD } else { left };
        let mut power = STRIDES - 2 * ((strided - 1) % (STRIDES / 2) + 1);
        if is_ahead {
            for pair in 0..AHEAD {
                run.sum.add_stride(key, run.ciphertext, power);
                // SAFETY: more pairs follow these.
                run.ciphertext = unsafe { run.lines.load_pair(key.proof, pair) };
                power += 2;
                if power == STRIDES {
                    run.end_stretch(key);
                    power = 0;
                }
            }
        }
        while left > 0 {
            let end = source.powers_here(power, 2 * V::BYTES);
            let turns = (end - power) / 2;
            left -= turns;
            // Unrolled so that every pair returns to the registers it came from. The break after each iteration keeps
            // the compiler from mixing the iterations up.
            'stretch: loop {
                unroll!(index < DEPTH + 1, {
                    // SAFETY: the last pairs are left to `finish`.
                    unsafe { run.turn::<SEAL>(key, power) };
                    power += 2;
                    if power == end {
                        break 'stretch;
                    }
                });
            }
            if end == STRIDES {
                run.end_stretch(key);
                power = 0;
            }
            run.lines = source.after(turns * 2 * V::BYTES, run.lines);
        }
        let done = meanwhile();
        let last = run.stages.end(key);
        let Run { ciphertext, lines, sum, .. } = run;
        let tail = match (is_ahead, vectors % 2) {
            (false, 1) => finish::<V, ROUNDS, SEAL, HEADER, { 2 * DEPTH - 1 }, { 2 * DEPTH + 1 }>(
                key, sum, last, ciphertext, lines,
            ),
            (false, _) => {
                finish::<V, ROUNDS, SEAL, HEADER, { 2 * DEPTH }, { 2 * DEPTH + 2 }>(key, sum, last, ciphertext, lines)
            }
            (true, 1) => finish::<V, ROUNDS, SEAL, HEADER, { 2 * DEPTH - 1 }, 3>(key, sum, last, ciphertext, lines),
            (true, _) => finish::<V, ROUNDS, SEAL, HEADER, { 2 * DEPTH }, 4>(key, sum, last, ciphertext, lines),
        };
        (tail, mask, done)
    }
}

/// The end of a message that is still to be hashed: the last vectors, to be multiplied by consecutive powers.
pub(super) struct Tail<V> {
    /// Sum of products to which these vectors' products are added.
    sum: Accumulator<V>,
    vectors: [V; TAIL],
    count: usize,
    /// Power of H for the first block.
    power: usize,
}

/// Maximum number of vectors in a tail.
const TAIL: usize = 2 * DEPTH + 2;

impl<V: Schedule> Tail<V> {
    /// Returns the tail's products, added to the sum before. (What was reduced before is part of the tail's first
    /// vector.)
    #[cfg_attr(not(unoptimised), inline(always))]
    pub(super) fn hash(&self, key: &Expanded<V>) -> Accumulator<V> {
        let mut sum = self.sum;
        let (vectors, power) = (&self.vectors, self.power);
        match self.count {
            3 => add_consecutive::<V, 3, false>(key, &mut sum, &[vectors[0], vectors[1], vectors[2]], power),
            4 => {
                let first = [vectors[0], vectors[1], vectors[2], vectors[3]];
                add_consecutive::<V, 4, false>(key, &mut sum, &first, power);
            }
            7 => {
                let [first @ .., _] = vectors;
                add_consecutive::<V, { TAIL - 1 }, false>(key, &mut sum, first, power);
            }
            _ => add_consecutive::<V, TAIL, false>(key, &mut sum, vectors, power),
        }
        sum
    }
}

/// State of the loop.
struct Run<V, const ROUNDS: usize> {
    places: Pairs<V>,
    stages: Stages<V, ROUNDS>,
    /// The next pair to be hashed; when sealing, the pair that was finished last.
    ciphertext: [V; 2],
    sum: Accumulator<V>,
    /// The data from the next pair to be finished on.
    lines: Lines,
}

impl<V: Schedule, const ROUNDS: usize> Run<V, ROUNDS> {
    /// Does one iteration: begins a pair, finishes a pair, and hashes a pair with powers `power` and `power + 1`.
    ///
    /// # Safety
    /// More pairs follow the one that is finished.
    #[cfg_attr(not(unoptimised), inline(always))]
    unsafe fn turn<const SEAL: bool>(&mut self, key: &Expanded<V>, power: usize) {
        let lines = self.lines;
        // SAFETY: more pairs follow this one.
        let inputs =
            unsafe { [lines.load::<V, false>(key.proof, 0, false), lines.load::<V, false>(key.proof, 1, false)] };
        let mut states = self.stages.turn(key, &mut self.places);
        self.sum.add_stride(key, self.ciphertext, power);
        if !SEAL && V::HASHES_AHEAD {
            // SAFETY: this pair is whole, since the last two pairs are not hashed here; it has not been overwritten
            // yet.
            self.ciphertext = unsafe { lines.load_pair(key.proof, AHEAD) };
        }
        last_round::<V, ROUNDS, 2>(key, &mut states, &inputs);
        // SAFETY: as for the loads.
        unsafe {
            lines.store::<V, false>(states[0], 0, false);
            lines.store::<V, false>(states[1], 1, false);
        }
        self.lines = lines.after(2 * V::BYTES);
        if SEAL {
            self.ciphertext = states;
        } else if !V::HASHES_AHEAD {
            self.ciphertext = inputs;
        }
    }

    /// Reduces the sum of a stretch and carries it into the next pair.
    #[cfg_attr(not(unoptimised), inline(always))]
    fn end_stretch(&mut self, key: &Expanded<V>) {
        self.ciphertext[0] = self.ciphertext[0].xor(self.sum.reduce(key.proof).reverse());
        self.sum = Accumulator::zero(key.proof);
    }
}

/// AES states of the pairs in flight, each pair some rounds behind the one before.
pub(super) struct Stages<V, const ROUNDS: usize>([[V; 2]; DEPTH]);

impl<V: Schedule, const ROUNDS: usize> Stages<V, ROUNDS> {
    /// Number of the first round that is done in stage `stage`.
    const fn first(stage: usize) -> usize {
        if V::IS_INTERLEAVED {
            interleaved::round_between(ROUNDS, stage)
        } else {
            1 + (stage * (ROUNDS - 1)).div_ceil(DEPTH + 1)
        }
    }

    #[cfg_attr(not(unoptimised), inline(always))]
    pub(super) fn start(key: &Expanded<V>, places: &mut Pairs<V>) -> Self {
        let mut stages = [places.next(key); DEPTH];
        unroll!(index < DEPTH, {
            if index > 0 {
                stages[index] = places.next(key);
            }
            rounds(key, &mut stages[index], 1, Self::first(DEPTH - index));
        });
        Self(stages)
    }

    /// Takes the next pair in and returns the oldest, with all rounds done but the last.
    #[cfg_attr(not(unoptimised), inline(always))]
    pub(super) fn turn(&mut self, key: &Expanded<V>, places: &mut Pairs<V>) -> [V; 2] {
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

    /// Returns all pairs in flight, with all rounds done but the last.
    #[cfg_attr(not(unoptimised), inline(always))]
    fn end(mut self, key: &Expanded<V>) -> [[V; 2]; DEPTH] {
        unroll!(index < DEPTH, {
            rounds(key, &mut self.0[index], Self::first(DEPTH - index), ROUNDS);
        });
        self.0
    }
}

/// Encrypts the last `N` vectors, which may end inside a block. Returns the tail to be hashed, `ALL` vectors: the pair
/// of ciphertext before, and the last of these vectors. The other vectors have been hashed.
#[cfg_attr(not(unoptimised), inline(always))]
fn finish<V: Schedule, const ROUNDS: usize, const SEAL: bool, const HEADER: bool, const N: usize, const ALL: usize>(
    key: &Expanded<V>,
    sum: Accumulator<V>,
    states: [[V; 2]; DEPTH],
    ciphertext: [V; 2],
    lines: Lines,
) -> Tail<V> {
    let mut last = [states[0][0]; N];
    let mut inputs = [V::zero(key.proof); N];
    unroll!(index < N, {
        last[index] = states.as_flattened()[index];
        // SAFETY: the data ends in the last of N vectors.
        inputs[index] = unsafe { lines.load::<V, false>(key.proof, index, index == N - 1) };
    });
    last_round::<V, ROUNDS, N>(key, &mut last, &inputs);
    unroll!(index < N, {
        // SAFETY: as for the loads.
        unsafe { lines.store::<V, false>(last[index], index, index == N - 1) };
    });
    let before = N + 2 - ALL;
    let mut vectors = [ciphertext[0]; TAIL];
    vectors[1] = ciphertext[1];
    vectors[2..ALL].copy_from_slice(if SEAL { &last[before..] } else { &inputs[before..] });
    if SEAL {
        vectors[ALL - 1] = lines.cut::<V, false>(vectors[ALL - 1], N - 1);
    }
    let power = first_power_of_end::<V, HEADER>(2, lines.bytes() - before * V::BYTES);
    Tail { sum, vectors, count: ALL, power }
}

/// Returns the power for the first block of `vectors` vectors that are followed by `bytes` bytes of data.
#[inline(always)]
fn first_power_of_end<V: Schedule, const HEADER: bool>(vectors: usize, bytes: usize) -> usize {
    // The lengths come after the data of a whole message.
    vectors * V::BLOCKS + bytes.div_ceil(16) + usize::from(HEADER)
}
