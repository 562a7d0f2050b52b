//! Records of DTLS 1.3 (RFC 9147 §4): no vectors of them are published, so they are held against two passes of other
//! people's AES-GCM and AES.

use kasoku_engine::Error;
use kasoku_engine::cpu::Found;
use kasoku_engine::packet::dtls::{CONFIDENTIALITY, Header, RecordProtection};

use crate::material::{Keys, sparse};
use crate::reference::Reference;
use crate::support::backends;
use crate::support::random::Random;

const HEADERS: [Header; 7] = [
    Header { number_offset: 1, number_bytes: 1, bytes: 2 },
    Header { number_offset: 1, number_bytes: 2, bytes: 3 },
    Header { number_offset: 1, number_bytes: 1, bytes: 4 },
    Header { number_offset: 1, number_bytes: 2, bytes: 5 },
    Header { number_offset: 9, number_bytes: 2, bytes: 13 },
    Header { number_offset: 13, number_bytes: 2, bytes: 17 },
    Header { number_offset: 21, number_bytes: 1, bytes: 24 },
];

fn protections(keys: &Keys) -> Vec<RecordProtection> {
    let with = |&backend| {
        RecordProtection::with_features(&keys.key, &keys.iv, &keys.header_key, backend, Found::here()).unwrap()
    };
    backends::available().iter().map(with).collect()
}

/// A record that looks random but for its number, and how it is sent.
fn record(random: &mut Random, reference: &Reference, header: Header, number: u64, bytes: usize) -> [Vec<u8>; 2] {
    let mut plain = random.bytes(bytes);
    let place = [header.number_offset, header.number_offset + header.number_bytes];
    plain[place[0]..place[1]].copy_from_slice(&number.to_be_bytes()[8 - header.number_bytes..]);
    let mut protected = plain.clone();
    reference.protect_record(number, &mut protected, place, header.bytes);
    [plain, protected]
}

#[test]
fn every_length() {
    let mut random = Random::new(1);
    for keys in Keys::both(&mut random) {
        let (reference, protections) = (keys.reference(), protections(&keys));
        for header in HEADERS {
            for text in (0..700).chain([1440, 4096, 16_385]).step_by(sparse(23)) {
                let number = 0x1122_3344 + random.below(100) as u64;
                let [plain, protected] = record(&mut random, &reference, header, number, header.bytes + text + 16);
                for protection in &protections {
                    let case = format!("{protection:?}, {header:?}, {text} bytes of text");
                    let mut work = plain.clone();
                    let _ = protection.protect(0x1122_3344, &mut work.clone(), header);
                    assert_eq!(protection.protect(number, &mut work, header), Ok(()), "{case}");
                    assert!(work == protected, "{case}");
                    assert_eq!(protection.unmask(number - 60, &mut work, header), Ok(number), "{case}");
                    let range = header.bytes..header.bytes + text;
                    assert_eq!(protection.open(number, &mut work, header), Ok(range.clone()), "{case}");
                    assert!(work[..range.end] == plain[..range.end], "{case}");
                    assert!(work[range.end..] == protected[range.end..], "{case}");
                }
            }
        }
    }
}

#[test]
fn too_short_or_contradictory() {
    let mut random = Random::new(2);
    for protection in protections(&Keys::new(&mut random, 16)) {
        let mut refuse = |bytes: usize, header: Header, error: Error| {
            let before = random.bytes(bytes);
            let mut record = before.clone();
            let case = format!("{protection:?}, {header:?}, {bytes} bytes");
            assert_eq!(protection.protect(7, &mut record, header), Err(error), "{case}");
            assert_eq!(protection.unmask(7, &mut record, header), Err(error), "{case}");
            assert_eq!(protection.open(7, &mut record, header), Err(error), "{case}");
            assert!(record == before, "{case}");
        };
        for header in HEADERS {
            for bytes in 0..header.bytes + 16 {
                let error = Error::PacketTooShort { packet_bytes: bytes, least: header.bytes + 16 };
                refuse(bytes, header, error);
            }
        }
        let header = |number_offset, number_bytes, bytes| Header { number_offset, number_bytes, bytes };
        for number_bytes in [0, 3, 4, usize::MAX] {
            refuse(60, header(1, number_bytes, 5), Error::PacketNumberBytes(number_bytes));
        }
        for (offset, bytes) in [(0, 5), (4, 5), (5, 5), (1, 2), (1, 0), (usize::MAX, 5), (usize::MAX, usize::MAX)] {
            refuse(60, header(offset, 2, bytes), Error::PacketNumberOffset);
        }
        refuse(60, header(1, 2, usize::MAX), Error::PacketTooShort { packet_bytes: 60, least: usize::MAX });
        assert_eq!(protection.failed_opens().count(), 0);
    }
}

#[test]
fn every_bit_of_a_forgery() {
    let mut random = Random::new(3);
    for keys in Keys::both(&mut random) {
        let reference = keys.reference();
        for protection in protections(&keys) {
            for (header, text) in HEADERS.into_iter().zip([0, 1, 16, 33, 100, 200, 3]).step_by(sparse(3)) {
                let [_, protected] = record(&mut random, &reference, header, 500, header.bytes + text + 16);
                for bit in (0..8 * protected.len()).step_by(sparse(7)) {
                    let before = protection.failed_opens().count();
                    let mut forged = protected.clone();
                    forged[bit / 8] ^= 1 << (bit % 8);
                    let number = protection.unmask(500, &mut forged, header).unwrap();
                    let unmasked = forged.clone();
                    let case = format!("{protection:?}, {header:?}, bit {bit}");
                    assert_eq!(protection.open(number, &mut forged, header), Err(Error::Forged), "{case}");
                    let end = header.bytes + text;
                    assert!(forged[header.bytes..end].iter().all(|&byte| byte == 0), "{case}");
                    assert!(forged[..header.bytes] == unmasked[..header.bytes], "{case}");
                    assert!(forged[end..] == unmasked[end..], "{case}");
                    assert_eq!(protection.failed_opens().count(), before + 1, "{case}");
                }
            }
        }
    }
}

#[test]
fn limits() {
    let header = HEADERS[3];
    let mut random = Random::new(4);
    for keys in Keys::both(&mut random) {
        for protection in protections(&keys) {
            let plain = [0x2E; 60];
            let protect = |number| {
                let mut record = plain;
                let result = protection.protect(number, &mut record, header);
                assert_eq!(record == plain, result.is_err());
                result
            };
            assert_eq!(protect(100), Ok(()));
            assert_eq!(protect(100 + CONFIDENTIALITY - 1), Ok(()));
            assert_eq!(protect(100 + CONFIDENTIALITY), Err(Error::ConfidentialityLimit));
            assert_eq!(protect(99), Err(Error::PacketNumberFell { number: 99, first: 100 }));
            for number in [1 << 48, 1 << 62, u64::MAX] {
                assert_eq!(protect(number), Err(Error::PacketNumberTooLarge(number)));
                let mut record = plain;
                let opened = protection.open(number, &mut record, header);
                assert_eq!((opened, record), (Err(Error::PacketNumberTooLarge(number)), plain));
            }
        }
    }
}
