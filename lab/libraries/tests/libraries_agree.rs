//! Every library that is a crate gives what the `rustcrypto` library gives; what is not determined is accepted by
//! another.

#![allow(clippy::unwrap_used)] // all of this file is tests; clippy sees only the functions marked so

mod support;

use std::collections::BTreeSet;

use aws_lc_rs::encoding::AsDer;
use kasoku_libraries::fixtures::{Fixtures, deterministic, from_hexadecimal};
use kasoku_libraries::{Job, Library, vectors};
use kasoku_model::algorithm::{Algorithm, AlgorithmKind};
use kasoku_model::library::{OPENSSL, family};
use kasoku_model::workload::{NonceForm, Operation, Workload};

use support::libraries;

const SIZES: &[usize] = &[0, 1, 15, 16, 17, 64, 512, 1350, 4097, 8192, 16_384, 16_385];

/// Returns whether `library` does `workload`. A library that signs also verifies.
fn does(library: &dyn Library, workload: &Workload, keys: &Keys) -> bool {
    let operation = match workload.operation {
        Operation::Verify => Operation::Sign,
        operation => operation,
    };
    let workload = Workload { operation, ..*workload };
    library.prepare(&workload, &fixtures(&workload, keys)).is_ok()
}

fn workloads() -> Vec<Workload> {
    let mut workloads = Vec::new();
    for &algorithm in Algorithm::ALL {
        for &operation in Operation::of(algorithm.kind()) {
            let sizes = if algorithm.kind().is_bulk() { SIZES } else { &[0] };
            workloads.extend(sizes.iter().map(|&bytes| Workload::new(operation, algorithm, bytes)));
        }
    }
    workloads
}

fn hexadecimal(text: &str) -> Vec<u8> {
    from_hexadecimal(text).unwrap()
}

/// Inputs for `workload`; keys of asymmetric algorithms are from RFCs, or made here.
fn fixtures(workload: &Workload, keys: &Keys) -> Fixtures {
    let message = b"thirty-two bytes that are signed".to_vec();
    match workload.algorithm {
        Algorithm::X25519 => {
            Fixtures { key: hexadecimal(X25519_SCALAR), public: hexadecimal(X25519_PEER), ..Fixtures::default() }
        }
        Algorithm::EcdhP256 => Fixtures {
            key: hexadecimal(P256_INITIATOR),
            public: hexadecimal(P256_RESPONDER_POINT),
            ..Fixtures::default()
        },
        Algorithm::Ed25519 => Fixtures {
            key: hexadecimal(ED25519_SEED),
            public: hexadecimal(ED25519_PUBLIC),
            text: message,
            ..Fixtures::default()
        },
        Algorithm::EcdsaP256 => Fixtures {
            key: hexadecimal(ECDSA_SCALAR),
            public: hexadecimal(ECDSA_POINT),
            text: message,
            ..Fixtures::default()
        },
        Algorithm::Rsa2048 => Fixtures { text: message, ..keys.rsa_2048.clone() },
        Algorithm::Rsa4096 => Fixtures { text: message, ..keys.rsa_4096.clone() },
        Algorithm::MlDsa65 => Fixtures { text: message, ..keys.ml_dsa.clone() },
        Algorithm::MlKem768 => keys.ml_kem.clone(),
        Algorithm::X448 | Algorithm::Ed448 => Fixtures::default(),
        _ => Fixtures::of(workload),
    }
}

// RFC 7748 section 6.1.
const X25519_SCALAR: &str = "77076d0a7318a57d3c16c17251b26645df4c2f87ebc0992ab177fba51db92c2a";
const X25519_PEER: &str = "de9edb7d7b7dc1b4d35b61c2ece435373f8343c85b78674dadfc7e146f882b4f";
const X25519_SHARED: &str = "4a5d9d5ba4ce2de1728e3bf480350f25e07e21c947d19e3376f09b3c1e161742";
// RFC 5903 section 8.1: i, and r's point.
const P256_INITIATOR: &str = "c88f01f510d9ac3f70a292daa2316de544e9aab8afe84049c62a9c57862d1433";
const P256_RESPONDER_POINT: &str = "04d12dfb5289c8d4f81208b70270398c342296970a0bccb74c736fc7554494bf63\
                                    56fbf3ca366cc23e8157854c13c58d6aac23f046ada30f8353e74f33039872ab";
const P256_SHARED: &str = "d6840f6b42f6edafd13116e0e12565202fef8e9ece7dce03812464d04b9442de";
// RFC 8032 section 7.1, test 1.
const ED25519_SEED: &str = "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60";
const ED25519_PUBLIC: &str = "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a";
// RFC 6979 section A.2.5.
const ECDSA_SCALAR: &str = "c9afa9d845ba75166b5c215767b1d6934e50c3db36e89b127b8a622b120f6721";
const ECDSA_POINT: &str = "0460fed4ba255a9d31c961eb74c6356d68c049b8923b61fa6ce669622e60f29fb6\
                           7903fe1008b8bc99a41ae9e95628bc64f2f1b20c2d7e9f5177a3c294d4462299";

/// Keys whose public half is made here.
struct Keys {
    rsa_2048: Fixtures,
    rsa_4096: Fixtures,
    ml_dsa: Fixtures,
    ml_kem: Fixtures,
}

fn keys() -> Keys {
    let rsa = |size| {
        let pair = aws_lc_rs::rsa::KeyPair::generate(size).unwrap();
        let public = aws_lc_rs::signature::KeyPair::public_key(&pair).as_ref().to_vec();
        Fixtures { key: pair.as_der().unwrap().as_ref().to_vec(), public, ..Fixtures::default() }
    };
    let signer = ml_dsa::SigningKey::<ml_dsa::MlDsa65>::from_seed(&[5; 32].into());
    let recipient = ml_kem::DecapsulationKey::<ml_kem::MlKem768>::from_seed([6; 64].into());
    let (ciphertext, _) = recipient.encapsulation_key().encapsulate_deterministic(&[7; 32].into());
    Keys {
        rsa_2048: rsa(aws_lc_rs::rsa::KeySize::Rsa2048),
        rsa_4096: rsa(aws_lc_rs::rsa::KeySize::Rsa4096),
        ml_dsa: Fixtures {
            key: vec![5; 32],
            public: ml_dsa::signature::Keypair::verifying_key(&signer).encode().to_vec(),
            ..Fixtures::default()
        },
        ml_kem: Fixtures {
            key: vec![6; 64],
            public: ml_kem::KeyExport::to_bytes(recipient.encapsulation_key()).to_vec(),
            text: ciphertext.to_vec(),
            ..Fixtures::default()
        },
    }
}

fn first_output(job: &mut dyn Job) -> Vec<u8> {
    job.reset().unwrap();
    job.run(1).unwrap();
    job.output()
}

/// What `workload` first gives, `None` where the library does not have it.
fn output(library: &dyn Library, workload: &Workload, fixtures: &Fixtures) -> Option<Vec<u8>> {
    library.prepare(workload, fixtures).ok().map(|mut job| first_output(job.as_mut()))
}

#[test]
fn every_algorithm_has_two_families_or_published_vectors() {
    let keys = keys();
    let libraries = libraries();
    for workload in workloads() {
        let mut families = BTreeSet::new();
        for (name, library) in &libraries {
            if does(library.as_ref(), &workload, &keys) {
                families.insert(family(name));
            } else if let Err(unsupported) = library.prepare(&workload, &fixtures(&workload, &keys)) {
                assert!(unsupported.why.len() > 10, "{name} {workload} gives no reason");
            }
            let is_gcm = matches!(workload.algorithm, Algorithm::Aes128Gcm | Algorithm::Aes256Gcm);
            assert!(!is_gcm || families.contains(family(name)), "{name} does not {workload}");
        }
        let is_verified = families.len() >= 2 || !vectors::of(workload.algorithm).vectors.is_empty();
        println!("{workload}: {families:?}");
        assert!(is_verified || families.is_empty(), "{workload}: {families:?} alone, and no published vector");
    }
}

#[test]
fn determined_outputs_are_the_references() {
    let keys = keys();
    let libraries = libraries();
    let reference = &libraries[0].1;
    for workload in workloads().iter().filter(|workload| deterministic(workload)) {
        if workload.operation == Operation::Verify {
            continue;
        }
        let fixtures = fixtures(workload, &keys);
        let Some(expected) = output(reference.as_ref(), workload, &fixtures) else { continue };
        for (name, library) in &libraries[1..] {
            if let Some(output) = output(library.as_ref(), workload, &fixtures) {
                assert!(output == expected, "{name} {workload} differs from rustcrypto");
            }
        }
    }
}

#[test]
fn the_reference_gives_the_shared_secrets_of_the_rfcs() {
    let keys = keys();
    for (algorithm, shared) in [(Algorithm::X25519, X25519_SHARED), (Algorithm::EcdhP256, P256_SHARED)] {
        let workload = Workload::new(Operation::Derive, algorithm, 0);
        assert_eq!(
            output(libraries()[0].1.as_ref(), &workload, &fixtures(&workload, &keys)),
            Some(hexadecimal(shared))
        );
    }
}

#[test]
fn decryption_undoes_encryption_and_open_gives_back_the_text() {
    let keys = keys();
    for (name, library) in libraries() {
        for workload in workloads().iter().filter(|workload| does(library.as_ref(), workload, &keys)) {
            let input = fixtures(workload, &keys);
            match workload.operation {
                Operation::Encrypt => {
                    let encrypted = output(library.as_ref(), workload, &input).unwrap();
                    let decrypts = Workload { operation: Operation::Decrypt, ..*workload };
                    let sent = Fixtures { text: encrypted, ..input.clone() };
                    assert_eq!(output(library.as_ref(), &decrypts, &sent).unwrap(), input.text, "{name} {workload}");
                }
                Operation::Open => {
                    let seals = Workload { operation: Operation::Seal, ..*workload };
                    let sealed = output(library.as_ref(), &seals, &input).unwrap();
                    let opened = output(library.as_ref(), workload, &input).unwrap();
                    assert!(opened == [sealed, input.text].concat(), "{name} {workload}");
                }
                _ => {}
            }
        }
    }
}

#[test]
fn reset_returns_to_the_first_output_and_ciphers_go_on_from_call_to_call() {
    let keys = keys();
    for (name, library) in libraries() {
        for workload in
            workloads().iter().filter(|workload| does(library.as_ref(), workload, &keys) && deterministic(workload))
        {
            // OpenSSL takes each call of XTS for a unit of its own.
            if (name, workload.algorithm) == (OPENSSL, Algorithm::Aes256Xts) {
                continue;
            }
            if workload.operation == Operation::Verify {
                continue;
            }
            let mut job = library.prepare(workload, &fixtures(workload, &keys)).unwrap();
            let first = first_output(job.as_mut());
            job.reset().unwrap();
            job.run(3).unwrap();
            let third = job.output();
            assert!(first_output(job.as_mut()) == first, "{name} {workload} is not as before after reset");
            let goes_on = match workload.operation {
                Operation::Encrypt | Operation::Decrypt => workload.bytes > 0,
                Operation::Seal => true,
                _ => false,
            };
            assert_eq!(third != first, goes_on, "{name} {workload}");
        }
    }
}

#[test]
fn counted_nonces_are_those_made_ahead() {
    let keys = keys();
    for (name, library) in libraries() {
        for workload in
            workloads().iter().filter(|workload| does(library.as_ref(), workload, &keys) && workload.bytes == 64)
        {
            let counted = workload.with_nonces(NonceForm::Counted);
            if counted == *workload || workload.algorithm == Algorithm::Aes128CbcHmacSha1 {
                continue;
            }
            let third = |workload: &Workload| {
                let mut job = library.prepare(workload, &Fixtures::of(workload)).unwrap();
                job.run(3).unwrap();
                job.output()
            };
            assert!(third(&counted) == third(workload), "{name} {counted}");
        }
    }
}

#[test]
fn many_keys_are_used_in_one_order_by_every_library() {
    const KEYS: usize = 5;
    let keys = keys();
    let libraries = libraries();
    for algorithm in [Algorithm::Aes128Gcm, Algorithm::Aes256Gcm, Algorithm::Xaes256Gcm, Algorithm::ChaCha20Poly1305] {
        for operation in [Operation::Seal, Operation::Open] {
            let workload = Workload::new(operation, algorithm, 64).with_keys(KEYS);
            let fixtures = Fixtures::of(&workload);
            assert_eq!(fixtures.key.len(), KEYS * algorithm.key_bytes());
            let outputs = |library: &dyn Library| -> Vec<Vec<u8>> {
                let mut job = library.prepare(&workload, &fixtures).unwrap();
                let mut next = || {
                    job.run(1).unwrap();
                    job.output()
                };
                (0..KEYS + 1).map(|_| next()).collect()
            };
            let expected = outputs(libraries[0].1.as_ref());
            let mut tags: Vec<&[u8]> = expected[0][expected[0].len() - 16 * KEYS..].chunks(16).collect();
            tags.sort_unstable();
            tags.dedup();
            assert_eq!(tags.len(), KEYS, "each key has a tag of its own");
            assert_ne!(expected[0], expected[1], "the next message is under another key");
            for (name, library) in libraries[1..].iter().filter(|(_, library)| does(library.as_ref(), &workload, &keys))
            {
                // A library that works in place seals what it sealed before; the first message is the same for all.
                assert!(outputs(library.as_ref())[0] == expected[0], "{name} {workload}");
            }
        }
    }
}

#[test]
fn every_signature_is_accepted_by_every_library_and_refused_once_a_bit_is_flipped() {
    let keys = keys();
    let libraries = libraries();
    for workload in workloads().iter().filter(|workload| workload.operation == Operation::Sign) {
        let unsigned = fixtures(workload, &keys);
        let verifies = Workload { operation: Operation::Verify, ..*workload };
        for (signer, signing) in libraries.iter().filter(|(_, library)| does(library.as_ref(), workload, &keys)) {
            let signature = output(signing.as_ref(), workload, &unsigned).unwrap();
            let signed = Fixtures { signature, ..unsigned.clone() };
            for (verifier, verifying) in libraries.iter().filter(|(_, library)| does(library.as_ref(), workload, &keys))
            {
                let mut job = verifying.prepare(&verifies, &signed).unwrap();
                job.run(2).unwrap_or_else(|error| panic!("{workload} by {signer}, {verifier}: {error}"));
                assert_eq!(job.output(), [1, 1], "{workload} by {signer}, {verifier}");
                let other = Fixtures { text: b"another message".to_vec(), ..signed.clone() };
                assert!(verifying.prepare(&verifies, &other).unwrap().run(1).is_err(), "{verifier} {workload}");
            }
        }
    }
}

#[test]
fn every_encapsulated_secret_is_recovered_by_every_library() {
    let keys = keys();
    let libraries = libraries();
    let encapsulates = Workload::new(Operation::Encapsulate, Algorithm::MlKem768, 0);
    let decapsulates = Workload::new(Operation::Decapsulate, Algorithm::MlKem768, 0);
    for (_, sender) in libraries.iter().filter(|(_, library)| does(library.as_ref(), &encapsulates, &keys)) {
        let sent = output(sender.as_ref(), &encapsulates, &keys.ml_kem).unwrap();
        let (ciphertext, secret) = sent.split_at(1088);
        let received = Fixtures { text: ciphertext.to_vec(), ..keys.ml_kem.clone() };
        for (name, receiver) in libraries.iter().filter(|(_, library)| does(library.as_ref(), &decapsulates, &keys)) {
            assert_eq!(output(receiver.as_ref(), &decapsulates, &received).unwrap(), secret, "{name}");
        }
    }
}

/// Fixtures comes from outside the process: whatever it is, the answer is a refusal, or an operation that was done.
#[test]
fn fixtures_of_the_wrong_lengths_never_panics() {
    let keys = keys();
    for (name, library) in libraries() {
        for workload in
            workloads().iter().filter(|workload| does(library.as_ref(), workload, &keys) && workload.bytes <= 64)
        {
            let good = Fixtures { signature: vec![1; 3], ..fixtures(workload, &keys) };
            for cut in [0, 1, 8, 31, 33] {
                let shorter = |part: &[u8]| part[..part.len().min(cut)].to_vec();
                let cuts = [
                    Fixtures { key: shorter(&good.key), ..good.clone() },
                    Fixtures { nonce: shorter(&good.nonce), ..good.clone() },
                    Fixtures { aad: shorter(&good.aad), ..good.clone() },
                    Fixtures { text: shorter(&good.text), ..good.clone() },
                    Fixtures { public: shorter(&good.public), ..good.clone() },
                ];
                for fixtures in &cuts {
                    if let Ok(mut job) = library.prepare(workload, fixtures) {
                        let _ = job.run(2).and_then(|()| job.reset()); // refused or done: both are answers
                        job.output();
                    }
                }
            }
            // OpenSSL accepts an empty private key for ECDSA.
            let accepts_any = (name, workload.algorithm) == (OPENSSL, Algorithm::EcdsaP256);
            if workload.algorithm.kind() != AlgorithmKind::Hash && !accepts_any {
                let refused = match library.prepare(workload, &Fixtures::default()) {
                    Ok(mut job) => job.run(1).is_err(),
                    Err(_) => true,
                };
                assert!(refused, "{name} {workload} works without a key");
            }
        }
    }
}
