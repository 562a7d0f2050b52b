//! The states of counter blocks before their first round of AES, or behind the second, a group at a time.

use core::arch::asm;
use core::mem::MaybeUninit;
use core::ops::Range;
use core::ptr;

use super::super::cipher::{Counters, LOW_BYTES, places, round_key};
use super::super::key::Expanded;
use super::super::schedule::Schedule;
use super::FOUR;
use crate::backend::Block;

/// Blocks of which each has another value in the last byte of its counter, 0 to 255. The state of any block of the
/// message is one of these with that of a span added, which begins at a multiple of 256.
pub(super) trait StateTable<V: Schedule> {
    /// Where it is.
    fn start(&self) -> *const u8;

    /// What is added in the span that begins at counter `begin`.
    fn difference(&self, key: &Expanded<V>, begin: u32) -> V;
}

/// States before the first round: of the table's blocks nothing but the last byte differs from zero.
impl<V: Schedule> StateTable<V> for Counters<V> {
    #[inline(always)]
    fn start(&self) -> *const u8 {
        places()
    }

    #[inline(always)]
    fn difference(&self, key: &Expanded<V>, begin: u32) -> V {
        self.span(key, begin)
    }
}

/// The next place in a [`StateTable`], which is a multiple of the blocks in a vector.
#[derive(Clone, Copy)]
pub(super) struct Spans<V> {
    /// Where the span begins, and what is added in it.
    begin: u32,
    span: V,
    /// Bytes in the table before the place.
    pub(super) place: usize,
}

/// Bytes of a table.
const END: usize = 16 * LOW_BYTES;

impl<V: Schedule> Spans<V> {
    /// That of block number `count`.
    #[inline(always)]
    pub(super) fn new(key: &Expanded<V>, table: &impl StateTable<V>, count: u32) -> Self {
        let begin = count / LOW_BYTES as u32 * LOW_BYTES as u32;
        Self { begin, span: table.difference(key, begin), place: 16 * (count - begin) as usize }
    }

    /// The number of the block.
    #[inline(always)]
    pub(super) fn count(&self) -> u32 {
        self.begin.wrapping_add((self.place / 16) as u32)
    }

    /// Whole groups before the end of the span.
    #[inline(always)]
    pub(super) fn groups(&self) -> usize {
        (END - self.place) / (FOUR * V::BYTES)
    }

    /// The states of the next `groups` groups, as many as there are before the end of the span at most: where their
    /// blocks are in the table, and what is added.
    #[inline(always)]
    pub(super) fn pass(&mut self, table: &impl StateTable<V>, groups: usize) -> (*const u8, V) {
        let from = table.start().wrapping_add(self.place);
        self.place += groups * FOUR * V::BYTES;
        (from, self.span)
    }

    /// The states of the next group, wherever it is.
    #[inline(always)]
    pub(super) fn next(&mut self, key: &Expanded<V>, table: &impl StateTable<V>) -> [V; FOUR] {
        if self.groups() > 0 {
            let (from, span) = self.pass(table, 1);
            // SAFETY: they are in the table.
            return unsafe { states_at(key, from, span) };
        }
        let (from, before) = (self.place, self.span);
        self.begin = self.begin.wrapping_add(LOW_BYTES as u32);
        self.span = table.difference(key, self.begin);
        self.place = from + FOUR * V::BYTES - END;
        let mut states = [self.span; FOUR];
        unroll!(index < FOUR, of 4, {
            let mut place = from + index * V::BYTES;
            if place < END {
                states[index] = before;
            } else {
                place -= END;
            }
            // SAFETY: the place is in the table.
            let blocks = unsafe { V::load(key.proof, table.start().wrapping_add(place)) };
            states[index] = states[index].xor(blocks);
        });
        states
    }
}

/// The states of a group.
///
/// # Safety
/// Its blocks can be read at `from`.
#[inline(always)]
pub(super) unsafe fn states_at<V: Schedule>(key: &Expanded<V>, from: *const u8, span: V) -> [V; FOUR] {
    let mut states = [span; FOUR];
    unroll!(index < FOUR, of 4, {
        // SAFETY: the caller's.
        states[index] = span.xor(unsafe { V::load(key.proof, from.wrapping_add(index * V::BYTES)) });
    });
    states
}

/// The blocks of a message with the counters 0 to 255, after the first two rounds of AES.
///
/// The first round moves each byte into one column and mixes it there with three others. The counter's lowest byte
/// comes into a column with bytes of the nonce alone, the three higher ones into the other columns. So that column is
/// the same throughout a message for the same lowest byte, and the others are the same for 256 blocks. The second round
/// substitutes each byte by itself; the rest of it is linear. So what a byte of that column contributes to its result
/// is the same throughout the message, what the others contribute is the same for 256 blocks, and the two are added up.
/// (Two rounds are all: the third substitutes their sums.) The table is read in the order of its places, which are
/// public.
///
/// It belongs to the message, not to the key, which stays small; and the first 256 blocks are needed anyway.
#[repr(C, align(64))]
pub(super) struct FirstRounds<V> {
    blocks: MaybeUninit<[Block; LOW_BYTES]>,
    /// The state before them for the counter 0.
    zeroth: V,
}

/// How many rounds they are.
pub(super) const FIRST_ROUNDS: usize = 2;

/// These rounds.
#[inline(always)]
fn first_rounds<V: Schedule>(key: &Expanded<V>, state: V) -> V {
    state.aes_round(round_key(key, 1)).aes_round(round_key(key, 2))
}

impl<V: Schedule> FirstRounds<V> {
    pub(super) const BYTES: usize = END;

    /// With nothing in it.
    #[inline(always)]
    pub(super) fn new(key: &Expanded<V>, counters: &Counters<V>) -> Self {
        Self { blocks: MaybeUninit::uninit(), zeroth: counters.span(key, 0) }
    }

    /// The four from `place` on, which are also put into the table.
    #[inline(always)]
    pub(super) fn fill_four(&mut self, key: &Expanded<V>, place: usize) -> [V; FOUR] {
        let mut states = [V::zero(key.proof); FOUR];
        unroll!(index < FOUR, of 4, {
            states[index] = self.fill_one(key, place + index * V::BYTES);
        });
        states
    }

    /// One vector.
    #[inline(always)]
    fn fill_one(&mut self, key: &Expanded<V>, place: usize) -> V {
        // SAFETY: there are places for all values of the byte.
        let state = self.zeroth.xor(unsafe { V::load(key.proof, places().wrapping_add(place)) });
        let state = first_rounds(key, state);
        debug_assert!(place + V::BYTES <= Self::BYTES);
        // SAFETY: it is in the table.
        unsafe { state.store(self.blocks.as_mut_ptr().cast::<u8>().wrapping_add(place)) };
        state
    }

    /// Puts the states of whole vectors into the table.
    #[cfg_attr(not(unoptimised), inline(always))]
    pub(super) fn fill(&mut self, key: &Expanded<V>, places: Range<usize>) {
        for place in places.step_by(V::BYTES) {
            self.fill_one(key, place);
        }
    }

    /// Writes zeros: states and their counters reveal round keys. The zero is one that the compiler does not know. It
    /// would make a call of the loop, to which all registers are lost: what is needed behind it would be put on the
    /// stack first, where nobody wipes it.
    #[inline(always)]
    pub(super) fn wipe(&mut self, key: &Expanded<V>) {
        let zero = V::zero(key.proof).pin();
        self.zeroth = zero;
        let start: *mut u8 = ptr::from_mut(self).cast();
        for place in (0..Self::BYTES).step_by(8 * V::BYTES) {
            unroll!(index < 8, of 8, {
                // SAFETY: inside the table.
                unsafe { zero.store(start.wrapping_add(place + index * V::BYTES)) };
            });
        }
        // SAFETY: nothing is done; but as far as the compiler knows, the zeros are read.
        unsafe { asm!("/* {0} */", in(reg) start, options(readonly, nostack, preserves_flags)) };
    }
}

impl<V: Schedule> StateTable<V> for FirstRounds<V> {
    #[inline(always)]
    fn start(&self) -> *const u8 {
        self.blocks.as_ptr().cast()
    }

    /// The difference between the span's states and the table's.
    #[inline(always)]
    fn difference(&self, key: &Expanded<V>, begin: u32) -> V {
        let span = self.zeroth.xor(V::of_last_word(key.proof, begin.swap_bytes()));
        first_rounds(key, span).xor(first_rounds(key, self.zeroth))
    }
}
