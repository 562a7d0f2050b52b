//! Where the loop over a long message reads on.

use core::hint::select_unpredictable;
use core::marker::PhantomData;
use core::ops::Range;

use super::lines::{HEADER_BYTES, Lines};
use super::schedule::{STRIDES, Schedule};
use crate::backend::parts::Part;

/// Whether a text in slices is read where it lies. The [`interleaved`](super::interleaved) loop keeps an order of its
/// own; for that one the text is copied.
pub(super) trait ReadsParts: Schedule {
    const READS_PARTS: bool = !Self::IS_INTERLEAVED;
}

impl<V: Schedule> ReadsParts for V {}

/// The places that a text is read in, one after the other.
pub(crate) trait Source {
    /// Up to which power of a stretch the text is read in one place, from `power` on in turns of `turn` bytes.
    fn powers_here(&self, power: usize, turn: usize) -> usize;

    /// Bytes that follow in the same place, or more than there are.
    fn bytes_here(&self) -> usize;

    /// What follows when `bytes` bytes were read, `lines` being what follows in the same place.
    fn after(&mut self, bytes: usize, lines: Lines) -> Lines;
}

/// All of it in one place.
pub(super) struct OnePlace;

impl Source for OnePlace {
    #[inline(always)]
    fn powers_here(&self, _: usize, _: usize) -> usize {
        STRIDES
    }

    #[inline(always)]
    fn bytes_here(&self) -> usize {
        usize::MAX
    }

    #[inline(always)]
    fn after(&mut self, _: usize, lines: Lines) -> Lines {
        lines
    }
}

/// In several.
pub(super) struct InParts<'a> {
    /// Bytes that follow in the same place.
    left: usize,
    /// What is behind them. The empty part, the last of all, is never passed, so that there is one.
    next: *const Part,
    parts: PhantomData<&'a [Part]>,
}

impl<'a> InParts<'a> {
    /// Begins to read; all of `lines` is where it is written.
    #[inline(always)]
    pub(super) fn begin(parts: &'a [Part], lines: Lines) -> (Self, Lines) {
        debug_assert!(parts.last().is_some_and(|last| last.bytes == 0));
        let mut new = Self { left: 0, next: parts.as_ptr(), parts: PhantomData };
        let lines = new.after(0, lines);
        (new, lines)
    }
}

impl Source for InParts<'_> {
    #[inline(always)]
    fn powers_here(&self, power: usize, turn: usize) -> usize {
        STRIDES.min(power + 2 * (self.left / turn))
    }

    #[inline(always)]
    fn bytes_here(&self) -> usize {
        self.left
    }

    #[inline(always)]
    fn after(&mut self, bytes: usize, lines: Lines) -> Lines {
        self.left -= bytes;
        // SAFETY: there is one.
        let next = unsafe { *self.next };
        // No branch: the CPU could not predict where slices end.
        let is_over = self.left == 0;
        self.left = select_unpredictable(is_over, next.bytes, self.left);
        self.next = self.next.wrapping_add(usize::from(is_over));
        lines.read_from(next.input, is_over)
    }
}

/// Copies the first and the last bytes of a slice to the same places of `to`, which has `at` bytes of the message
/// before it. Each vector is stored where the kernel will load one: a load that takes bytes of two stores waits until
/// both have left the store buffer. The CPU cannot predict how many bytes there are, so a few are always copied as four
/// vectors; the kernel overwrites the excess.
///
/// # Safety
/// So many bytes can be read and written, as many as a vector has or more; and none is outside.
#[inline(always)]
pub(super) unsafe fn copy_ends<V: Schedule>(
    proof: V::Proof,
    to: *mut u8,
    from: *const u8,
    bytes: usize,
    at: usize,
    first: usize,
    last: usize,
) {
    // SAFETY: the caller's.
    unsafe {
        if first > 0 {
            V::load(proof, from).store(to);
            copy::<V>(proof, to, from, bytes, HEADER_BYTES.wrapping_sub(at) % V::BYTES..first);
        }
        copy::<V>(proof, to, from, bytes, bytes - last..bytes);
    }
}

/// Copies those of `bytes` bytes that are at `places`, vector by vector, and some behind them.
///
/// # Safety
/// As [`copy_ends`].
#[inline(always)]
unsafe fn copy<V: Schedule>(proof: V::Proof, to: *mut u8, from: *const u8, bytes: usize, places: Range<usize>) {
    let mut place = places.start;
    while place < places.end {
        unroll!(index < COPIED, of 4, {
            let place = (place + index * V::BYTES).min(bytes - V::BYTES);
            // SAFETY: the caller's.
            unsafe { V::load(proof, from.wrapping_add(place)).store(to.wrapping_add(place)) };
        });
        place += COPIED * V::BYTES;
    }
}

/// Vectors that are copied at once.
const COPIED: usize = 4;
