//! CPU features that the backends need, and sets of such features.

use core::fmt;

/// A CPU feature.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Feature {
    /// 128-bit byte shuffles.
    Ssse3,
    /// 128-bit inserts and extracts.
    Sse41,
    /// 128-bit AES rounds.
    Aes,
    /// 128-bit carry-less multiplication.
    Pclmulqdq,
    /// 256-bit registers, saved by the operating system.
    Avx,
    /// 256-bit integer operations.
    Avx2,
    /// 256-bit AES rounds. With AVX-512 also 512-bit AES rounds.
    Vaes,
    /// 256-bit carry-less multiplication. With AVX-512 also 512-bit carry-less multiplication.
    Vpclmulqdq,
    /// The instruction set extension BMI2, whose BZHI makes masks from bit counts.
    Bmi2,
    /// 512-bit registers and masks, saved by the operating system.
    Avx512f,
    /// 512-bit byte operations and masks.
    Avx512bw,
    /// 512-bit quadword operations.
    Avx512dq,
    /// AVX-512 instructions on 128- and 256-bit registers.
    Avx512vl,
    /// 128-bit registers (AArch64).
    Neon,
    /// 128-bit carry-less multiplication (AArch64).
    Pmull,
    /// SHA-3 instructions, among them an exclusive or of three operands (AArch64).
    Sha3,
}

impl Feature {
    /// All features that any backend needs.
    pub const ALL: [Self; 16] = [
        Self::Ssse3,
        Self::Sse41,
        Self::Aes,
        Self::Pclmulqdq,
        Self::Avx,
        Self::Avx2,
        Self::Vaes,
        Self::Vpclmulqdq,
        Self::Bmi2,
        Self::Avx512f,
        Self::Avx512bw,
        Self::Avx512dq,
        Self::Avx512vl,
        Self::Neon,
        Self::Pmull,
        Self::Sha3,
    ];
}

/// A set of CPU features, either of this CPU or of a hypothetical one.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub struct FeatureSet(pub(super) u16);

const _: () = assert!(Feature::ALL.len() <= u16::BITS as usize);

impl FeatureSet {
    /// The set without any feature.
    pub const EMPTY: Self = Self(0);

    /// Returns this set with `feature` added.
    #[must_use]
    pub const fn with(self, feature: Feature) -> Self {
        Self(self.0 | 1 << feature as u8)
    }

    /// Returns this set with `feature` removed.
    #[must_use]
    pub const fn without(self, feature: Feature) -> Self {
        Self(self.0 & !(1 << feature as u8))
    }

    /// Returns whether this set contains `feature`.
    #[must_use]
    pub const fn has(self, feature: Feature) -> bool {
        self.0 & 1 << feature as u8 != 0
    }

    /// Returns whether this set contains all of `features`.
    #[must_use]
    pub const fn has_all(self, features: &[Feature]) -> bool {
        self.contains(Self::of(features))
    }

    /// Returns whether this set contains all features of the set `other`.
    #[inline(always)]
    pub(super) const fn contains(self, other: Self) -> bool {
        other.0 & !self.0 == 0
    }

    /// Creates a set from a slice of features. Unlike [`FromIterator`], this function can be used in constants.
    pub(super) const fn of(features: &[Feature]) -> Self {
        let mut set = Self::EMPTY;
        let mut index = 0;
        while index < features.len() {
            set = set.with(features[index]);
            index += 1;
        }
        set
    }
}

impl FromIterator<Feature> for FeatureSet {
    fn from_iter<I: IntoIterator<Item = Feature>>(features: I) -> Self {
        features.into_iter().fold(Self::EMPTY, Self::with)
    }
}

impl fmt::Debug for FeatureSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(Feature::ALL.into_iter().filter(|&feature| self.has(feature))).finish()
    }
}
