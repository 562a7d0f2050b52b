//! The algorithms that Kasoku knows. Each has one name in code, output and documents.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::name::{self, UnknownName, named};

named! {
    /// Purpose of an algorithm, which determines the operations on it.
    pub enum AlgorithmKind {
        Cipher = "ciphers",
        Aead = "authenticated-encryption",
        Hash = "hashes",
        KeyAgreement = "key-agreement",
        Signature = "signatures",
        Kem = "key-encapsulation",
        /// A mix of work that a benchmark suite counts as one operation.
        Suite = "benchmark-suites",
        /// A TLS cipher suite: key exchange, cipher and authentication.
        CipherSuite = "tls-cipher-suites",
    }
}

impl AlgorithmKind {
    /// Whether algorithms of this kind are measured in bytes per second instead of operations per second.
    pub fn is_bulk(self) -> bool {
        matches!(self, AlgorithmKind::Cipher | AlgorithmKind::Aead | AlgorithmKind::Hash | AlgorithmKind::CipherSuite)
    }
}

/// CPU instructions that are made for an algorithm. They determine which acceleration states should change its speed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Instructions {
    /// AES instructions and, for GCM, carry-less multiplication.
    Aes,
    Sha,
    /// Only general and vector instructions.
    None,
}

/// Declares the enums of algorithms and their properties from one list, so that none is incomplete.
macro_rules! algorithms {
    (
        measured {
            $($variant:ident, $name:literal, $title:literal, $kind:ident, $instructions:ident,
              $key:literal, $nonce:literal;)*
        }
        suites {
            $($suite:ident, $suite_name:literal, $suite_title:literal, $suite_help:ident,
              $suite_key:literal, $suite_nonce:literal, [$($part:ident),*];)*
        }
        served { $($served:ident, $served_name:literal, $served_title:literal, $served_help:ident;)* }
        quoted { $($other:ident, $other_name:literal, $other_title:literal, $other_kind:ident, $other_help:ident;)* }
    ) => {
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Algorithm {
            $($variant,)*
            Suite(Suite),
            CipherSuite(CipherSuite),
            /// An algorithm that occurs only in imported or published figures. Kasoku does not measure it.
            Quoted(Quoted),
        }

        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Suite { $($suite),* }

        /// A TLS cipher suite, named as in OpenSSL but in lower case.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum CipherSuite { $($served),* }

        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Quoted { $($other),* }

        impl Algorithm {
            /// Every algorithm that Kasoku measures in a library, in the order of tables.
            pub const ALL: &[Algorithm] = &[$(Algorithm::$variant),*];

            pub const SUITES: &[Algorithm] = &[$(Algorithm::Suite(Suite::$suite)),*];

            /// Every TLS cipher suite with which Kasoku measures web servers.
            pub const CIPHER_SUITES: &[Algorithm] = &[$(Algorithm::CipherSuite(CipherSuite::$served)),*];

            /// Every algorithm that occurs only in imported or published figures.
            pub const QUOTED: &[Algorithm] = &[$(Algorithm::Quoted(Quoted::$other)),*];

            fn info(self) -> AlgorithmInfo {
                let info = |name, title, kind, instructions, key_bytes, nonce_bytes| {
                    AlgorithmInfo { name, title, kind, instructions, key_bytes, nonce_bytes }
                };
                use AlgorithmKind as Kind;
                match self {
                    $(Algorithm::$variant =>
                        info($name, $title, Kind::$kind, Instructions::$instructions, $key, $nonce),)*
                    $(Algorithm::Suite(Suite::$suite) =>
                        info($suite_name, $suite_title, Kind::Suite, Instructions::$suite_help, $suite_key, $suite_nonce),)*
                    $(Algorithm::CipherSuite(CipherSuite::$served) =>
                        info($served_name, $served_title, Kind::CipherSuite, Instructions::$served_help, 0, 0),)*
                    $(Algorithm::Quoted(Quoted::$other) =>
                        info($other_name, $other_title, Kind::$other_kind, Instructions::$other_help, 0, 0),)*
                }
            }

            /// Returns the ciphers in the mix of a benchmark suite; empty for other algorithms.
            pub fn parts(self) -> &'static [Algorithm] {
                match self { $(Algorithm::Suite(Suite::$suite) => &[$(Algorithm::$part),*],)* _ => &[] }
            }
        }
    };
}

struct AlgorithmInfo {
    name: &'static str,
    title: &'static str,
    kind: AlgorithmKind,
    instructions: Instructions,
    key_bytes: usize,
    nonce_bytes: usize,
}

impl Algorithm {
    /// Returns the algorithm's name in output and documents, in lower case with hyphens.
    pub fn name(self) -> &'static str {
        self.info().name
    }

    /// Returns the name in the spelling of the algorithm's standard, for headings and sentences.
    pub fn title(self) -> &'static str {
        self.info().title
    }

    pub fn kind(self) -> AlgorithmKind {
        self.info().kind
    }

    pub fn instructions(self) -> Instructions {
        self.info().instructions
    }

    /// Returns the length of the symmetric key in bytes. It is 0 for algorithms without such a key, TLS suites and
    /// algorithms that only publications have. For XTS it counts both halves, for CBC-HMAC the cipher key and the MAC
    /// key.
    pub fn key_bytes(self) -> usize {
        self.info().key_bytes
    }

    /// Returns the length of the nonce, IV or tweak in bytes. It is 0 for algorithms without one, TLS suites and
    /// algorithms that only publications have.
    pub fn nonce_bytes(self) -> usize {
        self.info().nonce_bytes
    }

    pub fn is_quoted(self) -> bool {
        matches!(self, Algorithm::Quoted(_))
    }
}

algorithms! {
    measured {
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
        Aes128GcmSiv,      "aes-128-gcm-siv",       "AES-128-GCM-SIV",       Aead,         Aes,  16, 12;
        Aes256GcmSiv,      "aes-256-gcm-siv",       "AES-256-GCM-SIV",       Aead,         Aes,  32, 12;
        Xaes256Gcm,        "xaes-256-gcm",          "XAES-256-GCM",          Aead,         Aes,  32, 24;
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
    // Key and IV are those of AES-128 followed by those of 3DES.
    suites {
        CryptoAes,     "crypto.aes",          "crypto.aes",               Aes,  40, 24, [Aes128Cbc, DesEde3Cbc];
        CryptoAesAes,  "crypto.aes.aes",      "crypto.aes, AES alone",    Aes,  40, 24, [Aes128Cbc];
        CryptoAesDes,  "crypto.aes.des-ede3", "crypto.aes, 3DES alone",   None, 40, 24, [DesEde3Cbc];
    }
    // OpenSSL's names in lower case, since that is what people look for in a server's configuration.
    served {
        Aes128GcmSha256,    "aes128-gcm-sha256",            "AES128-GCM-SHA256",            Aes;
        Aes128Sha,          "aes128-sha",                   "AES128-SHA",                   Aes;
        Tls13Aes128Gcm,     "tls_aes_128_gcm_sha256",       "TLS_AES_128_GCM_SHA256",       Aes;
        Tls13Aes256Gcm,     "tls_aes_256_gcm_sha384",       "TLS_AES_256_GCM_SHA384",       Aes;
        Tls13ChaCha20,      "tls_chacha20_poly1305_sha256", "TLS_CHACHA20_POLY1305_SHA256", None;
    }
    // Names as in `openssl speed`, in our spelling; without key and nonce, since nothing here makes them.
    quoted {
        DesCbc,               "des-cbc",                  "DES-CBC",                  Cipher,       None;
        IdeaCbc,              "idea-cbc",                 "IDEA-CBC",                 Cipher,       None;
        SeedCbc,              "seed-cbc",                 "SEED-CBC",                 Cipher,       None;
        Rc2Cbc,               "rc2-cbc",                  "RC2-CBC",                  Cipher,       None;
        Rc5Cbc,               "rc5-cbc",                  "RC5-32/12-CBC",            Cipher,       None;
        Rc4,                  "rc4",                      "RC4",                      Cipher,       None;
        Cast5Cbc,             "cast5-cbc",                "CAST5-CBC",                Cipher,       None;
        Camellia192Cbc,       "camellia-192-cbc",         "Camellia-192-CBC",         Cipher,       None;
        Sm4Cbc,               "sm4-cbc",                  "SM4-CBC",                  Cipher,       None;
        Sm4Ctr,               "sm4-ctr",                  "SM4-CTR",                  Cipher,       None;
        Aria128Cbc,           "aria-128-cbc",             "ARIA-128-CBC",             Cipher,       None;
        Aria256Cbc,           "aria-256-cbc",             "ARIA-256-CBC",             Cipher,       None;
        ChaCha20,             "chacha20",                 "ChaCha20",                 Cipher,       None;
        Aes192Cbc,            "aes-192-cbc",              "AES-192-CBC",              Cipher,       Aes;
        Aes128Ecb,            "aes-128-ecb",              "AES-128-ECB",              Cipher,       Aes;
        Aes192Ecb,            "aes-192-ecb",              "AES-192-ECB",              Cipher,       Aes;
        Aes256Ecb,            "aes-256-ecb",              "AES-256-ECB",              Cipher,       Aes;
        Aes192Ctr,            "aes-192-ctr",              "AES-192-CTR",              Cipher,       Aes;
        Aes128Xts,            "aes-128-xts",              "AES-128-XTS",              Cipher,       Aes;
        Aes128Ige,            "aes-128-ige",              "AES-128-IGE",              Cipher,       Aes;
        Aes192Ige,            "aes-192-ige",              "AES-192-IGE",              Cipher,       Aes;
        Aes256Ige,            "aes-256-ige",              "AES-256-IGE",              Cipher,       Aes;
        Aes192Gcm,            "aes-192-gcm",              "AES-192-GCM",              Aead,         Aes;
        Aes192Ccm,            "aes-192-ccm",              "AES-192-CCM",              Aead,         Aes;
        Aes256Ccm,            "aes-256-ccm",              "AES-256-CCM",              Aead,         Aes;
        Aes192Ocb,            "aes-192-ocb",              "AES-192-OCB",              Aead,         Aes;
        Aes256Ocb,            "aes-256-ocb",              "AES-256-OCB",              Aead,         Aes;
        Aes128Siv,            "aes-128-siv",              "AES-128-SIV",              Aead,         Aes;
        Aes256Siv,            "aes-256-siv",              "AES-256-SIV",              Aead,         Aes;
        Aes256CbcHmacSha1,    "aes-256-cbc-hmac-sha1",    "AES-256-CBC-HMAC-SHA1",    Aead,         Aes;
        Aes128CbcHmacSha256,  "aes-128-cbc-hmac-sha256",  "AES-128-CBC-HMAC-SHA256",  Aead,         Aes;
        Aes256CbcHmacSha256,  "aes-256-cbc-hmac-sha256",  "AES-256-CBC-HMAC-SHA256",  Aead,         Aes;
        Md2,                  "md2",                      "MD2",                      Hash,         None;
        Mdc2,                 "mdc2",                     "MDC2",                     Hash,         None;
        Md4,                  "md4",                      "MD4",                      Hash,         None;
        Md5,                  "md5",                      "MD5",                      Hash,         None;
        HmacMd5,              "hmac-md5",                 "HMAC-MD5",                 Hash,         None;
        Ripemd160,            "ripemd-160",               "RIPEMD-160",               Hash,         None;
        Whirlpool,            "whirlpool",                "Whirlpool",                Hash,         None;
        Sm3,                  "sm3",                      "SM3",                      Hash,         None;
        Sha3_224,             "sha3-224",                 "SHA3-224",                 Hash,         None;
        Sha3_384,             "sha3-384",                 "SHA3-384",                 Hash,         None;
        Sha3_512,             "sha3-512",                 "SHA3-512",                 Hash,         None;
        Shake128,             "shake-128",                "SHAKE128",                 Hash,         None;
        Shake256,             "shake-256",                "SHAKE256",                 Hash,         None;
        Ghash,                "ghash",                    "GHASH",                    Hash,         None;
        Sha224,               "sha-224",                  "SHA-224",                  Hash,         Sha;
        Sha384,               "sha-384",                  "SHA-384",                  Hash,         Sha;
        Sha512_256,           "sha-512-256",              "SHA-512/256",              Hash,         Sha;
        HmacSha1,             "hmac-sha-1",               "HMAC-SHA-1",               Hash,         Sha;
        HmacSha256,           "hmac-sha-256",             "HMAC-SHA-256",             Hash,         Sha;
        HmacSha512,           "hmac-sha-512",             "HMAC-SHA-512",             Hash,         Sha;
        EcdhSecp160r1,        "ecdh-secp160r1",           "ECDH secp160r1",           KeyAgreement, None;
        EcdhP192,             "ecdh-p192",                "ECDH P-192",               KeyAgreement, None;
        EcdhP224,             "ecdh-p224",                "ECDH P-224",               KeyAgreement, None;
        EcdhP384,             "ecdh-p384",                "ECDH P-384",               KeyAgreement, None;
        EcdhP521,             "ecdh-p521",                "ECDH P-521",               KeyAgreement, None;
        EcdhK163,             "ecdh-k163",                "ECDH K-163",               KeyAgreement, None;
        EcdhK233,             "ecdh-k233",                "ECDH K-233",               KeyAgreement, None;
        EcdhK283,             "ecdh-k283",                "ECDH K-283",               KeyAgreement, None;
        EcdhK409,             "ecdh-k409",                "ECDH K-409",               KeyAgreement, None;
        EcdhK571,             "ecdh-k571",                "ECDH K-571",               KeyAgreement, None;
        EcdhB163,             "ecdh-b163",                "ECDH B-163",               KeyAgreement, None;
        EcdhB233,             "ecdh-b233",                "ECDH B-233",               KeyAgreement, None;
        EcdhB283,             "ecdh-b283",                "ECDH B-283",               KeyAgreement, None;
        EcdhB409,             "ecdh-b409",                "ECDH B-409",               KeyAgreement, None;
        EcdhB571,             "ecdh-b571",                "ECDH B-571",               KeyAgreement, None;
        EcdhBrainpoolP256r1,  "ecdh-brainpool-p256r1",    "ECDH brainpoolP256r1",     KeyAgreement, None;
        EcdhBrainpoolP256t1,  "ecdh-brainpool-p256t1",    "ECDH brainpoolP256t1",     KeyAgreement, None;
        EcdhBrainpoolP384r1,  "ecdh-brainpool-p384r1",    "ECDH brainpoolP384r1",     KeyAgreement, None;
        EcdhBrainpoolP384t1,  "ecdh-brainpool-p384t1",    "ECDH brainpoolP384t1",     KeyAgreement, None;
        EcdhBrainpoolP512r1,  "ecdh-brainpool-p512r1",    "ECDH brainpoolP512r1",     KeyAgreement, None;
        EcdhBrainpoolP512t1,  "ecdh-brainpool-p512t1",    "ECDH brainpoolP512t1",     KeyAgreement, None;
        Ffdhe2048,            "ffdhe2048",                "FFDHE2048",                KeyAgreement, None;
        Ffdhe3072,            "ffdhe3072",                "FFDHE3072",                KeyAgreement, None;
        Ffdhe4096,            "ffdhe4096",                "FFDHE4096",                KeyAgreement, None;
        Ffdhe6144,            "ffdhe6144",                "FFDHE6144",                KeyAgreement, None;
        Ffdhe8192,            "ffdhe8192",                "FFDHE8192",                KeyAgreement, None;
        EcdsaSecp160r1,       "ecdsa-secp160r1",          "ECDSA secp160r1",          Signature,    None;
        EcdsaP192,            "ecdsa-p192",               "ECDSA P-192",              Signature,    None;
        EcdsaP224,            "ecdsa-p224",               "ECDSA P-224",              Signature,    None;
        EcdsaP384,            "ecdsa-p384",               "ECDSA P-384",              Signature,    None;
        EcdsaP521,            "ecdsa-p521",               "ECDSA P-521",              Signature,    None;
        EcdsaK163,            "ecdsa-k163",               "ECDSA K-163",              Signature,    None;
        EcdsaK233,            "ecdsa-k233",               "ECDSA K-233",              Signature,    None;
        EcdsaK283,            "ecdsa-k283",               "ECDSA K-283",              Signature,    None;
        EcdsaK409,            "ecdsa-k409",               "ECDSA K-409",              Signature,    None;
        EcdsaK571,            "ecdsa-k571",               "ECDSA K-571",              Signature,    None;
        EcdsaB163,            "ecdsa-b163",               "ECDSA B-163",              Signature,    None;
        EcdsaB233,            "ecdsa-b233",               "ECDSA B-233",              Signature,    None;
        EcdsaB283,            "ecdsa-b283",               "ECDSA B-283",              Signature,    None;
        EcdsaB409,            "ecdsa-b409",               "ECDSA B-409",              Signature,    None;
        EcdsaB571,            "ecdsa-b571",               "ECDSA B-571",              Signature,    None;
        EcdsaBrainpoolP256r1, "ecdsa-brainpool-p256r1",   "ECDSA brainpoolP256r1",    Signature,    None;
        EcdsaBrainpoolP256t1, "ecdsa-brainpool-p256t1",   "ECDSA brainpoolP256t1",    Signature,    None;
        EcdsaBrainpoolP384r1, "ecdsa-brainpool-p384r1",   "ECDSA brainpoolP384r1",    Signature,    None;
        EcdsaBrainpoolP384t1, "ecdsa-brainpool-p384t1",   "ECDSA brainpoolP384t1",    Signature,    None;
        EcdsaBrainpoolP512r1, "ecdsa-brainpool-p512r1",   "ECDSA brainpoolP512r1",    Signature,    None;
        EcdsaBrainpoolP512t1, "ecdsa-brainpool-p512t1",   "ECDSA brainpoolP512t1",    Signature,    None;
        Rsa512,               "rsa-512",                  "RSA-512",                  Signature,    None;
        Rsa1024,              "rsa-1024",                 "RSA-1024",                 Signature,    None;
        Rsa3072,              "rsa-3072",                 "RSA-3072",                 Signature,    None;
        Rsa7680,              "rsa-7680",                 "RSA-7680",                 Signature,    None;
        Rsa15360,             "rsa-15360",                "RSA-15360",                Signature,    None;
        Dsa512,               "dsa-512",                  "DSA-512",                  Signature,    None;
        Dsa1024,              "dsa-1024",                 "DSA-1024",                 Signature,    None;
        Dsa2048,              "dsa-2048",                 "DSA-2048",                 Signature,    None;
        Sm2,                  "sm2",                      "SM2",                      Signature,    None;
        MlDsa44,              "ml-dsa-44",                "ML-DSA-44",                Signature,    None;
        MlDsa87,              "ml-dsa-87",                "ML-DSA-87",                Signature,    None;
        SlhDsaSha2_128s,      "slh-dsa-sha2-128s",        "SLH-DSA-SHA2-128s",        Signature,    None;
        SlhDsaSha2_128f,      "slh-dsa-sha2-128f",        "SLH-DSA-SHA2-128f",        Signature,    None;
        SlhDsaSha2_192s,      "slh-dsa-sha2-192s",        "SLH-DSA-SHA2-192s",        Signature,    None;
        SlhDsaSha2_192f,      "slh-dsa-sha2-192f",        "SLH-DSA-SHA2-192f",        Signature,    None;
        SlhDsaSha2_256s,      "slh-dsa-sha2-256s",        "SLH-DSA-SHA2-256s",        Signature,    None;
        SlhDsaSha2_256f,      "slh-dsa-sha2-256f",        "SLH-DSA-SHA2-256f",        Signature,    None;
        SlhDsaShake128s,      "slh-dsa-shake-128s",       "SLH-DSA-SHAKE-128s",       Signature,    None;
        SlhDsaShake128f,      "slh-dsa-shake-128f",       "SLH-DSA-SHAKE-128f",       Signature,    None;
        SlhDsaShake192s,      "slh-dsa-shake-192s",       "SLH-DSA-SHAKE-192s",       Signature,    None;
        SlhDsaShake192f,      "slh-dsa-shake-192f",       "SLH-DSA-SHAKE-192f",       Signature,    None;
        SlhDsaShake256s,      "slh-dsa-shake-256s",       "SLH-DSA-SHAKE-256s",       Signature,    None;
        SlhDsaShake256f,      "slh-dsa-shake-256f",       "SLH-DSA-SHAKE-256f",       Signature,    None;
        MlKem512,             "ml-kem-512",               "ML-KEM-512",               Kem,          None;
        MlKem1024,            "ml-kem-1024",              "ML-KEM-1024",              Kem,          None;
    }
}

impl fmt::Display for Algorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Algorithm {
    type Err = UnknownName;

    fn from_str(typed: &str) -> Result<Self, Self::Err> {
        let named = |algorithm: &Algorithm| (algorithm.name(), *algorithm);
        let measured = Algorithm::ALL.iter().chain(Algorithm::SUITES).chain(Algorithm::CIPHER_SUITES);
        name::find("algorithm", typed, measured.clone().chain(Algorithm::QUOTED).map(named))
            // Algorithms that are not measured are recognised but not suggested.
            .map_err(|_| UnknownName::new("algorithm", typed, measured.map(|algorithm| algorithm.name())))
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
    fn algorithm_names_are_unique_and_parse_back() {
        let mut names = std::collections::BTreeSet::new();
        let all =
            Algorithm::ALL.iter().chain(Algorithm::SUITES).chain(Algorithm::CIPHER_SUITES).chain(Algorithm::QUOTED);
        for &algorithm in all {
            assert!(
                names.insert(name::plain(algorithm.name())),
                "{algorithm} has the name of another algorithm, apart from spelling"
            );
            assert_eq!(algorithm.to_string().parse::<Algorithm>().unwrap(), algorithm);
            // Benchmark suites may have dots in their names, TLS 1.3 suites underscores.
            let is_allowed = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-';
            let is_suite = algorithm.kind() == AlgorithmKind::Suite;
            let is_of_tls = algorithm.kind() == AlgorithmKind::CipherSuite;
            let is_own = |b: u8| (is_suite && b == b'.') || (is_of_tls && b == b'_');
            assert!(algorithm.name().bytes().all(|b| is_allowed(b) || is_own(b)));
        }
        for algorithm in Algorithm::ALL {
            assert_eq!(
                algorithm.title().parse::<Algorithm>().ok(),
                Some(*algorithm),
                "the printed name does not parse"
            );
        }
    }

    #[test]
    fn unknown_algorithm_error_lists_measured_algorithms_only() {
        let message = "rot13".parse::<Algorithm>().unwrap_err().to_string();
        assert!(message.contains("rot13") && message.contains("aes-128-gcm"), "{message}");
        assert_eq!("md".parse::<Algorithm>().unwrap_err().to_string().find("md5"), None);
    }
}
