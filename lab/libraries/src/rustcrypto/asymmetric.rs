//! RustCrypto's key agreements (X25519, ECDH on P-256), signatures (Ed25519, ECDSA on P-256, RSA with PKCS #1 v1.5,
//! ML-DSA) and ML-KEM-768.

use ml_dsa::MlDsa65;
use ml_kem::ml_kem_768::{Ciphertext, DecapsulationKey, EncapsulationKey};
use ml_kem::{Decapsulate, Encapsulate};
use p256::ecdsa;
use rsa::pkcs1::DecodeRsaPublicKey;
use rsa::pkcs1v15;
use rsa::pkcs8::DecodePrivateKey;
use rsa::signature::{SignatureEncoding, Signer, Verifier};
use rsa::traits::PublicKeyParts;
use sha2::Sha256;

use super::super::loops::repeated::{put, repeated_job, verify_job};
use super::super::loops::{failed, rejected, to_array};
use super::super::{PreparedJob, Result, Unsupported};
use crate::fixtures::Fixtures;
use kasoku_model::algorithm::Algorithm;
use kasoku_model::workload::{Operation, Workload};

const DETERMINISTIC: &str = "the deterministic variant of ML-DSA, which is the crate's default";

pub(super) fn agreement(workload: &Workload, fixtures: &Fixtures) -> PreparedJob {
    match workload.algorithm {
        Algorithm::X25519 => {
            let secret = x25519_dalek::StaticSecret::from(to_array::<32>("scalar", &fixtures.key)?);
            let peer = x25519_dalek::PublicKey::from(to_array::<32>("public key", &fixtures.public)?);
            Ok(repeated_job(&[], 32, None, move |_, output| {
                let shared = secret.diffie_hellman(&peer);
                if !shared.was_contributory() {
                    return Err(failed("agree"));
                }
                Ok(put(output, [shared.as_bytes()]))
            }))
        }
        Algorithm::EcdhP256 => {
            let secret = p256::SecretKey::from_slice(&fixtures.key).map_err(|_| rejected("scalar"))?;
            let peer = p256::PublicKey::from_sec1_bytes(&fixtures.public).map_err(|_| rejected("public key"))?;
            Ok(repeated_job(&[], 32, None, move |_, output| {
                Ok(put(output, [secret.diffie_hellman(&peer).raw_secret_bytes().as_slice()]))
            }))
        }
        Algorithm::X448 => Err(no_curve448()),
        _ => Err(Unsupported::algorithm("RustCrypto", workload)),
    }
}

/// Creates the error for Curve448, whose crates would bring older versions of all other crates.
fn no_curve448() -> Unsupported {
    Unsupported::new("RustCrypto has no Curve448 crate of the current generation")
}

pub(super) fn signature(workload: &Workload, fixtures: &Fixtures) -> PreparedJob {
    let Fixtures { key, public, .. } = fixtures;
    let signs = workload.operation == Operation::Sign;
    match workload.algorithm {
        Algorithm::Ed25519 if signs => {
            let key = ed25519_dalek::SigningKey::from_bytes(&to_array("seed", key)?);
            sign::<ed25519_dalek::Signature>(fixtures, 64, None, key)
        }
        Algorithm::Ed25519 => {
            let key = ed25519_dalek::VerifyingKey::from_bytes(&to_array("public key", public)?);
            verify::<ed25519_dalek::Signature>(fixtures, key.map_err(|_| rejected("public key"))?)
        }
        Algorithm::EcdsaP256 if signs => {
            let key = ecdsa::SigningKey::from_slice(key).map_err(|_| rejected("scalar"))?;
            sign::<ecdsa::DerSignature>(fixtures, 80, None, key)
        }
        Algorithm::EcdsaP256 => {
            let key = ecdsa::VerifyingKey::from_sec1_bytes(public).map_err(|_| rejected("public key"))?;
            verify::<ecdsa::DerSignature>(fixtures, key)
        }
        Algorithm::Rsa2048 | Algorithm::Rsa4096 if signs => {
            let key = rsa::RsaPrivateKey::from_pkcs8_der(key).map_err(|_| rejected("private key"))?;
            sign::<pkcs1v15::Signature>(fixtures, key.size(), None, pkcs1v15::SigningKey::<Sha256>::new(key))
        }
        Algorithm::Rsa2048 | Algorithm::Rsa4096 => {
            let key = rsa::RsaPublicKey::from_pkcs1_der(public).map_err(|_| rejected("public key"))?;
            verify::<pkcs1v15::Signature>(fixtures, pkcs1v15::VerifyingKey::<Sha256>::new(key))
        }
        Algorithm::MlDsa65 if signs => {
            let key = ml_dsa::SigningKey::<MlDsa65>::from_seed(&to_array::<32>("seed", key)?.into());
            sign::<ml_dsa::Signature<MlDsa65>>(fixtures, 3309, Some(DETERMINISTIC), key)
        }
        Algorithm::MlDsa65 => {
            let encoded = to_array::<1952>("public key", public)?;
            let key = ml_dsa::VerifyingKey::<MlDsa65>::decode(&encoded.into());
            verify::<ml_dsa::Signature<MlDsa65>>(fixtures, key)
        }
        Algorithm::Ed448 => Err(no_curve448()),
        _ => Err(Unsupported::algorithm("RustCrypto", workload)),
    }
}

/// Creates a job that signs with `key`. `room` is the maximum length in bytes of the encoded signature.
fn sign<S: SignatureEncoding>(
    fixtures: &Fixtures,
    room: usize,
    note: Option<&'static str>,
    key: impl Signer<S> + 'static,
) -> PreparedJob {
    Ok(repeated_job(&fixtures.text, room, note, move |message, output| {
        let signature = key.try_sign(message).map_err(|_| failed("sign"))?;
        Ok(put(output, [signature.to_bytes().as_ref()]))
    }))
}

fn verify<S: SignatureEncoding>(fixtures: &Fixtures, key: impl Verifier<S> + 'static) -> PreparedJob {
    verify_job(fixtures, None, move |message, signature| {
        Ok(S::try_from(signature).is_ok_and(|signature| key.verify(message, &signature).is_ok()))
    })
}

pub(super) fn kem(workload: &Workload, fixtures: &Fixtures) -> PreparedJob {
    match (workload.algorithm, workload.operation) {
        (Algorithm::MlKem768, Operation::Encapsulate) => {
            let encoded = to_array::<1184>("encapsulation key", &fixtures.public)?;
            let key = EncapsulationKey::new(&encoded.into()).map_err(|_| rejected("encapsulation key"))?;
            Ok(repeated_job(&[], 1088 + 32, None, move |_, output| {
                let (ciphertext, secret) = key.encapsulate();
                Ok(put(output, [&ciphertext, &secret]))
            }))
        }
        (Algorithm::MlKem768, Operation::Decapsulate) => {
            let key = DecapsulationKey::from_seed(to_array::<64>("seed", &fixtures.key)?.into());
            let ciphertext = Ciphertext::from(to_array::<1088>("ciphertext", &fixtures.text)?);
            Ok(repeated_job(&[], 32, None, move |_, output| Ok(put(output, [&key.decapsulate(&ciphertext)]))))
        }
        _ => Err(Unsupported::algorithm("RustCrypto", workload)),
    }
}

/// Returns the expanded decapsulation key (FIPS 203, algorithm 16: dk_PKE ‖ ek ‖ H(ek) ‖ z), for libraries that do not
/// take the seed.
pub(crate) fn expanded_key(seed: &[u8]) -> Result<Vec<u8>, Unsupported> {
    #[allow(deprecated)] // the crate recommends storing the seed instead
    use ml_kem::ExpandedKeyEncoding;
    let key = DecapsulationKey::from_seed(to_array::<64>("seed", seed)?.into());
    #[allow(deprecated)]
    let expanded = key.to_expanded_bytes();
    Ok(expanded.to_vec())
}
