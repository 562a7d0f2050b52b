//! openssl's names of algorithms, and what they are here.

use kasoku_model::algorithm::{Algorithm, Instructions, Quoted};
use kasoku_model::workload::Operation;

/// What a row of a table measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Subject {
    /// The algorithm.
    pub(super) algorithm: Algorithm,
    /// Whether the row calls the cipher's own function and not EVP: names with a space, in OpenSSL before 3.0.
    pub(super) is_low_level: bool,
}

impl Subject {
    /// Whether it never uses the AES instructions: before 3.0 they were behind EVP only.
    pub(super) fn is_without_aes_instructions(self) -> bool {
        self.is_low_level && self.algorithm.instructions() == Instructions::Aes
    }
}

/// The bulk algorithm that openssl calls `name`, as a version of that major number does (`None`: not known which).
pub(super) fn bulk(name: &str, major: Option<u32>) -> Option<Subject> {
    if let Some((_, algorithm)) = LOW_LEVEL.iter().find(|(known, _)| *known == name) {
        return Some(Subject { algorithm: *algorithm, is_low_level: true });
    }
    // `-evp des-ede3` is ECB and printed in capitals by 3.x, whose own table means CBC by the small letters.
    if name == "des-ede3" {
        let is_cbc = major.is_some_and(|major| major >= 3);
        return is_cbc.then_some(Subject { algorithm: Algorithm::DesEde3Cbc, is_low_level: false });
    }
    let lower = name.to_ascii_lowercase();
    let plain = lower.strip_prefix("id-").unwrap_or(&lower);
    let (_, algorithm) = BULK.iter().find(|(known, _)| *known == plain)?;
    Some(Subject { algorithm: *algorithm, is_low_level: false })
}

/// The curve in `(nistp256)`, as a key agreement and as a signature.
pub(super) fn curve(name: &str) -> Option<(Algorithm, Option<Algorithm>)> {
    let (_, agreement, signature) = CURVES.iter().find(|(known, ..)| known.eq_ignore_ascii_case(name))?;
    Some((*agreement, *signature))
}

/// The signature scheme in `(Ed25519)`.
pub(super) fn twisted_curve(name: &str) -> Option<Algorithm> {
    match name.to_ascii_lowercase().as_str() {
        "ed25519" => Some(Algorithm::Ed25519),
        "ed448" => Some(Algorithm::Ed448),
        "curvesm2" => Some(Algorithm::Quoted(Quoted::Sm2)),
        _ => None,
    }
}

/// `rsa` of that many bits.
pub(super) fn rsa(bits: u32) -> Option<Algorithm> {
    Some(match bits {
        512 => Algorithm::Quoted(Quoted::Rsa512),
        1024 => Algorithm::Quoted(Quoted::Rsa1024),
        2048 => Algorithm::Rsa2048,
        3072 => Algorithm::Quoted(Quoted::Rsa3072),
        4096 => Algorithm::Rsa4096,
        7680 => Algorithm::Quoted(Quoted::Rsa7680),
        15_360 => Algorithm::Quoted(Quoted::Rsa15360),
        _ => return None,
    })
}

/// `dsa` of that many bits.
pub(super) fn dsa(bits: u32) -> Option<Algorithm> {
    Some(Algorithm::Quoted(match bits {
        512 => Quoted::Dsa512,
        1024 => Quoted::Dsa1024,
        2048 => Quoted::Dsa2048,
        _ => return None,
    }))
}

/// `ffdh` of that many bits: openssl measures it in the groups of RFC 7919.
pub(super) fn ffdh(bits: u32) -> Option<Algorithm> {
    Some(Algorithm::Quoted(match bits {
        2048 => Quoted::Ffdhe2048,
        3072 => Quoted::Ffdhe3072,
        4096 => Quoted::Ffdhe4096,
        6144 => Quoted::Ffdhe6144,
        8192 => Quoted::Ffdhe8192,
        _ => return None,
    }))
}

/// A key encapsulation in the tables of 3.2 and later. What is only made into one (RSA, elliptic curves) is none.
pub(super) fn kem(name: &str) -> Option<Algorithm> {
    match plain(name).as_str() {
        "mlkem512" => Some(Algorithm::Quoted(Quoted::MlKem512)),
        "mlkem768" => Some(Algorithm::MlKem768),
        "mlkem1024" => Some(Algorithm::Quoted(Quoted::MlKem1024)),
        _ => None,
    }
}

/// A signature scheme in the tables of 3.2 and later.
pub(super) fn signature(name: &str) -> Option<Algorithm> {
    let plain = plain(name);
    let bits = |prefix: &str| plain.strip_prefix(prefix)?.parse().ok();
    match plain.as_str() {
        "mldsa44" => Some(Algorithm::Quoted(Quoted::MlDsa44)),
        "mldsa65" => Some(Algorithm::MlDsa65),
        "mldsa87" => Some(Algorithm::Quoted(Quoted::MlDsa87)),
        "ed25519" | "ed448" => twisted_curve(&plain),
        _ => bits("rsa").and_then(rsa).or_else(|| bits("dsa").and_then(dsa)),
    }
}

/// What is done with it: openssl encrypts unless it is told to decrypt.
pub(super) fn operation(algorithm: Algorithm, is_decrypting: bool) -> Operation {
    let all = Operation::of(algorithm.kind());
    let at = usize::from(is_decrypting && all.len() > 1);
    all.get(at).copied().unwrap_or(Operation::Hash)
}

fn plain(name: &str) -> String {
    name.chars().filter(|character| *character != '-').map(|character| character.to_ascii_lowercase()).collect()
}

use Algorithm::Quoted as Q;

/// Names with a space or of another form in OpenSSL 0.9.8 to 1.1.1, where they are not measured through EVP.
const LOW_LEVEL: &[(&str, Algorithm)] = &[
    ("des cbc", Q(Quoted::DesCbc)),
    ("des ede3", Algorithm::DesEde3Cbc),
    ("idea cbc", Q(Quoted::IdeaCbc)),
    ("seed cbc", Q(Quoted::SeedCbc)),
    ("rc2 cbc", Q(Quoted::Rc2Cbc)),
    ("rc5-32/12 cbc", Q(Quoted::Rc5Cbc)),
    ("blowfish cbc", Algorithm::BlowfishCbc),
    ("cast cbc", Q(Quoted::Cast5Cbc)),
    ("aes-128 cbc", Algorithm::Aes128Cbc),
    ("aes-192 cbc", Q(Quoted::Aes192Cbc)),
    ("aes-256 cbc", Algorithm::Aes256Cbc),
    ("aes-128 ige", Q(Quoted::Aes128Ige)),
    ("aes-192 ige", Q(Quoted::Aes192Ige)),
    ("aes-256 ige", Q(Quoted::Aes256Ige)),
    ("camellia-128 cbc", Algorithm::Camellia128Cbc),
    ("camellia-192 cbc", Q(Quoted::Camellia192Cbc)),
    ("camellia-256 cbc", Algorithm::Camellia256Cbc),
];

/// Names in small letters; `id-aes128-gcm` and its like without the `id-`.
const BULK: &[(&str, Algorithm)] = &[
    ("aes-128-cbc", Algorithm::Aes128Cbc),
    ("aes-192-cbc", Q(Quoted::Aes192Cbc)),
    ("aes-256-cbc", Algorithm::Aes256Cbc),
    ("aes-128-ctr", Algorithm::Aes128Ctr),
    ("aes-192-ctr", Q(Quoted::Aes192Ctr)),
    ("aes-256-ctr", Algorithm::Aes256Ctr),
    ("aes-128-ecb", Q(Quoted::Aes128Ecb)),
    ("aes-192-ecb", Q(Quoted::Aes192Ecb)),
    ("aes-256-ecb", Q(Quoted::Aes256Ecb)),
    ("aes-128-xts", Q(Quoted::Aes128Xts)),
    ("aes-256-xts", Algorithm::Aes256Xts),
    ("aes-128-gcm", Algorithm::Aes128Gcm),
    ("aes-192-gcm", Q(Quoted::Aes192Gcm)),
    ("aes-256-gcm", Algorithm::Aes256Gcm),
    ("aes128-gcm", Algorithm::Aes128Gcm),
    ("aes192-gcm", Q(Quoted::Aes192Gcm)),
    ("aes256-gcm", Algorithm::Aes256Gcm),
    ("aes-128-ccm", Algorithm::Aes128Ccm),
    ("aes-192-ccm", Q(Quoted::Aes192Ccm)),
    ("aes-256-ccm", Q(Quoted::Aes256Ccm)),
    ("aes128-ccm", Algorithm::Aes128Ccm),
    ("aes192-ccm", Q(Quoted::Aes192Ccm)),
    ("aes256-ccm", Q(Quoted::Aes256Ccm)),
    ("aes-128-ocb", Algorithm::Aes128Ocb),
    ("aes-192-ocb", Q(Quoted::Aes192Ocb)),
    ("aes-256-ocb", Q(Quoted::Aes256Ocb)),
    ("aes-128-siv", Q(Quoted::Aes128Siv)),
    ("aes-256-siv", Q(Quoted::Aes256Siv)),
    ("aes-128-gcm-siv", Q(Quoted::Aes128GcmSiv)),
    ("aes-256-gcm-siv", Q(Quoted::Aes256GcmSiv)),
    ("aes-128-cbc-hmac-sha1", Algorithm::Aes128CbcHmacSha1),
    ("aes-256-cbc-hmac-sha1", Q(Quoted::Aes256CbcHmacSha1)),
    ("aes-128-cbc-hmac-sha256", Q(Quoted::Aes128CbcHmacSha256)),
    ("aes-256-cbc-hmac-sha256", Q(Quoted::Aes256CbcHmacSha256)),
    ("chacha20", Q(Quoted::ChaCha20)),
    ("chacha20-poly1305", Algorithm::ChaCha20Poly1305),
    ("des-cbc", Q(Quoted::DesCbc)),
    ("des-ede3-cbc", Algorithm::DesEde3Cbc),
    ("idea-cbc", Q(Quoted::IdeaCbc)),
    ("seed-cbc", Q(Quoted::SeedCbc)),
    ("rc2-cbc", Q(Quoted::Rc2Cbc)),
    ("rc5-cbc", Q(Quoted::Rc5Cbc)),
    ("rc4", Q(Quoted::Rc4)),
    ("blowfish", Algorithm::BlowfishCbc),
    ("bf-cbc", Algorithm::BlowfishCbc),
    ("cast-cbc", Q(Quoted::Cast5Cbc)),
    ("cast5-cbc", Q(Quoted::Cast5Cbc)),
    ("camellia-128-cbc", Algorithm::Camellia128Cbc),
    ("camellia-192-cbc", Q(Quoted::Camellia192Cbc)),
    ("camellia-256-cbc", Algorithm::Camellia256Cbc),
    ("sm4-cbc", Q(Quoted::Sm4Cbc)),
    ("sm4-ctr", Q(Quoted::Sm4Ctr)),
    ("aria-128-cbc", Q(Quoted::Aria128Cbc)),
    ("aria-256-cbc", Q(Quoted::Aria256Cbc)),
    ("md2", Q(Quoted::Md2)),
    ("mdc2", Q(Quoted::Mdc2)),
    ("md4", Q(Quoted::Md4)),
    ("md5", Q(Quoted::Md5)),
    ("hmac(md5)", Q(Quoted::HmacMd5)),
    ("hmac(sha1)", Q(Quoted::HmacSha1)),
    ("hmac(sha256)", Q(Quoted::HmacSha256)),
    ("hmac(sha512)", Q(Quoted::HmacSha512)),
    ("rmd160", Q(Quoted::Ripemd160)),
    ("ripemd160", Q(Quoted::Ripemd160)),
    ("whirlpool", Q(Quoted::Whirlpool)),
    ("sm3", Q(Quoted::Sm3)),
    ("ghash", Q(Quoted::Ghash)),
    ("sha1", Algorithm::Sha1),
    ("sha224", Q(Quoted::Sha224)),
    ("sha256", Algorithm::Sha256),
    ("sha384", Q(Quoted::Sha384)),
    ("sha512", Algorithm::Sha512),
    ("sha512-256", Q(Quoted::Sha512_256)),
    ("sha2-224", Q(Quoted::Sha224)),
    ("sha2-256", Algorithm::Sha256),
    ("sha2-384", Q(Quoted::Sha384)),
    ("sha2-512", Algorithm::Sha512),
    ("sha3-224", Q(Quoted::Sha3_224)),
    ("sha3-256", Algorithm::Sha3_256),
    ("sha3-384", Q(Quoted::Sha3_384)),
    ("sha3-512", Q(Quoted::Sha3_512)),
    ("shake128", Q(Quoted::Shake128)),
    ("shake256", Q(Quoted::Shake256)),
    ("shake-128", Q(Quoted::Shake128)),
    ("shake-256", Q(Quoted::Shake256)),
    // LibreSSL's own, which are measured through its AEAD interface.
    ("aes-128 gcm", Algorithm::Aes128Gcm),
    ("aes-256 gcm", Algorithm::Aes256Gcm),
    ("chacha20 poly1305", Algorithm::ChaCha20Poly1305),
    ("blake2s256", Algorithm::Blake2s256),
    ("blake2b512", Algorithm::Blake2b512),
    ("blake2s-256", Algorithm::Blake2s256),
    ("blake2b-512", Algorithm::Blake2b512),
];

type Curve = (&'static str, Algorithm, Option<Algorithm>);

const CURVES: &[Curve] = &[
    ("secp160r1", Q(Quoted::EcdhSecp160r1), Some(Q(Quoted::EcdsaSecp160r1))),
    ("nistp192", Q(Quoted::EcdhP192), Some(Q(Quoted::EcdsaP192))),
    ("nistp224", Q(Quoted::EcdhP224), Some(Q(Quoted::EcdsaP224))),
    ("nistp256", Algorithm::EcdhP256, Some(Algorithm::EcdsaP256)),
    ("nistp384", Q(Quoted::EcdhP384), Some(Q(Quoted::EcdsaP384))),
    ("nistp521", Q(Quoted::EcdhP521), Some(Q(Quoted::EcdsaP521))),
    ("nistk163", Q(Quoted::EcdhK163), Some(Q(Quoted::EcdsaK163))),
    ("nistk233", Q(Quoted::EcdhK233), Some(Q(Quoted::EcdsaK233))),
    ("nistk283", Q(Quoted::EcdhK283), Some(Q(Quoted::EcdsaK283))),
    ("nistk409", Q(Quoted::EcdhK409), Some(Q(Quoted::EcdsaK409))),
    ("nistk571", Q(Quoted::EcdhK571), Some(Q(Quoted::EcdsaK571))),
    ("nistb163", Q(Quoted::EcdhB163), Some(Q(Quoted::EcdsaB163))),
    ("nistb233", Q(Quoted::EcdhB233), Some(Q(Quoted::EcdsaB233))),
    ("nistb283", Q(Quoted::EcdhB283), Some(Q(Quoted::EcdsaB283))),
    ("nistb409", Q(Quoted::EcdhB409), Some(Q(Quoted::EcdsaB409))),
    ("nistb571", Q(Quoted::EcdhB571), Some(Q(Quoted::EcdsaB571))),
    ("brainpoolp256r1", Q(Quoted::EcdhBrainpoolP256r1), Some(Q(Quoted::EcdsaBrainpoolP256r1))),
    ("brainpoolp256t1", Q(Quoted::EcdhBrainpoolP256t1), Some(Q(Quoted::EcdsaBrainpoolP256t1))),
    ("brainpoolp384r1", Q(Quoted::EcdhBrainpoolP384r1), Some(Q(Quoted::EcdsaBrainpoolP384r1))),
    ("brainpoolp384t1", Q(Quoted::EcdhBrainpoolP384t1), Some(Q(Quoted::EcdsaBrainpoolP384t1))),
    ("brainpoolp512r1", Q(Quoted::EcdhBrainpoolP512r1), Some(Q(Quoted::EcdsaBrainpoolP512r1))),
    ("brainpoolp512t1", Q(Quoted::EcdhBrainpoolP512t1), Some(Q(Quoted::EcdsaBrainpoolP512t1))),
    ("x25519", Algorithm::X25519, None),
    ("x448", Algorithm::X448, None),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_space_and_a_hyphen_are_two_measurements() {
        let low = bulk("aes-256 cbc", Some(1)).unwrap();
        let evp = bulk("aes-256-cbc", Some(1)).unwrap();
        assert_eq!(low.algorithm, evp.algorithm);
        assert!(low.is_without_aes_instructions() && !evp.is_without_aes_instructions());
        assert!(!bulk("blowfish cbc", Some(1)).unwrap().is_without_aes_instructions());
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
