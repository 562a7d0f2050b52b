//! The library `graviola`, a Rust crate.

use ::p256::SecretKey;
use graviola::aead::{AesGcm, ChaCha20Poly1305};
use graviola::hashing::sha3::Sha3_256Context;
use graviola::hashing::{Hash, Sha256, Sha512};
use graviola::key_agreement::{mlkem768, p256, x25519};
use graviola::signing::{ecdsa, eddsa, rsa};

use super::crate_version::crate_version;
use super::loops::aead::{InPlaceAead, Nonce, Tag, in_place_job};
use super::loops::packets::{NoHeaderKey, PacketAead, split_tag};
use super::loops::repeated::{put, repeated_job, verify_job};
use super::loops::{self, failed, rejected, to_array};
use super::{
    Job, Library, LibraryDescription, LibraryEntry, Opening, PreparedJob, Result, Switch, Unavailable, Unsupported,
};
use crate::fixtures::Fixtures;
use crate::switch::vaes_needs_avx512;
use kasoku_model::algorithm::{Algorithm, AlgorithmKind};
use kasoku_model::library;
use kasoku_model::workload::{Operation, Packets, Workload};

pub const ENTRY: LibraryEntry = LibraryEntry {
    why_no_vaes: vaes_needs_avx512,
    ..LibraryEntry::new(library::GRAVIOLA, "graviola", open, |state| {
        Switch::only_on(
            state,
            "graviola cannot do without these instructions, and reads its switches in debug builds only",
        )
    })
};

const KEY_COPIED: &str = "the figure includes copying the encapsulation key, which the API uses up";

/// Opens graviola. Checks the CPU first, because graviola panics on a CPU without the features that it needs.
fn open(_opening: &Opening) -> Result<Box<dyn Library>, Unavailable> {
    let missing = missing_features();
    if missing.is_empty() {
        Ok(Box::new(Graviola))
    } else {
        Err(Unavailable::new(format!("graviola needs what this CPU has not: {}", missing.join(", "))))
    }
}

fn missing_features() -> Vec<&'static str> {
    #[cfg(target_arch = "x86_64")]
    let required = [
        ("aes", is_x86_feature_detected!("aes")),
        ("pclmulqdq", is_x86_feature_detected!("pclmulqdq")),
        ("bmi1", is_x86_feature_detected!("bmi1")),
        ("bmi2", is_x86_feature_detected!("bmi2")),
        ("adx", is_x86_feature_detected!("adx")),
        ("avx", is_x86_feature_detected!("avx")),
        ("avx2", is_x86_feature_detected!("avx2")),
    ];
    #[cfg(target_arch = "aarch64")]
    let required = [
        ("neon", std::arch::is_aarch64_feature_detected!("neon")),
        ("aes", std::arch::is_aarch64_feature_detected!("aes")),
        ("pmull", std::arch::is_aarch64_feature_detected!("pmull")),
        ("sha2", std::arch::is_aarch64_feature_detected!("sha2")),
    ];
    required.iter().filter(|(_, is_there)| !is_there).map(|(name, _)| *name).collect()
}

struct Graviola;

impl Library for Graviola {
    fn description(&self) -> LibraryDescription {
        LibraryDescription::new(crate_version("graviola"))
    }

    fn prepare_primitive(&self, workload: &Workload, fixtures: &Fixtures) -> PreparedJob {
        match (workload.algorithm.kind(), workload.operation) {
            (AlgorithmKind::Aead, _) => aead(workload, fixtures),
            (AlgorithmKind::Hash, _) => hash(workload, fixtures),
            (AlgorithmKind::KeyAgreement, _) => agreement(workload, fixtures),
            (AlgorithmKind::Signature, Operation::Sign) => sign(workload, fixtures),
            (AlgorithmKind::Signature, _) => verify(workload, fixtures),
            (AlgorithmKind::Kem, _) => kem(workload, fixtures),
            (AlgorithmKind::Cipher | AlgorithmKind::Suite | AlgorithmKind::CipherSuite, _) => {
                Err(Unsupported::algorithm(library::GRAVIOLA, workload))
            }
        }
    }

    fn prepare_packets(&self, workload: &Workload, packets: Packets, fixtures: &Fixtures) -> PreparedJob {
        let no_header_key = |_: &[u8]| -> Result<NoHeaderKey, Unsupported> {
            Err(Unsupported::new("graviola offers no AES by the block, which header protection needs"))
        };
        loops::packets::packets(workload, packets, fixtures, |key| gcm(workload, key), no_header_key)
    }
}

fn aead(workload: &Workload, fixtures: &Fixtures) -> PreparedJob {
    match workload.algorithm {
        Algorithm::Aes128Gcm | Algorithm::Aes256Gcm => {
            let workload = *workload;
            in_place_job(&workload, fixtures, move |key| gcm(&workload, key))
        }
        Algorithm::ChaCha20Poly1305 => {
            in_place_job(workload, fixtures, |key| Ok(ChaCha20Poly1305::new(to_array("key", key)?)))
        }
        _ => Err(Unsupported::algorithm(library::GRAVIOLA, workload)),
    }
}

fn gcm(workload: &Workload, key: &[u8]) -> Result<AesGcm, Unsupported> {
    match workload.algorithm {
        Algorithm::Aes128Gcm => Ok(AesGcm::new(&to_array::<16>("key", key)?)),
        Algorithm::Aes256Gcm => Ok(AesGcm::new(&to_array::<32>("key", key)?)),
        _ => Err(Unsupported::algorithm(library::GRAVIOLA, workload)),
    }
}

impl InPlaceAead for AesGcm {
    fn seal(&self, nonce: &Nonce, aad: &[u8], text: &mut [u8], tag: &mut Tag) -> Result<()> {
        self.encrypt(nonce, aad, text, tag);
        Ok(())
    }

    fn open(&self, nonce: &Nonce, aad: &[u8], ciphertext: &mut [u8], tag: &Tag) -> Result<()> {
        self.decrypt(nonce, aad, ciphertext, tag).map_err(|_| failed("open"))
    }
}

impl InPlaceAead for ChaCha20Poly1305 {
    fn seal(&self, nonce: &Nonce, aad: &[u8], text: &mut [u8], tag: &mut Tag) -> Result<()> {
        self.encrypt(nonce, aad, text, tag);
        Ok(())
    }

    fn open(&self, nonce: &Nonce, aad: &[u8], ciphertext: &mut [u8], tag: &Tag) -> Result<()> {
        self.decrypt(nonce, aad, ciphertext, tag).map_err(|_| failed("open"))
    }
}

fn hash(workload: &Workload, fixtures: &Fixtures) -> PreparedJob {
    Ok(match workload.algorithm {
        Algorithm::Sha256 => sha2::<Sha256>(fixtures),
        Algorithm::Sha512 => sha2::<Sha512>(fixtures),
        Algorithm::Sha3_256 => repeated_job(&fixtures.text, 32, None, |text, output| {
            let mut context = Sha3_256Context::new();
            context.update(text);
            Ok(put(output, [&context.finish()]))
        }),
        _ => return Err(Unsupported::algorithm(library::GRAVIOLA, workload)),
    })
}

fn sha2<H: Hash + 'static>(fixtures: &Fixtures) -> Box<dyn Job> {
    repeated_job(&fixtures.text, 64, None, |text, output| Ok(put(output, [H::hash(text).as_ref()])))
}

fn agreement(workload: &Workload, fixtures: &Fixtures) -> PreparedJob {
    match workload.algorithm {
        Algorithm::X25519 => {
            let secret = x25519::StaticPrivateKey::try_from_slice(&fixtures.key).map_err(|_| rejected("scalar"))?;
            let peer = x25519::PublicKey::try_from_slice(&fixtures.public).map_err(|_| rejected("public key"))?;
            Ok(repeated_job(&[], 32, None, move |_, output| {
                Ok(put(output, [&secret.diffie_hellman(&peer).map_err(|_| failed("agree"))?.0]))
            }))
        }
        Algorithm::EcdhP256 => {
            let secret = p256::StaticPrivateKey::from_bytes(&fixtures.key).map_err(|_| rejected("scalar"))?;
            let peer = p256::PublicKey::from_x962_uncompressed(&fixtures.public).map_err(|_| rejected("public key"))?;
            Ok(repeated_job(&[], 32, None, move |_, output| {
                Ok(put(output, [&secret.diffie_hellman(&peer).map_err(|_| failed("agree"))?.0]))
            }))
        }
        _ => Err(Unsupported::algorithm(library::GRAVIOLA, workload)),
    }
}

fn sign(workload: &Workload, fixtures: &Fixtures) -> PreparedJob {
    let Fixtures { key, text, .. } = fixtures;
    match workload.algorithm {
        Algorithm::Ed25519 => {
            let key = eddsa::Ed25519SigningKey::from_bytes(key).map_err(|_| rejected("seed"))?;
            Ok(repeated_job(text, 64, None, move |message, output| Ok(put(output, [&key.sign(message)]))))
        }
        Algorithm::EcdsaP256 => {
            let key = SecretKey::from_slice(key).map_err(|_| rejected("scalar"))?;
            let key = key.to_sec1_der().map_err(|_| rejected("scalar"))?;
            let key = ecdsa::SigningKey::<ecdsa::P256>::from_sec1_der(&key).map_err(|_| rejected("key pair"))?;
            Ok(repeated_job(text, 80, None, move |message, output| {
                Ok(key.sign_asn1::<Sha256>(&[message], output).map_err(|_| failed("sign"))?.len())
            }))
        }
        Algorithm::Rsa2048 | Algorithm::Rsa4096 => {
            let key = rsa::SigningKey::from_pkcs8_der(key).map_err(|_| rejected("private key"))?;
            Ok(repeated_job(text, key.modulus_len_bytes(), None, move |message, output| {
                Ok(key.sign_pkcs1_sha256(output, message).map_err(|_| failed("sign"))?.len())
            }))
        }
        _ => Err(Unsupported::algorithm(library::GRAVIOLA, workload)),
    }
}

fn verify(workload: &Workload, fixtures: &Fixtures) -> PreparedJob {
    let public = &fixtures.public;
    match workload.algorithm {
        Algorithm::Ed25519 => {
            let key = eddsa::Ed25519VerifyingKey::from_bytes(public).map_err(|_| rejected("public key"))?;
            verify_job(fixtures, None, move |message, signature| Ok(key.verify(signature, message).is_ok()))
        }
        Algorithm::EcdsaP256 => {
            let key = ecdsa::VerifyingKey::<ecdsa::P256>::from_x962_uncompressed(public)
                .map_err(|_| rejected("public key"))?;
            verify_job(fixtures, None, move |message, signature| {
                Ok(key.verify_asn1::<Sha256>(&[message], signature).is_ok())
            })
        }
        Algorithm::Rsa2048 | Algorithm::Rsa4096 => {
            let key = rsa::VerifyingKey::from_pkcs1_der(public).map_err(|_| rejected("public key"))?;
            verify_job(fixtures, None, move |message, signature| {
                Ok(key.verify_pkcs1_sha256(signature, message).is_ok())
            })
        }
        _ => Err(Unsupported::algorithm(library::GRAVIOLA, workload)),
    }
}

fn kem(workload: &Workload, fixtures: &Fixtures) -> PreparedJob {
    match (workload.algorithm, workload.operation) {
        (Algorithm::MlKem768, Operation::Encapsulate) => {
            let encoded = to_array("encapsulation key", &fixtures.public)?;
            let key = mlkem768::EncapKey::from_bytes(&encoded).map_err(|_| rejected("encapsulation key"))?;
            Ok(repeated_job(&[], 1088 + 32, Some(KEY_COPIED), move |_, output| {
                let (secret, ciphertext) = key.clone().encaps().map_err(|_| failed("encapsulate"))?;
                Ok(put(output, [ciphertext.as_ref(), secret.as_ref()]))
            }))
        }
        (Algorithm::MlKem768, _) => {
            Err(Unsupported::new("graviola makes its decapsulation keys itself and lets each be used once"))
        }
        _ => Err(Unsupported::algorithm(library::GRAVIOLA, workload)),
    }
}

impl PacketAead for AesGcm {
    fn seal(&self, nonce: &Nonce, aad: &[u8], text: &mut [u8], tag: &mut Tag) -> Result<()> {
        InPlaceAead::seal(self, nonce, aad, text, tag)
    }

    fn open(&self, nonce: &Nonce, aad: &[u8], sealed: &mut [u8]) -> Result<()> {
        let (text, tag) = split_tag(sealed)?;
        InPlaceAead::open(self, nonce, aad, text, tag)
    }
}
