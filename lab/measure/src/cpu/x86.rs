//! x86: CPUID and XGETBV.
//!
//! Leaves and bits are from Intel's SDM volume 2A (CPUID) and AMD's APM volume 3, appendix E; the hypervisor's leaf
//! from the convention both keep (0x4000_0000).

#![allow(unsafe_code)] // XGETBV has no safe interface

use super::{Cpu, Feature, RawLeaf, Status, field, listed};
use kasoku_model::cpu_model::{known, known_with_fp16};
use kasoku_model::printable::printable;

/// Asks this CPU.
pub(super) fn detect(cpuinfo: &str) -> Cpu {
    let leaf = |leaf, subleaf| {
        let result = raw_cpuid::cpuid!(leaf, subleaf);
        [result.eax, result.ebx, result.ecx, result.edx]
    };
    read(&leaf, enabled_state(&leaf), cpuinfo)
}

/// EAX, EBX, ECX and EDX of a leaf and subleaf.
type Leaf<'a> = dyn Fn(u32, u32) -> [u32; 4] + 'a;

#[derive(Clone, Copy)]
enum Register {
    Eax,
    Ebx,
    Ecx,
}

/// XCR0: SSE and AVX registers; and those of AVX-512 besides (mask registers, upper halves, the upper sixteen).
const AVX: u64 = 0x06;
const AVX512: u64 = 0xe6;

/// Its bit in EDX of leaf 7.
const AVX512_FP16: u32 = 23;

struct Row {
    name: &'static str,
    leaf: u32,
    subleaf: u32,
    register: Register,
    bit: u32,
    /// The state the operating system must have enabled; SSE's always is.
    state: u64,
    /// Whether Linux lists it in /proc/cpuinfo.
    is_listed: bool,
    purpose: &'static str,
}

const fn row(name: &'static str, at: (u32, u32, Register, u32), state: u64, purpose: &'static str) -> Row {
    Row { name, leaf: at.0, subleaf: at.1, register: at.2, bit: at.3, state, is_listed: true, purpose }
}

use Register::{Eax, Ebx, Ecx};

impl Row {
    /// Where the manuals say it is.
    fn place(&self) -> String {
        let register = match self.register {
            Eax => "EAX",
            Ebx => "EBX",
            Ecx => "ECX",
        };
        match self.leaf {
            7 => format!("CPUID.(EAX=7,ECX={}):{register}[{}]", self.subleaf, self.bit),
            leaf => format!("CPUID.{leaf}:{register}[{}]", self.bit),
        }
    }
}

const ROWS: &[Row] = &[
    row("aes", (1, 0, Ecx, 25), 0, "AES, one block an instruction: AES-GCM, AES-CBC, AES-CTR, AES-XTS"),
    row("pclmulqdq", (1, 0, Ecx, 1), 0, "carry-less multiplication: the GHASH of AES-GCM"),
    row("vaes", (7, 0, Ecx, 9), AVX, "AES, two or four blocks an instruction"),
    row("vpclmulqdq", (7, 0, Ecx, 10), AVX, "carry-less multiplication, two or four at once"),
    row("sha_ni", (7, 0, Ebx, 29), 0, "SHA-1 and SHA-256"),
    Row { is_listed: false, ..row("sha512", (7, 1, Eax, 0), AVX, "SHA-512") },
    row("gfni", (7, 0, Ecx, 8), 0, "arithmetic in GF(2^8): Camellia, SM4 and ARIA without tables"),
    row("ssse3", (1, 0, Ecx, 9), 0, "byte shuffles: constant-time AES without AES instructions, ChaCha20"),
    row("avx", (1, 0, Ecx, 28), AVX, "three-operand vectors: SHA-1, SHA-256, SHA-512"),
    row("avx2", (7, 0, Ebx, 5), AVX, "256-bit integer vectors: ChaCha20, Poly1305, BLAKE2, SHA-2, ML-KEM"),
    row("avx512f", (7, 0, Ebx, 16), AVX512, "512-bit vectors: VAES four blocks wide, ChaCha20"),
    row("avx512bw", (7, 0, Ebx, 30), AVX512, "byte and word operations on 512-bit vectors, which VAES paths need"),
    row("avx512vl", (7, 0, Ebx, 31), AVX512, "AVX-512 operations on shorter vectors"),
    row("avx512ifma", (7, 0, Ebx, 21), AVX512, "52-bit multiplication: Poly1305, RSA"),
    row("avx512vbmi", (7, 0, Ecx, 1), AVX512, "byte permutations on 512-bit vectors"),
    row("bmi2", (7, 0, Ebx, 8), 0, "multiplication without flags: RSA, X25519, P-256; rotations: SHA-2"),
    row("adx", (7, 0, Ebx, 19), 0, "two carry chains: RSA, X25519, P-256"),
];

fn read(leaf: &Leaf, enabled: u64, cpuinfo: &str) -> Cpu {
    let [highest, vendor @ ..] = leaf(0, 0);
    let vendor = text(&[vendor[0], vendor[2], vendor[1]]);
    let signature = leaf(1, 0);
    let (family, model, stepping) = family_model_stepping(signature[0]);
    let has_fp16 = highest >= 7 && leaf(7, 0)[3] >> AVX512_FP16 & 1 == 1;
    let known = if has_fp16 { known_with_fp16 } else { known }(&vendor, family, model);
    let hypervisor = (signature[2] >> 31 & 1 == 1).then(|| hypervisor(leaf));
    let flags = listed(cpuinfo, "flags");

    let feature = |row: &Row| {
        // Past the highest leaf (or subleaf) a CPU may answer anything.
        let exists = row.leaf <= highest && (row.subleaf == 0 || row.subleaf <= leaf(row.leaf, 0)[0]);
        let registers = if exists { leaf(row.leaf, row.subleaf) } else { [0; 4] };
        let word = match row.register {
            Eax => registers[0],
            Ebx => registers[1],
            Ecx => registers[2],
        };
        let status = if word >> row.bit & 1 == 1 {
            if enabled & row.state == row.state { Status::Usable } else { Status::NotEnabled }
        } else if known.as_ref().is_some_and(|known| known.has.iter().any(|names| names.contains(&row.name))) {
            Status::Hidden
        } else {
            Status::Absent
        };
        let listed = flags.as_ref().filter(|_| row.is_listed).map(|flags| flags.contains(row.name));
        Feature { name: row.name, status, listed, purpose: row.purpose, place: Some(row.place()) }
    };

    let maker = match vendor.as_str() {
        "GenuineIntel" => "Intel",
        "AuthenticAMD" => "AMD",
        "HygonGenuine" => "Hygon",
        "CentaurHauls" | "  Shanghai  " => "Zhaoxin",
        other => other,
    };
    let suffix = known.as_ref().map(|known| format!(" ({})", known.name)).unwrap_or_default();
    Cpu {
        name: brand(leaf).or_else(|| Some(printable(field(cpuinfo, "model name")?))).unwrap_or_default(),
        microarchitecture: Some(format!(
            "{} family {family} model {model} stepping {stepping}{suffix}",
            printable(maker)
        )),
        hypervisor,
        features: ROWS.iter().map(feature).collect(),
        leaves: leaves(leaf, highest),
    }
}

/// The leaves that are read here, as far as this CPU has them.
fn leaves(leaf: &Leaf, highest: u32) -> Vec<RawLeaf> {
    let answer = |number, subleaf| RawLeaf { leaf: number, subleaf, registers: leaf(number, subleaf) };
    let mut leaves = vec![answer(0, 0), answer(1, 0)];
    if highest >= 7 {
        leaves.extend((0..=leaf(7, 0)[0].min(1)).map(|subleaf| answer(7, subleaf)));
    }
    if leaf(1, 0)[2] >> 31 & 1 == 1 {
        leaves.push(answer(0x4000_0000, 0));
    }
    let extended = leaf(0x8000_0000, 0)[0];
    leaves.extend([0x8000_0000, 0x8000_0002, 0x8000_0003, 0x8000_0004].map(|number| answer(number, 0)));
    leaves.retain(|one| one.leaf <= 0x8000_0000 || one.leaf <= extended);
    leaves
}

/// The register state the operating system has enabled (XCR0); 0 if it does not say so (CPUID.1:ECX.OSXSAVE).
fn enabled_state(leaf: &Leaf) -> u64 {
    #[cfg(target_arch = "x86")]
    use std::arch::x86::_xgetbv;
    #[cfg(target_arch = "x86_64")]
    use std::arch::x86_64::_xgetbv;

    #[target_feature(enable = "xsave")]
    fn xcr0() -> u64 {
        // SAFETY: register 0 exists wherever the instruction does.
        unsafe { _xgetbv(0) }
    }

    let has_xsave = leaf(1, 0)[2] >> 26 & 3 == 3; // XSAVE, and OSXSAVE: the kernel uses it
    // SAFETY: the CPU and the kernel say that XGETBV may be executed.
    if has_xsave { unsafe { xcr0() } } else { 0 }
}

fn family_model_stepping(signature: u32) -> (u32, u32, u32) {
    let base_family = signature >> 8 & 0xf;
    let base_model = signature >> 4 & 0xf;
    let family = if base_family == 0xf { base_family + (signature >> 20 & 0xff) } else { base_family };
    let model = if matches!(base_family, 0x6 | 0xf) { base_model | (signature >> 12 & 0xf0) } else { base_model };
    (family, model, signature & 0xf)
}

/// The brand string of leaves 0x8000_0002 to 4.
fn brand(leaf: &Leaf) -> Option<String> {
    if leaf(0x8000_0000, 0)[0] < 0x8000_0004 {
        return None;
    }
    let words: Vec<u32> = (0x8000_0002..=0x8000_0004).flat_map(|number| leaf(number, 0)).collect();
    Some(printable(&text(&words))).filter(|name| !name.is_empty())
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
        "bhyve bhyve " => "bhyve".to_owned(),
        "ACRNACRNACRN" => "ACRN".to_owned(),
        " prl hyperv " | " lrpepyh  vr" => "Parallels".to_owned(),
        "QNXQVMBSQG" => "QNX".to_owned(),
        "___ NVMM ___" => "NVMM".to_owned(),
        "OpenBSDVMM58" => "OpenBSD vmm".to_owned(),
        other => Some(printable(other)).filter(|name| !name.is_empty()).unwrap_or_else(|| "unnamed".to_owned()),
    }
}

/// The bytes of registers as text, up to the first zero.
fn text(words: &[u32]) -> String {
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).take_while(|&byte| byte != 0).collect();
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A made-up CPU: signature, feature words, hypervisor signature and brand.
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
        fn read(&self, enabled: u64, cpuinfo: &str) -> Cpu {
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
            read(&leaf, enabled, cpuinfo)
        }
    }

    fn status(cpu: &Cpu, name: &str) -> Status {
        cpu.feature(name).unwrap().status
    }

    #[test]
    fn bits_become_features() {
        let cpu = Fake::default().read(AVX512, "");
        assert_eq!(cpu.name, "AMD EPYC");
        assert_eq!(cpu.microarchitecture.as_deref(), Some("AMD family 25 model 17 stepping 1 (Zen 4)"));
        assert_eq!(cpu.hypervisor.as_deref(), Some("KVM"));
        for name in ["aes", "pclmulqdq", "vaes", "vpclmulqdq", "sha_ni", "avx2", "ssse3"] {
            assert_eq!(status(&cpu, name), Status::Usable, "{name}");
        }
        assert_eq!(status(&cpu, "sha512"), Status::Absent); // no Zen 4 has it
        assert_eq!(status(&cpu, "avx512f"), Status::Hidden); // every Zen 4 has it
    }

    #[test]
    fn what_the_hypervisor_hides_is_told_from_what_the_cpu_lacks() {
        let without_vaes = Fake { leaf7: [1, 0, 0, 0], ..Fake::default() };
        assert_eq!(status(&without_vaes.read(AVX512, ""), "vaes"), Status::Hidden);
        let zen2 = Fake { signature: 0x0083_0f10, ..without_vaes }; // family 23 model 49
        let cpu = zen2.read(AVX512, "");
        assert_eq!(cpu.microarchitecture.as_deref(), Some("AMD family 23 model 49 stepping 0 (Zen 2)"));
        assert_eq!(status(&cpu, "vaes"), Status::Absent);
        assert_eq!(status(&cpu, "sha_ni"), Status::Hidden);
        let unknown = Fake { vendor: b"SomebodyElse", ..zen2 }.read(AVX512, "");
        assert_eq!(status(&unknown, "sha_ni"), Status::Absent);
        assert!(!unknown.microarchitecture.unwrap().contains('('));
    }

    #[test]
    fn a_number_that_features_contradict_names_no_cpu() {
        let rocket_lake = Fake { vendor: b"GenuineIntel", signature: 0x000a_0671, ..Fake::default() };
        let named = |fake: &Fake| fake.read(AVX512, "").microarchitecture.unwrap();
        assert_eq!(named(&rocket_lake), "Intel family 6 model 167 stepping 1 (Rocket Lake)");
        let newer = Fake { leaf7: [1, 1 << 5 | 1 << 29, 1 << 9 | 1 << 10, 1 << 23], ..rocket_lake };
        assert_eq!(named(&newer), "Intel family 6 model 167 stepping 1 (Golden Cove or later)");
    }

    #[test]
    fn a_kernel_that_enables_no_vector_registers_makes_them_unusable() {
        let fake = Fake { leaf7: [1, 1 << 5 | 1 << 16, 1 << 9, 0], ..Fake::default() };
        let cpu = fake.read(0, "");
        assert_eq!(status(&cpu, "aes"), Status::Usable);
        for name in ["vaes", "avx", "avx2", "avx512f"] {
            assert_eq!(status(&cpu, name), Status::NotEnabled, "{name}");
        }
        let cpu = fake.read(AVX, "");
        assert_eq!(status(&cpu, "vaes"), Status::Usable);
        assert_eq!(status(&cpu, "avx512f"), Status::NotEnabled);
    }

    #[test]
    fn subleaves_past_the_last_are_not_believed() {
        let fake = Fake { leaf7_1_eax: 1, ..Fake::default() };
        assert_eq!(status(&fake.read(AVX, ""), "sha512"), Status::Usable);
        let older = Fake { leaf7: [0, 0, 0, 0], ..fake };
        assert_eq!(status(&older.read(AVX, ""), "sha512"), Status::Absent);
    }

    #[test]
    fn the_kernels_list_stands_beside() {
        let cpu = Fake::default().read(AVX, "flags\t: fpu aes avx2\n");
        assert_eq!(cpu.feature("aes").unwrap().listed, Some(true));
        assert_eq!(cpu.feature("vaes").unwrap().listed, Some(false));
        assert_eq!(cpu.feature("sha512").unwrap().listed, None);
        assert!(cpu.explanation(cpu.feature("vaes").unwrap()).unwrap().contains("kernel"));
    }

    #[test]
    fn hostile_names_are_escaped() {
        let fake = Fake { hypervisor: b"\x1b[31mEvil\n\xff\x07", brand: b"\x1b]0;x\x07CPU", ..Fake::default() };
        let cpu = fake.read(AVX, "");
        assert!(!cpu.name.chars().any(char::is_control), "{:?}", cpu.name);
        assert!(!cpu.hypervisor.unwrap().chars().any(char::is_control));
        let fake = Fake { hypervisor: &[0; 12], vendor: b"\x1b[2JHOSTILE\0", ..Fake::default() };
        let cpu = fake.read(AVX, "");
        assert_eq!(cpu.hypervisor.as_deref(), Some("unnamed"));
        assert!(!cpu.microarchitecture.unwrap().chars().any(char::is_control));
    }

    #[test]
    fn without_the_hypervisor_bit_there_is_none() {
        let fake = Fake { leaf1_ecx: AVX_AND_AES, ..Fake::default() };
        assert_eq!(fake.read(AVX, "").hypervisor, None);
    }

    #[test]
    fn the_leaves_are_there_as_they_were_answered() {
        let cpu = Fake::default().read(AVX, "");
        let leaf = |number| cpu.leaves.iter().find(|one| one.leaf == number && one.subleaf == 0).unwrap().registers;
        assert_eq!(leaf(1)[0], 0x00a1_0f11);
        assert_eq!(leaf(7)[2], 1 << 9 | 1 << 10);
        assert_eq!(leaf(0x4000_0000)[1].to_le_bytes(), *b"KVMK");
        assert_eq!(cpu.feature("vaes").unwrap().place.as_deref(), Some("CPUID.(EAX=7,ECX=0):ECX[9]"));
        assert_eq!(cpu.feature("aes").unwrap().place.as_deref(), Some("CPUID.1:ECX[25]"));
        // What the table says of places is where the bits are.
        let bit = |name: &str, register: usize, bit: u32| {
            let place = cpu.feature(name).unwrap().place.clone().unwrap();
            let number = if place.contains("EAX=7") { 7 } else { 1 };
            assert!(place.ends_with(&format!("[{bit}]")), "{place}");
            leaf(number)[register] >> bit & 1 == 1
        };
        assert!(bit("aes", 2, 25) && bit("sha_ni", 1, 29) && !bit("avx512f", 1, 16));
        assert!(
            Fake { leaf1_ecx: AVX_AND_AES, ..Fake::default() }
                .read(AVX, "")
                .leaves
                .iter()
                .all(|one| one.leaf != 0x4000_0000)
        );
    }

    #[test]
    fn signatures_are_taken_apart() {
        assert_eq!(family_model_stepping(0x0008_06f8), (6, 0x8f, 8)); // Sapphire Rapids
        assert_eq!(family_model_stepping(0x0003_06a9), (6, 0x3a, 9)); // Ivy Bridge
        assert_eq!(family_model_stepping(0x00a2_0f12), (0x19, 0x21, 2)); // Zen 3
    }

    #[test]
    fn this_cpu_agrees_with_the_standard_library() {
        let cpu = detect("");
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
