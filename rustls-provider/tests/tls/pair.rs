//! A client and a server that hand each other their bytes.

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

    /// Two that speak one suite, after their handshake.
    pub(crate) fn of_suite(suite: CipherSuite, client: Arc<CryptoProvider>, server: Arc<CryptoProvider>) -> Self {
        let (client, server) = configurations(suite, client, server);
        let mut pair = Self::new(&client, &server);
        pair.settle().unwrap();
        assert_eq!(pair.client.negotiated_cipher_suite().map(|it| it.suite()), Some(suite));
        pair
    }

    /// Hands bytes over until neither has any.
    pub(crate) fn settle(&mut self) -> Result<(), Error> {
        while self.client.wants_write() || self.server.wants_write() {
            hand_over(&mut self.client, &mut self.server, |_| ())?;
            hand_over(&mut self.server, &mut self.client, |_| ())?;
        }
        Ok(())
    }

    /// Sends `text` both ways, and compares what arrives.
    pub(crate) fn exchange(&mut self, text: &[u8]) {
        assert!(carry(&mut self.client, &mut self.server, text) == text, "client to server, {} bytes", text.len());
        assert!(carry(&mut self.server, &mut self.client, text) == text, "server to client, {} bytes", text.len());
    }
}

/// Configurations for one suite; the server's key is the kind that it needs.
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

/// Hands everything that `from` has to `to`, after `change` had its way with it.
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

/// What arrives of `text`.
fn carry(from: &mut Connection, to: &mut Connection, text: &[u8]) -> Vec<u8> {
    let mut arrived = Vec::new();
    // No more than rustls buffers; and nothing at all is written too.
    for piece in text.chunks(20_000).chain(text.is_empty().then_some(text)) {
        from.writer().write_all(piece).unwrap();
        arrived.extend(carried(from, to));
    }
    arrived
}

/// Hands over what was written, and reads it.
pub(crate) fn carried(from: &mut Connection, to: &mut Connection) -> Vec<u8> {
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

/// Bytes that look random and never change.
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
