//! Plaintext in several slices: how the main loop moves from one slice to the next.

use core::hint::select_unpredictable;
use core::marker::PhantomData;
use core::ops::Range;

use super::lines::{HEADER_BYTES, Lines};
use super::schedule::Schedule;
use crate::backend::parts::Part;

/// Whether the kernel reads slices of plaintext in place. Otherwise, for the [`interleaved`](super::interleaved) loop,
/// they are copied into one buffer, because the order of its instructions is fixed.
pub(super) trait ReadsParts: Schedule {
    const READS_PARTS: bool = !Self::IS_INTERLEAVED;
}

impl<V: Schedule> ReadsParts for V {}

/// The addresses from which a plaintext is read: one buffer, or several slices.
pub(crate) trait Source {
    /// Returns the end of the powers of H that the loop can use before the plaintext continues at another address; at
    /// most `end`. Each iteration uses two powers, from index `power` on, and processes `turn` bytes.
    fn powers_here(&self, power: usize, end: usize, turn: usize) -> usize;

    /// Returns the number of bytes that can be processed before the address changes. For a plaintext in one buffer, may
    /// return any number at least as large as the rest.
    fn bytes_here(&self) -> usize;

    /// Skips `bytes` bytes of the plaintext and returns the data after them. `lines` is the rest of the current buffer.
    fn after(&mut self, bytes: usize, lines: Lines) -> Lines;
}

/// A plaintext or ciphertext that lies in one buffer.
pub(super) struct OnePlace;

impl Source for OnePlace {
    #[inline(always)]
    fn powers_here(&self, _: usize, end: usize, _: usize) -> usize {
        end
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

/// A plaintext that lies in several slices.
pub(super) struct InParts<'a> {
    /// Number of bytes left in the current slice.
    left: usize,
    /// The next slice. The list ends with an empty slice, which is never passed, so this pointer is always valid.
    next: *const Part,
    parts: PhantomData<&'a [Part]>,
}

impl<'a> InParts<'a> {
    /// Starts at the first slice. `lines` describes the output, at both its input and its output address.
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
    fn powers_here(&self, power: usize, end: usize, turn: usize) -> usize {
        end.min(power + 2 * (self.left / turn))
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

/// Copies the `first` first and the `last` last bytes of a slice to the same offsets of `to`, which has the offset `at`
/// in the message.
///
/// Stores each vector where the kernel will load one, since a load from two stores waits until both have left the store
/// buffer. Copies four vectors at a time, because the CPU cannot predict the number of bytes; the kernel overwrites the
/// excess.
///
/// `bytes` bytes can be read and written, at least as many as a vector has. `first` and `last` are at most `bytes`.
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

/// Copies the bytes at the offsets `places`, rounded up to whole vectors, but nothing beyond `bytes` bytes.
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
