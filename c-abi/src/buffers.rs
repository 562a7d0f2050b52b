//! What C hands over as a pointer and a length, checked before a byte is touched or a slice made.
//!
//! One rule for all calls: NULL is allowed where the length is 0; what is written overlaps nothing else, except that
//! the output may be the input itself, in place.

#![allow(unsafe_code, reason = "slices are made from C's pointers here, and nowhere else")]

// The engine refuses more than these as well, but it can only be asked with a slice, and a slice of memory that is not
// there must not be made.
use kasoku_engine::limits::{AAD_BYTES, TEXT_BYTES};

use crate::code::Code;

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

/// Where a text is read and written.
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
        Self::new(start, bytes, TEXT_BYTES, Code::TEXT_TOO_LONG)
    }

    pub(crate) fn key(start: *const u8, bytes: usize) -> Result<Self, Code> {
        if !matches!(bytes, 16 | 24 | 32) {
            return Err(Code::KEY_LENGTH);
        }
        Self::new(start, bytes, 32, Code::KEY_LENGTH)
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

    /// The text that goes from `input` to here.
    ///
    /// # Safety
    /// [`in_place_or_apart_from`](Self::in_place_or_apart_from) must have allowed it; the bytes must be readable and
    /// writable for `'a`, and nobody else may touch the output meanwhile.
    pub(crate) unsafe fn text_from<'a>(self, input: Input) -> Text<'a> {
        let output: &mut [u8] = if self.bytes == 0 {
            &mut []
        } else {
            // SAFETY: not NULL, no longer than isize::MAX and inside the address space (`Input::new`); no other slice
            // reaches into it: `input` is apart, or is not made into a slice of its own.
            unsafe { std::slice::from_raw_parts_mut(self.start, self.bytes) }
        };
        if self.is(input) {
            Text::InPlace(output)
        } else {
            // SAFETY: the caller vouches for it; it is apart from the output.
            Text::Between(unsafe { input.slice() }, output)
        }
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
pub(crate) struct Unverified(Output);

impl Unverified {
    /// # Safety
    /// The output must stay writable while this lives, and no slice of it be in use when it is dropped.
    pub(crate) unsafe fn new(output: Output) -> Self {
        Self(output)
    }

    /// The plaintext was verified.
    pub(crate) fn keep(self) {
        std::mem::forget(self);
    }
}

impl Drop for Unverified {
    fn drop(&mut self) {
        // SAFETY: promised in `new`.
        unsafe { self.0.zero() };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::border;

    #[test]
    fn a_panic_leaves_no_unverified_plaintext() {
        let mut text = *b"plaintext";
        let output = Output::text(text.as_mut_ptr(), text.len()).unwrap();
        let code = border::code(|| {
            // SAFETY: the array outlives it, and nobody else uses it.
            let unverified = unsafe { Unverified::new(output) };
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
    fn nothing_goes_round_the_end_of_the_address_space() {
        let last = std::ptr::without_provenance::<u8>(usize::MAX);
        assert!(Input::aad(last, 0).is_ok());
        assert_eq!(Input::aad(last, 1).err(), Some(Code::AAD_TOO_LONG));
        assert_eq!(Input::text(last.wrapping_sub(99), 101).err(), Some(Code::TEXT_TOO_LONG));
        assert_eq!(Input::tag(last).err(), Some(Code::NULL));
    }
}
