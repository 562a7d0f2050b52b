//! Published packets and header masks, checked with every call that processes packets.

use std::collections::HashMap;

use kasoku_engine::packet::initial::{Secrets, Sender, Version};
use kasoku_engine::packet::{Packet, PacketProtection, Unmasked};

use crate::fixtures::Keys;
use crate::support::backends;

/// Number of packets: RFC 9001 A.2 and A.3, two of RFC 9369, and a short one of each version.
const PACKETS: usize = 6;

#[test]
fn protect_and_unprotect_match_published_packets() {
    let published = published();
    assert_eq!(published.len(), PACKETS);
    for Published { source, keys, number, header, payload, packet } in &published {
        let number_bytes = usize::from(header[0] % 4) + 1;
        let number_offset = header.len() - number_bytes;
        let plain = [&header[..], payload, &[0xEE; 16]].concat();
        for protection in keys.protections() {
            let case = format!("{source}, {protection:?}");
            let mut work = plain.clone();
            protection.protect(*number, &mut work, number_offset, number_bytes).unwrap();
            assert!(work == *packet, "{case}");
            let opened = protection.unprotect(*number, &mut work, number_offset).unwrap();
            assert_eq!((opened.number, opened.payload.start), (*number, header.len()), "{case}");
            assert!(work[opened.payload] == payload[..] && work.starts_with(header), "{case}");

            let mut work = packet.clone();
            let unmasked = protection.unmask(0, &mut work, number_offset);
            assert_eq!(unmasked, Ok(Unmasked { number: *number, number_bytes }), "{case}");
            assert!(work[..header.len()] == header[..] && work[header.len()..] == packet[header.len()..], "{case}");

            let mut twice = [plain.clone(), plain.clone()];
            let mut batch: Vec<_> =
                twice.iter_mut().map(|bytes| Packet::outgoing(*number, bytes, number_offset, number_bytes)).collect();
            assert_eq!(protection.protect_batch(&mut batch), 2, "{case}");
            assert!(batch.iter().all(|protected| protected.bytes() == packet), "{case}");
            drop(batch);
            let mut batch: Vec<_> = twice.iter_mut().map(|bytes| Packet::incoming(bytes, number_offset)).collect();
            assert_eq!(protection.unprotect_batch(0, &mut batch), 2, "{case}");
            assert!(batch.iter().all(|opened| opened.payload() == payload && opened.number() == *number), "{case}");
        }
    }
}

/// `Secrets::protection` protects packets as the standards show them.
#[test]
fn initial_secrets_protect_the_published_packets() {
    for Published { source, number, header, payload, packet, .. } in published() {
        let Some(secrets) = secrets_of(&source) else { continue };
        let number_bytes = usize::from(header[0] % 4) + 1;
        let mut work = [&header[..], &payload, &[0; 16]].concat();
        let protection = secrets.protection().unwrap();
        protection.protect(number, &mut work, header.len() - number_bytes, number_bytes).unwrap();
        assert!(work == packet, "{source}");
    }
}

/// RFC 9001 A.2 and A.3; ring's tests, including those for CVE-2025-4432 (a counter overflowed in samples that end in
/// ones); and a sample of ones only, computed by OpenSSL.
#[test]
fn header_masks_match_published_samples_and_masks() {
    for (header_key, sample, mask) in [
        ("9f50449e04a0e810283a1e9933adedd2", "d1b1c98dd7689fb8ec11d242b123dc9b", "437b9aec36"),
        ("c206b8d9b9f0f37644430b490eeaa314", "2cd0991cd25b0aac406a5816b6394100", "2ec0d8356a"),
        ("e8904ecc2e37a6e4cc02271e319c804b", "13484ec85dc4d36349697c7d4ea1a159", "67387ebf3a"),
        ("e8904ecc2e37a6e4cc02271e319c804b", "00000000000000000000000fffffffff", "feb191f8af"),
        ("e8904ecc2e37a6e4cc02271e319c804b", "000000000000000fffffffffffffffff", "6f23441ee8"),
        ("e8904ecc2e37a6e4cc02271e319c804b", "ffffffffffffffffffffffffffffffff", "b81044226c"),
        (
            "85af7213814aec7b92ace6284a906643912ec8853d00d158a927b8697c7ff585",
            "82a0db90f4cee12fa4afeddb74396cf6",
            "670897adf5",
        ),
        (
            "85af7213814aec7b92ace6284a906643912ec8853d00d158a927b8697c7ff585",
            "000000000000000000000000ffffffff",
            "b77a18bb3f",
        ),
        (
            "85af7213814aec7b92ace6284a906643912ec8853d00d158a927b8697c7ff585",
            "000000000000000fffffffffffffffff",
            "4aadd3cbef",
        ),
    ] {
        let (header_key, sample, mask) = (from_hex(header_key), from_hex(sample), from_hex(mask));
        for &backend in backends::paths() {
            let key = vec![0; header_key.len()];
            let protection = PacketProtection::with_backend(&key, &[0; 12], &header_key, backend).unwrap();
            for (first, bits) in [(0x43, 0x1F), (0xC3, 0x0F)] {
                // A header whose packet number is four zero bytes when unmasked.
                let masked_first = first ^ mask[0] & bits;
                let header = [&[masked_first][..], &[7; 8], &mask[1..]].concat();
                let mut packet = [&header[..], &sample].concat();
                packet.extend([9; 50]);
                let mut copies = [packet.clone(), packet.clone(), packet.clone()];
                let unmasked = protection.unmask(0, &mut packet, 9);
                assert_eq!(unmasked, Ok(Unmasked { number: 0, number_bytes: 4 }), "{backend}");
                assert_eq!(packet, [&[first][..], &[7; 8], &[0; 4], &sample, &[9; 50]].concat(), "{backend}");
                let mut batch: Vec<_> = copies.iter_mut().map(|copy| Packet::incoming(copy, 9)).collect();
                assert_eq!(protection.unmask_batch(0, &mut batch), 3, "{backend}");
                assert!(batch.iter().all(|copy| copy.bytes() == packet), "{backend}");
            }
        }
    }
}

struct Published {
    source: String,
    keys: Keys,
    number: u64,
    header: Vec<u8>,
    payload: Vec<u8>,
    packet: Vec<u8>,
}

fn secrets_of(source: &str) -> Option<Secrets> {
    let version = if source.starts_with("RFC 9001") { Version::V1 } else { Version::V2 };
    let sender = match source.split_once(" A.")?.1 {
        "2" => Sender::Client,
        _ => Sender::Server,
    };
    Some(Secrets::new(version, sender, &from_hex("8394c8f03e515708")))
}

fn published() -> Vec<Published> {
    let text = include_str!("../../../vectors/quic-packets.txt");
    let blocks = text.split("\n\n").skip(1);
    blocks.map(|block| read(&block.lines().filter_map(|line| line.split_once(" = ")).collect())).collect()
}

fn read(fields: &HashMap<&str, &str>) -> Published {
    let bytes = |name| from_hex(fields[name]);
    let keys = match secrets_of(fields["source"]) {
        Some(secrets) => {
            assert_eq!(bytes("connection_id"), from_hex("8394c8f03e515708"));
            let Secrets { key, iv, header_key } = secrets;
            Keys { key: key.to_vec(), iv, header_key: header_key.to_vec() }
        }
        None => Keys { key: bytes("key"), iv: bytes("iv").try_into().unwrap(), header_key: bytes("header_key") },
    };
    let number = fields["number"].parse().unwrap();
    let source = fields["source"].to_owned();
    Published { source, keys, number, header: bytes("header"), payload: bytes("payload"), packet: bytes("packet") }
}

fn from_hex(text: &str) -> Vec<u8> {
    assert!(text.len().is_multiple_of(2));
    (0..text.len()).step_by(2).map(|at| u8::from_str_radix(&text[at..at + 2], 16).unwrap()).collect()
}
