//! Inputs as fuzzers make them: bytes, of which each question takes some.

/// What is left of an input; past its end come zeros.
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
}
