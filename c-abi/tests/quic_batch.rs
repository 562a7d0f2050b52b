//! Batches of QUIC packets through the C functions, including calls of a careless C program.

#![allow(unsafe_code, clippy::unwrap_used, reason = "calls the C API; tests may panic")]
#![allow(
    clippy::undocumented_unsafe_blocks,
    reason = "every call gets arrays of this test, or arguments that it rejects"
)]

mod quic_keys;

use std::ffi::c_int;
use std::ptr::{null, null_mut, without_provenance_mut};

use kasoku::*;
use quic_keys::{Keys, backends, clear, described, engine_protection};

/// Returns `count` packets with varying lengths, offsets and number lengths: packet number, bytes, offset, number
/// length.
fn mixed_packets(count: usize) -> Vec<(u64, Vec<u8>, usize, usize)> {
    const LENGTHS: [usize; 9] = [40, 1216, 57, 200, 33, 1456, 72, 300, 131];
    let packet = |index: usize| {
        let (number, offset, bytes) = (1000 + index as u64, [1, 9, 12][index % 3], 1 + index % 4);
        (number, clear(number, LENGTHS[index % 9], offset, bytes), offset, bytes)
    };
    (0..count).map(packet).collect()
}

/// Compares batches of any size with single packets through the Rust API, on every backend.
#[test]
fn batches_match_single_packets_on_every_backend() {
    for backend in backends() {
        for key_bytes in [16, 32] {
            let (keys, rust) = (Keys::with_backend(backend, key_bytes), engine_protection(backend, key_bytes));
            for count in [0, 1, 2, 3, 16, 63, 64, 65, 128, 130] {
                let plain = mixed_packets(count);
                let mut sealed = plain.clone();
                for (number, packet, offset, bytes) in &mut sealed {
                    rust.protect(*number, packet, *offset, *bytes).unwrap();
                }

                let mut packets = plain.clone();
                let describe = |packets: &mut [(u64, Vec<u8>, usize, usize)], room| -> Vec<_> {
                    packets
                        .iter_mut()
                        .map(|(n, packet, offset, bytes)| described(*n, packet, *offset, *bytes, room))
                        .collect()
                };
                let mut batch = describe(&mut packets, 16);
                assert_eq!(keys.protect_batch(&mut batch), count);
                assert!(batch.iter().all(|packet| packet.result == KASOKU_OK));
                assert_eq!(packets, sealed, "{backend} {count}");

                // Opens the packets in one step (unprotect), and in two (unmask, open).
                for steps in [1, 2] {
                    let mut packets = sealed.clone();
                    let mut batch = describe(&mut packets, 0);
                    for packet in &mut batch {
                        (packet.packet_number, packet.pn_len) = (77, 77);
                    }
                    if steps == 1 {
                        assert_eq!(keys.unprotect_batch(1100, &mut batch), count);
                    } else {
                        assert_eq!(keys.unmask_batch(1100, &mut batch), count);
                        assert_eq!(keys.open_batch(&mut batch), count);
                    }
                    for (index, (packet, (number, plain, offset, bytes))) in batch.iter().zip(&plain).enumerate() {
                        let got = (packet.result, packet.packet_number, packet.pn_len);
                        assert_eq!(got, (KASOKU_OK, *number, *bytes));
                        assert_eq!((packet.pn_offset, packet.packet_len), (*offset, plain.len()));
                        let text = plain.len() - 16;
                        assert_eq!(packets[index].1[..text], plain[..text], "{backend} {steps} {count} {index}");
                    }
                }
            }
        }
    }
}

/// A batch of one packet has its own code path, unlike a batch of two. Results, numbers, bytes and counters must equal
/// those of the call for single packets.
#[test]
fn batch_of_one_matches_batch_of_two_and_single_call() {
    const EXPECTED: [u64; 6] = [1000, 0, 1 << 62, (1 << 62) + 200, 1 << 63, u64::MAX];
    for backend in backends() {
        let new = || {
            let keys = Keys::with_backend(backend, 16);
            assert_eq!(unsafe { kasoku_quic_begin_at(keys.0, 900) }, KASOKU_OK);
            keys
        };
        let sender = new();
        let mut codes = std::collections::BTreeSet::new();
        for case in 0..4000_usize {
            let (length, offset, bytes) = (20 + case * 7 % 90, [1, 9, 12][case % 3], 1 + case % 4);
            let mut packet = clear(1000, length.max(offset + 20), offset, bytes);
            let mut description = described(1000, &mut packet, offset, bytes, 16);
            match case / 4 % 10 {
                0 => description.packet_len = [0, 3, usize::MAX, 1 << 36][case % 4],
                1 => description.pn_offset = [0, usize::MAX, packet.len() - 19][case % 3],
                2 => description.pn_len = [0, 5, usize::MAX][case % 3],
                3 => description.packet_number = [899, 900 + (1 << 23), 1 << 62, u64::MAX][case % 4],
                4 => description.packet = null_mut(),
                _ => {}
            }
            let expected = EXPECTED[case / 40 % 6];
            for step in 0..4 {
                let mut given = packet.clone();
                let mut description = description;
                if step > 0 {
                    // Received packets have a tag; every third is forged.
                    assert_eq!(sender.protect(1000, &mut given, offset, bytes), KASOKU_OK);
                    given[length - 1] ^= u8::from(case % 3 == 0);
                    description.packet_len = description.packet_len.saturating_add(16);
                    description.result = [KASOKU_OK, 1][case / 7 % 2];
                }
                let run = |count: usize| {
                    let (keys, mut bytes, mut other) = (new(), given.clone(), clear(1000, 60, 1, 1));
                    let mut batch = [description, described(1000, &mut other, 1, 1, 16)];
                    batch[0].packet = if description.packet.is_null() { null_mut() } else { bytes.as_mut_ptr() };
                    batch[1].result = 1;
                    batch[1].packet_len = usize::MAX;
                    let batch = &mut batch[..count];
                    let succeeded = match step {
                        0 => keys.protect_batch(batch),
                        1 => keys.unprotect_batch(expected, batch),
                        2 => keys.unmask_batch(expected, batch),
                        _ => keys.open_batch(batch),
                    };
                    let kasoku_quic_packet { result, packet_number, pn_len, pn_offset, packet_len, .. } = batch[0];
                    let fields = (result, packet_number, pn_len, pn_offset, packet_len);
                    (succeeded, fields, bytes, keys.failed_opens())
                };
                let one = run(1);
                assert_eq!(one, run(2), "{backend}, case {case}, step {step}");
                codes.insert((step, one.1.0));

                let (keys, mut bytes) = (new(), given.clone());
                let (mut number, mut number_bytes, mut from, mut left) = (77, 77, 77, 77);
                let start = if description.packet.is_null() { null_mut() } else { bytes.as_mut_ptr() };
                let kasoku_quic_packet { packet_number, pn_len, pn_offset: at, packet_len: all, .. } = description;
                let code = unsafe {
                    match step {
                        0 => kasoku_quic_protect(keys.0, packet_number, start, at, pn_len, all),
                        1 => kasoku_quic_unprotect(keys.0, expected, start, at, all, &mut number, &mut from, &mut left),
                        2 => kasoku_quic_unmask(keys.0, expected, start, at, all, &mut number, &mut number_bytes),
                        _ if description.result != KASOKU_OK => description.result,
                        _ => kasoku_quic_open(keys.0, packet_number, start, at, pn_len, all),
                    }
                };
                assert_eq!((one.1.0, &one.2, one.3), (code, &bytes, keys.failed_opens()), "case {case}, step {step}");
                match step {
                    1 if code == KASOKU_OK => assert_eq!((one.1.1, one.1.2 + at), (number, from)),
                    2 if code == KASOKU_OK => assert_eq!((one.1.1, one.1.2), (number, number_bytes)),
                    _ => assert_eq!((one.1.1, one.1.2), (packet_number, pn_len)),
                }
            }
        }
        assert!(codes.len() > 25, "{codes:?}");
    }
}

/// Mixes one packet of each invalid kind with valid packets. Each invalid packet must get its error code, and the valid
/// packets must be processed correctly.
#[test]
fn batch_processes_valid_packets_beside_invalid_ones() {
    let keys = Keys::new();
    type Spoil = fn(&mut kasoku_quic_packet);
    let spoils: [(c_int, Spoil); 10] = [
        (KASOKU_ERR_NULL, |packet| packet.packet = null_mut()),
        (KASOKU_ERR_MESSAGE_TOO_LONG, |packet| packet.packet_len = usize::MAX),
        (KASOKU_ERR_MESSAGE_TOO_LONG, |packet| packet.packet_len = 1 << 36),
        (KASOKU_ERR_MESSAGE_TOO_LONG, |packet| packet.packet = without_provenance_mut(usize::MAX - 5)),
        (KASOKU_ERR_PACKET_TOO_SHORT, |packet| packet.packet_len = 3),
        (KASOKU_ERR_PACKET_TOO_SHORT, |packet| packet.pn_offset = usize::MAX),
        (KASOKU_ERR_PACKET_NUMBER_OFFSET, |packet| packet.pn_offset = 0),
        (KASOKU_ERR_PACKET_NUMBER_LENGTH, |packet| packet.pn_len = 0),
        (KASOKU_ERR_PACKET_NUMBER_LENGTH, |packet| packet.pn_len = usize::MAX),
        (KASOKU_ERR_PACKET_NUMBER_TOO_LARGE, |packet| packet.packet_number = u64::MAX),
    ];
    let plain = mixed_packets(70);
    let mut sealed = plain.clone();
    for (number, packet, offset, bytes) in &mut sealed {
        assert_eq!(keys.protect(*number, packet, *offset, *bytes), KASOKU_OK);
    }
    for (code, spoil) in spoils {
        for bad in [0, 1, 35, 63, 64, 69] {
            let expect = |is_bad: bool| if is_bad { code } else { KASOKU_OK };

            let mut packets = plain.clone();
            let mut batch: Vec<_> = packets
                .iter_mut()
                .map(|(n, packet, offset, bytes)| described(*n, packet, *offset, *bytes, 16))
                .collect();
            spoil(&mut batch[bad]);
            assert_eq!(keys.protect_batch(&mut batch), 69);
            for index in 0..70 {
                assert_eq!(batch[index].result, expect(index == bad), "{index} {bad}");
                let expected = if index == bad { &plain[index] } else { &sealed[index] };
                assert_eq!(&packets[index], expected, "{code} {index} {bad}");
            }

            // The number is an output of unprotect and unmask, and an input only of open.
            let is_about_numbers = matches!(code, KASOKU_ERR_PACKET_NUMBER_LENGTH | KASOKU_ERR_PACKET_NUMBER_TOO_LARGE);
            let mut packets = sealed.clone();
            let mut batch: Vec<_> =
                packets.iter_mut().map(|(_, packet, offset, _)| described(77, packet, *offset, 77, 0)).collect();
            if is_about_numbers {
                assert_eq!(keys.unmask_batch(1100, &mut batch), 70);
                spoil(&mut batch[bad]);
                assert_eq!(keys.open_batch(&mut batch), 69);
            } else {
                spoil(&mut batch[bad]);
                assert_eq!(keys.unprotect_batch(1100, &mut batch), 69);
                assert_eq!((batch[bad].packet_number, batch[bad].pn_len), (77, 77));
                assert_eq!(packets[bad], sealed[bad]);
            }
            for index in 0..70 {
                assert_eq!(batch[index].result, expect(index == bad), "{index} {bad}");
                let text = plain[index].1.len() - 16;
                assert!(index == bad || packets[index].1[..text] == plain[index].1[..text], "{code} {index} {bad}");
            }
        }
    }
    assert_eq!(keys.failed_opens(), 0);
}

#[test]
fn batch_zeroes_and_counts_only_forged_packets() {
    let keys = Keys::new();
    let plain = mixed_packets(65);
    let mut packets = plain.clone();
    for (number, packet, offset, bytes) in &mut packets {
        assert_eq!(keys.protect(*number, packet, *offset, *bytes), KASOKU_OK);
    }
    for index in (0..65).step_by(5) {
        *packets[index].1.last_mut().unwrap() ^= 0x80;
    }
    let mut batch: Vec<_> =
        packets.iter_mut().map(|(_, packet, offset, _)| described(77, packet, *offset, 77, 0)).collect();
    assert_eq!(keys.unprotect_batch(1100, &mut batch), 52);
    assert_eq!(keys.failed_opens(), 13);
    for (index, (packet, (_, plain, offset, bytes))) in batch.iter().zip(&plain).enumerate() {
        let (from, to) = (offset + bytes, plain.len() - 16);
        if index % 5 == 0 {
            assert_eq!((packet.result, packet.packet_number, packet.pn_len), (KASOKU_ERR_AUTHENTICATION, 77, 77));
            assert!(packets[index].1[from..to].iter().all(|byte| *byte == 0), "{index}");
        } else {
            assert_eq!(packet.result, KASOKU_OK);
            assert_eq!(packets[index].1[from..to], plain[from..to]);
        }
    }
}

/// Packet numbers below the first one and above the limit are rejected individually.
#[test]
fn batch_rejects_packet_numbers_outside_the_limits() {
    let keys = Keys::new();
    assert_eq!(unsafe { kasoku_quic_begin_at(keys.0, 1000) }, KASOKU_OK);
    let mut packets = mixed_packets(3);
    let mut batch: Vec<_> =
        packets.iter_mut().map(|(n, packet, offset, bytes)| described(*n, packet, *offset, *bytes, 16)).collect();
    batch[0].packet_number = 999;
    batch[1].packet_number = 1000 + (1 << 23);
    assert_eq!(keys.protect_batch(&mut batch), 1);
    let results: Vec<_> = batch.iter().map(|packet| packet.result).collect();
    assert_eq!(results, [KASOKU_ERR_PACKET_NUMBER_FELL, KASOKU_ERR_CONFIDENTIALITY_LIMIT, KASOKU_OK]);
}

#[test]
fn batch_rejects_invalid_arrays_without_memory_access() {
    let keys = Keys::new();
    let none = null_mut();
    let mut packet = clear(1, 60, 1, 1);
    let mut one = [described(1, &mut packet, 1, 1, 16), described(1, &mut packet, 1, 1, 16)];
    let start = one.as_mut_ptr();
    let nowhere = without_provenance_mut(64);
    let crooked = start.cast::<u8>().wrapping_add(1).cast();
    let size = size_of::<kasoku_quic_packet>();
    let check_rejects = |quic, packets, count| unsafe {
        let counts = [
            kasoku_quic_protect_batch(quic, packets, count),
            kasoku_quic_unprotect_batch(quic, 0, packets, count),
            kasoku_quic_unmask_batch(quic, 0, packets, count),
            kasoku_quic_open_batch(quic, packets, count),
        ];
        assert_eq!(counts, [0; 4]);
    };
    check_rejects(keys.0, none, 0);
    check_rejects(keys.0, none, 1);
    check_rejects(keys.0, none, usize::MAX);
    check_rejects(keys.0, start, 0);
    check_rejects(keys.0, crooked, 1);
    for count in [usize::MAX, isize::MAX as usize / size + 1, usize::MAX / size + 1, usize::MAX / size, 1 << 40] {
        check_rejects(keys.0, nowhere, count);
        check_rejects(null_mut(), nowhere, count);
    }
    assert_eq!([one[0].result, one[1].result], [77; 2]);
    // Without an object, the selected packets must report NULL.
    one[1].result = KASOKU_OK;
    assert_eq!(unsafe { kasoku_quic_open_batch(null(), one.as_mut_ptr(), 2) }, 0);
    assert_eq!([one[0].result, one[1].result], [77, KASOKU_ERR_NULL]);
    check_rejects(null_mut(), one.as_mut_ptr(), 1);
    assert_eq!([one[0].result, one[1].result], [KASOKU_ERR_NULL; 2]);
    assert_eq!(packet, clear(1, 60, 1, 1));
}

/// Moves one of five packets over another, at every distance. If the two share a byte, including the room for the tag,
/// these two packets must be rejected, and no other packet.
#[test]
fn batch_leaves_overlapping_packets_unchanged() {
    let keys = Keys::new();
    for distance in -70_isize..=70 {
        for (first, second) in [(0, 1), (0, 4), (2, 3), (3, 4)] {
            let mut arena = vec![0x41; 200];
            let mut others = vec![clear(9, 60, 1, 1); 5];
            let before = others.clone();
            let mut batch: Vec<_> = others.iter_mut().map(|packet| described(9, packet, 1, 1, 16)).collect();
            let start = arena.as_mut_ptr();
            (batch[first].packet, batch[second].packet) =
                (start.wrapping_add(70), start.wrapping_add(70).wrapping_offset(distance));
            batch[second].packet_len = 30;
            let good = keys.protect_batch(&mut batch);
            let overlaps = -46 < distance && distance < 60;
            assert_eq!(good, if overlaps { 3 } else { 5 }, "{distance}");
            let refused = if overlaps { KASOKU_ERR_OVERLAP } else { KASOKU_OK };
            for (index, packet) in batch.iter().enumerate() {
                let is_one = index == first || index == second;
                assert_eq!(packet.result, if is_one { refused } else { KASOKU_OK }, "{distance} {index}");
            }
            assert_eq!(arena == [0x41; 200], overlaps);
            for index in (0..5).filter(|index| *index != first && *index != second) {
                assert_ne!(others[index], before[index]);
            }
        }
    }
}

/// Packets that are rejected for another reason, or skipped, do not count as overlapping.
#[test]
fn batch_ignores_overlaps_with_skipped_packets() {
    let keys = Keys::new();
    let mut packet = clear(9, 60, 1, 1);
    let both = described(9, &mut packet, 1, 1, 16);
    let mut batch = [both, kasoku_quic_packet { packet_len: usize::MAX, ..both }];
    assert_eq!(keys.protect_batch(&mut batch), 1);
    let mut batch = [described(9, &mut packet, 1, 1, 0); 3];
    assert_eq!(keys.unmask_batch(9, &mut batch), 0);
    assert!(batch.iter().all(|packet| packet.result == KASOKU_ERR_OVERLAP));
    assert_eq!(keys.unmask_batch(9, &mut batch[..1]), 1);
    batch[2].result = 1;
    assert_eq!(keys.open_batch(&mut batch), 1);
    assert_eq!(batch.map(|packet| packet.result), [KASOKU_OK, KASOKU_ERR_OVERLAP, 1]);
}

/// If a call encrypted its structures, it would use the ciphertext as pointers.
#[test]
fn batch_rejects_packets_that_overlap_its_array() {
    let keys = Keys::new();
    let mut good = clear(9, 60, 1, 1);
    let mut batch = vec![described(9, &mut good, 1, 1, 16); 70];
    let (start, size) = (batch.as_mut_ptr(), size_of::<kasoku_quic_packet>());
    for (index, packet) in batch.iter_mut().enumerate() {
        // Places the packet over the first or the last byte of each structure.
        packet.packet = start.cast::<u8>().wrapping_add(index * size).wrapping_sub(59 * (index % 2));
    }
    batch[33].packet = good.as_mut_ptr();
    assert_eq!(keys.protect_batch(&mut batch), 1);
    for (index, packet) in batch.iter().enumerate() {
        assert_eq!(packet.result, if index == 33 { KASOKU_OK } else { KASOKU_ERR_OVERLAP }, "{index}");
        assert_eq!(packet.packet_number, 9);
    }
}

#[test]
fn batch_accepts_packets_in_any_order_of_addresses() {
    let keys = Keys::new();
    let mut arena: Vec<u8> = (0..130).flat_map(|_| clear(9, 60, 1, 1)).collect();
    let mut expected = clear(9, 60, 1, 1);
    assert_eq!(keys.protect(9, &mut expected, 1, 1), KASOKU_OK);
    for stride in [129, 47, 1] {
        arena.chunks_mut(60).for_each(|packet| packet.copy_from_slice(&clear(9, 60, 1, 1)));
        let start = arena.as_mut_ptr();
        let mut batch: Vec<_> = (0..130)
            .map(|index| kasoku_quic_packet {
                packet_number: 9,
                packet: start.wrapping_add(index * stride % 130 * 60),
                pn_offset: 1,
                pn_len: 1,
                packet_len: 44,
                result: 77,
            })
            .collect();
        assert_eq!(keys.protect_batch(&mut batch), 130);
        assert!(arena.chunks(60).all(|packet| packet == expected));
    }
}

/// A batch with two key phases: unmasking uncovers the bit that chooses each packet's key.
#[test]
fn batch_opens_packets_of_two_key_phases() {
    let now = Keys::new();
    let next = now.next_phase(&[9; 16], &[8; 12]);
    let plain: Vec<_> = (0..70)
        .map(|number| {
            let mut packet = clear(number, 90, 9, 1);
            packet[0] = 0x40 | if number % 3 == 0 { 0x04 } else { 0 };
            packet
        })
        .collect();
    let mut packets = plain.clone();
    for (number, packet) in (0..).zip(&mut packets) {
        let keys = if number % 3 == 0 { &next } else { &now };
        assert_eq!(keys.protect(number, packet, 9, 1), KASOKU_OK);
    }
    let mut batch: Vec<_> = packets.iter_mut().map(|packet| described(0, packet, 9, 0, 0)).collect();
    assert_eq!(now.unmask_batch(0, &mut batch), 70);
    const NEXT: c_int = 1;
    for packet in &mut batch {
        packet.result = if unsafe { *packet.packet } & 0x04 != 0 { NEXT } else { KASOKU_OK };
    }
    assert_eq!(now.open_batch(&mut batch), 46);
    let mut of_next: Vec<_> = batch.iter().copied().filter(|packet| packet.result == NEXT).collect();
    of_next.iter_mut().for_each(|packet| packet.result = KASOKU_OK);
    assert_eq!(next.open_batch(&mut of_next), 24);
    for (packet, plain) in packets.iter().zip(&plain) {
        assert_eq!(packet[..74], plain[..74]);
    }
}

#[test]
fn threads_can_protect_batches_with_one_object() {
    let keys = Keys::new();
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                for _ in 0..20 {
                    let plain = mixed_packets(64);
                    let mut packets = plain.clone();
                    let mut batch: Vec<_> = packets
                        .iter_mut()
                        .map(|(n, packet, offset, bytes)| described(*n, packet, *offset, *bytes, 16))
                        .collect();
                    assert_eq!(keys.protect_batch(&mut batch), 64);
                    batch.iter_mut().for_each(|packet| packet.packet_len += 16);
                    assert_eq!(keys.unprotect_batch(1100, &mut batch), 64);
                    for ((_, packet, ..), (_, plain, ..)) in packets.iter().zip(&plain) {
                        assert_eq!(packet[..packet.len() - 16], plain[..plain.len() - 16]);
                    }
                }
            });
        }
    });
    assert_eq!(keys.failed_opens(), 0);
}
