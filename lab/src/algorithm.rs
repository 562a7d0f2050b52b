//! The algorithms Kasoku knows, by the one name each has everywhere: code, output and documents.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// What an algorithm is for, which decides the operations it has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// A block cipher in a mode without authentication.
    Cipher,
    /// Authenticated encryption with associated data.
    Aead,
    /// A hash function.
    Hash,
    /// A key agreement.
    KeyAgreement,
    /// A signature scheme.
    Signature,
    /// A key encapsulation mechanism.
    Kem,
}

impl Kind {
    /// Whether throughput in bytes per second is the figure that counts, rather than operations per second.
    pub fn is_bulk(self) -> bool {
        matches!(self, Kind::Cipher | Kind::Aead | Kind::Hash)
    }

    /// The title of a table of algorithms of this kind.
    pub fn title(self) -> &'static str {
        match self {
            Kind::Cipher => "Ciphers",
            Kind::Aead => "Authenticated encryption",
            Kind::Hash => "Hashes",
            Kind::KeyAgreement => "Key agreement",
            Kind::Signature => "Signatures",
            Kind::Kem => "Key encapsulation",
        }
    }
}

/// Which CPU instructions can make an algorithm faster, and so which switch is expected to matter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Instructions {
    /// The AES instructions (and carry-less multiplication for GCM).
    Aes,
    /// The SHA instructions.
    Sha,
    /// None: general and vector instructions only.
    None,
}

/// Declares the enum and its tables from one list, so that a name cannot be forgotten in one of them.
macro_rules! algorithms {
    ($($variant:ident, $name:literal, $title:literal, $kind:ident, $instructions:ident, $key:literal, $nonce:literal;)*) => {
        /// An algorithm in one parameter set.
        ///
        /// ```
        /// use kasoku_lab::algorithm::Algorithm;
        /// let algorithm: Algorithm = "aes-256-cbc".parse().unwrap();
        /// assert_eq!(algorithm, Algorithm::Aes256Cbc);
        /// assert_eq!(algorithm.to_string(), "aes-256-cbc");
        /// ```
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[allow(missing_docs)] // the variants are the names
        pub enum Algorithm { $($variant),* }

        impl Algorithm {
            /// Every algorithm, in the order tables show them.
            pub const ALL: &[Algorithm] = &[$(Algorithm::$variant),*];

            /// The name in code, output and documents: lower case with hyphens.
            pub fn name(self) -> &'static str {
                match self { $(Algorithm::$variant => $name),* }
            }

            /// The name as its standard writes it, for headings and sentences.
            pub fn title(self) -> &'static str {
                match self { $(Algorithm::$variant => $title),* }
            }

            /// What it is for.
            pub fn kind(self) -> Kind {
                match self { $(Algorithm::$variant => Kind::$kind),* }
            }

            /// The CPU instructions made for it.
            pub fn instructions(self) -> Instructions {
                match self { $(Algorithm::$variant => Instructions::$instructions),* }
            }

            /// Bytes of a symmetric key (both halves of XTS; cipher key and MAC key of CBC-HMAC); 0 for the others.
            pub fn key_bytes(self) -> usize {
                match self { $(Algorithm::$variant => $key),* }
            }

            /// Bytes of the nonce, IV or tweak; 0 where there is none.
            pub fn nonce_bytes(self) -> usize {
                match self { $(Algorithm::$variant => $nonce),* }
            }
        }
    };
}

algorithms! {
    DesEde3Cbc,        "des-ede3-cbc",          "DES-EDE3-CBC",          Cipher,       None, 24, 8;
    BlowfishCbc,       "blowfish-cbc",          "Blowfish-CBC",          Cipher,       None, 16, 8;
    Camellia128Cbc,    "camellia-128-cbc",      "Camellia-128-CBC",      Cipher,       None, 16, 16;
    Camellia256Cbc,    "camellia-256-cbc",      "Camellia-256-CBC",      Cipher,       None, 32, 16;
    Aes128Cbc,         "aes-128-cbc",           "AES-128-CBC",           Cipher,       Aes,  16, 16;
    Aes256Cbc,         "aes-256-cbc",           "AES-256-CBC",           Cipher,       Aes,  32, 16;
    Aes128Ctr,         "aes-128-ctr",           "AES-128-CTR",           Cipher,       Aes,  16, 16;
    Aes256Ctr,         "aes-256-ctr",           "AES-256-CTR",           Cipher,       Aes,  32, 16;
    Aes256Xts,         "aes-256-xts",           "AES-256-XTS",           Cipher,       Aes,  64, 16;
    Aes128Gcm,         "aes-128-gcm",           "AES-128-GCM",           Aead,         Aes,  16, 12;
    Aes256Gcm,         "aes-256-gcm",           "AES-256-GCM",           Aead,         Aes,  32, 12;
    Aes128Ccm,         "aes-128-ccm",           "AES-128-CCM",           Aead,         Aes,  16, 12;
    Aes128Ocb,         "aes-128-ocb",           "AES-128-OCB",           Aead,         Aes,  16, 12;
    ChaCha20Poly1305,  "chacha20-poly1305",     "ChaCha20-Poly1305",     Aead,         None, 32, 12;
    Aes128CbcHmacSha1, "aes-128-cbc-hmac-sha1", "AES-128-CBC-HMAC-SHA1", Aead,         Aes,  36, 16;
    Sha1,              "sha-1",                 "SHA-1",                 Hash,         Sha,  0,  0;
    Sha256,            "sha-256",               "SHA-256",               Hash,         Sha,  0,  0;
    Sha512,            "sha-512",               "SHA-512",               Hash,         Sha,  0,  0;
    Sha3_256,          "sha3-256",              "SHA3-256",              Hash,         None, 0,  0;
    Blake2s256,        "blake2s-256",           "BLAKE2s-256",           Hash,         None, 0,  0;
    Blake2b512,        "blake2b-512",           "BLAKE2b-512",           Hash,         None, 0,  0;
    X25519,            "x25519",                "X25519",                KeyAgreement, None, 0,  0;
    X448,              "x448",                  "X448",                  KeyAgreement, None, 0,  0;
    EcdhP256,          "ecdh-p256",             "ECDH P-256",            KeyAgreement, None, 0,  0;
    Ed25519,           "ed25519",               "Ed25519",               Signature,    None, 0,  0;
    Ed448,             "ed448",                 "Ed448",                 Signature,    None, 0,  0;
    EcdsaP256,         "ecdsa-p256",            "ECDSA P-256",           Signature,    None, 0,  0;
    Rsa2048,           "rsa-2048",              "RSA-2048",              Signature,    None, 0,  0;
    Rsa4096,           "rsa-4096",              "RSA-4096",              Signature,    None, 0,  0;
    MlDsa65,           "ml-dsa-65",             "ML-DSA-65",             Signature,    None, 0,  0;
    MlKem768,          "ml-kem-768",            "ML-KEM-768",            Kem,          None, 0,  0;
}

impl fmt::Display for Algorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A name that is no algorithm's.
#[derive(Debug, thiserror::Error)]
#[error("unknown algorithm \"{name}\"; known are {}", known())]
pub struct UnknownAlgorithm {
    name: String,
}

fn known() -> String {
    Algorithm::ALL.iter().map(|algorithm| algorithm.name()).collect::<Vec<_>>().join(", ")
}

impl FromStr for Algorithm {
    type Err = UnknownAlgorithm;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        Algorithm::ALL
            .iter()
            .copied()
            .find(|algorithm| algorithm.name() == name)
            .ok_or_else(|| UnknownAlgorithm { name: name.chars().take(40).collect() })
    }
}

impl Serialize for Algorithm {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

impl<'de> Deserialize<'de> for Algorithm {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_read_back() {
        for &algorithm in Algorithm::ALL {
            assert_eq!(algorithm.name().parse::<Algorithm>().unwrap(), algorithm);
            assert!(algorithm.name().bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-'));
        }
    }

    #[test]
    fn an_unknown_name_is_told_with_what_is_known() {
        let message = "rot13".parse::<Algorithm>().unwrap_err().to_string();
        assert!(message.contains("rot13") && message.contains("aes-128-gcm"), "{message}");
    }
}
