//! Contradictory arguments give the documented error, and leave the packet unchanged.

use kasoku_engine::packet::{Packet, PacketProtection, number};
use kasoku_engine::{Backend, Error};

use crate::support::backends;

const PACKET: [u8; 100] = [0x41; 100];

fn protections() -> Vec<PacketProtection> {
    let expand_key = |&backend| PacketProtection::with_backend(&[1; 16], &[2; 12], &[3; 16], backend).unwrap();
    backends::paths().iter().map(expand_key).collect()
}

#[test]
fn packet_calls_reject_invalid_number_lengths() {
    for protection in protections() {
        for number_bytes in [0, 5, 6, 8, 255, 256, usize::MAX - 3, usize::MAX] {
            let error = Error::PacketNumberBytes(number_bytes);
            let mut packet = PACKET;
            assert_eq!(protection.protect(7, &mut packet, 9, number_bytes), Err(error));
            assert_eq!(protection.open(7, &mut packet, 9, number_bytes), Err(error));
            let mut batch = [Packet::outgoing(7, &mut packet, 9, number_bytes)];
            let error = Error::PacketNumberBytes(number_bytes.min(u32::MAX as usize));
            assert_eq!((protection.protect_batch(&mut batch), batch[0].result()), (0, Err(error)));
            assert_eq!(packet, PACKET);
        }
    }
}

#[test]
fn packet_calls_reject_invalid_number_offsets() {
    let too_short = |offset: usize| Error::PacketTooShort { packet_bytes: 100, least: offset.saturating_add(20) };
    for protection in protections() {
        for (offset, error) in [
            (0, Error::PacketNumberOffset),
            (81, too_short(81)),
            (99, too_short(99)),
            (100, too_short(100)),
            (101, too_short(101)),
            (usize::MAX / 2, too_short(usize::MAX / 2)),
            (usize::MAX - 19, too_short(usize::MAX - 19)),
            (usize::MAX, too_short(usize::MAX)),
        ] {
            let mut packet = PACKET;
            assert_eq!(protection.protect(7, &mut packet, offset, 2), Err(error));
            assert_eq!(protection.open(7, &mut packet, offset, 2), Err(error));
            assert_eq!(protection.unmask(7, &mut packet, offset), Err(error));
            assert_eq!(protection.unprotect(7, &mut packet, offset), Err(error));
            let mut batch = [Packet::outgoing(7, &mut packet, offset, 2)];
            assert_eq!((protection.protect_batch(&mut batch), batch[0].result()), (0, Err(error)));
            assert_eq!((protection.unmask_batch(7, &mut batch), batch[0].result()), (0, Err(error)));
            assert_eq!((protection.unprotect_batch(7, &mut batch), batch[0].result()), (0, Err(error)));
            assert!(batch[0].payload().is_empty());
            assert_eq!(packet, PACKET);
        }
        assert_eq!(protection.protect(7, &mut PACKET.clone(), 80, 2), Ok(()), "as far behind as a number can be");
    }
}

#[test]
fn packet_calls_reject_numbers_of_more_than_62_bits() {
    for protection in protections() {
        for number in [number::END, number::END + 1, 1 << 63, u64::MAX] {
            let error = Error::PacketNumberTooLarge(number);
            let mut packet = PACKET;
            assert_eq!(protection.protect(number, &mut packet, 9, 2), Err(error));
            assert_eq!(protection.open(number, &mut packet, 9, 2), Err(error));
            let mut batch = [Packet::outgoing(number, &mut packet, 9, 2)];
            assert_eq!((protection.protect_batch(&mut batch), batch[0].result()), (0, Err(error)));
            assert_eq!(packet, PACKET);
            assert_eq!(protection.failed_opens().count(), 0);
        }
    }
}

#[test]
fn packet_protection_rejects_invalid_key_lengths() {
    let new = |key: &[u8], header_key: &[u8], backend| {
        PacketProtection::with_backend(key, &[0; 12], header_key, backend).err()
    };
    let bytes = [7; 65];
    for &backend in backends::available() {
        for key in 0..=65 {
            for header_key in [0, 1, 15, 16, 17, 24, 31, 32, 33, 64, 65] {
                let expected = match (key, header_key) {
                    (16, 16) | (32, 32) => None,
                    (16 | 32, _) => Some(Error::KeyLength(header_key)),
                    _ => Some(Error::KeyLength(key)),
                };
                assert_eq!(new(&bytes[..key], &bytes[..header_key], backend), expected);
            }
        }
    }
    for &backend in Backend::ALL.iter().filter(|backend| !backends::available().contains(backend)) {
        assert_eq!(new(&[0; 16], &[0; 16], backend), Some(Error::BackendUnavailable(backend)));
    }
}

/// `Packet::payload` is empty until the packet was opened, however it was created.
#[test]
fn payload_is_empty_before_a_packet_is_opened() {
    for protection in protections() {
        for bytes in [0, 1, 5, 15, 16, 17, 26, 100] {
            let mut packet = vec![0x41; bytes];
            assert_eq!(Packet::incoming(&mut packet, 9).payload(), [0; 0]);
            for (offset, number_bytes) in [(9, 2), (0, 1), (usize::MAX, 2), (9, usize::MAX)] {
                assert_eq!(Packet::outgoing(7, &mut packet, offset, number_bytes).payload(), [0; 0], "{bytes}");
            }
        }
        let mut packet = PACKET;
        let mut batch = [Packet::outgoing(7, &mut packet, 9, 2)];
        protection.protect_batch(&mut batch);
        assert_eq!(batch[0].payload(), [0; 0], "what was protected was not opened");
        let mut batch = [Packet::incoming(&mut packet, 9)];
        assert_eq!(protection.unmask_batch(7, &mut batch), 1);
        assert_eq!(batch[0].payload(), [0; 0], "what was unmasked is not verified");
    }
}
