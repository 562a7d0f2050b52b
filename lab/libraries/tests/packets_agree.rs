//! Compares the packets of all libraries with a two-pass reference, and unprotects them again.
#![allow(clippy::unwrap_used)] // all of this file is tests; clippy sees only the functions marked so

mod support;

use aes::cipher::{BlockCipherEncrypt, KeyInit};
use aes_gcm::{AeadInOut, Aes128Gcm, Aes256Gcm};
use kasoku_libraries::find;
use kasoku_libraries::fixtures::{Fixtures, from_hexadecimal};
use kasoku_model::algorithm::Algorithm;
use kasoku_model::library::KASOKU;
use kasoku_model::workload::packets::HEADER_BYTES;
use kasoku_model::workload::{Operation, Packets, Setting, Workload};
use support::{libraries, shortened};

const ALGORITHMS: [Algorithm; 2] = [Algorithm::Aes128Gcm, Algorithm::Aes256Gcm];
/// Lengths that put the header sample into the tag, across its start, and into the text, and that end within blocks and
/// vectors of every width.
const SIZES: [usize; 22] =
    [2, 3, 4, 15, 16, 17, 18, 19, 31, 33, 64, 100, 127, 255, 257, 1200, 1350, 1440, 1500, 4097, 9000, 16384];
const BATCH_SIZES: [usize; 4] = [2, 64, 255, 1440];
const SINGLE: [(Operation, Packets); 5] = [
    (Operation::Seal, Packets::CIPHER),
    (Operation::Seal, Packets::SINGLE),
    (Operation::Seal, Packets::RECORD),
    (Operation::Protect, Packets::SINGLE),
    (Operation::Unprotect, Packets::SINGLE),
];
const BATCHES: [(Operation, Packets); 8] = [
    (Operation::Seal, Packets::batch(16)),
    (Operation::Protect, Packets::batch(16)),
    (Operation::Protect, Packets::batch(64)),
    (Operation::Protect, Packets::batch(7)),
    (Operation::Protect, Packets::looped(64)),
    (Operation::Unprotect, Packets::batch(16)),
    (Operation::Unprotect, Packets::batch(64)),
    (Operation::Unprotect, Packets::looped(64)),
];

/// Returns whether a library must support a task. The engine must support every task. Other libraries must support
/// sealing packets and records, unless default runs measure only their whole messages.
fn is_due(library: &str, (operation, packets): (Operation, Packets)) -> bool {
    let is_brief = find(library).is_some_and(|entry| entry.is_brief);
    library == KASOKU || (operation == Operation::Seal && packets.setup && !is_brief)
}

/// Builds a packet with RustCrypto: seals it, then masks its header.
fn reference(fixtures: &Fixtures, packets: Packets, number: u16, is_protected: bool) -> Vec<u8> {
    let mut header = fixtures.aad.clone();
    if !packets.record {
        header[HEADER_BYTES - 2..].copy_from_slice(&number.to_be_bytes());
    }
    let mut nonce: [u8; 12] = fixtures.nonce[..].try_into().unwrap();
    nonce[10] ^= (number >> 8) as u8;
    nonce[11] ^= number as u8;
    let (mut text, nonce, key) = (fixtures.text.clone(), nonce.into(), &fixtures.key);
    let buffer = text.as_mut_slice().into();
    let tag = match key.len() {
        16 => Aes128Gcm::new_from_slice(key).unwrap().encrypt_inout_detached(&nonce, &header, buffer),
        _ => Aes256Gcm::new_from_slice(key).unwrap().encrypt_inout_detached(&nonce, &header, buffer),
    };
    let mut packet = [&header[..], &text, &tag.unwrap()].concat();
    if is_protected {
        let mut block = <[u8; 16]>::try_from(&packet[22..38]).unwrap().into();
        match fixtures.header_key.len() {
            16 => aes::Aes128::new_from_slice(&fixtures.header_key).unwrap().encrypt_block(&mut block),
            _ => aes::Aes256::new_from_slice(&fixtures.header_key).unwrap().encrypt_block(&mut block),
        }
        packet[0] ^= block[0] & if packet[0] & 0x80 == 0 { 0x1f } else { 0x0f };
        packet[18] ^= block[1];
        packet[19] ^= block[2];
    }
    packet
}

fn expected(fixtures: &Fixtures, workload: &Workload) -> Vec<u8> {
    let packets = workload.packets().unwrap();
    let is_protected = workload.operation.has_header_protection();
    let first = match packets.record {
        true => 0,
        false => u16::from_be_bytes(*fixtures.aad.last_chunk().unwrap()),
    };
    let mut output: Vec<u8> =
        (0..packets.batch as u16).flat_map(|index| reference(fixtures, packets, first + index, is_protected)).collect();
    if workload.operation == Operation::Unprotect {
        output.extend(fixtures.text.repeat(packets.batch));
    }
    output
}

#[test]
fn libraries_make_the_packets_of_the_reference() {
    let single = SIZES.iter().flat_map(|&bytes| SINGLE.map(|task| (bytes, task)));
    let batches = BATCH_SIZES.iter().flat_map(|&bytes| BATCHES.map(|task| (bytes, task)));
    let tasks: Vec<_> = single.chain(batches).collect();
    for (name, library) in libraries() {
        for (algorithm, &(bytes, task)) in
            ALGORITHMS.into_iter().flat_map(|one| tasks.iter().map(move |task| (one, task)))
        {
            let workload = Workload::new(task.0, algorithm, bytes).with_setting(Setting::Packets(task.1));
            let fixtures = Fixtures::of(&workload);
            let mut job = match library.prepare(&workload, &fixtures) {
                Ok(job) => job,
                Err(unsupported) => {
                    assert!(!is_due(name, task), "{name} {workload}: {unsupported}");
                    assert!(unsupported.why.len() > 10, "{name} {workload} gives no reason");
                    continue;
                }
            };
            for iterations in [1, task.1.batch as u64] {
                job.reset().unwrap();
                job.run(iterations).unwrap();
                assert!(job.output() == expected(&fixtures, &workload), "{name} {workload}: {iterations}");
                job.reset().unwrap();
                // Enough operations for several passes through the buffer and a partial one.
                job.run(201).unwrap_or_else(|error| panic!("{name} {workload}: {error}"));
            }
        }
    }
}

/// RFC 9001 A.3: a server's Initial packet, whose header has 20 bytes and whose packet number has 2.
#[test]
fn libraries_make_the_packet_of_rfc_9001() {
    let hexadecimal = |text: &str| from_hexadecimal(&text.replace(char::is_whitespace, "")).unwrap();
    let fixtures = Fixtures {
        key: hexadecimal("cf3a5331653c364c88f0f379b6067e37"),
        nonce: hexadecimal("0ac1493ca1905853b0bba03e"),
        header_key: hexadecimal("c206b8d9b9f0f37644430b490eeaa314"),
        aad: hexadecimal("c1000000010008f067a5502a4262b50040750001"),
        text: hexadecimal(
            "02000000000600405a020000560303eefce7f7b37ba1d1632e96677825ddf739
             88cfc79825df566dc5430b9a045a1200130100002e00330024001d00209d3c94
             0d89690b84d08a60993c144eca684d1081287c834d5311bcf32bb9da1a002b00
             020304",
        ),
        ..Fixtures::default()
    };
    let sent = hexadecimal(
        "cf000000010008f067a5502a4262b5004075c0d95a482cd0991cd25b0aac406a
         5816b6394100f37a1c69797554780bb38cc5a99f5ede4cf73c3ec2493a1839b3
         dbcba3f6ea46c5b7684df3548e7ddeb9c3bf9c73cc3f3bded74b562bfb19fb84
         022f8ef4cdd93795d77d06edbb7aaf2f58891850abbdca3d20398c276456cbc4
         2158407dd074ee",
    );
    for (name, library) in libraries() {
        for operation in [Operation::Protect, Operation::Unprotect] {
            let task = (operation, Packets::SINGLE);
            let workload = Workload::new(operation, Algorithm::Aes128Gcm, fixtures.text.len())
                .with_setting(Setting::Packets(task.1));
            let Ok(mut job) = library.prepare(&workload, &fixtures) else {
                assert!(name != KASOKU, "{name} does not support {workload}");
                continue;
            };
            job.run(1).unwrap();
            let round_trip = [&sent[..], &fixtures.text].concat();
            let expected = if operation == Operation::Protect { &sent } else { &round_trip };
            assert!(job.output() == *expected, "{name} {operation}");
        }
    }
}

/// Fixtures come from outside the process, so any length must give an error or packets.
#[test]
fn packet_jobs_never_panic_on_fixtures_of_wrong_length() {
    for (name, library) in libraries() {
        for task in SINGLE.into_iter().chain(BATCHES) {
            let workload = Workload::new(task.0, Algorithm::Aes128Gcm, 64).with_setting(Setting::Packets(task.1));
            let good = Fixtures::of(&workload);
            for fixtures in shortened(&good, &[0, 1, 8, 15, 17, 31, 33]) {
                if let Ok(mut job) = library.prepare(&workload, &fixtures) {
                    let _ = job.run(2).and_then(|()| job.reset()); // an error is allowed, a panic is not
                    job.output();
                }
            }
            assert!(library.prepare(&workload, &Fixtures::default()).is_err(), "{name} {workload} works without a key");
        }
    }
}
