//! How acceleration is switched: the variables that libraries read.

use std::process::Command;

use crate::contract::Switch;
use crate::registry::LIBRARIES;
use kasoku_model::acceleration::Acceleration;
#[cfg(any(target_arch = "x86_64", target_arch = "x86"))]
use kasoku_model::acceleration::ia32cap;

/// The environment variables that OpenSSL and its relatives read.
pub(crate) const OPENSSL_VARIABLES: &[&str] = &["OPENSSL_ia32cap", "OPENSSL_armcap"];

/// Returns the environment variables that switch any library. All are removed before a state's own are set, so that `on`
/// means the machine as it is and not what the user's shell happened to hold.
pub fn switch_variables() -> impl Iterator<Item = &'static str> {
    LIBRARIES.iter().flat_map(|entry| entry.variables).copied()
}

/// Has `command` start in no state but the one that it is given from here on.
pub fn remove_switches(command: &mut Command) {
    for variable in switch_variables() {
        command.env_remove(variable);
    }
}

/// For libraries whose VAES code also needs AVX-512.
pub(crate) fn vaes_needs_avx512(_version: &str, has_avx512: bool) -> Option<&'static str> {
    (!has_avx512).then_some("its VAES path also needs AVX-512")
}

/// The environment that brings OpenSSL and its relatives into a state: bits to clear in the first two words of the
/// capability vector. Both words are always written: without the second, OpenSSL takes it as zero and everything in it
/// (AVX2, SHA, AVX-512) is off too.
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
        // OPENSSL_armcap is the vector itself, not a mask of it: only "off" can be written without knowing what the
        // library would have found. Bit 0 is NEON, which is no acceleration of cryptography and which every AArch64
        // has; without it ChaCha20 would be slower too.
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
    fn the_off_mask_is_the_one_that_was_measured() {
        let Switch::Environment(variables) = openssl_switch(Acceleration::Off) else { panic!() };
        assert_eq!(variables, [("OPENSSL_ia32cap", "~0x200000200000000:~0x60020000000".to_owned())]);
    }
}
