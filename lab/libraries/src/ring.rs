//! The library `ring`, a Rust crate.

use std::hint::black_box;

use ring::aead::{self, Aad, LessSafeKey};
use ring::rand::SystemRandom;
use ring::rsa::KeyPair as RsaKeyPair;
use ring::signature::{self, EcdsaKeyPair, Ed25519KeyPair, UnparsedPublicKey, VerificationAlgorithm};

use super::buffer::Buffer;
use super::crate_version::crate_version;
use super::keyring::{Keyring, SingleKey};
use super::loops::aead::{InPlaceAdapter, InPlaceAead, Message, Nonce, Tag, in_place_job};
use super::loops::packets::PacketAead;
use super::loops::repeated::{put, repeated_job, verify_job};
use super::loops::{failed, rejected};
use super::nonces::{CountedNonces, Nonces, PrecomputedNonces};
use super::ring_api::ring_api;
use super::{Job, Library, LibraryDescription, LibraryEntry, PreparedJob, Result, Switch, Unsupported};
use crate::fixtures::Fixtures;
use kasoku_model::algorithm::{Algorithm, AlgorithmKind};
use kasoku_model::library;
use kasoku_model::workload::{NonceForm, Operation, Packets, Workload};

pub const ENTRY: LibraryEntry = LibraryEntry::new(
    library::RING,
    "ring",
    |_| Ok(Box::new(Ring)),
    |state| Switch::only_on(state, "ring reads the CPU itself and offers no switch"),
);

const KEY_PARSED: &str = "the public key is parsed in each call: ring keeps no parsed one";

ring_api!(ring, "ring");

struct Ring;

impl Library for Ring {
    fn description(&self) -> LibraryDescription {
        LibraryDescription::new(crate_version("ring"))
    }

    fn prepare_primitive(&self, workload: &Workload, fixtures: &Fixtures) -> PreparedJob {
        match (workload.algorithm.kind(), workload.operation) {
            (AlgorithmKind::Aead, _) => aead(workload, fixtures),
            (AlgorithmKind::Hash, _) => ring_api::hash(workload, fixtures),
            (AlgorithmKind::KeyAgreement, _) => {
                Err(Unsupported::new("ring agrees with ephemeral keys only, each of which it lets be used once"))
            }
            (AlgorithmKind::Signature, Operation::Sign) => sign(workload, fixtures),
            (AlgorithmKind::Signature, _) => verify(workload, fixtures),
            (AlgorithmKind::Cipher | AlgorithmKind::Kem | AlgorithmKind::Suite | AlgorithmKind::CipherSuite, _) => {
                Err(Unsupported::algorithm(library::RING, workload))
            }
        }
    }

    fn prepare_packets(&self, workload: &Workload, packets: Packets, fixtures: &Fixtures) -> PreparedJob {
        ring_api::packets(workload, packets, fixtures)
    }
}

fn aead(workload: &Workload, fixtures: &Fixtures) -> PreparedJob {
    let expand = ring_api::keys(workload)?;
    // With many keys, each tag is stored apart from the ciphertext.
    if workload.operation != Operation::Open || workload.keys > 1 {
        return in_place_job(workload, fixtures, expand);
    }
    let (key, message) = (expand(&fixtures.key)?, Message::new(fixtures, 0)?);
    let first = message.nonce;
    match workload.nonces {
        NonceForm::Ahead => Ok(Box::new(OpenWithin::new(key, PrecomputedNonces::from(first), message)?)),
        NonceForm::Counted => Ok(Box::new(OpenWithin::new(key, CountedNonces::from(first), message)?)),
    }
}

impl InPlaceAead for LessSafeKey {
    fn seal(&self, nonce: &Nonce, aad: &[u8], text: &mut [u8], tag: &mut Tag) -> Result<()> {
        PacketAead::seal(self, nonce, aad, text, tag)
    }

    fn open(&self, nonce: &Nonce, aad: &[u8], ciphertext: &mut [u8], tag: &Tag) -> Result<()> {
        let nonce = aead::Nonce::assume_unique_for_key(*nonce);
        self.open_in_place_separate_tag(nonce, Aad::from(aad), (*tag).into(), ciphertext, 0..)
            .map(|_| ())
            .map_err(|_| failed("open"))
    }
}

/// Opens a message at the end of a buffer, and writes the plaintext to the beginning. ring documents this as equal to
/// moving the message to the beginning and opening it there. Message and plaintext do not overlap, so the ciphertext
/// survives and need not be copied back.
struct OpenWithin<N> {
    key: SingleKey<InPlaceAdapter<LessSafeKey>>,
    nonces: N,
    message: Message,
    /// Output area of `room` bytes, followed by the sealed message (ciphertext and tag). Opening the message writes the
    /// plaintext to the beginning of the output area.
    buffer: Buffer,
    /// Length of the output area in bytes.
    room: usize,
}

impl<N: Nonces> OpenWithin<N> {
    fn new(key: LessSafeKey, nonces: N, mut message: Message) -> Result<Self, Unsupported> {
        let mut key = SingleKey::new(InPlaceAdapter(key));
        message.seal_under(&mut key)?;
        let sealed = message.sealed();
        let room = sealed.len();
        Ok(OpenWithin { key, nonces, message, buffer: Buffer::input(&[vec![0; room], sealed].concat()), room })
    }
}

impl<N: Nonces> Job for OpenWithin<N> {
    fn reset(&mut self) -> Result<()> {
        self.buffer[..self.room].fill(0);
        Ok(())
    }

    fn run(&mut self, iterations: u64) -> Result<()> {
        for _ in 0..iterations {
            let nonce = aead::Nonce::assume_unique_for_key(*black_box(self.nonces.repeat_first()));
            let aad = Aad::from(black_box(&self.message.aad));
            let key = &self.key.next().0.0;
            key.open_within(nonce, aad, black_box(&mut self.buffer), self.room..).map_err(|_| failed("open"))?;
        }
        black_box(&mut self.buffer);
        Ok(())
    }

    fn output(&mut self) -> Vec<u8> {
        [self.message.sealed().as_slice(), &self.buffer[..self.message.text.len()]].concat()
    }

    fn note(&self) -> Option<&'static str> {
        Some("opens from one end of a buffer to the other")
    }

    #[cfg(test)]
    fn refuses_forgeries(&mut self) -> bool {
        super::loops::aead::assert_refuses_forgeries(self.key.next().0);
        self.run(3).unwrap();
        *self.buffer.last_mut().unwrap() ^= 1;
        assert!(self.run(1).is_err());
        true
    }
}

fn sign(workload: &Workload, fixtures: &Fixtures) -> PreparedJob {
    let Fixtures { key, public, text, .. } = fixtures;
    let random = SystemRandom::new();
    match workload.algorithm {
        Algorithm::Ed25519 => {
            let key = Ed25519KeyPair::from_seed_and_public_key(key, public).map_err(|_| rejected("key pair"))?;
            Ok(repeated_job(text, 64, None, move |message, output| Ok(put(output, [key.sign(message).as_ref()]))))
        }
        Algorithm::EcdsaP256 => {
            let algorithm = &signature::ECDSA_P256_SHA256_ASN1_SIGNING;
            let key = EcdsaKeyPair::from_private_key_and_public_key(algorithm, key, public, &random)
                .map_err(|_| rejected("key pair"))?;
            Ok(repeated_job(text, 80, None, move |message, output| {
                let signature = key.sign(&random, message).map_err(|_| failed("sign"))?;
                Ok(put(output, [signature.as_ref()]))
            }))
        }
        Algorithm::Rsa2048 | Algorithm::Rsa4096 => {
            let key = RsaKeyPair::from_pkcs8(key).map_err(|_| rejected("private key"))?;
            Ok(repeated_job(text, key.public().modulus_len(), None, move |message, output| {
                key.sign(&signature::RSA_PKCS1_SHA256, &random, message, output).map_err(|_| failed("sign"))?;
                Ok(output.len())
            }))
        }
        _ => Err(Unsupported::algorithm(library::RING, workload)),
    }
}

fn verify(workload: &Workload, fixtures: &Fixtures) -> PreparedJob {
    let algorithm: &'static dyn VerificationAlgorithm = match workload.algorithm {
        Algorithm::Ed25519 => &signature::ED25519,
        Algorithm::EcdsaP256 => &signature::ECDSA_P256_SHA256_ASN1,
        Algorithm::Rsa2048 | Algorithm::Rsa4096 => &signature::RSA_PKCS1_2048_8192_SHA256,
        _ => return Err(Unsupported::algorithm(library::RING, workload)),
    };
    let key = UnparsedPublicKey::new(algorithm, fixtures.public.clone());
    verify_job(fixtures, Some(KEY_PARSED), move |message, signature| Ok(key.verify(message, signature).is_ok()))
}
