//! Pseudorandom numbers that are the same in every run.

/// Generator of pseudorandom numbers (xorshift64*), which returns a fuzzer's choices first.
pub(crate) struct Random {
    state: u64,
    choices: std::vec::IntoIter<u8>,
}

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self::choosing(seed, &[])
    }

    /// Returns a generator whose first numbers are `choices`: one byte for small numbers, two for larger ones.
    pub(crate) fn choosing(seed: u64, choices: &[u8]) -> Self {
        // Consecutive seeds must not give similar sequences.
        let state = (seed + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
        let mut random = Self { state, choices: Vec::from(choices).into_iter() };
        for _ in 0..4 {
            random.next();
        }
        random
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.state ^= self.state >> 12;
        self.state ^= self.state << 25;
        self.state ^= self.state >> 27;
        self.state.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }

    pub(crate) fn below(&mut self, limit: usize) -> usize {
        let mut choice = || self.choices.next().map(usize::from);
        match choice() {
            Some(one) if limit <= 256 => (one * limit) >> 8,
            Some(one) => ((one << 8 | choice().unwrap_or(0)) * limit) >> 16,
            None => ((self.next() >> 32) as usize * limit) >> 32,
        }
    }

    /// Returns true once in `times` calls.
    pub(crate) fn once_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    pub(crate) fn bytes(&mut self, count: usize) -> Vec<u8> {
        (0..count).map(|_| self.next().to_be_bytes()[0]).collect()
    }

    pub(crate) fn choose<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }
}
