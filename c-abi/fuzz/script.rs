//! Reads the fuzzer's input as a script of choices.

/// The remaining input bytes, followed by zeros.
pub(crate) struct Script<'a>(pub(crate) &'a [u8]);

impl Script<'_> {
    pub(crate) fn byte(&mut self) -> u8 {
        let Some((first, rest)) = self.0.split_first() else { return 0 };
        self.0 = rest;
        *first
    }

    pub(crate) fn bytes(&mut self, count: usize) -> Vec<u8> {
        (0..count).map(|_| self.byte()).collect()
    }

    /// Returns true for one call in sixteen.
    pub(crate) fn once_in_sixteen(&mut self) -> bool {
        self.byte() % 16 == 15
    }

    /// Returns a packet number: usually small, sometimes near 2^62, sometimes above it.
    pub(crate) fn number(&mut self) -> u64 {
        match self.byte() {
            number @ 0..=149 => u64::from(number),
            number @ 150..=249 => (1 << 62) - 200 + u64::from(number),
            other => u64::MAX >> (other % 3),
        }
    }
}
