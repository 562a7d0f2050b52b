//! Project Wycheproof's vectors for Cobblestone-128 and Cobblestone-256.

#![allow(clippy::unwrap_used)]

use std::io::{Cursor, Read, Write};

use kasoku_file::{Cipher, Key, Options, Reader, Writer, decrypt};
use wycheproof::TestResult;
use wycheproof::chunked_encryption::{TestName, TestSet};

#[test]
fn cobblestone_vectors_decrypt_or_fail_as_stated() {
    for cipher in Cipher::ALL {
        check_vectors(cipher);
    }
}

fn check_vectors(cipher: Cipher) {
    let name = if cipher == Cipher::Cobblestone128 { TestName::Cobblestone128 } else { TestName::Cobblestone256 };
    let set = TestSet::load(name).unwrap();
    let (mut valid, mut invalid) = (0, 0);
    for group in set.test_groups {
        for test in group.tests {
            let mut sealed = Vec::new();
            flate2::read::ZlibDecoder::new(&test.ct[..]).read_to_end(&mut sealed).unwrap();
            let is_valid = test.result == TestResult::Valid;
            let Ok(key) = Key::from_bytes(&test.key) else {
                assert!(!is_valid, "{}: a key of {} bytes", test.tc_id, test.key.len());
                invalid += 1;
                continue;
            };
            assert_eq!(key.cipher(), cipher);

            let mut streamed = Vec::new();
            let stream = decrypt(&key, &test.ctx, &sealed[..], &mut streamed, &Options::default());
            let mut read = Vec::new();
            let sought = Reader::new(&key, &test.ctx, Cursor::new(&sealed))
                .map_err(std::io::Error::from)
                .and_then(|mut reader| reader.read_to_end(&mut read));
            assert_eq!(stream.is_ok(), is_valid, "{}: {}: {stream:?}", test.tc_id, test.comment);
            assert_eq!(sought.is_ok(), is_valid, "{}: {}: {sought:?}", test.tc_id, test.comment);
            if !is_valid {
                invalid += 1;
                continue;
            }
            valid += 1;
            assert_eq!(streamed, read);
            assert_eq!(Some(streamed.len()), test.msg_length);
            use sha2::Digest;
            assert_eq!(&sha2::Sha512::digest(&streamed)[..], &test.msg_sha512.unwrap()[..], "{}", test.tc_id);

            // The same salt must give the same file.
            let salt = sealed[..24].try_into().unwrap();
            let mut writer = Writer::with_salt(&key, salt, &test.ctx, Vec::new()).unwrap();
            writer.write_all(&streamed).unwrap();
            assert!(writer.finish().unwrap() == sealed, "{}: made anew it differs", test.tc_id);
        }
    }
    assert!(valid >= 5 && invalid >= 20 && valid + invalid == 35, "{valid} valid, {invalid} invalid, {cipher}");
}
