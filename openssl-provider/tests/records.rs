//! Exchanges a million TLS 1.2 and 1.3 records between the two providers, with the calls that libssl makes.

#![allow(clippy::unwrap_used, reason = "tests may panic")]

mod evp;

use std::ffi::{CStr, c_int};

use evp::random::Random;
use evp::{Cipher, Context, Library, ctrl, joined};

/// Records per version, divided among key lengths and directions.
const RECORDS: usize = 1_000_000;

/// Maximum length of a record's text in bytes.
const MAX: usize = 1 << 14;

#[test]
fn tls_1_2_records_of_either_provider_open_in_the_other() {
    let library = Library::new("");
    exchange(&library, 12, |sender, receiver, random, text| {
        let mut aad: [u8; 13] = random.bytes(13).try_into().unwrap();
        let mut record = vec![0; text.len() + 24];
        record[8..8 + text.len()].copy_from_slice(text);
        aad[11..].copy_from_slice(&(text.len() as u16 + 8).to_be_bytes());
        let iv = sender.updated_iv(12);
        assert_eq!(sender.set(ctrl::TLS1_AAD, &aad), 16);
        assert_eq!(sender.update_in_place(&mut record), (1, record.len() as c_int));
        // The invocation field is sent with the record, and is incremented.
        assert_eq!(record[..8], iv[4..]);
        let next = u64::from_be_bytes(iv[4..].try_into().unwrap()).wrapping_add(1);
        assert_eq!(sender.updated_iv(12)[4..], next.to_be_bytes());

        let is_forged = random.once_in(50);
        if is_forged {
            let place = random.below(record.len());
            record[place] ^= 1 << random.below(8);
        }
        aad[11..].copy_from_slice(&(record.len() as u16).to_be_bytes());
        assert_eq!(receiver.set(ctrl::TLS1_AAD, &aad), 16);
        let (result, bytes) = receiver.update_in_place(&mut record);
        if is_forged {
            assert_eq!((result, bytes), (0, 0));
            assert!(record[8..8 + text.len()].iter().all(|byte| *byte == 0), "plaintext of a forgery");
        } else {
            assert_eq!((result, bytes), (1, text.len() as c_int));
            assert_eq!(&record[8..8 + text.len()], text);
        }
    });
}

#[test]
fn tls_1_3_records_of_either_provider_open_in_the_other() {
    let library = Library::new("");
    exchange(&library, 13, |sender, receiver, random, text| {
        let iv: [u8; 12] = random.bytes(12).try_into().unwrap();
        let header = random.bytes(5);
        let mut record = text.to_vec();
        assert_eq!(sender.init(None, None, Some(&iv), 1), 1);
        assert_eq!(sender.aad(&header), 1);
        assert_eq!(sender.update_in_place(&mut record), (1, text.len() as c_int));
        assert_eq!(sender.finish(), 1);
        let mut tag = sender.tag();

        let is_forged = random.once_in(50);
        if is_forged {
            match random.below(text.len() + 16) {
                place if place < text.len() => record[place] ^= 1 << random.below(8),
                place => tag[place - text.len()] ^= 1 << random.below(8),
            }
        }
        assert_eq!(receiver.init(None, None, Some(&iv), 0), 1);
        assert_eq!(receiver.set(ctrl::SET_TAG, &tag), 1);
        assert_eq!(receiver.aad(&header), 1);
        assert_eq!(receiver.update_in_place(&mut record), (1, text.len() as c_int));
        assert_eq!(receiver.finish(), c_int::from(!is_forged));
        assert!(is_forged || record == text);
    });
}

/// Exchanges records between the providers in both directions, with every key length, in connections of several
/// records.
fn exchange(library: &Library, version: u64, record: impl Fn(&Context, &Context, &mut Random, &[u8]) + Sync) {
    std::thread::scope(|threads| {
        let mut started = Vec::new();
        for (name, key_bytes) in evp::NAMES {
            for (from, to) in [("default", "kasoku"), ("kasoku", "default")] {
                let record = &record;
                started.push(threads.spawn(move || {
                    let mut random = Random::new(version * 100 + key_bytes as u64 * 2 + u64::from(from == "kasoku"));
                    let pool = random.bytes(MAX + 256);
                    let ciphers = [library.cipher(name, from), library.cipher(name, to)];
                    let mut left = RECORDS.div_ceil(6);
                    while left > 0 {
                        let [sender, receiver] = connection(&ciphers, version, &mut random, key_bytes);
                        for _ in 0..left.min(1 + random.below(2000)) {
                            let bytes = match random.below(64) {
                                0 => MAX,
                                1..=3 => 1 + random.below(MAX),
                                4..=20 => 1 + random.below(1500),
                                _ => 1 + random.below(100),
                            };
                            let start = random.below(256);
                            record(&sender, &receiver, &mut random, &pool[start..start + bytes]);
                            left -= 1;
                        }
                    }
                }));
            }
        }
        joined(started);
    });
    evp::errors();
    let counted = library.number(c"kasoku-operations");
    assert!(counted >= RECORDS as u64, "{counted}");
}

fn connection(ciphers: &[Cipher; 2], version: u64, random: &mut Random, key_bytes: usize) -> [Context; 2] {
    let key = random.bytes(key_bytes);
    let both = [ciphers[0].with_key(true, &key), ciphers[1].with_key(false, &key)];
    let fixed = random.bytes(4);
    for context in &both {
        let set = if version == 12 {
            context.set(ctrl::SET_IV_FIXED, &fixed)
        } else {
            context.ctrl(ctrl::SET_IVLEN, 12, std::ptr::null_mut())
        };
        assert_eq!(set, 1);
    }
    both
}

/// Fetches each cipher by every name that libssl and other programs use.
#[test]
fn ciphers_can_be_fetched_by_every_alias() {
    let library = Library::new("");
    let names: [[&CStr; 4]; 3] = [
        [c"AES-128-GCM", c"id-aes128-GCM", c"2.16.840.1.101.3.4.1.6", c"aes-128-gcm"],
        [c"AES-192-GCM", c"id-aes192-GCM", c"2.16.840.1.101.3.4.1.26", c"aes-192-gcm"],
        [c"AES-256-GCM", c"id-aes256-GCM", c"2.16.840.1.101.3.4.1.46", c"aes-256-gcm"],
    ];
    for name in names.into_iter().flatten() {
        library.cipher(name, "kasoku");
    }
}
