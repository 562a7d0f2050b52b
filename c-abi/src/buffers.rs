//! What C hands over as a pointer and a length, checked before a byte is touched or a slice made.
//!
//! One rule for all calls: NULL is allowed where the length is 0; what is written overlaps nothing else, except that
//! the output may be the input itself, in place.

#![allow(unsafe_code, reason = "slices are made from C's pointers here, and nowhere else")]

mod message;
mod slices;

// The engine refuses more than these as well, but it can only be asked with a slice, and a slice of memory that is not
// there must not be made.
use kasoku_engine::limits::{AAD_BYTES, PLAINTEXT_BYTES};

use crate::code::Code;

pub(crate) use message::Message;
pub(crate) use slices::Slices;
pub use slices::kasoku_slice;

/// Bytes of the caller's that are read.
#[derive(Clone, Copy)]
pub(crate) struct Input {
    start: *const u8,
    bytes: usize,
}

/// Bytes of the caller's that are written.
#[derive(Clone, Copy)]
pub(crate) struct Output {
    start: *mut u8,
    bytes: usize,
}

/// Where a message is read and written.
pub(crate) enum Text<'a> {
    InPlace(&'a mut [u8]),
    Between(&'a [u8], &'a mut [u8]),
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
        // No object is larger than isize::MAX, and none goes round the end of the address space.
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
    /// The bytes must be readable for `'a`, and nobody may write them meanwhile.
    pub(crate) unsafe fn slice<'a>(self) -> &'a [u8] {
        if self.bytes == 0 {
            return &[];
        }
        // SAFETY: not NULL, no longer than isize::MAX and inside the address space (`new`); the caller vouches for
        // the rest.
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

    /// A packet with `room` behind it.
    pub(crate) fn packet(start: *mut u8, bytes: usize, room: usize) -> Result<Self, Code> {
        Self::text(start, bytes.checked_add(room).ok_or(Code::MESSAGE_TOO_LONG)?)
    }

    /// Where a number goes.
    pub(crate) fn number<N>(start: *mut N) -> Result<Self, Code> {
        let (start, bytes) = (start.cast(), size_of::<N>());
        Input::new(start, bytes, u64::MAX, Code::NULL)?;
        Ok(Self { start, bytes })
    }

    pub(crate) const fn nowhere() -> Self {
        Self { start: std::ptr::null_mut(), bytes: 0 }
    }

    /// Whether both have a byte in common.
    #[inline]
    pub(crate) fn meets(self, other: Self) -> bool {
        // What lies before the start counts as far behind it.
        let distance = other.start.addr().wrapping_sub(self.start.addr());
        (distance < self.bytes) & (other.bytes > 0) | (distance.wrapping_neg() < other.bytes) & (self.bytes > 0)
    }

    /// Where it begins, and where it has ended.
    pub(crate) fn ends(self) -> (usize, usize) {
        (self.start.addr(), self.start.addr() + self.bytes)
    }

    /// Refuses to write over any of `inputs`.
    pub(crate) fn apart_from(self, inputs: &[Input]) -> Result<(), Code> {
        let (start, end) = (self.start.addr(), self.start.addr() + self.bytes);
        let overlaps = |input: &Input| {
            // A buffer of no bytes is nowhere, wherever it points.
            let is_somewhere = self.bytes > 0 && input.bytes > 0;
            is_somewhere && start < input.start.addr() + input.bytes && input.start.addr() < end
        };
        if inputs.iter().any(overlaps) { Err(Code::OVERLAP) } else { Ok(()) }
    }

    /// Refuses to write over a part of `input`; over all of it is in place.
    pub(crate) fn in_place_or_apart_from(self, input: Input) -> Result<(), Code> {
        if self.is(input) { Ok(()) } else { self.apart_from(&[input]) }
    }

    /// The same bytes as something that is read.
    pub(crate) fn as_input(self) -> Input {
        Input { start: self.start, bytes: self.bytes }
    }

    /// The message that goes from `input` to here.
    ///
    /// # Safety
    /// [`in_place_or_apart_from`](Self::in_place_or_apart_from) must have allowed it; the bytes must be readable and
    /// writable for `'a`, and nobody else may touch the output meanwhile.
    pub(crate) unsafe fn text_from<'a>(self, input: Input) -> Text<'a> {
        // SAFETY: no other slice reaches into it: `input` is apart, or is not made into a slice of its own.
        let output = unsafe { self.slice() };
        if self.is(input) {
            Text::InPlace(output)
        } else {
            // SAFETY: the caller vouches for it; it is apart from the output.
            Text::Between(unsafe { input.slice() }, output)
        }
    }

    /// The bytes, to be changed in place.
    ///
    /// # Safety
    /// They must be readable and writable for `'a`, nobody else may touch them meanwhile, and no other slice may reach
    /// into them.
    pub(crate) unsafe fn slice<'a>(self) -> &'a mut [u8] {
        if self.bytes == 0 {
            return &mut [];
        }
        // SAFETY: not NULL, no longer than isize::MAX and inside the address space (`Input::new`); the caller vouches
        // for the rest.
        unsafe { std::slice::from_raw_parts_mut(self.start, self.bytes) }
    }

    /// # Safety
    /// The bytes must be writable, `bytes` be as many, and no slice of them be in use.
    pub(crate) unsafe fn write(self, bytes: &[u8]) {
        debug_assert_eq!(self.bytes, bytes.len());
        // SAFETY: the caller vouches for it; `bytes` is Rust's own.
        unsafe { self.start.copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) };
    }

    /// # Safety
    /// The bytes must be writable, and no slice of them be in use.
    unsafe fn zero(self) {
        if self.bytes > 0 {
            // SAFETY: the caller vouches for it.
            unsafe { self.start.write_bytes(0, self.bytes) };
        }
    }

    fn is(self, input: Input) -> bool {
        self.start.cast_const() == input.start && self.bytes == input.bytes
    }
}

/// Plaintext that is not verified yet. Dropped, also by a panic, it is zeros; [`Unverified::keep`] lets it stand.
pub(crate) struct Unverified<O: AsRef<[Output]>>(O);

impl<O: AsRef<[Output]>> Unverified<O> {
    /// # Safety
    /// The outputs must stay writable while this lives, and no slice of them be in use when it is dropped.
    pub(crate) unsafe fn new(outputs: O) -> Self {
        Self(outputs)
    }

    /// The plaintext was verified.
    pub(crate) fn keep(self) {
        std::mem::forget(self);
    }
}

impl<O: AsRef<[Output]>> Drop for Unverified<O> {
    fn drop(&mut self) {
        for output in self.0.as_ref() {
            // SAFETY: promised in `new`.
            unsafe { output.zero() };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::boundary;

    #[test]
    fn a_panic_leaves_no_unverified_plaintext() {
        let mut text = *b"plaintext";
        let output = Output::text(text.as_mut_ptr(), text.len()).unwrap();
        let code = boundary::code(|| {
            // SAFETY: the array outlives it, and nobody else uses it.
            let unverified = unsafe { Unverified::new([output]) };
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
    fn outputs_meet_where_they_share_a_byte() {
        let mut arena = [0; 12];
        let start = arena.as_mut_ptr();
        let span = |at: usize, bytes| Output { start: start.wrapping_add(at), bytes };
        for (at, bytes) in (0..12).flat_map(|at| (0..=12 - at).map(move |bytes| (at, bytes))) {
            for (other, others) in (0..12).flat_map(|at| (0..=12 - at).map(move |bytes| (at, bytes))) {
                let share = (at..at + bytes).any(|byte| (other..other + others).contains(&byte));
                assert_eq!(span(at, bytes).meets(span(other, others)), share, "{at} {bytes} {other} {others}");
            }
        }
    }

    #[test]
    fn nothing_goes_round_the_end_of_the_address_space() {
        let last = std::ptr::without_provenance::<u8>(usize::MAX);
        assert!(Input::aad(last, 0).is_ok());
        assert_eq!(Input::aad(last, 1).err(), Some(Code::AAD_TOO_LONG));
        assert_eq!(Input::text(last.wrapping_sub(99), 101).err(), Some(Code::MESSAGE_TOO_LONG));
        assert_eq!(Input::tag(last).err(), Some(Code::NULL));
    }
}
