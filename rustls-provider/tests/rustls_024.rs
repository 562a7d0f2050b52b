//! The traits of rustls 0.24: records and packets, compared with ring's provider for that version.

#![allow(clippy::unwrap_used)]

use kasoku_engine::TAG_BYTES;
use kasoku_rustls::AesGcm;
use kasoku_rustls::rustls_024::accelerate;
use rustls_024::crypto::cipher::{
    AeadKey, EncodableVersion, InboundOpaque, Iv, OutboundPlain, Record, RecordDecrypter, RecordEncrypter,
};
use rustls_024::crypto::{CipherSuite, CryptoProvider};
use rustls_024::enums::{ContentType, ProtocolVersion};
use rustls_024::error::Error;
use rustls_024::quic::{Keys, Side, Suite, Version};
use rustls_ring::DEFAULT_PROVIDER;

const CONNECTION_ID: [u8; 8] = [0x83, 0x94, 0xC8, 0xF0, 0x3E, 0x51, 0x57, 0x08];

type Direction = (Box<dyn RecordEncrypter>, Box<dyn RecordDecrypter>);

/// Returns the record keys of every AES-GCM suite of the provider, from the same key bytes for all suites.
fn directions(provider: &CryptoProvider) -> Vec<Direction> {
    let key = |bytes: usize| if bytes == 16 { AeadKey::from([7; 16]) } else { AeadKey::from([7; 32]) };
    let is_chacha20 = |suite: CipherSuite| format!("{suite:?}").contains("CHACHA20");
    let tls13 = provider.tls13_cipher_suites.iter().filter(|suite| !is_chacha20(suite.common.suite)).map(|suite| {
        let (aead, iv) = (suite.aead_alg, || Iv::from([9; 12]));
        (aead.encrypter(key(aead.key_len()), iv()), aead.decrypter(key(aead.key_len()), iv()))
    });
    let tls12 = provider.tls12_cipher_suites.iter().filter(|suite| !is_chacha20(suite.common.suite)).map(|suite| {
        let (aead, bytes) = (suite.aead_alg, suite.aead_alg.key_block_shape().enc_key_len);
        (aead.encrypter(key(bytes), &[9; 4], &[5; 8]), aead.decrypter(key(bytes), &[9; 4]))
    });
    tls13.chain(tls12).collect()
}

fn sealed(sealer: &mut dyn RecordEncrypter, text: OutboundPlain<'_>, number: u64) -> Vec<u8> {
    let version = EncodableVersion::Legacy(ProtocolVersion::TLSv1_2);
    let mut out = vec![0xEE; sealer.encrypted_payload_len(text.len()) + 3];
    let bytes = sealer.encrypted_payload_len(text.len());
    let record = sealer.encrypt(Record::new(ContentType::ApplicationData, version, text), number, &mut out).unwrap();
    assert_eq!((record.typ, record.payload.len()), (ContentType::ApplicationData, bytes));
    assert_eq!(out[bytes..], [0xEE; 3]);
    out.truncate(bytes);
    out
}

fn opened(opener: &mut dyn RecordDecrypter, mut sealed: Vec<u8>, number: u64) -> Result<Vec<u8>, Error> {
    let version = EncodableVersion::Legacy(ProtocolVersion::TLSv1_2);
    let record = Record::new(ContentType::ApplicationData, version, InboundOpaque(&mut sealed));
    opener.decrypt(record, number).map(|record| record.payload.to_vec())
}

#[test]
fn rustls_024_records_match_ring_for_any_slices() {
    let text: Vec<u8> = (0..5000_u32).map(|at| at as u8).collect();
    let (ours, theirs) = (directions(&accelerate(DEFAULT_PROVIDER)), directions(&DEFAULT_PROVIDER));
    assert_eq!(ours.len(), 6);
    for ((mut our_sealer, mut our_opener), (mut their_sealer, mut their_opener)) in ours.into_iter().zip(theirs) {
        let pieces = [&text[..0], &text[..1], &text[1..100], &text[100..100], &text[100..4000], &text[4000..]];
        let ranges = [(0, 5000), (0, 0), (0, 1), (1, 1), (50, 4500), (100, 4000), (4000, 5000), (5000, 5000)];
        for (number, (start, end)) in (0..).zip(ranges) {
            let multiple = OutboundPlain::Multiple { chunks: &pieces, start, end };
            let record = sealed(&mut *our_sealer, multiple, number);
            assert!(record == sealed(&mut *our_sealer, OutboundPlain::Single(&text[start..end]), number));
            assert!(record == sealed(&mut *their_sealer, OutboundPlain::Single(&text[start..end]), number));
            assert!(opened(&mut *our_opener, record.clone(), number).as_deref() == Ok(&text[start..end]));
            assert!(opened(&mut *their_opener, record.clone(), number).as_deref() == Ok(&text[start..end]));
            assert_eq!(opened(&mut *our_opener, record.clone(), number + 1), Err(Error::DecryptError));
            for position in [0, record.len() / 2, record.len() - 1] {
                let mut changed = record.clone();
                changed[position] ^= 1;
                assert_eq!(opened(&mut *our_opener, changed, number), Err(Error::DecryptError), "byte {position}");
            }
            assert_eq!(opened(&mut *our_opener, record[..TAG_BYTES - 1].to_vec(), number), Err(Error::DecryptError));
        }
    }
}

#[test]
fn rustls_024_encrypter_rejects_too_short_buffers() {
    for (mut sealer, _) in directions(&accelerate(DEFAULT_PROVIDER)) {
        let version = EncodableVersion::Legacy(ProtocolVersion::TLSv1_2);
        let mut out = vec![0; sealer.encrypted_payload_len(10) - 1];
        let record = Record::new(ContentType::ApplicationData, version, OutboundPlain::Single(&[1; 10]));
        assert!(matches!(sealer.encrypt(record, 1, &mut out), Err(Error::ApiMisuse(_))));
        assert!(out.iter().all(|byte| *byte == 0));
    }
}

/// Protects packets with one provider and opens them with the other.
#[test]
fn rustls_024_packets_match_ring_on_every_network_path() {
    let keys = |provider: &CryptoProvider, side| {
        let mut suites = provider.tls13_cipher_suites.iter();
        let suite = *suites.find(|suite| suite.common.suite == CipherSuite::TLS13_AES_128_GCM_SHA256).unwrap();
        Keys::initial(Version::V1, Suite::try_from(suite).unwrap(), &CONNECTION_ID, side)
    };
    let providers = [accelerate(DEFAULT_PROVIDER), DEFAULT_PROVIDER];
    for (sender, receiver) in [(0, 0), (0, 1), (1, 0)] {
        let (sender, receiver) = (keys(&providers[sender], Side::Client), keys(&providers[receiver], Side::Server));
        for path in [None, Some(0), Some(1), Some(u32::MAX)] {
            let (plain, mut packet) = ([0x41, 9, 8, 1, 2], [7; 60]);
            let mut header = plain;
            let tag = sender.local.packet.encrypt_in_place(0x0102, &header, &mut packet, path).unwrap();
            let mut packet = [&packet[..], tag.as_ref()].concat();
            let (first, number) = header.split_at_mut(3);
            sender.local.header.encrypt_in_place(&packet[2..18], &mut first[0], number).unwrap();
            assert_ne!(header, plain);
            let (first, number) = header.split_at_mut(3);
            receiver.remote.header.decrypt_in_place(&packet[2..18], &mut first[0], number).unwrap();
            assert_eq!(header, plain);
            let open = |packet: &mut [u8], path| {
                receiver.remote.packet.decrypt_in_place(0x0102, &plain, packet, path).map(<[u8]>::to_vec)
            };
            assert_eq!(open(&mut packet.clone(), Some(5)), Err(Error::DecryptError));
            assert_eq!(open(&mut packet, path), Ok(vec![7; 60]));
        }
    }
}

#[test]
fn rustls_024_accelerate_keeps_everything_but_the_aead() {
    let accelerated = accelerate(DEFAULT_PROVIDER);
    let aead = |aead: &dyn rustls_024::crypto::cipher::Tls13AeadAlgorithm| std::ptr::from_ref(aead).cast::<AesGcm>();
    for theirs in DEFAULT_PROVIDER.tls13_cipher_suites.iter() {
        let ours = accelerated.tls13_cipher_suites.iter().find(|ours| ours == &theirs).unwrap();
        assert_eq!(ours.common.confidentiality_limit, theirs.common.confidentiality_limit);
        assert_eq!(ours.quic.is_some(), theirs.quic.is_some());
        let is_chacha20 = ours.common.suite == CipherSuite::TLS13_CHACHA20_POLY1305_SHA256;
        assert_eq!(aead(ours.aead_alg) == aead(theirs.aead_alg), is_chacha20);
    }
    assert_eq!(accelerated.tls12_cipher_suites.len(), DEFAULT_PROVIDER.tls12_cipher_suites.len());
}
