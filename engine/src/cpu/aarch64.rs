//! Detection on AArch64: the operating system reports the features, since a program cannot ask the CPU directly.

#![allow(unsafe_code, reason = "the operating system is asked through C")]

use core::sync::atomic::{AtomicU64, Ordering};

use super::feature::{Feature, FeatureSet};

/// Returns the features that the operating system reports, and those for which the program is compiled.
#[inline]
pub(super) fn features() -> FeatureSet {
    features_of(capabilities())
}

#[inline]
pub(super) fn has_dit() -> bool {
    capabilities() & DIT != 0
}

/// Returns `false`, because no AArch64 backend has several instruction schedules.
pub(super) fn is_bound_by_aes() -> bool {
    false
}

// Capability bits of Linux's AT_HWCAP (Documentation/arch/arm64/elf_hwcaps.rst), also used for other systems.
const ASIMD: u64 = 1 << 1;
const AES: u64 = 1 << 3;
const PMULL: u64 = 1 << 4;
const SHA3: u64 = 1 << 17;
const SHA512: u64 = 1 << 21;
const DIT: u64 = 1 << 24;

/// Returns the features for the operating system's capability bits `capabilities`. The compiler's feature `sha3` means
/// both SHA3 and SHA512.
fn features_of(capabilities: u64) -> FeatureSet {
    let has = |bits: u64| capabilities & bits == bits;
    let present = [
        (Feature::Neon, cfg!(target_feature = "neon") || has(ASIMD)),
        (Feature::Aes, cfg!(target_feature = "aes") || has(AES)),
        (Feature::Pmull, cfg!(target_feature = "aes") || has(PMULL)),
        (Feature::Sha3, cfg!(target_feature = "sha3") || has(SHA3 | SHA512)),
    ];
    present.into_iter().filter_map(|(feature, is_there)| is_there.then_some(feature)).collect()
}

/// Returns the capability bits that the operating system reports. Keeps these bits after the first call, since on some
/// systems each request is a system call.
fn capabilities() -> u64 {
    static FOUND: AtomicU64 = AtomicU64::new(0);
    const IS_DETECTED: u64 = 1 << 63;
    // Relaxed: threads that detect at the same time store the same value.
    let found = FOUND.load(Ordering::Relaxed);
    if found & IS_DETECTED != 0 {
        return found;
    }
    let found = detect() | IS_DETECTED;
    FOUND.store(found, Ordering::Relaxed);
    found
}

#[cfg(any(target_os = "linux", target_os = "android"))]
fn detect() -> u64 {
    const AT_HWCAP: u64 = 16;
    unsafe extern "C" {
        fn getauxval(kind: u64) -> u64;
    }
    // SAFETY: getauxval takes any number and only reads the values that the process was started with.
    unsafe { getauxval(AT_HWCAP) }
}

#[cfg(target_vendor = "apple")]
fn detect() -> u64 {
    use core::ffi::{CStr, c_char, c_int, c_void};
    use core::ptr;

    unsafe extern "C" {
        fn sysctlbyname(
            name: *const c_char,
            old: *mut c_void,
            old_bytes: *mut usize,
            new: *mut c_void,
            new_bytes: usize,
        ) -> c_int;
    }
    let is_set = |name: &CStr| {
        let (mut value, mut bytes) = (0_i32, size_of::<i32>());
        // SAFETY: the name ends with a zero byte; at most the bytes of `value` are written; no setting is changed.
        let status =
            unsafe { sysctlbyname(name.as_ptr(), (&raw mut value).cast(), &raw mut bytes, ptr::null_mut(), 0) };
        status == 0 && value != 0
    };
    let asked = [
        (c"hw.optional.AdvSIMD", ASIMD),
        (c"hw.optional.arm.FEAT_AES", AES),
        (c"hw.optional.arm.FEAT_PMULL", PMULL),
        (c"hw.optional.arm.FEAT_SHA3", SHA3),
        (c"hw.optional.arm.FEAT_SHA512", SHA512),
        (c"hw.optional.arm.FEAT_DIT", DIT),
    ];
    asked.into_iter().filter(|(name, _)| is_set(name)).fold(0, |all, (_, bit)| all | bit)
}

/// Reports no data-independent timing, since Windows does not say whether the CPU has it.
#[cfg(windows)]
fn detect() -> u64 {
    #[link(name = "kernel32")]
    unsafe extern "system" {
        fn IsProcessorFeaturePresent(feature: u32) -> i32;
    }
    // winnt.h: PF_ARM_NEON_INSTRUCTIONS_AVAILABLE, PF_ARM_V8_CRYPTO_… (AES and PMULL), PF_ARM_SHA3_…, PF_ARM_SHA512_….
    let asked = [(19, ASIMD), (30, AES | PMULL), (64, SHA3), (65, SHA512)];
    // SAFETY: the function takes any number and returns 0 for unknown ones.
    let is_set = |feature| unsafe { IsProcessorFeaturePresent(feature) } != 0;
    asked.into_iter().filter(|&(feature, _)| is_set(feature)).fold(0, |all, (_, bits)| all | bits)
}

/// Reports no features: on this operating system, only those for which the program is compiled are known.
#[cfg(not(any(target_os = "linux", target_os = "android", target_vendor = "apple", windows)))]
fn detect() -> u64 {
    0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Backend;
    use crate::cpu::preferred;

    #[test]
    fn aarch64_detection_matches_the_standard_library() {
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
        assert_eq!(has_dit(), std::arch::is_aarch64_feature_detected!("dit"));
    }

    /// Capability words that Linux reports on real machines. For each, the test names the backend to choose.
    #[test]
    #[cfg(not(target_feature = "aes"))]
    fn preferred_backend_matches_known_aarch64_machines() {
        let machines = [
            ("nothing known", 0, Backend::Neon),
            ("Raspberry Pi 4", 0x887, Backend::Neon),
            ("Cortex-A53 with the extension", 0xFF, Backend::AesPmull),
            ("AES without PMULL", 0x887 | AES, Backend::Neon),
            ("PMULL without AES", 0x887 | PMULL, Backend::Neon),
            ("SHA3 without AES", 0x887 | SHA3 | SHA512, Backend::Neon),
            ("Graviton2 (Neoverse N1)", 0x0011_9FFF, Backend::AesPmull),
            ("SHA3 without SHA512", 0x0011_9FFF | SHA3, Backend::AesPmull),
            ("Graviton3 (Neoverse V1)", 0x0011_9FFF | SHA3 | SHA512 | DIT, Backend::AesEor3),
        ];
        for (machine, capabilities, backend) in machines {
            assert_eq!(preferred(features_of(capabilities)), backend, "{machine}");
        }
    }
}
