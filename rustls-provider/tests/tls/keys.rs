//! Keys during a connection: updates, limits, resumption, client certificates.

use std::io::{Read, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use rustls::client::Resumption;
use rustls::crypto::CipherSuiteCommon;
use rustls::crypto::cipher::{
    AeadKey, Iv, MessageDecrypter, MessageEncrypter, Tls13AeadAlgorithm, UnsupportedOperationError,
};
use rustls::server::WebPkiClientVerifier;
use rustls::{
    CipherSuite, ClientConfig, ConnectionTrafficSecrets, Error, HandshakeKind, ServerConfig, SupportedCipherSuite,
    Tls12CipherSuite, Tls13CipherSuite,
};

use crate::pair::{Pair, configurations, hand_over, text};
use crate::support::certificates::Identity;
use crate::support::providers::{SUITES, needs_rsa, only, others, versions_of};

#[test]
fn tls13_keys_can_be_updated() {
    for suite in SUITES.into_iter().take(2) {
        for (_, other) in others() {
            let ours = only(kasoku_rustls::default_provider(), suite);
            let mut pair = Pair::of_suite(suite, ours, only(other, suite));
            for round in 0..4 {
                if round % 2 == 0 { &mut pair.client } else { &mut pair.server }.refresh_traffic_keys().unwrap();
                pair.settle().unwrap();
                pair.exchange(&text(20_000));
            }
        }
    }
}

/// Suite that counts the encryption keys it creates.
struct Counted {
    algorithm: &'static dyn Tls13AeadAlgorithm,
    encrypters: AtomicUsize,
}

impl Tls13AeadAlgorithm for Counted {
    fn encrypter(&self, key: AeadKey, iv: Iv) -> Box<dyn MessageEncrypter> {
        self.encrypters.fetch_add(1, Ordering::Relaxed);
        self.algorithm.encrypter(key, iv)
    }

    fn decrypter(&self, key: AeadKey, iv: Iv) -> Box<dyn MessageDecrypter> {
        self.algorithm.decrypter(key, iv)
    }

    fn key_len(&self) -> usize {
        self.algorithm.key_len()
    }

    fn extract_keys(&self, key: AeadKey, iv: Iv) -> Result<ConnectionTrafficSecrets, UnsupportedOperationError> {
        self.algorithm.extract_keys(key, iv)
    }
}

/// Limits a TLS 1.3 suite to 50 records: rustls must update the key at the limit.
#[test]
fn tls13_key_is_updated_at_its_limit() {
    let name = CipherSuite::TLS13_AES_128_GCM_SHA256;
    let ours = kasoku_rustls::cipher_suite::TLS13_AES_128_GCM_SHA256.tls13().unwrap();
    let counted: &'static Counted =
        Box::leak(Box::new(Counted { algorithm: ours.aead_alg, encrypters: AtomicUsize::new(0) }));
    let tired: &'static Tls13CipherSuite = Box::leak(Box::new(Tls13CipherSuite {
        common: CipherSuiteCommon { confidentiality_limit: 50, ..common(&ours.common) },
        hkdf_provider: ours.hkdf_provider,
        aead_alg: counted,
        quic: ours.quic,
    }));
    let mut provider = kasoku_rustls::default_provider();
    provider.cipher_suites = vec![SupportedCipherSuite::Tls13(tired)];
    let (_, other) = others().into_iter().next().unwrap();
    let mut pair = Pair::of_suite(name, Arc::new(provider), only(other, name));
    let begun_with = counted.encrypters.load(Ordering::Relaxed);
    for _ in 0..500 {
        pair.exchange(b"a record");
    }
    assert_eq!(counted.encrypters.load(Ordering::Relaxed) - begun_with, 10, "one for each 50 records");
}

/// TLS 1.2 has no key update: the connection must be closed before the limit is exceeded.
#[test]
fn tls12_connection_is_closed_at_its_limit() {
    let name = CipherSuite::TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256;
    let SupportedCipherSuite::Tls12(ours) = kasoku_rustls::cipher_suite::TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256 else {
        panic!("TLS 1.2");
    };
    let tired: &'static Tls12CipherSuite = Box::leak(Box::new(Tls12CipherSuite {
        common: CipherSuiteCommon { confidentiality_limit: 50, ..common(&ours.common) },
        prf_provider: ours.prf_provider,
        kx: ours.kx,
        sign: ours.sign,
        aead_alg: ours.aead_alg,
    }));
    let mut provider = kasoku_rustls::default_provider();
    provider.cipher_suites = vec![SupportedCipherSuite::Tls12(tired)];
    let (_, other) = others().into_iter().next().unwrap();
    let mut pair = Pair::of_suite(name, Arc::new(provider), only(other, name));
    let mut arrived = 0;
    for _ in 0..100 {
        pair.client.writer().write_all(b"a record").unwrap();
        hand_over(&mut pair.client, &mut pair.server, |_| ()).unwrap();
        let mut plain = Vec::new();
        let end = pair.server.reader().read_to_end(&mut plain);
        arrived += plain.len() / b"a record".len();
        if end.is_ok() {
            break; // closed with close_notify
        }
    }
    assert!((40..=50).contains(&arrived), "{arrived} records");
}

#[test]
fn tls_suite_limits_match_the_standards() {
    for suite in kasoku_rustls::cipher_suites() {
        let common = match suite {
            SupportedCipherSuite::Tls13(suite) => &suite.common,
            SupportedCipherSuite::Tls12(suite) => &suite.common,
        };
        let is_aes = SUITES.contains(&suite.suite());
        assert_eq!(common.confidentiality_limit, if is_aes { 1 << 24 } else { u64::MAX }, "{suite:?}");
    }
}

#[test]
fn tls_sessions_can_be_resumed() {
    for suite in SUITES {
        for (name, other) in others() {
            for is_client in [true, false] {
                let ours = only(kasoku_rustls::default_provider(), suite);
                let theirs = only(other.clone(), suite);
                let (client, server) = if is_client { (ours, theirs) } else { (theirs, ours) };
                let (client, server) = configurations(suite, client, server);
                for expected in [HandshakeKind::Full, HandshakeKind::Resumed] {
                    let mut pair = Pair::new(&client, &server);
                    pair.settle().unwrap();
                    pair.exchange(&text(3000));
                    assert_eq!(pair.client.handshake_kind(), Some(expected), "{suite:?} with {name}");
                }
            }
        }
    }
}

#[test]
fn tls13_early_data_is_accepted() {
    let suite = CipherSuite::TLS13_AES_128_GCM_SHA256;
    for (_, other) in others() {
        let ours = only(kasoku_rustls::default_provider(), suite);
        let (client, server) = configurations(suite, ours, only(other, suite));
        let mut client = Arc::unwrap_or_clone(client);
        let mut server = Arc::unwrap_or_clone(server);
        client.enable_early_data = true;
        client.resumption = Resumption::in_memory_sessions(8);
        server.max_early_data_size = 1 << 14;
        let (client, server) = (Arc::new(client), Arc::new(server));
        let mut first = Pair::new(&client, &server);
        first.settle().unwrap();
        first.exchange(b"gets a ticket");

        let name = rustls::pki_types::ServerName::try_from("localhost").unwrap();
        let mut early = rustls::ClientConnection::new(client, name).unwrap();
        early.early_data().unwrap().write_all(b"before the handshake").unwrap();
        let mut server = rustls::ServerConnection::new(server).unwrap();
        let mut bytes = Vec::new();
        early.write_tls(&mut bytes).unwrap();
        server.read_tls(&mut &bytes[..]).unwrap();
        server.process_new_packets().unwrap();
        let mut arrived = Vec::new();
        server.early_data().unwrap().read_to_end(&mut arrived).unwrap();
        assert_eq!(arrived, b"before the handshake");
        let mut pair = Pair { client: early.into(), server: server.into() };
        pair.settle().unwrap();
        pair.exchange(&text(3000));
    }
}

#[test]
fn tls_client_certificates_are_verified() {
    for suite in SUITES {
        let (_, other) = others().into_iter().next().unwrap();
        let ours = only(kasoku_rustls::default_provider(), suite);
        let theirs = only(other, suite);
        let server_identity = if needs_rsa(suite) { Identity::rsa() } else { Identity::ecdsa() };
        let client_identity = Identity::ecdsa();
        let verifier =
            WebPkiClientVerifier::builder_with_provider(Arc::new(client_identity.roots()), Arc::clone(&ours));
        let server = ServerConfig::builder_with_provider(ours)
            .with_protocol_versions(versions_of(suite))
            .unwrap()
            .with_client_cert_verifier(verifier.build().unwrap())
            .with_single_cert(server_identity.chain(), server_identity.private_key())
            .unwrap();
        let server = Arc::new(server);
        let client = || {
            ClientConfig::builder_with_provider(Arc::clone(&theirs))
                .with_protocol_versions(versions_of(suite))
                .unwrap()
                .with_root_certificates(server_identity.roots())
        };
        let known = client().with_client_auth_cert(client_identity.chain(), client_identity.private_key()).unwrap();
        let mut pair = Pair::new(&Arc::new(known), &server);
        pair.settle().unwrap();
        pair.exchange(&text(3000));
        assert_eq!(pair.server.peer_certificates().unwrap(), &client_identity.chain()[..]);

        let mut pair = Pair::new(&Arc::new(client().with_no_client_auth()), &server);
        assert_eq!(pair.settle(), Err(Error::NoCertificatesPresented), "{suite:?}");
    }
}

fn common(common: &CipherSuiteCommon) -> CipherSuiteCommon {
    CipherSuiteCommon {
        suite: common.suite,
        hash_provider: common.hash_provider,
        confidentiality_limit: common.confidentiality_limit,
    }
}
