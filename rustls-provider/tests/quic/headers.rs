//! Header protection, compared with ring's.

use rustls::Side;
use rustls::crypto::ring::cipher_suite as theirs;
use rustls::quic::{HeaderProtectionKey, Keys, Version};

use crate::support::published::CONNECTION_ID;
use kasoku_rustls::cipher_suite as ours;

/// Returns keys of one length from the same secret: ring's and Kasoku's.
fn ring_and_kasoku_keys(bytes: usize) -> [Box<dyn HeaderProtectionKey>; 2] {
    let suites = match bytes {
        16 => [theirs::TLS13_AES_128_GCM_SHA256, ours::TLS13_AES_128_GCM_SHA256],
        _ => [theirs::TLS13_AES_256_GCM_SHA384, ours::TLS13_AES_256_GCM_SHA384],
    };
    suites.map(|suite| {
        let suite = suite.tls13().unwrap();
        assert_eq!(suite.quic.unwrap().aead_key_len(), bytes);
        Keys::initial(Version::V1, suite, suite.quic.unwrap(), &CONNECTION_ID, Side::Client).local.header
    })
}

#[test]
fn header_protection_matches_ring_for_every_first_byte() {
    for bytes in [16, 32] {
        let [theirs, ours] = ring_and_kasoku_keys(bytes);
        assert_eq!((ours.sample_len(), theirs.sample_len()), (16, 16));
        for first in 0..=u8::MAX {
            let sample = [first ^ 0x5A; 16];
            for length in 1..=4 {
                for is_masked in [false, true] {
                    let mut results = [&theirs, &ours].map(|key| {
                        let (mut byte, mut number) = (first, vec![0x33; length]);
                        if is_masked {
                            key.decrypt_in_place(&sample, &mut byte, &mut number).unwrap();
                        } else {
                            key.encrypt_in_place(&sample, &mut byte, &mut number).unwrap();
                        }
                        (byte, number)
                    });
                    let ours = std::mem::take(&mut results[1]);
                    assert_eq!(results[0], ours, "first byte {first:#x}, {length} bytes");
                }
            }
        }
    }
}

#[test]
fn header_protection_with_wrong_lengths_changes_nothing() {
    let [_, key] = ring_and_kasoku_keys(32);
    let (mut first, mut number) = (0x40, [1, 2, 3, 4, 5]);
    for sample in [&[0; 15][..], &[0; 17], &[]] {
        assert!(key.encrypt_in_place(sample, &mut first, &mut number[..2]).is_err());
        assert!(key.decrypt_in_place(sample, &mut first, &mut number[..2]).is_err());
    }
    assert!(key.encrypt_in_place(&[0; 16], &mut first, &mut number).is_err());
    assert!(key.decrypt_in_place(&[0; 16], &mut first, &mut number).is_err());
    assert_eq!((first, number), (0x40, [1, 2, 3, 4, 5]));
}
