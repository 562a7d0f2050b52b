//! A text that is given in several slices.

#![allow(unsafe_code, reason = "of the parts, only those that were written are read")]

use core::marker::PhantomData;
use core::mem::MaybeUninit;

use crate::error::Error;

/// Most parts of a text: those of 31 slices, or 15 between which something is copied. The rest is copied.
const MOST: usize = 32;

/// Fewest bytes that are read where they lie: to go on elsewhere costs a kernel about as much as to copy so many.
const LEAST: usize = 256;

/// Bytes that are copied at once at either end of what is read where it lies.
const COPIED: usize = 128;

/// Where a kernel can go on reading elsewhere: behind its first bytes, then after every turn up to the tail, all of
/// which it reads at once.
pub(crate) struct Steps {
    pub(crate) head: usize,
    pub(crate) turn: usize,
    /// Where the tail begins.
    pub(crate) tail: usize,
    /// All of the text.
    pub(crate) bytes: usize,
}

/// The parts in which a kernel reads a text, one after the other.
pub(crate) struct Parts<'a> {
    parts: [MaybeUninit<Part>; MOST],
    count: usize,
    slices: PhantomData<&'a [u8]>,
}

/// So many bytes that are read in one place.
#[derive(Clone, Copy)]
pub(crate) struct Part {
    /// NULL where they were copied to the place that they are written to.
    pub(crate) input: *const u8,
    pub(crate) bytes: usize,
}

/// Copies a text to one place.
///
/// # Errors
/// [`Error::LengthsDiffer`], with anything in the output.
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
    /// Lays out a text of [`Steps::bytes`] bytes, as many as `output` has. What lies between two steps in more than one
    /// slice is copied to `output`, to the place where the kernel writes it.
    ///
    /// # Errors
    /// [`Error::LengthsDiffer`], with anything in the output.
    pub(crate) fn new(steps: &Steps, slices: impl Iterator<Item = &'a [u8]>, output: &mut [u8]) -> Result<Self, Error> {
        debug_assert_eq!(steps.bytes, output.len());
        let mut new = Self { parts: [const { MaybeUninit::uninit() }; MOST], count: 0, slices: PhantomData };
        let (mut at, mut laid_out) = (0, 0);
        for slice in slices {
            let end = end_of(slice, at);
            let Some(place) = output.get_mut(at..end) else {
                at = end;
                continue;
            };
            let (first, last) = (steps.first_from(at), steps.last_to(end));
            // Room for what was copied before it, and for what may be behind it.
            if first + LEAST <= last && new.count + 3 <= MOST {
                copy_first(place, slice, first - at);
                copy_last(place, slice, end - last);
                new.push(core::ptr::null(), first - laid_out);
                new.push(slice[first - at..].as_ptr(), last - first);
                laid_out = last;
            } else {
                place.copy_from_slice(slice);
            }
            at = end;
        }
        check(at, output)?;
        new.push(core::ptr::null(), output.len() - laid_out);
        Ok(new)
    }

    /// All of them, each as many bytes as lie between two steps.
    pub(crate) fn all(&self) -> &[Part] {
        // SAFETY: so many were written.
        unsafe { self.parts[..self.count].assume_init_ref() }
    }

    fn push(&mut self, input: *const u8, bytes: usize) {
        if bytes > 0 {
            self.parts[self.count].write(Part { input, bytes });
            self.count += 1;
        }
    }
}

/// Copies the first `bytes` bytes of a slice that is read where it lies. How many they are is nothing that the CPU
/// could foresee: so it is as many every time, of which what is too much will be written over.
fn copy_first(place: &mut [u8], slice: &[u8], bytes: usize) {
    match (place.first_chunk_mut::<COPIED>(), slice.first_chunk::<COPIED>()) {
        _ if bytes == 0 => {}
        (Some(place), Some(bytes_there)) if bytes <= COPIED => *place = *bytes_there,
        _ => place[..bytes].copy_from_slice(&slice[..bytes]),
    }
}

/// The same with its last bytes.
fn copy_last(place: &mut [u8], slice: &[u8], bytes: usize) {
    let from = slice.len() - bytes;
    match (place.last_chunk_mut::<COPIED>(), slice.last_chunk::<COPIED>()) {
        _ if bytes == 0 => {}
        (Some(place), Some(bytes_there)) if bytes <= COPIED => *place = *bytes_there,
        _ => place[from..].copy_from_slice(&slice[from..]),
    }
}

/// Where a slice ends that begins at `place`. (The same one may be there again and again, so that it has no bound.)
fn end_of(slice: &[u8], place: usize) -> usize {
    place.saturating_add(slice.len())
}

fn check(input: usize, output: &[u8]) -> Result<(), Error> {
    if input == output.len() { Ok(()) } else { Err(Error::LengthsDiffer { input, output: output.len() }) }
}

impl Steps {
    /// The first step at `place` or behind it.
    fn first_from(&self, place: usize) -> usize {
        match place {
            0 => 0,
            _ if place <= self.head => self.head,
            _ if place <= self.tail => self.head + (place - self.head).next_multiple_of(self.turn),
            _ => self.bytes,
        }
    }

    /// The last step at `place` or before it.
    fn last_to(&self, place: usize) -> usize {
        match place {
            _ if place == self.bytes => self.bytes,
            _ if place >= self.tail => self.tail,
            _ if place >= self.head => place - (place - self.head) % self.turn,
            _ => 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STEPS: Steps = Steps { head: 96, turn: 128, tail: 96 + 7 * 128, bytes: 96 + 7 * 128 + 300 };

    #[test]
    fn a_step_is_found_from_both_sides() {
        let steps: Vec<usize> = [0].into_iter().chain((96..=STEPS.tail).step_by(128)).chain([STEPS.bytes]).collect();
        for place in 0..=STEPS.bytes {
            assert_eq!(Some(STEPS.first_from(place)), steps.iter().copied().find(|&step| step >= place), "{place}");
            assert_eq!(Some(STEPS.last_to(place)), steps.iter().copied().rfind(|&step| step <= place), "{place}");
        }
    }

    /// What the parts say, read: the text.
    #[test]
    fn parts_are_the_text() {
        let text: Vec<u8> = (0..STEPS.bytes).map(|place| (place % 251) as u8).collect();
        for first in 0..=text.len() {
            for second in (first..=text.len()).step_by(37) {
                let slices = [&text[..first], &text[first..second], &[], &text[second..]];
                let mut output = vec![0; text.len()];
                let parts = Parts::new(&STEPS, slices.into_iter(), &mut output).expect("as long");
                let mut read = Vec::new();
                for part in parts.all() {
                    assert_eq!(STEPS.first_from(read.len()), read.len(), "{first}, {second}: begins at a step");
                    let here = read.len()..read.len() + part.bytes;
                    if part.input.is_null() {
                        read.extend_from_slice(&output[here]);
                    } else {
                        assert!(part.bytes >= LEAST);
                        // SAFETY: inside one of the slices.
                        read.extend_from_slice(unsafe { core::slice::from_raw_parts(part.input, part.bytes) });
                    }
                }
                assert_eq!(read, text, "{first}, {second}");
            }
        }
    }

    #[test]
    fn many_slices_are_copied_in_the_end() {
        let text = vec![7; STEPS.bytes * 64];
        let steps = Steps { tail: 96 + 128 * 600, bytes: text.len(), ..STEPS };
        let mut output = vec![0; text.len()];
        let parts = Parts::new(&steps, text.chunks(500), &mut output).expect("as long");
        assert!(parts.all().len() <= MOST);
        assert_eq!(parts.all().iter().map(|part| part.bytes).sum::<usize>(), text.len());
        let last = parts.all()[parts.all().len() - 1];
        assert!(last.input.is_null() && output.ends_with(&text[text.len() - last.bytes..]));
    }

    #[test]
    fn another_length_is_found() {
        let mut output = vec![0; STEPS.bytes];
        for bytes in [0, 1, STEPS.bytes - 1, STEPS.bytes + 1] {
            let text = vec![1; bytes];
            let differ = Error::LengthsDiffer { input: bytes, output: STEPS.bytes };
            assert_eq!(Parts::new(&STEPS, text.chunks(300), &mut output).err(), Some(differ));
            assert_eq!(gather(text.chunks(300), &mut output), Err(differ));
        }
    }
}
