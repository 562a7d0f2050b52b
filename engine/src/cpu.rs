//! What the CPU can do, detected once, and separately which backend we prefer.
//!
//! On x86-64 the CPU itself is asked (CPUID), and XGETBV tells whether the operating system saves the wide registers of
//! a process when another runs: a feature whose registers the system does not save counts as missing. On AArch64 only
//! the operating system can be asked.

#[cfg(target_arch = "aarch64")]
mod aarch64;
pub(crate) mod backend;
mod dit;
pub(crate) mod schedule;

use core::fmt;

#[cfg(target_arch = "aarch64")]
use aarch64 as detection;
pub use backend::preferred;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
pub(crate) use backend::proof;
pub use dit::Dit;
pub use schedule::preferred_schedule;

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
pub struct FeatureSet(u16);

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

/// Features that this CPU was found to have. It can be made only by detection, and only be reduced. A backend's proof
/// is cut from it, so no instruction runs that was not found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Found(FeatureSet);

impl Found {
    /// Detects them the first time; CPUID is slow under a hypervisor, so the result is kept.
    #[must_use]
    pub fn here() -> Self {
        Self(detection::features())
    }

    /// As if the CPU did not have `feature`.
    #[must_use]
    pub const fn without(self, feature: Feature) -> Self {
        Self(self.0.without(feature))
    }

    /// The features as plain data.
    #[must_use]
    pub const fn features(self) -> FeatureSet {
        self.0
    }
}

#[cfg(target_arch = "x86_64")]
mod detection {
    #![allow(unsafe_code, reason = "XGETBV can be read only where CPUID says that the system set it up")]

    use core::arch::x86_64::{__cpuid, __cpuid_count, _xgetbv};
    use core::sync::atomic::{AtomicU32, Ordering};

    use super::{Feature, FeatureSet};

    /// The set found, with [`LOOKED`] and perhaps [`IS_BOUND_BY_AES`] added; zero before.
    static FOUND: AtomicU32 = AtomicU32::new(0);
    const LOOKED: u32 = 1 << 31;
    const IS_BOUND_BY_AES: u32 = 1 << 30;

    #[inline]
    pub(super) fn features() -> FeatureSet {
        FeatureSet(found() as u16)
    }

    /// Whether AES, and not products, is the bound in vectors of 512 bits: the CPU begins one product of that width a
    /// cycle, and one round.
    #[inline]
    pub(super) fn is_bound_by_aes() -> bool {
        found() & IS_BOUND_BY_AES != 0
    }

    #[inline]
    fn found() -> u32 {
        // Threads that arrive first at the same time find the same; no order between them is needed.
        let found = FOUND.load(Ordering::Relaxed);
        if found & LOOKED != 0 {
            return found;
        }
        let found = u32::from(look().0) | LOOKED | if is_golden_cove() { IS_BOUND_BY_AES } else { 0 };
        FOUND.store(found, Ordering::Relaxed);
        found
    }

    /// Whether this is one of Intel's cores from Golden Cove on (Sapphire Rapids, Emerald Rapids and later), if it has
    /// 512-bit registers at all. Older ones with these and VAES begin one product of 512 bits in two cycles, and are
    /// recognised by their numbers. But hypervisors also give newer cores such a number (a Granite Rapids was seen as
    /// model 0xA7, Rocket Lake); AVX512-FP16, which came with Golden Cove, then shows the truth. It is not enough
    /// alone: other hypervisors hide new features.
    fn is_golden_cove() -> bool {
        const ICE_LAKE: [u32; 5] = [0x6A, 0x6C, 0x7D, 0x7E, 0x9D];
        const TIGER_AND_ROCKET_LAKE: [u32; 3] = [0x8C, 0x8D, 0xA7];
        const AVX512_FP16: u32 = 23;
        let first = __cpuid(0);
        let is_intel = [first.ebx, first.edx, first.ecx].map(u32::to_le_bytes).as_flattened() == b"GenuineIntel";
        let version = __cpuid(1).eax;
        let (family, model) = (version >> 8 & 0xF, version >> 4 & 0xF | version >> 12 & 0xF0);
        let is_before = family == 6 && (ICE_LAKE.contains(&model) || TIGER_AND_ROCKET_LAKE.contains(&model));
        let has_fp16 = first.eax >= 7 && __cpuid_count(7, 0).edx >> AVX512_FP16 & 1 != 0;
        is_intel && (has_fp16 || !is_before)
    }

    /// The leaves of CPUID (Intel SDM vol. 2A, CPUID; AMD APM vol. 3, appendix E).
    #[cold]
    fn look() -> FeatureSet {
        let highest_leaf = __cpuid(0).eax;
        let first = __cpuid(1);
        let extended = if highest_leaf >= 7 { __cpuid_count(7, 0) } else { __cpuid_count(0, 0) };
        let (leaf7_ebx, leaf7_ecx) = if highest_leaf >= 7 { (extended.ebx, extended.ecx) } else { (0, 0) };
        let saved = saved_state(first.ecx);
        // XCR0: bits 1 and 2 are the 128- and 256-bit registers; 5, 6 and 7 the masks and both parts of the 512-bit
        // ones.
        let saves_256 = saved & 0b110 == 0b110;
        let saves_512 = saved & 0b1110_0110 == 0b1110_0110;

        let bit = |register: u32, bit: u32| register >> bit & 1 != 0;
        let has_avx = bit(first.ecx, 28) && saves_256;
        let has_avx512 = saves_512 && has_avx;
        let present = [
            (Feature::Ssse3, bit(first.ecx, 9)),
            (Feature::Sse41, bit(first.ecx, 19)),
            (Feature::Aes, bit(first.ecx, 25)),
            (Feature::Pclmulqdq, bit(first.ecx, 1)),
            (Feature::Avx, has_avx),
            (Feature::Avx2, has_avx && bit(leaf7_ebx, 5)),
            (Feature::Vaes, has_avx && bit(leaf7_ecx, 9)),
            (Feature::Vpclmulqdq, has_avx && bit(leaf7_ecx, 10)),
            (Feature::Bmi2, bit(leaf7_ebx, 8)),
            (Feature::Avx512f, has_avx512 && bit(leaf7_ebx, 16)),
            (Feature::Avx512bw, has_avx512 && bit(leaf7_ebx, 30)),
            (Feature::Avx512dq, has_avx512 && bit(leaf7_ebx, 17)),
            (Feature::Avx512vl, has_avx512 && bit(leaf7_ebx, 31)),
        ];
        present.into_iter().filter_map(|(feature, is_there)| is_there.then_some(feature)).collect()
    }

    /// XCR0, or zero where the operating system did not enable XSAVE.
    fn saved_state(leaf1_ecx: u32) -> u64 {
        #[target_feature(enable = "xsave")]
        fn read() -> u64 {
            // SAFETY: XCR0 exists wherever XGETBV does.
            unsafe { _xgetbv(0) }
        }
        const OSXSAVE: u32 = 27;
        if leaf1_ecx >> OSXSAVE & 1 == 0 {
            return 0;
        }
        // SAFETY: OSXSAVE says that the operating system enabled XGETBV.
        unsafe { read() }
    }
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
mod detection {
    /// No backend for this architecture needs any features yet.
    pub(super) fn features() -> super::FeatureSet {
        super::FeatureSet::EMPTY
    }

    /// Nor has any of them a choice of schedules.
    pub(super) fn is_bound_by_aes() -> bool {
        false
    }
}

#[cfg(all(test, target_arch = "x86_64"))]
mod tests {
    use super::*;

    #[test]
    fn what_is_found_is_what_the_standard_library_finds() {
        let found = Found::here().features();
        let expected = [
            (Feature::Ssse3, is_x86_feature_detected!("ssse3")),
            (Feature::Sse41, is_x86_feature_detected!("sse4.1")),
            (Feature::Aes, is_x86_feature_detected!("aes")),
            (Feature::Pclmulqdq, is_x86_feature_detected!("pclmulqdq")),
            (Feature::Avx, is_x86_feature_detected!("avx")),
            (Feature::Avx2, is_x86_feature_detected!("avx2")),
            (Feature::Vaes, is_x86_feature_detected!("vaes")),
            (Feature::Vpclmulqdq, is_x86_feature_detected!("vpclmulqdq")),
            (Feature::Bmi2, is_x86_feature_detected!("bmi2")),
            (Feature::Avx512f, is_x86_feature_detected!("avx512f")),
            (Feature::Avx512bw, is_x86_feature_detected!("avx512bw")),
            (Feature::Avx512dq, is_x86_feature_detected!("avx512dq")),
            (Feature::Avx512vl, is_x86_feature_detected!("avx512vl")),
        ];
        for (feature, is_there) in expected {
            assert_eq!(found.has(feature), is_there, "{feature:?}");
        }
    }
}
