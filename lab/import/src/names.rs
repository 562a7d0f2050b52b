//! Finds the algorithm that a name in openssl's output stands for.

use kasoku_model::algorithm::{Algorithm, AlgorithmKind, Quoted};
use kasoku_model::workload::Operation;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct RowSubject {
    pub(super) algorithm: Algorithm,
    /// Whether openssl called the cipher's own function and not EVP. Versions before 3.0 print the names of such rows
    /// with a space: `aes-128 cbc`.
    pub(super) is_low_level: bool,
}

/// Returns the cipher, AEAD or hash that openssl calls `name`, in a version with this major number if it is known.
pub(super) fn bulk(name: &str, major: Option<u32>) -> Option<RowSubject> {
    let lower = name.to_ascii_lowercase();
    let (whole, is_low_level) = match lower.split_once(' ') {
        None => (lower.clone(), false),
        Some(("des", "ede3")) => ("des-ede3-cbc".to_owned(), true),
        Some((cipher, mode @ ("cbc" | "ige"))) => (format!("{cipher}-{mode}"), true),
        // LibreSSL measures these through its AEAD interface.
        Some((cipher, mode @ ("gcm" | "poly1305"))) => (format!("{cipher}-{mode}"), false),
        Some(_) => return None,
    };
    let plain = whole.strip_prefix("id-").unwrap_or(&whole);
    let usual = match plain {
        // OpenSSL 3 prints "des-ede3" for CBC in its own table, and "DES-EDE3" for ECB with `-evp des-ede3`.
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

/// Returns the key agreement or signature scheme of a row like `ecdh (nistp256)` or `EdDSA (Ed25519)`.
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

/// Returns RSA, DSA, or FFDH in the groups of RFC 7919, with this key size.
pub(super) fn algorithm_with_bits(kind: &str, bits: u32) -> Option<Algorithm> {
    let name = if kind == "ffdh" { "ffdhe" } else { kind };
    known(&format!("{name}{bits}"), |kind| !kind.is_bulk())
}

/// Returns the key encapsulation that OpenSSL 3.2 and later calls `name`. RSA and elliptic curves do not count,
/// although OpenSSL's table of key encapsulations lists them.
pub(super) fn kem(name: &str) -> Option<Algorithm> {
    known(name, |kind| kind == AlgorithmKind::Kem)
}

pub(super) fn signature(name: &str) -> Option<Algorithm> {
    known(name, |kind| kind == AlgorithmKind::Signature)
}

/// Returns the operation that openssl measures: it encrypts unless it is called with `-decrypt`.
pub(super) fn operation(algorithm: Algorithm, is_decrypting: bool) -> Operation {
    let all = Operation::of(algorithm.kind());
    let at = usize::from(is_decrypting && all.len() > 1);
    all.get(at).copied().unwrap_or(Operation::Hash)
}

/// Finds an algorithm by its name in Kasoku, ignoring case, hyphens and brackets.
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
    fn names_of_all_openssl_versions_are_known() {
        for (name, major, algorithm) in [
            ("AES-128-GCM", None, Algorithm::Aes128Gcm),
            ("aes-128-gcm", None, Algorithm::Aes128Gcm),
            ("id-aes128-GCM", None, Algorithm::Aes128Gcm),
            ("ChaCha20-Poly1305", None, Algorithm::ChaCha20Poly1305),
            ("chacha20-poly1305", None, Algorithm::ChaCha20Poly1305),
            ("BLAKE2s256", None, Algorithm::Blake2s256),
            ("des-ede3", Some(3), Algorithm::DesEde3Cbc),
        ] {
            assert_eq!(bulk(name, major).unwrap().algorithm, algorithm, "{name}");
        }
    }

    #[test]
    fn names_that_are_ambiguous_or_unknown_are_none() {
        assert_eq!(bulk("des-ede3", Some(1)), None, "OpenSSL 1 has this name for ECB");
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
    fn operation_follows_the_kind_of_algorithm_and_decrypt() {
        assert_eq!(operation(Algorithm::Aes128Gcm, false), Operation::Seal);
        assert_eq!(operation(Algorithm::Aes128Cbc, true), Operation::Decrypt);
        assert_eq!(operation(Algorithm::Sha256, true), Operation::Hash);
    }
}
