//! Packet protection in separate steps gives the same packets as in one call.

use kasoku_engine::Error;
use kasoku_engine::packet::{FailedOpens, HeaderMask, HeaderProtection, PacketProtection, limits};

use crate::fixtures::{Keys, Plain};
use crate::support::backends;
use crate::support::random::Random;

#[test]
fn seal_and_mask_give_the_same_packet_as_protect() {
    let mut random = Random::new(81);
    for keys in Keys::of_both_sizes(&mut random) {
        let reference = keys.reference();
        for [number_offset, number_bytes, bytes] in
            [[1, 1, 21], [9, 2, 1452], [9, 3, 29 + 3], [18, 4, 1200], [25, 4, 9000], [9, 4, 40]]
        {
            let plain = Plain::new(&mut random, 0x1234_5678, [bytes, number_offset, number_bytes]);
            let protected = plain.protected(&reference);
            for protection in keys.protections() {
                let mut work = plain.bytes.clone();
                let mask = protection.seal(plain.number, &mut work, number_offset, number_bytes).unwrap();
                let header_bytes = number_offset + number_bytes;
                assert_eq!(work[..header_bytes], plain.bytes[..header_bytes], "the header is left as it is");
                assert_eq!(work[header_bytes..], protected[header_bytes..]);

                let sample = work[number_offset + 4..].first_chunk().unwrap();
                assert_eq!(protection.header_mask(sample), mask);
                let alone = HeaderProtection::with_backend(&keys.header_key, protection.backend()).unwrap();
                assert_eq!(alone.mask(sample), mask);
                assert_eq!(HeaderMask::from_bits(mask.to_bits()), mask);
                assert_eq!(mask.to_bits().to_le_bytes()[..5], mask.bytes());

                mask.apply(&mut work, number_offset).unwrap();
                assert!(work == protected, "{bytes} bytes, {protection:?}");

                let mut unmasked = work.clone();
                mask.remove(&mut unmasked, number_offset).unwrap();
                protection.unmask(plain.number, &mut work, number_offset).unwrap();
                assert!(work == unmasked);
                let (header, payload) = work.split_at_mut(header_bytes);
                assert_eq!(protection.open_payload(plain.number, header, payload), Ok(payload.len() - 16));
                assert!(work[..bytes - 16] == plain.bytes[..bytes - 16], "{bytes} bytes, {protection:?}");
            }
        }
    }
}

/// Tests a sample whose bits are all ones, and a sample from the tests of AWS-LC and ring.
#[test]
fn header_protection_matches_published_masks() {
    let key = 0xe890_4ecc_2e37_a6e4_cc02_271e_319c_804b_u128.to_be_bytes();
    for &backend in backends::available() {
        let key = HeaderProtection::with_backend(&key, backend).unwrap();
        assert_eq!(key.mask(&[0xFF; 16]).bytes(), [0xb8, 0x10, 0x44, 0x22, 0x6c], "{backend}");
        let sample = 0x1348_4ec8_5dc4_d363_4969_7c7d_4ea1_a159_u128.to_be_bytes();
        assert_eq!(key.mask(&sample).bytes(), [0x67, 0x38, 0x7e, 0xbf, 0x3a], "{backend}");
    }
}

#[test]
fn seal_and_open_payload_reject_misuse_and_wipe_forgeries() {
    let mut random = Random::new(82);
    let keys = Keys::new(&mut random, 16);
    for protection in keys.protections() {
        let before = random.bytes(60);
        let mut work = before.clone();
        assert_eq!(protection.seal(0, &mut work, 41, 1), Err(Error::PacketTooShort { packet_bytes: 60, least: 61 }));
        assert_eq!(protection.seal(0, &mut work, 9, 5), Err(Error::PacketNumberBytes(5)));
        assert_eq!(HeaderMask::from_bits(0).apply(&mut work, 0), Err(Error::PacketNumberOffset));
        assert_eq!(protection.open_payload(1 << 62, b"", &mut work), Err(Error::PacketNumberTooLarge(1 << 62)));
        assert_eq!(work, before);

        protection.seal(7, &mut work, 9, 1).unwrap();
        assert_eq!(
            protection.seal(7 + limits::CONFIDENTIALITY, &mut work, 9, 1),
            Err(Error::ConfidentialityLimit),
            "the limit counts here too"
        );
        assert_eq!(protection.seal(6, &mut work, 9, 1), Err(Error::PacketNumberFell { number: 6, first: 7 }));

        let counting = PacketProtection::new(&keys.key, &keys.iv, &keys.header_key).unwrap();
        for bytes in 0..50 {
            let mut payload = random.bytes(bytes);
            assert_eq!(
                counting.open_payload(3, b"header", &mut payload),
                Err(Error::AuthenticationFailed),
                "{bytes} bytes"
            );
            assert!(bytes < 16 || payload[..bytes - 16].iter().all(|&byte| byte == 0), "{bytes} bytes");
        }
        assert_eq!(counting.failed_opens().count(), 50);
        let tired = counting.counting(&FailedOpens::from_count(limits::INTEGRITY));
        assert_eq!(tired.open_payload(3, b"", &mut [1; 20]), Err(Error::IntegrityLimit));
    }
    assert!(matches!(HeaderProtection::new(&[0; 24]), Err(Error::KeyLength(24))));
}
