//! Key updates (RFC 9001 §6): the packet key and the IV change, the header-protection key does not. A receiver reads
//! the key phase between unmasking and opening a packet.

use kasoku_engine::Error;
use kasoku_engine::packet::{Packet, PacketProtection};

use crate::fixtures::{Keys, Lined, Plain};
use crate::support::random::Random;

/// Key phase bit of a short header.
const PHASE: u8 = 0x04;

#[test]
fn next_phase_keeps_the_header_key_and_replaces_the_packet_key() {
    let mut random = Random::new(1);
    for keys in Keys::of_both_sizes(&mut random) {
        let header_key = keys.header_key.clone();
        let next = Keys { header_key, ..Keys::new(&mut random, keys.key.len()) };
        let plain = Plain::new(&mut random, 0x77, [200, 9, 2]);
        let protected = plain.protected(&next.reference());
        for protection in keys.protections() {
            let after = protection.next_phase(&next.key, &next.iv).unwrap();
            assert_eq!(after.backend(), protection.backend());
            // The next phase must not depend on this object.
            drop(protection);
            let mut packet = plain.bytes.clone();
            after.protect(0x77, &mut packet, 9, 2).unwrap();
            assert!(packet == protected, "{after:?}");
            let again = after.next_phase(&keys.key, &keys.iv).unwrap();
            drop(after);
            let mut packet = plain.bytes.clone();
            again.protect(0x77, &mut packet, 9, 2).unwrap();
            assert!(packet == plain.protected(&keys.reference()), "{again:?}");
        }
    }
}

#[test]
fn next_phase_rejects_keys_of_another_length() {
    let mut random = Random::new(2);
    for keys in Keys::of_both_sizes(&mut random) {
        for protection in keys.protections() {
            for bytes in (0..=33).filter(|&bytes| bytes != keys.key.len()) {
                assert_eq!(protection.next_phase(&[1; 33][..bytes], &[0; 12]).err(), Some(Error::KeyLength(bytes)));
            }
        }
    }
}

/// The first packet that the new key protects sets its first number.
#[test]
fn next_phase_starts_a_new_confidentiality_limit() {
    let mut random = Random::new(3);
    for protection in Keys::new(&mut random, 16).protections() {
        let mut packet = [0x41; 60];
        protection.protect(1 << 40, &mut packet, 9, 2).unwrap();
        let next = protection.next_phase(&[5; 16], &[6; 12]).unwrap();
        assert_eq!(next.protect(1 << 30, &mut packet, 9, 2), Ok(()));
        assert!(protection.protect(1 << 30, &mut packet, 9, 2).is_err());
    }
}

/// Tests a receiver during a key update, with single packets and with a batch of packets from both key phases.
#[test]
fn packets_of_both_phases_open_during_a_key_update() {
    let mut random = Random::new(4);
    for keys in Keys::of_both_sizes(&mut random) {
        let header_key = keys.header_key.clone();
        let next = Keys { header_key, ..Keys::new(&mut random, keys.key.len()) };
        let references = [keys.reference(), next.reference()];
        let plain: Vec<_> = (0..30)
            .map(|index| {
                let number = 1000 + index as u64;
                let mut plain = Plain::new(&mut random, number, [50 + 40 * (index % 5), 9, 2]);
                plain.bytes[0] = 0x40 | plain.bytes[0] & 0b11 | if index < 15 { 0 } else { PHASE };
                plain
            })
            .collect();
        let protected: Vec<_> = plain.iter().map(|p| p.protected(&references[phase_of(&p.bytes)])).collect();
        for protection in keys.protections() {
            let phases = [&protection, &protection.next_phase(&next.key, &next.iv).unwrap()];
            for (plain, protected) in plain.iter().zip(&protected) {
                let mut packet = protected.clone();
                let unmasked = protection.unmask(1000, &mut packet, 9).unwrap();
                let phase = phases[phase_of(&packet)];
                let payload = phase.open(unmasked.number, &mut packet, 9, unmasked.number_bytes).unwrap();
                assert!(packet[payload] == *plain.payload(), "{phase:?}, {}", plain.case());
            }
            check_batch(phases, &plain, &protected);
            assert_eq!(protection.failed_opens().count(), 0);
        }
    }
}

fn check_batch(phases: [&PacketProtection; 2], plain: &[Plain], protected: &[Vec<u8>]) {
    let mut lined = Lined::new(protected.iter().map(Vec::as_slice));
    let mut batch: Vec<Packet<'_>> = lined.incoming(plain);
    assert_eq!(phases[0].unmask_batch(1000, &mut batch), plain.len());
    let middle = batch.iter().position(|packet| phase_of(packet.bytes()) == 1).unwrap();
    let (current, next) = batch.split_at_mut(middle);
    assert_eq!(phases[0].open_batch(current), current.len());
    assert_eq!(phases[1].open_batch(next), next.len());
    for (packet, plain) in batch.iter().zip(plain) {
        assert!(packet.payload() == plain.payload(), "{}", plain.case());
    }
}

fn phase_of(packet: &[u8]) -> usize {
    usize::from(packet[0] & PHASE != 0)
}
