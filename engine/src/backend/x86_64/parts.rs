//! Plaintext in several slices: how the main loop moves from one slice to the next.

use core::hint::select_unpredictable;
use core::marker::PhantomData;
use core::ops::Range;

use super::lines::{HEADER_BYTES, Lines};
use super::schedule::Schedule;
use crate::backend::parts::Part;

/// Decides whether a kernel reads slices of plaintext where they are. Otherwise the slices are copied into one buffer:
/// in the fixed order of instructions of the [`interleaved`](super::interleaved) loop, the address that is read cannot
/// change.
pub(super) trait ReadsParts: Schedule {
    const READS_PARTS: bool = !Self::IS_INTERLEAVED;
}

impl<V: Schedule> ReadsParts for V {}

/// The addresses from which a plaintext is read: one buffer, or several slices.
pub(crate) trait Source {
    /// Returns the index of the power of H before which the main loop must stop, because the plaintext continues at
    /// another address there. Returns `end` if the loop reaches `end` first. The loop counts its iterations by this
    /// index: each iteration uses two powers of H, and processes `turn` bytes. `power` is the index of the next power.
    fn powers_here(&self, power: usize, end: usize, turn: usize) -> usize;

    /// Returns the number of bytes that can be processed before the address changes. For a plaintext in one buffer,
    /// this may be any number that is not less than the rest of the plaintext.
    fn bytes_here(&self) -> usize;

    /// Skips `bytes` bytes of the plaintext, and returns the data after these bytes. `lines` is the rest of the current
    /// buffer.
    fn after(&mut self, bytes: usize, lines: Lines) -> Lines;
}

/// A plaintext or ciphertext that is in one buffer.
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

/// A plaintext that is in several slices.
pub(super) struct InParts<'a> {
    /// Number of bytes left in the current slice.
    left: usize,
    /// The next slice. The list ends with an empty slice, and the pointer never goes past it, so this pointer is always
    /// valid.
    next: *const Part,
    parts: PhantomData<&'a [Part]>,
}

impl<'a> InParts<'a> {
    /// Starts reading the plaintext at the first slice in `parts`. `lines` has the address and length of the output
    /// buffer; its input address is ignored. Returns the position in the plaintext, and `lines` with the address of the
    /// first slice as input address.
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
        // Avoids a branch, because the CPU could not predict where slices end.
        let is_over = self.left == 0;
        self.left = select_unpredictable(is_over, next.bytes, self.left);
        self.next = self.next.wrapping_add(usize::from(is_over));
        lines.read_from(next.input, is_over)
    }
}

/// Copies the first `first` and the last `last` bytes of a slice to the same positions at the address `to`, which has
/// the offset `at` in the message.
///
/// Stores each vector where the kernel will load one, since a load from two stores waits until both have left the store
/// buffer. Copies four vectors at a time, because the CPU cannot predict the number of bytes. The kernel later
/// overwrites bytes that are copied in excess.
///
/// # Safety
/// `bytes` bytes can be read at `from` and written at `to`, at least one vector. `first` and `last` are at most
/// `bytes`.
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

/// Copies the bytes at the offsets `places` from `from` to `to`. Rounds the range up to whole vectors, but copies
/// nothing beyond `bytes` bytes.
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
