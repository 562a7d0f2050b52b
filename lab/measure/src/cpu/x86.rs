//! Detects features of x86 CPUs, by CPUID and XGETBV.
//!
//! Leaves and bits follow Intel's SDM volume 2A (CPUID) and AMD's APM volume 3, appendix E. The hypervisor's leaf
//! 0x4000_0000 follows the convention of both manuals.

#![allow(unsafe_code)] // XGETBV has no safe interface

use super::{Cpu, Feature, Status};
use kasoku_model::cpu_model::{known, known_with_fp16};
use kasoku_model::printable::printable;

pub(super) fn detect() -> Cpu {
    let leaf = |leaf, subleaf| {
        let result = raw_cpuid::cpuid!(leaf, subleaf);
        [result.eax, result.ebx, result.ecx, result.edx]
    };
    read(&leaf, enabled_state(&leaf))
}

/// Returns EAX, EBX, ECX and EDX of a CPUID leaf and subleaf.
type Leaf<'a> = dyn Fn(u32, u32) -> [u32; 4] + 'a;

const EAX: usize = 0;
const EBX: usize = 1;
const ECX: usize = 2;

/// Bits of XCR0 for the SSE and AVX registers.
const AVX: u64 = 0x06;
/// Bits of XCR0 for AVX-512: SSE and AVX registers, mask registers, upper halves, and the upper sixteen registers.
const AVX512: u64 = 0xe6;

/// Bit of AVX512-FP16 in EDX of CPUID leaf 7.
const AVX512_FP16: u32 = 23;

/// A feature: name; CPUID leaf, subleaf, register and bit; XCR0 bits that the operating system must have set; purpose.
type Row = (&'static str, (u32, u32, usize, u32), u64, &'static str);

const ROWS: &[Row] = &[
    ("aes", (1, 0, ECX, 25), 0, "AES, one block an instruction"),
    ("pclmulqdq", (1, 0, ECX, 1), 0, "carry-less multiplication: the GHASH of AES-GCM"),
    ("vaes", (7, 0, ECX, 9), AVX, "AES, two or four blocks an instruction"),
    ("vpclmulqdq", (7, 0, ECX, 10), AVX, "carry-less multiplication, two or four at once"),
    ("sha_ni", (7, 0, EBX, 29), 0, "SHA-1 and SHA-256"),
    ("sha512", (7, 1, EAX, 0), AVX, "SHA-512"),
    ("gfni", (7, 0, ECX, 8), 0, "Camellia, SM4 and ARIA without tables"),
    ("ssse3", (1, 0, ECX, 9), 0, "constant-time AES without AES instructions, ChaCha20"),
    ("avx", (1, 0, ECX, 28), AVX, "SHA-1, SHA-256, SHA-512"),
    ("avx2", (7, 0, EBX, 5), AVX, "ChaCha20, Poly1305, BLAKE2, SHA-2, ML-KEM"),
    ("avx512f", (7, 0, EBX, 16), AVX512, "VAES four blocks wide, ChaCha20"),
    ("avx512bw", (7, 0, EBX, 30), AVX512, "bytes and words of 512-bit vectors, which VAES paths need"),
    ("avx512vl", (7, 0, EBX, 31), AVX512, "AVX-512 operations on shorter vectors"),
    ("avx512ifma", (7, 0, EBX, 21), AVX512, "52-bit multiplication: Poly1305, RSA"),
    ("avx512vbmi", (7, 0, ECX, 1), AVX512, "byte permutations on 512-bit vectors"),
    ("bmi2", (7, 0, EBX, 8), 0, "RSA, X25519, P-256, SHA-2"),
    ("adx", (7, 0, EBX, 19), 0, "two carry chains: RSA, X25519, P-256"),
];

fn read(leaf: &Leaf, enabled: u64) -> Cpu {
    let [highest, vendor @ ..] = leaf(0, 0);
    let vendor = text(&[vendor[0], vendor[2], vendor[1]]);
    let signature = leaf(1, 0);
    let (family, model, stepping) = family_model_stepping(signature[0]);
    let has_fp16 = highest >= 7 && leaf(7, 0)[3] >> AVX512_FP16 & 1 == 1;
    let known = if has_fp16 { known_with_fp16 } else { known }(&vendor, family, model);

    let feature = |&(name, (number, subleaf, register, bit), state, purpose): &Row| {
        // Past the highest leaf or subleaf, a CPU may answer anything.
        let exists = number <= highest && (subleaf == 0 || subleaf <= leaf(number, 0)[0]);
        let status = if exists && leaf(number, subleaf)[register] >> bit & 1 == 1 {
            if enabled & state == state { Status::Usable } else { Status::NotEnabled }
        } else if known.as_ref().is_some_and(|known| known.has.iter().any(|names| names.contains(&name))) {
            Status::Hidden
        } else {
            Status::Absent
        };
        Feature { name, status, purpose }
    };

    let maker = match vendor.as_str() {
        "GenuineIntel" => "Intel",
        "AuthenticAMD" => "AMD",
        "HygonGenuine" => "Hygon",
        "CentaurHauls" | "  Shanghai  " => "Zhaoxin",
        other => other,
    };
    let suffix = known.as_ref().map(|known| format!(" ({})", known.name)).unwrap_or_default();
    let numbers = format!("family {family} model {model} stepping {stepping}");
    Cpu {
        name: brand(leaf),
        microarchitecture: Some(format!("{} {numbers}{suffix}", printable(maker))),
        hypervisor: (signature[2] >> 31 & 1 == 1).then(|| hypervisor(leaf)),
        features: ROWS.iter().map(feature).collect(),
    }
}

/// Returns the register states that the operating system has enabled (XCR0); 0 if it has not enabled XGETBV
/// (CPUID.1:ECX.OSXSAVE).
fn enabled_state(leaf: &Leaf) -> u64 {
    #[cfg(target_arch = "x86")]
    use std::arch::x86::_xgetbv;
    #[cfg(target_arch = "x86_64")]
    use std::arch::x86_64::_xgetbv;

    #[target_feature(enable = "xsave")]
    fn xcr0() -> u64 {
        // SAFETY: XCR0 exists on every CPU that has XGETBV.
        unsafe { _xgetbv(0) }
    }

    let has_xsave = leaf(1, 0)[2] >> 26 & 3 == 3; // XSAVE, and OSXSAVE: the kernel uses it
    // SAFETY: XSAVE and OSXSAVE mean that XGETBV may be executed.
    if has_xsave { unsafe { xcr0() } } else { 0 }
}

fn family_model_stepping(signature: u32) -> (u32, u32, u32) {
    let base_family = signature >> 8 & 0xf;
    let base_model = signature >> 4 & 0xf;
    let family = if base_family == 0xf { base_family + (signature >> 20 & 0xff) } else { base_family };
    let model = if matches!(base_family, 0x6 | 0xf) { base_model | (signature >> 12 & 0xf0) } else { base_model };
    (family, model, signature & 0xf)
}

fn brand(leaf: &Leaf) -> String {
    if leaf(0x8000_0000, 0)[0] < 0x8000_0004 {
        return String::new();
    }
    let words: Vec<u32> = (0x8000_0002..=0x8000_0004).flat_map(|number| leaf(number, 0)).collect();
    printable(&text(&words))
}

fn hypervisor(leaf: &Leaf) -> String {
    let [_, signature @ ..] = leaf(0x4000_0000, 0);
    let signature = text(&signature);
    match signature.as_str() {
        "KVMKVMKVM" => "KVM".to_owned(),
        "Microsoft Hv" => "Hyper-V".to_owned(),
        "VMwareVMware" => "VMware".to_owned(),
        "XenVMMXenVMM" => "Xen".to_owned(),
        "TCGTCGTCGTCG" => "QEMU (emulated CPU)".to_owned(),
        "VBoxVBoxVBox" => "VirtualBox".to_owned(),
        other => Some(printable(other)).filter(|name| !name.is_empty()).unwrap_or_else(|| "unnamed".to_owned()),
    }
}

/// Decodes the bytes of registers as text, up to the first zero byte.
fn text(words: &[u32]) -> String {
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).take_while(|&byte| byte != 0).collect();
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Fake {
        vendor: &'static [u8; 12],
        signature: u32,
        leaf1_ecx: u32,
        leaf7: [u32; 4],
        leaf7_1_eax: u32,
        hypervisor: &'static [u8; 12],
        brand: &'static [u8],
    }

    const AVX_AND_AES: u32 = 1 << 28 | 1 << 27 | 1 << 26 | 1 << 25 | 1 << 9 | 1 << 1;

    impl Default for Fake {
        fn default() -> Self {
            Fake {
                vendor: b"AuthenticAMD",
                signature: 0x00a1_0f11, // family 25 model 17 stepping 1
                leaf1_ecx: AVX_AND_AES | 1 << 31,
                leaf7: [1, 1 << 5 | 1 << 29, 1 << 9 | 1 << 10, 0],
                leaf7_1_eax: 0,
                hypervisor: b"KVMKVMKVM\0\0\0",
                brand: b"AMD EPYC",
            }
        }
    }

    impl Fake {
        fn read(&self, enabled: u64) -> Cpu {
            let word = |bytes: &[u8], index: usize| {
                let mut four = [0; 4];
                for (to, from) in four.iter_mut().zip(bytes.iter().skip(index * 4)) {
                    *to = *from;
                }
                u32::from_le_bytes(four)
            };
            let leaf = |leaf: u32, subleaf: u32| match (leaf, subleaf) {
                (0, _) => [7, word(self.vendor, 0), word(self.vendor, 2), word(self.vendor, 1)],
                (1, _) => [self.signature, 0, self.leaf1_ecx, 0],
                (7, 0) => self.leaf7,
                (7, 1) => [self.leaf7_1_eax, 0, 0, 0],
                (0x4000_0000, _) => [0, word(self.hypervisor, 0), word(self.hypervisor, 1), word(self.hypervisor, 2)],
                (0x8000_0000, _) => [0x8000_0008, 0, 0, 0],
                (0x8000_0002..=0x8000_0004, _) => {
                    let first = (leaf - 0x8000_0002) as usize * 4;
                    std::array::from_fn(|index| word(self.brand, first + index))
                }
                _ => [u32::MAX; 4],
            };
            read(&leaf, enabled)
        }
    }

    fn status(cpu: &Cpu, name: &str) -> Status {
        cpu.feature(name).unwrap().status
    }

    #[test]
    fn cpuid_bits_become_features() {
        let cpu = Fake::default().read(AVX512);
        assert_eq!(cpu.name, "AMD EPYC");
        assert_eq!(cpu.microarchitecture.as_deref(), Some("AMD family 25 model 17 stepping 1 (Zen 4)"));
        assert_eq!(cpu.hypervisor.as_deref(), Some("KVM"));
        assert_eq!(Fake { leaf1_ecx: AVX_AND_AES, ..Fake::default() }.read(AVX).hypervisor, None);
        for name in ["aes", "pclmulqdq", "vaes", "vpclmulqdq", "sha_ni", "avx2", "ssse3"] {
            assert_eq!(status(&cpu, name), Status::Usable, "{name}");
        }
        assert_eq!(status(&cpu, "sha512"), Status::Absent); // no Zen 4 has it
        assert_eq!(status(&cpu, "avx512f"), Status::Hidden); // every Zen 4 has it
    }

    #[test]
    fn hidden_features_differ_from_absent_ones() {
        let without_vaes = Fake { leaf7: [1, 0, 0, 0], ..Fake::default() };
        assert_eq!(status(&without_vaes.read(AVX512), "vaes"), Status::Hidden);
        let zen2 = Fake { signature: 0x0083_0f10, ..without_vaes }; // family 23 model 49
        let cpu = zen2.read(AVX512);
        assert_eq!(cpu.microarchitecture.as_deref(), Some("AMD family 23 model 49 stepping 0 (Zen 2)"));
        assert_eq!(status(&cpu, "vaes"), Status::Absent);
        assert_eq!(status(&cpu, "sha_ni"), Status::Hidden);
        let unknown = Fake { vendor: b"SomebodyElse", ..zen2 }.read(AVX512);
        assert_eq!(status(&unknown, "sha_ni"), Status::Absent);
        assert!(!unknown.microarchitecture.unwrap().contains('('));
    }

    #[test]
    fn model_number_that_features_contradict_is_not_named() {
        let rocket_lake = Fake { vendor: b"GenuineIntel", signature: 0x000a_0671, ..Fake::default() };
        let named = |fake: &Fake| fake.read(AVX512).microarchitecture.unwrap();
        assert_eq!(named(&rocket_lake), "Intel family 6 model 167 stepping 1 (Rocket Lake)");
        let newer = Fake { leaf7: [1, 1 << 5 | 1 << 29, 1 << 9 | 1 << 10, 1 << 23], ..rocket_lake };
        assert_eq!(named(&newer), "Intel family 6 model 167 stepping 1 (Golden Cove or later)");
    }

    #[test]
    fn vector_features_without_enabled_registers_are_not_usable() {
        let fake = Fake { leaf7: [1, 1 << 5 | 1 << 16, 1 << 9, 0], ..Fake::default() };
        let cpu = fake.read(0);
        assert_eq!(status(&cpu, "aes"), Status::Usable);
        for name in ["vaes", "avx", "avx2", "avx512f"] {
            assert_eq!(status(&cpu, name), Status::NotEnabled, "{name}");
        }
        let cpu = fake.read(AVX);
        assert_eq!(status(&cpu, "vaes"), Status::Usable);
        assert_eq!(status(&cpu, "avx512f"), Status::NotEnabled);
    }

    #[test]
    fn subleaves_past_the_highest_are_ignored() {
        let fake = Fake { leaf7_1_eax: 1, ..Fake::default() };
        assert_eq!(status(&fake.read(AVX), "sha512"), Status::Usable);
        let older = Fake { leaf7: [0, 0, 0, 0], ..fake };
        assert_eq!(status(&older.read(AVX), "sha512"), Status::Absent);
    }

    #[test]
    fn control_characters_in_names_are_escaped() {
        let fake = Fake { hypervisor: b"\x1b[31mEvil\n\xff\x07", brand: b"\x1b]0;x\x07CPU", ..Fake::default() };
        let cpu = fake.read(AVX);
        assert!(!cpu.name.chars().any(char::is_control), "{:?}", cpu.name);
        assert!(!cpu.hypervisor.unwrap().chars().any(char::is_control));
        let fake = Fake { hypervisor: &[0; 12], vendor: b"\x1b[2JHOSTILE\0", ..Fake::default() };
        let cpu = fake.read(AVX);
        assert_eq!(cpu.hypervisor.as_deref(), Some("unnamed"));
        assert!(!cpu.microarchitecture.unwrap().chars().any(char::is_control));
    }

    #[test]
    fn cpuid_signature_gives_family_model_and_stepping() {
        assert_eq!(family_model_stepping(0x0008_06f8), (6, 0x8f, 8)); // Sapphire Rapids
        assert_eq!(family_model_stepping(0x0003_06a9), (6, 0x3a, 9)); // Ivy Bridge
        assert_eq!(family_model_stepping(0x00a2_0f12), (0x19, 0x21, 2)); // Zen 3
    }

    #[test]
    fn x86_features_agree_with_the_standard_library() {
        let cpu = detect();
        let cases = [
            ("aes", std::is_x86_feature_detected!("aes")),
            ("pclmulqdq", std::is_x86_feature_detected!("pclmulqdq")),
            ("vaes", std::is_x86_feature_detected!("vaes")),
            ("vpclmulqdq", std::is_x86_feature_detected!("vpclmulqdq")),
            ("sha_ni", std::is_x86_feature_detected!("sha")),
            ("gfni", std::is_x86_feature_detected!("gfni")),
            ("ssse3", std::is_x86_feature_detected!("ssse3")),
            ("avx", std::is_x86_feature_detected!("avx")),
            ("avx2", std::is_x86_feature_detected!("avx2")),
            ("avx512f", std::is_x86_feature_detected!("avx512f")),
            ("avx512bw", std::is_x86_feature_detected!("avx512bw")),
            ("avx512vl", std::is_x86_feature_detected!("avx512vl")),
            ("avx512ifma", std::is_x86_feature_detected!("avx512ifma")),
            ("avx512vbmi", std::is_x86_feature_detected!("avx512vbmi")),
            ("bmi2", std::is_x86_feature_detected!("bmi2")),
            ("adx", std::is_x86_feature_detected!("adx")),
        ];
        for (name, expected) in cases {
            assert_eq!(cpu.can_use(name), expected, "{name}");
        }
        assert!(!cpu.name.is_empty());
    }
}
