//! The names of code paths: what ran, as the observation of workers says it.

use crate::acceleration::Acceleration;

/// The honest answer where nothing could be seen.
pub const UNKNOWN: &str = "unknown";

/// Whether AES instructions ran, in any width; of a virtual machine, whether the routines made of them are on.
pub fn uses_aes_instructions(code_path: &str) -> bool {
    has(code_path, &[Class::Vaes512, Class::Vaes256, Class::Aesni, Class::ArmAes])
        || code_path.split('+').any(|part| part == "aes-intrinsics" || part == "aes-ctr-intrinsics")
}

/// Whether carry-less multiplication ran, in any width; of a virtual machine, whether its routine for GHASH is on.
pub fn uses_clmul_instructions(code_path: &str) -> bool {
    has(code_path, &[Class::Vclmul512, Class::Vclmul256, Class::Clmul, Class::Pmull])
        || code_path.split('+').any(|part| part == "ghash-intrinsics")
}

/// Whether the vector forms (more than one block an instruction) of AES or carry-less multiplication ran.
pub fn uses_vaes_instructions(code_path: &str) -> bool {
    has(code_path, &[Class::Vaes512, Class::Vaes256, Class::Vclmul512, Class::Vclmul256])
}

/// Whether AVX-512 ran, as far as the code path names it: vector AES on 256 bits may be in either encoding.
pub fn uses_avx512(code_path: &str) -> bool {
    has(code_path, &[Class::Vaes512, Class::Vclmul512, Class::Avx512, Class::Avx512vl])
}

/// Whether SHA instructions ran.
pub fn uses_sha_instructions(code_path: &str) -> bool {
    has(code_path, &[Class::ShaNi, Class::Sha512Ni, Class::ArmSha, Class::ArmSha512])
}

/// What ran although `state` forbids it: `None` if the code path agrees with the state (an unknown one always does).
pub fn contradiction(code_path: &str, state: Acceleration) -> Option<String> {
    let is = |states: &[Acceleration]| states.contains(&state);
    let aes = is(&[Acceleration::Off, Acceleration::NoAes]);
    let clmul = is(&[Acceleration::Off, Acceleration::NoClmul]);
    let vector = is(&[Acceleration::Off, Acceleration::NoVaes]);
    let sha = is(&[Acceleration::Off, Acceleration::NoSha]);
    let what = if aes && uses_aes_instructions(code_path) {
        "AES"
    } else if clmul && uses_clmul_instructions(code_path) {
        "carry-less multiply"
    } else if vector && uses_vaes_instructions(code_path) {
        "vector AES or vector carry-less multiply"
    } else if sha && uses_sha_instructions(code_path) {
        "SHA"
    } else if is(&[Acceleration::NoAvx512]) && uses_avx512(code_path) {
        "AVX-512"
    } else {
        return None;
    };
    Some(format!("{what} instructions ran ({code_path}) although the state is {state}"))
}

fn has(code_path: &str, classes: &[Class]) -> bool {
    code_path.split('+').any(|part| classes.iter().any(|class| class.name() == part))
}

/// What an instruction says about the code path. Within a family the widest form comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Class {
    /// AES on 512-bit registers.
    Vaes512,
    /// AES on 256-bit registers.
    Vaes256,
    /// AES on 128-bit registers.
    Aesni,
    /// AES on Arm.
    ArmAes,
    /// Carry-less multiplication on 512-bit registers.
    Vclmul512,
    /// The same on 256-bit registers.
    Vclmul256,
    /// The same on 128-bit registers.
    Clmul,
    /// The same on Arm.
    Pmull,
    /// SHA-512 on x86.
    Sha512Ni,
    /// SHA-1 and SHA-256 on x86.
    ShaNi,
    /// SHA-512 on Arm.
    ArmSha512,
    /// SHA-1 and SHA-256 on Arm.
    ArmSha,
    /// Galois-field affine transformations.
    Gfni,
    /// AVX-512 on 512-bit registers.
    Avx512,
    /// AVX-512 on narrower registers.
    Avx512vl,
    /// AVX2.
    Avx2,
    /// AVX.
    Avx,
    /// SSSE3 and later, up to SSE4.2.
    Ssse3,
    /// SSE2.
    Sse2,
    /// SHA-3 on Arm, also used for other ciphers.
    ArmSha3,
    /// SVE.
    Sve,
    /// Neon.
    Neon,
    /// ADX.
    Adx,
    /// BMI2.
    Bmi2,
}

/// Classes of which one stands for all in a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Family {
    /// AES.
    Aes,
    /// The same on 128-bit registers.
    Clmul,
    /// SHA.
    Sha,
    /// Galois-field affine transformations.
    Gfni,
    /// Vector instructions without cryptography.
    Vector,
    /// Big-number arithmetic.
    Integer,
}

impl Class {
    /// Its name in a code path.
    pub fn name(self) -> &'static str {
        match self {
            Class::Vaes512 => "vaes512",
            Class::Vaes256 => "vaes256",
            Class::Aesni => "aesni",
            Class::ArmAes => "armv8-aes",
            Class::Vclmul512 => "vclmul512",
            Class::Vclmul256 => "vclmul256",
            Class::Clmul => "clmul",
            Class::Pmull => "pmull",
            Class::Sha512Ni => "sha512-ni",
            Class::ShaNi => "sha-ni",
            Class::ArmSha512 => "armv8-sha512",
            Class::ArmSha => "armv8-sha",
            Class::Gfni => "gfni",
            Class::Avx512 => "avx512",
            Class::Avx512vl => "avx512vl",
            Class::Avx2 => "avx2",
            Class::Avx => "avx",
            Class::Ssse3 => "ssse3",
            Class::Sse2 => "sse2",
            Class::ArmSha3 => "armv8-sha3",
            Class::Sve => "sve",
            Class::Neon => "neon",
            Class::Adx => "adx",
            Class::Bmi2 => "bmi2",
        }
    }

    /// The family it belongs to.
    pub fn family(self) -> Family {
        match self {
            Class::Vaes512 | Class::Vaes256 | Class::Aesni | Class::ArmAes => Family::Aes,
            Class::Vclmul512 | Class::Vclmul256 | Class::Clmul | Class::Pmull => Family::Clmul,
            Class::Sha512Ni | Class::ShaNi | Class::ArmSha512 | Class::ArmSha => Family::Sha,
            Class::Gfni => Family::Gfni,
            Class::Avx512
            | Class::Avx512vl
            | Class::Avx2
            | Class::Avx
            | Class::Ssse3
            | Class::Sse2
            | Class::ArmSha3
            | Class::Sve
            | Class::Neon => Family::Vector,
            Class::Adx | Class::Bmi2 => Family::Integer,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_which_instructions_ran() {
        assert!(uses_aes_instructions("vaes512+vclmul512") && uses_aes_instructions("aesni"));
        assert!(uses_clmul_instructions("aesni+clmul") && uses_clmul_instructions("vaes512+vclmul512"));
        assert!(uses_vaes_instructions("aesni+vclmul256") && !uses_vaes_instructions("aesni+clmul"));
        assert!(uses_sha_instructions("aesni+sha-ni") && uses_sha_instructions("armv8-sha512"));
        for path in ["scalar", "ssse3", "avx512", UNKNOWN, "", "bitsliced"] {
            assert!(!uses_aes_instructions(path) && !uses_clmul_instructions(path) && !uses_sha_instructions(path));
        }
    }

    #[test]
    fn a_state_is_contradicted_by_what_it_forbids_only() {
        use crate::acceleration::Acceleration::*;
        assert_eq!(contradiction("vaes512+vclmul512", On), None);
        for path in ["aesni", "clmul", "vaes256+vclmul256", "sha-ni"] {
            assert!(contradiction(path, Off).is_some(), "{path}");
        }
        assert_eq!(contradiction("avx2", Off), None);
        assert_eq!(contradiction(UNKNOWN, Off), None);
        assert_eq!(contradiction("clmul", NoAes), None);
        assert!(contradiction("aesni", NoAes).is_some());
        assert_eq!(contradiction("aesni", NoClmul), None);
        assert!(contradiction("aesni+clmul", NoClmul).is_some());
        assert_eq!(contradiction("aesni+clmul", NoVaes), None);
        assert!(contradiction("vaes512", NoVaes).unwrap().contains("no-vaes"));
        assert_eq!(contradiction("vaes256+vclmul256", NoAvx512), None);
        for path in ["vaes512+vclmul512", "avx512", "avx512vl"] {
            assert!(contradiction(path, NoAvx512).unwrap().contains("no-avx512"), "{path}");
        }
        assert!(contradiction("sha-ni", NoSha).is_some());
    }
}
