//! Plaintext in several slices: where the loop over a long message reads on.

use core::hint::select_unpredictable;
use core::marker::PhantomData;
use core::ops::Range;

use super::lines::{HEADER_BYTES, Lines};
use super::schedule::{STRIDES, Schedule};
use crate::backend::parts::Part;

/// Whether plaintext in slices is read where it lies. For the [`interleaved`](super::interleaved) loop, which keeps an
/// order of its own, the slices are copied.
pub(super) trait ReadsParts: Schedule {
    const READS_PARTS: bool = !Self::IS_INTERLEAVED;
}

impl<V: Schedule> ReadsParts for V {}

/// The addresses from which a text is read, one after the other.
pub(crate) trait Source {
    /// Returns the end of the powers, from `power` on, for which the text is read at the current address. One iteration
    /// takes two powers and `turn` bytes.
    fn powers_here(&self, power: usize, turn: usize) -> usize;

    /// Number of bytes that follow at the current address, or more than the text has.
    fn bytes_here(&self) -> usize;

    /// Returns the data after `bytes` bytes were read. `lines` is what follows them at the current address.
    fn after(&mut self, bytes: usize, lines: Lines) -> Lines;
}

/// A text that lies in one buffer.
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

/// A text that lies in several parts.
pub(super) struct InParts<'a> {
    /// Number of bytes left at the current address.
    left: usize,
    /// The part after these bytes. The empty part, the last of all, is never passed, so this part always exists.
    next: *const Part,
    parts: PhantomData<&'a [Part]>,
}

impl<'a> InParts<'a> {
    /// Begins to read. `lines` describes the whole text, with the output address also as its input.
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
        // SAFETY: the list ends in an empty part, which is never passed.
        let next = unsafe { *self.next };
        // No branch: the CPU could not predict where slices end.
        let is_over = self.left == 0;
        self.left = select_unpredictable(is_over, next.bytes, self.left);
        self.next = self.next.wrapping_add(usize::from(is_over));
        lines.read_from(next.input, is_over)
    }
}

/// Copies the `first` first and `last` last bytes of a slice to the same offsets of `to`, which is byte `at` of the
/// message.
///
/// Each vector is stored where the kernel will load one: a load that takes bytes of two stores waits until both have
/// left the store buffer. The CPU cannot predict how many bytes there are, so a few are always copied as four vectors;
/// the kernel overwrites the excess.
///
/// # Safety
/// `bytes` bytes can be read and written, at least as many as a vector has; `first` and `last` are at most `bytes`.
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
    // SAFETY: guaranteed by the caller.
    unsafe {
        if first > 0 {
            V::load(proof, from).store(to);
            copy::<V>(proof, to, from, bytes, HEADER_BYTES.wrapping_sub(at) % V::BYTES..first);
        }
        copy::<V>(proof, to, from, bytes, bytes - last..bytes);
    }
}

/// Copies the bytes at offsets `places` of `bytes` bytes, vector by vector, and some bytes after them.
///
/// # Safety
/// As for [`copy_ends`].
#[inline(always)]
unsafe fn copy<V: Schedule>(proof: V::Proof, to: *mut u8, from: *const u8, bytes: usize, places: Range<usize>) {
    let mut place = places.start;
    while place < places.end {
        unroll!(index < COPIED, of 4, {
            let place = (place + index * V::BYTES).min(bytes - V::BYTES);
            // SAFETY: guaranteed by the caller.
            unsafe { V::load(proof, from.wrapping_add(place)).store(to.wrapping_add(place)) };
        });
        place += COPIED * V::BYTES;
    }
}

const COPIED: usize = 4;
