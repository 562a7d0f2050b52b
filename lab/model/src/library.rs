//! The libraries under test by name, in the order tables show them, and what each is to the laboratory.

/// AWS-LC, through aws-lc-rs.
pub const AWS_LC: &str = "aws-lc";
/// The AES rounds of AES-GCM alone, in 512-bit registers; narrower ones have a suffix.
pub const AES_BOUND: &str = "limit-aes";
/// Reading and writing a file without encryption: the bound of file encryption.
pub const COPY: &str = "limit-copy";
/// All operations of AES-GCM, in 512-bit registers; narrower ones have a suffix.
pub const GCM_BOUND: &str = "limit-gcm";
/// The same in 256-bit registers.
pub const GCM_BOUND_YMM: &str = "limit-gcm-ymm";
/// The same in 128-bit registers, without AVX.
pub const GCM_BOUND_XMM: &str = "limit-gcm-xmm";
/// Kasoku's own engine.
pub const KASOKU: &str = "kasoku";
/// AES rounds and carry-less products, interleaved.
pub const MIXED_BOUND: &str = "limit-mixed";
/// NSS, in Java through SunPKCS11.
pub const NSS: &str = "nss";
/// The command `openssl speed`, with its own clock.
pub const OPENSSL_SPEED: &str = "openssl-speed";
/// The benchmark SPECjvm2008, with its own clock.
pub const SPECJVM: &str = "specjvm2008";
/// Java's own provider.
pub const SUNJCE: &str = "sunjce";

/// Every library that is measured by default or by name, in the order of tables.
const ORDER: [&str; 11] =
    ["openssl", AWS_LC, "ring", "rustcrypto", "graviola", "ipsec-mb", KASOKU, OPENSSL_SPEED, SUNJCE, NSS, SPECJVM];

/// The place of a library in tables; libraries this version does not know come last.
pub fn place(name: &str) -> usize {
    ORDER.iter().position(|&other| other == name).unwrap_or(ORDER.len())
}

/// What a library is to the laboratory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Software that people use.
    Library,
    /// Bare instructions or bare copying, measured to know what the CPU or the disk allows. Never ranked.
    Bound,
    /// Made to misbehave, so that the laboratory itself can be tested. Never ranked.
    TestDouble,
}

/// The role of the library of that name. Run documents up to schema 1 say it by the beginning of the name only.
pub fn role(name: &str) -> Role {
    if name.starts_with("test-") {
        Role::TestDouble
    } else if name.starts_with("limit-") {
        Role::Bound
    } else {
        Role::Library
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_libraries_come_last() {
        assert_eq!(place("openssl"), 0);
        assert!(place("wolfssl") > place(SPECJVM));
    }

    #[test]
    fn bounds_and_test_doubles_are_told_from_libraries() {
        assert_eq!(role("limit-aes-ymm"), Role::Bound);
        assert_eq!(role("test-crash"), Role::TestDouble);
        assert!(["aws-lc", "limits", "testssl"].iter().all(|name| role(name) == Role::Library));
    }
}
