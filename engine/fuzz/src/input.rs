//! Reads structured values from a fuzzer's input.

use std::borrow::Cow;

/// Maximum text length: more than two iterations of the longest loop, 8 KiB with `vaes512`.
const MAX_TEXT: usize = 20_000;

/// The unread rest of a fuzzer's input. Reading beyond its end gives zeros.
pub(crate) struct Input<'i>(pub(crate) &'i [u8]);

impl<'i> Input<'i> {
    pub(crate) fn take(&mut self, bytes: usize) -> &'i [u8] {
        let (taken, rest) = self.0.split_at(bytes.min(self.0.len()));
        self.0 = rest;
        taken
    }

    pub(crate) fn array<const N: usize>(&mut self) -> [u8; N] {
        let mut array = [0; N];
        let taken = self.take(N);
        array[..taken.len()].copy_from_slice(taken);
        array
    }

    pub(crate) fn byte(&mut self) -> u8 {
        self.array::<1>()[0]
    }

    /// Reads the rest of the input as a text. For half of all inputs, repeats the text up to a length that the input
    /// gives, since the loops over long texts need more bytes than a fuzzer writes.
    pub(crate) fn text(mut self) -> Cow<'i, [u8]> {
        let length = usize::from(u16::from_le_bytes(self.array()));
        if length < 0x8000 || self.0.is_empty() {
            return self.0.into();
        }
        self.0.iter().copied().cycle().take(length % MAX_TEXT).collect()
    }
}
