//! Checks that each function returns exactly the codes that the header documents for it.

#![allow(unsafe_code, clippy::unwrap_used, reason = "calls the C API; tests may panic")]
#![allow(
    clippy::undocumented_unsafe_blocks,
    reason = "every call gets arrays of this test, or arguments that it rejects"
)]

mod quic_keys;

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{c_int, c_void};
use std::ptr::{null, null_mut, without_provenance, without_provenance_mut};

use kasoku::*;
use quic_keys::{HEADER_KEY, IV, KEY, Keys, clear, described};

/// Codes that each function returned.
type Seen = BTreeMap<&'static str, BTreeSet<c_int>>;

/// Calls a function and records the code that it returns.
macro_rules! call {
    ($seen:ident, $name:ident($($argument:expr),* $(,)?)) => {{
        let code = unsafe { $name($($argument),*) };
        $seen.entry(stringify!($name)).or_default().insert(code);
    }};
}

/// Seals and opens whole messages with valid arguments and with one argument wrong.
macro_rules! message_calls {
    ($seen:ident, $key:expr, $seal:ident, $open:ident, $nonce_bytes:expr, $wrong_nonce_bytes:expr) => {{
        let (key, nowhere) = ($key.cast_const(), without_provenance::<u8>(64));
        let (nonce, mut text, mut tag) = ([1; 24], [7; 64], [0; 16]);
        let (nonce, out, tag) = (nonce.as_ptr(), text.as_mut_ptr(), tag.as_mut_ptr());
        let in_text = out.cast_const();
        call!($seen, $open(key, nonce, $nonce_bytes, null(), 0, in_text, 64, tag, out));
        for is_opened in [false, true] {
            for (key, nonce_bytes, aad, aad_bytes, bytes) in [
                (null(), $nonce_bytes, null(), 0, 64),
                (key, $wrong_nonce_bytes, null(), 0, 64),
                (key, $nonce_bytes, nowhere, usize::MAX, 64),
                (key, $nonce_bytes, null(), 0, 1 << 40),
                (key, $nonce_bytes, in_text, 1, 64),
                (key, $nonce_bytes, null(), 0, 64),
            ] {
                if is_opened {
                    call!($seen, $open(key, nonce, nonce_bytes, aad, aad_bytes, in_text, bytes, tag, out));
                } else {
                    call!($seen, $seal(key, nonce, nonce_bytes, aad, aad_bytes, in_text, bytes, out, tag));
                }
            }
        }
    }};
}

#[test]
fn calls_return_exactly_the_documented_codes() {
    let header = include_str!("../include/kasoku.h");
    let codes = codes_by_name(header);
    let mut seen = Seen::new();
    gcm_keys(&mut seen);
    gcm_messages(&mut seen);
    one_time_keys(&mut seen);
    vectored_messages(&mut seen);
    xaes(&mut seen);
    siv(&mut seen);
    streamed_messages(&mut seen);
    quic_keys(&mut seen);
    quic_packets(&mut seen);
    quic_batches(&mut seen);

    let mut expected: Seen = documented_codes(header, &codes);
    let name_of = |code: &c_int| codes.iter().find(|(_, number)| *number == code).map_or("?", |(name, _)| name);
    assert_eq!(expected.keys().collect::<Vec<_>>(), seen.keys().collect::<Vec<_>>());
    for (call, documented) in &mut expected {
        // This test cannot cause a bug or 2^52 forgeries; unit tests in `src/` do.
        documented.remove(&KASOKU_ERR_INTEGRITY_LIMIT);
        let names = |codes: &BTreeSet<c_int>| codes.iter().map(name_of).collect::<Vec<_>>();
        assert_eq!(names(&seen[call]), names(documented), "{call}: returned, and documented");
    }
}

#[test]
fn documented_codes_returns_the_codes_of_each_function() {
    let header = "#define KASOKU_OK 0\n#define KASOKU_ERR_NULL -1\n/**\n * KASOKU_OK or\n * KASOKU_ERR_NULL.\n */\n\
                  int kasoku_a(int a,\n             int b);\n\n/**\n * Frees.\n */\nvoid kasoku_b(void);\n";
    let read = documented_codes(header, &codes_by_name(header));
    assert_eq!(read, BTreeMap::from([("kasoku_a", BTreeSet::from([KASOKU_ERR_NULL, KASOKU_OK]))]));
}

fn codes_by_name(header: &'static str) -> BTreeMap<&'static str, c_int> {
    let defined = header.lines().filter_map(|line| line.strip_prefix("#define ")?.split_once(' '));
    let codes = defined.filter(|(name, _)| *name == "KASOKU_OK" || name.starts_with("KASOKU_ERR_"));
    codes.map(|(name, number)| (name, number.parse().unwrap())).collect()
}

/// Returns the codes named in the comment before each function that returns codes.
fn documented_codes(header: &'static str, codes_by_name: &BTreeMap<&str, c_int>) -> Seen {
    let mut calls = Seen::new();
    let mut codes = BTreeSet::new();
    for line in header.lines() {
        if line == "/**" {
            codes.clear();
        } else if line.starts_with(" *") {
            let words = line.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
            codes.extend(words.filter_map(|word| codes_by_name.get(word)));
        } else if !line.starts_with([' ', '#'])
            && let Some((before, _)) = line.split_once('(')
        {
            let name = before.rsplit([' ', '*']).next().unwrap();
            // Batch functions return a count, but store a code for each packet.
            if line.starts_with("int ") || name.ends_with("_batch") {
                calls.insert(name, std::mem::take(&mut codes));
            }
        }
    }
    calls
}

fn gcm_keys(seen: &mut Seen) {
    let mut gcm = null_mut();
    for (key, length, backend) in [
        (KEY.as_ptr(), 16, null()),
        (KEY.as_ptr(), 17, null()),
        (null(), 16, null()),
        (KEY.as_ptr(), 16, c"fastest".as_ptr()),
        (KEY.as_ptr(), 16, c"aes-pmull".as_ptr()),
        (KEY.as_ptr(), 16, c"vaes512".as_ptr()),
    ] {
        call!(seen, kasoku_gcm_create(key, length, backend, &mut gcm));
        unsafe { kasoku_gcm_free(gcm) };
    }
    call!(seen, kasoku_gcm_create(KEY.as_ptr(), 16, null(), null_mut()));
    let mut memory = vec![0_u128; kasoku_gcm_size().div_ceil(16)];
    let (start, size) = (memory.as_mut_ptr().cast::<c_void>(), kasoku_gcm_size());
    for (memory, bytes, key, key_bytes) in [
        (start, size, KEY.as_ptr(), 16),
        (start, size - 1, KEY.as_ptr(), 16),
        (start.wrapping_byte_add(8), size, KEY.as_ptr(), 16),
        (null_mut(), size, KEY.as_ptr(), 16),
        (start, size, KEY.as_ptr(), 17),
        (start, size, null(), 16),
    ] {
        call!(seen, kasoku_gcm_init(memory, bytes, key, key_bytes, &mut gcm));
        unsafe { kasoku_gcm_wipe(gcm) };
    }
    call!(seen, kasoku_gcm_init(start, size, KEY.as_ptr(), 16, null_mut()));
}

fn one_time_keys(seen: &mut Seen) {
    let (key, nowhere) = (KEY.as_ptr(), without_provenance::<u8>(64));
    let (mut text, mut tag) = ([7; 64], [0; 16]);
    let (nonce, out, tag) = ([1; 12], text.as_mut_ptr(), tag.as_mut_ptr());
    let (nonce, in_text) = (nonce.as_ptr(), out.cast_const());
    call!(seen, kasoku_gcm_open_once(key, 16, nonce, 12, null(), 0, in_text, 64, tag, out));
    for is_opened in [false, true] {
        for (key, key_bytes, nonce_bytes, aad, aad_bytes, bytes) in [
            (null(), 16, 12, null(), 0, 64),
            (key, 17, 12, null(), 0, 64),
            (key, 16, 0, null(), 0, 64),
            (key, 16, 12, nowhere, usize::MAX, 64),
            (key, 16, 12, null(), 0, 1 << 40),
            (in_text, 16, 12, null(), 0, 64),
            (key, 16, 12, null(), 0, 64),
        ] {
            if is_opened {
                call!(
                    seen,
                    kasoku_gcm_open_once(key, key_bytes, nonce, nonce_bytes, aad, aad_bytes, in_text, bytes, tag, out)
                );
            } else {
                call!(
                    seen,
                    kasoku_gcm_seal_once(key, key_bytes, nonce, nonce_bytes, aad, aad_bytes, in_text, bytes, out, tag)
                );
            }
        }
    }
}

fn xaes(seen: &mut Seen) {
    let key = [7; 32];
    let mut xaes = null_mut();
    for (key, backend) in [
        (null(), null()),
        (key.as_ptr(), c"fastest".as_ptr()),
        (key.as_ptr(), c"aes-pmull".as_ptr()),
        (key.as_ptr(), c"vaes512".as_ptr()),
        (key.as_ptr(), null()),
    ] {
        unsafe { kasoku_xaes_free(xaes) };
        call!(seen, kasoku_xaes_create(key, backend, &mut xaes));
    }
    call!(seen, kasoku_xaes_create(key.as_ptr(), null(), null_mut()));
    message_calls!(seen, xaes, kasoku_xaes_seal, kasoku_xaes_open, 24, 12);
    unsafe { kasoku_xaes_free(xaes) };
}

fn siv(seen: &mut Seen) {
    let key = [7; 32];
    let mut siv = null_mut();
    for (key, length, backend) in [
        (null(), 16, null()),
        (key.as_ptr(), 24, null()),
        (key.as_ptr(), 16, c"fastest".as_ptr()),
        (key.as_ptr(), 16, c"aes-pmull".as_ptr()),
        (key.as_ptr(), 16, c"vaes512".as_ptr()),
        (key.as_ptr(), 32, null()),
    ] {
        unsafe { kasoku_siv_free(siv) };
        call!(seen, kasoku_siv_create(key, length, backend, &mut siv));
    }
    call!(seen, kasoku_siv_create(key.as_ptr(), 16, null(), null_mut()));
    message_calls!(seen, siv, kasoku_siv_seal, kasoku_siv_open, 12, 24);
    unsafe { kasoku_siv_free(siv) };
}

fn gcm_messages(seen: &mut Seen) {
    let gcm = unsafe { kasoku_gcm_new(KEY.as_ptr(), 16) };
    message_calls!(seen, gcm, kasoku_gcm_seal, kasoku_gcm_open, 12, 0);
    unsafe { kasoku_gcm_free(gcm) };
}

fn vectored_messages(seen: &mut Seen) {
    let gcm = unsafe { kasoku_gcm_new(KEY.as_ptr(), 16) }.cast_const();
    let (text, mut out, mut tag) = ([7_u8; 64], [0_u8; 64], [0; 16]);
    let (nonce, out, tag) = (IV.as_ptr(), out.as_mut_ptr(), tag.as_mut_ptr());
    let slice = |data: *const u8, len| [kasoku_slice { data, len }];
    let (good, nothing) = (slice(text.as_ptr(), 64), slice(null(), 0));
    let too_long = [kasoku_slice { data: without_provenance(64), len: 1 << 35 }; 3];
    call!(seen, kasoku_gcm_open_vectored(gcm, nonce, 12, null(), 0, good.as_ptr(), 1, tag, out));
    for (gcm, nonce_bytes, aad, from) in [
        (gcm, 12, nothing, &good[..]),
        (null(), 12, nothing, &good[..]),
        (gcm, 0, nothing, &good[..]),
        (gcm, 12, slice(without_provenance(64), usize::MAX), &good[..]),
        (gcm, 12, nothing, &too_long[..]),
        (gcm, 12, slice(out, 1), &good[..]),
    ] {
        let (aad, from, count) = (aad.as_ptr(), from.as_ptr(), from.len());
        call!(seen, kasoku_gcm_seal_vectored(gcm, nonce, nonce_bytes, aad, 1, from, count, out, tag));
        call!(seen, kasoku_gcm_open_vectored(gcm, nonce, nonce_bytes, aad, 1, from, count, tag, out));
    }
    // Seals a message, to open an authentic one.
    call!(seen, kasoku_gcm_seal_vectored(gcm, nonce, 12, null(), 0, good.as_ptr(), 1, out, tag));
    let copy = unsafe { *out.cast::<[u8; 64]>() };
    let sealed = slice(copy.as_ptr(), 64);
    call!(seen, kasoku_gcm_open_vectored(gcm, nonce, 12, null(), 0, sealed.as_ptr(), 1, tag, out));
    unsafe { kasoku_gcm_free(gcm.cast_mut()) };
}

fn streamed_messages(seen: &mut Seen) {
    let gcm = unsafe { kasoku_gcm_new(KEY.as_ptr(), 16) };
    let (mut text, mut tag) = ([7; 64], [0; 16]);
    let (nonce, both, tag) = (IV.as_ptr(), text.as_mut_ptr(), tag.as_mut_ptr());
    let nowhere = without_provenance(64);
    let begin = || unsafe { (kasoku_gcm_sealing_new(gcm, nonce, 12), kasoku_gcm_opening_new(gcm, nonce, 12)) };
    let (sealing, opening) = begin();
    for (aad, bytes) in [(nonce, 12), (null(), 1), (nowhere, usize::MAX)] {
        call!(seen, kasoku_gcm_sealing_aad(sealing, aad, bytes));
        call!(seen, kasoku_gcm_opening_aad(opening, aad, bytes));
    }
    for (from, bytes) in [(both, 32), (null_mut(), 32), (both, 1 << 40), (both.wrapping_add(1), 32)] {
        call!(seen, kasoku_gcm_sealing_update(sealing, from, bytes, both));
        call!(seen, kasoku_gcm_opening_update(opening, from, bytes, both));
    }
    call!(seen, kasoku_gcm_sealing_aad(sealing, nonce, 12));
    call!(seen, kasoku_gcm_opening_aad(opening, nonce, 12));
    call!(seen, kasoku_gcm_sealing_finish(sealing, null_mut()));
    call!(seen, kasoku_gcm_opening_finish(opening, null()));
    // Opens the sealed bytes in place, so the tag matches.
    for _ in 0..2 {
        call!(seen, kasoku_gcm_sealing_finish(sealing, tag));
        call!(seen, kasoku_gcm_opening_finish(opening, tag));
    }
    call!(seen, kasoku_gcm_sealing_aad(sealing, nonce, 12));
    call!(seen, kasoku_gcm_opening_aad(opening, nonce, 12));
    call!(seen, kasoku_gcm_sealing_update(sealing, both, 32, both));
    call!(seen, kasoku_gcm_opening_update(opening, both, 32, both));
    unsafe {
        kasoku_gcm_sealing_free(sealing);
        kasoku_gcm_opening_free(opening);
    }
    // Uses the tag of another message.
    let (sealing, opening) = begin();
    call!(seen, kasoku_gcm_opening_finish(opening, KEY.as_ptr()));
    unsafe {
        kasoku_gcm_sealing_free(sealing);
        kasoku_gcm_opening_free(opening);
        kasoku_gcm_free(gcm);
    }
}

fn quic_keys(seen: &mut Seen) {
    let (key, iv, header_key) = (KEY.as_ptr(), IV.as_ptr(), HEADER_KEY.as_ptr());
    let mut quic = null_mut();
    for (key, length, backend) in [
        (key, 16, null()),
        (key, 24, null()),
        (null(), 16, null()),
        (key, 16, c"fastest".as_ptr()),
        (key, 16, c"aes-pmull".as_ptr()),
        (key, 16, c"vaes512".as_ptr()),
    ] {
        call!(seen, kasoku_quic_create(key, length, iv, header_key, backend, &mut quic));
        unsafe { kasoku_quic_free(quic) };
    }
    for (version, sender, id_bytes, backend) in [
        (KASOKU_QUIC_V1, KASOKU_QUIC_CLIENT, 8, null()),
        (7, KASOKU_QUIC_CLIENT, 8, null()),
        (KASOKU_QUIC_V2, 7, 8, null()),
        (KASOKU_QUIC_V2, KASOKU_QUIC_SERVER, 21, null()),
        (KASOKU_QUIC_V1, KASOKU_QUIC_CLIENT, 8, c"fastest".as_ptr()),
        (KASOKU_QUIC_V1, KASOKU_QUIC_CLIENT, 8, c"aes-pmull".as_ptr()),
        (KASOKU_QUIC_V1, KASOKU_QUIC_CLIENT, 8, c"vaes512".as_ptr()),
    ] {
        call!(seen, kasoku_quic_initial(version, sender, key, id_bytes, backend, &mut quic));
        unsafe { kasoku_quic_free(quic) };
    }
    call!(seen, kasoku_quic_initial(KASOKU_QUIC_V1, KASOKU_QUIC_CLIENT, key, 8, null(), null_mut()));
    let keys = Keys::new();
    for (key, length) in [(key, 16), (key, 32), (null(), 16)] {
        call!(seen, kasoku_quic_next_phase(keys.0, key, length, iv, &mut quic));
        unsafe { kasoku_quic_free(quic) };
    }
    for keys in [keys.0, null_mut()] {
        call!(seen, kasoku_quic_on_path(keys, 1, &mut quic));
        unsafe { kasoku_quic_free(quic) };
    }
    call!(seen, kasoku_quic_begin_at(keys.0, 1 << 62));
    call!(seen, kasoku_quic_begin_at(keys.0, 1));
    call!(seen, kasoku_quic_begin_at(null_mut(), 1));
    call!(seen, kasoku_quic_share_failed_opens(keys.0, keys.0));
    call!(seen, kasoku_quic_share_failed_opens(keys.0, null()));
}

/// Arguments that describe a packet.
#[derive(Clone, Copy)]
struct PacketArguments {
    number: u64,
    offset: usize,
    bytes: usize,
    length: usize,
}

const VALID: PacketArguments = PacketArguments { number: 1000, offset: 9, bytes: 2, length: 64 };

/// A valid description, and one invalid description for each error.
const ARGUMENTS: [PacketArguments; 8] = [
    VALID,
    PacketArguments { length: 4, ..VALID },
    PacketArguments { length: 1 << 40, ..VALID },
    PacketArguments { bytes: 5, ..VALID },
    PacketArguments { offset: 0, ..VALID },
    PacketArguments { number: 1 << 62, ..VALID },
    PacketArguments { number: 999, ..VALID },
    PacketArguments { number: 1000 + (1 << 23), ..VALID },
];

fn quic_packets(seen: &mut Seen) {
    let keys = Keys::new();
    let (mut room, mut number, mut first, mut second) = ([0x41; 80], 0, 0, 0);
    let packet = room.as_mut_ptr();
    for PacketArguments { number, offset, bytes, length } in ARGUMENTS {
        call!(seen, kasoku_quic_protect(keys.0, number, packet, offset, bytes, length));
    }
    call!(seen, kasoku_quic_protect(null(), 1000, packet, 9, 2, 64));
    let mut sealed = clear(1000, 80, 9, 2);
    assert_eq!(keys.protect(1000, &mut sealed, 9, 2), KASOKU_OK);
    let copy = |room: *mut u8| unsafe { room.copy_from(sealed.as_ptr(), 80) };
    for PacketArguments { number: expected, offset, length, .. } in ARGUMENTS {
        let length = if length == 64 { 80 } else { length };
        copy(packet);
        call!(seen, kasoku_quic_unmask(keys.0, expected, packet, offset, length, &mut number, &mut first));
        copy(packet);
        call!(
            seen,
            kasoku_quic_unprotect(keys.0, expected, packet, offset, length, &mut number, &mut first, &mut second)
        );
    }
    // Some of these truncated packet numbers decode to a number above the maximum.
    for byte in 0..=255 {
        unsafe { packet.write_bytes(byte, 80) };
        call!(seen, kasoku_quic_unmask(keys.0, 1 << 62, packet, 9, 80, &mut number, &mut first));
        unsafe { packet.write_bytes(byte, 80) };
        call!(seen, kasoku_quic_unprotect(keys.0, 1 << 62, packet, 9, 80, &mut number, &mut first, &mut second));
    }
    let inside = packet.cast();
    call!(seen, kasoku_quic_unmask(keys.0, 0, packet, 9, 80, inside, &mut first));
    call!(seen, kasoku_quic_unmask(keys.0, 0, packet, 9, 80, null_mut(), &mut first));
    call!(seen, kasoku_quic_unprotect(keys.0, 0, packet, 9, 80, inside, &mut first, &mut second));
    call!(seen, kasoku_quic_unprotect(keys.0, 0, packet, 9, 80, null_mut(), &mut first, &mut second));
    copy(packet);
    assert_eq!(keys.unmask(1000, unsafe { std::slice::from_raw_parts_mut(packet, 80) }, 9), (KASOKU_OK, 1000, 2));
    for PacketArguments { number, offset, bytes, length } in ARGUMENTS {
        let length = if length == 64 { 80 } else { length };
        call!(seen, kasoku_quic_open(keys.0, number, packet, offset, bytes, length));
    }
    call!(seen, kasoku_quic_open(null(), 1000, packet, 9, 2, 80));
}

fn quic_batches(seen: &mut Seen) {
    type Batch<'a> = &'a dyn Fn(*const Quic, &mut [kasoku_quic_packet]);
    let keys = Keys::new();
    let mut sealed = clear(1000, 80, 9, 2);
    assert_eq!(keys.protect(1000, &mut sealed, 9, 2), KASOKU_OK);
    let mut unmasked = sealed.clone();
    assert_eq!(keys.unmask(1000, &mut unmasked, 9), (KASOKU_OK, 1000, 2));
    let each = |of: &[u8], room: usize, before: c_int, call: Batch<'_>| {
        let mut results = BTreeSet::new();
        let mut packets: Vec<_> = ARGUMENTS.iter().map(|_| of.to_vec()).collect();
        let mut batch: Vec<_> = packets
            .iter_mut()
            .zip(ARGUMENTS)
            .map(|(packet, form)| {
                let mut described = described(form.number, packet, form.offset, form.bytes, room);
                if form.length != 64 {
                    described.packet_len = form.length;
                }
                described.result = before;
                described
            })
            .collect();
        call(keys.0, &mut batch);
        results.extend(batch.iter().map(|packet| packet.result));
        // Two packets at one address, a NULL object, and a packet at an unmapped address.
        for (quic, count) in [(keys.0.cast_const(), 2), (null(), 1)] {
            let mut packet = of.to_vec();
            let mut batch = vec![described(1000, &mut packet, 9, 2, room); count];
            batch.iter_mut().for_each(|packet| packet.result = before);
            call(quic, &mut batch);
            results.extend(batch.iter().map(|packet| packet.result));
        }
        let mut packet = vec![0x41; 80];
        let mut batch = [described(1000, &mut packet, 9, 2, room)];
        batch[0].result = before;
        call(keys.0, &mut batch);
        results.insert(batch[0].result);
        results
    };
    let mut keep = |name, results: BTreeSet<c_int>| seen.entry(name).or_default().extend(results);
    let start = |batch: &mut [kasoku_quic_packet]| batch.as_mut_ptr();
    let protect = |quic: *const Quic, batch: &mut [kasoku_quic_packet]| unsafe {
        kasoku_quic_protect_batch(quic, start(batch), batch.len());
    };
    keep("kasoku_quic_protect_batch", each(&clear(1000, 80, 9, 2), 16, 77, &protect));
    for expected in [1000, 1 << 62] {
        let unprotect = |quic: *const Quic, batch: &mut [kasoku_quic_packet]| unsafe {
            kasoku_quic_unprotect_batch(quic, expected, start(batch), batch.len());
        };
        let unmask = |quic: *const Quic, batch: &mut [kasoku_quic_packet]| unsafe {
            kasoku_quic_unmask_batch(quic, expected, start(batch), batch.len());
        };
        for byte in 0..8 {
            // Tries all truncated packet numbers, so that some decode to a number above the maximum.
            let mut sealed = sealed.clone();
            sealed[9] ^= byte << 5;
            keep("kasoku_quic_unprotect_batch", each(&sealed, 0, 77, &unprotect));
            keep("kasoku_quic_unmask_batch", each(&sealed, 0, 77, &unmask));
        }
    }
    let open = |quic: *const Quic, batch: &mut [kasoku_quic_packet]| unsafe {
        kasoku_quic_open_batch(quic, start(batch), batch.len());
    };
    keep("kasoku_quic_open_batch", each(&unmasked, 0, KASOKU_OK, &open));
    // Protects a packet with an impossible length.
    let mut nowhere = described(1000, &mut [], 9, 2, 0);
    (nowhere.packet, nowhere.packet_len) = (without_provenance_mut(64), usize::MAX);
    let mut batch = [nowhere];
    protect(keys.0, &mut batch);
    assert_eq!(batch[0].result, KASOKU_ERR_MESSAGE_TOO_LONG);
}
