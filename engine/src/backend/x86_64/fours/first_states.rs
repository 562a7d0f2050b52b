//! The states of counter blocks before their first round of AES, or after it, a group at a time.

use core::arch::asm;
use core::mem::MaybeUninit;
use core::ops::Range;

use super::super::cipher::{Counters, LOW_BYTES, SPAN, places, round_key};
use super::super::key::Expanded;
use super::super::schedule::Schedule;
use super::FOUR;
use crate::backend::Block;

/// First states, a group at a time, from any place that is a multiple of the blocks in a vector.
#[derive(Clone, Copy)]
pub(super) struct Spans<V> {
    pub(super) counters: Counters<V>,
    /// Where the span begins, and its state without the places.
    begin: u32,
    span: V,
    /// Bytes in the table before the next place.
    pub(super) place: usize,
}

impl<V: Schedule> Spans<V> {
    /// From block number `count` on.
    #[inline(always)]
    pub(super) fn new(key: &Expanded<V>, counters: Counters<V>, count: u32) -> Self {
        let begin = count / SPAN as u32 * SPAN as u32;
        Self { counters, begin, span: counters.span(key, begin), place: 16 * (count - begin) as usize }
    }

    /// The next four.
    #[inline(always)]
    pub(super) fn next(&mut self, key: &Expanded<V>) -> [V; FOUR] {
        const END: usize = 16 * SPAN;
        let (from, before) = (self.place, self.span);
        self.place += FOUR * V::BYTES;
        if self.place > END {
            // Some of them, or all, are in the next span.
            self.begin = self.begin.wrapping_add(SPAN as u32);
            self.span = self.counters.span(key, self.begin);
            self.place -= END;
            return at_places(key, places(), END, from, before, self.span);
        }
        at_places(key, places(), usize::MAX, from, before, before)
    }
}

/// The states at four places of a table from `from` on; past the table's end at `end` bytes they are at its beginning,
/// in the next span.
#[inline(always)]
fn at_places<V: Schedule>(
    key: &Expanded<V>,
    table: *const u8,
    end: usize,
    from: usize,
    span: V,
    behind: V,
) -> [V; FOUR] {
    let mut states = [span; FOUR];
    unroll!(index < FOUR, of 4, {
        let place = from + index * V::BYTES;
        let (span, place) = if place < end { (span, place) } else { (behind, place - end) };
        // SAFETY: the place is in the table.
        states[index] = span.xor(unsafe { V::load(key.proof, table.wrapping_add(place)) });
    });
    states
}

/// The blocks of a message with the counters 0 to 255, after the first round of AES.
///
/// That round moves each byte into one column and mixes it there with three others. The counter's lowest byte is in a
/// column with bytes of the nonce alone, the three higher ones are in the other columns. So the contribution of the
/// lowest byte is the same throughout a message, that of the higher bytes is the same for 256 blocks, and the two are
/// added up. The table is read in the order of its places, which are public.
///
/// It belongs to the message, not to the key, which stays small; and the first 256 blocks are needed anyway.
#[repr(C, align(64))]
pub(super) struct FirstRound<V> {
    blocks: MaybeUninit<[Block; LOW_BYTES]>,
    counters: Counters<V>,
    /// Their state for the counter 0.
    span: V,
}

impl<V: Schedule> FirstRound<V> {
    pub(super) const BYTES: usize = 16 * LOW_BYTES;

    /// With nothing in it.
    #[inline(always)]
    pub(super) fn new(key: &Expanded<V>, counters: Counters<V>) -> Self {
        Self { blocks: MaybeUninit::uninit(), counters, span: counters.span(key, 0) }
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
        let state = self.span.xor(unsafe { V::load(key.proof, places().wrapping_add(place)) });
        let state = state.aes_round(round_key(key, 1));
        debug_assert!(place + V::BYTES <= Self::BYTES);
        // SAFETY: it is in the table.
        unsafe { state.store(self.start().wrapping_add(place)) };
        state
    }

    /// Puts the states of whole vectors into the table.
    #[cfg_attr(not(unoptimised), inline(always))]
    pub(super) fn fill(&mut self, key: &Expanded<V>, places: Range<usize>) {
        for place in places.step_by(V::BYTES) {
            self.fill_one(key, place);
        }
    }

    #[inline(always)]
    fn start(&mut self) -> *mut u8 {
        self.blocks.as_mut_ptr().cast()
    }

    /// Writes zeros: a state and its counter reveal the round key.
    #[inline(always)]
    pub(super) fn wipe(&mut self, key: &Expanded<V>) {
        let start = self.start();
        for place in (0..Self::BYTES).step_by(8 * V::BYTES) {
            unroll!(index < 8, of 8, {
                // SAFETY: inside the table.
                unsafe { V::zero(key.proof).store(start.wrapping_add(place + index * V::BYTES)) };
            });
        }
        // SAFETY: nothing is done; but as far as the compiler knows, the zeros are read.
        unsafe { asm!("/* {0} */", in(reg) start, options(readonly, nostack, preserves_flags)) };
    }
}

/// Where in a [`FirstRound`] the next group is.
pub(super) struct AfterFirstRound<V> {
    /// Where the 256 blocks begin, and the difference between their states and the table's.
    pub(super) begin: u32,
    pub(super) span: V,
    /// Bytes in the table before the next place.
    pub(super) place: usize,
}

impl<V: Schedule> AfterFirstRound<V> {
    /// The next four states after the first round.
    #[inline(always)]
    pub(super) fn next(&mut self, key: &Expanded<V>, table: &mut FirstRound<V>) -> [V; FOUR] {
        let (from, before) = (self.place, self.span);
        self.place += FOUR * V::BYTES;
        let end = FirstRound::<V>::BYTES;
        if self.place > end {
            self.begin = self.begin.wrapping_add(LOW_BYTES as u32);
            let round_key = round_key(key, 1);
            let now = table.counters.span(key, self.begin).aes_round(round_key);
            self.span = now.xor(table.span.aes_round(round_key));
            self.place -= end;
            return at_places(key, table.start(), end, from, before, self.span);
        }
        at_places(key, table.start(), usize::MAX, from, before, before)
    }
}
