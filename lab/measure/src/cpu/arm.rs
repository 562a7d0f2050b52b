//! Detects features of Arm CPUs, by the capabilities that the kernel passes to each program (AT_HWCAP, AT_HWCAP2) and
//! the part number.

#[cfg(any(target_arch = "aarch64", target_arch = "arm"))]
use super::{Cpu, field};
use super::{Feature, Status};
#[cfg(any(target_arch = "aarch64", target_arch = "arm"))]
use kasoku_model::printable::printable;

/// Describes the CPU from information of the kernel, since programs cannot query an Arm CPU directly.
#[cfg(any(target_arch = "aarch64", target_arch = "arm"))]
pub(super) fn detect(cpuinfo: &str) -> Cpu {
    // Under an emulator, /proc/cpuinfo may describe the host's x86 CPU.
    let is_of_x86 = field(cpuinfo, "vendor_id").is_some();
    let cpuinfo = if is_of_x86 { "" } else { cpuinfo };
    let capabilities = capabilities();
    let part = part(cpuinfo).or_else(|| identification(capabilities[0]).map(named));
    // A board's name in the device tree tells people more than a part number.
    let board = std::fs::read_to_string("/proc/device-tree/model").unwrap_or_default();
    let board = board.trim_end_matches('\0');
    let name = field(cpuinfo, "model name").or_else(|| field(cpuinfo, "Hardware")).unwrap_or_default();
    let name = match (name, board) {
        ("", "") => part.clone().unwrap_or_default(),
        ("", board) => board.to_owned(),
        (name, "") => name.to_owned(),
        (name, board) => format!("{name} ({board})"),
    };
    Cpu { name: printable(&name), microarchitecture: part, hypervisor: None, features: features(capabilities) }
}

/// A feature: name; index of the capability word and bit in it; purpose.
type Row = (&'static str, (usize, u32), &'static str);

/// Features with their bits in Linux's arch/arm64/include/uapi/asm/hwcap.h.
#[cfg(not(target_arch = "arm"))]
const ROWS: &[Row] = &[
    ("aes", (0, 3), "AES, one round an instruction"),
    ("pmull", (0, 4), "carry-less multiplication: the GHASH of AES-GCM"),
    ("sha1", (0, 5), "SHA-1"),
    ("sha2", (0, 6), "SHA-256"),
    ("sha512", (0, 21), "SHA-512"),
    ("sha3", (0, 17), "SHA-3, and three-operand XOR for AES-GCM"),
    ("asimd", (0, 1), "128-bit vectors: ChaCha20, Poly1305, BLAKE2"),
    ("sve", (0, 22), "vectors of the CPU's own length"),
    ("sve2", (1, 1), "integer operations on vectors of the CPU's own length"),
    ("sveaes", (1, 2), "AES on vectors of the CPU's own length"),
    ("svepmull", (1, 3), "carry-less multiplication on vectors of that length"),
];

/// Features with their bits in Linux's arch/arm/include/uapi/asm/hwcap.h.
#[cfg(target_arch = "arm")]
const ROWS: &[Row] = &[
    ("aes", (1, 0), "AES, one round an instruction"),
    ("pmull", (1, 1), "carry-less multiplication: the GHASH of AES-GCM"),
    ("sha1", (1, 2), "SHA-1"),
    ("sha2", (1, 3), "SHA-256"),
    ("neon", (0, 12), "128-bit vectors: ChaCha20, Poly1305, bitsliced AES"),
];

fn features(capabilities: [u64; 2]) -> Vec<Feature> {
    let feature = |&(name, (word, bit), purpose): &Row| {
        let status = if capabilities[word] >> bit & 1 == 1 { Status::Usable } else { Status::Absent };
        Feature { name, status, purpose }
    };
    ROWS.iter().map(feature).collect()
}

#[cfg(all(any(target_arch = "aarch64", target_arch = "arm"), target_os = "linux"))]
fn capabilities() -> [u64; 2] {
    let (first, second) = rustix::param::linux_hwcap();
    [first as u64, second as u64]
}

/// Queries the standard library, and returns its answers as Linux's capability bits.
#[cfg(all(target_arch = "aarch64", not(target_os = "linux")))]
fn capabilities() -> [u64; 2] {
    use std::arch::is_aarch64_feature_detected as has;
    let bit = |is_set: bool, bit: u32| u64::from(is_set) << bit;
    let sha2 = has!("sha2");
    let first = bit(has!("aes"), 3)
        | bit(has!("pmull"), 4)
        | bit(sha2, 5)
        | bit(sha2, 6)
        | bit(has!("sha3"), 17)
        | bit(has!("sha3"), 21)
        | bit(has!("neon"), 1)
        | bit(has!("sve"), 22);
    [first, bit(has!("sve2"), 1) | bit(has!("sve2-aes"), 2) | bit(has!("sve2-aes"), 3)]
}

#[cfg(all(target_arch = "arm", not(target_os = "linux")))]
fn capabilities() -> [u64; 2] {
    [0, 0]
}

fn part(cpuinfo: &str) -> Option<String> {
    let number =
        |key| super::field(cpuinfo, key)?.strip_prefix("0x").and_then(|text| u32::from_str_radix(text, 16).ok());
    Some(named((number("CPU implementer")?, number("CPU part")?)))
}

/// Reads the numbers of the CPU's implementer and part from MIDR_EL1, if Linux allows programs to read it.
#[cfg(all(target_arch = "aarch64", target_os = "linux"))]
#[allow(unsafe_code, reason = "a register of the CPU is read")]
fn identification(capabilities: u64) -> Option<(u32, u32)> {
    const CPUID: u64 = 1 << 11;
    (capabilities & CPUID != 0).then(|| {
        let midr: u64;
        // SAFETY: the capability CPUID says that the kernel emulates this read.
        unsafe { std::arch::asm!("mrs {}, midr_el1", out(reg) midr, options(nomem, nostack, preserves_flags)) };
        ((midr >> 24) as u32 & 0xFF, (midr >> 4) as u32 & 0xFFF)
    })
}

#[cfg(all(any(target_arch = "aarch64", target_arch = "arm"), not(all(target_arch = "aarch64", target_os = "linux"))))]
fn identification(_: u64) -> Option<(u32, u32)> {
    None
}

/// Describes the CPU's part number, with its name if that is certain (Linux, arch/arm64/include/asm/cputype.h).
fn named((implementer, number): (u32, u32)) -> String {
    let name = match (implementer, number) {
        (0x41, 0xd03) => " (Cortex-A53)",
        (0x41, 0xd04) => " (Cortex-A35)",
        (0x41, 0xd05) => " (Cortex-A55)",
        (0x41, 0xd07) => " (Cortex-A57)",
        (0x41, 0xd08) => " (Cortex-A72)",
        (0x41, 0xd09) => " (Cortex-A73)",
        (0x41, 0xd0a) => " (Cortex-A75)",
        (0x41, 0xd0b) => " (Cortex-A76)",
        (0x41, 0xd0c) => " (Neoverse N1)",
        (0x41, 0xd0d) => " (Cortex-A77)",
        (0x41, 0xd40) => " (Neoverse V1)",
        (0x41, 0xd41) => " (Cortex-A78)",
        (0x41, 0xd44) => " (Cortex-X1)",
        (0x41, 0xd46) => " (Cortex-A510)",
        (0x41, 0xd47) => " (Cortex-A710)",
        (0x41, 0xd48) => " (Cortex-X2)",
        (0x41, 0xd49) => " (Neoverse N2)",
        (0x41, 0xd4d) => " (Cortex-A715)",
        (0x41, 0xd4e) => " (Cortex-X3)",
        (0x41, 0xd4f) => " (Neoverse V2)",
        (0x41, 0xd80) => " (Cortex-A520)",
        (0x41, 0xd81) => " (Cortex-A720)",
        (0x41, 0xd82) => " (Cortex-X4)",
        (0x41, 0xd84) => " (Neoverse V3)",
        (0x41, 0xd85) => " (Cortex-X925)",
        (0x41, 0xd87) => " (Cortex-A725)",
        (0x41, 0xd8e) => " (Neoverse N3)",
        (0x41, 0xc07) => " (Cortex-A7)",
        (0x41, 0xc09) => " (Cortex-A9)",
        (0x43, 0x0af) => " (ThunderX2)",
        (0x46, 0x001) => " (A64FX)",
        (0x48, 0xd01) => " (TaiShan v110)",
        (0x51, 0x001) => " (Oryon)",
        (0x61, 0x022) => " (Apple M1, Icestorm)",
        (0x61, 0x023) => " (Apple M1, Firestorm)",
        (0x61, 0x032) => " (Apple M2, Blizzard)",
        (0x61, 0x033) => " (Apple M2, Avalanche)",
        (0x6d, 0xd49) => " (Azure Cobalt 100)",
        (0xc0, 0xac3) => " (AmpereOne)",
        (0xc0, 0xac4) => " (AmpereOne A)",
        // Arm reserves this implementer code for software, such as emulators.
        (0x00, _) => " (of an emulator)",
        _ => "",
    };
    format!("Arm implementer {implementer:#04x} part {number:#05x}{name}")
}

#[cfg(test)]
mod tests {
    use super::*;

    const RASPBERRY_PI_5: &str = "processor\t: 0\nFeatures\t: fp asimd evtstrm aes pmull sha1 sha2 crc32 atomics\n\
         CPU implementer\t: 0x41\nCPU architecture: 8\nCPU variant\t: 0x4\nCPU part\t: 0xd0b\nCPU revision\t: 1\n";

    #[test]
    #[cfg(not(target_arch = "arm"))]
    fn arm_capabilities_become_features() {
        let features = features([1 << 1 | 1 << 3 | 1 << 4 | 1 << 5 | 1 << 6, 1 << 1]);
        let usable: Vec<&str> = features.iter().filter(|f| f.status == Status::Usable).map(|f| f.name).collect();
        assert_eq!(usable, ["aes", "pmull", "sha1", "sha2", "asimd", "sve2"]);
    }

    #[test]
    fn arm_parts_have_their_names() {
        assert_eq!(part(RASPBERRY_PI_5).as_deref(), Some("Arm implementer 0x41 part 0xd0b (Cortex-A76)"));
        assert_eq!(
            part("CPU implementer : 0x61\nCPU part : 0x022\n").as_deref(),
            Some("Arm implementer 0x61 part 0x022 (Apple M1, Icestorm)")
        );
        assert_eq!(
            part("CPU implementer : 0x99\nCPU part : 0x1\n").as_deref(),
            Some("Arm implementer 0x99 part 0x001")
        );
        assert_eq!(part("CPU implementer : x\n"), None);
        assert_eq!(part(""), None);
    }
}
