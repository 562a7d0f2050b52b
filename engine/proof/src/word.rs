//! 64-bit integers whose bits may be symbolic.

use std::rc::Rc;

use crate::field::Bit;

#[derive(Clone, Debug)]
pub enum Word {
    Known(u64),
    /// 64 bits, at least one of which is symbolic.
    Bits(Rc<[Bit; 64]>),
}

impl Word {
    /// Creates a word from its lowest bits; all other bits are zero.
    #[must_use]
    pub fn from_bits(bits: &[Bit]) -> Self {
        let known = bits.iter().rev().try_fold(0_u64, |word, bit| Some(word << 1 | u64::from(bit.known()?)));
        known.map_or_else(
            || {
                let mut all = [Bit::ZERO; 64];
                all[..bits.len()].copy_from_slice(bits);
                Self::Bits(Rc::new(all))
            },
            Self::Known,
        )
    }

    /// Returns the word's value if all its bits are concrete.
    #[must_use]
    pub fn known(&self) -> Option<u64> {
        match self {
            Self::Known(value) => Some(*value),
            Self::Bits(_) => None,
        }
    }

    #[must_use]
    pub fn bits(&self) -> [Bit; 64] {
        match self {
            Self::Known(value) => std::array::from_fn(|place| Bit::from(value >> place & 1 == 1)),
            Self::Bits(bits) => **bits,
        }
    }

    /// Keeps the lowest `width` bits of the word and clears the others.
    #[must_use]
    pub fn low(&self, width: usize) -> Self {
        match self {
            Self::Known(value) => Self::Known(value & low_ones(width)),
            Self::Bits(bits) => Self::from_bits(&bits[..width]),
        }
    }

    #[must_use]
    pub fn shift_right(&self, places: usize) -> Self {
        match self {
            Self::Known(value) => Self::Known(value >> places),
            Self::Bits(bits) => Self::from_bits(&bits[places..]),
        }
    }

    /// Applies `of` to each pair of bits at the same position in two words.
    #[must_use]
    pub fn zip_bits(&self, other: &Self, of: impl Fn(Bit, Bit) -> Bit) -> Self {
        let (one, other) = (self.bits(), other.bits());
        let bits: [Bit; 64] = std::array::from_fn(|place| of(one[place], other[place]));
        Self::from_bits(&bits)
    }
}

/// Returns a number whose lowest `width` bits are ones and whose other bits are zeros.
#[must_use]
pub fn low_ones(width: usize) -> u64 {
    if width >= 64 { u64::MAX } else { (1 << width) - 1 }
}
