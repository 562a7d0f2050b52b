//! Packet calls read and write only inside the packet: each packet lies flush against a guard page.

use kasoku_engine::packet::{Packet, PacketProtection};

use crate::fixtures::{Keys, Plain, sparse};
use crate::support::guarded::{Flush, Guarded};
use crate::support::random::Random;

const MAX: usize = 9000;

const NUMBER: u64 = 0x1234_5678;

/// Header sizes that let the payload begin at any position in a block.
const NUMBER_OFFSETS: [usize; 5] = [1, 9, 13, 18, 33];

#[test]
fn packet_calls_stay_inside_their_packets() {
    let mut random = Random::new(1);
    let mut memory = Guarded::new(MAX);
    for keys in Keys::of_both_sizes(&mut random) {
        let (reference, protections) = (keys.reference(), keys.protections());
        for (index, text) in lengths().enumerate() {
            for number_offset in NUMBER_OFFSETS {
                let number_bytes = 1 + index % 4;
                let bytes = number_offset + number_bytes + text.max(4 - number_bytes) + 16;
                let plain = Plain::new(&mut random, NUMBER, [bytes, number_offset, number_bytes]);
                let protected = plain.protected(&reference);
                for protection in &protections {
                    for flush in Flush::BOTH {
                        check(protection, &plain, &protected, memory.buffer(bytes, flush), flush);
                    }
                }
            }
        }
    }
}

/// Rejected packets are not read at all: not a byte of an empty packet.
#[test]
fn packets_too_short_to_sample_are_not_read() {
    let mut random = Random::new(2);
    let mut memory = Guarded::new(100);
    for keys in Keys::of_both_sizes(&mut random) {
        for protection in keys.protections() {
            for number_offset in NUMBER_OFFSETS {
                for bytes in 0..number_offset + 20 {
                    for flush in Flush::BOTH {
                        let packet = memory.buffer(bytes, flush);
                        assert!(protection.protect(NUMBER, packet, number_offset, 2).is_err());
                        assert!(protection.unprotect(NUMBER, packet, number_offset).is_err());
                        let mut batch = [Packet::incoming(packet, number_offset)];
                        assert_eq!(protection.unprotect_batch(NUMBER, &mut batch), 0);
                        assert_eq!(protection.unprotect_side_by_side(NUMBER, &mut batch), 0);
                        assert_eq!(
                            protection.protect_batch(&mut [Packet::outgoing(NUMBER, packet, number_offset, 2)]),
                            0
                        );
                    }
                }
            }
        }
    }
}

/// Every packet has guard pages of its own: packets of one length, of rising lengths, and of random lengths.
#[test]
fn batch_calls_stay_inside_their_packets() {
    let mut random = Random::new(3);
    let mut memories: Vec<_> = (0..33).map(|_| Guarded::new(MAX)).collect();
    for keys in Keys::of_both_sizes(&mut random) {
        let (reference, protections) = (keys.reference(), keys.protections());
        for (index, text) in lengths().enumerate() {
            let count = [1, 2, 3, 4, 5, 8, 9, 17, 33][index % 9];
            let flush = Flush::BOTH[index % 2];
            for mix in 0..3 {
                let mut plain = |place: usize| {
                    let text = match mix {
                        0 => text,
                        1 => (text + place * (1 + index % 5)).min(MAX - 100),
                        _ => random.below(text + 40),
                    };
                    let (number_offset, number_bytes) = (NUMBER_OFFSETS[(index + place) % 5], 1 + (index + mix) % 4);
                    let bytes = number_offset + number_bytes + text.max(4 - number_bytes) + 16;
                    Plain::new(&mut random, NUMBER + place as u64, [bytes, number_offset, number_bytes])
                };
                let plain: Vec<_> = (0..count).map(&mut plain).collect();
                let protected: Vec<_> = plain.iter().map(|plain| plain.protected(&reference)).collect();
                for protection in &protections {
                    check_batch(protection, &plain, &protected, &mut memories, flush);
                }
            }
        }
    }
}

/// Yields payload lengths in bytes: all short ones, and some around multiples of the bytes that the loops process in an
/// iteration.
fn lengths() -> impl Iterator<Item = usize> {
    let longer = [1200, 1440, 1536, 2048, 2560, 4096, 4608, 8192];
    let around = longer.into_iter().flat_map(|text| [0, 1, 15, 17, 33, 63].map(|more| text + more));
    (0..=600).step_by(sparse(19)).chain(around.step_by(sparse(7)))
}

fn check(protection: &PacketProtection, plain: &Plain, protected: &[u8], packet: &mut [u8], flush: Flush) {
    let case = || format!("{protection:?}, {flush:?}, {}", plain.case());
    packet.copy_from_slice(&plain.bytes);
    assert_eq!(protection.protect(NUMBER, packet, plain.number_offset, plain.number_bytes), Ok(()), "{}", case());
    assert!(*packet == *protected, "{}", case());
    assert!(protection.unprotect(NUMBER, packet, plain.number_offset).is_ok(), "{}", case());
    assert!(packet.starts_with(plain.header_and_payload()), "{}", case());
    // Wiping a forgery must stay inside the packet too.
    packet.copy_from_slice(protected);
    packet[protected.len() - 1] ^= 0x80;
    assert!(protection.unprotect(NUMBER, packet, plain.number_offset).is_err(), "{}", case());
}

fn check_batch(
    protection: &PacketProtection,
    plain: &[Plain],
    protected: &[Vec<u8>],
    memories: &mut [Guarded],
    flush: Flush,
) {
    let mut bytes: Vec<_> =
        memories.iter_mut().zip(plain).map(|(m, plain)| m.buffer(plain.bytes.len(), flush)).collect();
    for (bytes, plain) in bytes.iter_mut().zip(plain) {
        bytes.copy_from_slice(&plain.bytes);
    }
    let packets = bytes.iter_mut().zip(plain);
    let mut batch: Vec<_> =
        packets.map(|(bytes, p)| Packet::outgoing(p.number, bytes, p.number_offset, p.number_bytes)).collect();
    assert_eq!(protection.protect_side_by_side(&mut batch), plain.len(), "{protection:?}, {flush:?}");
    for ((packet, plain), protected) in batch.iter().zip(plain).zip(protected) {
        assert!(packet.bytes() == protected, "{protection:?}, {flush:?}, {}", plain.case());
    }
    drop(batch);
    let mut batch: Vec<_> =
        bytes.iter_mut().zip(plain).map(|(bytes, p)| Packet::incoming(bytes, p.number_offset)).collect();
    assert_eq!(protection.unprotect_side_by_side(NUMBER, &mut batch), plain.len(), "{protection:?}, {flush:?}");
    for (packet, plain) in batch.iter().zip(plain) {
        assert!(packet.payload() == plain.payload(), "{protection:?}, {flush:?}, {}", plain.case());
    }
}
