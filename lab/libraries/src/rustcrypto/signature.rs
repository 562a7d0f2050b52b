//! Signatures: Ed25519, ECDSA on P-256, RSA with PKCS #1 v1.5, ML-DSA.

use ml_dsa::MlDsa65;
use p256::ecdsa;
use rsa::pkcs1::DecodeRsaPublicKey;
use rsa::pkcs1v15;
use rsa::pkcs8::DecodePrivateKey;
use rsa::signature::{SignatureEncoding, Signer, Verifier};
use rsa::traits::PublicKeyParts;
use sha2::Sha256;

use super::super::loops::repeated::{put, repeated};
use super::super::loops::verified::verified;
use super::super::loops::{exactly, failed, rejected};
use super::super::{PreparedJob, Result, Unsupported};
use super::agreement::no_curve448;
use crate::fixtures::Fixtures;
use kasoku_model::algorithm::Algorithm;
use kasoku_model::workload::{Operation, Workload};

const DETERMINISTIC: &str = "the deterministic variant of ML-DSA, which is the crate's default";

pub(super) fn prepare(workload: &Workload, fixtures: &Fixtures) -> PreparedJob {
    let signs = workload.operation == Operation::Sign;
    match workload.algorithm {
        Algorithm::Ed25519 if signs => ed25519_sign(fixtures),
        Algorithm::Ed25519 => ed25519_verify(fixtures),
        Algorithm::EcdsaP256 if signs => ecdsa_sign(fixtures),
        Algorithm::EcdsaP256 => ecdsa_verify(fixtures),
        Algorithm::Rsa2048 | Algorithm::Rsa4096 if signs => rsa_sign(fixtures),
        Algorithm::Rsa2048 | Algorithm::Rsa4096 => rsa_verify(fixtures),
        Algorithm::MlDsa65 if signs => ml_dsa_sign(fixtures),
        Algorithm::MlDsa65 => ml_dsa_verify(fixtures),
        Algorithm::Ed448 => Err(no_curve448()),
        _ => Err(Unsupported::algorithm("RustCrypto", workload)),
    }
}

/// Signs with `key` and writes out what its standard's encoding is.
fn sign<S: SignatureEncoding>(key: &impl Signer<S>, message: &[u8], output: &mut [u8]) -> Result<usize> {
    let signature = key.try_sign(message).map_err(|_| failed("sign"))?;
    Ok(put(output, [signature.to_bytes().as_ref()]))
}

/// Reads `signature` and verifies it with `key`.
fn accepts<S: SignatureEncoding>(key: &impl Verifier<S>, message: &[u8], signature: &[u8]) -> bool {
    S::try_from(signature).is_ok_and(|signature| key.verify(message, &signature).is_ok())
}

fn ed25519_sign(fixtures: &Fixtures) -> PreparedJob {
    let key = ed25519_dalek::SigningKey::from_bytes(&exactly("seed", &fixtures.key)?);
    Ok(repeated(&fixtures.text, 64, None, move |message, output| {
        sign::<ed25519_dalek::Signature>(&key, message, output)
    }))
}

fn ed25519_verify(fixtures: &Fixtures) -> PreparedJob {
    let key = ed25519_dalek::VerifyingKey::from_bytes(&exactly("public key", &fixtures.public)?)
        .map_err(|_| rejected("public key"))?;
    verified(fixtures, None, move |message, signature| accepts::<ed25519_dalek::Signature>(&key, message, signature))
}

fn ecdsa_sign(fixtures: &Fixtures) -> PreparedJob {
    let key = ecdsa::SigningKey::from_slice(&fixtures.key).map_err(|_| rejected("scalar"))?;
    Ok(repeated(&fixtures.text, 80, None, move |message, output| sign::<ecdsa::DerSignature>(&key, message, output)))
}

fn ecdsa_verify(fixtures: &Fixtures) -> PreparedJob {
    let key = ecdsa::VerifyingKey::from_sec1_bytes(&fixtures.public).map_err(|_| rejected("public key"))?;
    verified(fixtures, None, move |message, signature| accepts::<ecdsa::DerSignature>(&key, message, signature))
}

fn rsa_sign(fixtures: &Fixtures) -> PreparedJob {
    let key = rsa::RsaPrivateKey::from_pkcs8_der(&fixtures.key).map_err(|_| rejected("private key"))?;
    let room = key.size();
    let key = pkcs1v15::SigningKey::<Sha256>::new(key);
    Ok(repeated(&fixtures.text, room, None, move |message, output| sign::<pkcs1v15::Signature>(&key, message, output)))
}

fn rsa_verify(fixtures: &Fixtures) -> PreparedJob {
    let key = rsa::RsaPublicKey::from_pkcs1_der(&fixtures.public).map_err(|_| rejected("public key"))?;
    let key = pkcs1v15::VerifyingKey::<Sha256>::new(key);
    verified(fixtures, None, move |message, signature| accepts::<pkcs1v15::Signature>(&key, message, signature))
}

fn ml_dsa_sign(fixtures: &Fixtures) -> PreparedJob {
    let key = ml_dsa::SigningKey::<MlDsa65>::from_seed(&exactly::<32>("seed", &fixtures.key)?.into());
    Ok(repeated(&fixtures.text, 3309, Some(DETERMINISTIC), move |message, output| {
        sign::<ml_dsa::Signature<MlDsa65>>(&key, message, output)
    }))
}

fn ml_dsa_verify(fixtures: &Fixtures) -> PreparedJob {
    let encoded = exactly::<1952>("public key", &fixtures.public)?;
    let key = ml_dsa::VerifyingKey::<MlDsa65>::decode(&encoded.into());
    verified(fixtures, None, move |message, signature| accepts::<ml_dsa::Signature<MlDsa65>>(&key, message, signature))
}
