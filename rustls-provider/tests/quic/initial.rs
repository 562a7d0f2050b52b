//! Published Initial packets, and modified copies of them.

use kasoku_engine::Backend;
use kasoku_engine::cpu::Found;
use kasoku_rustls::AesGcm;
use rustls::quic::{Keys, Version};
use rustls::{Error, Side};

use crate::support::published::{CONNECTION_ID, Published, initial_packets};

fn keys(version: Version, side: Side) -> Keys {
    let suite = kasoku_rustls::cipher_suite::TLS13_AES_128_GCM_SHA256.tls13().unwrap();
    Keys::initial(version, suite, suite.quic.unwrap(), &CONNECTION_ID, side)
}

/// Returns the keys of Initial packets, made on `backend`.
fn keys_on(backend: Backend, version: Version, side: Side) -> Keys {
    let suite = kasoku_rustls::cipher_suite::TLS13_AES_128_GCM_SHA256.tls13().unwrap();
    let algorithm: &'static AesGcm = Box::leak(Box::new(AesGcm::AES_128.on(backend)));
    Keys::initial(version, suite, algorithm, &CONNECTION_ID, side)
}

fn other(side: Side) -> Side {
    if side == Side::Client { Side::Server } else { Side::Client }
}

#[test]
fn rustls_traits_match_published_initial_packets() {
    protect_and_open(keys);
    let found = Found::here().features();
    for backend in Backend::ALL.into_iter().filter(|backend| backend.runs_on(found)) {
        protect_and_open(|version, side| keys_on(backend, version, side));
    }
}

fn protect_and_open(keys: impl Fn(Version, Side) -> Keys) {
    for Published { source, version, sender, number, header, payload, packet } in initial_packets() {
        let number_bytes = usize::from(header[0] % 4) + 1;
        let number_offset = header.len() - number_bytes;
        let sending = keys(version, sender).local;
        let mut text = payload.clone();
        let tag = sending.packet.encrypt_in_place(number, &header, &mut text).unwrap();
        let mut work = [&header[..], &text, tag.as_ref()].concat();
        let sample: [u8; 16] = work[number_offset + 4..][..16].try_into().unwrap();
        let (first, rest) = work.split_first_mut().unwrap();
        let number_field = &mut rest[number_offset - 1..number_offset - 1 + number_bytes];
        sending.header.encrypt_in_place(&sample, first, number_field).unwrap();
        assert!(work == packet, "{source}");

        let receiving = keys(version, other(sender)).remote;
        let (first, rest) = work.split_first_mut().unwrap();
        // A receiver passes four bytes, because it does not know the length yet.
        let number_field = &mut rest[number_offset - 1..number_offset + 3];
        receiving.header.decrypt_in_place(&sample, first, number_field).unwrap();
        let (opened_header, text) = work.split_at_mut(header.len());
        assert!(opened_header == header, "{source}");
        let text = receiving.packet.decrypt_in_place(number, opened_header, text).unwrap();
        assert!(text == payload, "{source}");
    }
}

#[test]
fn rustls_packet_key_rejects_changed_packets() {
    let keys = keys(Version::V1, Side::Client);
    let header = [0x41, 1, 2, 3, 4];
    let mut packet = vec![7; 100];
    let tag = keys.local.packet.encrypt_in_place(9, &header, &mut packet).unwrap();
    packet.extend_from_slice(tag.as_ref());
    let receiving = self::keys(Version::V1, Side::Server).remote.packet;
    let open = |number: u64, header: &[u8], packet: &[u8]| {
        receiving.decrypt_in_place(number, header, &mut packet.to_vec()).map(<[u8]>::to_vec)
    };
    assert_eq!(open(9, &header, &packet), Ok(vec![7; 100]));
    assert_eq!(open(8, &header, &packet), Err(Error::DecryptError), "another number");
    assert_eq!(open(9, &header[..4], &packet), Err(Error::DecryptError), "another header");
    for position in [0, 50, 99, 100, 115] {
        let mut changed = packet.clone();
        changed[position] ^= 1;
        assert_eq!(open(9, &header, &changed), Err(Error::DecryptError), "byte {position}");
    }
    for length in [0, 15, 16, 115] {
        assert_eq!(open(9, &header, &packet[..length]), Err(Error::DecryptError), "{length} bytes");
    }
}

#[test]
fn quic_key_limits_match_rfc_9001() {
    // RFC 9001 §6.6 and appendix B.1.
    let key = keys(Version::V1, Side::Client).local.packet;
    assert_eq!((key.confidentiality_limit(), key.integrity_limit()), (1 << 23, 1 << 52));
    assert_eq!(key.tag_len(), 16);
}

/// Compares multipath nonces with those of ring's provider.
#[test]
fn multipath_nonces_match_ring() {
    let ours = keys(Version::V1, Side::Client).local.packet;
    let ring = rustls::crypto::ring::cipher_suite::TLS13_AES_128_GCM_SHA256.tls13().unwrap();
    let theirs = Keys::initial(Version::V1, ring, ring.quic.unwrap(), &CONNECTION_ID, Side::Server).remote.packet;
    for path in [0, 1, 0xAEAD, u32::MAX] {
        let mut packet = b"over several paths".to_vec();
        let tag = ours.encrypt_in_place_for_path(path, 12345, b"header", &mut packet).unwrap();
        packet.extend_from_slice(tag.as_ref());
        let mut copy = packet.clone();
        assert_eq!(
            theirs.decrypt_in_place_for_path(path, 12345, b"header", &mut packet).unwrap(),
            b"over several paths"
        );
        let ours = keys(Version::V1, Side::Server).remote.packet;
        assert_eq!(ours.decrypt_in_place_for_path(path, 12345, b"header", &mut copy).unwrap(), b"over several paths");
        let mut forged = [1; 40];
        let result = ours.decrypt_in_place_for_path(path, 12345, b"header", &mut forged);
        assert_eq!(result, Err(Error::DecryptError));
    }
}
