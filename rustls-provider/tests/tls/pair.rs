//! Client and server connected in memory.

use std::io::{Read, Write};
use std::sync::Arc;

use rustls::crypto::CryptoProvider;
use rustls::pki_types::ServerName;
use rustls::{CipherSuite, ClientConfig, ClientConnection, Connection, Error, ServerConfig, ServerConnection};

use crate::support::certificates::Identity;
use crate::support::providers::{needs_rsa, versions_of};

pub(crate) struct Pair {
    pub(crate) client: Connection,
    pub(crate) server: Connection,
}

impl Pair {
    pub(crate) fn new(client: &Arc<ClientConfig>, server: &Arc<ServerConfig>) -> Self {
        let name = ServerName::try_from("localhost").unwrap();
        Self {
            client: ClientConnection::new(Arc::clone(client), name).unwrap().into(),
            server: ServerConnection::new(Arc::clone(server)).unwrap().into(),
        }
    }

    /// Creates a pair with one suite and completes the handshake.
    pub(crate) fn of_suite(suite: CipherSuite, client: Arc<CryptoProvider>, server: Arc<CryptoProvider>) -> Self {
        let (client, server) = configurations(suite, client, server);
        let mut pair = Self::new(&client, &server);
        pair.settle().unwrap();
        assert_eq!(pair.client.negotiated_cipher_suite().map(|it| it.suite()), Some(suite));
        pair
    }

    /// Transfers bytes until neither side has any left.
    pub(crate) fn settle(&mut self) -> Result<(), Error> {
        while self.client.wants_write() || self.server.wants_write() {
            hand_over(&mut self.client, &mut self.server, |_| ())?;
            hand_over(&mut self.server, &mut self.client, |_| ())?;
        }
        Ok(())
    }

    /// Sends `text` in both directions, and checks that it arrives unchanged.
    pub(crate) fn exchange(&mut self, text: &[u8]) {
        assert!(send_text(&mut self.client, &mut self.server, text) == text, "client to server, {} bytes", text.len());
        assert!(send_text(&mut self.server, &mut self.client, text) == text, "server to client, {} bytes", text.len());
    }
}

/// Returns configurations for one suite; the server has the kind of key that the suite needs.
pub(crate) fn configurations(
    suite: CipherSuite,
    client: Arc<CryptoProvider>,
    server: Arc<CryptoProvider>,
) -> (Arc<ClientConfig>, Arc<ServerConfig>) {
    let identity = if needs_rsa(suite) { Identity::rsa() } else { Identity::ecdsa() };
    let server = ServerConfig::builder_with_provider(server)
        .with_protocol_versions(versions_of(suite))
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(identity.chain(), identity.private_key())
        .unwrap();
    let client = ClientConfig::builder_with_provider(client)
        .with_protocol_versions(versions_of(suite))
        .unwrap()
        .with_root_certificates(identity.roots())
        .with_no_client_auth();
    (Arc::new(client), Arc::new(server))
}

/// Transfers all pending bytes of `from` to `to`, modified by `change`.
pub(crate) fn hand_over(
    from: &mut Connection,
    to: &mut Connection,
    change: impl Fn(&mut Vec<u8>),
) -> Result<(), Error> {
    let mut bytes = Vec::new();
    while from.wants_write() {
        from.write_tls(&mut bytes).unwrap();
    }
    change(&mut bytes);
    let mut rest = &bytes[..];
    while !rest.is_empty() {
        to.read_tls(&mut rest).unwrap();
        to.process_new_packets()?;
    }
    Ok(())
}

/// Sends `text` and returns what arrives.
fn send_text(from: &mut Connection, to: &mut Connection, text: &[u8]) -> Vec<u8> {
    let mut arrived = Vec::new();
    // Pieces fit into rustls's buffer. An empty text is also written.
    for piece in text.chunks(20_000).chain(text.is_empty().then_some(text)) {
        from.writer().write_all(piece).unwrap();
        arrived.extend(received_text(from, to));
    }
    arrived
}

/// Transfers pending bytes and returns the received text.
pub(crate) fn received_text(from: &mut Connection, to: &mut Connection) -> Vec<u8> {
    let mut records = Vec::new();
    while from.wants_write() {
        from.write_tls(&mut records).unwrap();
    }
    let (mut rest, mut arrived) = (&records[..], Vec::new());
    while !rest.is_empty() {
        to.read_tls(&mut rest).unwrap();
        let state = to.process_new_packets().unwrap();
        let mut plain = vec![0; state.plaintext_bytes_to_read()];
        to.reader().read_exact(&mut plain).unwrap();
        arrived.extend(plain);
    }
    arrived
}

/// Returns pseudorandom bytes that are the same in every run.
pub(crate) fn text(bytes: usize) -> Vec<u8> {
    let mut state = 0x9E37_79B9_7F4A_7C15_u64 ^ bytes as u64;
    (0..bytes)
        .map(|_| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state as u8
        })
        .collect()
}
