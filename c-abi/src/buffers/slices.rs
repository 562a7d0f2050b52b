//! Messages and AAD that C passes as several slices.

#![allow(non_camel_case_types, reason = "the structure has its C name")]

use super::Input;
use crate::code::Code;

/// Part of a message or of AAD.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct kasoku_slice {
    /// First byte of the part. NULL is allowed if `len` is 0.
    pub data: *const u8,
    /// Length in bytes.
    pub len: usize,
}

/// Caller's array of slices, each of which was checked.
#[derive(Clone, Copy)]
pub(crate) struct Slices {
    /// Address of the array, which may be unaligned.
    start: *const kasoku_slice,
    count: usize,
}

impl Slices {
    /// Applies `check` to the array, to each slice, and to the total length of the slices.
    ///
    /// # Safety
    /// The array must be readable, and nothing may write to it, as long as the result is used.
    pub(crate) unsafe fn new(
        start: *const kasoku_slice,
        count: usize,
        check: impl Fn(*const u8, usize) -> Result<Input, Code>,
    ) -> Result<Self, Code> {
        let bytes = count.saturating_mul(size_of::<kasoku_slice>());
        check(start.cast(), bytes)?;
        let new = Self { start, count };
        new.each().try_for_each(|slice| check(slice.data, slice.len).map(|_| ()))?;
        // Checks the total length, which may be too large; the address is irrelevant here.
        check(std::ptr::dangling(), new.bytes())?;
        Ok(new)
    }

    /// Returns the total length of the slices, or `usize::MAX` if it overflows.
    pub(crate) fn bytes(self) -> usize {
        self.each().fold(0, |bytes, slice| bytes.saturating_add(slice.len))
    }

    /// Returns all memory that a call reads: the array and each slice.
    pub(crate) fn inputs(self) -> impl Iterator<Item = Input> + Clone {
        let array = Input { start: self.start.cast(), bytes: self.count * size_of::<kasoku_slice>() };
        std::iter::once(array).chain(self.each().map(Into::into))
    }

    /// # Safety
    /// The memory of each slice must be readable for `'a`, and nothing may write to it during `'a`.
    pub(crate) unsafe fn slices<'a>(self) -> impl Iterator<Item = &'a [u8]> + Clone {
        // SAFETY: each slice was checked; the caller guarantees the memory.
        self.each().map(|slice| unsafe { Input::from(slice).slice() })
    }

    fn each(self) -> impl Iterator<Item = kasoku_slice> + Clone {
        // SAFETY: the caller of `new` guarantees `count` slices.
        (0..self.count).map(move |index| unsafe { self.start.add(index).read_unaligned() })
    }
}

impl From<kasoku_slice> for Input {
    fn from(slice: kasoku_slice) -> Self {
        Self { start: slice.data, bytes: slice.len }
    }
}
