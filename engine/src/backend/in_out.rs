//! Input and output buffers of a message: one buffer for both (in place), or two buffers.

#![allow(unsafe_code, reason = "one type for one buffer and for two")]

use core::marker::PhantomData;
use core::slice;

use crate::error::Error;

/// Input and output of a message, which have equal lengths: one buffer for both, or two buffers that do not overlap, as
/// Rust's borrow rules guarantee. (Stores addresses instead of slices, so that one compiled function serves both.)
pub(crate) struct InOut<'a> {
    input: *const u8,
    output: *mut u8,
    bytes: usize,
    buffers: PhantomData<(&'a [u8], &'a mut [u8])>,
}

// SAFETY (every `unsafe` block): the buffers are borrowed for `'a`, and have `bytes` bytes.
impl<'a> InOut<'a> {
    /// Makes `data` both input and output: the output replaces the input.
    #[inline(always)]
    pub(crate) fn in_place(data: &'a mut [u8]) -> Self {
        let (output, bytes) = (data.as_mut_ptr(), data.len());
        Self { input: output, output, bytes, buffers: PhantomData }
    }

    /// Pairs `input` with an `output` of the same length.
    ///
    /// # Errors
    /// [`Error::LengthsDiffer`].
    #[inline]
    pub(crate) fn between(input: &'a [u8], output: &'a mut [u8]) -> Result<Self, Error> {
        if input.len() != output.len() {
            return Err(Error::LengthsDiffer { input: input.len(), output: output.len() });
        }
        Ok(Self { input: input.as_ptr(), ..Self::in_place(output) })
    }

    #[inline(always)]
    pub(crate) fn len(&self) -> usize {
        self.bytes
    }

    /// Returns the input. If input and output are one buffer, the parts already written contain output.
    #[inline]
    pub(crate) fn input(&self) -> &[u8] {
        // SAFETY: see above; while `self` is borrowed, nothing is written.
        unsafe { slice::from_raw_parts(self.input, self.bytes) }
    }

    #[inline]
    pub(crate) fn output(&self) -> &[u8] {
        // SAFETY: see above; while `self` is borrowed, nothing is written.
        unsafe { slice::from_raw_parts(self.output, self.bytes) }
    }

    #[inline]
    pub(crate) fn output_mut(&mut self) -> &mut [u8] {
        // SAFETY: see above; while `self` is borrowed exclusively, nothing else is read or written.
        unsafe { slice::from_raw_parts_mut(self.output, self.bytes) }
    }

    /// Borrows the buffers mutably, so that the caller can use this value again afterwards.
    #[inline(always)]
    pub(crate) fn reborrow(&mut self) -> InOut<'_> {
        InOut { buffers: PhantomData, ..*self }
    }

    /// Returns the input and the output, as slices that fit into registers. The input is `None` if input and output are
    /// one buffer.
    #[inline]
    pub(crate) fn into_parts(self) -> (Option<&'a [u8]>, &'a mut [u8]) {
        // SAFETY: see above.
        unsafe {
            let input = (self.input != self.output).then(|| slice::from_raw_parts(self.input, self.bytes));
            (input, slice::from_raw_parts_mut(self.output, self.bytes))
        }
    }

    /// Creates a value from an input and an output. The input is `None` if input and output are one buffer.
    ///
    /// # Panics
    /// If the lengths differ.
    #[inline]
    pub(crate) fn from_parts((input, output): (Option<&'a [u8]>, &'a mut [u8])) -> Self {
        match input {
            None => Self::in_place(output),
            Some(input) => {
                assert_eq!(input.len(), output.len(), "input and output");
                Self { input: input.as_ptr(), ..Self::in_place(output) }
            }
        }
    }

    /// Splits input and output after their first `middle` bytes.
    ///
    /// # Panics
    /// If the data is shorter than `middle` bytes.
    #[inline(always)]
    pub(crate) fn split_at(self, middle: usize) -> (Self, Self) {
        assert!(middle <= self.bytes, "a split after the end of the data");
        let (input, output) = (self.input.wrapping_add(middle), self.output.wrapping_add(middle));
        (Self { bytes: middle, ..self }, Self { input, output, bytes: self.bytes - middle, ..self })
    }

    /// Writes `keystream` XOR the input to the output. In both input and output, begins at byte `start`.
    ///
    /// # Panics
    /// If the data ends before the keystream does.
    #[inline]
    pub(crate) fn xor(&mut self, start: usize, keystream: &[u8]) {
        let range = start..start + keystream.len();
        match self.reborrow().into_parts() {
            (None, data) => {
                for (byte, key) in data[range].iter_mut().zip(keystream) {
                    *byte ^= key;
                }
            }
            (Some(input), output) => {
                for ((output, input), key) in output[range.clone()].iter_mut().zip(&input[range]).zip(keystream) {
                    *output = input ^ key;
                }
            }
        }
    }

    /// Returns the address of the input, the address of the output, and the length of the data in bytes.
    #[inline(always)]
    pub(crate) fn pointers(&mut self) -> (*const u8, *mut u8, usize) {
        (self.input, self.output, self.bytes)
    }
}

/// Returns the total length of all slices in bytes. The addition saturates, since an iterator may return one slice many
/// times.
pub(crate) fn bytes_of<'a>(slices: impl Iterator<Item = &'a [u8]>) -> usize {
    slices.fold(0, |bytes, slice| bytes.saturating_add(slice.len()))
}

/// Checks that the total length of the slices is the length of `output`.
///
/// # Errors
/// [`Error::LengthsDiffer`].
pub(crate) fn check_slices<'a>(slices: impl Iterator<Item = &'a [u8]>, output: &[u8]) -> Result<(), Error> {
    let (input, output) = (bytes_of(slices), output.len());
    if input == output { Ok(()) } else { Err(Error::LengthsDiffer { input, output }) }
}
