//! Plaintext in several slices: copies all slices into one buffer, or plans which bytes a kernel reads directly from a
//! slice.

#![allow(unsafe_code, reason = "of the parts, only those that were written are read")]

use core::marker::PhantomData;
use core::mem::MaybeUninit;

use crate::error::Error;

/// Maximum number of separately addressed parts of a plaintext, including an empty part at the end. When the list of
/// parts is full, all further slices are copied. The list is on the stack, so it is short.
const MAX_PARTS: usize = 32;

/// Minimum length in bytes of a part that is read directly from a slice. Changing the address costs about as much time
/// as copying this number of bytes.
const MIN_IN_PLACE: usize = 256;

/// Offsets in a plaintext at which a kernel can continue reading from another address: `head`, and then every `turn`
/// bytes up to `tail`. The kernel reads all bytes after `tail` from one address.
pub(crate) struct Steps {
    pub(crate) head: usize,
    /// Number of bytes that one iteration of the kernel's main loop processes, a power of two.
    pub(crate) turn: usize,
    pub(crate) tail: usize,
    pub(crate) bytes: usize,
}

/// The parts of a plaintext, in order. Each part has a separate address, from which the kernel reads it.
pub(crate) struct Parts<'a> {
    parts: [MaybeUninit<Part>; MAX_PARTS],
    count: usize,
    slices: PhantomData<&'a [u8]>,
}

/// Consecutive plaintext bytes that a kernel reads from one address.
#[derive(Clone, Copy)]
pub(crate) struct Part {
    /// Address of the bytes, or null if the bytes were copied into the output buffer.
    pub(crate) input: *const u8,
    pub(crate) bytes: usize,
}

/// Copies all slices of a plaintext, one after the other, into `output`.
///
/// # Errors
/// [`Error::LengthsDiffer`]; the content of `output` is then unspecified.
pub(crate) fn gather<'a>(slices: impl Iterator<Item = &'a [u8]>, output: &mut [u8]) -> Result<(), Error> {
    let mut at = 0;
    for slice in slices {
        let end = end_of(slice, at);
        if let Some(place) = output.get_mut(at..end) {
            place.copy_from_slice(slice);
        }
        at = end;
    }
    check(at, output)
}

impl<'a> Parts<'a> {
    pub(crate) const fn new() -> Self {
        Self { parts: [const { MaybeUninit::uninit() }; MAX_PARTS], count: 0, slices: PhantomData }
    }

    /// Divides a plaintext, given in slices, into parts that a kernel can read. `output` has the plaintext's length.
    ///
    /// Parts end only at the offsets in `steps`. If several slices share the bytes between two such offsets, these
    /// bytes are copied to their position in `output`. The function `copy(place, slice, from, (first, last))` must copy
    /// the first `first` bytes and the last `last` bytes of `slice` to the same positions in `place`; `from` is the
    /// offset of `slice` in the plaintext. It may copy more bytes of `slice`.
    ///
    /// Returns the parts, followed by an empty part. (The list stays in `self`, because moving it takes as long as
    /// copying half a kilobyte.)
    ///
    /// # Errors
    /// [`Error::LengthsDiffer`]; the content of `output` is then unspecified.
    #[inline]
    pub(crate) fn lay_out(
        &mut self,
        steps: &Steps,
        slices: impl Iterator<Item = &'a [u8]>,
        output: &mut [u8],
        copy: impl Fn(&mut [u8], &[u8], usize, (usize, usize)),
    ) -> Result<&[Part], Error> {
        debug_assert_eq!(steps.bytes, output.len());
        self.count = 0;
        let (mut at, mut laid_out) = (0, 0);
        for slice in slices {
            let (from, end) = (at, end_of(slice, at));
            at = end;
            let Some(place) = output.get_mut(from..end) else { continue };
            // Leaves room for the copied bytes before this slice, those after it, and the empty part.
            if slice.len() >= MIN_IN_PLACE && self.count + 4 <= MAX_PARTS {
                let (first, last) = (steps.first_at_or_after(from), steps.last_at_or_before(end));
                if first + MIN_IN_PLACE <= last {
                    copy(place, slice, from, (first - from, end - last));
                    self.push(core::ptr::null(), first - laid_out);
                    self.push(slice[first - from..].as_ptr(), last - first);
                    laid_out = last;
                    continue;
                }
            }
            place.copy_from_slice(slice);
        }
        check(at, output)?;
        self.push(core::ptr::null(), output.len() - laid_out);
        self.put(core::ptr::null(), 0);
        // SAFETY: `count` parts were written.
        Ok(unsafe { self.parts[..self.count].assume_init_ref() })
    }

    /// Appends a part to the list, unless the part is empty.
    fn push(&mut self, input: *const u8, bytes: usize) {
        if bytes > 0 {
            self.put(input, bytes);
        }
    }

    fn put(&mut self, input: *const u8, bytes: usize) {
        self.parts[self.count].write(Part { input, bytes });
        self.count += 1;
    }
}

/// Returns the plaintext offset at which `slice` ends if it begins at the offset `place`. The addition saturates,
/// because a plaintext that repeats one slice many times may be longer than `usize::MAX`.
fn end_of(slice: &[u8], place: usize) -> usize {
    place.saturating_add(slice.len())
}

fn check(input: usize, output: &[u8]) -> Result<(), Error> {
    if input == output.len() { Ok(()) } else { Err(Error::LengthsDiffer { input, output: output.len() }) }
}

impl Steps {
    /// Returns the lowest offset, at or after `place`, at which a part may begin or end.
    fn first_at_or_after(&self, place: usize) -> usize {
        match place {
            0 => 0,
            _ if place <= self.head => self.head,
            _ if place <= self.tail => self.head + ((place - self.head + self.turn - 1) & !(self.turn - 1)),
            _ => self.bytes,
        }
    }

    /// Returns the highest offset, at or before `place`, at which a part may begin or end.
    fn last_at_or_before(&self, place: usize) -> usize {
        match place {
            _ if place == self.bytes => self.bytes,
            _ if place >= self.tail => self.tail,
            _ if place >= self.head => place - ((place - self.head) & (self.turn - 1)),
            _ => 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STEPS: Steps = Steps { head: 96, turn: 128, tail: 96 + 7 * 128, bytes: 96 + 7 * 128 + 300 };

    fn copy_ends(to: &mut [u8], from: &[u8], _: usize, (first, last): (usize, usize)) {
        let last = from.len() - last;
        to[..first].copy_from_slice(&from[..first]);
        to[last..].copy_from_slice(&from[last..]);
    }

    #[test]
    fn next_and_previous_part_boundaries_are_found_from_every_offset() {
        let steps: Vec<usize> = [0].into_iter().chain((96..=STEPS.tail).step_by(128)).chain([STEPS.bytes]).collect();
        for place in 0..=STEPS.bytes {
            assert_eq!(
                Some(STEPS.first_at_or_after(place)),
                steps.iter().copied().find(|&step| step >= place),
                "{place}"
            );
            assert_eq!(
                Some(STEPS.last_at_or_before(place)),
                steps.iter().copied().rfind(|&step| step <= place),
                "{place}"
            );
        }
    }

    /// Concatenates the parts as a kernel would read them. Tests every length of the first slice.
    #[test]
    fn lay_out_keeps_every_byte_of_the_slices_in_order() {
        let text: Vec<u8> = (0..STEPS.bytes).map(|place| (place % 251) as u8).collect();
        for first in 0..=text.len() {
            for second in (first..=text.len()).step_by(37) {
                let slices = [&text[..first], &text[first..second], &[], &text[second..]];
                let mut output = vec![0; text.len()];
                let mut parts = Parts::new();
                let parts = parts.lay_out(&STEPS, slices.into_iter(), &mut output, copy_ends).expect("as long");
                let parts = parts.to_vec();
                let mut read = Vec::new();
                for part in &parts {
                    assert_eq!(STEPS.first_at_or_after(read.len()), read.len(), "{first}, {second}: begins at a step");
                    let here = read.len()..read.len() + part.bytes;
                    if part.input.is_null() {
                        read.extend_from_slice(&output[here]);
                    } else {
                        assert!(part.bytes >= MIN_IN_PLACE);
                        // SAFETY: inside one of the slices.
                        read.extend_from_slice(unsafe { core::slice::from_raw_parts(part.input, part.bytes) });
                    }
                }
                assert_eq!(read, text, "{first}, {second}");
            }
        }
    }

    #[test]
    fn lay_out_copies_slices_once_the_list_of_parts_is_full() {
        let text = vec![7; STEPS.bytes * 64];
        let steps = Steps { tail: 96 + 128 * 600, bytes: text.len(), ..STEPS };
        let mut output = vec![0; text.len()];
        let mut parts = Parts::new();
        let parts = parts.lay_out(&steps, text.chunks(500), &mut output, copy_ends).expect("as long").to_vec();
        assert!(parts.len() <= MAX_PARTS);
        assert_eq!(parts.iter().map(|part| part.bytes).sum::<usize>(), text.len());
        let last = parts[parts.len() - 2];
        assert!(last.input.is_null() && output.ends_with(&text[text.len() - last.bytes..]));
    }

    #[test]
    fn lay_out_and_gather_reject_slices_whose_total_differs_from_the_output() {
        let mut output = vec![0; STEPS.bytes];
        for bytes in [0, 1, STEPS.bytes - 1, STEPS.bytes + 1] {
            let text = vec![1; bytes];
            let differ = Error::LengthsDiffer { input: bytes, output: STEPS.bytes };
            assert_eq!(Parts::new().lay_out(&STEPS, text.chunks(300), &mut output, copy_ends).err(), Some(differ));
            assert_eq!(gather(text.chunks(300), &mut output), Err(differ));
        }
    }
}
