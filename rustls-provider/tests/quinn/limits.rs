//! Key limits (RFC 9001 §6.6), lowered so that a test can reach them.

use std::any::Any;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use bytes::BytesMut;
use kasoku_rustls::quinn::ClientCrypto;
use quinn::crypto::{
    ClientConfig, CryptoError, ExportKeyingMaterialError, HeaderKey, KeyPair, Keys, PacketKey, Session,
};
use quinn::{ConnectError, ConnectionError, ConnectionId, Endpoint, Side, TransportErrorCode};
use quinn_proto::TransportError;
use quinn_proto::transport_parameters::TransportParameters;

use crate::configurations::{Crypto, LOOPBACK, echo, exchange, run, update_keys};
use crate::relay::{Relay, Weather};
use crate::support::certificates::Identity;

/// Number of packets before the limit at which quinn updates the keys.
const MARGIN: u64 = 10_000;

#[test]
fn quinn_updates_a_key_before_its_limit() {
    run(async {
        let identity = Identity::ecdsa();
        for server in [Crypto::OnePass, Crypto::AwsLc] {
            let (_server, address) = echo(server.server(server.server_tls(&identity)));
            let tired = Tired::new(&identity, MARGIN + 300, u64::MAX);
            let updates = Arc::clone(&tired.updates);
            let endpoint = Endpoint::client(LOOPBACK).unwrap();
            let config = quinn::ClientConfig::new(Arc::new(tired));
            let connection = endpoint.connect_with(config, address, "localhost").unwrap().await.unwrap();
            for _ in 0..12 {
                exchange(&connection, 300_000).await;
                // An update happens only after the previous one is complete.
                tokio::time::sleep(std::time::Duration::from_millis(100)).await;
            }
            // The first counted call creates the keys of the next phase.
            assert!(updates.load(Ordering::Relaxed) > 3, "{server:?}: {updates:?}");
        }
    });
}

#[test]
fn quinn_updates_keys_on_request() {
    run(async {
        let identity = Identity::ecdsa();
        let (_server, address) = echo(Crypto::Ring.server(Crypto::Ring.server_tls(&identity)));
        let tired = Tired::new(&identity, u64::MAX, u64::MAX);
        let updates = Arc::clone(&tired.updates);
        let endpoint = Endpoint::client(LOOPBACK).unwrap();
        let config = quinn::ClientConfig::new(Arc::new(tired));
        let connection = endpoint.connect_with(config, address, "localhost").unwrap().await.unwrap();
        // quinn ignores requests while an update is in progress. The first counted call creates the keys of the next
        // phase.
        for _ in 0..40 {
            update_keys(&connection).await;
            if updates.load(Ordering::Relaxed) > 3 {
                return exchange(&connection, 60_000).await;
            }
        }
        panic!("{updates:?}");
    });
}

#[test]
fn quinn_closes_a_connection_at_the_integrity_limit() {
    run(async {
        let identity = Identity::ecdsa();
        let server = Crypto::OnePass;
        let (_server, address) = echo(server.server(server.server_tls(&identity)));
        let relay = Relay::start(address, Weather { changed: 20, ..Weather::default() }).await;
        let config = quinn::ClientConfig::new(Arc::new(Tired::new(&identity, 1 << 23, 5)));
        let endpoint = Endpoint::client(LOOPBACK).unwrap();
        let connection = endpoint.connect_with(config, relay.address, "localhost").unwrap().await.unwrap();
        // Data sent before the connection ends may or may not be echoed.
        if let Ok((mut sending, _receiving)) = connection.open_bi().await {
            let _ = sending.write_all(&[0; 3_000_000]).await;
        }
        let error = connection.closed().await;
        let code = TransportErrorCode::AEAD_LIMIT_REACHED;
        assert!(matches!(&error, ConnectionError::TransportError(it) if it.code == code), "{error:?}");
    });
}

/// Client cryptography with other limits, which counts the keys it creates.
struct Tired {
    inner: Arc<ClientCrypto>,
    limits: Limits,
    updates: Arc<AtomicU32>,
}

#[derive(Clone, Copy)]
struct Limits {
    confidentiality: u64,
    integrity: u64,
}

impl Tired {
    fn new(identity: &Identity, confidentiality: u64, integrity: u64) -> Self {
        let tls = Crypto::OnePass.client_tls(None, identity.roots());
        Self {
            inner: Arc::new(ClientCrypto::new(tls).unwrap()),
            limits: Limits { confidentiality, integrity },
            updates: Arc::default(),
        }
    }
}

impl ClientConfig for Tired {
    fn start_session(
        self: Arc<Self>,
        version: u32,
        server_name: &str,
        parameters: &TransportParameters,
    ) -> Result<Box<dyn Session>, ConnectError> {
        let inner = Arc::clone(&self.inner).start_session(version, server_name, parameters)?;
        Ok(Box::new(TiredSession { inner, limits: self.limits, updates: Arc::clone(&self.updates) }))
    }
}

struct TiredSession {
    inner: Box<dyn Session>,
    limits: Limits,
    updates: Arc<AtomicU32>,
}

impl Limits {
    fn apply(self, keys: KeyPair<Box<dyn PacketKey>>) -> KeyPair<Box<dyn PacketKey>> {
        let limited = |inner| Box::new(TiredKey { inner, limits: self }) as _;
        KeyPair { local: limited(keys.local), remote: limited(keys.remote) }
    }
}

impl Session for TiredSession {
    fn write_handshake(&mut self, bytes: &mut Vec<u8>) -> Option<Keys> {
        let Keys { header, packet } = self.inner.write_handshake(bytes)?;
        Some(Keys { header, packet: self.limits.apply(packet) })
    }

    fn next_1rtt_keys(&mut self) -> Option<KeyPair<Box<dyn PacketKey>>> {
        self.updates.fetch_add(1, Ordering::Relaxed);
        Some(self.limits.apply(self.inner.next_1rtt_keys()?))
    }

    fn initial_keys(&self, connection_id: &ConnectionId, side: Side) -> Keys {
        self.inner.initial_keys(connection_id, side)
    }

    fn handshake_data(&self) -> Option<Box<dyn Any>> {
        self.inner.handshake_data()
    }

    fn peer_identity(&self) -> Option<Box<dyn Any>> {
        self.inner.peer_identity()
    }

    fn early_crypto(&self) -> Option<(Box<dyn HeaderKey>, Box<dyn PacketKey>)> {
        self.inner.early_crypto()
    }

    fn early_data_accepted(&self) -> Option<bool> {
        self.inner.early_data_accepted()
    }

    fn is_handshaking(&self) -> bool {
        self.inner.is_handshaking()
    }

    fn read_handshake(&mut self, bytes: &[u8]) -> Result<bool, TransportError> {
        self.inner.read_handshake(bytes)
    }

    fn transport_parameters(&self) -> Result<Option<TransportParameters>, TransportError> {
        self.inner.transport_parameters()
    }

    fn is_valid_retry(&self, original_id: &ConnectionId, header: &[u8], payload: &[u8]) -> bool {
        self.inner.is_valid_retry(original_id, header, payload)
    }

    fn export_keying_material(
        &self,
        output: &mut [u8],
        label: &[u8],
        context: &[u8],
    ) -> Result<(), ExportKeyingMaterialError> {
        self.inner.export_keying_material(output, label, context)
    }
}

struct TiredKey {
    inner: Box<dyn PacketKey>,
    limits: Limits,
}

impl PacketKey for TiredKey {
    fn encrypt(&self, number: u64, packet: &mut [u8], header_bytes: usize) {
        self.inner.encrypt(number, packet, header_bytes);
    }

    fn decrypt(&self, number: u64, header: &[u8], payload: &mut BytesMut) -> Result<(), CryptoError> {
        self.inner.decrypt(number, header, payload)
    }

    fn tag_len(&self) -> usize {
        self.inner.tag_len()
    }

    fn confidentiality_limit(&self) -> u64 {
        self.limits.confidentiality
    }

    fn integrity_limit(&self) -> u64 {
        self.limits.integrity
    }
}
