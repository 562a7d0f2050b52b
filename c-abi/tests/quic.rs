//! Single QUIC packets through the C functions, including calls of a careless C program.

#![allow(unsafe_code, clippy::unwrap_used, reason = "calls the C API; tests may panic")]
#![allow(
    clippy::undocumented_unsafe_blocks,
    reason = "every call gets arrays of this test, or arguments that it rejects"
)]

mod quic_keys;

use std::ffi::{CStr, c_int};
use std::ptr::{null, null_mut, without_provenance, without_provenance_mut};

use kasoku::*;
use kasoku_engine::cpu::Found;
use quic_keys::{HEADER_KEY, IV, KEY, Keys, backends, clear, described, engine_protection};

/// Connection ID of RFC 9001 appendix A.
const CONNECTION_ID: [u8; 8] = [0x83, 0x94, 0xC8, 0xF0, 0x3E, 0x51, 0x57, 0x08];

/// Checks the client's Initial packet of RFC 9001 A.2.
#[test]
fn quic_protect_matches_client_initial_of_rfc_9001() {
    let hello = hex("060040f1010000ed0303ebf8fa56f12939b9584a3896472ec40bb863cfd3e868\
         04fe3a47f06a2b69484c00000413011302010000c000000010000e00000b6578\
         616d706c652e636f6dff01000100000a00080006001d00170018001000070005\
         04616c706e000500050100000000003300260024001d00209370b2c9caa47fba\
         baf4559fedba753de171fa71f50f1ce15d43e994ec74d748002b000302030400\
         0d0010000e0403050306030203080408050806002d00020101001c0002400100\
         3900320408ffffffffffffffff05048000ffff07048000ffff08011001048000\
         75300901100f088394c8f03e51570806048000ffff");
    let mut packet = hex("c300000001088394c8f03e5157080000449e00000002");
    packet.extend(&hello);
    packet.resize(1200, 0);
    let plain = packet.clone();
    let client = Keys::initial(KASOKU_QUIC_CLIENT, &CONNECTION_ID);
    assert_eq!(client.protect(2, &mut packet, 18, 4), KASOKU_OK);
    let start = hex("c000000001088394c8f03e5157080000449e7b9aec34d1b1c98dd7689fb8ec11");
    assert_eq!(packet[..start.len()], start);
    assert_eq!(packet[1184..], hex("e221af44860018ab0856972e194cd934"));

    let mut again = packet.clone();
    assert_eq!(client.unprotect(0, &mut packet, 18), (KASOKU_OK, 2, 22, 1162));
    assert_eq!(packet[..1184], plain[..1184]);
    assert_eq!(client.unmask(0, &mut again, 18), (KASOKU_OK, 2, 4));
    assert_eq!(client.open(2, &mut again, 18, 4), KASOKU_OK);
    assert_eq!(again, packet);
}

/// Checks the server's Initial packet of RFC 9001 A.3.
#[test]
fn quic_protect_matches_server_initial_of_rfc_9001() {
    let plain = hex("c1000000010008f067a5502a4262b50040750001\
         02000000000600405a020000560303eefce7f7b37ba1d1632e96677825ddf739\
         88cfc79825df566dc5430b9a045a1200130100002e00330024001d00209d3c94\
         0d89690b84d08a60993c144eca684d1081287c834d5311bcf32bb9da1a002b00\
         020304");
    let expected = hex("cf000000010008f067a5502a4262b5004075c0d95a482cd0991cd25b0aac406a\
         5816b6394100f37a1c69797554780bb38cc5a99f5ede4cf73c3ec2493a1839b3\
         dbcba3f6ea46c5b7684df3548e7ddeb9c3bf9c73cc3f3bded74b562bfb19fb84\
         022f8ef4cdd93795d77d06edbb7aaf2f58891850abbdca3d20398c276456cbc4\
         2158407dd074ee");
    let mut packet = [&plain[..], &[0; 16]].concat();
    let server = Keys::initial(KASOKU_QUIC_SERVER, &CONNECTION_ID);
    assert_eq!(server.protect(1, &mut packet, 18, 2), KASOKU_OK);
    assert_eq!(packet, expected);
    assert_eq!(server.unprotect(1, &mut packet, 18), (KASOKU_OK, 1, 20, 99));
    assert_eq!(packet[..plain.len()], plain);
}

/// Compares packets, codes and offsets on every backend.
#[test]
fn quic_calls_match_the_rust_api_on_every_backend() {
    for backend in backends() {
        for key_bytes in [16, 32] {
            let (keys, rust) = (Keys::with_backend(backend, key_bytes), engine_protection(backend, key_bytes));
            for total in (17..130).chain([1200, 1440, 9000]) {
                for (offset, bytes) in [(1, 1), (1, 4), (9, 2), (18, 3), (18, 4)] {
                    if offset + bytes > total {
                        continue;
                    }
                    let (number, expected) = (0x0123_4567_89AB, 0x0123_4567_89A0);
                    let mut packet = clear(number, total, offset, bytes);
                    let mut reference = packet.clone();
                    let code = keys.protect(number, &mut packet, offset, bytes);
                    let result = rust.protect(number, &mut reference, offset, bytes);
                    assert_eq!(code == KASOKU_OK, result.is_ok());
                    assert_eq!(packet, reference);
                    let got = keys.unprotect(expected, &mut packet, offset);
                    match rust.unprotect(expected, &mut reference, offset) {
                        Ok(opened) => {
                            assert_eq!(got, (KASOKU_OK, opened.number, opened.payload.start, opened.payload.len()));
                        }
                        Err(_) => assert_eq!(got, (KASOKU_ERR_PACKET_TOO_SHORT, 77, 77, 77)),
                    }
                    assert_eq!(packet, reference);
                }
            }
        }
    }
}

#[test]
fn quic_new_returns_null_for_invalid_keys() {
    let bytes = [7; 64];
    let new = |length| unsafe { kasoku_quic_new(bytes.as_ptr(), length, IV.as_ptr(), bytes.as_ptr()) };
    for length in (0..=64).chain([usize::MAX, isize::MAX as usize, 1 << 40]) {
        let quic = new(length);
        assert_eq!(quic.is_null(), !matches!(length, 16 | 32), "{length}");
        unsafe { kasoku_quic_free(quic) };
    }
    let bytes = bytes.as_ptr();
    unsafe {
        assert!(kasoku_quic_new(null(), 16, IV.as_ptr(), bytes).is_null());
        assert!(kasoku_quic_new(bytes, 16, null(), bytes).is_null());
        assert!(kasoku_quic_new(bytes, 16, IV.as_ptr(), null()).is_null());
        assert!(kasoku_quic_new(null(), 0, null(), null()).is_null());
    }
}

#[test]
fn quic_create_reports_why_it_failed() {
    let create = |key: *const u8, length, iv: *const u8, header_key: *const u8, backend: Option<&CStr>| {
        let mut made = without_provenance_mut(1);
        let backend = backend.map_or(null(), CStr::as_ptr);
        let code = unsafe { kasoku_quic_create(key, length, iv, header_key, backend, &mut made) };
        assert_eq!(code == KASOKU_OK, !made.is_null(), "a pointer is stored in any case");
        drop((!made.is_null()).then_some(Keys(made)));
        code
    };
    let (key, iv, header_key) = (KEY.as_ptr(), IV.as_ptr(), HEADER_KEY.as_ptr());
    assert_eq!(create(key, 16, iv, header_key, None), KASOKU_OK);
    assert_eq!(create(key, 24, iv, header_key, None), KASOKU_ERR_KEY_LENGTH);
    assert_eq!(create(key, 15, iv, header_key, None), KASOKU_ERR_KEY_LENGTH);
    assert_eq!(create(null(), 16, iv, header_key, None), KASOKU_ERR_NULL);
    assert_eq!(create(key, 16, null(), header_key, None), KASOKU_ERR_NULL);
    assert_eq!(create(key, 16, iv, null(), None), KASOKU_ERR_NULL);
    assert_eq!(create(key, 16, iv, header_key, Some(c"fastest")), KASOKU_ERR_BACKEND_UNKNOWN);
    assert_eq!(create(key, 16, iv, header_key, Some(c"")), KASOKU_ERR_BACKEND_UNKNOWN);
    assert_eq!(unsafe { kasoku_quic_create(key, 16, iv, header_key, null(), null_mut()) }, KASOKU_ERR_NULL);
    for backend in kasoku_engine::Backend::ALL {
        let name = std::ffi::CString::new(backend.name()).unwrap();
        let runs = backend.runs_on(Found::here().features());
        let expected = if runs { KASOKU_OK } else { KASOKU_ERR_BACKEND_UNAVAILABLE };
        assert_eq!(create(key, 32, iv, header_key, Some(&name)), expected);
    }
}

#[test]
fn quic_initial_rejects_invalid_versions_senders_and_ids() {
    let id = [5; 21];
    let initial = |version, sender, id: *const u8, length| {
        let mut made = without_provenance_mut(1);
        let code = unsafe { kasoku_quic_initial(version, sender, id, length, null(), &mut made) };
        assert_eq!(code == KASOKU_OK, !made.is_null());
        drop((!made.is_null()).then_some(Keys(made)));
        code
    };
    for length in 0..=20 {
        assert_eq!(initial(KASOKU_QUIC_V1, KASOKU_QUIC_CLIENT, id.as_ptr(), length), KASOKU_OK);
    }
    assert_eq!(initial(KASOKU_QUIC_V2, KASOKU_QUIC_SERVER, null(), 0), KASOKU_OK);
    assert_eq!(initial(KASOKU_QUIC_V1, KASOKU_QUIC_CLIENT, null(), 1), KASOKU_ERR_NULL);
    for length in [21, 255, usize::MAX] {
        assert_eq!(initial(KASOKU_QUIC_V1, 0, id.as_ptr(), length), KASOKU_ERR_CONNECTION_ID_LENGTH);
    }
    for version in [0, 2, 0xFF00_001D, u32::MAX] {
        assert_eq!(initial(version, KASOKU_QUIC_CLIENT, id.as_ptr(), 8), KASOKU_ERR_QUIC_VERSION);
    }
    for sender in [-1, 2, c_int::MAX] {
        assert_eq!(initial(KASOKU_QUIC_V1, sender, id.as_ptr(), 8), KASOKU_ERR_QUIC_SENDER);
    }
    unsafe {
        let id = id.as_ptr();
        assert_eq!(kasoku_quic_initial(KASOKU_QUIC_V1, 0, id, 8, null(), null_mut()), KASOKU_ERR_NULL);
        let mut made = null_mut();
        let code = kasoku_quic_initial(KASOKU_QUIC_V1, 0, id, 8, c"slowest".as_ptr(), &mut made);
        assert_eq!(code, KASOKU_ERR_BACKEND_UNKNOWN);
        // Each version and sender must give different keys.
        let mut seen = Vec::new();
        for version in [KASOKU_QUIC_V1, KASOKU_QUIC_V2] {
            for sender in [KASOKU_QUIC_CLIENT, KASOKU_QUIC_SERVER] {
                assert_eq!(kasoku_quic_initial(version, sender, id, 8, c"portable".as_ptr(), &mut made), KASOKU_OK);
                let keys = Keys(made);
                assert_eq!(CStr::from_ptr(kasoku_quic_backend(keys.0)), c"portable");
                let mut packet = clear(0, 60, 18, 1);
                assert_eq!(keys.protect(0, &mut packet, 18, 1), KASOKU_OK);
                assert!(!seen.contains(&packet));
                seen.push(packet);
            }
        }
    }
}

/// Tests every length below the shortest packet that can be sampled, and that packet.
#[test]
fn quic_calls_leave_too_short_packets_unchanged() {
    let keys = Keys::new();
    for offset in [1, 9, 18, 60] {
        for bytes in 1..=4 {
            for length in 0..offset + 20 {
                let mut packet = vec![0x5A; length.max(16)];
                if let Some(without_tag) = length.checked_sub(16) {
                    let start = packet.as_mut_ptr();
                    let code = unsafe { kasoku_quic_protect(keys.0, 0, start, offset, bytes, without_tag) };
                    assert_eq!(code, KASOKU_ERR_PACKET_TOO_SHORT, "{offset} {bytes} {length}");
                }
                let packet = &mut packet[..length];
                assert_eq!(keys.unmask(0, packet, offset), (KASOKU_ERR_PACKET_TOO_SHORT, 77, 77));
                assert_eq!(keys.open(0, packet, offset, bytes), KASOKU_ERR_PACKET_TOO_SHORT);
                assert_eq!(keys.unprotect(0, packet, offset), (KASOKU_ERR_PACKET_TOO_SHORT, 77, 77, 77));
                assert!(packet.iter().all(|byte| *byte == 0x5A), "{offset} {bytes} {length}");
            }
            let mut packet = clear(5, offset + 20, offset, bytes);
            assert_eq!(keys.protect(5, &mut packet, offset, bytes), KASOKU_OK);
            let expected = (KASOKU_OK, 5, offset + bytes, 4 - bytes);
            assert_eq!(keys.unprotect(5, &mut packet, offset), expected);
        }
    }
}

#[test]
fn quic_calls_leave_packets_with_invalid_numbers_unchanged() {
    let keys = Keys::new();
    let before = [0x5A; 64];
    let mut packet = before;
    let packet = &mut packet[..];
    for bytes in [0, 5, 6, 77, usize::MAX] {
        assert_eq!(keys.protect(0, packet, 1, bytes), KASOKU_ERR_PACKET_NUMBER_LENGTH);
        assert_eq!(keys.open(0, packet, 1, bytes), KASOKU_ERR_PACKET_NUMBER_LENGTH);
    }
    assert_eq!(keys.protect(0, packet, 0, 1), KASOKU_ERR_PACKET_NUMBER_OFFSET);
    assert_eq!(keys.open(0, packet, 0, 1), KASOKU_ERR_PACKET_NUMBER_OFFSET);
    assert_eq!(keys.unmask(0, packet, 0).0, KASOKU_ERR_PACKET_NUMBER_OFFSET);
    assert_eq!(keys.unprotect(0, packet, 0).0, KASOKU_ERR_PACKET_NUMBER_OFFSET);
    for offset in [45, 64, 1 << 40, isize::MAX as usize, usize::MAX - 19, usize::MAX] {
        assert_eq!(keys.protect(0, packet, offset, 1), KASOKU_ERR_PACKET_TOO_SHORT);
        assert_eq!(keys.open(0, packet, offset, 1), KASOKU_ERR_PACKET_TOO_SHORT);
        assert_eq!(keys.unmask(0, packet, offset).0, KASOKU_ERR_PACKET_TOO_SHORT);
        assert_eq!(keys.unprotect(0, packet, offset).0, KASOKU_ERR_PACKET_TOO_SHORT);
    }
    for number in [1 << 62, u64::MAX] {
        assert_eq!(keys.protect(number, packet, 1, 1), KASOKU_ERR_PACKET_NUMBER_TOO_LARGE);
        assert_eq!(keys.open(number, packet, 1, 1), KASOKU_ERR_PACKET_NUMBER_TOO_LARGE);
    }
    assert_eq!(packet, before);
    assert_eq!(keys.failed_opens(), 0, "nothing was tried");
}

/// If the expected number is above 2^62 - 1, a decoded number may also be too large. Such packets must be rejected
/// before unmasking, singly and in a batch.
#[test]
fn quic_unmask_rejects_decoded_numbers_of_2_62_and_more() {
    let keys = Keys::new();
    let mut refused = 0;
    for byte in 0..=255 {
        let mut before = vec![0x5A; 64];
        (before[0], before[9]) = (byte & 3, byte);
        let mut packet = before.clone();
        let (code, ..) = keys.unprotect(1 << 62, &mut packet, 9);
        if code != KASOKU_ERR_PACKET_NUMBER_TOO_LARGE {
            assert_eq!(code, KASOKU_ERR_AUTHENTICATION);
            continue;
        }
        refused += 1;
        assert_eq!(keys.unmask(1 << 62, &mut packet, 9), (code, 77, 77));
        let mut batch = [described(77, &mut packet, 9, 77, 0)];
        assert_eq!(keys.unprotect_batch(1 << 62, &mut batch), 0);
        assert_eq!((batch[0].result, batch[0].packet_number, batch[0].pn_len), (code, 77, 77));
        assert_eq!(keys.unmask_batch(1 << 62, &mut batch), 0);
        assert_eq!((batch[0].result, batch[0].packet_number, batch[0].pn_len), (code, 77, 77));
        assert_eq!(packet, before, "{byte:#x}");
    }
    assert!((64..192).contains(&refused), "{refused} of 256");
}

/// If the expected number is 2^62 + 2^31 or more, every number near it is too large.
#[test]
fn quic_unmask_rejects_expected_numbers_far_above_2_62() {
    let first = (1 << 62) + (1 << 31);
    let near = |middle: u64| middle.saturating_sub(300)..=middle.saturating_add(300);
    let sender = Keys::new();
    for bytes in 1..=4 {
        let mut before = clear((1 << 62) - 3, 64, 9, bytes);
        assert_eq!(sender.protect((1 << 62) - 3, &mut before, 9, bytes), KASOKU_OK);
        for expected in near(u64::MAX).chain(near(1 << 63)).chain(near(first + 300)) {
            let (keys, mut packets) = (Keys::new(), [before.clone(), before.clone()]);
            let code = KASOKU_ERR_PACKET_NUMBER_TOO_LARGE;
            assert_eq!(keys.unprotect(expected, &mut packets[0], 9), (code, 77, 77, 77), "{expected:#x}");
            assert_eq!(keys.unmask(expected, &mut packets[0], 9), (code, 77, 77), "{expected:#x}");
            let mut batch = packets.each_mut().map(|packet| described(77, packet, 9, 77, 0));
            for count in [1, 2] {
                assert_eq!(keys.unprotect_batch(expected, &mut batch[..count]), 0);
                assert_eq!(keys.unmask_batch(expected, &mut batch[..count]), 0);
                for packet in &batch[..count] {
                    assert_eq!((packet.result, packet.packet_number, packet.pn_len), (code, 77, 77), "{expected:#x}");
                }
            }
            assert_eq!((packets, keys.failed_opens()), ([before.clone(), before.clone()], 0), "{expected:#x}");
        }
    }
}

/// Lengths that no memory can have, at an unmapped address: reading one byte would crash the test.
#[test]
fn quic_calls_reject_impossible_lengths_without_memory_access() {
    let keys = Keys::new();
    let (mut number, mut from, mut bytes) = (7, 7, 7);
    // The limit applies to the packet with its tag.
    const LIMIT: usize = (1 << 36) - 32;
    for place in [64, 1 << 40, usize::MAX - 40, usize::MAX] {
        let nowhere = without_provenance_mut::<u8>(place);
        for length in [LIMIT + 1, 1 << 61, isize::MAX as usize, isize::MAX as usize + 1, usize::MAX - 15, usize::MAX] {
            unsafe {
                assert_eq!(kasoku_quic_protect(keys.0, 0, nowhere, 1, 1, length - 16), KASOKU_ERR_MESSAGE_TOO_LONG);
                assert_eq!(kasoku_quic_protect(keys.0, 0, nowhere, 1, 1, length), KASOKU_ERR_MESSAGE_TOO_LONG);
                assert_eq!(kasoku_quic_open(keys.0, 0, nowhere, 1, 1, length), KASOKU_ERR_MESSAGE_TOO_LONG);
                let code = kasoku_quic_unmask(keys.0, 0, nowhere, 1, length, &mut number, &mut bytes);
                assert_eq!(code, KASOKU_ERR_MESSAGE_TOO_LONG);
                let code = kasoku_quic_unprotect(keys.0, 0, nowhere, 1, length, &mut number, &mut from, &mut bytes);
                assert_eq!(code, KASOKU_ERR_MESSAGE_TOO_LONG);
            }
        }
    }
    // A packet that wraps around the end of the address space.
    let last = without_provenance_mut::<u8>(usize::MAX - 40);
    unsafe {
        assert_eq!(kasoku_quic_protect(keys.0, 0, last, 1, 1, 30), KASOKU_ERR_MESSAGE_TOO_LONG);
        assert_eq!(kasoku_quic_open(keys.0, 0, last, 1, 1, 100), KASOKU_ERR_MESSAGE_TOO_LONG);
    }
    assert_eq!((number, from, bytes), (7, 7, 7));
}

#[test]
fn quic_calls_return_errors_for_null() {
    let keys = Keys::new();
    let none = null_mut::<Quic>();
    let mut packet = [0x5A; 64];
    let start = packet.as_mut_ptr();
    let (mut number, mut from, mut bytes) = (7, 7, 7);
    unsafe {
        assert_eq!(kasoku_quic_protect(none, 0, start, 1, 1, 48), KASOKU_ERR_NULL);
        assert_eq!(kasoku_quic_protect(keys.0, 0, null_mut(), 1, 1, 48), KASOKU_ERR_NULL);
        assert_eq!(kasoku_quic_open(none, 0, start, 1, 1, 64), KASOKU_ERR_NULL);
        assert_eq!(kasoku_quic_open(keys.0, 0, null_mut(), 1, 1, 64), KASOKU_ERR_NULL);
        assert_eq!(kasoku_quic_open(keys.0, 0, null_mut(), 1, 1, 0), KASOKU_ERR_PACKET_TOO_SHORT);
        for case in 1..1 << 4 {
            let is_null = |bit: u32| case >> bit & 1 != 0;
            let quic = if is_null(0) { none } else { keys.0 };
            let packet = if is_null(1) { null_mut() } else { start };
            let number_at = if is_null(2) { null_mut() } else { &raw mut number };
            let bytes_at = if is_null(3) { null_mut() } else { &raw mut bytes };
            assert_eq!(kasoku_quic_unmask(quic, 0, packet, 1, 64, number_at, bytes_at), KASOKU_ERR_NULL);
            let (from_at, bytes_at) = (bytes_at, &raw mut from);
            let code = kasoku_quic_unprotect(quic, 0, packet, 1, 64, number_at, from_at, bytes_at);
            assert_eq!(code, KASOKU_ERR_NULL);
            let code = kasoku_quic_unprotect(quic, 0, packet, 1, 64, number_at, bytes_at, from_at);
            assert_eq!(code, KASOKU_ERR_NULL);
        }
        assert_eq!(kasoku_quic_begin_at(none, 0), KASOKU_ERR_NULL);
        assert_eq!(kasoku_quic_share_failed_opens(none, keys.0), KASOKU_ERR_NULL);
        assert_eq!(kasoku_quic_share_failed_opens(keys.0, none), KASOKU_ERR_NULL);
        assert_eq!(kasoku_quic_failed_opens(none), 0);
        assert!(kasoku_quic_backend(none).is_null());
        kasoku_quic_free(none);

        let mut next = without_provenance_mut(1);
        let (key, iv) = (KEY.as_ptr(), IV.as_ptr());
        assert_eq!(kasoku_quic_next_phase(none, key, 16, iv, &mut next), KASOKU_ERR_NULL);
        assert!(next.is_null());
        assert_eq!(kasoku_quic_next_phase(keys.0, null(), 16, iv, &mut next), KASOKU_ERR_NULL);
        assert_eq!(kasoku_quic_next_phase(keys.0, key, 16, null(), &mut next), KASOKU_ERR_NULL);
        assert_eq!(kasoku_quic_next_phase(keys.0, key, 16, iv, null_mut()), KASOKU_ERR_NULL);
        for length in [0, 15, 24, 32, usize::MAX] {
            let nowhere = without_provenance(64);
            let key = if length == usize::MAX { nowhere } else { key };
            assert_eq!(kasoku_quic_next_phase(keys.0, key, length, iv, &mut next), KASOKU_ERR_KEY_LENGTH);
        }
    }
    assert_eq!((packet, number, from, bytes), ([0x5A; 64], 7, 7, 7));
}

/// The output numbers must not lie in the packet or overlap each other.
#[test]
fn quic_unmask_rejects_outputs_inside_the_packet() {
    let keys = Keys::new();
    let mut arena = [0x5A_u8; 96];
    let start = arena.as_mut_ptr();
    // The alignment is arbitrary, because numbers are written byte by byte.
    let place = |at: usize| start.wrapping_add(at);
    let (mut number, mut apart, mut more) = (7, 7, 7);
    for at in 0..=88 {
        let expected = if (9..80).contains(&at) { KASOKU_ERR_OVERLAP } else { KASOKU_ERR_PACKET_TOO_SHORT };
        // If the overlap check passes, an offset out of range must still leave the packet unchanged.
        let offset = 45;
        unsafe {
            let (packet, length) = (place(16), 64);
            let code = kasoku_quic_unmask(keys.0, 0, packet, offset, length, place(at).cast(), &mut apart);
            assert_eq!(code, expected, "{at}");
            let code = kasoku_quic_unmask(keys.0, 0, packet, offset, length, &mut number, place(at).cast());
            assert_eq!(code, expected, "{at}");
            for turn in 0..3 {
                let mut places = [(&raw mut number).cast(), (&raw mut apart).cast(), (&raw mut more).cast::<u8>()];
                places[turn] = place(at);
                let [a, b, c] = places;
                let code = kasoku_quic_unprotect(keys.0, 0, packet, offset, length, a.cast(), b.cast(), c.cast());
                assert_eq!(code, expected, "{at} {turn}");
            }
        }
    }
    unsafe {
        let (packet, both) = (start, (&raw mut apart).cast());
        assert_eq!(kasoku_quic_unmask(keys.0, 0, packet, 1, 64, both, both.cast()), KASOKU_ERR_OVERLAP);
        let code = kasoku_quic_unprotect(keys.0, 0, packet, 1, 64, &mut number, both.cast(), both.cast());
        assert_eq!(code, KASOKU_ERR_OVERLAP);
        let beside = both.cast::<u8>().wrapping_add(7).cast();
        let code = kasoku_quic_unprotect(keys.0, 0, packet, 1, 64, beside, &mut apart, &mut more);
        assert_eq!(code, KASOKU_ERR_OVERLAP);
    }
    assert_eq!((arena, number, apart, more), ([0x5A; 96], 7, 7, 7));

    // Unaligned numbers must be written.
    let mut packet = clear(3, 64, 1, 1);
    assert_eq!(keys.protect(3, &mut packet, 1, 1), KASOKU_OK);
    let code = unsafe { kasoku_quic_unmask(keys.0, 0, packet.as_mut_ptr(), 1, 64, place(1).cast(), place(9).cast()) };
    assert_eq!(code, KASOKU_OK);
    assert_eq!(
        (arena[1..9].to_vec(), arena[9..17].to_vec()),
        (3_u64.to_ne_bytes().into(), 1_usize.to_ne_bytes().into())
    );
}

/// Flips every bit of a packet. A flipped bit in the header may change the packet number's length: the payload then
/// begins elsewhere, and the bytes before it are not zeroed.
#[test]
fn quic_open_zeroes_payload_for_any_flipped_bit() {
    let keys = Keys::new();
    let plain = clear(0x1234, 60, 9, 2);
    let mut packet = plain.clone();
    assert_eq!(keys.protect(0x1234, &mut packet, 9, 2), KASOKU_OK);
    let mut failed = 0;
    for bit in 0..8 * packet.len() {
        let mut forged = packet.clone();
        forged[bit / 8] ^= 1 << (bit % 8);
        let mut again = forged.clone();
        assert_eq!(keys.unprotect(0x1234, &mut forged, 9), (KASOKU_ERR_AUTHENTICATION, 77, 77, 77), "bit {bit}");
        assert_eq!(forged[13..44], [0; 31], "bit {bit}");
        let (code, number, bytes) = keys.unmask(0x1234, &mut again, 9);
        assert_eq!(code, KASOKU_OK);
        assert_eq!(keys.open(number, &mut again, 9, bytes), KASOKU_ERR_AUTHENTICATION, "bit {bit}");
        assert_eq!(again, forged);
        failed += 2;
        assert_eq!(keys.failed_opens(), failed);
    }
    assert_eq!(keys.unprotect(0x1234, &mut packet, 9), (KASOKU_OK, 0x1234, 11, 33));
    assert_eq!(packet[..44], plain[..44]);
    assert_eq!(keys.failed_opens(), failed);
}

#[test]
fn quic_protect_fails_past_the_confidentiality_limit() {
    const LIMIT: u64 = 1 << 23;
    let protect = |keys: &Keys, number: u64| keys.protect(number, &mut clear(number, 60, 1, 4), 1, 4);
    let keys = Keys::new();
    assert_eq!(protect(&keys, 100), KASOKU_OK);
    assert_eq!(protect(&keys, 99), KASOKU_ERR_PACKET_NUMBER_FELL);
    assert_eq!(protect(&keys, 99 + LIMIT), KASOKU_OK);
    assert_eq!(protect(&keys, 100 + LIMIT), KASOKU_ERR_CONFIDENTIALITY_LIMIT);
    let mut packet = clear(100 + LIMIT, 60, 1, 4);
    assert_eq!(keys.protect(100 + LIMIT, &mut packet, 1, 4), KASOKU_ERR_CONFIDENTIALITY_LIMIT);
    assert_eq!(packet, clear(100 + LIMIT, 60, 1, 4), "as it was");

    // The next key has its own count.
    let next = keys.next_phase(&[9; 16], &[8; 12]);
    assert_eq!(protect(&next, 100 + LIMIT), KASOKU_OK);

    let keys = Keys::new();
    unsafe {
        for first in [1 << 62, (1 << 62) + 1, u64::MAX] {
            assert_eq!(kasoku_quic_begin_at(keys.0, first), KASOKU_ERR_PACKET_NUMBER_TOO_LARGE);
        }
        assert_eq!(kasoku_quic_begin_at(keys.0, (1 << 62) - 1), KASOKU_OK);
        assert_eq!(kasoku_quic_begin_at(keys.0, 50), KASOKU_OK);
    }
    assert_eq!(protect(&keys, 51), KASOKU_OK);
    assert_eq!(protect(&keys, 50), KASOKU_OK);
    assert_eq!(protect(&keys, 49), KASOKU_ERR_PACKET_NUMBER_FELL);
    assert_eq!(protect(&keys, 50 + LIMIT), KASOKU_ERR_CONFIDENTIALITY_LIMIT);
}

#[test]
fn quic_failed_opens_counts_packets_of_all_sharing_keys() {
    let fail = |keys: &Keys| assert_eq!(keys.unprotect(0, &mut [0x40; 60], 1).0, KASOKU_ERR_AUTHENTICATION);
    let (first, second) = (Keys::new(), Keys::with_backend(kasoku_engine::Backend::Portable, 32));
    fail(&first);
    assert_eq!((first.failed_opens(), second.failed_opens()), (1, 0));
    unsafe {
        assert_eq!(kasoku_quic_share_failed_opens(second.0, first.0), KASOKU_OK);
        assert_eq!(kasoku_quic_share_failed_opens(second.0, second.0), KASOKU_OK);
    }
    fail(&second);
    let third = second.next_phase(&KEY, &[3; 12]);
    drop(second);
    fail(&third);
    assert_eq!((first.failed_opens(), third.failed_opens()), (3, 3));
    drop(first);
    fail(&third);
    assert_eq!(third.failed_opens(), 4);
}

/// Compares with a nonce that is computed here: the IV XOR the path ID and the packet number (RFC 10069).
#[test]
fn quic_on_path_puts_the_path_id_into_the_nonce_and_shares_the_counts() {
    for backend in backends() {
        let keys = Keys::with_backend(backend, 16);
        for path_id in [1, 0x0102_0304, u32::MAX, 0] {
            let path = keys.on_path(path_id);
            let number = 0x1234;
            let plain = clear(number, 100, 9, 2);
            let mut packet = plain.clone();
            assert_eq!(path.protect(number, &mut packet, 9, 2), KASOKU_OK);
            assert_eq!(keys.unmask(number, &mut packet, 9), (KASOKU_OK, number, 2));

            let nonce = u128::from_be_bytes([&[0; 4][..], &IV].concat().try_into().unwrap())
                ^ (u128::from(path_id) << 64 | u128::from(number));
            let mut sealed = plain[11..84].to_vec();
            let gcm = kasoku_engine::AesGcm::new(&KEY[..16]).unwrap();
            let tag = gcm.seal(&nonce.to_be_bytes()[4..].try_into().unwrap(), &plain[..11], &mut sealed).unwrap();
            assert_eq!(packet[11..], [&sealed[..], &tag].concat(), "{backend}, path {path_id:#x}");

            assert_eq!(path.open(number + 1, &mut packet.clone(), 9, 2), KASOKU_ERR_AUTHENTICATION);
            assert_eq!(keys.failed_opens(), path.failed_opens());
            // The ID of a path is not added to that of the object it was made from.
            assert_eq!(keys.on_path(7).on_path(path_id).open(number, &mut packet, 9, 2), KASOKU_OK);
        }
    }
}

/// The header-protection key stays after a key update, so that the key phase can be read before a key is chosen.
#[test]
fn quic_unmask_works_after_a_key_update() {
    for backend in backends() {
        for key_bytes in [16, 32] {
            let now = Keys::with_backend(backend, key_bytes);
            let next = now.next_phase(&[9; 32][..key_bytes], &[8; 12]);
            assert_eq!(unsafe { CStr::from_ptr(kasoku_quic_backend(next.0)) }.to_str().unwrap(), backend.name());
            let mut packet = clear(7, 80, 9, 2);
            packet[0] |= 0x04;
            let plain = packet.clone();
            assert_eq!(next.protect(7, &mut packet, 9, 2), KASOKU_OK);
            assert_eq!(now.unmask(7, &mut packet, 9), (KASOKU_OK, 7, 2));
            assert_eq!(packet[..11], plain[..11]);
            let mut wrong = packet.clone();
            assert_eq!(now.open(7, &mut wrong, 9, 2), KASOKU_ERR_AUTHENTICATION);
            assert_eq!(next.open(7, &mut packet, 9, 2), KASOKU_OK);
            assert_eq!(packet[..64], plain[..64]);
        }
    }
}

#[test]
fn threads_can_share_a_quic_object() {
    let keys = Keys::new();
    let expected: Vec<_> = (0..64)
        .map(|number| {
            let mut packet = clear(number, 333, 9, 2);
            assert_eq!(keys.protect(number, &mut packet, 9, 2), KASOKU_OK);
            packet
        })
        .collect();
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                for _ in 0..20 {
                    for (number, expected) in (0..).zip(&expected) {
                        let mut packet = clear(number, 333, 9, 2);
                        assert_eq!(keys.protect(number, &mut packet, 9, 2), KASOKU_OK);
                        assert_eq!(&packet, expected);
                        assert_eq!(keys.unprotect(number, &mut packet, 9), (KASOKU_OK, number, 11, 306));
                        assert_eq!(keys.unprotect(number, &mut packet, 9).0, KASOKU_ERR_AUTHENTICATION);
                    }
                }
            });
        }
    });
    assert_eq!(keys.failed_opens(), 8 * 20 * 64, "none is lost");
}

/// The first two cases are the examples of RFC 9000 A.2.
#[test]
fn quic_number_bytes_returns_the_shortest_decodable_length() {
    assert_eq!(kasoku_quic_number_bytes(0xAC_5C02, 0xAB_E8B3), 2);
    assert_eq!(kasoku_quic_number_bytes(0xAC_E8FE, 0xAB_E8B3), 3);
    assert_eq!(kasoku_quic_number_bytes(0, u64::MAX), 1);
    assert_eq!(kasoku_quic_number_bytes(1 << 40, u64::MAX), 0);
    assert_eq!(kasoku_quic_number_bytes(u64::MAX, u64::MAX), 0);
    assert_eq!(kasoku_quic_number_bytes(5, 9), 1);
}

#[test]
fn quic_number_bytes_returns_0_for_invalid_packet_numbers() {
    const LAST: u64 = (1 << 62) - 1;
    assert_eq!(kasoku_quic_number_bytes(LAST, LAST - 1), 1);
    for number in [LAST + 1, LAST + 2, 1 << 63, u64::MAX] {
        for acknowledged in [0, LAST, number - 1, number, u64::MAX] {
            assert_eq!(kasoku_quic_number_bytes(number, acknowledged), 0, "{number:#x} after {acknowledged:#x}");
        }
    }
}

fn hex(digits: &str) -> Vec<u8> {
    (0..digits.len()).step_by(2).map(|at| u8::from_str_radix(&digits[at..at + 2], 16).unwrap()).collect()
}
