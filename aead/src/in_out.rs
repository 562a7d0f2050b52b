//! Turns RustCrypto's buffer of a message, [`InOutBuf`], into the slices that the engine takes, without a copy.

#![allow(unsafe_code, reason = "InOutBuf has no safe function that returns its input and its output together")]

use core::slice;

use aead::inout::InOutBuf;

/// Input and output of a message, which have equal lengths.
pub(crate) enum Buffers<'inp, 'out> {
    /// One buffer. The output replaces the input.
    InPlace(&'out mut [u8]),
    /// The input, and an output that does not overlap it.
    Between(&'inp [u8], &'out mut [u8]),
}

impl<'inp, 'out> From<InOutBuf<'inp, 'out, u8>> for Buffers<'inp, 'out> {
    #[inline(always)]
    fn from(mut buffer: InOutBuf<'inp, 'out, u8>) -> Self {
        let (input, output) = buffer.reborrow().into_raw();
        let bytes = buffer.len();
        if input.cast_mut() == output {
            return Self::InPlace(buffer.into_out());
        }
        // SAFETY: `InOutBuf` guarantees that `input` is valid for reads of `bytes` bytes during 'inp, and that it
        // either equals `output`, which was excluded above, or does not overlap it. So the output, which is written
        // through the other slice, is not a part of this one.
        let input = unsafe { slice::from_raw_parts(input, bytes) };
        Self::Between(input, buffer.into_out())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buffers_are_in_place_only_if_input_and_output_are_one() {
        let (input, mut output) = ([1, 2, 3], [4, 5, 6]);
        let Ok(buffer) = InOutBuf::new(&input, &mut output) else { panic!("equal lengths") };
        assert!(matches!(Buffers::from(buffer), Buffers::Between([1, 2, 3], [4, 5, 6])));
        assert!(matches!(Buffers::from(InOutBuf::from(&mut output[..])), Buffers::InPlace([4, 5, 6])));
        assert!(matches!(Buffers::from(InOutBuf::from(&mut output[..0])), Buffers::InPlace([])));
    }

    #[test]
    fn buffers_of_adjacent_slices_are_two() {
        let mut memory = [1, 2, 3, 4];
        let (input, output) = memory.split_at_mut(2);
        let Ok(buffer) = InOutBuf::new(input, output) else { panic!("equal lengths") };
        assert!(matches!(Buffers::from(buffer), Buffers::Between([1, 2], [3, 4])));
    }
}
