//! The libraries under test by name, in the order tables show them, and what each is to the laboratory.

use serde::{Deserialize, Serialize};

/// Amazon Corretto Crypto Provider, in Java.
pub const ACCP: &str = "accp";
/// AWS-LC, through aws-lc-rs.
pub const AWS_LC: &str = "aws-lc";
/// The AES rounds of AES-GCM alone, in 512-bit registers; narrower ones have a suffix.
pub const AES_BOUND: &str = "limit-aes";
/// Bouncy Castle, in Java.
pub const BOUNCY_CASTLE: &str = "bouncy-castle";
/// The cryptography that Windows brings along.
pub const CNG: &str = "cng";
/// Conscrypt, in Java.
pub const CONSCRYPT: &str = "conscrypt";
/// Reading and writing a file without encryption: the bound of file encryption.
pub const COPY: &str = "limit-copy";
/// All operations of AES-GCM, in 512-bit registers; narrower ones have a suffix.
pub const GCM_BOUND: &str = "limit-gcm";
/// The same in 256-bit registers.
pub const GCM_BOUND_YMM: &str = "limit-gcm-ymm";
/// The same in 128-bit registers, without AVX.
pub const GCM_BOUND_XMM: &str = "limit-gcm-xmm";
/// The same in the registers of AArch64.
pub const GCM_BOUND_NEON: &str = "limit-gcm-neon";
/// Kasoku's own engine.
pub const KASOKU: &str = "kasoku";
/// Kasoku's security provider, in Java.
pub const KASOKU_JCA: &str = "kasoku-jca";
/// AES rounds and carry-less products, interleaved.
pub const MIXED_BOUND: &str = "limit-mixed";
/// NSS, in Java through SunPKCS11.
pub const NSS: &str = "nss";
/// The benchmark SPECjvm2008, with its own clock.
pub const SPECJVM: &str = "specjvm2008";
/// Java's own provider.
pub const SUNJCE: &str = "sunjce";

/// Every library that is measured by default or by name, in the order of tables.
const ORDER: [&str; 15] = [
    "openssl",
    AWS_LC,
    "ring",
    "rustcrypto",
    "graviola",
    "ipsec-mb",
    CNG,
    KASOKU,
    SUNJCE,
    NSS,
    KASOKU_JCA,
    ACCP,
    CONSCRYPT,
    BOUNCY_CASTLE,
    SPECJVM,
];

/// The place of a library in tables; libraries this version does not know come last.
pub fn place(name: &str) -> usize {
    ORDER.iter().position(|&other| other == name).unwrap_or(ORDER.len())
}

/// What a library is to the laboratory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    /// Software that people use.
    #[default]
    Library,
    /// A benchmark that measures by its own clock. Its output cannot be verified, so it is never ranked.
    OwnClock,
    /// Bare instructions or bare copying, measured to know what the CPU or the disk allows. Never ranked.
    Bound,
    /// Made to misbehave, so that the laboratory itself can be tested. Never ranked.
    TestDouble,
}

impl Role {
    /// Returns the role of the library called `name`.
    pub fn of(name: &str) -> Role {
        match name {
            SPECJVM => Role::OwnClock,
            _ if name.starts_with("test-") => Role::TestDouble,
            _ if name.starts_with("limit-") => Role::Bound,
            _ => Role::Library,
        }
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
        assert_eq!(Role::of("limit-aes-ymm"), Role::Bound);
        assert_eq!(Role::of("test-crash"), Role::TestDouble);
        assert_eq!(Role::of("specjvm2008"), Role::OwnClock);
        assert!(["aws-lc", "limits", "testssl"].iter().all(|name| Role::of(name) == Role::Library));
    }
}
