//! AES states of counter blocks, before the first or after the second AES round, for one group of four vectors at a
//! time.
//!
//! A span, in this module, is 256 consecutive counters, the first of which is a multiple of 256. (In `cipher.rs` a span
//! is 128 counters.)

use core::arch::asm;
use core::mem::MaybeUninit;
use core::ops::Range;
use core::ptr;

use super::super::cipher::{Counters, LOW_BYTES, places, round_key};
use super::super::key::Expanded;
use super::super::schedule::Schedule;
use super::FOUR;
use crate::backend::Block;

/// A table of AES states, before the first or after the second AES round, for the 256 values of the counter's last
/// byte. The state for any counter is an entry of the table XOR a value that depends only on the upper 24 bits of the
/// counter.
pub(super) trait StateTable<V: Schedule> {
    fn start(&self) -> *const u8;

    /// Returns the difference between the AES states for the counters `begin` to `begin` + 255 and the entries of the
    /// table: each state is an entry XOR this value. `begin` is a multiple of 256.
    fn difference(&self, key: &Expanded<V>, begin: u32) -> V;
}

/// AES states before the first round: each entry of the table has the last byte of a counter, and zeros elsewhere.
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

/// A position in a [`StateTable`], for a counter that is a multiple of the number of blocks in a vector.
#[derive(Clone, Copy)]
pub(super) struct Spans<V> {
    /// The last multiple of 256 up to the current counter.
    begin: u32,
    /// Difference between the AES states of the current 256 counters and the entries of the table
    /// ([`StateTable::difference`]).
    span: V,
    /// Byte offset of the current counter's entry in the table.
    pub(super) place: usize,
}

/// Length in bytes of a table of 256 AES states.
const END: usize = 16 * LOW_BYTES;

impl<V: Schedule> Spans<V> {
    /// Returns the position of counter `count` in `table`.
    #[inline(always)]
    pub(super) fn new(key: &Expanded<V>, table: &impl StateTable<V>, count: u32) -> Self {
        let begin = count / LOW_BYTES as u32 * LOW_BYTES as u32;
        Self { begin, span: table.difference(key, begin), place: 16 * (count - begin) as usize }
    }

    #[inline(always)]
    pub(super) fn count(&self) -> u32 {
        self.begin.wrapping_add((self.place / 16) as u32)
    }

    /// Returns the number of groups of four vectors before the counter reaches the next multiple of 256.
    #[inline(always)]
    pub(super) fn groups(&self) -> usize {
        (END - self.place) / (FOUR * V::BYTES)
    }

    /// Advances the position by `groups` groups of four vectors, at most to the next counter that is a multiple of 256.
    /// Returns the address of the table entries of these groups, and the value to XOR into the entries.
    #[inline(always)]
    pub(super) fn pass(&mut self, table: &impl StateTable<V>, groups: usize) -> (*const u8, V) {
        let from = table.start().wrapping_add(self.place);
        self.place += groups * FOUR * V::BYTES;
        (from, self.span)
    }

    /// Returns the AES states of the next four vectors, and advances the position by four vectors. The counter may pass
    /// a multiple of 256.
    #[inline(always)]
    pub(super) fn next(&mut self, key: &Expanded<V>, table: &impl StateTable<V>) -> [V; FOUR] {
        if self.groups() > 0 {
            let (from, span) = self.pass(table, 1);
            // SAFETY: the group is in the table.
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
            // SAFETY: the table has `place`.
            let blocks = unsafe { V::load(key.proof, table.start().wrapping_add(place)) };
            states[index] = states[index].xor(blocks);
        });
        states
    }
}

/// Loads four vectors of entries of a [`StateTable`] from the address `from`, and XORs into each the difference `span`
/// ([`StateTable::difference`]), which gives AES states.
///
/// # Safety
/// Four vectors can be read at `from`.
#[inline(always)]
pub(super) unsafe fn states_at<V: Schedule>(key: &Expanded<V>, from: *const u8, span: V) -> [V; FOUR] {
    let mut states = [span; FOUR];
    unroll!(index < FOUR, of 4, {
        // SAFETY: guaranteed by the caller.
        states[index] = span.xor(unsafe { V::load(key.proof, from.wrapping_add(index * V::BYTES)) });
    });
    states
}

/// A table of a message's AES states after two rounds, for the counters 0 to 255.
///
/// The first round moves each byte of the state into one column, where MixColumns mixes it with three other bytes. The
/// last byte of the counter comes into a column whose other bytes are from the nonce. The three higher bytes of the
/// counter come into the other columns. So for each value of the last byte, the first column is constant throughout a
/// message, and the other columns are constant for 256 blocks.
///
/// The second round substitutes each byte separately, and the rest of that round is linear. So the contribution of the
/// column with the last byte is constant throughout the message, the contribution of the other columns is constant for
/// 256 blocks, and both are added by XOR. (A third round would substitute the sums, so the table ends before it.) The
/// table is read in the order of its entries, so no address depends on a secret.
///
/// The table belongs to a message, not to the key, to keep keys small. The first 256 blocks of the message need these
/// states anyway.
#[repr(C, align(64))]
pub(super) struct FirstRounds<V> {
    blocks: MaybeUninit<[Block; LOW_BYTES]>,
    /// AES state for counter 0 before the first AES round.
    zeroth: V,
}

/// Number of AES rounds that the states in the table [`FirstRounds`] have passed. After a third round, an AES state
/// would no longer be an entry of the table XOR a value that is constant for 256 blocks.
pub(super) const FIRST_ROUNDS: usize = 2;

/// Executes on `state` the AES rounds whose results are in the table [`FirstRounds`].
#[inline(always)]
fn first_rounds<V: Schedule>(key: &Expanded<V>, state: V) -> V {
    state.aes_round(round_key(key, 1)).aes_round(round_key(key, 2))
}

impl<V: Schedule> FirstRounds<V> {
    pub(super) const BYTES: usize = END;

    #[inline(always)]
    pub(super) fn new(key: &Expanded<V>, counters: &Counters<V>) -> Self {
        Self { blocks: MaybeUninit::uninit(), zeroth: counters.span(key, 0) }
    }

    /// Computes the AES states of four vectors, and stores them in the table from byte offset `place` on.
    #[inline(always)]
    pub(super) fn fill_four(&mut self, key: &Expanded<V>, place: usize) -> [V; FOUR] {
        let mut states = [V::zero(key.proof); FOUR];
        unroll!(index < FOUR, of 4, {
            states[index] = self.fill_one(key, place + index * V::BYTES);
        });
        states
    }

    /// Computes the AES states of one vector, and stores them in the table at byte offset `place`.
    #[inline(always)]
    fn fill_one(&mut self, key: &Expanded<V>, place: usize) -> V {
        // SAFETY: the table of counter bytes has all 256 values.
        let state = self.zeroth.xor(unsafe { V::load(key.proof, places().wrapping_add(place)) });
        let state = first_rounds(key, state);
        debug_assert!(place + V::BYTES <= Self::BYTES);
        // SAFETY: the table has `place`.
        unsafe { state.store(self.blocks.as_mut_ptr().cast::<u8>().wrapping_add(place)) };
        state
    }

    /// Computes the AES states of all vectors in a range of byte offsets, and stores these states in the table.
    #[cfg_attr(not(unoptimised), inline(always))]
    pub(super) fn fill(&mut self, key: &Expanded<V>, places: Range<usize>) {
        for place in places.step_by(V::BYTES) {
            self.fill_one(key, place);
        }
    }

    /// Overwrites the table with zeros, since AES states with known counters reveal round keys. Hides the zero from the
    /// compiler, which would otherwise turn the loop into a call. A call would put live registers on the stack, which
    /// is not wiped.
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
        // SAFETY: the assembly is empty, but the compiler has to assume that it reads the zeros.
        unsafe { asm!("/* {0} */", in(reg) start, options(readonly, nostack, preserves_flags)) };
    }
}

impl<V: Schedule> StateTable<V> for FirstRounds<V> {
    #[inline(always)]
    fn start(&self) -> *const u8 {
        self.blocks.as_ptr().cast()
    }

    #[inline(always)]
    fn difference(&self, key: &Expanded<V>, begin: u32) -> V {
        let span = self.zeroth.xor(V::of_last_word(key.proof, begin.swap_bytes()));
        first_rounds(key, span).xor(first_rounds(key, self.zeroth))
    }
}
