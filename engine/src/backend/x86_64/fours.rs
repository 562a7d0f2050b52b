//! Whole messages in groups of four vectors, for CPUs with one port for AES rounds and another port for carry-less
//! products. Each port begins one operation a cycle; all other vector operations compete for these two ports.
//!
//! An AES round takes three cycles, so four vectors keep the AES port busy, and any other operation on that port costs
//! a round. So products use the schoolbook method, whose fourth product goes to the less busy port, and counters need
//! no shuffles. During the AES rounds of a group, the code also hashes a group: when sealing, the previous group; when
//! opening, the same group, whose ciphertext is known. When sealing, the last four vectors are hashed after all AES
//! rounds; the CPU overlaps this with the first AES rounds of the next message.
//!
//! The first group has one to four vectors, so that all later groups have four. It is therefore known in advance which
//! groups are hashed with consecutive powers of H: the last group of every message, and all groups of a message with
//! one or two groups. The other groups use strides: powers whose exponents are multiples of the number of blocks in a
//! vector, as in [`pipeline`](super::pipeline).
//!
//! [`Schedule::pin`] fixes the order of AES rounds and products. The compiler's order costs 5 to 10 %.

mod first_states;
mod hashing;

use core::ptr;

use super::aesni::Lanes1;
use super::cipher::{Counters, RoundKeys, last_round, round_key};
use super::hash::Accumulator;
use super::interleaved::hide;
use super::key::Expanded;
use super::lines::{HEADER_BYTES, Lines};
use super::message::{Aad, OutOfLine, lengths};
use super::parts::Source;
use super::schedule::Schedule;
use super::unrolled::third_and_fourth_block;
use super::vector::Vector;
use crate::backend::parts::Steps;
use first_states::{FIRST_ROUNDS, FirstRounds, Spans, StateTable, states_at};
use hashing::{Hashing, Multipliers, Strides};

/// Number of vectors in a group, which are encrypted in parallel. An AES round takes three cycles and one can begin
/// each cycle, so at least three vectors are needed.
const FOUR: usize = 4;

/// Minimum number of remaining bytes for a table of AES states after two rounds ([`FirstRounds`]): three times the size
/// of the table. For fewer bytes, computing the table takes more time than it saves.
const BULK: usize = 12 * 1024;

/// Seals a message of at most eight vectors. Returns its tag, and the first 32 bytes of its ciphertext, padded with
/// zeros. (Opening such a message is faster with [`unrolled`](super::unrolled), which hashes all ciphertext during the
/// AES rounds.)
///
/// # Safety
/// The message, with two more blocks for counter 0 (unused) and J0, fills at most eight vectors.
#[cfg_attr(not(unoptimised), inline(always))]
pub(super) unsafe fn short<V: Schedule, const ROUNDS: usize>(
    key: &Expanded<V>,
    counters: &Counters<V>,
    aad: &Aad,
    lines: Lines,
) -> (Lanes1, [Lanes1; 2]) {
    // SAFETY: the number of vectors matches in each arm.
    unsafe {
        match vectors::<V>(&lines) {
            1 => one_group::<V, ROUNDS, 1>(key, counters, aad, lines),
            2 => one_group::<V, ROUNDS, 2>(key, counters, aad, lines),
            3 => one_group::<V, ROUNDS, 3>(key, counters, aad, lines),
            4 => one_group::<V, ROUNDS, 4>(key, counters, aad, lines),
            5 => two_groups::<V, ROUNDS, 1>(key, counters, aad, lines),
            6 => two_groups::<V, ROUNDS, 2>(key, counters, aad, lines),
            7 => two_groups::<V, ROUNDS, 3>(key, counters, aad, lines),
            _ => two_groups::<V, ROUNDS, 4>(key, counters, aad, lines),
        }
    }
}

/// Seals a message of more than eight vectors, or opens it if `SEAL` is false. Returns the computed tag; when opening,
/// the caller compares this tag with the received tag.
///
/// # Safety
/// The message, with two more blocks for counter 0 (unused) and J0, fills more than eight vectors.
#[cfg_attr(not(unoptimised), inline(always))]
pub(super) unsafe fn long<V: OutOfLine, const ROUNDS: usize, const SEAL: bool>(
    key: &Expanded<V>,
    counters: &Counters<V>,
    aad: &Aad,
    lines: Lines,
    mut source: impl Source,
) -> Lanes1 {
    // The block of lengths is not part of the vectors, so its product is added separately.
    let mut last = Accumulator::zero(key.proof);
    last.add_block(lengths(key, aad.bytes, lines.bytes()).reverse(), key.first_power());
    // SAFETY: each arm has the right number of vectors for this remainder.
    unsafe {
        let mut run = match (vectors::<V>(&lines) - 1) % FOUR {
            0 => Run::begin::<ROUNDS, SEAL, 1>(key, counters, aad, lines),
            1 => Run::begin::<ROUNDS, SEAL, 2>(key, counters, aad, lines),
            2 => Run::begin::<ROUNDS, SEAL, 3>(key, counters, aad, lines),
            _ => Run::begin::<ROUNDS, SEAL, 4>(key, counters, aad, lines),
        };
        run.lines = source.after(lines.bytes() - run.lines.bytes(), run.lines);
        if run.lines.bytes() > BULK {
            // `bulk` returns the tag in memory. Pinned, so that the tag of the other branch stays in a register.
            return V::bulk::<ROUNDS, SEAL, _>(key, run, last, source).pin();
        }
        run.groups::<ROUNDS, 1, SEAL>(key, &HeldKeys::new::<ROUNDS>(key), counters, &mut source);
        run.end::<ROUNDS, SEAL>(key, last)
    }
}

/// Returns the plaintext offsets at which reading may continue at another address. These offsets are the ends of groups
/// of four vectors, except for the last group. (The first group has one to four vectors.)
pub(super) fn steps<V: Schedule>(bytes: usize) -> Steps {
    let vectors = (bytes + HEADER_BYTES).div_ceil(V::BYTES);
    let (turn, remainder) = (FOUR * V::BYTES, (vectors - 1) % FOUR + 1);
    let head = (FOUR + remainder) * V::BYTES - HEADER_BYTES;
    Steps { head, turn, tail: (vectors - FOUR) * V::BYTES - HEADER_BYTES, bytes }
}

/// Processes the rest of a long message and returns its tag. Reads the AES states after two rounds from a table
/// ([`FirstRounds`]). `last` contains the product for the block of lengths.
///
/// # Safety
/// More than [`BULK`] bytes are left.
#[cfg_attr(not(unoptimised), inline(always))]
pub(super) unsafe fn bulk<V: Schedule, const ROUNDS: usize, const SEAL: bool>(
    key: &Expanded<V>,
    run: Run<V>,
    last: Accumulator<V>,
    mut source: impl Source,
) -> Lanes1 {
    const BEHIND: usize = FIRST_ROUNDS + 1;
    let mut run = run;
    let keys = HeldKeys::new::<ROUNDS>(key);
    let mut table = FirstRounds::new(key, &run.counters);
    // Encrypting the next blocks fills the table of 256 entries, from the position of the run's first counter on.
    // Vectors that do not belong to a whole group are computed for the table only.
    let mut place = run.spans.place;
    table.fill(key, 0..place);
    while place + FOUR * V::BYTES <= FirstRounds::<V>::BYTES {
        let states = table.fill_four(key, place);
        place += FOUR * V::BYTES;
        // SAFETY: more data follows this group: at least three times the table's length was left.
        unsafe { run.next_group::<ROUNDS, BEHIND, SEAL>(key, &keys, states, &mut source) };
    }
    table.fill(key, place..FirstRounds::<V>::BYTES);
    run.spans = Spans::new(key, &table, (place / 16) as u32);
    // SAFETY: at least one group is left.
    unsafe { run.groups::<ROUNDS, BEHIND, SEAL>(key, &keys, &table, &mut source) };
    run.spans = Spans::new(key, &run.counters, run.spans.count());
    table.wipe(key);
    // SAFETY: the last group is left.
    unsafe { run.end::<ROUNDS, SEAL>(key, last) }
}

/// Seals a message of `N` vectors, at most four. Returns its tag, and the first 32 bytes of its ciphertext, padded with
/// zeros.
///
/// # Safety
/// The message, with two more blocks for counter 0 (unused) and J0, fills `N` vectors. (No memory is accessed for the
/// two blocks.)
#[cfg_attr(not(unoptimised), inline(always))]
unsafe fn one_group<V: Schedule, const ROUNDS: usize, const N: usize>(
    key: &Expanded<V>,
    counters: &Counters<V>,
    aad: &Aad,
    lines: Lines,
) -> (Lanes1, [Lanes1; 2]) {
    // SAFETY: guaranteed by the caller.
    let inputs = unsafe { load::<V, true, N>(key, &lines, true) };
    let mut states = counters.first_states::<N>(key, 0);
    let (mut hashing, lengths) = Hashing::of_message(key, aad, &lines);
    rounds::<V, ROUNDS, N, 0>(key, &mut states, &mut [], &mut hashing);
    // SAFETY: guaranteed by the caller.
    unsafe { end::<V, ROUNDS, true, N>(hidden_key(key), &mut states, &inputs, &lines, true) };
    let mask = V::second_block(&states);
    states[N - 1] = lines.cut::<V, true>(states[N - 1], N - 1);
    let beginning = third_and_fourth_block(&states);
    V::set_first_two(&mut states, lengths, aad.blocks[1]);
    hashing.add_all(key, &mut states);
    (tag(hashing.sum.finish(key.proof), mask), beginning)
}

/// Seals a message of `N` + 4 vectors, at most eight. Returns its tag, and the first 32 bytes of its ciphertext, padded
/// with zeros.
///
/// # Safety
/// The message, with two more blocks for counter 0 (unused) and J0, fills `N` + 4 vectors.
#[cfg_attr(not(unoptimised), inline(always))]
unsafe fn two_groups<V: Schedule, const ROUNDS: usize, const N: usize>(
    key: &Expanded<V>,
    counters: &Counters<V>,
    aad: &Aad,
    lines: Lines,
) -> (Lanes1, [Lanes1; 2]) {
    // SAFETY: guaranteed by the caller.
    let inputs = unsafe { load::<V, true, N>(key, &lines, false) };
    let mut states = counters.first_states::<N>(key, 0);
    let (mut hashing, lengths) = Hashing::of_message(key, aad, &lines);
    rounds::<V, ROUNDS, N, 0>(key, &mut states, &mut [], &mut hashing);
    // SAFETY: guaranteed by the caller.
    unsafe { end::<V, ROUNDS, true, N>(hidden_key(key), &mut states, &inputs, &lines, false) };
    let (mask, beginning) = (V::second_block(&states), third_and_fourth_block(&states));

    let lines = lines.after(N * V::BYTES - HEADER_BYTES);
    // SAFETY: guaranteed by the caller.
    let inputs = unsafe { load::<V, false, FOUR>(key, &lines, true) };
    let mut last = counters.first_states::<FOUR>(key, (N * V::BLOCKS) as u32);
    V::set_first_two(&mut states, lengths, aad.blocks[1]);
    rounds::<V, ROUNDS, FOUR, N>(key, &mut last, &mut states, &mut hashing);
    hashing.pass(N);
    // SAFETY: guaranteed by the caller.
    unsafe { end::<V, ROUNDS, false, FOUR>(hidden_key(key), &mut last, &inputs, &lines, true) };
    last[FOUR - 1] = lines.cut::<V, false>(last[FOUR - 1], FOUR - 1);
    hashing.add_all(key, &mut last);
    (tag(hashing.sum.finish(key.proof), mask), beginning)
}

/// State of a message of more than eight vectors, between two groups of four vectors.
#[derive(Clone, Copy)]
pub(crate) struct Run<V> {
    counters: Counters<V>,
    spans: Spans<V>,
    hashing: Hashing<V, Strides>,
    /// When sealing: the last four vectors of ciphertext, which are not hashed yet.
    ciphertext: [V; FOUR],
    /// E(K, J0), which is XORed with the hash to give the tag.
    mask: Lanes1,
    /// The rest of the data, from the next group of four vectors on.
    lines: Lines,
}

impl<V: Schedule> Run<V> {
    /// Processes the first `N` vectors of a message, one to four. Sealing also encrypts the next four vectors, and
    /// hashes the first `N` vectors at the same time.
    ///
    /// # Safety
    /// The message has `N` vectors and at least eight more.
    #[cfg_attr(not(unoptimised), inline(always))]
    unsafe fn begin<const ROUNDS: usize, const SEAL: bool, const N: usize>(
        key: &Expanded<V>,
        counters: &Counters<V>,
        aad: &Aad,
        lines: Lines,
    ) -> Self {
        // SAFETY: guaranteed by the caller.
        let inputs = unsafe { load::<V, true, N>(key, &lines, false) };
        let mut states = counters.first_states::<N>(key, 0);
        // Chooses the first stride so that the vectors before the last group end with the last stride.
        let strided = vectors::<V>(&lines) - FOUR;
        let first = (V::STRIDES - strided % V::STRIDES) % V::STRIDES;
        let mut hashing = Hashing::strided(key, first);
        let mut hashed = inputs;
        if SEAL {
            rounds::<V, ROUNDS, N, 0>(key, &mut states, &mut [], &mut hashing);
        } else {
            V::set_first_two(&mut hashed, aad.blocks[0], aad.blocks[1]);
            rounds::<V, ROUNDS, N, N>(key, &mut states, &mut hashed, &mut hashing);
            hashing.pass(key, N);
        }
        // SAFETY: guaranteed by the caller.
        unsafe { end::<V, ROUNDS, true, N>(hidden_key(key), &mut states, &inputs, &lines, false) };
        let mask = V::second_block(&states);

        let lines = lines.after(N * V::BYTES - HEADER_BYTES);
        let mut spans = Spans::new(key, counters, (N * V::BLOCKS) as u32);
        if !SEAL {
            return Self { counters: *counters, spans, hashing, ciphertext: [states[0]; FOUR], mask, lines };
        }
        V::set_first_two(&mut states, aad.blocks[0], aad.blocks[1]);
        let mut ciphertext = spans.next(key, counters);
        rounds::<V, ROUNDS, FOUR, N>(key, &mut ciphertext, &mut states, &mut hashing);
        hashing.pass(key, N);
        // SAFETY: guaranteed by the caller.
        unsafe {
            let inputs = load::<V, false, FOUR>(key, &lines, false);
            end::<V, ROUNDS, false, FOUR>(hidden_key(key), &mut ciphertext, &inputs, &lines, false);
        }
        Self { counters: *counters, spans, hashing, ciphertext, mask, lines: lines.after(FOUR * V::BYTES) }
    }

    /// Seals or opens all groups of four vectors except the last group. `table` has the AES states of these groups
    /// before round `ROUND`.
    ///
    /// # Safety
    /// At least the last group is left. All states in `table` are written. The slices of plaintext in `source` end only
    /// where groups end.
    #[cfg_attr(not(unoptimised), inline(always))]
    unsafe fn groups<const ROUNDS: usize, const ROUND: usize, const SEAL: bool>(
        &mut self,
        key: &Expanded<V>,
        keys: &HeldKeys<'_, V, ROUND>,
        table: &impl StateTable<V>,
        source: &mut impl Source,
    ) {
        const { assert!(16 * V::BLOCKS == V::BYTES, "powers and data are counted together") };
        while self.lines.bytes() > FOUR * V::BYTES {
            let bytes = (self.lines.bytes() - 1).min(source.bytes_here());
            let groups = (bytes / (FOUR * V::BYTES)).min(self.hashing.left() / FOUR).min(self.spans.groups());
            if groups == 0 {
                // Processes one group separately where the strides restart or a span ends.
                let states = self.spans.next(key, table);
                // SAFETY: more data follows this group.
                unsafe { self.next_group::<ROUNDS, ROUND, SEAL>(key, keys, states, source) };
                continue;
            }
            let (bytes, powers) = (groups * FOUR * V::BYTES, groups * FOUR * 16);
            let (input, output) = self.lines.after(bytes).pointers();
            let (states, span) = self.spans.pass(table, groups);
            let (states, from) = (states.wrapping_add(bytes), self.hashing.powers.from.wrapping_add(powers));
            // One counter, which runs from a negative number to zero, serves all addresses: more counters would take
            // execution ports from AES and the multiplications. If the counter is not hidden, the compiler creates a
            // separate counter for each address.
            let mut count = hide(ptr::without_provenance::<u8>(powers.wrapping_neg()));
            loop {
                let at = count.addr().wrapping_mul(V::BLOCKS);
                self.hashing.powers.from = from.wrapping_add(count.addr());
                // SAFETY: the group is in one span, and the data has a whole group here. (`lines` and `hashing` are
                // updated after the loop.)
                unsafe {
                    let states = states_at(key, states.wrapping_add(at), span);
                    let lines = Lines::new(input.wrapping_add(at), output.wrapping_add(at), FOUR * V::BYTES);
                    self.group::<ROUNDS, ROUND, SEAL>(key, keys, states, &lines);
                }
                count = hide(count.wrapping_add(FOUR * 16));
                if count.is_null() {
                    break;
                }
            }
            self.hashing.pass(key, groups * FOUR);
            self.lines = source.after(bytes, self.lines.after(bytes));
        }
    }

    /// Seals or opens the next four vectors, given their AES states before round `ROUND`.
    ///
    /// # Safety
    /// More data follows these vectors.
    #[cfg_attr(not(unoptimised), inline(always))]
    unsafe fn next_group<const ROUNDS: usize, const ROUND: usize, const SEAL: bool>(
        &mut self,
        key: &Expanded<V>,
        keys: &HeldKeys<'_, V, ROUND>,
        states: [V; FOUR],
        source: &mut impl Source,
    ) {
        debug_assert!(self.hashing.left().is_multiple_of(FOUR) && source.bytes_here() >= FOUR * V::BYTES);
        if self.hashing.left() == 0 {
            self.hashing.begin_anew(key);
        }
        let lines = self.lines;
        // SAFETY: guaranteed by the caller.
        unsafe { self.group::<ROUNDS, ROUND, SEAL>(key, keys, states, &lines) };
        self.hashing.pass(key, FOUR);
        self.lines = source.after(FOUR * V::BYTES, lines.after(FOUR * V::BYTES));
    }

    /// Seals or opens four vectors, given their AES states before round `ROUND`. At the same time, sealing hashes the
    /// previous four vectors, and opening hashes the same four vectors.
    ///
    /// # Safety
    /// `lines` has four whole vectors. At least four more vectors can be hashed before the sum must be reduced
    /// ([`Hashing::left`]).
    #[cfg_attr(not(unoptimised), inline(always))]
    unsafe fn group<const ROUNDS: usize, const ROUND: usize, const SEAL: bool>(
        &mut self,
        key: &Expanded<V>,
        keys: &HeldKeys<'_, V, ROUND>,
        states: [V; FOUR],
        lines: &Lines,
    ) {
        let mut states = states;
        // SAFETY: guaranteed by the caller.
        unsafe {
            let mut inputs = self.ciphertext;
            if !SEAL {
                inputs = load::<V, false, FOUR>(key, lines, false);
            }
            let mut hashed = inputs;
            rounds_from::<V, ROUNDS, ROUND, FOUR, FOUR>(key, keys, &mut states, &mut hashed, &mut self.hashing);
            if SEAL {
                inputs = load::<V, false, FOUR>(key, lines, false);
            }
            end::<V, ROUNDS, false, FOUR>(keys, &mut states, &inputs, lines, false);
        }
        self.ciphertext = states;
    }

    /// Processes the last one to four vectors of a message and returns the tag. `last` contains the product for the
    /// block of lengths, which is hashed after these vectors.
    ///
    /// # Safety
    /// No other vectors are left.
    #[cfg_attr(not(unoptimised), inline(always))]
    unsafe fn end<const ROUNDS: usize, const SEAL: bool>(mut self, key: &Expanded<V>, last: Accumulator<V>) -> Lanes1 {
        let mut states = self.spans.next(key, &self.counters);
        let lines = self.lines;
        // The block of lengths follows the data, so the first block gets one more power.
        let mut hashing = Hashing::consecutive(key, last, lines.bytes().div_ceil(16) + 1);
        // SAFETY: guaranteed by the caller.
        let inputs = unsafe { load::<V, false, FOUR>(key, &lines, true) };
        let mut hashed = inputs;
        if SEAL {
            hashed = self.ciphertext;
            if self.hashing.left() == 0 {
                self.hashing.begin_anew(key);
            }
            rounds::<V, ROUNDS, FOUR, FOUR>(key, &mut states, &mut hashed, &mut self.hashing);
        } else {
            hashed[0] = hashed[0].xor(self.hashing.end(key).reverse());
            rounds::<V, ROUNDS, FOUR, FOUR>(key, &mut states, &mut hashed, &mut hashing);
        }
        // SAFETY: guaranteed by the caller.
        unsafe { end::<V, ROUNDS, false, FOUR>(hidden_key(key), &mut states, &inputs, &lines, true) };
        if SEAL {
            states[FOUR - 1] = lines.cut::<V, false>(states[FOUR - 1], FOUR - 1);
            states[0] = states[0].xor(self.hashing.end(key).reverse());
            hashing.add_all(key, &mut states);
        }
        tag(hashing.sum.finish(key.proof), self.mask)
    }
}

/// Executes all AES rounds but the last on `N` vectors of initial states. At the same time, hashes the `H` vectors in
/// `values`.
#[inline(always)]
fn rounds<V: Schedule, const ROUNDS: usize, const N: usize, const H: usize>(
    key: &Expanded<V>,
    states: &mut [V; N],
    values: &mut [V; H],
    hashing: &mut Hashing<V, impl Multipliers<V>>,
) {
    rounds_from::<V, ROUNDS, 1, N, H>(key, hidden_key(key), states, values, hashing);
}

/// Like [`rounds`], for states before AES round `ROUND`.
#[cfg_attr(not(unoptimised), inline(always))]
fn rounds_from<V: Schedule, const ROUNDS: usize, const ROUND: usize, const N: usize, const H: usize>(
    key: &Expanded<V>,
    keys: &impl RoundKeys<V>,
    states: &mut [V; N],
    values: &mut [V; H],
    hashing: &mut Hashing<V, impl Multipliers<V>>,
) {
    let (key, steps) = (hidden_key(key), hashing::steps(H));
    let left = ROUNDS - ROUND;
    unroll!(index < left, of 13, {
        let round_key = keys.round_key(INDEX + ROUND);
        unroll!(vector < N, of 4, {
            states[vector] = states[vector].aes_round(round_key).pin();
        });
        for step in index * steps / left..(index + 1) * steps / left {
            hashing.step(key, values, step);
        }
    });
}

/// Loads `N` vectors of data. If `is_last`, the message ends in the last of these vectors. With `HEADER`, the vectors
/// begin with two blocks of zeros, in place of the blocks with counter 0 (unused) and J0.
///
/// # Safety
/// The data ends in the last of the `N` vectors if `is_last`, and after that vector otherwise.
#[inline(always)]
unsafe fn load<V: Schedule, const HEADER: bool, const N: usize>(
    key: &Expanded<V>,
    lines: &Lines,
    is_last: bool,
) -> [V; N] {
    let mut inputs = [V::zero(key.proof); N];
    unroll!(index < N, of 4, {
        // SAFETY: guaranteed by the caller.
        inputs[index] = unsafe { lines.load::<V, HEADER>(key.proof, index, is_last && index == N - 1) };
    });
    inputs
}

/// Executes the last AES round on `states`, XORs the result with the data in `inputs`, and stores it. With `HEADER`,
/// the first two blocks, which belong to counter 0 (unused) and J0, are not stored.
///
/// # Safety
/// As for [`load`].
#[cfg_attr(not(unoptimised), inline(always))]
unsafe fn end<V: Schedule, const ROUNDS: usize, const HEADER: bool, const N: usize>(
    keys: &impl RoundKeys<V>,
    states: &mut [V; N],
    inputs: &[V; N],
    lines: &Lines,
    is_last: bool,
) {
    last_round::<V, ROUNDS, N>(keys, states, inputs);
    unroll!(index < N, of 4, {
        // SAFETY: guaranteed by the caller.
        unsafe { lines.store::<V, HEADER>(states[index], index, is_last && index == N - 1) };
    });
}

/// Round keys for a loop, from round `FROM` on. The first [`HELD`] keys stay in registers; the other keys are loaded in
/// each iteration, because all keys of AES-256 would leave too few registers.
struct HeldKeys<'a, V: Schedule, const FROM: usize> {
    key: &'a Expanded<V>,
    held: [V; HELD],
}

/// Number of round keys held in registers: those of the last ten rounds. (Round key 0 is part of the counter block.)
const HELD: usize = 10;

impl<'a, V: Schedule, const FROM: usize> HeldKeys<'a, V, FROM> {
    /// Loads the round keys that stay in registers, for an AES key with `ROUNDS` rounds.
    #[inline(always)]
    fn new<const ROUNDS: usize>(key: &'a Expanded<V>) -> Self {
        let mut held = [V::zero(key.proof); HELD];
        unroll!(index < HELD, of 13, {
            if FROM + index <= ROUNDS {
                // Unless pinned, the compiler keeps 16 bytes of each key and broadcasts them by a shuffle.
                held[index] = round_key(key, FROM + INDEX).pin();
            }
        });
        Self { key, held }
    }
}

impl<V: Schedule, const FROM: usize> RoundKeys<V> for HeldKeys<'_, V, FROM> {
    #[inline(always)]
    fn round_key(&self, round: usize) -> V {
        if round < FROM + HELD { self.held[round - FROM] } else { round_key(hidden_key(self.key), round) }
    }
}

/// Returns `key`, but makes the address opaque to the compiler. Otherwise the compiler would keep round keys as 16
/// bytes and broadcast them by shuffles, which compete with products for a port. A load from memory broadcasts without
/// using that port.
#[inline(always)]
fn hidden_key<V: Schedule>(key: &Expanded<V>) -> &Expanded<V> {
    // SAFETY: hiding does not change the pointer.
    unsafe { &*hide(key) }
}

/// Returns the number of vectors that the data fills, with two more blocks for counter 0 (unused) and J0.
#[inline(always)]
#[expect(clippy::manual_div_ceil, reason = "div_ceil takes five instructions more, for sums that would overflow")]
fn vectors<V: Schedule>(lines: &Lines) -> usize {
    (lines.bytes() + HEADER_BYTES + V::BYTES - 1) / V::BYTES
}

/// Computes the tag: the hash, with its bytes in normal order, XOR `mask`, which is E(K, J0).
#[inline(always)]
fn tag(hash: Lanes1, mask: Lanes1) -> Lanes1 {
    hash.reverse().xor(mask)
}
