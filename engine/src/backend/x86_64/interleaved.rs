//! The loop of [`pipeline`](super::pipeline) for backends with 16 registers. Its instructions have a fixed order that
//! the compiler cannot change.
//!
//! Without a fixed order, the compiler groups all products of an iteration and all AES rounds, and loads round keys
//! ahead of the loop. The registers do not suffice for these keys, and out-of-order execution cannot undo the grouping.
//!
//! Vectors are multiplied by strides: powers of H whose exponents are multiples of the number of blocks in a vector. A
//! second table, the folded strides, has the XOR of the 64-bit halves of each stride, for Karatsuba's method.
//!
//! A pair is two consecutive vectors. A pair is in flight while some, but not all, of its AES rounds have been
//! executed. An iteration is divided into three thirds. Each third has two adjacent products among a third of the
//! rounds, spread so that no round waits for another round of the same third. (On Zen 5 a product starts alone in its
//! cycle. Two adjacent products break up the other instructions' groups of eight less often than two separate
//! products.)
//!
//! | third | pairs in flight, one round each | pair that ended last | pair that ended before |
//! |---|---|---|---|
//! | first | all but the new one | its bytes reversed | products of the sums of halves |
//! | second | all, after the new one is begun | products of the low halves | |
//! | last | all but the oldest, which is ended | sums of halves; products of the high halves | |
//!
//! Two means keep the order, and neither emits an instruction. [`Schedule::pin`] is a fence that no work on a vector
//! may cross. [`hide`] makes a pointer opaque to the compiler, so that it cannot load anything from that address in
//! advance.

use core::arch::asm;

use super::cipher::{Counters, Pairs, SPAN, places};
use super::hash::{Accumulator, fold_two};
use super::key::Expanded;
use super::lines::Lines;
use super::pipeline::DEPTH;
use super::schedule::Schedule;

/// Number of unrolled iterations. After this number of iterations, each pair of vectors is in the registers in which it
/// started.
const GROUP_TURNS: usize = DEPTH + 1;

/// Bytes by which [`Cursor::index`] grows in an iteration: two 64-bit values, the XORs of the halves of two powers of
/// H.
const STEP: usize = 16;

/// State of the loop over long messages for backends with 16 registers, between two iterations.
pub(super) struct Interleaved<'key, V: Schedule, const ROUNDS: usize> {
    key: &'key Expanded<V>,
    counters: Counters<V>,
    /// The last multiple of [`SPAN`] up to the current counter. Counters from this multiple on differ only in the last
    /// byte.
    span_begin: u32,
    /// Counter block for the counter `span_begin`, XOR the first round key. XORing 0, 1, 2, … into it gives initial AES
    /// states.
    span: V,
    /// Number of pairs of vectors whose encryption has begun, among the pairs with counters from `span_begin` on.
    span_pairs: usize,
    /// Pairs of vectors that are being encrypted, the newest first.
    pub(super) pairs: [[V; 2]; DEPTH],
    /// Ciphertext of the pair of vectors that was encrypted last and is not hashed yet.
    pub(super) ciphertext: [V; 2],
    /// XORs of the 64-bit halves of the pair of vectors that the previous iteration hashed. The low and high products
    /// of that pair have been added to `sum`; the middle products have not.
    sums: V,
    /// Unreduced sum of the GHASH products since the last reduction.
    pub(super) sum: Accumulator<V>,
    /// The rest of the data, from the oldest pair of vectors in `pairs` on.
    pub(super) lines: Lines,
}

/// Addresses at which an iteration reads and writes. All except `input` and `output` are opaque to the compiler
/// ([`hide`]), so that it does not load from these addresses in advance.
struct Cursor {
    round_keys: *const u8,
    strides: *const u8,
    folded: *const u8,
    places: *const u8,
    span: *const u8,
    input: *const u8,
    output: *mut u8,
    /// Byte offset of the current iteration from `folded`, the XORs of the halves of the powers of H. The iteration's
    /// byte offsets from `strides`, `places`, `input` and `output` are multiples of this offset.
    index: usize,
}

impl<'key, V: Schedule, const ROUNDS: usize> Interleaved<'key, V, ROUNDS> {
    /// Starts the loop. `pairs` are the pairs of vectors that are being encrypted, the oldest first. The first
    /// iteration hashes `ciphertext`.
    #[cfg_attr(not(unoptimised), inline(always))]
    pub(super) fn new(
        key: &'key Expanded<V>,
        places: Pairs<V>,
        pairs: [[V; 2]; DEPTH],
        ciphertext: [V; 2],
        lines: Lines,
    ) -> Self {
        let [oldest, middle, newest] = pairs;
        Self {
            key,
            counters: places.counters,
            span_begin: places.begin,
            span: places.span,
            span_pairs: places.place / (2 * V::BYTES),
            pairs: [newest, middle, oldest],
            ciphertext,
            sums: V::zero(key.proof),
            sum: Accumulator::zero(key.proof),
            lines,
        }
    }

    /// Runs `turns` iterations of the main loop. After these iterations, `blocks_behind` blocks remain to be hashed.
    ///
    /// When all powers of H in the table have been used, and at the end, reduces the sum of products and adds it to the
    /// ciphertext that is hashed next. An exception is the last sum if a vector has one block: it stays unreduced,
    /// because its powers are chosen so that it needs no further multiplication.
    ///
    /// # Safety
    /// The rest of the data has `turns` whole pairs of vectors, followed by the data of the last [`DEPTH`] pairs.
    #[cfg_attr(not(unoptimised), inline(always))]
    pub(super) unsafe fn turns<const SEAL: bool>(&mut self, turns: usize, blocks_behind: usize) {
        // An iteration uses two strides.
        let max_turns = V::STRIDES / 2;
        let mut left = turns;
        while left > 0 {
            let goes_on = V::BLOCKS == 1 && left <= (V::STRIDES - blocks_behind) / 2;
            // Except at the end, runs whole groups, so that spans end where groups end, and leaves at least one
            // iteration for the final stretch.
            let turns = if V::BLOCKS == 1 && !goes_on {
                (left - 1).min(max_turns) / GROUP_TURNS * GROUP_TURNS
            } else {
                left.min(max_turns)
            };
            let first_power = V::STRIDES - 2 * turns - if goes_on { blocks_behind } else { 0 };
            // SAFETY: guaranteed by the caller; the powers of `turns` iterations follow.
            unsafe { self.stretch::<SEAL>(turns, first_power) };
            if !goes_on {
                self.ciphertext[0] = self.ciphertext[0].xor(self.sum.reduce(self.key.proof).reverse());
                self.sum = Accumulator::zero(self.key.proof);
            }
            left -= turns;
        }
    }

    /// Runs `turns` iterations, and adds the products to `sum` without reducing it. Each iteration multiplies two
    /// vectors by entries in the table of powers H^(B·k), for vectors of B blocks; the first iteration uses entry
    /// `first_power`.
    ///
    /// # Safety
    /// As for [`turns`](Self::turns). In addition, the table has two powers of H for each iteration, from entry
    /// `first_power` on.
    #[cfg_attr(not(unoptimised), inline(always))]
    unsafe fn stretch<const SEAL: bool>(&mut self, turns: usize, first_power: usize) {
        let (input, output) = self.lines.pointers();
        let mut span = self.span;
        let mut cursor = Cursor {
            round_keys: self.key.round_keys.as_ptr().cast(),
            strides: self.key.strides_from(first_power),
            folded: self.key.folded_strides_from(first_power),
            places: places().wrapping_add(self.span_pairs * 2 * V::BYTES),
            span: hide((&raw mut span).cast::<u8>().cast_const()),
            input,
            output,
            index: 0,
        };
        let mut groups = turns / GROUP_TURNS;
        while groups > 0 {
            self.begin_span(&mut cursor);
            let now = groups.min((SPAN / (2 * V::BLOCKS) - self.span_pairs) / GROUP_TURNS);
            for _ in 0..now {
                unroll!(turn < GROUP_TURNS, {
                    // SAFETY: guaranteed by the caller.
                    unsafe { self.turn::<SEAL>(&mut cursor, INDEX * STEP) };
                });
                cursor.index += GROUP_TURNS * STEP;
            }
            self.span_pairs += now * GROUP_TURNS;
            groups -= now;
        }
        self.begin_span(&mut cursor);
        unroll!(turn < GROUP_TURNS - 1, {
            if INDEX < turns % GROUP_TURNS {
                // SAFETY: guaranteed by the caller.
                unsafe { self.turn::<SEAL>(&mut cursor, INDEX * STEP) };
            }
        });
        cursor.index += turns % GROUP_TURNS * STEP;
        self.span_pairs += turns % GROUP_TURNS;
        // SAFETY: `span` is still alive; the powers of the last iteration are in the table.
        unsafe {
            self.span = V::load(self.key.proof, cursor.span);
            let folded = V::load_halves(self.key.proof, cursor.folded.wrapping_add(cursor.index - STEP));
            let products = [self.sums.product_of_lows(folded.low), self.sums.product_of_highs(folded.high)];
            self.sum.add_middles(products);
        }
        self.sums = V::zero(self.key.proof);
        self.lines = self.lines.after(turns * 2 * V::BYTES);
    }

    /// If all counters of the current span ([`SPAN`] consecutive counters) are used, prepares the counter block for the
    /// next span.
    #[cfg_attr(not(unoptimised), inline(always))]
    fn begin_span(&mut self, cursor: &mut Cursor) {
        if self.span_pairs == SPAN / (2 * V::BLOCKS) {
            self.span_begin = self.span_begin.wrapping_add(SPAN as u32);
            // SAFETY: `cursor.span` points to the variable `span` of `stretch`.
            unsafe { self.counters.span(self.key, self.span_begin).store(cursor.span.cast_mut()) };
            cursor.places = cursor.places.wrapping_sub(16 * SPAN);
            self.span_pairs = 0;
        }
    }

    /// Runs one iteration of the main loop. The iteration's byte offset from [`Cursor::folded`] is [`Cursor::index`]
    /// plus `ahead`.
    ///
    /// # Safety
    /// The addresses in the cursor are valid for this iteration.
    #[cfg_attr(not(unoptimised), inline(always))]
    unsafe fn turn<const SEAL: bool>(&mut self, cursor: &mut Cursor, ahead: usize) {
        let proof = self.key.proof;
        let index = cursor.index + ahead;
        let data = |base: *const u8| base.wrapping_add(index * (2 * V::BYTES / STEP));
        // SAFETY: guaranteed by the caller.
        unsafe {
            let mut pairs = [self.pairs[0], self.pairs[0], self.pairs[1], self.pairs[2]];

            let values = V::pin_two([self.ciphertext[0].reverse(), self.ciphertext[1].reverse()]);
            rounds::<V, ROUNDS, 0>(self.key, cursor, &mut pairs);
            cursor.folded = hide(cursor.folded);
            // In the first iteration the sums are zero, so it does not matter what precedes the powers in memory.
            let folded = V::load_halves(proof, cursor.folded.wrapping_add(index).wrapping_sub(STEP));
            let products = [self.sums.product_of_lows(folded.low), self.sums.product_of_highs(folded.high)];
            self.sum.add_middles(V::pin_two(products));
            self.pin(&mut pairs[1..]);

            rounds::<V, ROUNDS, 1>(self.key, cursor, &mut pairs);
            cursor.places = hide(cursor.places);
            let place = data(cursor.places);
            cursor.span = hide(cursor.span);
            let span = V::load_aligned(proof, cursor.span);
            let places = [V::load_aligned(proof, place), V::load_aligned(proof, place.wrapping_add(V::BYTES))];
            pairs[0] = [span.xor(places[0]), span.xor(places[1])];
            let powers = V::pin_two(cursor.powers(proof, index));
            let products = [values[0].product_of_lows(powers[0]), values[1].product_of_lows(powers[1])];
            self.sum.add_lows(V::pin_two(products));
            self.pin(&mut pairs);

            let (input, output) = (data(cursor.input), data(cursor.output).cast_mut());
            let [first, second] = pairs[DEPTH];
            let round_key = cursor.round_key(proof, ROUNDS);
            let first_data = V::load(proof, input);
            let first = end::<V, SEAL>(first, round_key, first_data);
            first.store(output);
            let round_key = cursor.round_key(proof, ROUNDS);
            let second_data = V::load(proof, input.wrapping_add(V::BYTES));
            let second = end::<V, SEAL>(second, round_key, second_data);
            second.store(output.wrapping_add(V::BYTES));
            pairs[DEPTH] = if SEAL { [first, second] } else { [first_data, second_data] };
            self.sums = fold_two(values[0], values[1]).pin();
            rounds::<V, ROUNDS, 2>(self.key, cursor, &mut pairs);
            let mut powers = cursor.powers(proof, index);
            if V::BLOCKS > 1 {
                // Pinned together, so that no load comes between the two multiplications.
                powers = V::pin_two(powers);
            }
            let products = [values[0].product_of_highs(powers[0]), values[1].product_of_highs(powers[1])];
            self.sum.add_highs(V::pin_two(products));
            self.pin(&mut pairs);

            self.pairs = [pairs[0], pairs[1], pairs[2]];
            self.ciphertext = pairs[DEPTH];
        }
    }

    /// A fence for the compiler: instructions that compute `sum` and `pairs` stay before this call, and instructions
    /// that use `sum` and `pairs` stay after it.
    #[inline(always)]
    fn pin(&mut self, pairs: &mut [[V; 2]]) {
        self.sum.pin();
        unroll!(index < DEPTH + 1, {
            if let Some(pair) = pairs.get_mut(INDEX) {
                *pair = [pair[0].pin(), pair[1].pin()];
            }
        });
    }
}

impl Cursor {
    /// Loads the key of AES round `round`. Loads the key again at each call, so that the compiler does not keep it in a
    /// register.
    ///
    /// # Safety
    /// `round` is at most the number of rounds.
    #[inline(always)]
    unsafe fn round_key<V: Schedule>(&mut self, proof: V::Proof, round: usize) -> V {
        self.round_keys = hide(self.round_keys);
        // SAFETY: guaranteed by the caller.
        unsafe { V::load_broadcast(proof, self.round_keys.wrapping_add(16 * round)) }
    }

    /// Loads the powers of H for two vectors, from the iteration's offset `index` on. Loads these powers again at each
    /// call, so that the compiler does not keep them in registers.
    ///
    /// # Safety
    /// The table of powers of H at [`Cursor::strides`] has both powers.
    #[inline(always)]
    unsafe fn powers<V: Schedule>(&mut self, proof: V::Proof, index: usize) -> [V; 2] {
        self.strides = hide(self.strides);
        let from = self.strides.wrapping_add(2 * index);
        // SAFETY: guaranteed by the caller.
        unsafe { [V::load_broadcast(proof, from), V::load_broadcast(proof, from.wrapping_add(16))] }
    }
}

/// Executes the AES rounds in one third of an iteration (`THIRD` is 0, 1 or 2) on `pairs`, pairs of vectors, the newest
/// first.
///
/// Each round key is loaded once for both vectors of a pair. An exception is the last third if a vector has one block:
/// each round key is then loaded twice, as an operand of the AES instruction, which takes one instruction less and one
/// load more.
///
/// # Safety
/// The cursor points to the round keys.
#[inline(always)]
unsafe fn rounds<V: Schedule, const ROUNDS: usize, const THIRD: usize>(
    key: &Expanded<V>,
    cursor: &mut Cursor,
    pairs: &mut [[V; 2]; DEPTH + 1],
) {
    unroll!(age < DEPTH + 1, {
        let thirds = 3 * age + THIRD;
        if thirds >= IDLE_THIRDS && thirds - IDLE_THIRDS < 3 * DEPTH {
            for round in round_after(ROUNDS, thirds - IDLE_THIRDS)..round_after(ROUNDS, thirds - IDLE_THIRDS + 1) {
                // SAFETY: guaranteed by the caller.
                unsafe {
                    let first = cursor.round_key(key.proof, round);
                    let second = if V::BLOCKS == 1 && THIRD == 2 { cursor.round_key(key.proof, round) } else { first };
                    pairs[age] = [pairs[age][0].aes_round(first), pairs[age][1].aes_round(second)];
                }
                cursor.round_keys = hide(cursor.round_keys);
            }
        }
    });
}

/// Number of thirds of an iteration before the first AES round of a new pair of vectors. An iteration has three thirds:
/// the pair is begun in the second third, and its first AES round is in the last third.
const IDLE_THIRDS: usize = 2;

/// Returns the number of the next AES round for a pair of vectors whose encryption began `turns` iterations ago.
pub(super) const fn round_between(rounds: usize, turns: usize) -> usize {
    if turns == 0 { 1 } else { round_after(rounds, 3 * turns - IDLE_THIRDS) }
}

/// Returns the number of the next AES round for a pair of vectors that has been encrypted during `thirds` thirds of
/// iterations.
const fn round_after(rounds: usize, thirds: usize) -> usize {
    1 + (thirds * (rounds - 1)).div_ceil(3 * DEPTH)
}

/// Executes the last AES round and XORs `data`. When sealing, XORs `data` into the round key first. When opening, XORs
/// `data` last: this order needs no copy of `data`, the ciphertext, which is hashed later.
#[inline(always)]
fn end<V: Schedule, const SEAL: bool>(state: V, round_key: V, data: V) -> V {
    if SEAL { state.aes_last_round(round_key.xor(data)) } else { state.aes_last_round(round_key).xor(data) }
}

/// Returns `pointer` unchanged, but makes its value opaque to the compiler.
#[inline(always)]
#[expect(clippy::pointers_in_nomem_asm_block, reason = "nothing is read or written through it there")]
pub(super) fn hide<T>(pointer: *const T) -> *const T {
    let mut hidden = pointer;
    // SAFETY: the assembly is empty.
    unsafe { asm!("/* {0} */", inout(reg) hidden, options(nomem, nostack, preserves_flags)) };
    hidden
}
