//! TLS records that are modified on the way.

use std::io::Write;

use rustls::{AlertDescription, CipherSuite, Error};

use crate::pair::{Pair, hand_over, text};
use crate::support::providers::{SUITES, only, others};

const HEADER: usize = 5;

#[test]
fn changed_tls_record_causes_bad_record_mac() {
    for suite in SUITES {
        for bytes in [1, 100, 1452, 16_384] {
            // First and last byte after the header, one in the middle, one of the tag.
            for position in [0, 7, 8, bytes / 2, bytes + 8, bytes + 16] {
                corrupt(suite, bytes, |record| {
                    let last = record.len() - 1;
                    record[(HEADER + position).min(last)] ^= 0x40;
                });
            }
        }
    }
}

#[test]
fn tls_record_shorter_than_its_tag_is_rejected() {
    for suite in SUITES {
        for left in [1, 7, 8, 15, 16, 17, 23] {
            corrupt(suite, 100, |record| {
                record.truncate(HEADER + left);
                record[3..5].copy_from_slice(&[0, left as u8]);
            });
        }
    }
}

/// The record number is part of the nonce, so a repeated record must be rejected.
#[test]
fn replayed_tls_record_is_rejected() {
    for suite in SUITES {
        corrupt(suite, 100, |record| {
            let first: Vec<u8> = record.clone();
            record.extend(first);
        });
    }
}

#[test]
fn tls_record_with_changed_type_is_rejected() {
    for suite in SUITES.into_iter().skip(2) {
        corrupt(suite, 100, |record| record[0] = 22);
    }
}

/// Records above the limit (RFC 8446 §5.2, RFC 5246 §6.2.3) must be rejected before they are opened.
#[test]
fn tls_record_above_the_length_limit_is_rejected() {
    for suite in SUITES {
        let mut pair = pair(suite);
        pair.client.writer().write_all(&text(100)).unwrap();
        let error = hand_over(&mut pair.client, &mut pair.server, |record| {
            record.splice(.., [vec![23, 3, 3, 0xFF, 0xFF], vec![0; 0xFFFF]].concat());
        })
        .unwrap_err();
        assert!(matches!(error, Error::InvalidMessage(_)), "{suite:?}: {error:?}");
    }
}

/// Sends a record, applies `change`, and expects the error and its alert.
fn corrupt(suite: CipherSuite, bytes: usize, change: impl Fn(&mut Vec<u8>)) {
    let mut pair = pair(suite);
    pair.client.writer().write_all(&text(bytes)).unwrap();
    let error = hand_over(&mut pair.client, &mut pair.server, change).unwrap_err();
    assert_eq!(error, Error::DecryptError, "{suite:?}, {bytes} bytes");
    let alert = hand_over(&mut pair.server, &mut pair.client, |_| ()).unwrap_err();
    assert_eq!(alert, Error::AlertReceived(AlertDescription::BadRecordMac), "{suite:?}");
}

fn pair(suite: CipherSuite) -> Pair {
    let (_, other) = others().into_iter().next().unwrap();
    Pair::of_suite(suite, only(other, suite), only(kasoku_rustls::default_provider(), suite))
}
