//! Detection on x86-64: features from CPUID (Intel SDM vol. 2A; AMD APM vol. 3, appendix E), and XCR0 for the registers
//! that the operating system saves.

#![allow(unsafe_code, reason = "XGETBV can be read only where CPUID says that the system set it up")]

use core::arch::x86_64::{__cpuid, __cpuid_count, _xgetbv, CpuidResult};
use core::sync::atomic::{AtomicU32, Ordering};

use super::feature::{Feature, FeatureSet};

/// Detected features, with the flags [`IS_DETECTED`] and [`IS_BOUND_BY_AES`]. Zero before the detection.
static FOUND: AtomicU32 = AtomicU32::new(0);
const IS_DETECTED: u32 = 1 << 31;
const IS_BOUND_BY_AES: u32 = 1 << 30;

#[inline]
pub(super) fn features() -> FeatureSet {
    FeatureSet(detected() as u16)
}

/// Returns whether 512-bit code is limited by AES rounds rather than by carry-less products. This is so if the CPU
/// begins one 512-bit product and one 512-bit AES round a cycle.
#[inline]
pub(super) fn is_bound_by_aes() -> bool {
    detected() & IS_BOUND_BY_AES != 0
}

#[inline]
fn detected() -> u32 {
    // Relaxed: threads that detect at the same time store the same value.
    let found = FOUND.load(Ordering::Relaxed);
    if found & IS_DETECTED != 0 {
        return found;
    }
    let cpu = Cpu::detect();
    let found = u32::from(cpu.features().0) | IS_DETECTED | if cpu.is_golden_cove() { IS_BOUND_BY_AES } else { 0 };
    FOUND.store(found, Ordering::Relaxed);
    found
}

/// Results of CPUID and XGETBV, which identify a CPU. Tests create values for other CPUs than this one.
#[derive(Clone, Copy)]
struct Cpu {
    vendor: [u8; 12],
    /// CPUID leaf 1: family and model in EAX, features in ECX.
    leaf1: CpuidResult,
    /// CPUID leaf 7: features. Zeros if the CPU does not have this leaf.
    leaf7: CpuidResult,
    /// XCR0, a bit for each register set that the operating system saves. Zero if the system did not enable XSAVE.
    saved: u64,
}

impl Cpu {
    #[cold]
    fn detect() -> Self {
        const OSXSAVE: u32 = 27;
        #[target_feature(enable = "xsave")]
        fn read() -> u64 {
            // SAFETY: XCR0 exists wherever XGETBV does.
            unsafe { _xgetbv(0) }
        }
        let leaf0 = __cpuid(0);
        let leaf1 = __cpuid(1);
        let none = CpuidResult { eax: 0, ebx: 0, ecx: 0, edx: 0 };
        let mut vendor = [0; 12];
        vendor.copy_from_slice([leaf0.ebx, leaf0.edx, leaf0.ecx].map(u32::to_le_bytes).as_flattened());
        Self {
            vendor,
            leaf1,
            leaf7: if leaf0.eax >= 7 { __cpuid_count(7, 0) } else { none },
            // SAFETY: OSXSAVE says that the operating system enabled XGETBV.
            saved: if bit(leaf1.ecx, OSXSAVE) { unsafe { read() } } else { 0 },
        }
    }

    fn features(&self) -> FeatureSet {
        // Bits 1 and 2 are the 128- and 256-bit registers. Bits 5, 6 and 7 are the masks and both parts of the 512-bit
        // registers.
        const SAVES_256: u64 = 0b110;
        const SAVES_512: u64 = 0b1110_0110;
        let has_avx = bit(self.leaf1.ecx, 28) && self.saved & SAVES_256 == SAVES_256;
        let has_avx512 = has_avx && self.saved & SAVES_512 == SAVES_512;
        let present = [
            (Feature::Ssse3, bit(self.leaf1.ecx, 9)),
            (Feature::Sse41, bit(self.leaf1.ecx, 19)),
            (Feature::Aes, bit(self.leaf1.ecx, 25)),
            (Feature::Pclmulqdq, bit(self.leaf1.ecx, 1)),
            (Feature::Avx, has_avx),
            (Feature::Avx2, has_avx && bit(self.leaf7.ebx, 5)),
            (Feature::Vaes, has_avx && bit(self.leaf7.ecx, 9)),
            (Feature::Vpclmulqdq, has_avx && bit(self.leaf7.ecx, 10)),
            (Feature::Bmi2, bit(self.leaf7.ebx, 8)),
            (Feature::Avx512f, has_avx512 && bit(self.leaf7.ebx, 16)),
            (Feature::Avx512bw, has_avx512 && bit(self.leaf7.ebx, 30)),
            (Feature::Avx512dq, has_avx512 && bit(self.leaf7.ebx, 17)),
            (Feature::Avx512vl, has_avx512 && bit(self.leaf7.ebx, 31)),
        ];
        present.into_iter().filter_map(|(feature, is_there)| is_there.then_some(feature)).collect()
    }

    /// Returns whether this CPU is an Intel core since Golden Cove (Sapphire Rapids, Emerald Rapids and later),
    /// assuming that it has 512-bit registers.
    ///
    /// Older cores with VAES and 512-bit registers begin one 512-bit product in two cycles; their model numbers
    /// identify them. But hypervisors report such numbers for newer cores too (a Granite Rapids was seen as model 0xA7,
    /// Rocket Lake). The feature AVX512-FP16, which came with Golden Cove, then identifies the newer cores. This
    /// feature is not sufficient alone, because other hypervisors hide new features.
    fn is_golden_cove(&self) -> bool {
        const ICE_LAKE: [u32; 5] = [0x6A, 0x6C, 0x7D, 0x7E, 0x9D];
        const TIGER_AND_ROCKET_LAKE: [u32; 3] = [0x8C, 0x8D, 0xA7];
        const AVX512_FP16: u32 = 23;
        let version = self.leaf1.eax;
        let (family, model) = (version >> 8 & 0xF, version >> 4 & 0xF | version >> 12 & 0xF0);
        let is_before = family == 6 && (ICE_LAKE.contains(&model) || TIGER_AND_ROCKET_LAKE.contains(&model));
        &self.vendor == b"GenuineIntel" && (bit(self.leaf7.edx, AVX512_FP16) || !is_before)
    }
}

fn bit(register: u32, number: u32) -> bool {
    register >> number & 1 != 0
}

#[cfg(test)]
mod tests {
    use Feature::*;

    use super::*;

    const NONE: CpuidResult = CpuidResult { eax: 0, ebx: 0, ecx: 0, edx: 0 };
    const ALL: CpuidResult = CpuidResult { eax: !0, ebx: !0, ecx: !0, edx: !0 };
    const EVERYTHING: Cpu = Cpu { vendor: *b"GenuineIntel", leaf1: ALL, leaf7: ALL, saved: !0 };
    const WITH_AVX: [Feature; 4] = [Avx, Avx2, Vaes, Vpclmulqdq];
    const WITH_AVX512: [Feature; 4] = [Avx512f, Avx512bw, Avx512dq, Avx512vl];
    const ALWAYS: [Feature; 5] = [Ssse3, Sse41, Aes, Pclmulqdq, Bmi2];

    #[test]
    fn x86_64_detection_matches_the_standard_library() {
        let expected = [
            (Ssse3, is_x86_feature_detected!("ssse3")),
            (Sse41, is_x86_feature_detected!("sse4.1")),
            (Aes, is_x86_feature_detected!("aes")),
            (Pclmulqdq, is_x86_feature_detected!("pclmulqdq")),
            (Avx, is_x86_feature_detected!("avx")),
            (Avx2, is_x86_feature_detected!("avx2")),
            (Vaes, is_x86_feature_detected!("vaes")),
            (Vpclmulqdq, is_x86_feature_detected!("vpclmulqdq")),
            (Bmi2, is_x86_feature_detected!("bmi2")),
            (Avx512f, is_x86_feature_detected!("avx512f")),
            (Avx512bw, is_x86_feature_detected!("avx512bw")),
            (Avx512dq, is_x86_feature_detected!("avx512dq")),
            (Avx512vl, is_x86_feature_detected!("avx512vl")),
        ];
        for (feature, is_there) in expected {
            assert_eq!(features().has(feature), is_there, "{feature:?}");
        }
    }

    /// Calls `features` and `is_bound_by_aes` twice, because the second call returns what the first call has stored.
    #[test]
    fn stored_features_match_a_fresh_detection() {
        let cpu = Cpu::detect();
        for _ in 0..2 {
            assert_eq!((features(), is_bound_by_aes()), (cpu.features(), cpu.is_golden_cove()));
        }
    }

    /// Clears each bit of the CPUID registers, one at a time.
    #[test]
    fn each_cpuid_bit_controls_exactly_one_feature() {
        let all: FeatureSet = ALWAYS.into_iter().chain(WITH_AVX).chain(WITH_AVX512).collect();
        assert_eq!(EVERYTHING.features(), all);
        assert_eq!(Cpu { leaf1: NONE, leaf7: NONE, ..EVERYTHING }.features(), FeatureSet::EMPTY);
        for number in 0..32 {
            let without = |register: u32| register & !(1 << number);
            let leaf1 = CpuidResult { ecx: without(!0), ..ALL };
            let expected = match number {
                1 => all.without(Pclmulqdq),
                9 => all.without(Ssse3),
                19 => all.without(Sse41),
                25 => all.without(Aes),
                28 => ALWAYS.into_iter().collect(),
                _ => all,
            };
            assert_eq!(Cpu { leaf1, ..EVERYTHING }.features(), expected, "ECX of leaf 1, bit {number}");
            let leaf7 = CpuidResult { ebx: without(!0), ..ALL };
            let expected = match number {
                5 => all.without(Avx2),
                8 => all.without(Bmi2),
                16 => all.without(Avx512f),
                17 => all.without(Avx512dq),
                30 => all.without(Avx512bw),
                31 => all.without(Avx512vl),
                _ => all,
            };
            assert_eq!(Cpu { leaf7, ..EVERYTHING }.features(), expected, "EBX of leaf 7, bit {number}");
            let leaf7 = CpuidResult { ecx: without(!0), ..ALL };
            let expected = match number {
                9 => all.without(Vaes),
                10 => all.without(Vpclmulqdq),
                _ => all,
            };
            assert_eq!(Cpu { leaf7, ..EVERYTHING }.features(), expected, "ECX of leaf 7, bit {number}");
        }
    }

    /// XCR0 lacks bits on an old operating system, on a system started with `noxsave`, or under some hypervisors.
    #[test]
    fn avx_features_are_absent_if_the_system_does_not_save_their_registers() {
        let with_saved = |saved| Cpu { saved, ..EVERYTHING }.features();
        let narrow: FeatureSet = ALWAYS.into_iter().collect();
        let middle: FeatureSet = ALWAYS.into_iter().chain(WITH_AVX).collect();
        assert_eq!([with_saved(0), with_saved(0b1), with_saved(0b11), with_saved(0b101)], [narrow; 4]);
        assert_eq!([with_saved(0b110), with_saved(0b111)], [middle; 2]);
        for number in 0..64 {
            let expected = match number {
                1 | 2 => narrow,
                5..=7 => middle,
                _ => EVERYTHING.features(),
            };
            assert_eq!(with_saved(!(1 << number)), expected, "XCR0 without bit {number}");
        }
    }

    /// Tests CPUID signatures that the makers of CPUs published.
    #[test]
    fn golden_cove_is_detected_by_vendor_model_and_fp16() {
        let is_golden_cove = |vendor, signature, has_fp16: bool| {
            let leaf7 = CpuidResult { edx: u32::from(has_fp16) << 23, ..NONE };
            let leaf1 = CpuidResult { eax: signature, ..NONE };
            Cpu { vendor, leaf1, leaf7, ..EVERYTHING }.is_golden_cove()
        };
        // Ice Lake (server, client), Tiger Lake, Rocket Lake. These have no FP16; with FP16, a hypervisor reports an
        // old model for a newer core.
        for signature in [0x606A6, 0x606C1, 0x706D0, 0x706E5, 0x906D0, 0x806C1, 0x806D1, 0xA0671] {
            assert!(!is_golden_cove(*b"GenuineIntel", signature, false), "{signature:#X}");
            assert!(is_golden_cove(*b"GenuineIntel", signature, true), "{signature:#X}");
        }
        // Sapphire Rapids, Emerald Rapids, Granite Rapids, Alder Lake, and a later family with Ice Lake's model.
        for signature in [0x806F8, 0xC06F2, 0xA06D1, 0x90672, 0x460FA6] {
            assert!(is_golden_cove(*b"GenuineIntel", signature, false), "{signature:#X}");
        }
        // Zen 4 and Zen 5, whatever features they report.
        for (signature, has_fp16) in [(0xA10F11, false), (0xB00F21, false), (0xB00F21, true)] {
            assert!(!is_golden_cove(*b"AuthenticAMD", signature, has_fp16), "{signature:#X}");
        }
    }
}
