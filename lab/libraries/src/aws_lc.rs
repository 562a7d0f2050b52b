//! The library `aws-lc`: AWS-LC, called through the crate aws-lc-rs.

use aws_lc_rs::aead::{self, Aad, LessSafeKey};
use aws_lc_rs::agreement::{self, ParsedPublicKey as Peer, PrivateKey, UnparsedPublicKey, agree};
use aws_lc_rs::cipher::{
    self, DecryptingKey, DecryptionContext, EncryptionContext, StreamingEncryptingKey, UnboundCipherKey,
};
use aws_lc_rs::iv::FixedLength;
use aws_lc_rs::kem::{self, Ciphertext, DecapsulationKey, EncapsulationKey};
use aws_lc_rs::rand::SystemRandom;
use aws_lc_rs::rsa::KeyPair as RsaKeyPair;
use aws_lc_rs::signature::{self, EcdsaKeyPair, Ed25519KeyPair, ParsedPublicKey, PqdsaKeyPair, VerificationAlgorithm};

use super::crate_version::{crate_version, crate_versions};
use super::loops::aead::{Nonce, Tag, TwoBufferAead, two_buffer_job};
use super::loops::repeated::{put, repeated_job, verify_job};
use super::loops::{cipher as loops, failed, rejected, to_array};
use super::ring_api::ring_api;
use super::rustcrypto::expanded_key;
use super::{Library, LibraryDescription, LibraryEntry, PreparedJob, Result, Unsupported, openssl_switch};
use crate::fixtures::Fixtures;
use crate::switch::vaes_needs_avx512;
use kasoku_model::algorithm::{Algorithm, AlgorithmKind};
use kasoku_model::library;
use kasoku_model::workload::{Operation, Packets, Workload};

pub const ENTRY: LibraryEntry = LibraryEntry {
    why_no_vaes: vaes_needs_avx512,
    ..LibraryEntry::new(library::AWS_LC, "AWS-LC through aws-lc-rs", |_| Ok(Box::new(AwsLc)), openssl_switch)
};

ring_api!(
    aws_lc_rs,
    "aws-lc-rs",
    aeads: [Algorithm::Aes128GcmSiv => AES_128_GCM_SIV, Algorithm::Aes256GcmSiv => AES_256_GCM_SIV],
    hash: Algorithm::Sha3_256 => SHA3_256
);

struct AwsLc;

impl Library for AwsLc {
    fn description(&self) -> LibraryDescription {
        LibraryDescription::new(format!("{} ({})", crate_version("aws-lc-rs"), crate_versions(&["aws-lc-sys"])))
    }

    fn prepare_primitive(&self, workload: &Workload, fixtures: &Fixtures) -> PreparedJob {
        match workload.algorithm.kind() {
            AlgorithmKind::Cipher => cipher(workload, fixtures),
            AlgorithmKind::Aead => aead(workload, fixtures),
            AlgorithmKind::Hash => ring_api::hash(workload, fixtures),
            AlgorithmKind::KeyAgreement => agreement(workload, fixtures),
            AlgorithmKind::Signature if workload.operation == Operation::Sign => sign(workload, fixtures),
            AlgorithmKind::Signature => verify(workload, fixtures),
            AlgorithmKind::Kem => kem(workload, fixtures),
            AlgorithmKind::Suite | AlgorithmKind::CipherSuite => Err(Unsupported::algorithm("aws-lc-rs", workload)),
        }
    }

    fn prepare_packets(&self, workload: &Workload, packets: Packets, fixtures: &Fixtures) -> PreparedJob {
        ring_api::packets(workload, packets, fixtures)
    }
}

const IV_EACH_CALL: &str = "in-place API: the IV is set for each call";

fn cipher(workload: &Workload, fixtures: &Fixtures) -> PreparedJob {
    let (algorithm, is_cbc) = match workload.algorithm {
        Algorithm::Aes128Cbc => (&cipher::AES_128, true),
        Algorithm::Aes256Cbc => (&cipher::AES_256, true),
        Algorithm::Aes128Ctr => (&cipher::AES_128, false),
        Algorithm::Aes256Ctr => (&cipher::AES_256, false),
        _ => return Err(Unsupported::algorithm("aws-lc-rs", workload)),
    };
    let iv = to_array("IV", &fixtures.nonce)?;
    let unbound = || UnboundCipherKey::new(algorithm, &fixtures.key).map_err(|_| rejected("key"));
    if is_cbc && workload.operation == Operation::Decrypt {
        // The streaming API holds the last block back in case it is padding.
        let key = DecryptingKey::cbc(unbound()?).map_err(|_| rejected("key"))?;
        return Ok(loops::in_place_job(&fixtures.text, IV_EACH_CALL, move |text| {
            let iv = DecryptionContext::Iv128(FixedLength::from(iv));
            key.decrypt(text, iv).map(|_| ()).map_err(|_| failed("decrypt"))
        }));
    }
    // The EVP context continues from call to call. CTR is equal in both directions.
    let start =
        if is_cbc { StreamingEncryptingKey::less_safe_cbc_pkcs7 } else { StreamingEncryptingKey::less_safe_ctr };
    let context = move || EncryptionContext::Iv128(FixedLength::from(iv));
    let mode = start(unbound()?, context()).map_err(|_| rejected("key"))?;
    let key = fixtures.key.clone();
    let restart = move |mode: &mut StreamingEncryptingKey| {
        let key = UnboundCipherKey::new(algorithm, &key).map_err(|_| failed("take the key"))?;
        *mode = start(key, context()).map_err(|_| failed("start"))?;
        Ok(())
    };
    Ok(loops::cipher_job(mode, &fixtures.text, None, restart, |mode, text, out| {
        Ok(mode.update(text, out).map_err(|_| failed("encrypt"))?.written().len())
    }))
}

fn aead(workload: &Workload, fixtures: &Fixtures) -> PreparedJob {
    let expand = ring_api::keys(workload)?;
    two_buffer_job(workload, fixtures, move |key| expand(key).map(Scattered))
}

/// Wraps a key for AWS-LC's API that reads the text from one buffer and writes the ciphertext to another.
struct Scattered(LessSafeKey);

impl TwoBufferAead for Scattered {
    fn seal(&self, nonce: &Nonce, aad: &[u8], text: &[u8], ciphertext: &mut [u8], tag: &mut Tag) -> Result<()> {
        let nonce = aead::Nonce::from(nonce);
        self.0.seal_out_of_place_scatter(nonce, Aad::from(aad), text, ciphertext, &[], tag).map_err(|_| failed("seal"))
    }

    fn open(&self, nonce: &Nonce, aad: &[u8], ciphertext: &[u8], tag: &Tag, text: &mut [u8]) -> Result<()> {
        let nonce = aead::Nonce::from(nonce);
        self.0.open_separate_gather(nonce, Aad::from(aad), ciphertext, tag, text).map_err(|_| failed("open"))
    }
}

fn agreement(workload: &Workload, fixtures: &Fixtures) -> PreparedJob {
    let algorithm = match workload.algorithm {
        Algorithm::X25519 => &agreement::X25519,
        Algorithm::EcdhP256 => &agreement::ECDH_P256,
        _ => return Err(Unsupported::algorithm("aws-lc-rs", workload)),
    };
    let secret = PrivateKey::from_private_key(algorithm, &fixtures.key).map_err(|_| rejected("private key"))?;
    let peer =
        Peer::try_from(UnparsedPublicKey::new(algorithm, &fixtures.public)).map_err(|_| rejected("public key"))?;
    // A clone increments a reference count and copies the encoding: far cheaper than parsing the point in each call.
    Ok(repeated_job(&[], 32, None, move |_, output| {
        agree(&secret, peer.clone(), failed("agree"), |shared| Ok(put(output, [shared])))
    }))
}

fn sign(workload: &Workload, fixtures: &Fixtures) -> PreparedJob {
    let Fixtures { key, public, text, .. } = fixtures;
    match workload.algorithm {
        Algorithm::Ed25519 => {
            let key = Ed25519KeyPair::from_seed_and_public_key(key, public).map_err(|_| rejected("key pair"))?;
            Ok(repeated_job(text, 64, None, move |message, output| {
                let signature = key.try_sign(message).map_err(|_| failed("sign"))?;
                Ok(put(output, [signature.as_ref()]))
            }))
        }
        Algorithm::EcdsaP256 => {
            let algorithm = &signature::ECDSA_P256_SHA256_ASN1_SIGNING;
            let key = EcdsaKeyPair::from_private_key_and_public_key(algorithm, key, public)
                .map_err(|_| rejected("key pair"))?;
            let random = SystemRandom::new();
            Ok(repeated_job(text, 80, None, move |message, output| {
                let signature = key.sign(&random, message).map_err(|_| failed("sign"))?;
                Ok(put(output, [signature.as_ref()]))
            }))
        }
        Algorithm::Rsa2048 | Algorithm::Rsa4096 => {
            let key = RsaKeyPair::from_pkcs8(key).map_err(|_| rejected("private key"))?;
            let random = SystemRandom::new();
            Ok(repeated_job(text, key.public_modulus_len(), None, move |message, output| {
                key.sign(&signature::RSA_PKCS1_SHA256, &random, message, output).map_err(|_| failed("sign"))?;
                Ok(output.len())
            }))
        }
        Algorithm::MlDsa65 => {
            let algorithm = &signature::ML_DSA_65_SIGNING;
            let key = PqdsaKeyPair::from_seed(algorithm, key).map_err(|_| rejected("seed"))?;
            Ok(repeated_job(text, algorithm.signature_len(), None, move |message, output| {
                key.sign(message, output).map_err(|_| failed("sign"))
            }))
        }
        _ => Err(Unsupported::algorithm("aws-lc-rs", workload)),
    }
}

fn verify(workload: &Workload, fixtures: &Fixtures) -> PreparedJob {
    let algorithm: &'static dyn VerificationAlgorithm = match workload.algorithm {
        Algorithm::Ed25519 => &signature::ED25519,
        Algorithm::EcdsaP256 => &signature::ECDSA_P256_SHA256_ASN1,
        Algorithm::Rsa2048 | Algorithm::Rsa4096 => &signature::RSA_PKCS1_2048_8192_SHA256,
        Algorithm::MlDsa65 => &signature::ML_DSA_65,
        _ => return Err(Unsupported::algorithm("aws-lc-rs", workload)),
    };
    let key = ParsedPublicKey::new(algorithm, &fixtures.public).map_err(|_| rejected("public key"))?;
    verify_job(fixtures, None, move |message, signature| Ok(key.verify_sig(message, signature).is_ok()))
}

fn kem(workload: &Workload, fixtures: &Fixtures) -> PreparedJob {
    if workload.algorithm != Algorithm::MlKem768 {
        return Err(Unsupported::algorithm("aws-lc-rs", workload));
    }
    if workload.operation == Operation::Encapsulate {
        let key = EncapsulationKey::new(&kem::ML_KEM_768, &fixtures.public).map_err(|_| rejected("public key"))?;
        return Ok(repeated_job(&[], 1088 + 32, None, move |_, output| {
            let (ciphertext, secret) = key.encapsulate().map_err(|_| failed("encapsulate"))?;
            Ok(put(output, [ciphertext.as_ref(), secret.as_ref()]))
        }));
    }
    let expanded = expanded_key(&fixtures.key)?;
    let key = DecapsulationKey::new(&kem::ML_KEM_768, &expanded).map_err(|_| rejected("private key"))?;
    Ok(repeated_job(&fixtures.text, 32, None, move |ciphertext, output| {
        let secret = key.decapsulate(Ciphertext::from(ciphertext)).map_err(|_| failed("decapsulate"))?;
        Ok(put(output, [secret.as_ref()]))
    }))
}
