//! Reads the CPU's capabilities (the line `CPUINFO:` of OpenSSL 3) and the masks `OPENSSL_…cap` that disable some, and
//! finds the acceleration state of a figure.

use kasoku_model::acceleration::Acceleration;
use kasoku_model::acceleration::ia32cap::{self, AES, CLMUL, SHA, VAES, VCLMUL};
use kasoku_model::algorithm::{Algorithm, Instructions, Quoted};

/// Value of a variable `OPENSSL_…cap`, which disables capabilities of the CPU.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct CapabilityMask {
    /// Architecture in the variable's name: `ia32`, `arm`, `riscv`…
    pub(super) architecture: String,
    pub(super) value: String,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct CpuInfo {
    /// The line without `CPUINFO:`.
    pub(super) text: String,
    /// Architecture in the name of the capability vector; `None` if the line has no vector.
    pub(super) architecture: Option<String>,
    /// The capability vector after masking; empty on architectures whose vector is not a number. For `ia32`, the first
    /// word has EDX and ECX of CPUID leaf 1, the second EBX and ECX of leaf 7. `arm` has one word.
    vector: Vec<u64>,
    pub(super) mask: Option<CapabilityMask>,
}

/// Maximum number of characters kept of the line `CPUINFO:`; OpenSSL prints about two hundred.
const MAX: usize = 1000;
/// Number of words in the longest capability vector, since OpenSSL 3.4.
const WORDS: usize = 5;

/// Acceleration states that disable instructions. States that clear fewer bits of the capability vector come first.
const STATES: [Acceleration; 6] = [
    Acceleration::NoSha,
    Acceleration::NoVaes,
    Acceleration::NoAes,
    Acceleration::NoClmul,
    Acceleration::Off,
    Acceleration::NoAvx512,
];

/// Bits of `OPENSSL_armcap`: AES, SHA-1, SHA-256, PMULL, SHA-512.
const ARM_CRYPTOGRAPHY: u64 = 0x4 | 0x8 | 0x10 | 0x20 | 0x40;
/// Bit of `OPENSSL_ppccap`: the AES, carry-less multiply and SHA instructions of POWER8.
const PPC_CRYPTOGRAPHY: u64 = 0x4;
/// Prefixes of RISC-V extensions with AES, carry-less multiply and SHA instructions.
const RISCV_CRYPTOGRAPHY: [&str; 5] = ["zk", "zvk", "zvbc", "zbc", "zbkc"];

/// Returns the architecture in the name of a capability variable: `ia32` in `OPENSSL_ia32cap`.
pub(super) fn architecture(variable: &str) -> Option<&str> {
    variable.strip_prefix("OPENSSL_")?.strip_suffix("cap")
}

impl CpuInfo {
    /// Reads the text behind `CPUINFO:`.
    pub(super) fn read(text: &str) -> CpuInfo {
        let text: String = text.chars().take(MAX).collect();
        let mut info = CpuInfo::default();
        for word in text.split_whitespace() {
            let variable = word.split_once('=').and_then(|(name, value)| Some((architecture(name)?, value)));
            if let Some((architecture, value)) = variable {
                info.architecture = Some(architecture.to_owned());
                info.vector = value.split(':').map(number).collect::<Option<Vec<u64>>>().unwrap_or_default();
            } else if let (Some(value), Some(architecture)) = (word.strip_prefix("env:"), info.architecture.clone()) {
                info.mask = Some(CapabilityMask { architecture, value: value.to_owned() });
            }
        }
        CpuInfo { text, ..info }
    }

    /// Returns the features in the capability vector, by Linux's names. The CPU may have more features.
    pub(super) fn features(&self) -> Vec<&'static str> {
        let table: &[(&'static str, usize, u32)] = match self.architecture.as_deref() {
            Some("ia32") => X86_FEATURES,
            Some("arm") => ARM_FEATURES,
            _ => &[],
        };
        table.iter().filter(|(_, word, bit)| self.word(*word) >> bit & 1 == 1).map(|(name, ..)| *name).collect()
    }

    /// Whether `self` and `other` may be lines of one CPU: the bits that neither mask touches agree.
    pub(super) fn may_be_the_same_cpu(&self, other: &CpuInfo) -> bool {
        if self.vector.is_empty() && other.vector.is_empty() {
            let vector = |info: &CpuInfo| info.text.split(" env:").next().unwrap_or_default().to_owned();
            return self.mask != other.mask || vector(self) == vector(other);
        }
        self.architecture == other.architecture
            && (0..WORDS).all(|word| {
                let untouched = !(self.touched(word) | other.touched(word));
                self.word(word) & untouched == other.word(word) & untouched
            })
    }

    fn word(&self, word: usize) -> u64 {
        self.vector.get(word).copied().unwrap_or(0)
    }

    /// Returns the bits of the word with this index that the mask may have changed.
    fn touched(&self, word: usize) -> u64 {
        let Some(mask) = &self.mask else { return 0 };
        let cleared = mask.value.split(':').nth(word).and_then(|text| number(text.strip_prefix('~')?));
        cleared.unwrap_or(u64::MAX)
    }
}

/// Returns the acceleration state in which `algorithm` ran under `mask`, or the reason why no state describes it.
/// `info` is the line `CPUINFO:` if openssl printed it.
pub(super) fn state(
    mask: &CapabilityMask,
    info: Option<&CpuInfo>,
    algorithm: Algorithm,
    is_before_3_1: bool,
) -> Result<Acceleration, String> {
    let CapabilityMask { architecture, value } = mask;
    let refused = || format!("no acceleration state is named after OPENSSL_{architecture}cap={value}");
    let has_cryptography = match architecture.as_str() {
        "ia32" => return x86_state(value, info, algorithm, is_before_3_1).ok_or_else(refused),
        "arm" => number(value).map(|bits| bits & ARM_CRYPTOGRAPHY != 0),
        "ppc" => number(value).map(|bits| bits & PPC_CRYPTOGRAPHY != 0),
        "riscv" if value.starts_with("rv") => {
            let is_one = |extension: &str| RISCV_CRYPTOGRAPHY.iter().any(|begin| extension.starts_with(begin));
            Some(value.split('_').any(is_one))
        }
        _ => None,
    };
    if has_cryptography == Some(false) { Ok(Acceleration::Off) } else { Err(refused()) }
}

fn x86_state(mask: &str, info: Option<&CpuInfo>, algorithm: Algorithm, is_before_3_1: bool) -> Option<Acceleration> {
    let cleared = cleared(mask)?;
    if cleared == [0, 0] {
        return Some(Acceleration::On);
    }
    let vector = info.filter(|info| !info.vector.is_empty());
    let relevant = relevant(algorithm);
    // Of the second word, only VAES and VPCLMULQDQ matter to AES. In the first word, SSSE3 matters too: OpenSSL uses it
    // for AES without AES instructions.
    let harmless = [0, if relevant == AES_BITS { !relevant[1] } else { 0 }];
    let is_named = |bits: [u64; 2]| {
        (0..2).all(|word| {
            let absent = vector.map_or(0, |info| !info.word(word));
            let unused = if is_before_3_1 && word == 1 { VAES | VCLMUL } else { 0 };
            let taken = cleared[word] | absent | unused | !relevant[word];
            bits[word] & !taken == 0 && cleared[word] & !(bits[word] | harmless[word]) == 0
        })
    };
    let exact = STATES.into_iter().find(|&state| ia32cap::cleared(state) == cleared);
    exact.or_else(|| STATES.into_iter().find(|&state| is_named(ia32cap::cleared(state))))
}

const AES_BITS: [u64; 2] = [AES | CLMUL, VAES | VCLMUL];

/// Returns the bits of acceleration states that affect an algorithm.
fn relevant(algorithm: Algorithm) -> [u64; 2] {
    match algorithm.instructions() {
        Instructions::Aes if has_hash(algorithm) => [AES_BITS[0], AES_BITS[1] | SHA],
        Instructions::Aes => AES_BITS,
        Instructions::Sha => [0, SHA],
        Instructions::None if algorithm == Algorithm::Quoted(Quoted::Ghash) => [CLMUL, VCLMUL],
        Instructions::None => [0, 0],
    }
}

fn has_hash(algorithm: Algorithm) -> bool {
    algorithm.name().contains("-hmac-")
}

/// Returns the bits that a mask clears in the first two words; `None` if the mask also sets bits or clears bits beyond.
fn cleared(mask: &str) -> Option<[u64; 2]> {
    let mut words = mask.split(':');
    let first = match words.next()? {
        // An empty first word clears no bits.
        "" if mask.starts_with(":~") => 0,
        text => number(text.strip_prefix('~')?)?,
    };
    // If the mask has no second word, OpenSSL clears all of that word.
    let second = match words.next() {
        Some(text) => number(text.strip_prefix('~')?)?,
        None => u64::MAX,
    };
    let has_more = words.any(|word| word.strip_prefix('~').and_then(number) != Some(0));
    (!has_more).then_some([first, second])
}

fn number(text: &str) -> Option<u64> {
    match text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    }
}

/// CPU features in `OPENSSL_ia32cap`: the name, the index of the 64-bit word, and the bit in it.
const X86_FEATURES: &[(&str, usize, u32)] = &[
    ("aes", 0, 57),
    ("pclmulqdq", 0, 33),
    ("vaes", 1, 41),
    ("vpclmulqdq", 1, 42),
    ("sha_ni", 1, 29),
    ("gfni", 1, 40),
    ("ssse3", 0, 41),
    ("avx", 0, 60),
    ("avx2", 1, 5),
    ("avx512f", 1, 16),
    ("avx512bw", 1, 30),
    ("avx512vl", 1, 31),
    ("avx512ifma", 1, 21),
    ("avx512vbmi", 1, 33),
    ("bmi2", 1, 8),
    ("adx", 1, 19),
];

const ARM_FEATURES: &[(&str, usize, u32)] =
    &[("aes", 0, 2), ("pmull", 0, 5), ("sha1", 0, 3), ("sha2", 0, 4), ("sha512", 0, 6), ("neon", 0, 0)];

#[cfg(test)]
mod tests {
    use super::*;

    const ZEN: &str = "OPENSSL_ia32cap=0xfffa3203078bffff:0x405fc6f1bf07ab";

    fn mask(architecture: &str, value: &str) -> CapabilityMask {
        CapabilityMask { architecture: architecture.to_owned(), value: value.to_owned() }
    }

    fn state_of(value: &str, info: Option<&str>, algorithm: Algorithm) -> Result<Acceleration, String> {
        state(&mask("ia32", value), info.map(CpuInfo::read).as_ref(), algorithm, false)
    }

    #[test]
    fn mask_of_each_acceleration_state_gives_that_state() {
        for (mask, state) in [
            ("~0x200000200000000:~0x60020000000", Acceleration::Off),
            ("~0x200000000000000:~0x20000000000", Acceleration::NoAes),
            ("~0x200000000:~0x40000000000", Acceleration::NoClmul),
            ("~0x0:~0x60000000000", Acceleration::NoVaes),
            ("~0x0:~0x20000000", Acceleration::NoSha),
            ("~0x0:~0x5842d0230000", Acceleration::NoAvx512),
            ("~0x0:~0x0", Acceleration::On),
        ] {
            for algorithm in [Algorithm::Aes128Gcm, Algorithm::Sha256, Algorithm::ChaCha20Poly1305] {
                assert_eq!(state_of(mask, None, algorithm), Ok(state), "{mask} {algorithm}");
                assert_eq!(state_of(mask, Some(ZEN), algorithm), Ok(state), "{mask} {algorithm} with a vector");
            }
        }
    }

    #[test]
    fn mask_that_leaves_some_acceleration_is_rejected() {
        for mask in ["", "0", "~", "~0x", "~0x1", "0x200000200000000", "~0x200020200000000:~0x0", "~x:~y"] {
            assert!(state_of(mask, None, Algorithm::Aes128Gcm).is_err(), "{mask}");
        }
        // This mask leaves VAES and SHA instructions enabled, so the state depends on whether the CPU has them.
        let both = "~0x200000200000000:~0x0";
        assert!(state_of(both, Some(ZEN), Algorithm::Sha256).is_err());
        assert!(state_of(both, None, Algorithm::Aes128Gcm).is_err());
        let haswell = "OPENSSL_ia32cap=0x7cfaf3fdffebffff:0x27ab";
        assert_eq!(
            state_of(both, Some(haswell), Algorithm::Aes128Gcm),
            Ok(Acceleration::Off),
            "Haswell has neither VAES nor SHA instructions"
        );
        let before_3_1 = state(&mask("ia32", both), None, Algorithm::Aes128Gcm, true);
        assert_eq!(before_3_1, Ok(Acceleration::Off), "before 3.1, OpenSSL does not use VAES");
    }

    #[test]
    fn mask_of_one_word_disables_avx2_and_sha_too() {
        let one = "~0x200000200000000";
        assert_eq!(state_of(one, None, Algorithm::Aes256Cbc), Ok(Acceleration::Off));
        assert!(state_of(one, None, Algorithm::ChaCha20Poly1305).is_err());
        assert!(state_of(one, None, Algorithm::Sha256).is_err());
        assert!(state_of(one, None, Algorithm::Aes128CbcHmacSha1).is_err());
    }

    #[test]
    fn arm_power_and_riscv_capability_masks_mean_off_only_without_crypto_features() {
        for (architecture, value, state_of) in [
            ("arm", "0x0", Some(Acceleration::Off)),
            ("arm", "1", Some(Acceleration::Off)),
            ("arm", "0x3d", None),
            ("ppc", "0x3", Some(Acceleration::Off)),
            ("ppc", "7", None),
            ("riscv", "rv64gc", Some(Acceleration::Off)),
            ("riscv", "rv64gc_zba_zbb_v", Some(Acceleration::Off)),
            ("riscv", "rv64gc_zvkned", None),
            ("riscv", "rv64gc_zbc", None),
            ("s390x", "z13", None),
            ("sparcv9", "0x0", None),
            ("loongarch", "0", None),
        ] {
            let found = state(&mask(architecture, value), None, Algorithm::Aes128Gcm, false);
            assert_eq!(found.ok(), state_of, "{architecture} {value}");
        }
        let info = CpuInfo::read("OPENSSL_armcap=0x0 env:0x0");
        assert_eq!(info.mask, Some(mask("arm", "0x0")));
    }

    #[test]
    fn cpu_info_line_lists_the_cpu_features_in_its_capability_vector() {
        let features = CpuInfo::read(ZEN).features();
        for name in ["aes", "pclmulqdq", "vaes", "vpclmulqdq", "sha_ni", "avx2", "avx512f"] {
            assert!(features.contains(&name), "{name}");
        }
        assert_eq!(CpuInfo::read("OPENSSL_armcap=0xbd").features(), ["aes", "pmull", "sha1", "sha2", "neon"]);
        assert_eq!(CpuInfo::read("OPENSSL_armcap=0x81").features(), ["neon"]);
        assert!(CpuInfo::read("N/A").features().is_empty());
    }

    #[test]
    fn cpu_info_with_openssls_mask_of_features_still_matches_its_cpu() {
        let plain = CpuInfo::read(ZEN);
        let masked =
            CpuInfo::read("OPENSSL_ia32cap=0xfdfa3201078bffff:0x4059c6d1bf07ab env:~0x200000200000000:~0x60020000000");
        assert!(plain.may_be_the_same_cpu(&masked) && masked.may_be_the_same_cpu(&plain));
        assert!(!plain.may_be_the_same_cpu(&CpuInfo::read("OPENSSL_ia32cap=0x98e3bdffebffff:0x0")));
        assert!(!plain.may_be_the_same_cpu(&CpuInfo::read("OPENSSL_armcap=0xbd")));
    }
}
