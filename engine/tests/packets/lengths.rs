//! Every packet length, with all lengths of the packet number and many header lengths, one packet at a time.

use kasoku_engine::Error;
use kasoku_engine::packet::{Packet, PacketProtection, Unprotected};

use crate::fixtures::{Keys, Plain, sparse};
use crate::reference::Reference;
use crate::support::random::Random;

/// Lengths in bytes of the header before the packet number: below, at and above multiples of a block, and longer than
/// any real header.
const NUMBER_OFFSETS: [usize; 11] = [1, 5, 9, 13, 16, 17, 20, 32, 33, 60, 300];

/// First packet number.
const NUMBER: u64 = 0x2345_6789_ABCD;

/// Starts with the shortest packet, whose sample is the tag alone.
#[test]
fn every_packet_length_matches_the_reference() {
    let mut random = Random::new(1);
    for keys in Keys::of_both_sizes(&mut random) {
        let (reference, protections) = (keys.reference(), keys.protections_from(NUMBER));
        for number_offset in NUMBER_OFFSETS {
            for bytes in (number_offset + 20..=1600).step_by(sparse(41)) {
                for number_bytes in 1..=4 {
                    check(&mut random, &reference, &protections, [bytes, number_offset, number_bytes]);
                }
            }
        }
    }
}

/// Tests lengths around multiples of the bytes that the loops process in an iteration.
#[test]
fn long_packets_match_the_reference() {
    let mut random = Random::new(2);
    for keys in Keys::of_both_sizes(&mut random) {
        let (reference, protections) = (keys.reference(), keys.protections_from(NUMBER));
        for round in [2048, 4096, 8192, 9000, 16_384, 65_507].into_iter().step_by(sparse(2)) {
            for more in (0..70).step_by(sparse(9)) {
                check(&mut random, &reference, &protections, [round + more, 9 + more % 20, 1 + more % 4]);
            }
        }
    }
}

#[test]
fn packets_too_short_to_sample_stay_unchanged() {
    let mut random = Random::new(3);
    for keys in Keys::of_both_sizes(&mut random) {
        for protection in keys.protections() {
            for number_offset in NUMBER_OFFSETS {
                for bytes in (0..number_offset + 20).step_by(sparse(3)) {
                    refuse(&mut random, &protection, bytes, number_offset);
                }
            }
            assert_eq!(protection.failed_opens().count(), 0, "what is not tried does not fail");
        }
    }
}

/// Checks a packet in the middle of a buffer, at any alignment. No other byte of the buffer may change.
fn check(random: &mut Random, reference: &Reference, protections: &[PacketProtection], sizes: [usize; 3]) {
    let number = NUMBER + random.below(1 << 20) as u64;
    let plain = Plain::new(random, number, sizes);
    let protected = plain.protected(reference);
    let (before, behind) = (vec![0xA5; random.below(64)], [0x5A; 64]);
    let range = before.len()..before.len() + plain.bytes.len();
    let expected = number + random.below(0xFF) as u64 - 0x7F;
    for protection in protections {
        let case = format!("{protection:?}, {}", plain.case());
        let mut buffer = [&before, &plain.bytes[..], &behind].concat();
        let [_, number_offset, number_bytes] = sizes;
        assert_eq!(
            protection.protect(number, &mut buffer[range.clone()], number_offset, number_bytes),
            Ok(()),
            "{case}"
        );
        assert!(buffer == [&before, &protected[..], &behind].concat(), "protected, {case}");

        let payload = number_offset + number_bytes..plain.bytes.len() - 16;
        let opened = protection.unprotect(expected, &mut buffer[range.clone()], number_offset);
        assert_eq!(opened, Ok(Unprotected { number, payload: payload.clone() }), "{case}");
        let whole = [&before, plain.header_and_payload(), &protected[payload.end..], &behind].concat();
        assert!(buffer == whole, "unprotected, {case}");
    }
}

fn refuse(random: &mut Random, protection: &PacketProtection, bytes: usize, number_offset: usize) {
    let before = random.bytes(bytes);
    let mut packet = before.clone();
    let case = format!("{protection:?}, {bytes} bytes, number at {number_offset}");
    let error = Error::PacketTooShort { packet_bytes: bytes, least: number_offset + 20 };
    for number_bytes in 1..=4 {
        assert_eq!(protection.protect(7, &mut packet, number_offset, number_bytes), Err(error), "{case}");
        assert_eq!(protection.open(7, &mut packet, number_offset, number_bytes), Err(error), "{case}");
        let mut batch = [Packet::outgoing(7, &mut packet, number_offset, number_bytes)];
        assert_eq!((protection.protect_batch(&mut batch), batch[0].result()), (0, Err(error)), "{case}");
    }
    assert_eq!(protection.unmask(7, &mut packet, number_offset), Err(error), "{case}");
    assert_eq!(protection.unprotect(7, &mut packet, number_offset), Err(error), "{case}");
    let mut batch = [Packet::incoming(&mut packet, number_offset)];
    assert_eq!((protection.unmask_batch(7, &mut batch), batch[0].result()), (0, Err(error)), "{case}");
    assert_eq!((protection.unprotect_batch(7, &mut batch), batch[0].result()), (0, Err(error)), "{case}");
    assert!(batch[0].payload().is_empty(), "{case}");
    assert!(packet == before, "{case}");
}
