//! Whole connections on every backend of the engine, including the one without AES instructions.

use std::sync::Arc;

use kasoku_engine::Backend;
use kasoku_engine::cpu::Found;
use kasoku_rustls::AesGcm;
use rustls::crypto::CipherSuiteCommon;
use rustls::{CipherSuite, SupportedCipherSuite, Tls13CipherSuite};

use crate::pair::{Pair, text};
use crate::support::providers::{only, others};

#[test]
fn tls_connects_on_every_backend() {
    let found = Found::here().features();
    for backend in Backend::ALL.into_iter().filter(|backend| backend.runs_on(found)) {
        let ours = kasoku_rustls::cipher_suite::TLS13_AES_256_GCM_SHA384.tls13().unwrap();
        let aead: &'static AesGcm = Box::leak(Box::new(AesGcm::AES_256.on(backend)));
        let suite: &'static Tls13CipherSuite = Box::leak(Box::new(Tls13CipherSuite {
            common: CipherSuiteCommon {
                suite: ours.common.suite,
                hash_provider: ours.common.hash_provider,
                confidentiality_limit: ours.common.confidentiality_limit,
            },
            hkdf_provider: ours.hkdf_provider,
            aead_alg: aead,
            quic: Some(aead),
        }));
        let mut provider = kasoku_rustls::default_provider();
        provider.cipher_suites = vec![SupportedCipherSuite::Tls13(suite)];
        let name = CipherSuite::TLS13_AES_256_GCM_SHA384;
        let (_, other) = others().into_iter().next().unwrap();
        let mut pair = Pair::of_suite(name, Arc::new(provider), only(other, name));
        for bytes in [0, 1, 100, 16_384, 40_000] {
            pair.exchange(&text(bytes));
        }
    }
}
