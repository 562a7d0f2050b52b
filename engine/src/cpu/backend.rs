//! The backends by name, the CPU features that each backend needs, and which backend is preferred.

use core::ffi::CStr;
use core::fmt;
use core::str::FromStr;

use super::feature::{Feature, FeatureSet};

/// An implementation of AES-GCM, named by the CPU features that it needs. Of two variants for one architecture, the
/// later one uses wider registers or more features.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Backend {
    /// Runs on any CPU: bitsliced AES, and carry-less products computed from integer products.
    Portable,
    /// AES-NI and PCLMULQDQ, 128 bits at a time.
    Aesni,
    /// VAES and VPCLMULQDQ on AVX2, 256 bits at a time.
    Vaes256,
    /// VAES and VPCLMULQDQ on AVX-512, 512 bits at a time.
    Vaes512,
    /// Portable AES on any AArch64 CPU, with carry-less products of bytes.
    Neon,
    /// AES and PMULL on AArch64.
    AesPmull,
    /// AES, PMULL and SHA-3's EOR3 on AArch64.
    AesEor3,
}

impl Backend {
    /// All backends, with the narrowest first.
    pub const ALL: [Self; 7] =
        [Self::Portable, Self::Aesni, Self::Vaes256, Self::Vaes512, Self::Neon, Self::AesPmull, Self::AesEor3];

    /// Returns the backend's name as it appears in all output: `portable`, `aesni`, `vaes256`, `vaes512`, `neon`,
    /// `aes-pmull` or `aes-eor3`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self.c_name().to_str() {
            Ok(name) => name,
            Err(_) => unreachable!(),
        }
    }

    /// Returns [`name`](Self::name) as a C string.
    #[must_use]
    pub const fn c_name(self) -> &'static CStr {
        match self {
            Self::Portable => c"portable",
            Self::Aesni => c"aesni",
            Self::Vaes256 => c"vaes256",
            Self::Vaes512 => c"vaes512",
            Self::Neon => c"neon",
            Self::AesPmull => c"aes-pmull",
            Self::AesEor3 => c"aes-eor3",
        }
    }

    /// Returns the CPU features that the backend needs.
    #[must_use]
    pub const fn needs(self) -> &'static [Feature] {
        match self {
            Self::Portable => &[],
            Self::Aesni => &[Feature::Ssse3, Feature::Sse41, Feature::Aes, Feature::Pclmulqdq],
            Self::Vaes256 => &[
                Feature::Ssse3,
                Feature::Sse41,
                Feature::Aes,
                Feature::Pclmulqdq,
                Feature::Avx,
                Feature::Avx2,
                Feature::Vaes,
                Feature::Vpclmulqdq,
            ],
            Self::Vaes512 => &[
                Feature::Ssse3,
                Feature::Sse41,
                Feature::Aes,
                Feature::Pclmulqdq,
                Feature::Avx,
                Feature::Avx2,
                Feature::Vaes,
                Feature::Vpclmulqdq,
                Feature::Bmi2,
                Feature::Avx512f,
                Feature::Avx512bw,
                Feature::Avx512dq,
                Feature::Avx512vl,
            ],
            Self::Neon => &[Feature::Neon],
            Self::AesPmull => &[Feature::Neon, Feature::Aes, Feature::Pmull],
            Self::AesEor3 => &[Feature::Neon, Feature::Aes, Feature::Pmull, Feature::Sha3],
        }
    }

    /// The features from [`needs`](Self::needs) of each backend, as a set. Computed at compile time, because every new
    /// key compares such a set.
    const NEEDED: [FeatureSet; Self::ALL.len()] = {
        let mut needed = [FeatureSet::EMPTY; Self::ALL.len()];
        let mut index = 0;
        while index < Self::ALL.len() {
            needed[Self::ALL[index] as usize] = FeatureSet::of(Self::ALL[index].needs());
            index += 1;
        }
        needed
    };

    /// Returns whether a CPU with `features` can run the backend.
    #[must_use]
    #[inline(always)]
    pub const fn runs_on(self, features: FeatureSet) -> bool {
        let is_for_this_architecture = match self {
            Self::Portable => true,
            Self::Aesni | Self::Vaes256 | Self::Vaes512 => cfg!(target_arch = "x86_64"),
            Self::Neon | Self::AesPmull | Self::AesEor3 => cfg!(all(target_arch = "aarch64", target_endian = "little")),
        };
        is_for_this_architecture && features.contains(Self::NEEDED[self as usize])
    }
}

impl fmt::Display for Backend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Error: no backend has the given name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnknownBackend;

impl FromStr for Backend {
    type Err = UnknownBackend;

    fn from_str(name: &str) -> Result<Self, UnknownBackend> {
        Self::ALL.into_iter().find(|backend| backend.name() == name).ok_or(UnknownBackend)
    }
}

impl fmt::Display for UnknownBackend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("unknown backend; choose from ")?;
        let [first @ .., before, last] = Backend::ALL;
        first.iter().try_for_each(|backend| write!(f, "{backend}, "))?;
        write!(f, "{before} and {last}")
    }
}

impl core::error::Error for UnknownBackend {}

/// Returns the preferred backend for a CPU with `features`: the widest backend that this CPU can run
/// ([`Backend::runs_on`]). The widest backend has been the fastest on every CPU measured so far. (A CPU that slows its
/// clock for 512-bit registers would be an exception.)
#[must_use]
#[inline]
pub fn preferred(features: FeatureSet) -> Backend {
    [Backend::AesEor3, Backend::AesPmull, Backend::Neon, Backend::Vaes512, Backend::Vaes256, Backend::Aesni]
        .into_iter()
        .find(|backend| backend.runs_on(features))
        .unwrap_or(Backend::Portable)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Tests every subset of the features.
    #[test]
    fn preferred_backend_is_the_widest_supported() {
        for bits in 0..1_u32 << Feature::ALL.len() {
            let chosen = Feature::ALL.into_iter().enumerate().filter(|(index, _)| bits >> index & 1 != 0);
            let features: FeatureSet = chosen.map(|(_, feature)| feature).collect();
            let choice = preferred(features);
            assert!(choice.runs_on(features), "{choice} on {features:?}");
            for backend in Backend::ALL.into_iter().filter(|&backend| backend > choice) {
                assert!(!backend.runs_on(features), "{backend} would run on {features:?}, {choice} was chosen");
            }
        }
    }
}
