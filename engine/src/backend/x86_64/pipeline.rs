//! The main loop over long messages: encrypts one pair of vectors while it hashes another pair.
//!
//! AES and carry-less products use different ports, and neither alone keeps the CPU busy. So each iteration works on
//! several pairs of vectors. It begins one pair, executes some AES rounds of the two pairs begun before, and finishes
//! the pair begun three iterations ago. It also adds up the products of a pair whose ciphertext is available: the pair
//! that the previous iteration finished or, when opening, a pair that is decrypted later. These tasks do not wait for
//! each other within an iteration.
//!
//! A stretch is a sequence of vectors whose products are added up before one reduction. A vector of four blocks is
//! multiplied by one power of H in all lanes: H^(4·k) for the k-th vector from the end of its stretch. Such powers are
//! called strides. So a table of few powers serves many blocks, and data of any length. Only the last three to eight
//! vectors of the data are multiplied by consecutive powers, which differ between lanes. Before that, the sum of each
//! stretch is reduced lane by lane and added to a later vector (Horner's rule with a stride).

use super::aesni::Lanes1;
use super::cipher::{Counters, Pairs, last_round, rounds};
use super::hash::{Accumulator, add_consecutive};
use super::interleaved::{self, Interleaved};
use super::key::Expanded;
use super::lines::{HEADER_BYTES, Lines};
use super::parts::{OnePlace, Source};
use super::schedule::Schedule;
use crate::backend::parts::Steps;

/// Number of pairs of vectors that are encrypted at the same time, so that AES rounds of one pair fill the latency of
/// another.
pub(super) const DEPTH: usize = 3;

/// When opening: number of pairs of vectors by which hashing is ahead of decryption.
const AHEAD: usize = 2;

/// Seals or opens data in counter mode, and hashes the ciphertext.
///
/// * `count`: counter of the first block. It is not secret (96-bit nonce), and a multiple of
///   [`counter_step`](super::streaming::counter_step).
/// * `opening`: the two blocks hashed first.
/// * With `HEADER`, for the beginning of a message: `count` is 0. Two blocks, for the counters 0 (unused) and 1 (J0),
///   come before the first block of the data. The hash has the AAD, `opening`, in place of these two blocks.
/// * Without `HEADER`, for later data: the data begins at counter `count`. `opening[0]` is the hash of earlier data.
///
/// Returns the unreduced sum of the products, and the second keystream block.
///
/// * With `HEADER`, the second keystream block is E(K, J0). The last block of the data is multiplied by H², since the
///   block of lengths is hashed after it.
/// * Without `HEADER`, the last block of the data is multiplied by H.
///
/// # Safety
/// The data fills more than `2 * DEPTH + 2` vectors. With `HEADER`, two more blocks, for counter 0 (unused) and J0, are
/// counted too. (More than [`GROUP`](super::schedule::GROUP) vectors are enough.)
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

/// Returns the plaintext offsets at which reading may continue at another address. These offsets are the ends of pairs
/// of vectors, except for the last pairs, which are finished together after the loop.
pub(super) fn steps<V: Schedule>(bytes: usize) -> Steps {
    let (turn, head) = (2 * V::BYTES, 2 * V::BYTES - HEADER_BYTES);
    let pairs = (bytes + HEADER_BYTES).div_ceil(turn);
    Steps { head, turn, tail: head + (pairs - 1 - DEPTH) * turn, bytes }
}

/// A message whose first [`DEPTH`] pairs of vectors are being encrypted.
pub(super) struct Begun<V, const ROUNDS: usize> {
    places: Pairs<V>,
    stages: Stages<V, ROUNDS>,
}

impl<V: Schedule, const ROUNDS: usize> Begun<V, ROUNDS> {
    /// Starts to encrypt the first pairs of vectors. `count` is the counter of the first block.
    #[cfg_attr(not(unoptimised), inline(always))]
    pub(super) fn new(key: &Expanded<V>, counters: &Counters<V>, count: u32) -> Self {
        let mut places = counters.from(key, count);
        let stages = Stages::start(key, &mut places);
        Self { places, stages }
    }

    /// Encrypts or decrypts all of the data, and hashes all but the last vectors. Calls `meanwhile` before the last
    /// pairs of vectors are finished, because these alone do not keep the AES units busy.
    ///
    /// Returns the vectors not hashed yet as a [`Tail`], the second keystream block (E(K, J0) in a whole message), and
    /// the result of `meanwhile`. Data to be opened, or processed by [`interleaved`], must be in one buffer.
    ///
    /// # Safety
    /// As for [`encrypt_and_hash`]. In addition, the slices of `source` end only at the offsets from [`steps`].
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

        // The first pair: its first two blocks belong to counter 0 and J0 if `HEADER`, and have no data.
        // SAFETY: more pairs follow the first one.
        let inputs =
            unsafe { [lines.load::<V, HEADER>(key.proof, 0, false), lines.load::<V, HEADER>(key.proof, 1, false)] };
        let mut states = stages.turn(key, &mut places);
        last_round::<V, ROUNDS, 2>(key, &mut states, &inputs);
        // SAFETY: as for the loads above.
        unsafe {
            lines.store::<V, HEADER>(states[0], 0, false);
            lines.store::<V, HEADER>(states[1], 1, false);
        }
        // The mask is needed only at the end. Pinned, because the compiler would otherwise delay its AES rounds until
        // then, and the tag would wait for them.
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
            // SAFETY: the last pairs are left to `finish`. (`key` is hidden so that the compiler loads its tables again
            // after the loop, instead of spilling them to the stack.)
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

        // When sealing, the last pairs cannot be hashed before the end, since they are not encrypted yet. When opening,
        // all ciphertext is available: the loop can hash two pairs ahead, so less work remains at the end.
        let is_ahead = !SEAL && V::HASHES_AHEAD;
        let mut left = pairs - 1 - DEPTH;
        let mut run = Run::new(key, places, stages, ciphertext, lines, if is_ahead { left + AHEAD } else { left });
        if is_ahead {
            for pair in 0..AHEAD {
                run.sum.add_stride(key, run.ciphertext, run.power);
                // SAFETY: more pairs follow these.
                run.ciphertext = unsafe { run.lines.load_pair(key.proof, pair) };
                run.power += 2;
                if run.power == run.end {
                    run.end_stretch(key);
                }
            }
        }
        while left > 0 {
            let end = source.powers_here(run.power, run.end, 2 * V::BYTES);
            let turns = (end - run.power) / 2;
            left -= turns;
            // Unrolled so that every pair returns to its original registers. The break after each iteration keeps the
            // compiler from interleaving the iterations.
            'stretch: loop {
                unroll!(index < DEPTH + 1, {
                    // SAFETY: the last pairs are left to `finish`.
                    unsafe { run.turn::<SEAL>(key) };
                    if run.power == end {
                        break 'stretch;
                    }
                });
            }
            if end == run.end {
                run.end_stretch(key);
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

/// The last vectors of a message, which have yet to be hashed with consecutive powers of H.
pub(super) struct Tail<V> {
    /// Unreduced sum of the GHASH products of all earlier vectors.
    sum: Accumulator<V>,
    vectors: [V; TAIL],
    count: usize,
    /// Exponent of the power of H for the first block in `vectors`.
    power: usize,
}

/// Maximum number of vectors that are hashed after the main loop: [`DEPTH`] pairs in progress, and one pair not hashed
/// yet.
const TAIL: usize = 2 * DEPTH + 2;

impl<V: Schedule> Tail<V> {
    /// Multiplies the last vectors of the message by consecutive powers of H. Returns the unreduced sum of the products
    /// of all vectors of the message.
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

/// State of the main loop, which reduces the sum of products after every `stretch` vectors ([`Expanded::stretch`]).
///
/// The reduced sum is not added to the next vector, which would have to wait for it, but to the first vector after the
/// next reduction. So the sum skips one stretch of `stretch` vectors. To make up for this, the exponent of each
/// vector's power of H is larger by the number of blocks in `stretch` vectors. The last stretch is an exception,
/// because its sum skips no vectors. The larger exponents come first in the table of powers.
struct Run<V, const ROUNDS: usize> {
    places: Pairs<V>,
    stages: Stages<V, ROUNDS>,
    /// The pair of vectors to be hashed next. When sealing, this is the pair that was encrypted last.
    ciphertext: [V; 2],
    /// Unreduced sum of the GHASH products since the last reduction.
    sum: Accumulator<V>,
    /// Reduced sum of products up to the last reduction. It is added to the vector that is hashed first after the next
    /// reduction.
    pending: V,
    /// Number of pairs of vectors to be hashed after the next reduction.
    behind: usize,
    /// Index of the power of H for the first vector of the next pair, in the table of powers H^(B·k), for vectors of B
    /// blocks.
    power: usize,
    /// Index after the last power of H that is used before the next reduction.
    end: usize,
    /// The rest of the data, from the pair of vectors whose encryption ends next.
    lines: Lines,
}

impl<V: Schedule, const ROUNDS: usize> Run<V, ROUNDS> {
    /// Starts the loop, which hashes `pairs` pairs of vectors, at least one. If `pairs` is not a multiple of the number
    /// of pairs between two reductions, the first reduction comes early.
    #[inline(always)]
    fn new(
        key: &Expanded<V>,
        places: Pairs<V>,
        stages: Stages<V, ROUNDS>,
        ciphertext: [V; 2],
        lines: Lines,
        pairs: usize,
    ) -> Self {
        let first = ((pairs - 1) & (key.stretch / 2 - 1)) + 1;
        let (sum, pending) = (Accumulator::zero(key.proof), V::zero(key.proof));
        let mut new = Self { places, stages, ciphertext, sum, pending, behind: pairs - first, power: 0, end: 0, lines };
        new.begin_stretch(key, 2 * first);
        new
    }

    /// Selects the powers of H for the next `vectors` vectors, whose products are reduced together.
    #[inline(always)]
    fn begin_stretch(&mut self, key: &Expanded<V>, vectors: usize) {
        self.end = if self.behind == 0 { V::STRIDES } else { V::STRIDES - key.stretch };
        self.power = self.end - vectors;
    }

    /// Reduces the sum of products, and keeps the result in `pending`. Adds the earlier value of `pending` to the
    /// vector that is hashed next. After the last reduction, adds the new value too.
    #[cfg_attr(not(unoptimised), inline(always))]
    fn end_stretch(&mut self, key: &Expanded<V>) {
        let hash = self.sum.reduce(key.proof).reverse();
        self.sum = Accumulator::zero(key.proof);
        self.ciphertext[0] = self.ciphertext[0].xor(self.pending);
        self.pending = hash;
        if self.behind == 0 {
            self.ciphertext[0] = self.ciphertext[0].xor(hash);
        } else {
            self.behind -= key.stretch / 2;
            self.begin_stretch(key, key.stretch);
        }
    }

    /// Runs one iteration: begins to encrypt a pair of vectors, finishes another pair, and hashes a third pair.
    ///
    /// # Safety
    /// More pairs follow the pair that this iteration finishes.
    #[cfg_attr(not(unoptimised), inline(always))]
    unsafe fn turn<const SEAL: bool>(&mut self, key: &Expanded<V>) {
        let lines = self.lines;
        // SAFETY: more pairs follow this one.
        let inputs =
            unsafe { [lines.load::<V, false>(key.proof, 0, false), lines.load::<V, false>(key.proof, 1, false)] };
        let mut states = self.stages.turn(key, &mut self.places);
        self.sum.add_stride(key, self.ciphertext, self.power);
        self.power += 2;
        if !SEAL && V::HASHES_AHEAD {
            // SAFETY: this pair is complete, since the last two pairs are not hashed here, and not overwritten
            // yet.
            self.ciphertext = unsafe { lines.load_pair(key.proof, AHEAD) };
        }
        last_round::<V, ROUNDS, 2>(key, &mut states, &inputs);
        // SAFETY: as for the loads above.
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
}

/// AES states of the pairs of vectors that are being encrypted. The oldest pair is first, and has had the most AES
/// rounds.
pub(super) struct Stages<V, const ROUNDS: usize>([[V; 2]; DEPTH]);

impl<V: Schedule, const ROUNDS: usize> Stages<V, ROUNDS> {
    /// Returns the number of the first AES round that an iteration executes on a pair of vectors begun `stage`
    /// iterations ago.
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

    /// Executes an iteration's AES rounds on all pairs of vectors, and begins a new pair. Returns the oldest pair,
    /// which lacks only its last AES round.
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

    /// Executes the remaining AES rounds, except the last round, on all pairs of vectors. Returns their states.
    #[cfg_attr(not(unoptimised), inline(always))]
    fn end(mut self, key: &Expanded<V>) -> [[V; 2]; DEPTH] {
        unroll!(index < DEPTH, {
            rounds(key, &mut self.0[index], Self::first(DEPTH - index), ROUNDS);
        });
        self.0
    }
}

/// Executes the last AES round on `N` vectors of AES states, XORs the resulting keystream into the last `N` vectors of
/// the data, and stores these. The data may end with a partial block. Returns the `ALL` vectors not hashed yet: the
/// pair in `ciphertext`, and then the last `ALL - 2` of the `N` vectors.
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
        // SAFETY: as for the loads above.
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

/// Returns the exponent of H for the first block in `vectors` vectors, which are followed by `bytes` bytes of data.
#[inline(always)]
fn first_power_of_end<V: Schedule, const HEADER: bool>(vectors: usize, bytes: usize) -> usize {
    // In a whole message, the block of lengths follows the data.
    vectors * V::BLOCKS + bytes.div_ceil(16) + usize::from(HEADER)
}
