//! The environment variables that put libraries into an acceleration state.

use std::process::Command;

use crate::contract::Switch;
use crate::registry::LIBRARIES;
use kasoku_model::acceleration::Acceleration;
#[cfg(any(target_arch = "x86_64", target_arch = "x86"))]
use kasoku_model::acceleration::ia32cap;

pub(crate) const OPENSSL_VARIABLES: &[&str] = &["OPENSSL_ia32cap", "OPENSSL_armcap"];

/// Returns all environment variables that switch a library. The laboratory removes these variables before it sets those
/// of a state, so that `on` is independent of the user's shell.
pub fn switch_variables() -> impl Iterator<Item = &'static str> {
    LIBRARIES.iter().flat_map(|entry| entry.variables).copied()
}

pub fn remove_switches(command: &mut Command) {
    for variable in switch_variables() {
        command.env_remove(variable);
    }
}

/// Returns why a library uses no VAES on a CPU without AVX-512, if its VAES code also needs AVX-512.
pub(crate) fn vaes_needs_avx512(_version: &str, has_avx512: bool) -> Option<&'static str> {
    (!has_avx512).then_some("its VAES path also needs AVX-512")
}

/// Returns the environment that puts OpenSSL and its relatives into a state: bits to clear in the first two words of
/// the capability vector. Both words are always written: if the second is missing, OpenSSL takes it as zero, which also
/// disables AVX2, SHA and AVX-512.
pub fn openssl_switch(state: Acceleration) -> Switch {
    if state == Acceleration::On {
        return Switch::Environment(Vec::new());
    }
    #[cfg(any(target_arch = "x86_64", target_arch = "x86"))]
    {
        let [first, second] = ia32cap::cleared(state);
        Switch::Environment(vec![("OPENSSL_ia32cap", format!("~{first:#x}:~{second:#x}"))])
    }
    #[cfg(target_arch = "aarch64")]
    {
        // OPENSSL_armcap replaces the vector instead of masking it, so without knowing the detected features only "off"
        // can be expressed. Bit 0 is NEON, which every AArch64 CPU has and ChaCha20 needs for its speed.
        match state {
            Acceleration::Off => Switch::Environment(vec![("OPENSSL_armcap", "1".to_owned())]),
            _ => Switch::None("OPENSSL_armcap sets the whole vector; only off is offered"),
        }
    }
    #[cfg(not(any(target_arch = "x86_64", target_arch = "x86", target_arch = "aarch64")))]
    Switch::None("no switch known on this architecture")
}

#[cfg(all(test, target_arch = "x86_64"))]
mod tests {
    use super::*;

    #[test]
    fn openssl_off_clears_the_documented_ia32cap_bits() {
        let Switch::Environment(variables) = openssl_switch(Acceleration::Off) else { panic!() };
        assert_eq!(variables, [("OPENSSL_ia32cap", "~0x200000200000000:~0x60020000000".to_owned())]);
    }
}
