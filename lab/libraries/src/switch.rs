//! How acceleration is switched: the variables that libraries read.

use kasoku_model::acceleration::Acceleration;

use crate::contract::Switch;

/// Names the backend to take: `portable`, `aesni`, `vaes256` or `vaes512`.
pub const BACKEND_VARIABLE: &str = "KASOKU_BACKEND";

/// The variables that any library's switch may set; all are removed before a state's own are set, so that `on` means the
/// machine as it is and not what the user's shell happened to hold.
pub const SWITCH_VARIABLES: &[&str] = &[
    "OPENSSL_ia32cap",
    "OPENSSL_armcap",
    BACKEND_VARIABLE,
    "NSS_DISABLE_HW_AES",
    "NSS_DISABLE_PCLMUL",
    "NSS_DISABLE_AVX",
    "NSS_DISABLE_AVX2",
    "NSS_DISABLE_SSSE3",
    "NSS_DISABLE_SSE4_1",
    "NSS_DISABLE_HW_GCM",
    "NSS_DISABLE_HW_SHA",
    "NSS_DISABLE_HW_SHA1",
    "NSS_DISABLE_HW_SHA2",
    "NSS_DISABLE_ARM_NEON",
    "JAVA_TOOL_OPTIONS",
    "JDK_JAVA_OPTIONS",
    "_JAVA_OPTIONS",
];

/// The environment that brings OpenSSL and its relatives into a state: bits to clear in the first two words of the
/// capability vector. Both words are always written: without the second, OpenSSL takes it as zero and everything in it
/// (AVX2, SHA, AVX-512) is off too. VAES goes with AES: from 3.1 on, OpenSSL asks for VAES before AES-NI.
pub fn openssl_switch(state: Acceleration) -> Switch {
    if state == Acceleration::On {
        return Switch::Environment(Vec::new());
    }
    #[cfg(any(target_arch = "x86_64", target_arch = "x86"))]
    {
        const AES: u64 = 1 << 57;
        const CLMUL: u64 = 1 << 33;
        const SHA: u64 = 1 << 29;
        const VAES: u64 = 1 << 41;
        const VCLMUL: u64 = 1 << 42;
        // F, DQ, IFMA, CD, BW and VL of leaf 7's EBX; VBMI, VBMI2, VNNI, BITALG and VPOPCNTDQ of its ECX.
        const AVX512: u64 = 0xd023_0000 | 0x5842 << 32;
        let (first, second) = match state {
            Acceleration::On => (0, 0),
            Acceleration::Off => (AES | CLMUL, VAES | VCLMUL | SHA),
            Acceleration::NoAes => (AES, VAES),
            Acceleration::NoClmul => (CLMUL, VCLMUL),
            Acceleration::NoVaes => (0, VAES | VCLMUL),
            Acceleration::NoAvx512 => (0, AVX512),
            Acceleration::NoSha => (0, SHA),
        };
        Switch::Environment(vec![("OPENSSL_ia32cap", format!("~{first:#x}:~{second:#x}"))])
    }
    #[cfg(target_arch = "aarch64")]
    {
        // OPENSSL_armcap is the vector itself, not a mask of it: only "everything off" can be written without
        // knowing what the library would have found.
        match state {
            Acceleration::Off => Switch::Environment(vec![("OPENSSL_armcap", "0".to_owned())]),
            _ => Switch::None("OPENSSL_armcap sets the whole vector; only off is offered"),
        }
    }
    #[cfg(not(any(target_arch = "x86_64", target_arch = "x86", target_arch = "aarch64")))]
    Switch::None("no switch known on this architecture")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(target_arch = "x86_64")]
    fn the_off_mask_is_the_one_that_was_measured() {
        let Switch::Environment(variables) = openssl_switch(Acceleration::Off) else { panic!() };
        assert_eq!(variables, [("OPENSSL_ia32cap", "~0x200000200000000:~0x60020000000".to_owned())]);
    }
}
