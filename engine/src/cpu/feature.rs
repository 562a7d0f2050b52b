//! The features of CPUs that backends need, and sets of them.

use core::fmt;

/// A feature of a CPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Feature {
    /// Byte shuffles on 128 bits.
    Ssse3,
    /// Inserts and extracts on 128 bits.
    Sse41,
    /// AES rounds on 128 bits.
    Aes,
    /// Carry-less multiplication on 128 bits.
    Pclmulqdq,
    /// 256-bit registers, saved by the operating system.
    Avx,
    /// Integer work on 256 bits.
    Avx2,
    /// AES rounds on 256 bits, and on 512 where AVX-512 is.
    Vaes,
    /// Carry-less multiplication on 256 bits, and on 512 where AVX-512 is.
    Vpclmulqdq,
    /// Masks from bit counts.
    Bmi2,
    /// 512-bit registers and masks, saved by the operating system.
    Avx512f,
    /// Byte operations and masks on 512 bits.
    Avx512bw,
    /// Quadword operations on 512 bits.
    Avx512dq,
    /// The forms of AVX-512 for 128 and 256 bits.
    Avx512vl,
    /// 128-bit registers (AArch64).
    Neon,
    /// Carry-less multiplication on 128 bits (AArch64).
    Pmull,
    /// The instructions of SHA-3, among them an exclusive or of three (AArch64).
    Sha3,
}

impl Feature {
    /// Every feature that a backend needs.
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

/// A set of features, of this CPU or a hypothetical one.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub struct FeatureSet(pub(super) u16);

const _: () = assert!(Feature::ALL.len() <= u16::BITS as usize);

impl FeatureSet {
    /// No feature at all.
    pub const EMPTY: Self = Self(0);

    /// The set with `feature`.
    #[must_use]
    pub const fn with(self, feature: Feature) -> Self {
        Self(self.0 | 1 << feature as u8)
    }

    /// The set without `feature`.
    #[must_use]
    pub const fn without(self, feature: Feature) -> Self {
        Self(self.0 & !(1 << feature as u8))
    }

    /// Whether `feature` is in it.
    #[must_use]
    pub const fn has(self, feature: Feature) -> bool {
        self.0 & 1 << feature as u8 != 0
    }

    /// Whether every one of `features` is in it.
    #[must_use]
    pub const fn has_all(self, features: &[Feature]) -> bool {
        let mut index = 0;
        while index < features.len() {
            if !self.has(features[index]) {
                return false;
            }
            index += 1;
        }
        true
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
