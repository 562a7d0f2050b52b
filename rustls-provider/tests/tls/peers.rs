//! Kasoku's provider with each other provider and with itself.

use std::io::{IoSlice, Write};
use std::sync::Arc;

use rustls::crypto::CryptoProvider;
use rustls::{CipherSuite, ProtocolVersion};

use crate::pair::{Pair, received_text, text};
use crate::support::providers::{SUITES, only, others};

/// Tiny records, lengths around blocks and vectors, the longest record, and more than one record.
const SIZES: [usize; 15] = [0, 1, 2, 15, 16, 17, 63, 64, 65, 1000, 1452, 16_383, 16_384, 16_385, 200_000];

fn ours() -> CryptoProvider {
    kasoku_rustls::default_provider()
}

#[test]
fn tls_suites_interoperate_with_every_provider() {
    for suite in SUITES {
        let mut pairs = vec![("kasoku and itself", only(ours(), suite), only(ours(), suite))];
        for (name, other) in others() {
            pairs.push((name, only(ours(), suite), only(other.clone(), suite)));
            pairs.push((name, only(other, suite), only(ours(), suite)));
        }
        for (name, client, server) in pairs {
            let mut pair = Pair::of_suite(suite, client, server);
            for bytes in SIZES {
                pair.exchange(&text(bytes));
            }
            let version = pair.client.protocol_version();
            let is_13 =
                suite == CipherSuite::TLS13_AES_128_GCM_SHA256 || suite == CipherSuite::TLS13_AES_256_GCM_SHA384;
            assert_eq!(version == Some(ProtocolVersion::TLSv1_3), is_13, "{name}");
        }
    }
}

/// Tests all record lengths at which the behaviour could change, with one suite for each of two ciphers.
#[test]
fn tls_records_of_every_length_interoperate() {
    for suite in [CipherSuite::TLS13_AES_128_GCM_SHA256, CipherSuite::TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384] {
        let (_, other) = others().into_iter().next().unwrap();
        let mut pair = Pair::of_suite(suite, only(ours(), suite), only(other, suite));
        for bytes in (0..1200).chain((1200..16_384).step_by(331)) {
            pair.exchange(&text(bytes));
        }
    }
}

/// Buffers written together must be divided into records independently of their boundaries.
#[test]
fn tls_vectored_writes_arrive_unchanged() {
    for suite in [CipherSuite::TLS13_AES_256_GCM_SHA384, CipherSuite::TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256] {
        let (_, other) = others().into_iter().nth(1).unwrap();
        let mut pair = Pair::of_suite(suite, only(ours(), suite), only(other, suite));
        let parts = [1, 0, 4000, 13, 12_000, 5000].map(text);
        let slices = parts.each_ref().map(|part| IoSlice::new(part));
        let whole = parts.concat();
        assert_eq!(pair.client.writer().write_vectored(&slices).unwrap(), whole.len());
        assert!(received_text(&mut pair.client, &mut pair.server) == whole);
    }
}

/// Uses Kasoku's suites in another library's provider.
#[test]
fn cipher_suites_work_in_another_provider() {
    for (_, other) in others() {
        let mine = CryptoProvider { cipher_suites: kasoku_rustls::cipher_suites(), ..other.clone() };
        let suite = CipherSuite::TLS13_AES_256_GCM_SHA384;
        Pair::of_suite(suite, Arc::new(mine), only(other.clone(), suite)).exchange(b"hello");
        let mine = kasoku_rustls::accelerate(other.clone());
        assert_eq!(mine.cipher_suites.len(), other.cipher_suites.len());
        Pair::of_suite(suite, Arc::new(mine), only(other, suite)).exchange(b"hello");
    }
}
