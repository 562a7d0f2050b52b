//! What a CPU of AArch64 can do. It cannot be asked by a program itself; the operating system answers.

#![allow(unsafe_code, reason = "the operating system is asked through C")]

use super::{Feature, FeatureSet};

/// What the compiler was told that the CPU has, and what the operating system says.
#[inline]
pub(super) fn features() -> FeatureSet {
    let hardware = capabilities();
    let bit = |bit: u32| hardware >> bit & 1 != 0;
    // Linux, Documentation/arch/arm64/elf_hwcaps.rst: 1 ASIMD, 3 AES, 4 PMULL, 17 SHA3, 21 SHA512. What the compiler
    // calls `sha3` is both of the last.
    let present = [
        (Feature::Neon, cfg!(target_feature = "neon") || bit(1)),
        (Feature::Aes, cfg!(target_feature = "aes") || bit(3)),
        (Feature::Pmull, cfg!(target_feature = "aes") || bit(4)),
        (Feature::Sha3, cfg!(target_feature = "sha3") || bit(17) && bit(21)),
    ];
    present.into_iter().filter_map(|(feature, is_there)| is_there.then_some(feature)).collect()
}

/// No backend here has a choice of schedules.
pub(super) fn is_bound_by_aes() -> bool {
    false
}

/// The first word of Linux's hardware capabilities.
#[cfg(any(target_os = "linux", target_os = "android"))]
fn capabilities() -> u64 {
    const AT_HWCAP: u64 = 16;
    unsafe extern "C" {
        fn getauxval(kind: u64) -> u64;
    }
    // SAFETY: it takes any number, and reads what the process was started with.
    unsafe { getauxval(AT_HWCAP) }
}

/// Elsewhere what the compiler was told is all that is known: for Apple's computers it is everything.
#[cfg(not(any(target_os = "linux", target_os = "android")))]
fn capabilities() -> u64 {
    0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_found_is_what_the_standard_library_finds() {
        let found = features();
        let expected = [
            (Feature::Neon, std::arch::is_aarch64_feature_detected!("neon")),
            (Feature::Aes, std::arch::is_aarch64_feature_detected!("aes")),
            (Feature::Pmull, std::arch::is_aarch64_feature_detected!("pmull")),
            (Feature::Sha3, std::arch::is_aarch64_feature_detected!("sha3")),
        ];
        for (feature, is_there) in expected {
            assert_eq!(found.has(feature), is_there, "{feature:?}");
        }
    }
}
