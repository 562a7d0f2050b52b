//! The values of what is not known.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use crate::aes;
use crate::field::Bit;

/// The bits of a byte, the lowest first.
pub type Byte = [Bit; 8];

/// Draws the point at which polynomials are compared, and keeps the S-box's value at each byte.
pub struct Symbols {
    random: Box<[u8; POOL]>,
    used: usize,
    s_box: HashMap<Byte, Byte, BuildHasherDefault<ByteHasher>>,
    /// The bytes since [`Symbols::mark`], and the most there were at a time.
    since_mark: Vec<Byte>,
    most: usize,
}

const POOL: usize = 1 << 16;

impl Default for Symbols {
    fn default() -> Self {
        Self { random: Box::new([0; POOL]), used: POOL, s_box: HashMap::default(), since_mark: Vec::new(), most: 0 }
    }
}

impl Symbols {
    /// A new variable's value, uniformly random in K: from the system's generator, for no other would do for the
    /// bound.
    pub fn fresh(&mut self) -> Bit {
        if self.used == POOL {
            getrandom::fill(&mut self.random[..]).unwrap_or_else(|error| panic!("no random numbers: {error}"));
            self.used = 0;
        }
        let (value, _) = self.random[self.used..].as_chunks::<16>().0.split_first().unwrap_or((&[0; 16], &[]));
        self.used += 16;
        Bit(u128::from_ne_bytes(*value))
    }

    /// As many new variables.
    pub fn fill(&mut self, bits: &mut [Bit]) {
        bits.fill_with(|| self.fresh());
    }

    /// AES's S-box: FIPS 197's table where the byte is known; elsewhere eight new variables for each byte that has not
    /// been seen before, so that only what holds for every function of bytes can be shown.
    pub fn substitute(&mut self, byte: &Byte) -> Byte {
        if let Some(known) = known_byte(byte) {
            return bits_of_byte(aes::S_BOX[usize::from(known)]);
        }
        if let Some(value) = self.s_box.get(byte) {
            return *value;
        }
        let mut value = [Bit::ZERO; 8];
        self.fill(&mut value);
        self.s_box.insert(*byte, value);
        self.since_mark.push(*byte);
        self.most = self.most.max(self.s_box.len());
        value
    }

    /// What comes behind this can be forgotten.
    pub fn mark(&mut self) {
        self.since_mark.clear();
    }

    /// Forgets the S-box's values since the mark: at bytes that no other call will have.
    pub fn forget_since_mark(&mut self) {
        for byte in self.since_mark.drain(..) {
            self.s_box.remove(&byte);
        }
    }

    /// At how many unknown bytes the S-box had a value at a time.
    #[must_use]
    pub fn substitutions(&self) -> usize {
        self.most
    }
}

/// The byte of known bits.
#[must_use]
pub fn known_byte(bits: &[Bit]) -> Option<u8> {
    bits.iter().rev().try_fold(0, |byte, bit| Some(byte << 1 | u8::from(bit.known()?)))
}

/// The bits of a known byte.
#[must_use]
pub fn bits_of_byte(byte: u8) -> Byte {
    std::array::from_fn(|place| Bit::from(byte >> place & 1 == 1))
}

/// Adds up what is random already.
#[derive(Default)]
struct ByteHasher(u64);

impl Hasher for ByteHasher {
    fn finish(&self) -> u64 {
        self.0.wrapping_mul(0x9E37_79B9_7F4A_7C15)
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.write_u128(byte.into()));
    }

    fn write_u128(&mut self, value: u128) {
        self.0 = self.0.wrapping_add(value as u64);
    }

    fn write_usize(&mut self, _: usize) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_s_box_is_a_function() {
        let mut symbols = Symbols::default();
        let one: Byte = std::array::from_fn(|_| symbols.fresh());
        let mut other = one;
        other[3] ^= Bit::ONE;
        let values = [&one, &other, &one].map(|byte| symbols.substitute(byte));
        assert_eq!(values[0], values[2]);
        assert_ne!(values[0], values[1]);
        assert_eq!(symbols.substitutions(), 2);
        assert_eq!(symbols.substitute(&bits_of_byte(0x53)), bits_of_byte(0xED), "FIPS 197, 5.1.1");
        assert_eq!(symbols.substitutions(), 2);
    }
}
