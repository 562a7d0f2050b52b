//! Turns the input and output pointers of OpenSSL's calls into slices that do not alias.

#![allow(unsafe_code, reason = "creates slices from OpenSSL's pointers")]

/// Buffers of a call that continues a message: the input, and the output if the call has one.
pub(crate) enum Piece<'a> {
    /// No input: the message ends.
    End,
    /// No output: the input is AAD.
    Aad(&'a [u8]),
    /// The output is the input's memory.
    InPlace(&'a mut [u8]),
    /// Input and output of the same length that do not overlap.
    Between(&'a [u8], &'a mut [u8]),
    /// Input and output that overlap in part.
    Shifted(Shifted<'a>),
}

/// Input and output of the same length that overlap in part.
pub(crate) struct Shifted<'a> {
    input: *const u8,
    output: &'a mut [u8],
}

impl<'a> Piece<'a> {
    /// Classifies a call's buffers. Returns `None` if `bytes` exceeds `isize::MAX`.
    ///
    /// # Safety
    /// During `'a`, `input` must be NULL or readable and `output` NULL or writable, each for `bytes` bytes.
    #[inline(always)] // returned in memory, the parts would be stored singly and loaded together, which stalls the CPU
    pub(crate) unsafe fn new(output: *mut u8, input: *const u8, bytes: usize) -> Option<Self> {
        if input.is_null() {
            return Some(Self::End);
        }
        if isize::try_from(bytes).is_err() {
            return None;
        }
        // SAFETY: (every slice here) not NULL and at most isize::MAX bytes; the caller guarantees the rest. No two
        // slices overlap.
        Some(unsafe {
            if output.is_null() {
                return Some(Self::Aad(std::slice::from_raw_parts(input, bytes)));
            }
            let slice = std::slice::from_raw_parts_mut(output, bytes);
            let distance = output.addr().wrapping_sub(input.addr());
            if distance == 0 {
                Self::InPlace(slice)
            } else if distance < bytes || distance.wrapping_neg() < bytes {
                Self::Shifted(Shifted { input, output: slice })
            } else {
                Self::Between(std::slice::from_raw_parts(input, bytes), slice)
            }
        })
    }
}

impl<'a> Shifted<'a> {
    /// Moves the input to the output. OpenSSL does not specify the result for partial overlaps, but some programs
    /// decrypt a message to the beginning of its own buffer.
    pub(crate) fn moved(self) -> &'a mut [u8] {
        // SAFETY: `input` is readable for the output's length (`Piece::new`). `copy_from` allows overlaps.
        unsafe { self.output.as_mut_ptr().copy_from(self.input, self.output.len()) };
        self.output
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn piece(arena: &mut [u8; 16], input: usize, output: usize, bytes: usize) -> Piece<'_> {
        let start = arena.as_mut_ptr();
        // SAFETY: the tests choose input and output inside the array.
        unsafe { Piece::new(start.wrapping_add(output), start.wrapping_add(input), bytes) }.expect("short")
    }

    #[test]
    fn piece_with_partial_overlap_moves_the_input_to_the_output() {
        for (input, output) in (0..8_usize).flat_map(|input| (0..8_usize).map(move |output| (input, output))) {
            for bytes in 0..=8 {
                let mut arena: [u8; 16] = std::array::from_fn(|place| place as u8);
                let expected: Vec<u8> = (input..input + bytes).map(|place| place as u8).collect();
                let distance = input.abs_diff(output);
                match piece(&mut arena, input, output, bytes) {
                    Piece::InPlace(slice) => assert_eq!((distance, &*slice), (0, &expected[..])),
                    Piece::Between(from, to) => {
                        assert!(distance >= bytes && from == expected && to.len() == bytes);
                    }
                    Piece::Shifted(shifted) => {
                        assert!(distance < bytes);
                        assert_eq!(shifted.moved(), &expected[..]);
                    }
                    Piece::Aad(_) | Piece::End => panic!("neither is NULL"),
                }
            }
        }
    }

    #[test]
    fn null_output_means_aad_and_null_input_ends_the_message() {
        let mut byte = 1_u8;
        // SAFETY: pointers and lengths refer to `byte`; the third call must reject its length.
        let (aad, end, huge) = unsafe {
            (
                Piece::new(std::ptr::null_mut(), &raw const byte, 1),
                Piece::new(&raw mut byte, std::ptr::null(), 1),
                Piece::new(&raw mut byte, &raw const byte, usize::MAX),
            )
        };
        assert!(matches!(aad, Some(Piece::Aad([1]))));
        assert!(matches!(end, Some(Piece::End)));
        assert!(huge.is_none());
    }
}
