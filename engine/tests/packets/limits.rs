//! Confidentiality and integrity limits: packets past a limit are rejected and stay unchanged.

use kasoku_engine::Error;
use kasoku_engine::packet::limits::{CONFIDENTIALITY, INTEGRITY};
use kasoku_engine::packet::{FailedOpens, Packet, PacketProtection, Unprotected, number};

use crate::fixtures::key_bytes;
use crate::support::backends;

fn protections() -> impl Iterator<Item = PacketProtection> {
    let expand_key = |(key_bytes, backend)| {
        PacketProtection::with_backend(&[1; 32][..key_bytes], &[2; 12], &[3; 32][..key_bytes], backend).unwrap()
    };
    [16, 32].into_iter().flat_map(|bytes| backends::paths().iter().map(move |path| (bytes, *path))).map(expand_key)
}

const PLAIN: [u8; 60] = [0x43; 60];

fn protect(protection: &PacketProtection, number: u64) -> Result<(), Error> {
    let mut packet = PLAIN;
    let result = protection.protect(number, &mut packet, 9, 4);
    assert_eq!(packet == PLAIN, result.is_err(), "{protection:?}, {number}");
    let mut again = PLAIN;
    let mut batch = [Packet::outgoing(number, &mut again, 9, 4)];
    assert_eq!(protection.protect_batch(&mut batch), usize::from(result.is_ok()));
    assert_eq!(batch[0].result(), result, "{protection:?}, {number}");
    assert_eq!(packet, again, "{protection:?}, {number}");
    result
}

#[test]
fn packet_limits_match_rfc_9001_and_rfc_9000() {
    assert_eq!((CONFIDENTIALITY, INTEGRITY, number::END), (1 << 23, 1 << 52, 1 << 62));
}

#[test]
fn keys_protect_packet_numbers_from_first_to_first_plus_limit_minus_one() {
    for first in [0, 1, 77, 1 << 31, number::END - CONFIDENTIALITY - 1] {
        for was_said in [true, false] {
            for protection in protections() {
                let protection = if was_said { protection.beginning_at(first).unwrap() } else { protection };
                if !was_said {
                    assert_eq!(protect(&protection, first), Ok(()));
                }
                let fell = |number| Err(Error::PacketNumberFell { number, first });
                assert_eq!(protect(&protection, first + CONFIDENTIALITY - 1), Ok(()));
                assert_eq!(protect(&protection, first + CONFIDENTIALITY), Err(Error::ConfidentialityLimit));
                assert_eq!(protect(&protection, number::END - 1), Err(Error::ConfidentialityLimit));
                if first > 0 {
                    assert_eq!(protect(&protection, first - 1), fell(first - 1));
                    assert_eq!(protect(&protection, 0), fell(0));
                }
                assert_eq!(protect(&protection, first), Ok(()), "what was refused counts for nothing");
                assert_eq!(protect(&protection, number::END), Err(Error::PacketNumberTooLarge(number::END)));
            }
        }
    }
}

/// The last packet number is 2^62 − 1.
#[test]
fn keys_protect_the_last_packet_number() {
    for protection in protections() {
        let last = number::END - 1;
        let protection = protection.beginning_at(last - 1).unwrap();
        assert_eq!(protect(&protection, last - 1), Ok(()));
        assert_eq!(protect(&protection, last), Ok(()));
        for number in [number::END, number::END + 1, 1 << 63, u64::MAX] {
            assert_eq!(protect(&protection, number), Err(Error::PacketNumberTooLarge(number)));
        }
        let mut packet = PLAIN;
        packet[9..13].fill(0xFF);
        protection.protect(last, &mut packet, 9, 4).unwrap();
        let opened = protection.unprotect(last, &mut packet, 9);
        assert_eq!(opened, Ok(Unprotected { number: last, payload: 13..44 }));
    }
}

/// If 2^64 − 1 were accepted as the first packet number, the key could also protect the packet numbers 0 to 2^23 − 2.
#[test]
fn beginning_at_rejects_packet_numbers_of_2_to_the_62_and_more() {
    for first in [number::END, number::END + 1, 1 << 63, u64::MAX - 1, u64::MAX] {
        for protection in protections() {
            assert_eq!(protection.beginning_at(first).err(), Some(Error::PacketNumberTooLarge(first)));
        }
    }
    for protection in protections() {
        let last = number::END - 1;
        let protection = protection.beginning_at(last).unwrap();
        assert_eq!(protect(&protection, last - 1), Err(Error::PacketNumberFell { number: last - 1, first: last }));
        assert_eq!(protect(&protection, 0), Err(Error::PacketNumberFell { number: 0, first: last }));
        assert_eq!(protect(&protection, last), Ok(()));
        assert_eq!(protect(&protection, number::END), Err(Error::PacketNumberTooLarge(number::END)));
    }
}

#[test]
fn malformed_packets_do_not_set_the_first_packet_number_of_a_key() {
    for protection in protections() {
        let mut short = [0; 28];
        assert!(protection.protect(1000, &mut short, 9, 2).is_err());
        assert!(protection.protect(1000, &mut PLAIN.clone(), 0, 2).is_err());
        assert!(protection.protect(1000, &mut PLAIN.clone(), 9, 0).is_err());
        assert!(protection.protect_batch(&mut [Packet::outgoing(1000, &mut short, 9, 2)]) == 0);
        assert_eq!(protect(&protection, 5), Ok(()));
    }
}

#[test]
fn keys_of_all_phases_stop_opening_at_the_integrity_limit() {
    for protection in protections() {
        let failed = FailedOpens::from_count(INTEGRITY - 2);
        let protection = protection.counting(&failed);
        let next = protection.next_phase(&[9; 32][..key_bytes(&protection)], &[8; 12]).unwrap();
        let mut genuine = PLAIN;
        protection.protect(0x4343_4343, &mut genuine, 9, 4).unwrap();
        let before = genuine;

        assert_eq!(protection.unprotect(0x4343_4343, &mut PLAIN.clone(), 9), Err(Error::AuthenticationFailed));
        assert_eq!(failed.count(), INTEGRITY - 1);
        assert!(protection.unprotect(0x4343_4343, &mut genuine.clone(), 9).is_ok(), "one is left");
        assert_eq!(
            next.unprotect(0x4343_4343, &mut PLAIN.clone(), 9),
            Err(Error::AuthenticationFailed),
            "the next phase counts too"
        );
        assert_eq!((failed.count(), next.failed_opens().count()), (INTEGRITY, INTEGRITY));

        for protection in [&protection, &next] {
            let limit = Some(Error::IntegrityLimit);
            assert_eq!(protection.unprotect(0x4343_4343, &mut genuine, 9).err(), limit, "{protection:?}");
            assert_eq!(protection.open(0x4343_4343, &mut genuine, 9, 4).err(), limit, "{protection:?}");
            assert_eq!(genuine, before, "{protection:?}");
        }
        assert!(protection.unmask(0x4343_4343, &mut genuine, 9).is_ok(), "unmasking verifies nothing");
        assert_eq!(genuine[..13], PLAIN[..13]);
        assert_eq!(failed.count(), INTEGRITY);
        assert_eq!(protect(&protection, 0x4343_4343), Ok(()), "sending goes on");
    }
}

/// Objects with different keys share one count of failed packets.
#[test]
fn failed_opens_returns_the_sum_over_all_key_phases() {
    let failed = FailedOpens::default();
    let protections: Vec<_> = protections().map(|protection| protection.counting(&failed)).collect();
    for (index, protection) in protections.iter().enumerate() {
        assert_eq!(protection.unprotect(0, &mut PLAIN.clone(), 9), Err(Error::AuthenticationFailed));
        assert_eq!(failed.count(), index as u64 + 1);
        assert_eq!(protections[0].failed_opens().count(), failed.count());
    }
    assert_eq!(self::protections().next().unwrap().failed_opens().count(), 0, "others count for themselves");
}
