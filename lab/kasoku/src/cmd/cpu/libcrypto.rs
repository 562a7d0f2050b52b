//! What libcrypto says of itself on Arm.
//!
//! It has an AES-GCM that adds up with SHA3's EOR3, and takes it on the cores of a list only. On a core that is newer
//! than the library it takes the other one. (An entry made Apple's M4 up to 33 % faster, says OpenSSL's pull request
//! 25940, and Neoverse V3 44 %, says AWS-LC's 3374.) Its settings tell which one it took.

use super::Evidence;
use kasoku_measure::cpu::Cpu;

// Bits of the settings (OpenSSL, crypto/arm_arch.h).
const PMULL: u32 = 1 << 5;
const SHA3: u32 = 1 << 11;
const UNROLL8_EOR3: u32 = 1 << 12;

/// What keeps libcrypto from its fastest AES-GCM, with what mends it.
pub(super) fn slow_path(seen: &Evidence, cpu: &Cpu) -> Option<String> {
    let settings = seen.settings.as_deref()?.strip_prefix("OPENSSL_armcap=0x")?;
    let settings = u32::from_str_radix(settings.split_whitespace().next()?, 16).ok()?;
    let Evidence { library, .. } = seen;
    if settings & PMULL == 0 || settings & UNROLL8_EOR3 != 0 || !cpu.can_use("sha3") {
        return None;
    }
    Some(if settings & SHA3 == 0 {
        format!("{library} does not use this CPU's EOR3, which makes AES-GCM faster; OpenSSL 3.5 does")
    } else {
        format!(
            "{library} uses its slower AES-GCM: this core is not in its list of cores with a fast EOR3. A newer \
             version may know it; OPENSSL_armcap={:#x} enables the faster one now (compare them with `kasoku ab`)",
            settings | UNROLL8_EOR3
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use kasoku_measure::cpu::Status;

    fn of(settings: Option<&str>, sha3: Status) -> Option<String> {
        let seen = Evidence { library: "openssl".into(), settings: settings.map(str::to_owned), ..Evidence::default() };
        slow_path(&seen, &super::super::tests::cpu_with(&[("aes", Status::Usable), ("sha3", sha3)]))
    }

    #[test]
    fn a_core_that_is_not_in_its_list_is_told_with_the_line_that_mends_it() {
        let told = of(Some("OPENSSL_armcap=0x87d"), Status::Usable).unwrap();
        assert!(told.contains("not in its list") && told.contains("OPENSSL_armcap=0x187d"), "{told}");
        let told = of(Some("OPENSSL_armcap=0xfd"), Status::Usable).unwrap();
        assert!(told.contains("does not use"), "{told}");
    }

    #[test]
    fn nothing_is_said_where_nothing_is_slow_or_known() {
        assert_eq!(of(Some("OPENSSL_armcap=0x187d"), Status::Usable), None);
        assert_eq!(of(Some("OPENSSL_armcap=0x87d"), Status::Absent), None);
        assert_eq!(of(Some("OPENSSL_armcap=0x0"), Status::Usable), None);
        for unknown in
            [None, Some(""), Some("OPENSSL_ia32cap=0x87d"), Some("OPENSSL_armcap=0x"), Some("OPENSSL_armcap=0xg")]
        {
            assert_eq!(of(unknown, Status::Usable), None);
        }
    }
}
