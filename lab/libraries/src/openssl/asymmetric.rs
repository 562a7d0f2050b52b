//! Key agreements, signatures and key encapsulation: one whole operation each, with keys that were read beforehand.

use std::ffi::CStr;
use std::sync::Arc;

use super::key_encoding::{p256_private, p256_public, rsa_public};
use super::libcrypto::Libcrypto;
use super::libcrypto::digest_context::{Digest, DigestContext};
use super::libcrypto::key::{Agreement, AsymmetricKey, Encapsulation, Half, MAX_SECRET_BYTES, RawKey};
use crate::fixtures::Fixtures;
use crate::{Job, JobError, PreparedJob, Result, Unsupported};
use kasoku_model::algorithm::Algorithm;
use kasoku_model::workload::Operation;

/// The longest signature here (ML-DSA-65 has 3,309 bytes) and the longest ciphertext (ML-KEM-768 has 1,088), with room.
const MAX_OUTPUT_BYTES: usize = 4096;

/// Makes the job ready.
pub(super) fn prepare(
    libcrypto: &Arc<Libcrypto>,
    algorithm: Algorithm,
    operation: Operation,
    fixtures: &Fixtures,
) -> PreparedJob {
    let private = || key(libcrypto, algorithm, Half::Private, &fixtures.key);
    let public = || key(libcrypto, algorithm, Half::Public, &fixtures.public);
    Ok(match operation {
        Operation::Derive => Box::new(DeriveJob {
            agreement: Agreement::new(libcrypto, &private()?, &public()?)?,
            secret: [0; MAX_SECRET_BYTES],
            length: 0,
        }),
        Operation::Sign => Box::new(SignJob {
            key: private()?,
            digest: digest(libcrypto, algorithm)?,
            context: DigestContext::new(libcrypto)?,
            message: fixtures.text.clone(),
            signature: vec![0; MAX_OUTPUT_BYTES],
            length: 0,
        }),
        Operation::Verify => Box::new(VerifyJob {
            key: public()?,
            digest: digest(libcrypto, algorithm)?,
            context: DigestContext::new(libcrypto)?,
            message: fixtures.text.clone(),
            signature: fixtures.signature.clone(),
        }),
        Operation::Encapsulate => Box::new(EncapsulateJob {
            encapsulation: Encapsulation::new(libcrypto, &public()?, Half::Public)?,
            ciphertext: vec![0; MAX_OUTPUT_BYTES],
            secret: [0; MAX_SECRET_BYTES],
            lengths: (0, 0),
        }),
        Operation::Decapsulate => Box::new(DecapsulateJob {
            encapsulation: Encapsulation::new(libcrypto, &private()?, Half::Private)?,
            ciphertext: fixtures.text.clone(),
            secret: [0; MAX_SECRET_BYTES],
            length: 0,
        }),
        _ => return Err(Unsupported::new(format!("{algorithm} cannot {operation}"))),
    })
}

fn key(
    libcrypto: &Arc<Libcrypto>,
    algorithm: Algorithm,
    half: Half,
    bytes: &[u8],
) -> Result<AsymmetricKey, Unsupported> {
    let raw = |kind| AsymmetricKey::raw(libcrypto, kind, half, bytes);
    let read = match (algorithm, half) {
        (Algorithm::X25519, _) => raw(RawKey::X25519),
        (Algorithm::X448, _) => raw(RawKey::X448),
        (Algorithm::Ed25519, _) => raw(RawKey::Ed25519),
        (Algorithm::Ed448, _) => raw(RawKey::Ed448),
        (Algorithm::EcdhP256 | Algorithm::EcdsaP256, Half::Private) => {
            AsymmetricKey::der(libcrypto, half, &p256_private(bytes))
        }
        (Algorithm::EcdhP256 | Algorithm::EcdsaP256, Half::Public) => {
            AsymmetricKey::der(libcrypto, half, &p256_public(bytes))
        }
        (Algorithm::Rsa2048 | Algorithm::Rsa4096, Half::Private) => AsymmetricKey::der(libcrypto, half, bytes),
        (Algorithm::Rsa2048 | Algorithm::Rsa4096, Half::Public) => {
            AsymmetricKey::der(libcrypto, half, &rsa_public(bytes))
        }
        (Algorithm::MlKem768 | Algorithm::MlDsa65, _) => return module_lattice_key(libcrypto, algorithm, half, bytes),
        _ => return Err(Unsupported::new(format!("{algorithm} has no such key"))),
    };
    read.map_err(Unsupported::from)
}

/// A key of ML-KEM or ML-DSA; the private one is given by its seed.
fn module_lattice_key(
    libcrypto: &Arc<Libcrypto>,
    algorithm: Algorithm,
    half: Half,
    bytes: &[u8],
) -> Result<AsymmetricKey, Unsupported> {
    let name: &CStr = if algorithm == Algorithm::MlKem768 { c"ML-KEM-768" } else { c"ML-DSA-65" };
    if !libcrypto.is_at_least(3, 5) {
        let (title, version) = (algorithm.title(), libcrypto.version());
        return Err(Unsupported::new(format!("{title} needs OpenSSL 3.5 or later; this is {version}")));
    }
    let parameter: &CStr = if half == Half::Private { c"seed" } else { c"pub" };
    AsymmetricKey::parameter(libcrypto, name, half, parameter, bytes).map_err(Unsupported::from)
}

/// The hash of a scheme that signs a digest.
fn digest(libcrypto: &Arc<Libcrypto>, algorithm: Algorithm) -> Result<Option<Digest>, Unsupported> {
    match algorithm {
        Algorithm::EcdsaP256 | Algorithm::Rsa2048 | Algorithm::Rsa4096 => Digest::find(libcrypto, c"SHA256").map(Some),
        _ => Ok(None),
    }
}

struct DeriveJob {
    agreement: Agreement,
    secret: [u8; MAX_SECRET_BYTES],
    length: usize,
}

impl Job for DeriveJob {
    fn run(&mut self, iterations: u64) -> Result<()> {
        for _ in 0..iterations {
            self.length = self.agreement.derive(&mut self.secret)?;
        }
        Ok(())
    }

    fn output(&mut self) -> Vec<u8> {
        self.secret.iter().take(self.length).copied().collect()
    }

    fn note(&self) -> Option<&'static str> {
        Some("the peer's public key is read and checked beforehand")
    }
}

struct SignJob {
    key: AsymmetricKey,
    digest: Option<Digest>,
    context: DigestContext,
    message: Vec<u8>,
    signature: Vec<u8>,
    length: usize,
}

impl Job for SignJob {
    fn run(&mut self, iterations: u64) -> Result<()> {
        for _ in 0..iterations {
            self.length = self.context.sign(&self.key, self.digest.as_ref(), &self.message, &mut self.signature)?;
        }
        Ok(())
    }

    fn output(&mut self) -> Vec<u8> {
        self.signature.iter().take(self.length).copied().collect()
    }
}

struct VerifyJob {
    key: AsymmetricKey,
    digest: Option<Digest>,
    context: DigestContext,
    message: Vec<u8>,
    signature: Vec<u8>,
}

impl VerifyJob {
    fn accepts(&mut self) -> Result<bool> {
        self.context.verify(&self.key, self.digest.as_ref(), &self.message, &self.signature)
    }
}

impl Job for VerifyJob {
    fn run(&mut self, iterations: u64) -> Result<()> {
        for _ in 0..iterations {
            if !self.accepts()? {
                return Err(JobError::new("the signature was refused"));
            }
        }
        Ok(())
    }

    fn output(&mut self) -> Vec<u8> {
        let accepted = self.accepts() == Ok(true);
        let middle = self.signature.len() / 2;
        let mut refused = false;
        if middle < self.signature.len() {
            self.signature[middle] ^= 1;
            refused = self.accepts() == Ok(false);
            self.signature[middle] ^= 1;
        }
        vec![accepted.into(), refused.into()]
    }
}

struct EncapsulateJob {
    encapsulation: Encapsulation,
    ciphertext: Vec<u8>,
    secret: [u8; MAX_SECRET_BYTES],
    lengths: (usize, usize),
}

impl Job for EncapsulateJob {
    fn run(&mut self, iterations: u64) -> Result<()> {
        for _ in 0..iterations {
            self.lengths = self.encapsulation.encapsulate(&mut self.ciphertext, &mut self.secret)?;
        }
        Ok(())
    }

    fn output(&mut self) -> Vec<u8> {
        let (ciphertext, secret) = self.lengths;
        self.ciphertext.iter().take(ciphertext).chain(self.secret.iter().take(secret)).copied().collect()
    }
}

struct DecapsulateJob {
    encapsulation: Encapsulation,
    ciphertext: Vec<u8>,
    secret: [u8; MAX_SECRET_BYTES],
    length: usize,
}

impl Job for DecapsulateJob {
    fn run(&mut self, iterations: u64) -> Result<()> {
        for _ in 0..iterations {
            self.length = self.encapsulation.decapsulate(&self.ciphertext, &mut self.secret)?;
        }
        Ok(())
    }

    fn output(&mut self) -> Vec<u8> {
        self.secret.iter().take(self.length).copied().collect()
    }
}

#[cfg(test)]
mod tests {
    use p256::ecdsa::signature::{Signer, Verifier};

    use super::*;
    use crate::Library as _;
    use crate::openssl::OpenSsl;
    use crate::openssl::tests::{check, each_library, output_of};
    use kasoku_model::workload::Workload;

    const SEED: [u8; 32] = [7; 32];

    #[test]
    fn p256_agrees_with_an_independent_implementation() {
        let own = p256::SecretKey::from_slice(&SEED).unwrap();
        let peer = p256::SecretKey::from_slice(&[9; 32]).unwrap();
        let signer = p256::ecdsa::SigningKey::from(&own);
        let message = b"a message".to_vec();
        let signature: p256::ecdsa::DerSignature = signer.sign(&message);
        let shared = p256::ecdh::diffie_hellman(own.to_nonzero_scalar(), peer.public_key().as_affine());
        each_library(|library| {
            let agreement = Fixtures {
                key: SEED.to_vec(),
                public: p256::Sec1Point::from(peer.public_key()).as_bytes().to_vec(),
                ..Fixtures::default()
            };
            check(library, Operation::Derive, Algorithm::EcdhP256, &agreement, shared.raw_secret_bytes());
            let fixtures = Fixtures {
                key: SEED.to_vec(),
                public: p256::Sec1Point::from(own.public_key()).as_bytes().to_vec(),
                text: message.clone(),
                signature: signature.as_bytes().to_vec(),
                ..Fixtures::default()
            };
            check(library, Operation::Verify, Algorithm::EcdsaP256, &fixtures, &[1, 1]);
            let made = output_of(library, Operation::Sign, Algorithm::EcdsaP256, &fixtures, 1);
            let made = p256::ecdsa::DerSignature::from_bytes(&made).unwrap();
            signer.verifying_key().verify(&message, &made).unwrap();
        });
    }

    #[test]
    fn ml_kem_agrees_with_an_independent_implementation() {
        use ml_kem::kem::{Decapsulate, KeyExport};
        let seed: Vec<u8> = (0..64).collect();
        let secret_key = ml_kem::ml_kem_768::DecapsulationKey::from_seed(seed[..].try_into().unwrap());
        let (ciphertext, shared) = secret_key.encapsulation_key().encapsulate_deterministic(&[3; 32].into());
        let fixtures = Fixtures {
            key: seed,
            public: secret_key.encapsulation_key().to_bytes().to_vec(),
            text: ciphertext.to_vec(),
            ..Fixtures::default()
        };
        each_library(|library| {
            check(library, Operation::Decapsulate, Algorithm::MlKem768, &fixtures, &shared);
            if library.libcrypto().is_at_least(3, 5) {
                let made = output_of(library, Operation::Encapsulate, Algorithm::MlKem768, &fixtures, 1);
                let (ciphertext, secret) = made.split_at(1088);
                assert_eq!(secret_key.decapsulate_slice(ciphertext).unwrap()[..], *secret);
            }
        });
    }

    #[test]
    fn ml_dsa_agrees_with_an_independent_implementation() {
        let key = ml_dsa::SigningKey::<ml_dsa::MlDsa65>::from_seed(&SEED.into());
        let public = ml_dsa::Keypair::verifying_key(&key);
        let message = b"a message".to_vec();
        let signature = key.expanded_key().sign_deterministic(&message, b"").unwrap();
        let fixtures = Fixtures {
            key: SEED.to_vec(),
            public: public.encode().to_vec(),
            text: message.clone(),
            signature: signature.encode().to_vec(),
            ..Fixtures::default()
        };
        each_library(|library| {
            check(library, Operation::Verify, Algorithm::MlDsa65, &fixtures, &[1, 1]);
            if library.libcrypto().is_at_least(3, 5) {
                let made = output_of(library, Operation::Sign, Algorithm::MlDsa65, &fixtures, 1);
                let made = ml_dsa::Signature::<ml_dsa::MlDsa65>::try_from(&made[..]).unwrap();
                assert!(public.verify_with_context(&message, b"", &made));
            }
        });
    }

    #[test]
    fn a_wrong_signature_fails_the_run_and_shows_in_the_output() {
        each_library(|library| {
            let (workload, mut fixtures) = signed();
            fixtures.text[0] ^= 1;
            let mut job = library.prepare(&workload, &fixtures).unwrap();
            assert!(job.run(1).unwrap_err().what.contains("refused"));
            assert_eq!(job.output(), [0, 1]);
        });
    }

    #[test]
    fn a_key_that_is_none_is_refused_with_what_the_library_says() {
        each_library(|library| {
            let (workload, mut fixtures) = signed();
            fixtures.public.truncate(31);
            let why = library.prepare(&workload, &fixtures).map(|_| ()).unwrap_err().why;
            assert!(why.contains("raw key failed"), "{why}");
            check_p256_point_off_the_curve(library);
        });
    }

    fn check_p256_point_off_the_curve(library: &OpenSsl) {
        let workload = Workload::new(Operation::Derive, Algorithm::EcdhP256, 0);
        let public = [&[4][..], &[1; 64]].concat();
        let fixtures = Fixtures { key: SEED.to_vec(), public, ..Fixtures::default() };
        assert!(library.prepare(&workload, &fixtures).is_err());
    }

    fn signed() -> (Workload, Fixtures) {
        use ed25519_dalek::Signer as _;
        let key = ed25519_dalek::SigningKey::from_bytes(&SEED);
        let text = b"a message".to_vec();
        let fixtures = Fixtures {
            public: key.verifying_key().to_bytes().to_vec(),
            signature: key.sign(&text).to_bytes().to_vec(),
            text,
            ..Fixtures::default()
        };
        (Workload::new(Operation::Verify, Algorithm::Ed25519, 0), fixtures)
    }
}
