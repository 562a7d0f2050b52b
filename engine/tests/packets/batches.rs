//! Batches of any mix of packets, compared with single packets and with the reference implementation. One invalid
//! packet, at any position, does not affect the other packets.

use kasoku_engine::packet::{FailedOpens, Packet, PacketProtection, number};
use kasoku_engine::{Error, packet::limits};

use crate::fixtures::{Keys, Lined, Plain, key_bytes, sparse};
use crate::reference::Reference;
use crate::support::random::Random;

/// First packet number protected under the keys.
const FIRST: u64 = 0x1234_5678_9ABC;

/// Expected packet number, from which truncated packet numbers are decoded.
const EXPECTED: u64 = FIRST + 60;

/// Batch sizes in packets: none, fewer and more than are interleaved, and more than a system call sends.
const COUNTS: [usize; 19] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 15, 16, 17, 31, 33, 63, 64, 70];

#[test]
fn batches_of_one_length_match_single_packets() {
    with_keys(1, |random, reference, protections| {
        for (index, bytes) in (0..=700).step_by(sparse(23)).enumerate() {
            let [number_offset, number_bytes] = [[9, 2], [1, 1], [18, 4], [13, 3]][index % 4];
            let count = [5, 8, 3, 9, 17][index % 5];
            let bytes = number_offset + 20 + bytes;
            let sizes = vec![[bytes, number_offset, number_bytes]; count];
            check(random, reference, protections, &sizes);
        }
        for count in COUNTS {
            for bytes in [24, 39, 60, 77, 200, 1200, 1440].into_iter().step_by(sparse(2)) {
                check(random, reference, protections, &vec![[9 + bytes, 9, 2]; count]);
                // Like the segments of a datagram: all packets but the last have the same length.
                if let Some(equal) = count.checked_sub(1) {
                    for last in [20, bytes - 1, bytes + 1, bytes + 700] {
                        let sizes = [vec![[9 + bytes, 9, 2]; equal], vec![[9 + last, 9, 2]]].concat();
                        check(random, reference, protections, &sizes);
                    }
                }
            }
        }
    });
}

#[test]
fn batches_of_mixed_lengths_match_single_packets() {
    with_keys(2, |random, reference, protections| {
        for round in (0..12).step_by(sparse(6)) {
            for count in COUNTS {
                let most = [40, 120, 300, 1500][round % 4];
                let mut sizes: Vec<_> = (0..count).map(|_| any_sizes(random, most)).collect();
                check(random, reference, protections, &sizes);
                sizes.sort_unstable();
                check(random, reference, protections, &sizes);
                sizes.reverse();
                check(random, reference, protections, &sizes);
                for (index, size) in sizes.iter_mut().enumerate() {
                    if index % [2, 3, 5][round % 3] == round % 2 {
                        *size = [[9 + 20, 9, 1], [9000, 18, 4]][round % 2];
                    }
                }
                check(random, reference, protections, &sizes);
            }
        }
    });
}

/// Two packets of every pair of short lengths, and every length after three packets of another length.
#[test]
fn batches_of_two_lengths_match_single_packets() {
    with_keys(3, |random, reference, protections| {
        for one in (29..29 + 68).step_by(sparse(13)) {
            for other in (29..29 + 68).step_by(sparse(7)) {
                check(random, reference, protections, &[[one, 9, 2], [other, 9, 2]]);
            }
        }
        for bytes in (29..600).step_by(sparse(17)) {
            let other = 29 + random.below(600);
            check(random, reference, protections, &[[other, 9, 2], [other, 9, 2], [other, 9, 2], [bytes, 9, 2]]);
        }
    });
}

#[test]
fn batch_with_one_unsendable_packet_protects_the_others() {
    with_keys(4, |random, reference, protections| {
        for count in [1, 2, 3, 5, 8, 17, 40].into_iter().step_by(sparse(3)) {
            for place in 0..count {
                for (kind, make) in UNSENDABLE.iter().enumerate() {
                    let mut plain = plain(random, &vec![[100 + 20 * (kind % 3), 9, 2]; count]);
                    let error = make(&mut plain[place]);
                    check_protecting(reference, protections, &plain, &|index| (index == place).then_some(error));
                }
            }
        }
    });
}

#[test]
fn batch_with_many_unsendable_packets_protects_the_others() {
    with_keys(5, |random, reference, protections| {
        for _ in (0..60).step_by(sparse(12)) {
            let sizes: Vec<_> = (0..random.below(70)).map(|_| any_sizes(random, 400)).collect();
            let mut plain = plain(random, &sizes);
            let mut errors = vec![None; plain.len()];
            for (plain, error) in plain.iter_mut().zip(&mut errors) {
                if random.below(3) == 0 {
                    *error = Some(UNSENDABLE[random.below(UNSENDABLE.len())](plain));
                }
            }
            check_protecting(reference, protections, &plain, &|index| errors[index]);
        }
    });
}

#[test]
fn batch_with_damaged_packets_opens_the_others() {
    with_keys(6, |random, reference, protections| {
        for round in (0..150).step_by(sparse(25)) {
            let count = 1 + round % 20;
            let sizes: Vec<_> = (0..count).map(|_| any_sizes(random, [60, 300, 1500][round % 3])).collect();
            let plain = plain(random, &sizes);
            let mut received: Vec<_> = plain.iter().map(|plain| plain.protected(reference)).collect();
            let bad = if round % 2 == 0 { vec![random.below(count)] } else { random_subset(random, count) };
            for &index in &bad {
                damage(random, &mut received[index], plain[index].number_offset);
            }
            for protection in protections {
                check_unprotecting(protection, &plain, &received);
            }
        }
    });
}

/// An empty batch, and packets that were never unmasked.
#[test]
fn batches_that_are_empty_or_still_masked_open_no_packets() {
    with_keys(7, |_, _, protections| {
        for protection in protections {
            assert_eq!(protection.protect_batch(&mut []), 0);
            assert_eq!(protection.unprotect_batch(9, &mut []), 0);
            assert_eq!(protection.unmask_batch(9, &mut []), 0);
            assert_eq!(protection.open_batch(&mut []), 0);
            let mut bytes = [[0x41; 60]; 3];
            let mut batch: Vec<_> = bytes.iter_mut().map(|bytes| Packet::incoming(bytes, 9)).collect();
            assert_eq!(protection.open_batch(&mut batch), 0, "nobody unmasked these");
            assert!(batch.iter().all(|packet| packet.result() == Err(Error::PacketNumberBytes(0))));
            assert_eq!(bytes, [[0x41; 60]; 3]);
        }
    });
}

/// If the integrity limit (maximum number of failed packets) is reached, no packet of a batch is opened.
#[test]
fn batches_past_the_integrity_limit_stay_unchanged() {
    with_keys(8, |random, reference, protections| {
        for protection in protections {
            let full = FailedOpens::from_count(limits::INTEGRITY);
            let protection =
                protection.next_phase(&[1; 32][..key_bytes(protection)], &[2; 12]).unwrap().counting(&full);
            let plain = plain(random, &[[60, 9, 2]; 5]);
            let received: Vec<_> = plain.iter().map(|plain| plain.protected(reference)).collect();
            let mut lined = Lined::new(received.iter().map(Vec::as_slice));
            let mut batch = lined.incoming(&plain);
            assert_eq!(protection.unprotect_batch(EXPECTED, &mut batch), 0);
            assert!(batch.iter().all(|packet| packet.result() == Err(Error::IntegrityLimit)));
            assert!(batch.iter().zip(&received).all(|(packet, received)| packet.bytes() == received));
            assert_eq!(protection.unmask_batch(EXPECTED, &mut batch), 5, "unmasking verifies nothing");
            assert_eq!(protection.open_batch(&mut batch), 0);
            assert!(batch.iter().all(|packet| packet.result() == Err(Error::IntegrityLimit)));
            assert_eq!(full.count(), limits::INTEGRITY);
        }
    });
}

/// The whole batch is processed even if a packet in its middle reaches the limit: the headers of later packets are
/// unmasked already.
#[test]
fn batch_that_reaches_the_integrity_limit_is_still_processed_to_its_end() {
    with_keys(9, |random, reference, protections| {
        for (protection, in_two_steps) in protections.iter().flat_map(|one| [(one, false), (one, true)]) {
            // Several lengths, so that some packets form a run and others are processed one by one.
            for count in [1, 3, 9, 70] {
                let sizes: Vec<_> = (0..count).map(|index| [60 + index / 8 % 2 * index, 9, 2]).collect();
                let plain = plain(random, &sizes);
                let received: Vec<_> = plain.iter().map(|plain| plain.protected(reference)).collect();
                let failed = FailedOpens::from_count(limits::INTEGRITY - 1);
                // With another key, all packets are forgeries.
                let next =
                    protection.next_phase(&[1; 32][..key_bytes(protection)], &[2; 12]).unwrap().counting(&failed);
                let mut lined = Lined::new(received.iter().map(Vec::as_slice));
                let mut batch = lined.incoming(&plain);
                let succeeded = if in_two_steps {
                    assert_eq!(next.unmask_batch(EXPECTED, &mut batch), count);
                    next.open_batch(&mut batch)
                } else {
                    next.unprotect_batch(EXPECTED, &mut batch)
                };
                assert_eq!(succeeded, 0);
                assert_eq!(failed.count(), limits::INTEGRITY - 1 + count as u64);
                for (packet, (plain, received)) in batch.iter().zip(plain.iter().zip(&received)) {
                    assert_eq!(packet.result(), Err(Error::AuthenticationFailed), "{next:?}, {}", plain.case());
                    let mut expected = received.clone();
                    expected[..11].copy_from_slice(&plain.bytes[..11]);
                    expected[11..received.len() - 16].fill(0);
                    assert!(packet.bytes() == expected, "{next:?}, {}", plain.case());
                }
            }
        }
    });
}

fn with_keys(seed: u64, test: impl Fn(&mut Random, &Reference, &[PacketProtection])) {
    let mut random = Random::new(seed);
    for keys in Keys::of_both_sizes(&mut random) {
        test(&mut random, &keys.reference(), &keys.protections_from(FIRST));
    }
}

/// Returns the length of a packet, the offset of its number, and the length of its number, all in bytes.
fn any_sizes(random: &mut Random, most_payload: usize) -> [usize; 3] {
    let number_offset = [9, 1, 13, 17, 18, 21, 33, 60][random.below(8)];
    [number_offset + 20 + random.below(most_payload), number_offset, 1 + random.below(4)]
}

/// Makes packets whose truncated numbers are decoded correctly against `EXPECTED`.
fn plain(random: &mut Random, sizes: &[[usize; 3]]) -> Vec<Plain> {
    let mut next = |sizes: &[usize; 3]| {
        let number = FIRST + random.below([0xB0, 0xB0, 0x4000, 0x40_0000, 0x40_0000][sizes[2]]) as u64;
        Plain::new(random, number, *sizes)
    };
    sizes.iter().map(&mut next).collect()
}

fn check(random: &mut Random, reference: &Reference, protections: &[PacketProtection], sizes: &[[usize; 3]]) {
    let plain = plain(random, sizes);
    check_protecting(reference, protections, &plain, &|_| None);
    let received: Vec<_> = plain.iter().map(|plain| plain.protected(reference)).collect();
    for protection in protections {
        check_unprotecting(protection, &plain, &received);
    }
}

/// Protects `plain`; packets for which `error` returns an error must be rejected with it.
fn check_protecting(
    reference: &Reference,
    protections: &[PacketProtection],
    plain: &[Plain],
    error: &dyn Fn(usize) -> Option<Error>,
) {
    let expected: Vec<_> = plain
        .iter()
        .enumerate()
        .map(|(index, plain)| if error(index).is_some() { plain.bytes.clone() } else { plain.protected(reference) })
        .collect();
    let good = (0..plain.len()).filter(|&index| error(index).is_none()).count();
    for protection in protections {
        for protect in [PacketProtection::protect_batch, PacketProtection::protect_side_by_side] {
            let mut lined = Lined::new(plain.iter().map(|plain| &plain.bytes[..]));
            let mut batch = lined.outgoing(plain);
            assert_eq!(protect(protection, &mut batch), good, "{protection:?}, {} packets", plain.len());
            for (index, packet) in batch.iter().enumerate() {
                let case = || format!("{protection:?}, packet {index} of {}: {}", plain.len(), plain[index].case());
                assert_eq!(packet.result(), error(index).map_or(Ok(()), Err), "{}", case());
                assert!(packet.bytes() == expected[index], "protected, {}", case());
                assert_eq!(packet.number(), plain[index].number);
            }
        }
    }
}

/// Unprotects the received packets in one call, side by side, in two calls, and one by one, which must give the same
/// results.
fn check_unprotecting(protection: &PacketProtection, plain: &[Plain], received: &[Vec<u8>]) {
    let failed = protection.failed_opens();
    let before = failed.count();
    let alone: Vec<_> = received
        .iter()
        .zip(plain)
        .map(|(received, plain)| {
            let mut packet = received.clone();
            let result = protection.unprotect(EXPECTED, &mut packet, plain.number_offset);
            (packet, result)
        })
        .collect();
    let failed_alone = failed.count() - before;
    for (index, (plain, received)) in plain.iter().zip(received).enumerate() {
        let (packet, result) = &alone[index];
        if let Ok(opened) = result {
            assert_eq!(opened.number, plain.number, "{protection:?}, {}", plain.case());
            assert!(packet.starts_with(plain.header_and_payload()), "{protection:?}, {}", plain.case());
            assert_eq!(packet[opened.payload.end..], received[opened.payload.end..]);
        }
    }
    let good = alone.iter().filter(|(_, result)| result.is_ok()).count();
    let in_two_steps = |protection: &PacketProtection, expected, batch: &mut [Packet<'_>]| {
        let unmasked = protection.unmask_batch(expected, batch);
        assert_eq!(batch.iter().filter(|packet| packet.result().is_ok()).count(), unmasked);
        protection.open_batch(batch)
    };
    let mut headers: Option<Vec<_>> = None;
    for unprotect in [in_two_steps, PacketProtection::unprotect_batch, PacketProtection::unprotect_side_by_side] {
        let mut lined = Lined::new(received.iter().map(Vec::as_slice));
        let mut batch = lined.incoming(plain);
        let before = failed.count();
        let succeeded = unprotect(protection, EXPECTED, &mut batch);
        assert_eq!(succeeded, good, "{protection:?}, {} packets", plain.len());
        assert_eq!(failed.count() - before, failed_alone, "{protection:?}, {} packets", plain.len());
        for (index, packet) in batch.iter().enumerate() {
            let case = || format!("{protection:?}, packet {index} of {}: {}", plain.len(), plain[index].case());
            let (bytes, result) = &alone[index];
            assert_eq!(packet.result().err(), result.as_ref().err().copied(), "{}", case());
            assert!(packet.bytes() == bytes, "unprotected, {}", case());
            let payload = if result.is_ok() { plain[index].payload() } else { &[] };
            assert!(packet.payload() == payload, "{}", case());
            if result.is_ok() {
                assert_eq!((packet.number(), packet.number_bytes()), (plain[index].number, plain[index].number_bytes));
            }
        }
        // Forgeries report their headers too.
        let decoded: Vec<_> = batch.iter().map(|packet| (packet.number(), packet.number_bytes())).collect();
        assert_eq!(*headers.get_or_insert(decoded.clone()), decoded, "{protection:?}, {} packets", plain.len());
    }
}

/// Changes that make a packet unsendable; each returns the expected error.
const UNSENDABLE: [fn(&mut Plain) -> Error; 11] = [
    |packet| too_short(packet, 19),
    |packet| too_short(packet, 16),
    |packet| too_short(packet, 0),
    |packet| {
        packet.bytes.clear();
        Error::PacketTooShort { packet_bytes: 0, least: packet.number_offset + 20 }
    },
    |packet| with_number(packet, number::END, Error::PacketNumberTooLarge(number::END)),
    |packet| with_number(packet, u64::MAX, Error::PacketNumberTooLarge(u64::MAX)),
    |packet| {
        packet.number_offset = 0;
        Error::PacketNumberOffset
    },
    |packet| {
        packet.number_offset = usize::MAX - 1;
        Error::PacketTooShort { packet_bytes: packet.bytes.len(), least: usize::MAX }
    },
    |packet| {
        packet.number_bytes = 0;
        Error::PacketNumberBytes(0)
    },
    |packet| {
        packet.number_bytes = 5;
        Error::PacketNumberBytes(5)
    },
    |packet| match packet.number % 2 {
        0 => with_number(packet, FIRST - 1, Error::PacketNumberFell { number: FIRST - 1, first: FIRST }),
        _ => with_number(packet, FIRST + limits::CONFIDENTIALITY, Error::ConfidentialityLimit),
    },
];

fn too_short(packet: &mut Plain, behind_the_number: usize) -> Error {
    let least = packet.number_offset + 20;
    packet.bytes.truncate(packet.number_offset + behind_the_number);
    Error::PacketTooShort { packet_bytes: packet.bytes.len(), least }
}

fn with_number(packet: &mut Plain, number: u64, error: Error) -> Error {
    packet.number = number;
    error
}

/// Damages a packet: flips a bit, cuts the end off, or zeros all of it.
fn damage(random: &mut Random, packet: &mut Vec<u8>, number_offset: usize) {
    match random.below(6) {
        0 => packet.truncate(number_offset + random.below(20)),
        1 => packet.truncate(number_offset + 20),
        2 => packet.fill(0),
        3 => {
            // Changes the last byte of the tag.
            let last = packet.len() - 1;
            packet[last] ^= 1 << random.below(8);
        }
        _ => {
            let at = random.below(packet.len());
            packet[at] ^= 1 << random.below(8);
        }
    }
}

fn random_subset(random: &mut Random, count: usize) -> Vec<usize> {
    (0..count).filter(|_| random.below(3) == 0).collect()
}
