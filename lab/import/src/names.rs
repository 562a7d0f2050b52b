//! openssl's names of algorithms, and what they are here.

use kasoku_model::algorithm::{Algorithm, AlgorithmKind, Quoted};
use kasoku_model::workload::Operation;

/// What a row of a table measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct RowSubject {
    pub(super) algorithm: Algorithm,
    /// Whether the row calls the cipher's own function and not EVP: names with a space, in OpenSSL before 3.0.
    pub(super) is_low_level: bool,
}

/// The bulk algorithm that openssl calls `name`, as a version of that major number does (`None`: not known which).
pub(super) fn bulk(name: &str, major: Option<u32>) -> Option<RowSubject> {
    let lower = name.to_ascii_lowercase();
    let (whole, is_low_level) = match lower.split_once(' ') {
        None => (lower.clone(), false),
        Some(("des", "ede3")) => ("des-ede3-cbc".to_owned(), true),
        Some((cipher, mode @ ("cbc" | "ige"))) => (format!("{cipher}-{mode}"), true),
        // LibreSSL's own, which are measured through its AEAD interface.
        Some((cipher, mode @ ("gcm" | "poly1305"))) => (format!("{cipher}-{mode}"), false),
        Some(_) => return None,
    };
    let plain = whole.strip_prefix("id-").unwrap_or(&whole);
    let usual = match plain {
        // `-evp des-ede3` is ECB and printed in capitals by 3.x, whose own table means CBC by the small letters.
        "des-ede3" if name == plain && major.is_some_and(|major| major >= 3) => "des-ede3-cbc",
        "blowfish" | "bf-cbc" => "blowfish-cbc",
        "cast-cbc" => "cast5-cbc",
        "rc5-32/12-cbc" => "rc5-cbc",
        "rmd160" => "ripemd-160",
        "sha2-224" | "sha2-256" | "sha2-384" | "sha2-512" => &plain.replace("sha2", "sha"),
        other => other,
    };
    Some(RowSubject { algorithm: known(usual, AlgorithmKind::is_bulk)?, is_low_level })
}

/// Returns the key agreement or signature scheme in a row of this kind: `ecdh (nistp256)`, `EdDSA (Ed25519)`.
pub(super) fn algorithm_on_curve(kind: &str, curve: &str) -> Option<Algorithm> {
    let curve = curve.to_ascii_lowercase();
    let curve = curve.strip_prefix("nist").unwrap_or(&curve);
    let is_agreement = |kind| kind == AlgorithmKind::KeyAgreement;
    match (kind, curve) {
        ("ecdh", curve) => known(&format!("ecdh-{curve}"), is_agreement).or_else(|| known(curve, is_agreement)),
        ("ecdsa", curve) => signature(&format!("ecdsa-{curve}")),
        ("EdDSA", "ed25519") => Some(Algorithm::Ed25519),
        ("EdDSA", "ed448") => Some(Algorithm::Ed448),
        ("SM2", "curvesm2") => Some(Algorithm::Quoted(Quoted::Sm2)),
        _ => None,
    }
}

/// Returns `rsa`, `dsa` or, in the groups of RFC 7919, `ffdh` of that many bits.
pub(super) fn algorithm_with_bits(kind: &str, bits: u32) -> Option<Algorithm> {
    let name = if kind == "ffdh" { "ffdhe" } else { kind };
    known(&format!("{name}{bits}"), |kind| !kind.is_bulk())
}

/// A key encapsulation in the tables of 3.2 and later. What is only made into one (RSA, elliptic curves) is none.
pub(super) fn kem(name: &str) -> Option<Algorithm> {
    known(name, |kind| kind == AlgorithmKind::Kem)
}

/// A signature scheme in the tables of 3.2 and later.
pub(super) fn signature(name: &str) -> Option<Algorithm> {
    known(name, |kind| kind == AlgorithmKind::Signature)
}

/// What is done with it: openssl encrypts unless it is asked to decrypt.
pub(super) fn operation(algorithm: Algorithm, is_decrypting: bool) -> Operation {
    let all = Operation::of(algorithm.kind());
    let at = usize::from(is_decrypting && all.len() > 1);
    all.get(at).copied().unwrap_or(Operation::Hash)
}

/// The algorithm that has this name here, whatever its capitals and hyphens.
fn known(name: &str, is_kind: fn(AlgorithmKind) -> bool) -> Option<Algorithm> {
    let mut all = Algorithm::ALL.iter().chain(Algorithm::QUOTED).copied();
    all.find(|algorithm| is_kind(algorithm.kind()) && letters(algorithm.name()).eq(letters(name)))
}

fn letters(name: &str) -> impl Iterator<Item = u8> {
    name.bytes().filter(|byte| !matches!(byte, b'-' | b'(' | b')')).map(|byte| byte.to_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_space_and_a_hyphen_are_two_measurements() {
        let low = bulk("aes-256 cbc", Some(1)).unwrap();
        let evp = bulk("aes-256-cbc", Some(1)).unwrap();
        assert_eq!(low.algorithm, evp.algorithm);
        assert!(low.is_low_level && !evp.is_low_level);
    }

    #[test]
    fn names_of_all_versions_are_the_same_algorithm() {
        for name in ["AES-128-GCM", "aes-128-gcm", "id-aes128-GCM"] {
            assert_eq!(bulk(name, None).unwrap().algorithm, Algorithm::Aes128Gcm, "{name}");
        }
        for name in ["ChaCha20-Poly1305", "chacha20-poly1305"] {
            assert_eq!(bulk(name, None).unwrap().algorithm, Algorithm::ChaCha20Poly1305);
        }
        assert_eq!(bulk("BLAKE2s256", None).unwrap().algorithm, Algorithm::Blake2s256);
        assert_eq!(bulk("des-ede3", Some(3)).unwrap().algorithm, Algorithm::DesEde3Cbc);
    }

    #[test]
    fn what_may_be_two_things_is_neither() {
        assert_eq!(bulk("des-ede3", Some(1)), None, "ECB there");
        assert_eq!(bulk("des-ede3", None), None);
        assert_eq!(bulk("DES-EDE3", Some(3)), None);
        for name in ["", "aes", "aes-256  cbc", "evp", "rand", "aes-256-cfb", "X25519"] {
            assert_eq!(bulk(name, Some(3)), None, "{name}");
        }
        assert_eq!(kem("rsa2048"), None);
        assert_eq!(kem("X25519MLKEM768"), None);
        assert_eq!(kem("ML-KEM-768"), Some(Algorithm::MlKem768));
        assert_eq!(signature("rsa2048"), Some(Algorithm::Rsa2048));
    }

    #[test]
    fn operations_are_those_of_the_kind() {
        assert_eq!(operation(Algorithm::Aes128Gcm, false), Operation::Seal);
        assert_eq!(operation(Algorithm::Aes128Cbc, true), Operation::Decrypt);
        assert_eq!(operation(Algorithm::Sha256, true), Operation::Hash);
    }
}
