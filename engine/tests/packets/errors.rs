//! After every error except failed authentication, a packet is unchanged byte for byte. Packets are processed in one
//! step, in two steps, and in batches.

use std::collections::BTreeSet;

use kasoku_engine::Error;
use kasoku_engine::packet::{FailedOpens, Packet, PacketProtection, limits, number};

use crate::fixtures::{Keys, Lined, Plain};
use crate::reference::Reference;
use crate::support::random::Random;

const BATCHES: usize = if cfg!(debug_assertions) { 40 } else { 1000 };

/// A received packet, or arbitrary bytes, with the supposed offset of its number.
struct Received {
    bytes: Vec<u8>,
    number_offset: usize,
}

#[test]
fn rejected_received_packets_stay_unchanged() {
    let mut random = Random::new(91);
    for keys in Keys::of_both_sizes(&mut random) {
        let (reference, protections) = (keys.reference(), keys.protections());
        let mut seen = [const { BTreeSet::new() }; 3];
        for _ in 0..BATCHES {
            let expected = any_number(&mut random);
            let received: Vec<_> = (0..random.below(14)).map(|_| any(&mut random, &reference, expected)).collect();
            for protection in &protections {
                for received in &received {
                    check_single_packet(&mut random, protection, expected, received, &mut seen);
                }
                check_batch(protection, expected, &received);
            }
        }
        // Every documented error must have occurred, except for a too long text, which would not fit into memory.
        let form = ["PacketNumberOffset", "PacketNumberTooLarge", "PacketTooShort"];
        let [unprotect, unmask, open] = seen;
        assert_eq!(unmask, BTreeSet::from(form));
        assert_eq!(unprotect, BTreeSet::from(form).union(&BTreeSet::from(["AuthenticationFailed"])).copied().collect());
        assert_eq!(open, unprotect.union(&BTreeSet::from(["PacketNumberBytes"])).copied().collect());
    }
}

/// Runs each step on one packet, and adds the errors that occur to `seen` (unprotect, unmask, open).
fn check_single_packet(
    random: &mut Random,
    protection: &PacketProtection,
    expected: u64,
    received: &Received,
    seen: &mut [BTreeSet<&str>; 3],
) {
    let Received { bytes, number_offset } = received;
    let case = || format!("{protection:?}, {} bytes, number at {number_offset}, {expected:#x} expected", bytes.len());
    let mut unmasked = bytes.clone();
    let step = protection.unmask(expected, &mut unmasked, *number_offset);
    assert!(step.is_ok() || unmasked == *bytes, "{step:?}, {}", case());
    seen[1].extend(step.err().map(name));

    let mut packet = bytes.clone();
    let opened = protection.unprotect(expected, &mut packet, *number_offset);
    match (&opened, step) {
        (Ok(opened), Ok(step)) => {
            assert_eq!((opened.number, opened.payload.start), (step.number, number_offset + step.number_bytes));
            assert!(packet[..opened.payload.start] == unmasked[..opened.payload.start], "{}", case());
        }
        (Err(Error::AuthenticationFailed), Ok(step)) => {
            let mut forged = unmasked.clone();
            forged[number_offset + step.number_bytes..bytes.len() - 16].fill(0);
            assert!(packet == forged, "{}", case());
        }
        (Err(error), Err(same)) if *error == same => assert!(packet == *bytes, "{error:?}, {}", case()),
        differ => panic!("{differ:?}, {}", case()),
    }
    seen[0].extend(opened.as_ref().err().copied().map(name));

    // Opens the packet with the results of unmasking, or with other values.
    let decoded = step.map_or((expected, 1), |step| (step.number, step.number_bytes));
    let (number, number_bytes) = match random.below(4) {
        0 => (any_number(random), decoded.1),
        1 => (decoded.0, [0, 5, usize::MAX][random.below(3)]),
        _ => decoded,
    };
    let mut packet = unmasked.clone();
    match protection.open(number, &mut packet, *number_offset, number_bytes) {
        Ok(payload) => assert_eq!(payload, number_offset + number_bytes..bytes.len() - 16),
        Err(Error::AuthenticationFailed) => {
            unmasked[number_offset + number_bytes..bytes.len() - 16].fill(0);
            assert!(packet == unmasked, "{}", case());
            seen[2].insert("AuthenticationFailed");
        }
        Err(error) => {
            assert!(packet == unmasked, "{error:?}, {}", case());
            seen[2].insert(name(error));
        }
    }
}

/// Checks that each packet of a batch ends as it does alone, unprotected in one step or in two.
fn check_batch(protection: &PacketProtection, expected: u64, received: &[Received]) {
    for in_two_steps in [false, true] {
        let mut lined = Lined::new(received.iter().map(|received| &received.bytes[..]));
        let packets = lined.packets().zip(received);
        let mut batch: Vec<_> =
            packets.map(|(bytes, received)| Packet::incoming(bytes, received.number_offset)).collect();
        if in_two_steps {
            protection.unmask_batch(expected, &mut batch);
            for (packet, Received { bytes, number_offset }) in batch.iter().zip(received) {
                let mut alone = bytes.clone();
                let result = protection.unmask(expected, &mut alone, *number_offset);
                assert_eq!(packet.result(), result.map(drop), "{protection:?}, {expected:#x} expected");
                assert!(packet.bytes() == alone, "{result:?}, {protection:?}, {expected:#x} expected");
            }
            protection.open_batch(&mut batch);
        } else {
            protection.unprotect_batch(expected, &mut batch);
        }
        for (packet, Received { bytes, number_offset }) in batch.iter().zip(received) {
            let mut alone = bytes.clone();
            let result = protection.unprotect(expected, &mut alone, *number_offset);
            assert_eq!(packet.result(), result.as_ref().map(drop).map_err(|error| *error));
            assert!(packet.bytes() == alone, "{result:?}, {protection:?}, {expected:#x} expected");
            if let Ok(opened) = result {
                assert_eq!((packet.number(), packet.payload().len()), (opened.number, opened.payload.len()));
            }
        }
    }
}

/// Regression test: half of all packets sent to a receiver that expected number 2^62 lost their mask.
#[test]
fn received_packets_whose_number_decodes_to_2_to_the_62_stay_masked() {
    let mut random = Random::new(92);
    for protection in Keys::new(&mut random, 16).protections() {
        let mut refused = 0;
        for index in 0..256 {
            let before = random.bytes(29 + index);
            let mut copies: [Vec<u8>; 5] = std::array::from_fn(|_| before.clone());
            let [unprotected, unmasked, batch_unprotected, batch_unmasked, side_by_side] = &mut copies;
            let mut first = [Packet::incoming(batch_unprotected, 9)];
            let mut second = [Packet::incoming(batch_unmasked, 9)];
            let mut third = [Packet::incoming(side_by_side, 9)];
            protection.unprotect_batch(number::END, &mut first);
            protection.unmask_batch(number::END, &mut second);
            protection.unprotect_side_by_side(number::END, &mut third);
            let results = [
                protection.unprotect(number::END, unprotected, 9).map(drop),
                protection.unmask(number::END, unmasked, 9).map(drop),
                first[0].result(),
                second[0].result(),
                third[0].result(),
            ];
            if let Err(Error::PacketNumberTooLarge(number)) = results[0] {
                assert_eq!(results, [Err(Error::PacketNumberTooLarge(number)); 5]);
                assert!(number >= number::END);
                assert!(copies.iter().all(|copy| *copy == before), "{protection:?}");
                refused += 1;
            }
        }
        assert!((64..192).contains(&refused), "{refused} of 256");
    }
}

#[test]
fn unsendable_packets_stay_unchanged() {
    let mut random = Random::new(93);
    for keys in Keys::of_both_sizes(&mut random) {
        let mut seen = BTreeSet::new();
        for protection in keys.protections_from(number::END - 2 * limits::CONFIDENTIALITY) {
            for _ in 0..4 * BATCHES {
                let number = match random.below(4) {
                    0 => any_number(&mut random),
                    _ => number::END - 3 * limits::CONFIDENTIALITY + random.next() % (4 * limits::CONFIDENTIALITY),
                };
                let (number_offset, number_bytes) = (any_offset(&mut random), random.below(7));
                let length = random.below(90);
                let before = random.bytes(length);
                let [mut packet, mut sealed, mut together]: [Vec<u8>; 3] = std::array::from_fn(|_| before.clone());
                let result = protection.protect(number, &mut packet, number_offset, number_bytes);
                let mut batch = [Packet::outgoing(number, &mut together, number_offset, number_bytes)];
                protection.protect_batch(&mut batch);
                assert_eq!(batch[0].result(), result);
                assert_eq!(protection.seal(number, &mut sealed, number_offset, number_bytes).err(), result.err());
                if let Err(error) = result {
                    assert!([packet, sealed, together].iter().all(|packet| *packet == before), "{error:?}");
                    seen.insert(name(error));
                }
            }
        }
        let all = [
            "ConfidentialityLimit",
            "PacketNumberBytes",
            "PacketNumberFell",
            "PacketNumberOffset",
            "PacketNumberTooLarge",
            "PacketTooShort",
        ];
        assert_eq!(seen, BTreeSet::from(all));
    }
}

#[test]
fn packets_past_the_integrity_limit_stay_unchanged() {
    let mut random = Random::new(94);
    let keys = Keys::new(&mut random, 32);
    let reference = keys.reference();
    for protection in keys.protections() {
        let protection = protection.counting(&FailedOpens::from_count(limits::INTEGRITY));
        for _ in 0..BATCHES {
            let expected = any_number(&mut random);
            let Received { bytes, number_offset } = any(&mut random, &reference, expected);
            let mut packet = bytes.clone();
            assert_eq!(protection.unprotect(expected, &mut packet, number_offset), Err(Error::IntegrityLimit));
            let mut batch = [Packet::incoming(&mut packet, number_offset)];
            assert_eq!(protection.unprotect_batch(expected, &mut batch), 0);
            assert_eq!(batch[0].result(), Err(Error::IntegrityLimit));
            assert!(packet == bytes);
        }
    }
}

fn name(error: Error) -> &'static str {
    match error {
        Error::AuthenticationFailed => "AuthenticationFailed",
        Error::PacketTooShort { .. } => "PacketTooShort",
        Error::PacketNumberBytes(_) => "PacketNumberBytes",
        Error::PacketNumberOffset => "PacketNumberOffset",
        Error::PacketNumberTooLarge(_) => "PacketNumberTooLarge",
        Error::PacketNumberFell { .. } => "PacketNumberFell",
        Error::ConfidentialityLimit => "ConfidentialityLimit",
        other => panic!("{other}"),
    }
}

/// Makes a received packet with a number near the expected one, whole or damaged in transit, or arbitrary bytes.
fn any(random: &mut Random, reference: &Reference, expected: u64) -> Received {
    let (number_offset, number_bytes, payload) = (1 + random.below(30), 1 + random.below(4), random.below(70));
    let number = expected.saturating_sub(random.next() % 60).min(number::END - 1);
    let plain = Plain::new(random, number, [number_offset + 20 + payload, number_offset, number_bytes]);
    let mut bytes = plain.protected(reference);
    match random.below(6) {
        0 => random.fill(&mut bytes),
        1 => bytes.truncate(random.below(bytes.len())),
        2 => {
            let at = random.below(bytes.len());
            bytes[at] ^= 1 << random.below(8);
        }
        3 => return Received { bytes, number_offset: any_offset(random) },
        _ => {}
    }
    Received { bytes, number_offset }
}

fn any_offset(random: &mut Random) -> usize {
    match random.below(8) {
        0 => 0,
        1 => usize::MAX - random.below(40),
        _ => random.below(40),
    }
}

/// Returns a number, mostly near the last one that a packet can have.
fn any_number(random: &mut Random) -> u64 {
    match random.below(6) {
        0 => random.next(),
        1 => random.next() % 300,
        2 => number::END,
        3 => number::END - 1,
        _ => number::END - 300 + random.next() % 600,
    }
}
