//! Where the data of a message is read and written: in place, or from one buffer to another.

use crate::error::Error;

/// Input and output of a message, of equal length: one buffer, or two disjoint ones, as Rust's borrows guarantee.
pub(crate) enum InOut<'a> {
    /// The output replaces the input.
    InPlace(&'a mut [u8]),
    /// The first buffer is read, and the second, of the same length, is written.
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

    /// Returns the input, which is overwritten when something is written in place.
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

    /// Borrows the data mutably, so that the caller can use it again afterwards.
    #[inline]
    pub(crate) fn reborrow(&mut self) -> InOut<'_> {
        match self {
            Self::InPlace(data) => InOut::InPlace(data),
            Self::Between(input, output) => InOut::Between(input, output),
        }
    }

    /// Returns the input, or `None` if input and output are one buffer, and the output.
    #[inline]
    pub(crate) fn into_parts(self) -> (Option<&'a [u8]>, &'a mut [u8]) {
        match self {
            Self::InPlace(data) => (None, data),
            Self::Between(input, output) => (Some(input), output),
        }
    }

    /// Inverse of [`into_parts`](Self::into_parts).
    #[inline]
    pub(crate) fn from_parts((input, output): (Option<&'a [u8]>, &'a mut [u8])) -> Self {
        match input {
            None => Self::InPlace(output),
            Some(input) => Self::Between(input, output),
        }
    }

    /// Splits the data after its first `middle` bytes.
    ///
    /// # Panics
    /// If the data is shorter than `middle` bytes.
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

    /// Writes `keystream` XOR the input to the output, both from byte `start` on.
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

    /// Returns the addresses of input and output, and the length in bytes.
    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
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

/// Returns the total length of all slices in bytes, saturating, since an iterator may return one slice many times.
pub(crate) fn bytes_of<'a>(slices: impl Iterator<Item = &'a [u8]>) -> usize {
    slices.fold(0, |bytes, slice| bytes.saturating_add(slice.len()))
}

/// Checks that the slices have as many bytes as the output.
///
/// # Errors
/// [`Error::LengthsDiffer`].
pub(crate) fn check_slices<'a>(slices: impl Iterator<Item = &'a [u8]>, output: &[u8]) -> Result<(), Error> {
    let (input, output) = (bytes_of(slices), output.len());
    if input == output { Ok(()) } else { Err(Error::LengthsDiffer { input, output }) }
}
