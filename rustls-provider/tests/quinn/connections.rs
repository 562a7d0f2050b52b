//! Data in both directions between quinn clients and servers with every combination of cryptography.

use bytes::Bytes;
use quinn::Endpoint;
use rustls::CipherSuite;

use crate::configurations::{Crypto, LOOPBACK, echo, exchange, run, update_keys};
use crate::support::certificates::Identity;

const SUITES: [CipherSuite; 3] = [
    CipherSuite::TLS13_AES_128_GCM_SHA256,
    CipherSuite::TLS13_AES_256_GCM_SHA384,
    CipherSuite::TLS13_CHACHA20_POLY1305_SHA256,
];

#[test]
fn quinn_exchanges_data_with_every_suite_and_peer() {
    run(async {
        let identity = Identity::ecdsa();
        for server in Crypto::ALL {
            let (_server, address) = echo(server.server(server.server_tls(&identity)));
            for client in Crypto::ALL {
                let ours = |crypto| matches!(crypto, Crypto::OnePass | Crypto::Provider);
                if !ours(server) && !ours(client) {
                    continue;
                }
                for suite in SUITES {
                    let endpoint = Endpoint::client(LOOPBACK).unwrap();
                    let config = client.client(client.client_tls(Some(suite), identity.roots()));
                    let connection = endpoint.connect_with(config, address, "localhost").unwrap().await.unwrap();
                    for bytes in [0, 1, 1000, 300_000] {
                        exchange(&connection, bytes).await;
                    }
                    connection.close(0_u8.into(), b"");
                }
            }
        }
    });
}

#[test]
fn quinn_updates_keys_during_transfers() {
    run(async {
        let identity = Identity::ecdsa();
        for (server, client) in [
            (Crypto::OnePass, Crypto::OnePass),
            (Crypto::OnePass, Crypto::AwsLc),
            (Crypto::Ring, Crypto::OnePass),
            (Crypto::Provider, Crypto::OnePass),
            (Crypto::Provider, Crypto::Ring),
        ] {
            let (_server, address) = echo(server.server(server.server_tls(&identity)));
            for suite in SUITES {
                let endpoint = Endpoint::client(LOOPBACK).unwrap();
                let config = client.client(client.client_tls(Some(suite), identity.roots()));
                let connection = endpoint.connect_with(config, address, "localhost").unwrap().await.unwrap();
                exchange(&connection, 60_000).await;
                for _ in 0..3 {
                    update_keys(&connection).await;
                    exchange(&connection, 60_000).await;
                }
            }
        }
    });
}

/// Each datagram is sent in a packet of its own. The smallest packets need padding, because header protection samples
/// their ciphertext.
#[test]
fn quinn_transfers_datagrams_of_every_size() {
    run(async {
        let identity = Identity::ecdsa();
        for (server, client) in [(Crypto::OnePass, Crypto::Ring), (Crypto::AwsLc, Crypto::OnePass)] {
            let server = Endpoint::server(server.server(server.server_tls(&identity)), LOOPBACK).unwrap();
            let address = server.local_addr().unwrap();
            let endpoint = Endpoint::client(LOOPBACK).unwrap();
            let config = client.client(client.client_tls(None, identity.roots()));
            let (here, there) = tokio::join!(
                async { endpoint.connect_with(config, address, "localhost").unwrap().await.unwrap() },
                async { server.accept().await.unwrap().await.unwrap() }
            );
            for bytes in (0..64).chain((64..1400).step_by(37)) {
                let datagram = Bytes::from(vec![bytes as u8; bytes]);
                for (from, to) in [(&here, &there), (&there, &here)] {
                    from.send_datagram(datagram.clone()).unwrap();
                    assert_eq!(to.read_datagram().await.unwrap(), datagram);
                }
            }
        }
    });
}
