//! Key agreement, signatures, ML-KEM.

use aws_lc_rs::agreement::{self, ParsedPublicKey as Peer, PrivateKey, UnparsedPublicKey, agree};
use aws_lc_rs::kem::{self, Ciphertext, DecapsulationKey, EncapsulationKey};
use aws_lc_rs::rand::SystemRandom;
use aws_lc_rs::rsa::KeyPair as RsaKeyPair;
use aws_lc_rs::signature::{self, EcdsaKeyPair, Ed25519KeyPair, ParsedPublicKey, PqdsaKeyPair, VerificationAlgorithm};

use super::super::loops::repeated::{put, repeated};
use super::super::loops::verified::verified;
use super::super::loops::{failed, rejected};
use super::super::rustcrypto::expanded_key;
use super::super::{PreparedJob, Unsupported};
use crate::fixtures::Fixtures;
use kasoku_model::algorithm::Algorithm;
use kasoku_model::workload::{Operation, Workload};

pub(super) fn agreement(workload: &Workload, fixtures: &Fixtures) -> PreparedJob {
    let algorithm = match workload.algorithm {
        Algorithm::X25519 => &agreement::X25519,
        Algorithm::EcdhP256 => &agreement::ECDH_P256,
        _ => return Err(Unsupported::algorithm("aws-lc-rs", workload)),
    };
    let secret = PrivateKey::from_private_key(algorithm, &fixtures.key).map_err(|_| rejected("private key"))?;
    let peer =
        Peer::try_from(UnparsedPublicKey::new(algorithm, &fixtures.public)).map_err(|_| rejected("public key"))?;
    // A clone counts a reference and copies the encoding: far less than parsing the point in each call.
    Ok(repeated(&[], 32, None, move |_, output| {
        agree(&secret, peer.clone(), failed("agree"), |shared| Ok(put(output, [shared])))
    }))
}

pub(super) fn signature(workload: &Workload, fixtures: &Fixtures) -> PreparedJob {
    if workload.operation == Operation::Sign { sign(workload, fixtures) } else { verify(workload, fixtures) }
}

fn sign(workload: &Workload, fixtures: &Fixtures) -> PreparedJob {
    let Fixtures { key, public, text, .. } = fixtures;
    match workload.algorithm {
        Algorithm::Ed25519 => {
            let key = Ed25519KeyPair::from_seed_and_public_key(key, public).map_err(|_| rejected("key pair"))?;
            Ok(repeated(text, 64, None, move |message, output| {
                let signature = key.try_sign(message).map_err(|_| failed("sign"))?;
                Ok(put(output, [signature.as_ref()]))
            }))
        }
        Algorithm::EcdsaP256 => {
            let algorithm = &signature::ECDSA_P256_SHA256_ASN1_SIGNING;
            let key = EcdsaKeyPair::from_private_key_and_public_key(algorithm, key, public)
                .map_err(|_| rejected("key pair"))?;
            let random = SystemRandom::new();
            Ok(repeated(text, 80, None, move |message, output| {
                let signature = key.sign(&random, message).map_err(|_| failed("sign"))?;
                Ok(put(output, [signature.as_ref()]))
            }))
        }
        Algorithm::Rsa2048 | Algorithm::Rsa4096 => {
            let key = RsaKeyPair::from_pkcs8(key).map_err(|_| rejected("private key"))?;
            let random = SystemRandom::new();
            Ok(repeated(text, key.public_modulus_len(), None, move |message, output| {
                key.sign(&signature::RSA_PKCS1_SHA256, &random, message, output).map_err(|_| failed("sign"))?;
                Ok(output.len())
            }))
        }
        Algorithm::MlDsa65 => {
            let algorithm = &signature::ML_DSA_65_SIGNING;
            let key = PqdsaKeyPair::from_seed(algorithm, key).map_err(|_| rejected("seed"))?;
            Ok(repeated(text, algorithm.signature_len(), None, move |message, output| {
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
    verified(fixtures, None, move |message, signature| key.verify_sig(message, signature).is_ok())
}

pub(super) fn kem(workload: &Workload, fixtures: &Fixtures) -> PreparedJob {
    if workload.algorithm != Algorithm::MlKem768 {
        return Err(Unsupported::algorithm("aws-lc-rs", workload));
    }
    if workload.operation == Operation::Encapsulate {
        let key = EncapsulationKey::new(&kem::ML_KEM_768, &fixtures.public).map_err(|_| rejected("public key"))?;
        return Ok(repeated(&[], 1088 + 32, None, move |_, output| {
            let (ciphertext, secret) = key.encapsulate().map_err(|_| failed("encapsulate"))?;
            Ok(put(output, [ciphertext.as_ref(), secret.as_ref()]))
        }));
    }
    let expanded = expanded_key(&fixtures.key)?;
    let key = DecapsulationKey::new(&kem::ML_KEM_768, &expanded).map_err(|_| rejected("private key"))?;
    Ok(repeated(&fixtures.text, 32, None, move |ciphertext, output| {
        let secret = key.decapsulate(Ciphertext::from(ciphertext)).map_err(|_| failed("decapsulate"))?;
        Ok(put(output, [secret.as_ref()]))
    }))
}
