//! Extraction of traffic secrets, such as for a kernel.

use std::sync::Arc;

use kasoku_engine::AesGcm;
use rustls::{CipherSuite, ConnectionTrafficSecrets};

use crate::pair::{Pair, configurations};
use crate::support::providers::{SUITES, only, others};

/// Compares the secrets that a client with Kasoku extracts with those of a server with an unmodified provider.
#[test]
fn extracted_secrets_match_those_of_unmodified_providers() {
    for suite in SUITES {
        for (name, other) in others() {
            let ours = only(kasoku_rustls::default_provider(), suite);
            let (client, server) = configurations(suite, ours, only(other, suite));
            let mut client = Arc::unwrap_or_clone(client);
            let mut server = Arc::unwrap_or_clone(server);
            client.enable_secret_extraction = true;
            server.enable_secret_extraction = true;
            let mut pair = Pair::new(&Arc::new(client), &Arc::new(server));
            pair.settle().unwrap();
            pair.exchange(b"some");
            let client = pair.client.dangerous_extract_secrets().unwrap();
            let server = pair.server.dangerous_extract_secrets().unwrap();
            assert_eq!(client.tx.0, server.rx.0, "{name}");
            assert_eq!(parts(&client.rx.1), parts(&server.tx.1), "{suite:?} with {name}");
            let (key, iv) = parts(&client.tx.1);
            let (peers_key, peers_iv) = parts(&server.rx.1);
            assert_eq!(key, peers_key, "{suite:?} with {name}");
            // Received TLS 1.2 records carry the explicit part of the nonce, so that the extracted value is
            // meaningless.
            let known = if is_tls13(suite) { 12 } else { 4 };
            assert_eq!(iv[..known], peers_iv[..known], "{suite:?} with {name}");
            assert!(AesGcm::new(&key).is_ok());
        }
    }
}

fn is_tls13(suite: CipherSuite) -> bool {
    matches!(suite, CipherSuite::TLS13_AES_128_GCM_SHA256 | CipherSuite::TLS13_AES_256_GCM_SHA384)
}

fn parts(secrets: &ConnectionTrafficSecrets) -> (Vec<u8>, Vec<u8>) {
    match secrets {
        ConnectionTrafficSecrets::Aes128Gcm { key, iv } => {
            assert_eq!(key.as_ref().len(), 16);
            (key.as_ref().to_vec(), iv.as_ref().to_vec())
        }
        ConnectionTrafficSecrets::Aes256Gcm { key, iv } => {
            assert_eq!(key.as_ref().len(), 32);
            (key.as_ref().to_vec(), iv.as_ref().to_vec())
        }
        _ => panic!("not AES-GCM"),
    }
}
