//! Messages and AAD that C hands over in several slices.

#![allow(non_camel_case_types, reason = "the structure has one name, in C and here")]

use super::Input;
use crate::code::Code;

/// A part of a message or of AAD.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct kasoku_slice {
    /// The first byte. NULL is allowed where the length is 0.
    pub data: *const u8,
    /// Bytes.
    pub len: usize,
}

/// An array of slices, and what they point to.
#[derive(Clone, Copy)]
pub(crate) struct Slices {
    /// Wherever it lies: it need not be aligned.
    start: *const kasoku_slice,
    count: usize,
}

impl Slices {
    /// Checks the array, each slice and the length of all, as `check` says.
    ///
    /// # Safety
    /// The array must be readable for as long as this is used, and nobody may write it meanwhile.
    pub(crate) unsafe fn new(
        start: *const kasoku_slice,
        count: usize,
        check: impl Fn(*const u8, usize) -> Result<Input, Code>,
    ) -> Result<Self, Code> {
        let bytes = count.saturating_mul(size_of::<kasoku_slice>());
        check(start.cast(), bytes)?;
        let new = Self { start, count };
        new.each().try_for_each(|slice| check(slice.data, slice.len).map(|_| ()))?;
        // Together they may be longer than one may be, wherever that would lie.
        check(std::ptr::dangling(), new.bytes())?;
        Ok(new)
    }

    /// Bytes of all slices; of more than there can be, as many as a number can say.
    pub(crate) fn bytes(self) -> usize {
        self.each().fold(0, |bytes, slice| bytes.saturating_add(slice.len))
    }

    /// All that is read: the slices, and the array itself.
    pub(crate) fn inputs(self) -> impl Iterator<Item = Input> + Clone {
        let array = Input { start: self.start.cast(), bytes: self.count * size_of::<kasoku_slice>() };
        std::iter::once(array).chain(self.each().map(Into::into))
    }

    /// The slices as Rust's.
    ///
    /// # Safety
    /// What they point to must be readable for `'a`, and nobody may write it meanwhile.
    pub(crate) unsafe fn slices<'a>(self) -> impl Iterator<Item = &'a [u8]> + Clone {
        // SAFETY: each was checked; the caller vouches for the memory.
        self.each().map(|slice| unsafe { Input::from(slice).slice() })
    }

    fn each(self) -> impl Iterator<Item = kasoku_slice> + Clone {
        // SAFETY: this many are there, as the caller of `new` vouched.
        (0..self.count).map(move |index| unsafe { self.start.add(index).read_unaligned() })
    }
}

impl From<kasoku_slice> for Input {
    fn from(slice: kasoku_slice) -> Self {
        Self { start: slice.data, bytes: slice.len }
    }
}
