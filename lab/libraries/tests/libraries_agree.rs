//! Compares all libraries with `rustcrypto` and with published vectors. Outputs that are random are verified by the
//! other libraries.

#![allow(clippy::unwrap_used)] // all of this file is tests; clippy sees only the functions marked so

mod support;

use std::collections::BTreeSet;

use kasoku_libraries::fixtures::{Fixtures, deterministic, from_hexadecimal};
use kasoku_libraries::{Job, Library, vectors};
use kasoku_model::algorithm::{Algorithm, AlgorithmKind};
use kasoku_model::library::{OPENSSL, family};
use kasoku_model::workload::{NonceForm, Operation, Workload};

use support::{libraries, shortened};

const SIZES: &[usize] = &[0, 1, 15, 16, 17, 31, 63, 64, 65, 512, 1350, 4097, 8192, 16_384, 16_385];

/// Returns whether `library` does `workload`. A library that signs also verifies.
fn supports(library: &dyn Library, workload: &Workload) -> bool {
    let operation = match workload.operation {
        Operation::Verify => Operation::Sign,
        operation => operation,
    };
    let workload = Workload { operation, ..*workload };
    library.prepare(&workload, &Fixtures::of(&workload)).is_ok()
}

fn doing<'a>(
    libraries: &'a [(&'static str, Box<dyn Library>)],
    workload: &Workload,
) -> impl Iterator<Item = (&'static str, &'a dyn Library)> {
    libraries
        .iter()
        .map(|(name, library)| (*name, library.as_ref()))
        .filter(|(_, library)| supports(*library, workload))
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

fn first_output(job: &mut dyn Job) -> Vec<u8> {
    job.reset().unwrap();
    job.run(1).unwrap();
    job.output()
}

/// Returns the first output of `workload`, or `None` if the library does not support it.
fn output(library: &dyn Library, workload: &Workload, fixtures: &Fixtures) -> Option<Vec<u8>> {
    library.prepare(workload, fixtures).ok().map(|mut job| first_output(job.as_mut()))
}

#[test]
fn every_algorithm_has_two_library_families_or_published_vectors() {
    let libraries = libraries();
    for workload in workloads() {
        let mut families = BTreeSet::new();
        for (name, library) in &libraries {
            if supports(library.as_ref(), &workload) {
                families.insert(family(name));
            } else if let Err(unsupported) = library.prepare(&workload, &Fixtures::of(&workload)) {
                assert!(unsupported.why.len() > 10, "{name} {workload} gives no reason");
            }
            // libsodium has no AES-128.
            let is_gcm = match workload.algorithm {
                Algorithm::Aes128Gcm => *name != "libsodium",
                algorithm => algorithm == Algorithm::Aes256Gcm,
            };
            assert!(!is_gcm || families.contains(family(name)), "{name} does not support {workload}");
        }
        let is_verified = families.len() >= 2 || !vectors::of(workload.algorithm).vectors.is_empty();
        println!("{workload}: {families:?}");
        assert!(is_verified || families.is_empty(), "{workload}: only {families:?}, and no published vector");
    }
}

#[test]
fn seal_with_a_new_key_matches_plain_seal_under_that_key() {
    let aeads = Algorithm::ALL.iter().filter(|one| one.kind() == AlgorithmKind::Aead);
    let cases: Vec<_> = aeads.flat_map(|one| [0, 16, 100, 1350, 16_384].map(|bytes| (*one, bytes))).collect();
    for (name, library) in libraries() {
        let mut compared = 0;
        for &(algorithm, bytes) in &cases {
            let seal = Workload::new(Operation::Seal, algorithm, bytes);
            let new_key = Workload { operation: Operation::SealNewKey, ..seal };
            let fixtures = Fixtures::of(&seal);
            let Some(expected) = output(library.as_ref(), &new_key, &Fixtures::of(&new_key)) else { continue };
            assert_eq!(Some(expected), output(library.as_ref(), &seal, &fixtures), "{name} {seal}");
            // A job that has used all keys begins with the first again.
            let mut job = library.prepare(&new_key, &Fixtures::of(&new_key)).unwrap();
            job.run(20).unwrap();
            assert_eq!(Some(first_output(job.as_mut())), output(library.as_ref(), &seal, &fixtures), "{name} {seal}");
            compared += 1;
        }
        let gcm = Workload::new(Operation::Seal, Algorithm::Aes256Gcm, 16);
        assert!(compared > 0 || !supports(library.as_ref(), &gcm), "{name} has no new keys");
    }
}

#[test]
fn first_update_matches_the_message_of_one_part() {
    let mut compared = BTreeSet::new();
    for (name, library) in libraries() {
        for (algorithm, bytes) in [Algorithm::Aes128Gcm, Algorithm::Aes256Gcm, Algorithm::ChaCha20Poly1305]
            .map(|one| [(one, 64), (one, 4096)])
            .concat()
        {
            let seal = Workload::new(Operation::Seal, algorithm, bytes);
            let update = Workload { operation: Operation::SealUpdate, ..seal };
            let fixtures = Fixtures::of(&seal);
            let Ok(mut job) = library.prepare(&update, &fixtures) else { continue };
            let expected = output(library.as_ref(), &seal, &fixtures);
            job.run(3).unwrap();
            assert_ne!(Some(job.output()), expected, "{name} {seal}: the parts do not continue");
            assert_eq!(Some(first_output(job.as_mut())), expected, "{name} {seal}");
            compared.insert(name);
        }
    }
    assert!(compared.is_superset(&BTreeSet::from(["kasoku"])) && compared.len() >= 2, "{compared:?}");
}

#[test]
fn libraries_match_published_vectors() {
    for (name, library) in libraries() {
        let mut checked = 0;
        for vector in Algorithm::ALL.iter().flat_map(|&algorithm| {
            let vectors = vectors::of(algorithm).vectors.into_iter();
            vectors.map(move |vector| (Workload::new(vector.operation, algorithm, vector.input.text.len()), vector))
        }) {
            let (workload, vector) = vector;
            if let (true, Some(output)) = (deterministic(&workload), output(library.as_ref(), &workload, &vector.input))
            {
                assert_eq!(Some(output), from_hexadecimal(&vector.output), "{name} {workload}, {}", vector.source);
                checked += 1;
            }
        }
        assert!(checked > 10, "{name}: only {checked} vectors");
    }
}

#[test]
fn libraries_match_rustcrypto_for_deterministic_workloads() {
    let libraries = libraries();
    let reference = &libraries[0].1;
    for workload in workloads().iter().filter(|workload| deterministic(workload)) {
        if workload.operation == Operation::Verify {
            continue;
        }
        let fixtures = Fixtures::of(workload);
        let Some(expected) = output(reference.as_ref(), workload, &fixtures) else { continue };
        for (name, library) in &libraries[1..] {
            if let Some(output) = output(library.as_ref(), workload, &fixtures) {
                assert!(output == expected, "{name} {workload} differs from rustcrypto");
            }
        }
    }
}

#[test]
fn libraries_recover_the_text_by_decrypt_and_open() {
    let libraries = libraries();
    for workload in workloads() {
        for (name, library) in doing(&libraries, &workload) {
            let input = Fixtures::of(&workload);
            match workload.operation {
                Operation::Encrypt => {
                    let encrypted = output(library, &workload, &input).unwrap();
                    let decrypts = Workload { operation: Operation::Decrypt, ..workload };
                    let sent = Fixtures { text: encrypted, ..input.clone() };
                    assert_eq!(output(library, &decrypts, &sent).unwrap(), input.text, "{name} {workload}");
                }
                Operation::Open => {
                    let seals = Workload { operation: Operation::Seal, ..workload };
                    let sealed = output(library, &seals, &input).unwrap();
                    let opened = output(library, &workload, &input).unwrap();
                    assert!(opened == [sealed, input.text].concat(), "{name} {workload}");
                }
                _ => {}
            }
        }
    }
}

#[test]
fn reset_restores_the_first_output_and_ciphers_continue_between_calls() {
    let libraries = libraries();
    for workload in workloads().iter().filter(|workload| deterministic(workload)) {
        for (name, library) in doing(&libraries, workload) {
            // OpenSSL treats each call of XTS as a data unit.
            if (name, workload.algorithm) == (OPENSSL, Algorithm::Aes256Xts) || workload.operation == Operation::Verify
            {
                continue;
            }
            let mut job = library.prepare(workload, &Fixtures::of(workload)).unwrap();
            let first = first_output(job.as_mut());
            job.reset().unwrap();
            job.run(3).unwrap();
            let third = job.output();
            assert!(first_output(job.as_mut()) == first, "{name} {workload}: reset does not restore the first output");
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
fn counted_nonces_give_the_output_of_precomputed_nonces() {
    let libraries = libraries();
    for workload in workloads().iter().filter(|workload| workload.bytes == 64) {
        let counted = workload.with_nonces(NonceForm::Counted);
        if counted == *workload || workload.algorithm == Algorithm::Aes128CbcHmacSha1 {
            continue;
        }
        for (name, library) in doing(&libraries, workload) {
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
fn libraries_use_many_keys_in_one_order() {
    const KEYS: usize = 5;
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
            assert_eq!(tags.len(), KEYS, "each key gives another tag");
            assert_ne!(expected[0], expected[1], "the next message uses another key");
            for (name, library) in doing(&libraries[1..], &workload) {
                // Only the first message is compared, because in-place libraries then seal their previous output.
                assert!(outputs(library)[0] == expected[0], "{name} {workload}");
            }
        }
    }
}

#[test]
fn libraries_accept_signatures_of_other_libraries_and_reject_bit_flips() {
    let libraries = libraries();
    for workload in workloads().iter().filter(|workload| workload.operation == Operation::Sign) {
        let unsigned = Fixtures::of(workload);
        let verifies = Workload { operation: Operation::Verify, ..*workload };
        for (signer, signing) in doing(&libraries, workload) {
            let signature = output(signing, workload, &unsigned).unwrap();
            let signed = Fixtures { signature, ..unsigned.clone() };
            for (verifier, verifying) in doing(&libraries, workload) {
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
fn libraries_decapsulate_secrets_of_other_libraries() {
    let libraries = libraries();
    let encapsulates = Workload::new(Operation::Encapsulate, Algorithm::MlKem768, 0);
    let decapsulates = Workload::new(Operation::Decapsulate, Algorithm::MlKem768, 0);
    let keys = Fixtures::of(&decapsulates);
    for (_, sender) in doing(&libraries, &encapsulates) {
        let sent = output(sender, &encapsulates, &keys).unwrap();
        let (ciphertext, secret) = sent.split_at(1088);
        let received = Fixtures { text: ciphertext.to_vec(), ..keys.clone() };
        for (name, receiver) in doing(&libraries, &decapsulates) {
            assert_eq!(output(receiver, &decapsulates, &received).unwrap(), secret, "{name}");
        }
    }
}

/// Fixtures come from outside the process, so any length must give an error or an output.
#[test]
fn libraries_never_panic_on_fixtures_of_wrong_length() {
    let libraries = libraries();
    for workload in workloads().iter().filter(|workload| workload.bytes <= 64) {
        for (name, library) in doing(&libraries, workload) {
            let good = Fixtures { signature: vec![1; 3], ..Fixtures::of(workload) };
            for fixtures in shortened(&good, &[0, 1, 8, 31, 33]) {
                if let Ok(mut job) = library.prepare(workload, &fixtures) {
                    let _ = job.run(2).and_then(|()| job.reset()); // an error is allowed, a panic is not
                    job.output();
                }
            }
            if workload.algorithm.kind() != AlgorithmKind::Hash {
                let refused = match library.prepare(workload, &Fixtures::default()) {
                    Ok(mut job) => job.run(1).is_err(),
                    Err(_) => true,
                };
                assert!(refused, "{name} {workload} works without a key");
            }
        }
    }
}
