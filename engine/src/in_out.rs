//! Input and output buffers of a message: one buffer for both (in place), or two buffers.

use crate::error::Error;

/// Input and output of a message, which have equal lengths: one buffer for both, or two buffers that do not overlap, as
/// Rust's borrow rules guarantee.
pub(crate) enum InOut<'a> {
    /// One buffer for input and output. The output replaces the input.
    InPlace(&'a mut [u8]),
    /// Two buffers of equal lengths: the first is the input, the second is the output.
    Between(&'a [u8], &'a mut [u8]),
}

impl<'a> InOut<'a> {
    /// Pairs `input` with an `output` of the same length.
    ///
    /// # Errors
    /// [`Error::LengthsDiffer`].
    #[inline]
    pub(crate) fn between(input: &'a [u8], output: &'a mut [u8]) -> Result<Self, Error> {
        if input.len() != output.len() {
            return Err(Error::LengthsDiffer { input: input.len(), output: output.len() });
        }
        Ok(Self::Between(input, output))
    }

    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.output().len()
    }

    /// Returns the input. If input and output are one buffer, the parts already written contain output.
    #[inline]
    pub(crate) fn input(&self) -> &[u8] {
        match self {
            Self::InPlace(data) => data,
            Self::Between(input, _) => input,
        }
    }

    #[inline]
    pub(crate) fn output(&self) -> &[u8] {
        match self {
            Self::InPlace(data) => data,
            Self::Between(_, output) => output,
        }
    }

    #[inline]
    pub(crate) fn output_mut(&mut self) -> &mut [u8] {
        match self {
            Self::InPlace(data) => data,
            Self::Between(_, output) => output,
        }
    }

    /// Borrows the buffers mutably, so that the caller can use this value again afterwards.
    #[inline]
    pub(crate) fn reborrow(&mut self) -> InOut<'_> {
        match self {
            Self::InPlace(data) => InOut::InPlace(data),
            Self::Between(input, output) => InOut::Between(input, output),
        }
    }

    /// Returns the input and the output. The input is `None` if input and output are one buffer.
    #[inline]
    pub(crate) fn into_parts(self) -> (Option<&'a [u8]>, &'a mut [u8]) {
        match self {
            Self::InPlace(data) => (None, data),
            Self::Between(input, output) => (Some(input), output),
        }
    }

    /// Creates a value from an input and an output. The input is `None` if input and output are one buffer.
    #[inline]
    pub(crate) fn from_parts((input, output): (Option<&'a [u8]>, &'a mut [u8])) -> Self {
        match input {
            None => Self::InPlace(output),
            Some(input) => Self::Between(input, output),
        }
    }

    /// Splits input and output after their first `middle` bytes.
    ///
    /// # Panics
    /// If the data is shorter than `middle` bytes.
    #[inline(always)]
    pub(crate) fn split_at(self, middle: usize) -> (Self, Self) {
        match self {
            Self::InPlace(data) => {
                let (first, second) = data.split_at_mut(middle);
                (Self::InPlace(first), Self::InPlace(second))
            }
            Self::Between(input, output) => {
                let (first, second) = (input.split_at(middle), output.split_at_mut(middle));
                (Self::Between(first.0, second.0), Self::Between(first.1, second.1))
            }
        }
    }

    /// Writes `keystream` XOR the input to the output. In both input and output, begins at byte `start`.
    ///
    /// # Panics
    /// If the data ends before the keystream does.
    #[inline]
    pub(crate) fn xor(&mut self, start: usize, keystream: &[u8]) {
        let range = start..start + keystream.len();
        match self {
            Self::InPlace(data) => {
                for (byte, key) in data[range].iter_mut().zip(keystream) {
                    *byte ^= key;
                }
            }
            Self::Between(input, output) => {
                for ((output, input), key) in output[range.clone()].iter_mut().zip(&input[range]).zip(keystream) {
                    *output = input ^ key;
                }
            }
        }
    }

    /// Returns the address of the input, the address of the output, and the length of the data in bytes.
    #[inline]
    pub(crate) fn pointers(&mut self) -> (*const u8, *mut u8, usize) {
        match self {
            Self::InPlace(data) => {
                let both = data.as_mut_ptr();
                (both, both, data.len())
            }
            Self::Between(input, output) => (input.as_ptr(), output.as_mut_ptr(), output.len()),
        }
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
