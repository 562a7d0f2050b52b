//! Keys compute powers of H when a message first needs them. These tests check that ciphertexts and tags do not depend
//! on earlier messages, on concurrent threads, or on the use of a one-time key.

#![allow(clippy::unwrap_used)]

mod support {
    pub(crate) mod backends;
    pub(crate) mod random;
}

use std::sync::Barrier;

use kasoku_engine::{AesGcm, Error, Nonce, OneTimeKey, TAG_BYTES, Tag};
use support::backends;
use support::random::Random;

/// Message lengths in bytes on both sides of those from which keys need more powers, for vectors of one, two and four
/// blocks.
const LENGTHS: [usize; 24] = [
    0, 1, 16, 17, 64, 80, 81, 96, 97, 208, 209, 224, 225, 480, 481, 900, 1_440, 1_500, 2_016, 4_064, 8_032, 8_193,
    20_000, 70_000,
];

const NONCE: [u8; 12] = [9; 12];

/// Ciphertext and tag.
type Sealed = (Vec<u8>, Tag);

fn seal(key: &AesGcm, aad: &[u8], text: &[u8]) -> Sealed {
    let mut data = text.to_vec();
    let tag = key.seal(&NONCE, aad, &mut data).unwrap();
    (data, tag)
}

#[test]
fn seal_does_not_depend_on_lengths_of_earlier_messages() {
    let mut random = Random::new(1);
    let (text, aad) = (random.bytes(70_000), random.bytes(600));
    for &path in backends::paths() {
        for key_bytes in [16, 24, 32] {
            let bytes = random.bytes(key_bytes);
            let new = || AesGcm::with_backend(&bytes, path).unwrap();
            let with_all_powers = new();
            seal(&with_all_powers, &aad, &text);
            for first in LENGTHS {
                let key = new();
                seal(&key, &aad[..first % 40], &text[..first]);
                for (index, length) in LENGTHS.into_iter().enumerate() {
                    let (aad, text) = (&aad[..[0, 13, 32, 33, 600][index % 5]], &text[..length]);
                    let expected = seal(&with_all_powers, aad, text);
                    assert_eq!(seal(&key, aad, text), expected, "{path}: {length} bytes after {first}");
                    let mut data = expected.0;
                    new().open(&NONCE, aad, &mut data, &expected.1).unwrap();
                    assert_eq!(data, text, "{path}: {length} bytes opened by a new key");
                }
            }
        }
    }
}

#[test]
fn first_messages_of_concurrent_threads_match_a_single_thread() {
    const THREADS: usize = 4;
    let mut random = Random::new(2);
    let (bytes, text) = (random.bytes(16), random.bytes(20_000));
    for &path in backends::paths() {
        let alone = AesGcm::with_backend(&bytes, path).unwrap();
        for round in 0..100 {
            let (key, barrier) = (AesGcm::with_backend(&bytes, path).unwrap(), Barrier::new(THREADS));
            let first = |thread: usize| {
                let text = &text[..[300, 1_440, 5_000, 20_000][(round + thread) % 4]];
                barrier.wait();
                (text, seal(&key, b"", text))
            };
            let sealed: Vec<_> = std::thread::scope(|scope| {
                let threads: Vec<_> = (0..THREADS).map(|thread| scope.spawn(move || first(thread))).collect();
                threads.into_iter().map(|thread| thread.join().unwrap()).collect()
            });
            for (text, sealed) in sealed {
                assert_eq!(sealed, seal(&alone, b"", text), "{path}, {} bytes", text.len());
            }
        }
    }
}

#[test]
fn one_time_keys_match_expanded_keys() {
    let mut random = Random::new(3);
    let (text, aad) = (random.bytes(70_000), random.bytes(600));
    for &path in backends::paths() {
        for key_bytes in [16, 24, 32] {
            let bytes = random.bytes(key_bytes);
            let (object, once) =
                (AesGcm::with_backend(&bytes, path).unwrap(), OneTimeKey::with_backend(&bytes, path).unwrap());
            for length in (0..=600).chain((600..5000).step_by(61)).chain(LENGTHS) {
                let (aad, text) = (&aad[..[0, 13, 32, 33, 600][length % 5]], &text[..length]);
                let (ciphertext, tag) = seal(&object, aad, text);

                let (mut made, mut made_tag) = (vec![0xEE; length], [0xEE; TAG_BYTES]);
                once.seal_into(&NONCE, aad, text, &mut made, &mut made_tag).unwrap();
                assert_eq!((&made, made_tag), (&ciphertext, tag), "{path}, {length} bytes");
                let mut in_place = text.to_vec();
                assert_eq!(once.seal(&NONCE, aad, &mut in_place), Ok(tag), "{path}, {length} bytes");
                assert_eq!(in_place, ciphertext);

                once.open(&NONCE, aad, &mut in_place, &tag).unwrap();
                assert_eq!(in_place, text);
                let wrong = std::array::from_fn(|index| tag[index] ^ u8::from(index == length % TAG_BYTES));
                let opened = once.open_to(&NONCE, aad, &ciphertext, &mut made, &wrong);
                assert_eq!(opened, Err(Error::AuthenticationFailed));
                assert!(made.iter().all(|&byte| byte == 0), "{path}: plaintext of a forgery");
            }
            let nonce = || Nonce::try_from(&[7; 16][..]).unwrap();
            let (mut one, mut other) = ([3; 50], [3; 50]);
            assert_eq!(object.seal(nonce(), b"aad", &mut one), once.seal(nonce(), b"aad", &mut other));
            assert_eq!(one, other);
        }
    }
}

#[test]
fn one_time_keys_reject_invalid_key_and_buffer_lengths() {
    for bytes in (0..40).filter(|bytes| !matches!(bytes, 16 | 24 | 32)) {
        assert_eq!(OneTimeKey::new(&[1; 40][..bytes]).err(), Some(Error::KeyLength(bytes)));
    }
    let key = OneTimeKey::new(&[1; 16]).unwrap();
    let mut tag = [0xEE; TAG_BYTES];
    let sealed = key.seal_into(&NONCE, b"", &[1; 5], &mut [0; 6], &mut tag);
    assert_eq!((sealed, tag), (Err(Error::LengthsDiffer { input: 5, output: 6 }), [0xEE; TAG_BYTES]));
}
