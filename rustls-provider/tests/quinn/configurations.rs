//! quinn clients and servers with different cryptography.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use quinn::crypto::rustls::{QuicClientConfig, QuicServerConfig};
use quinn::{Connection, Endpoint, TransportConfig};
use rustls::crypto::CryptoProvider;
use rustls::{CipherSuite, RootCertStore};

use crate::support::certificates::Identity;
use crate::support::providers::others;

/// Implementation of packet protection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Crypto {
    /// One-pass protection by `kasoku_rustls::quinn`.
    OnePass,
    /// quinn's own cryptography with Kasoku's provider.
    Provider,
    /// quinn's own cryptography with aws-lc-rs.
    AwsLc,
    Ring,
}

impl Crypto {
    pub(crate) const ALL: [Self; 4] = [Self::OnePass, Self::Provider, Self::AwsLc, Self::Ring];

    /// Returns a provider with only `suite`, if given. quinn's own cryptography also needs the suite of Initial
    /// packets.
    pub(crate) fn provider(self, suite: Option<CipherSuite>) -> Arc<CryptoProvider> {
        let [(_, aws_lc), (_, ring)] = others();
        let mut provider = match self {
            Self::OnePass | Self::Provider => kasoku_rustls::default_provider(),
            Self::AwsLc => aws_lc,
            Self::Ring => ring,
        };
        provider.cipher_suites.retain(|it| suite.is_none_or(|suite| it.suite() == suite));
        Arc::new(provider)
    }

    pub(crate) fn client_tls(self, suite: Option<CipherSuite>, roots: RootCertStore) -> rustls::ClientConfig {
        let mut tls = rustls::ClientConfig::builder_with_provider(self.provider(suite))
            .with_protocol_versions(&[&rustls::version::TLS13])
            .unwrap()
            .with_root_certificates(roots)
            .with_no_client_auth();
        tls.enable_early_data = true;
        tls
    }

    pub(crate) fn server_tls(self, identity: &Identity) -> rustls::ServerConfig {
        let mut tls = rustls::ServerConfig::builder_with_provider(self.provider(None))
            .with_protocol_versions(&[&rustls::version::TLS13])
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(identity.chain(), identity.private_key())
            .unwrap();
        tls.max_early_data_size = u32::MAX;
        tls
    }

    /// Returns the suite of Initial packets, which is always AES-128-GCM (RFC 9001 §5.2).
    pub(crate) fn initial_suite(self) -> rustls::quic::Suite {
        let provider = self.provider(Some(CipherSuite::TLS13_AES_128_GCM_SHA256));
        provider.cipher_suites[0].tls13().unwrap().quic_suite().unwrap()
    }

    pub(crate) fn client(self, tls: rustls::ClientConfig) -> quinn::ClientConfig {
        let mut config = if self == Self::OnePass {
            kasoku_rustls::quinn::client_config(tls).unwrap()
        } else {
            let tls = QuicClientConfig::with_initial(Arc::new(tls), self.initial_suite()).unwrap();
            quinn::ClientConfig::new(Arc::new(tls))
        };
        config.transport_config(transport());
        config
    }

    pub(crate) fn server(self, tls: rustls::ServerConfig) -> quinn::ServerConfig {
        let mut config = if self == Self::OnePass {
            kasoku_rustls::quinn::server_config(tls).unwrap()
        } else {
            quinn::ServerConfig::with_crypto(Arc::new(QuicServerConfig::try_from(tls).unwrap()))
        };
        config.transport_config(transport());
        config
    }
}

/// Returns a transport configuration that times out before the test does and sends keep-alives.
fn transport() -> Arc<TransportConfig> {
    let mut transport = TransportConfig::default();
    transport.max_idle_timeout(Some(Duration::from_secs(20).try_into().unwrap()));
    transport.initial_mtu(1452).min_mtu(1200);
    Arc::new(transport)
}

pub(crate) const LOOPBACK: SocketAddr = SocketAddr::new(std::net::IpAddr::V4(Ipv4Addr::LOCALHOST), 0);

/// Starts a server that echoes every stream until it is dropped, and returns its address.
pub(crate) fn echo(config: quinn::ServerConfig) -> (Endpoint, SocketAddr) {
    let endpoint = Endpoint::server(config, LOOPBACK).unwrap();
    let address = endpoint.local_addr().unwrap();
    tokio::spawn(accept(endpoint.clone()));
    (endpoint, address)
}

async fn accept(endpoint: Endpoint) {
    while let Some(incoming) = endpoint.accept().await {
        tokio::spawn(async move {
            let Ok(connection) = incoming.await else { return };
            serve(connection).await;
        });
    }
}

/// Echoes every stream of a connection.
pub(crate) async fn serve(connection: Connection) {
    while let Ok((mut sending, mut receiving)) = connection.accept_bi().await {
        tokio::spawn(async move {
            while let Ok(Some(chunk)) = receiving.read_chunk(usize::MAX, true).await {
                if sending.write_chunk(chunk.bytes).await.is_err() {
                    return;
                }
            }
            let _ = sending.finish();
        });
    }
}

/// Sends `bytes` bytes and compares the echo.
pub(crate) async fn exchange(connection: &Connection, bytes: usize) {
    let text: Arc<Vec<u8>> = Arc::new((0..bytes).map(|at| (at * 31 + at / 251) as u8).collect());
    let (mut sending, mut receiving) = connection.open_bi().await.unwrap();
    let sent = Arc::clone(&text);
    let writer = tokio::spawn(async move {
        sending.write_all(&sent).await.unwrap();
        sending.finish().unwrap();
        sending
    });
    let echoed = receiving.read_to_end(bytes + 1).await.unwrap();
    assert!(echoed == *text, "{bytes} bytes came back as {}", echoed.len());
    writer.await.unwrap();
}

/// Updates the keys after the previous update is complete. RFC 9001 §6.1 forbids an update before packets of the
/// current phase are acknowledged. quinn does not check that, whatever its cryptography, and the peer then closes with
/// KEY_UPDATE_ERROR.
pub(crate) async fn update_keys(connection: &Connection) {
    // Waits for an echo, so that the data has arrived even on a slow machine. The pause is longer than the
    // acknowledgement delay and a retransmission.
    exchange(connection, 1).await;
    tokio::time::sleep(Duration::from_millis(150)).await;
    connection.force_key_update();
}

/// Runs a test with a time limit.
pub(crate) fn run(test: impl Future<Output = ()>) {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    runtime.block_on(async { tokio::time::timeout(Duration::from_secs(180), test).await.unwrap() });
}
