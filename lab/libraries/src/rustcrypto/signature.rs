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
use super::super::{Job, JobError, Unsupported};
use super::{no_curve448, not_here};
use crate::material::Material;
use kasoku_model::algorithm::Algorithm;
use kasoku_model::workload::{Operation, Workload};

const DETERMINISTIC: &str = "the deterministic variant of ML-DSA, which is the crate's default";

pub(super) fn prepare(workload: &Workload, material: &Material) -> Result<Box<dyn Job>, Unsupported> {
    let signs = workload.operation == Operation::Sign;
    match workload.algorithm {
        Algorithm::Ed25519 if signs => ed25519_sign(material),
        Algorithm::Ed25519 => ed25519_verify(material),
        Algorithm::EcdsaP256 if signs => ecdsa_sign(material),
        Algorithm::EcdsaP256 => ecdsa_verify(material),
        Algorithm::Rsa2048 | Algorithm::Rsa4096 if signs => rsa_sign(material),
        Algorithm::Rsa2048 | Algorithm::Rsa4096 => rsa_verify(material),
        Algorithm::MlDsa65 if signs => ml_dsa_sign(material),
        Algorithm::MlDsa65 => ml_dsa_verify(material),
        Algorithm::Ed448 => Err(no_curve448()),
        _ => Err(not_here(workload)),
    }
}

/// Signs with `key` and writes out what its standard's encoding is.
fn sign<S: SignatureEncoding>(key: &impl Signer<S>, message: &[u8], output: &mut [u8]) -> Result<usize, JobError> {
    let signature = key.try_sign(message).map_err(|_| failed("sign"))?;
    Ok(put(output, [signature.to_bytes().as_ref()]))
}

/// Reads `signature` and verifies it with `key`.
fn accepts<S: SignatureEncoding>(key: &impl Verifier<S>, message: &[u8], signature: &[u8]) -> bool {
    S::try_from(signature).is_ok_and(|signature| key.verify(message, &signature).is_ok())
}

fn ed25519_sign(material: &Material) -> Result<Box<dyn Job>, Unsupported> {
    let key = ed25519_dalek::SigningKey::from_bytes(&exactly("seed", &material.key)?);
    Ok(repeated(&material.text, 64, None, move |message, output| {
        sign::<ed25519_dalek::Signature>(&key, message, output)
    }))
}

fn ed25519_verify(material: &Material) -> Result<Box<dyn Job>, Unsupported> {
    let key = ed25519_dalek::VerifyingKey::from_bytes(&exactly("public key", &material.public)?)
        .map_err(|_| rejected("public key"))?;
    verified(material, None, move |message, signature| accepts::<ed25519_dalek::Signature>(&key, message, signature))
}

fn ecdsa_sign(material: &Material) -> Result<Box<dyn Job>, Unsupported> {
    let key = ecdsa::SigningKey::from_slice(&material.key).map_err(|_| rejected("scalar"))?;
    Ok(repeated(&material.text, 80, None, move |message, output| sign::<ecdsa::DerSignature>(&key, message, output)))
}

fn ecdsa_verify(material: &Material) -> Result<Box<dyn Job>, Unsupported> {
    let key = ecdsa::VerifyingKey::from_sec1_bytes(&material.public).map_err(|_| rejected("public key"))?;
    verified(material, None, move |message, signature| accepts::<ecdsa::DerSignature>(&key, message, signature))
}

fn rsa_sign(material: &Material) -> Result<Box<dyn Job>, Unsupported> {
    let key = rsa::RsaPrivateKey::from_pkcs8_der(&material.key).map_err(|_| rejected("private key"))?;
    let room = key.size();
    let key = pkcs1v15::SigningKey::<Sha256>::new(key);
    Ok(repeated(&material.text, room, None, move |message, output| sign::<pkcs1v15::Signature>(&key, message, output)))
}

fn rsa_verify(material: &Material) -> Result<Box<dyn Job>, Unsupported> {
    let key = rsa::RsaPublicKey::from_pkcs1_der(&material.public).map_err(|_| rejected("public key"))?;
    let key = pkcs1v15::VerifyingKey::<Sha256>::new(key);
    verified(material, None, move |message, signature| accepts::<pkcs1v15::Signature>(&key, message, signature))
}

fn ml_dsa_sign(material: &Material) -> Result<Box<dyn Job>, Unsupported> {
    let key = ml_dsa::SigningKey::<MlDsa65>::from_seed(&exactly::<32>("seed", &material.key)?.into());
    Ok(repeated(&material.text, 3309, Some(DETERMINISTIC), move |message, output| {
        sign::<ml_dsa::Signature<MlDsa65>>(&key, message, output)
    }))
}

fn ml_dsa_verify(material: &Material) -> Result<Box<dyn Job>, Unsupported> {
    let encoded = exactly::<1952>("public key", &material.public)?;
    let key = ml_dsa::VerifyingKey::<MlDsa65>::decode(&encoded.into());
    verified(material, None, move |message, signature| accepts::<ml_dsa::Signature<MlDsa65>>(&key, message, signature))
}
