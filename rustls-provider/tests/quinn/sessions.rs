//! TLS features for quinn: resumption, early data, peer identity, errors, tokens.

use std::sync::{Arc, Mutex};

use kasoku_rustls::quinn::HandshakeData;
use quinn::{ConnectionError, Endpoint, TransportErrorCode};
use rustls::pki_types::CertificateDer;
use rustls::{CipherSuite, KeyLog};

use crate::configurations::{Crypto, LOOPBACK, echo, exchange, run, serve};
use crate::support::certificates::Identity;

#[test]
fn quinn_server_accepts_early_data() {
    run(async {
        let identity = Identity::ecdsa();
        for (server, client) in [
            (Crypto::OnePass, Crypto::OnePass),
            (Crypto::OnePass, Crypto::Ring),
            (Crypto::AwsLc, Crypto::OnePass),
            (Crypto::Provider, Crypto::AwsLc),
        ] {
            for suite in [CipherSuite::TLS13_AES_256_GCM_SHA384, CipherSuite::TLS13_CHACHA20_POLY1305_SHA256] {
                let endpoint = Endpoint::server(server.server(server.server_tls(&identity)), LOOPBACK).unwrap();
                let address = endpoint.local_addr().unwrap();
                tokio::spawn(async move {
                    while let Some(incoming) = endpoint.accept().await {
                        let connecting = incoming.accept().unwrap();
                        // A server accepts data before the handshake is complete.
                        let Ok((connection, _)) = connecting.into_0rtt() else { panic!("a server always can") };
                        tokio::spawn(serve(connection));
                    }
                });
                let config = client.client(client.client_tls(Some(suite), identity.roots()));
                let endpoint = Endpoint::client(LOOPBACK).unwrap();
                let first = endpoint.connect_with(config.clone(), address, "localhost").unwrap();
                let Err(first) = first.into_0rtt() else { panic!("there is no ticket yet") };
                let first = first.await.unwrap();
                exchange(&first, 1000).await;
                first.close(0_u8.into(), b"");

                let connecting = endpoint.connect_with(config, address, "localhost").unwrap();
                let Ok((connection, accepted)) = connecting.into_0rtt() else { panic!("{server:?}, {client:?}") };
                exchange(&connection, 1000).await;
                assert!(accepted.await, "{server:?}, {client:?}, {suite:?}");
                exchange(&connection, 100_000).await;
            }
        }
    });
}

/// The server no longer knows the ticket, so the client must send early data again.
#[test]
fn quinn_resends_early_data_that_the_server_refused() {
    run(async {
        let identity = Identity::ecdsa();
        let endpoint = Endpoint::client(LOOPBACK).unwrap();
        let client = Crypto::OnePass;
        let config = client.client(client.client_tls(None, identity.roots()));
        for server in [Crypto::OnePass, Crypto::AwsLc] {
            let (_first, address) = echo(server.server(server.server_tls(&identity)));
            let connection = endpoint.connect_with(config.clone(), address, "localhost").unwrap().await.unwrap();
            exchange(&connection, 1000).await;
            let (_second, address) = echo(server.server(server.server_tls(&identity)));
            let connecting = endpoint.connect_with(config.clone(), address, "localhost").unwrap();
            let Ok((connection, accepted)) = connecting.into_0rtt() else { panic!("there is a ticket") };
            // If the refusal arrives first, opening the stream reports it.
            if let Ok((mut sending, _)) = connection.open_bi().await {
                let _ = sending.write_all(b"early").await;
            }
            assert!(!accepted.await);
            exchange(&connection, 1000).await;
        }
    });
}

#[test]
fn quinn_validates_addresses_with_tokens() {
    run(async {
        let identity = Identity::ecdsa();
        for (server, client) in
            [(Crypto::OnePass, Crypto::OnePass), (Crypto::OnePass, Crypto::Ring), (Crypto::AwsLc, Crypto::OnePass)]
        {
            let server = Endpoint::server(server.server(server.server_tls(&identity)), LOOPBACK).unwrap();
            let address = server.local_addr().unwrap();
            let retries = tokio::spawn(async move {
                let mut retries = 0;
                while let Some(incoming) = server.accept().await {
                    if incoming.remote_address_validated() {
                        let connection = incoming.await.unwrap();
                        serve(connection).await;
                        return retries;
                    }
                    incoming.retry().unwrap();
                    retries += 1;
                }
                retries
            });
            let endpoint = Endpoint::client(LOOPBACK).unwrap();
            let config = client.client(client.client_tls(None, identity.roots()));
            let connection = endpoint.connect_with(config, address, "localhost").unwrap().await.unwrap();
            exchange(&connection, 5000).await;
            connection.close(0_u8.into(), b"");
            assert_eq!(retries.await.unwrap(), 1);
        }
    });
}

#[test]
fn quinn_reports_peer_identity_and_protocol() {
    run(async {
        let (mine, theirs) = (Identity::ecdsa(), Identity::ecdsa());
        let crypto = Crypto::OnePass;
        let verifier =
            rustls::server::WebPkiClientVerifier::builder_with_provider(Arc::new(mine.roots()), crypto.provider(None));
        let mut tls = rustls::ServerConfig::builder_with_provider(crypto.provider(None))
            .with_protocol_versions(&[&rustls::version::TLS13])
            .unwrap()
            .with_client_cert_verifier(verifier.build().unwrap())
            .with_single_cert(theirs.chain(), theirs.private_key())
            .unwrap();
        tls.alpn_protocols = vec![b"echo".to_vec()];
        let server = Endpoint::server(crypto.server(tls), LOOPBACK).unwrap();
        let address = server.local_addr().unwrap();
        let endpoint = Endpoint::client(LOOPBACK).unwrap();
        let tls = |protocol: &[u8], shows_itself: bool| {
            let tls = rustls::ClientConfig::builder_with_provider(crypto.provider(None))
                .with_protocol_versions(&[&rustls::version::TLS13])
                .unwrap()
                .with_root_certificates(theirs.roots());
            let mut tls = if shows_itself {
                tls.with_client_auth_cert(mine.chain(), mine.private_key()).unwrap()
            } else {
                tls.with_no_client_auth()
            };
            tls.alpn_protocols = vec![protocol.to_vec()];
            crypto.client(tls)
        };
        let (here, there) = tokio::join!(
            async { endpoint.connect_with(tls(b"echo", true), address, "localhost").unwrap().await.unwrap() },
            async { server.accept().await.unwrap().await.unwrap() }
        );
        let certificates = |connection: &quinn::Connection| {
            *connection.peer_identity().unwrap().downcast::<Vec<CertificateDer<'static>>>().unwrap()
        };
        assert_eq!((certificates(&here), certificates(&there)), (theirs.chain(), mine.chain()));
        let data =
            |connection: &quinn::Connection| *connection.handshake_data().unwrap().downcast::<HandshakeData>().unwrap();
        let protocol = Some(b"echo".to_vec());
        assert_eq!(data(&here), HandshakeData { protocol: protocol.clone(), server_name: None });
        assert_eq!(data(&there), HandshakeData { protocol, server_name: Some("localhost".to_owned()) });
        let mut exported = [[0; 32]; 2];
        here.export_keying_material(&mut exported[0], b"label", b"context").unwrap();
        there.export_keying_material(&mut exported[1], b"label", b"context").unwrap();
        assert!(exported[0] == exported[1] && exported[0] != [0; 32]);

        // TLS alerts: no application protocol (120), certificate required (116).
        for (protocol, shows_itself, alert) in [(&b"other"[..], true, 120), (b"echo", false, 116)] {
            let (here, there) = tokio::join!(
                async {
                    let connection = endpoint.connect_with(tls(protocol, shows_itself), address, "localhost").unwrap();
                    match connection.await {
                        // The client's handshake ends before the server has seen its certificate.
                        Ok(connection) => connection.closed().await,
                        Err(error) => error,
                    }
                },
                async { server.accept().await.unwrap().await.unwrap_err() }
            );
            let code = TransportErrorCode::crypto(alert);
            assert!(matches!(&here, ConnectionError::ConnectionClosed(it) if it.error_code == code), "{here:?}");
            assert!(matches!(&there, ConnectionError::TransportError(it) if it.code == code), "{there:?}");
        }
    });
}

/// A server with another key than the trusted one must be rejected.
#[test]
fn quinn_client_rejects_untrusted_server() {
    run(async {
        let crypto = Crypto::OnePass;
        let (_server, address) = echo(crypto.server(crypto.server_tls(&Identity::ecdsa())));
        let config = crypto.client(crypto.client_tls(None, Identity::ecdsa().roots()));
        let endpoint = Endpoint::client(LOOPBACK).unwrap();
        let error = endpoint.connect_with(config, address, "localhost").unwrap().await.unwrap_err();
        let is_tls = |code: TransportErrorCode| (0x100..0x200).contains(&u64::from(code));
        assert!(matches!(&error, ConnectionError::TransportError(it) if is_tls(it.code)), "{error:?}");
    });
}

/// The user's key log must get everything that it would get from rustls.
#[test]
fn quinn_passes_secrets_to_the_user_key_log() {
    run(async {
        let identity = Identity::ecdsa();
        let mut heard = Vec::new();
        for server in [Crypto::OnePass, Crypto::AwsLc] {
            let log = Arc::new(Log::default());
            let mut tls = server.server_tls(&identity);
            tls.key_log = Arc::clone(&log) as _;
            let (_server, address) = echo(server.server(tls));
            let client = Crypto::OnePass;
            let endpoint = Endpoint::client(LOOPBACK).unwrap();
            let config = client.client(client.client_tls(None, identity.roots()));
            let connection = endpoint.connect_with(config, address, "localhost").unwrap().await.unwrap();
            exchange(&connection, 10).await;
            heard.push(log.0.lock().unwrap().clone());
        }
        assert!(!heard[0].is_empty());
        assert_eq!(heard[0], heard[1]);
    });
}

#[derive(Debug, Default)]
struct Log(Mutex<Vec<String>>);

impl KeyLog for Log {
    fn log(&self, label: &str, client_random: &[u8], secret: &[u8]) {
        assert!(client_random.len() == 32 && !secret.is_empty());
        self.0.lock().unwrap().push(label.to_owned());
    }
}

#[test]
fn quinn_rejects_tls_configurations_that_quic_cannot_use() {
    let identity = Identity::ecdsa();
    let provider = Crypto::OnePass.provider(None);
    let tls12 = rustls::ServerConfig::builder_with_provider(Arc::clone(&provider))
        .with_protocol_versions(&[&rustls::version::TLS12])
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(identity.chain(), identity.private_key())
        .unwrap();
    assert!(kasoku_rustls::quinn::server_config(tls12).is_err());
    let mut some_early_data = Crypto::OnePass.server_tls(&identity);
    some_early_data.max_early_data_size = 1000;
    assert!(kasoku_rustls::quinn::server_config(some_early_data).is_err());
    let tls12 = rustls::ClientConfig::builder_with_provider(provider)
        .with_protocol_versions(&[&rustls::version::TLS12])
        .unwrap()
        .with_root_certificates(identity.roots())
        .with_no_client_auth();
    assert!(kasoku_rustls::quinn::client_config(tls12).is_err());
}

/// Endpoints without quinn's own cryptography, including the key of stateless resets.
#[test]
fn endpoint_config_works_without_quinn_cryptography() {
    run(async {
        let identity = Identity::ecdsa();
        let crypto = Crypto::OnePass;
        let provider = crypto.provider(None);
        let runtime: Arc<dyn quinn::Runtime> = Arc::new(quinn::TokioRuntime);
        let endpoint = |server: Option<quinn::ServerConfig>| {
            let socket = std::net::UdpSocket::bind(LOOPBACK).unwrap();
            let config = kasoku_rustls::quinn::endpoint_config(&provider).unwrap();
            Endpoint::new(config, server, socket, Arc::clone(&runtime)).unwrap()
        };
        let server = endpoint(Some(crypto.server(crypto.server_tls(&identity))));
        let address = server.local_addr().unwrap();
        let serving = tokio::spawn({
            let server = server.clone();
            async move { serve(server.accept().await.unwrap().await.unwrap()).await }
        });
        let client = endpoint(None);
        let config = crypto.client(crypto.client_tls(None, identity.roots()));
        let connection = client.connect_with(config, address, "localhost").unwrap().await.unwrap();
        exchange(&connection, 1000).await;
        drop(connection);
        serving.await.unwrap();

        // The endpoint must answer a draft version with the supported versions.
        let mut draft = Crypto::Provider.client(Crypto::Provider.client_tls(None, identity.roots()));
        draft.version(0xff00_001d);
        let client = Endpoint::client(LOOPBACK).unwrap();
        let refused = client.connect_with(draft, address, "localhost").unwrap().await;
        assert!(matches!(refused, Err(quinn::ConnectionError::VersionMismatch)), "{refused:?}");
    });
}
