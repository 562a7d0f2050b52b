//! Names, order and roles of the measured libraries.

use serde::{Deserialize, Serialize};

pub const ACCP: &str = "accp";
pub const AWS_LC: &str = "aws-lc";
/// Name of a speed bound: the AES rounds of AES-GCM alone, in 512-bit registers. Names of bounds with narrower
/// registers have a suffix.
pub const AES_BOUND: &str = "limit-aes";
pub const BOUNCY_CASTLE: &str = "bouncy-castle";
/// Name of Windows' Cryptography API: Next Generation.
pub const CNG: &str = "cng";
pub const CONSCRYPT: &str = "conscrypt";
/// Name of the speed bound of file encryption: reading and writing a file without encrypting it.
pub const COPY: &str = "limit-copy";
/// Name of the upper bound on AES-GCM's speed: a loop of all instructions that AES-GCM needs, in 512-bit registers.
pub const GCM_BOUND: &str = "limit-gcm";
pub const GCM_BOUND_YMM: &str = "limit-gcm-ymm";
/// Name of a speed bound: all operations of AES-GCM in 128-bit registers without AVX.
pub const GCM_BOUND_XMM: &str = "limit-gcm-xmm";
pub const GCM_BOUND_NEON: &str = "limit-gcm-neon";
pub const GRAVIOLA: &str = "graviola";
pub const IPSEC_MB: &str = "ipsec-mb";
pub const KASOKU: &str = "kasoku";
pub const KASOKU_JCA: &str = "kasoku-jca";
/// Name of a speed bound: AES rounds and carry-less products, interleaved.
pub const MIXED_BOUND: &str = "limit-mixed";
pub const NSS: &str = "nss";
pub const OPENSSL: &str = "openssl";
pub const RING: &str = "ring";
pub const RUSTCRYPTO: &str = "rustcrypto";
/// Name of the benchmark SPECjvm2008, which measures by its own clock.
pub const SPECJVM: &str = "specjvm2008";
/// Name of the JDK's own security provider.
pub const SUNJCE: &str = "sunjce";

#[derive(Clone, Copy, Debug)]
pub struct LibraryInfo {
    pub name: &'static str,
    /// Family of the library. Libraries of one family share code, so they do not verify each other.
    pub family: &'static str,
    /// Colour of the library on every page, as CSS; `None` takes any free colour.
    pub color: Option<&'static str>,
    pub java_title: Option<&'static str>,
}

/// Libraries that people use, without bounds and test doubles, in the order of tables.
pub const LIBRARIES: &[LibraryInfo] = &[
    native(OPENSSL, OPENSSL, Some("var(--s0)")),
    native(AWS_LC, BORINGSSL, Some("var(--s1)")),
    native(RING, BORINGSSL, Some("var(--s2)")),
    native(RUSTCRYPTO, RUSTCRYPTO, Some("var(--s3)")),
    native(GRAVIOLA, GRAVIOLA, Some("var(--s4)")),
    native(IPSEC_MB, IPSEC_MB, Some("var(--s5)")),
    native(CNG, CNG, None),
    native(KASOKU, KASOKU, Some("var(--kasoku)")),
    java(SUNJCE, SUNJCE, "JDK"),
    java(NSS, NSS, "NSS"),
    java(KASOKU_JCA, KASOKU, "Kasoku"),
    java(ACCP, BORINGSSL, "ACCP"),
    java(CONSCRYPT, BORINGSSL, "Conscrypt"),
    java(BOUNCY_CASTLE, BOUNCY_CASTLE, "Bouncy Castle"),
    native(SPECJVM, SPECJVM, None),
];

/// The family of BoringSSL, from which AWS-LC and ring were forked.
const BORINGSSL: &str = "boringssl";

const fn native(name: &'static str, family: &'static str, color: Option<&'static str>) -> LibraryInfo {
    LibraryInfo { name, family, color, java_title: None }
}

const fn java(name: &'static str, family: &'static str, title: &'static str) -> LibraryInfo {
    LibraryInfo { name, family, color: None, java_title: Some(title) }
}

/// Returns the entry of the library called `name`; `None` if this version of Kasoku does not know it.
pub fn info(name: &str) -> Option<&'static LibraryInfo> {
    LIBRARIES.get(place(name))
}

/// Returns the position of a library in tables; unknown libraries come last.
pub fn place(name: &str) -> usize {
    LIBRARIES.iter().position(|other| other.name == name).unwrap_or(LIBRARIES.len())
}

/// Returns the family of a library. Test doubles belong to the family of `rustcrypto`, which they wrap. An unknown
/// library is a family of its own.
pub fn family(name: &str) -> &str {
    match Role::of(name) {
        Role::TestDouble => RUSTCRYPTO,
        _ => info(name).map_or(name, |info| info.family),
    }
}

pub type VersionNumber = (u32, u32, u32);

/// Finds the version number in a text like `OpenSSL 3.0.19 27 Jan 2026` or `OpenSSL 1.1.1u`. The third part of the
/// number may be missing.
pub fn version_in(text: &str) -> Option<VersionNumber> {
    text.split_ascii_whitespace().find_map(|word| match version_parts(word.trim_start_matches('v')) {
        [Some(major), Some(minor), patch] => Some((major, minor, patch.unwrap_or(0))),
        _ => None,
    })
}

/// Parses a version number like `1.1.1u`, which must have three parts.
pub fn release(word: &str) -> Option<VersionNumber> {
    let [major, minor, patch] = version_parts(word);
    Some((major?, minor?, patch?))
}

fn version_parts(word: &str) -> [Option<u32>; 3] {
    let mut parts = word.splitn(3, '.').map(|part| {
        let end = part.find(|character: char| !character.is_ascii_digit()).unwrap_or(part.len());
        part[..end].parse().ok()
    });
    std::array::from_fn(|_| parts.next().flatten())
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    #[default]
    Library,
    /// A benchmark that measures by its own clock. Its output cannot be verified, so it is never ranked.
    OwnClock,
    /// Instructions or copying alone, which show the speed that the CPU or the disk allows. Never ranked.
    Bound,
    /// A library that misbehaves on purpose, in order to test the laboratory. Never ranked.
    TestDouble,
}

impl Role {
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
        assert_eq!(place(OPENSSL), 0);
        assert!(place("wolfssl") > place(SPECJVM));
    }

    #[test]
    fn role_follows_from_the_library_name() {
        assert_eq!(Role::of("limit-aes-ymm"), Role::Bound);
        assert_eq!(Role::of("test-crash"), Role::TestDouble);
        assert_eq!(Role::of("specjvm2008"), Role::OwnClock);
        assert!(["aws-lc", "limits", "testssl"].iter().all(|name| Role::of(name) == Role::Library));
    }

    #[test]
    fn version_in_finds_versions_within_text() {
        assert_eq!(version_in("OpenSSL 3.0.19 27 Jan 2026"), Some((3, 0, 19)));
        assert_eq!(version_in("OpenSSL 1.1.1u"), Some((1, 1, 1)));
        assert_eq!(version_in("1.0.1e-fips"), Some((1, 0, 1)));
        assert_eq!(version_in("3.5"), Some((3, 5, 0)));
        assert_eq!(version_in("unknown"), None);
        assert_eq!(version_in("99999999999.1"), None);
    }
}
