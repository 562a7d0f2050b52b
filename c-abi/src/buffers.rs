//! Checks pointers and lengths from C before the library reads or writes a byte or creates a slice.
//!
//! All functions follow one rule: NULL is allowed where the length is 0, and written memory overlaps no other argument.
//! Only the output may be exactly the input (in place).

#![allow(unsafe_code, reason = "creates slices from C pointers, as no other module does")]

mod message;
mod slices;

// The engine checks these limits too, but only on a slice, and a slice of unmapped memory must not be created.
use kasoku_engine::limits::{AAD_BYTES, PLAINTEXT_BYTES};

use crate::code::Code;

pub(crate) use message::Message;
pub(crate) use slices::Slices;
pub use slices::kasoku_slice;

/// Caller's memory that a call reads.
#[derive(Clone, Copy)]
pub(crate) struct Input {
    start: *const u8,
    bytes: usize,
}

/// Caller's memory that a call writes.
#[derive(Clone, Copy)]
pub(crate) struct Output {
    start: *mut u8,
    bytes: usize,
}

/// Input and output of a message: one buffer if in place, otherwise two buffers that do not overlap.
pub(crate) enum MessageBuffers<'a> {
    InPlace(&'a mut [u8]),
    Separate(&'a [u8], &'a mut [u8]),
}

impl Input {
    pub(crate) fn nonce(start: *const u8, bytes: usize) -> Result<Self, Code> {
        if bytes == 0 {
            return Err(Code::NONCE_LENGTH);
        }
        Self::new(start, bytes, AAD_BYTES, Code::NONCE_LENGTH)
    }

    pub(crate) fn aad(start: *const u8, bytes: usize) -> Result<Self, Code> {
        Self::new(start, bytes, AAD_BYTES, Code::AAD_TOO_LONG)
    }

    pub(crate) fn text(start: *const u8, bytes: usize) -> Result<Self, Code> {
        Self::new(start, bytes, PLAINTEXT_BYTES, Code::MESSAGE_TOO_LONG)
    }

    pub(crate) fn key(start: *const u8, bytes: usize) -> Result<Self, Code> {
        if !matches!(bytes, 16 | 24 | 32) {
            return Err(Code::KEY_LENGTH);
        }
        Self::new(start, bytes, 32, Code::KEY_LENGTH)
    }

    pub(crate) fn iv(start: *const u8) -> Result<Self, Code> {
        Self::new(start, 12, u64::MAX, Code::NULL)
    }

    pub(crate) fn connection_id(start: *const u8, bytes: usize) -> Result<Self, Code> {
        // RFC 9000 §17.2.
        Self::new(start, bytes, 20, Code::CONNECTION_ID_LENGTH)
    }

    pub(crate) fn tag(start: *const u8) -> Result<Self, Code> {
        Self::new(start, kasoku_engine::TAG_BYTES, u64::MAX, Code::NULL)
    }

    fn new(start: *const u8, bytes: usize, limit: u64, too_long: Code) -> Result<Self, Code> {
        // No object is larger than isize::MAX, and none wraps around the end of the address space.
        let ends = start.addr().checked_add(bytes).is_some();
        if bytes as u64 > limit || isize::try_from(bytes).is_err() || !ends {
            return Err(too_long);
        }
        if start.is_null() && bytes > 0 {
            return Err(Code::NULL);
        }
        Ok(Self { start, bytes })
    }

    /// # Safety
    /// The memory must be readable for `'a`, and nothing may write to it during `'a`.
    pub(crate) unsafe fn slice<'a>(self) -> &'a [u8] {
        if self.bytes == 0 {
            return &[];
        }
        // SAFETY: not NULL, at most isize::MAX bytes and inside the address space (`new`); the caller guarantees the
        // rest.
        unsafe { std::slice::from_raw_parts(self.start, self.bytes) }
    }
}

impl Output {
    pub(crate) fn text(start: *mut u8, bytes: usize) -> Result<Self, Code> {
        Input::text(start, bytes)?;
        Ok(Self { start, bytes })
    }

    pub(crate) fn tag(start: *mut u8) -> Result<Self, Code> {
        Input::tag(start)?;
        Ok(Self { start, bytes: kasoku_engine::TAG_BYTES })
    }

    /// Describes a packet of `bytes` bytes that is followed by `room` bytes of writable memory.
    pub(crate) fn packet(start: *mut u8, bytes: usize, room: usize) -> Result<Self, Code> {
        Self::text(start, bytes.checked_add(room).ok_or(Code::MESSAGE_TOO_LONG)?)
    }

    /// Describes the memory of a single number, which may be unaligned.
    pub(crate) fn number<N>(start: *mut N) -> Result<Self, Code> {
        let (start, bytes) = (start.cast(), size_of::<N>());
        Input::new(start, bytes, u64::MAX, Code::NULL)?;
        Ok(Self { start, bytes })
    }

    pub(crate) const fn empty() -> Self {
        Self { start: std::ptr::null_mut(), bytes: 0 }
    }

    /// Returns whether the two buffers share a byte.
    #[inline]
    pub(crate) fn overlaps(self, other: Self) -> bool {
        // If `other` begins before `self`, the distance wraps to a very large number.
        let distance = other.start.addr().wrapping_sub(self.start.addr());
        (distance < self.bytes) & (other.bytes > 0) | (distance.wrapping_neg() < other.bytes) & (self.bytes > 0)
    }

    /// Returns the first address and the address after the last byte.
    pub(crate) fn address_range(self) -> (usize, usize) {
        (self.start.addr(), self.start.addr() + self.bytes)
    }

    /// Returns an overlap error if this output shares a byte with any of `inputs`.
    pub(crate) fn check_apart_from(self, inputs: &[Input]) -> Result<(), Code> {
        let (start, end) = (self.start.addr(), self.start.addr() + self.bytes);
        let overlaps = |input: &Input| {
            // An empty buffer overlaps no other buffer.
            let is_somewhere = self.bytes > 0 && input.bytes > 0;
            is_somewhere && start < input.start.addr() + input.bytes && input.start.addr() < end
        };
        if inputs.iter().any(overlaps) { Err(Code::OVERLAP) } else { Ok(()) }
    }

    /// Returns an overlap error if this output overlaps `input`, unless they have the same address and length.
    pub(crate) fn check_in_place_or_apart_from(self, input: Input) -> Result<(), Code> {
        if self.is_same_memory(input) { Ok(()) } else { self.check_apart_from(&[input]) }
    }

    /// Returns the output's memory as an input, to check another output against it.
    pub(crate) fn as_input(self) -> Input {
        Input { start: self.start, bytes: self.bytes }
    }

    /// Returns the slices of a message read from `input` and written to this output.
    ///
    /// # Safety
    /// [`check_in_place_or_apart_from`](Self::check_in_place_or_apart_from) must have accepted `input`. Both buffers
    /// must be valid for `'a`, and nothing else may access the output during `'a`.
    pub(crate) unsafe fn buffers_from<'a>(self, input: Input) -> MessageBuffers<'a> {
        // SAFETY: no other slice overlaps the output: `input` either lies apart from it or gets no slice of its own.
        let output = unsafe { self.slice() };
        if self.is_same_memory(input) {
            MessageBuffers::InPlace(output)
        } else {
            // SAFETY: guaranteed by the caller; the input lies apart from the output.
            MessageBuffers::Separate(unsafe { input.slice() }, output)
        }
    }

    /// # Safety
    /// The memory must be readable and writable for `'a`. Nothing else may access it during `'a`, and no other slice
    /// may overlap it.
    pub(crate) unsafe fn slice<'a>(self) -> &'a mut [u8] {
        if self.bytes == 0 {
            return &mut [];
        }
        // SAFETY: not NULL, at most isize::MAX bytes and inside the address space (`Input::new`); the caller guarantees
        // the rest.
        unsafe { std::slice::from_raw_parts_mut(self.start, self.bytes) }
    }

    /// # Safety
    /// The memory must be writable, `bytes` must have the output's length, and no slice of the output may be in use.
    pub(crate) unsafe fn write(self, bytes: &[u8]) {
        debug_assert_eq!(self.bytes, bytes.len());
        // SAFETY: guaranteed by the caller; `bytes` is memory of this library.
        unsafe { self.start.copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) };
    }

    /// # Safety
    /// The memory must be writable, and no slice of the output may be in use.
    unsafe fn zero(self) {
        if self.bytes > 0 {
            // SAFETY: guaranteed by the caller.
            unsafe { self.start.write_bytes(0, self.bytes) };
        }
    }

    fn is_same_memory(self, input: Input) -> bool {
        self.start.cast_const() == input.start && self.bytes == input.bytes
    }
}

/// Guard that overwrites plaintext with zeros when dropped, including during a panic. [`UnverifiedPlaintext::keep`]
/// releases the plaintext unchanged.
pub(crate) struct UnverifiedPlaintext<O: AsRef<[Output]>>(O);

impl<O: AsRef<[Output]>> UnverifiedPlaintext<O> {
    /// Creates a guard that zeroes `outputs` when it is dropped.
    ///
    /// # Safety
    /// The outputs must stay writable until the guard is dropped, and no slice of them may be in use then.
    pub(crate) unsafe fn new(outputs: O) -> Self {
        Self(outputs)
    }

    /// Ends the guard and leaves the outputs unchanged, because the tag was verified.
    pub(crate) fn keep(self) {
        std::mem::forget(self);
    }
}

impl<O: AsRef<[Output]>> Drop for UnverifiedPlaintext<O> {
    fn drop(&mut self) {
        for output in self.0.as_ref() {
            // SAFETY: guaranteed by the caller of `new`.
            unsafe { output.zero() };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::boundary;

    #[test]
    fn panic_zeroes_unverified_plaintext() {
        let mut text = *b"plaintext";
        let output = Output::text(text.as_mut_ptr(), text.len()).unwrap();
        let code = boundary::code(|| {
            // SAFETY: the array outlives the guard, and nothing else uses it.
            let unverified = unsafe { UnverifiedPlaintext::new([output]) };
            if text.len() == 9 {
                panic!("a bug in the middle of a message");
            }
            unverified.keep();
            Ok(())
        });
        assert_eq!(code, crate::KASOKU_ERR_INTERNAL);
        assert_eq!(text, [0; 9]);
    }

    #[test]
    fn outputs_overlap_if_they_share_a_byte() {
        let mut arena = [0; 12];
        let start = arena.as_mut_ptr();
        let span = |at: usize, bytes| Output { start: start.wrapping_add(at), bytes };
        for (at, bytes) in (0..12).flat_map(|at| (0..=12 - at).map(move |bytes| (at, bytes))) {
            for (other, others) in (0..12).flat_map(|at| (0..=12 - at).map(move |bytes| (at, bytes))) {
                let share = (at..at + bytes).any(|byte| (other..other + others).contains(&byte));
                assert_eq!(span(at, bytes).overlaps(span(other, others)), share, "{at} {bytes} {other} {others}");
            }
        }
    }

    #[test]
    fn input_rejects_buffers_that_wrap_the_address_space() {
        let last = std::ptr::without_provenance::<u8>(usize::MAX);
        assert!(Input::aad(last, 0).is_ok());
        assert_eq!(Input::aad(last, 1).err(), Some(Code::AAD_TOO_LONG));
        assert_eq!(Input::text(last.wrapping_sub(99), 101).err(), Some(Code::MESSAGE_TOO_LONG));
        assert_eq!(Input::tag(last).err(), Some(Code::NULL));
    }
}
