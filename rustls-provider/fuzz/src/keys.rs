//! Creates equal keys for two providers. Only rustls's key derivation can create keys of 16 bytes.

use std::cell::Cell;

use kasoku_engine::Backend;
use kasoku_engine::cpu::Found;
use kasoku_rustls::AesGcm;
use rustls::crypto::cipher::{AeadKey, Iv};
use rustls::crypto::{aws_lc_rs, ring};
use rustls::quic::{Algorithm, HeaderProtectionKey, Keys, PacketKey, Version};
use rustls::{Side, SupportedCipherSuite, Tls12CipherSuite, Tls13CipherSuite};

use super::input::Input;

/// Source of keys of one length, which returns the same key each time.
pub(crate) struct Source {
    key_bytes: usize,
    secret: [u8; 4],
}

/// Provider to compare with.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Other {
    AwsLc,
    Ring,
}

impl Source {
    /// Reads the source of keys, Kasoku's algorithm on any backend of this CPU, and the other provider.
    pub(crate) fn read(input: &mut Input<'_>) -> (Self, AesGcm, Other) {
        let choice = input.byte();
        let found = Found::here().features();
        let backends: Vec<_> = Backend::ALL.into_iter().filter(|backend| backend.runs_on(found)).collect();
        let backend = backends[usize::from(choice / 4) % backends.len()];
        let (key_bytes, ours) = [(16, AesGcm::AES_128), (32, AesGcm::AES_256)][usize::from(choice % 2)];
        let other = [Other::AwsLc, Other::Ring][usize::from(choice / 2 % 2)];
        (Self { key_bytes, secret: input.array() }, ours.on(backend), other)
    }

    pub(crate) fn key_and_iv(&self) -> (AeadKey, Iv) {
        static TAKERS: [Taker; 2] = [Taker { key_bytes: 16 }, Taker { key_bytes: 32 }];
        let suite = ring::cipher_suite::TLS13_AES_128_GCM_SHA256.tls13().unwrap();
        Keys::initial(Version::V1, suite, &TAKERS[self.key_bytes / 32], &self.secret, Side::Client);
        TAKEN.take().unwrap()
    }

    pub(crate) fn key(&self) -> AeadKey {
        self.key_and_iv().0
    }

    pub(crate) fn tls13(&self, other: Other) -> &'static Tls13CipherSuite {
        let suite = match (other, self.key_bytes) {
            (Other::AwsLc, 16) => aws_lc_rs::cipher_suite::TLS13_AES_128_GCM_SHA256,
            (Other::AwsLc, _) => aws_lc_rs::cipher_suite::TLS13_AES_256_GCM_SHA384,
            (Other::Ring, 16) => ring::cipher_suite::TLS13_AES_128_GCM_SHA256,
            (Other::Ring, _) => ring::cipher_suite::TLS13_AES_256_GCM_SHA384,
        };
        suite.tls13().unwrap()
    }

    pub(crate) fn tls12(&self, other: Other) -> &'static Tls12CipherSuite {
        let suite = match (other, self.key_bytes) {
            (Other::AwsLc, 16) => aws_lc_rs::cipher_suite::TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256,
            (Other::AwsLc, _) => aws_lc_rs::cipher_suite::TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384,
            (Other::Ring, 16) => ring::cipher_suite::TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256,
            (Other::Ring, _) => ring::cipher_suite::TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384,
        };
        let SupportedCipherSuite::Tls12(suite) = suite else { panic!("{suite:?}") };
        suite
    }
}

thread_local! {
    static TAKEN: Cell<Option<(AeadKey, Iv)>> = const { Cell::new(None) };
}

/// Algorithm that only stores the last key that rustls passes to it.
struct Taker {
    key_bytes: usize,
}

impl Algorithm for Taker {
    fn packet_key(&self, key: AeadKey, iv: Iv) -> Box<dyn PacketKey> {
        TAKEN.set(Some((key, iv)));
        AesGcm::AES_256.packet_key(AeadKey::from([0; 32]), Iv::new([0; 12]))
    }

    fn header_protection_key(&self, key: AeadKey) -> Box<dyn HeaderProtectionKey> {
        AesGcm::AES_128.header_protection_key(key)
    }

    fn aead_key_len(&self) -> usize {
        self.key_bytes
    }
}
