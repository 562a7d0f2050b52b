//! Code paths: names of the instructions that a library was observed to run, joined by `+`.

use Class::*;

use crate::acceleration::Acceleration;
use crate::name::named;

/// Code path of a series that could not be observed.
pub const UNKNOWN: &str = "unknown";

/// Whether the code path includes AES instructions of any width. For a Java virtual machine, whether its AES routines
/// are on.
pub fn uses_aes_instructions(code_path: &str) -> bool {
    has(code_path, &[Vaes512, Vaes256, Aesni, ArmAes])
        || code_path.split('+').any(|part| part == "aes-intrinsics" || part == "aes-ctr-intrinsics")
}

/// Whether the code path includes carry-less multiplication of any width. For a Java virtual machine, whether its GHASH
/// routine is on.
pub fn uses_clmul_instructions(code_path: &str) -> bool {
    has(code_path, &[Vclmul512, Vclmul256, Clmul, Pmull]) || code_path.split('+').any(|part| part == "ghash-intrinsics")
}

/// Whether the code path includes AES or carry-less multiplication of more than one block per instruction.
pub fn uses_vaes_instructions(code_path: &str) -> bool {
    has(code_path, &[Vaes512, Vaes256, Vclmul512, Vclmul256])
}

/// Whether the code path names AVX-512. AES on 256-bit registers does not count, since it also exists without AVX-512.
pub fn uses_avx512(code_path: &str) -> bool {
    has(code_path, &[Vaes512, Vclmul512, Avx512, Avx512vl])
}

pub fn uses_sha_instructions(code_path: &str) -> bool {
    has(code_path, &[ShaNi, Sha512Ni, ArmSha, ArmSha512])
}

/// Returns an error message if `code_path` has instructions that `state` forbids. Never returns one for an unknown code
/// path.
pub fn contradiction(code_path: &str, state: Acceleration) -> Option<String> {
    type Forbidden = (&'static [Acceleration], fn(&str) -> bool, &'static str);
    const FORBIDDEN: [Forbidden; 5] = [
        (&[Acceleration::Off, Acceleration::NoAes], uses_aes_instructions, "AES"),
        (&[Acceleration::Off, Acceleration::NoClmul], uses_clmul_instructions, "carry-less multiply"),
        (
            &[Acceleration::Off, Acceleration::NoVaes],
            uses_vaes_instructions,
            "vector AES or vector carry-less multiply",
        ),
        (&[Acceleration::Off, Acceleration::NoSha], uses_sha_instructions, "SHA"),
        (&[Acceleration::NoAvx512], uses_avx512, "AVX-512"),
    ];
    let (.., what) = FORBIDDEN.into_iter().find(|(states, ran, _)| states.contains(&state) && ran(code_path))?;
    Some(format!("{what} instructions ran ({code_path}) although the state is {state}"))
}

fn has(code_path: &str, classes: &[Class]) -> bool {
    code_path.split('+').any(|part| classes.iter().any(|class| class.name() == part))
}

named! {
    /// Class of instructions that a code path can name. Within a family such as AES, the widest class comes first.
    pub enum Class {
        Vaes512 = "vaes512",
        Vaes256 = "vaes256",
        Aesni = "aesni",
        ArmAes = "armv8-aes",
        Vclmul512 = "vclmul512",
        Vclmul256 = "vclmul256",
        /// Carry-less multiplication on 128-bit registers.
        Clmul = "clmul",
        /// Carry-less multiplication on Arm.
        Pmull = "pmull",
        Sha512Ni = "sha512-ni",
        /// SHA-1 and SHA-256 on x86.
        ShaNi = "sha-ni",
        ArmSha512 = "armv8-sha512",
        /// SHA-1 and SHA-256 on Arm.
        ArmSha = "armv8-sha",
        Gfni = "gfni",
        /// AVX-512 on 512-bit registers.
        Avx512 = "avx512",
        /// AVX-512 on narrower registers.
        Avx512vl = "avx512vl",
        Avx2 = "avx2",
        Avx = "avx",
        /// SSSE3 and later, up to SSE4.2.
        Ssse3 = "ssse3",
        Sse2 = "sse2",
        /// SHA-3 instructions on Arm. Ciphers use some of them too, such as the XOR of three operands.
        ArmSha3 = "armv8-sha3",
        Sve = "sve",
        Neon = "neon",
        Adx = "adx",
        Bmi2 = "bmi2",
    }
}

/// Group of instruction classes (such as all vector widths of AES), of which a code path names only the widest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Family {
    Aes,
    Clmul,
    Sha,
    Gfni,
    Vector,
    Integer,
}

impl Class {
    pub fn family(self) -> Family {
        match self {
            Vaes512 | Vaes256 | Aesni | ArmAes => Family::Aes,
            Vclmul512 | Vclmul256 | Clmul | Pmull => Family::Clmul,
            Sha512Ni | ShaNi | ArmSha512 | ArmSha => Family::Sha,
            Gfni => Family::Gfni,
            Avx512 | Avx512vl | Avx2 | Avx | Ssse3 | Sse2 | ArmSha3 | Sve | Neon => Family::Vector,
            Adx | Bmi2 => Family::Integer,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contradiction_reports_only_forbidden_instructions() {
        use crate::acceleration::Acceleration::*;
        for (state, forbidden, allowed) in [
            (On, "", "vaes512+vclmul512 sha-ni avx512"),
            (Off, "aesni clmul vaes256+vclmul256 sha-ni", "avx2 ssse3 avx512 scalar bitsliced unknown"),
            (NoAes, "aesni vaes512+vclmul512", "clmul"),
            (NoClmul, "aesni+clmul vaes512+vclmul512", "aesni"),
            (NoVaes, "vaes512 aesni+vclmul256", "aesni+clmul"),
            (NoAvx512, "vaes512+vclmul512 avx512 avx512vl", "vaes256+vclmul256"),
            (NoSha, "aesni+sha-ni armv8-sha512", "aesni"),
        ] {
            for path in forbidden.split_ascii_whitespace() {
                assert!(contradiction(path, state).unwrap().contains(state.name()), "{path}, {state}");
            }
            assert!(allowed.split(' ').all(|path| contradiction(path, state).is_none()), "{state}");
        }
    }
}
