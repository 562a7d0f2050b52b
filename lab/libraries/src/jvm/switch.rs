//! Flags and environment variables that put a virtual machine and its providers into an acceleration state.

use super::super::Switch;
use super::runtime::Runtime;
use kasoku_model::acceleration::Acceleration;

/// Returns HotSpot's flags for a state. Disabling AES also disables HotSpot's AES intrinsics; GHASH has a flag of its
/// own, plus one for the instruction on x86.
pub(super) fn sunjce(state: Acceleration) -> Switch {
    const AES: &[&str] = &["-XX:-UseAES"];
    #[cfg(any(target_arch = "x86_64", target_arch = "x86"))]
    const CLMUL: &[&str] = &["-XX:-UseGHASHIntrinsics", "-XX:-UseCLMUL"];
    #[cfg(not(any(target_arch = "x86_64", target_arch = "x86")))]
    const CLMUL: &[&str] = &["-XX:-UseGHASHIntrinsics"];
    const SHA: &[&str] = &["-XX:-UseSHA"];
    let flags: &[&[&str]] = match state {
        Acceleration::On => &[],
        Acceleration::Off => &[AES, CLMUL, SHA],
        Acceleration::NoAes => &[AES],
        Acceleration::NoClmul => &[CLMUL],
        Acceleration::NoSha => &[SHA],
        #[cfg(any(target_arch = "x86_64", target_arch = "x86"))]
        Acceleration::NoAvx512 => &[&["-XX:UseAVX=2"]],
        #[cfg(not(any(target_arch = "x86_64", target_arch = "x86")))]
        Acceleration::NoAvx512 => return Switch::None("there is no AVX-512 on this architecture"),
        Acceleration::NoVaes => {
            return Switch::None("HotSpot has no flag for the vector forms alone; no-avx512 leaves them out too");
        }
    };
    Switch::Flags(flags.iter().flat_map(|flags| flags.iter()).map(|flag| (*flag).to_owned()).collect())
}

pub(super) fn nss(state: Acceleration) -> Switch {
    let names: &[&str] = match state {
        Acceleration::On => &[],
        Acceleration::Off => &["NSS_DISABLE_HW_AES", "NSS_DISABLE_PCLMUL", "NSS_DISABLE_HW_SHA"],
        Acceleration::NoAes => &["NSS_DISABLE_HW_AES"],
        Acceleration::NoClmul => &["NSS_DISABLE_PCLMUL"],
        Acceleration::NoSha => &["NSS_DISABLE_HW_SHA"],
        Acceleration::NoVaes => return Switch::None("NSS has no variable for the vector forms"),
        Acceleration::NoAvx512 => return Switch::None("NSS has no variable for AVX-512"),
    };
    Switch::Environment(names.iter().map(|name| (*name, "1".to_owned())).collect())
}

pub fn unknown_flag<'a>(runtime: &Runtime, flags: &'a [String]) -> Option<&'a str> {
    flags.iter().find_map(|flag| {
        let name = flag.strip_prefix("-XX:")?.trim_start_matches(['+', '-']);
        let name = name.split('=').next().unwrap_or(name);
        (!runtime.has_flag(name)).then_some(name)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sunjce_off_includes_the_flags_of_every_partly_disabled_state() {
        let Switch::Flags(off) = sunjce(Acceleration::Off) else { panic!() };
        for state in [Acceleration::NoAes, Acceleration::NoClmul, Acceleration::NoSha] {
            let Switch::Flags(flags) = sunjce(state) else { panic!() };
            assert!(!flags.is_empty() && flags.iter().all(|flag| off.contains(flag)), "{state}");
        }
    }
}
