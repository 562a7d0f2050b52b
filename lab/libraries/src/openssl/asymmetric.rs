//! OpenSSL's key agreements, signatures and key encapsulation. Keys are parsed once, outside the timed region.

use std::ffi::CStr;
use std::sync::Arc;

use rsa::pkcs1::DecodeRsaPublicKey;
use rsa::pkcs8::{EncodePrivateKey, EncodePublicKey};

use super::libcrypto::Libcrypto;
use super::libcrypto::digest_context::{Digest, DigestContext};
use super::libcrypto::key::{AsymmetricKey, Half, KeyOperation, MAX_SECRET_BYTES, RawKey};
use crate::fixtures::Fixtures;
use crate::loops::rejected;
use crate::loops::repeated::{repeated_job, repeated_job_into, verify_job};
use crate::{JobError, PreparedJob, Unsupported};
use kasoku_model::algorithm::Algorithm;
use kasoku_model::workload::Operation;

/// Maximum length of a signature in bytes, rounded up (ML-DSA-65 has 3,309).
const MAX_SIGNATURE_BYTES: usize = 4096;
/// Ciphertext and secret lengths in bytes of ML-KEM-768, the only KEM here.
const KEM_CIPHERTEXT_BYTES: usize = 1088;
const KEM_SECRET_BYTES: usize = 32;

pub(super) fn prepare(
    libcrypto: &Arc<Libcrypto>,
    algorithm: Algorithm,
    operation: Operation,
    fixtures: &Fixtures,
) -> PreparedJob {
    let private = || key(libcrypto, algorithm, Half::Private, &fixtures.key);
    let public = || key(libcrypto, algorithm, Half::Public, &fixtures.public);
    match operation {
        Operation::Derive => {
            let agreement = KeyOperation::agreement(libcrypto, &private()?, &public()?)?;
            let note = Some("the peer's public key is read and checked beforehand");
            Ok(repeated_job_into([0; MAX_SECRET_BYTES], &[], note, move |_, secret| agreement.derive(secret)))
        }
        Operation::Sign => {
            let (key, digest) = (private()?, digest(libcrypto, algorithm)?);
            let context = DigestContext::new(libcrypto)?;
            Ok(repeated_job(&fixtures.text, MAX_SIGNATURE_BYTES, None, move |message, signature| {
                context.sign(&key, digest.as_ref(), message, signature)
            }))
        }
        Operation::Verify => {
            let (key, digest) = (public()?, digest(libcrypto, algorithm)?);
            let context = DigestContext::new(libcrypto)?;
            verify_job(fixtures, None, move |message, signature| {
                context.verify(&key, digest.as_ref(), message, signature)
            })
        }
        Operation::Encapsulate => {
            let encapsulation = KeyOperation::encapsulation(libcrypto, &public()?)?;
            let output = [0; KEM_CIPHERTEXT_BYTES + KEM_SECRET_BYTES];
            Ok(repeated_job_into(output, &[], None, move |_, output| {
                let (ciphertext, secret) = output.split_at_mut(KEM_CIPHERTEXT_BYTES);
                match encapsulation.encapsulate(ciphertext, secret)? {
                    (KEM_CIPHERTEXT_BYTES, KEM_SECRET_BYTES) => Ok(output.len()),
                    _ => Err(JobError::new("a ciphertext or secret of another length came out")),
                }
            }))
        }
        Operation::Decapsulate => {
            let decapsulation = KeyOperation::decapsulation(libcrypto, &private()?)?;
            Ok(repeated_job(&fixtures.text, MAX_SECRET_BYTES, None, move |ciphertext, secret| {
                decapsulation.decapsulate(ciphertext, secret)
            }))
        }
        _ => Err(Unsupported::new(format!("{algorithm} cannot {operation}"))),
    }
}

/// Parses a raw key, converting it to DER if OpenSSL has no raw form of it.
fn key(libcrypto: &Libcrypto, algorithm: Algorithm, half: Half, bytes: &[u8]) -> Result<AsymmetricKey, Unsupported> {
    let raw = |kind| Ok(AsymmetricKey::raw(libcrypto, kind, half, bytes)?);
    let der = |der: &[u8]| Ok(AsymmetricKey::der(libcrypto, half, der)?);
    match (algorithm, half) {
        (Algorithm::X25519, _) => raw(RawKey::X25519),
        (Algorithm::X448, _) => raw(RawKey::X448),
        (Algorithm::Ed25519, _) => raw(RawKey::Ed25519),
        (Algorithm::Ed448, _) => raw(RawKey::Ed448),
        (Algorithm::EcdhP256 | Algorithm::EcdsaP256, Half::Private) => {
            let key = p256::SecretKey::from_slice(bytes).map_err(|_| rejected("scalar"))?;
            der(key.to_pkcs8_der().map_err(|_| rejected("scalar"))?.as_bytes())
        }
        (Algorithm::EcdhP256 | Algorithm::EcdsaP256, Half::Public) => {
            let key = p256::PublicKey::from_sec1_bytes(bytes).map_err(|_| rejected("public key"))?;
            der(key.to_public_key_der().map_err(|_| rejected("public key"))?.as_bytes())
        }
        (Algorithm::Rsa2048 | Algorithm::Rsa4096, Half::Private) => der(bytes),
        (Algorithm::Rsa2048 | Algorithm::Rsa4096, Half::Public) => {
            let key = rsa::RsaPublicKey::from_pkcs1_der(bytes).map_err(|_| rejected("public key"))?;
            der(key.to_public_key_der().map_err(|_| rejected("public key"))?.as_bytes())
        }
        (Algorithm::MlKem768 | Algorithm::MlDsa65, _) => module_lattice_key(libcrypto, algorithm, half, bytes),
        _ => Err(Unsupported::new(format!("{algorithm} has no such key"))),
    }
}

/// Parses a key of ML-KEM or ML-DSA. The private key is given as its seed.
fn module_lattice_key(
    libcrypto: &Libcrypto,
    algorithm: Algorithm,
    half: Half,
    bytes: &[u8],
) -> Result<AsymmetricKey, Unsupported> {
    let name: &CStr = if algorithm == Algorithm::MlKem768 { c"ML-KEM-768" } else { c"ML-DSA-65" };
    if !libcrypto.is_at_least(3, 5) {
        let (title, version) = (algorithm.title(), &libcrypto.version);
        return Err(Unsupported::new(format!("{title} needs OpenSSL 3.5 or later; this is {version}")));
    }
    let parameter: &CStr = if half == Half::Private { c"seed" } else { c"pub" };
    AsymmetricKey::parameter(libcrypto, name, half, parameter, bytes).map_err(Unsupported::from)
}

/// Returns the hash of signature schemes that sign a digest.
fn digest(libcrypto: &Libcrypto, algorithm: Algorithm) -> Result<Option<Digest>, Unsupported> {
    match algorithm {
        Algorithm::EcdsaP256 | Algorithm::Rsa2048 | Algorithm::Rsa4096 => Digest::find(libcrypto, c"SHA256").map(Some),
        _ => Ok(None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Library as _;
    use crate::openssl::tests::each_library;
    use kasoku_model::workload::Workload;

    #[test]
    fn openssl_verify_fails_for_a_wrong_signature() {
        each_library(|library| {
            let (workload, mut fixtures) = signed();
            fixtures.text[0] ^= 1;
            let mut job = library.prepare(&workload, &fixtures).unwrap();
            assert!(job.run(1).unwrap_err().what.contains("refused"));
            assert_eq!(job.output(), [0, 1]);
        });
    }

    #[test]
    fn openssl_reports_why_it_rejects_malformed_keys() {
        each_library(|library| {
            let (workload, mut fixtures) = signed();
            fixtures.public.truncate(31);
            let why = library.prepare(&workload, &fixtures).map(|_| ()).unwrap_err().why;
            assert!(why.contains("raw key failed"), "{why}");
            let workload = Workload::new(Operation::Derive, Algorithm::EcdhP256, 0);
            let off_the_curve = [&[4][..], &[1; 64]].concat();
            let fixtures = Fixtures { public: off_the_curve, ..Fixtures::of(&workload) };
            assert!(library.prepare(&workload, &fixtures).is_err());
        });
    }

    fn signed() -> (Workload, Fixtures) {
        let workload = Workload::new(Operation::Verify, Algorithm::Ed25519, 0);
        (workload, Fixtures::of(&workload))
    }
}
