//! Handshakes of rustls's QUIC connections, and packets under all resulting keys.

use std::sync::Arc;

use rustls::crypto::CryptoProvider;
use rustls::pki_types::ServerName;
use rustls::quic::{
    ClientConnection, Connection, DirectionalKeys, KeyChange, Keys, PacketKey, ServerConnection, Version,
};
use rustls::{CipherSuite, ClientConfig, ServerConfig};

use crate::support::certificates::Identity;
use crate::support::providers::{only, others};

#[test]
fn rustls_quic_keys_of_every_phase_interoperate() {
    for suite in [CipherSuite::TLS13_AES_128_GCM_SHA256, CipherSuite::TLS13_AES_256_GCM_SHA384] {
        let ours = only(kasoku_rustls::default_provider(), suite);
        for (_, other) in others() {
            let other = only(other, suite);
            check_connection(Arc::clone(&ours), Arc::clone(&other));
            check_connection(other, Arc::clone(&ours));
        }
        check_connection(Arc::clone(&ours), ours);
    }
}

fn check_connection(client: Arc<CryptoProvider>, server: Arc<CryptoProvider>) {
    let identity = Identity::ecdsa();
    let versions = [&rustls::version::TLS13];
    let server = ServerConfig::builder_with_provider(server).with_protocol_versions(&versions).unwrap();
    let server = server.with_no_client_auth().with_single_cert(identity.chain(), identity.private_key()).unwrap();
    let client = ClientConfig::builder_with_provider(client).with_protocol_versions(&versions).unwrap();
    let client = client.with_root_certificates(identity.roots()).with_no_client_auth();
    let name = ServerName::try_from("localhost").unwrap();
    let client = ClientConnection::new(Arc::new(client), Version::V1, name, b"client".to_vec()).unwrap();
    let server = ServerConnection::new(Arc::new(server), Version::V1, b"server".to_vec()).unwrap();

    let mut sides = [Side::new(client.into()), Side::new(server.into())];
    for _ in 0..8 {
        for (from, to) in [(0, 1), (1, 0)] {
            let mut flight = Vec::new();
            while let Some(message) = sides[from].write() {
                flight.push(message);
            }
            flight.into_iter().for_each(|message| sides[to].connection.read_hs(&message).unwrap());
        }
    }
    let [client, server] = sides;
    assert_eq!((client.changes.len(), server.changes.len()), (2, 2));
    for (mine, theirs) in client.changes.into_iter().zip(server.changes) {
        match (mine, theirs) {
            (KeyChange::Handshake { keys: mine }, KeyChange::Handshake { keys: theirs }) => {
                check_both_directions(&mine, &theirs)
            }
            (KeyChange::OneRtt { keys: mine, next: mut my_next }, KeyChange::OneRtt { keys: theirs, mut next }) => {
                check_both_directions(&mine, &theirs);
                let mut before = [mine.local.packet, theirs.local.packet];
                for _ in 0..3 {
                    let (mine, theirs) = (my_next.next_packet_keys(), next.next_packet_keys());
                    packets(&*mine.local, &*theirs.remote);
                    packets(&*theirs.local, &*mine.remote);
                    for (from, to) in before.iter().zip([&theirs.remote, &mine.remote]) {
                        let mut packet = vec![0; 40];
                        let tag = from.encrypt_in_place(9, b"\x43header", &mut packet).unwrap();
                        packet.extend_from_slice(tag.as_ref());
                        assert!(to.decrypt_in_place(9, b"\x43header", &mut packet).is_err(), "the last phase's key");
                    }
                    before = [mine.local, theirs.local];
                }
            }
            _ => panic!("not the same phase"),
        }
    }
}

struct Side {
    connection: Connection,
    changes: Vec<KeyChange>,
}

impl Side {
    fn new(connection: Connection) -> Self {
        Self { connection, changes: Vec::new() }
    }

    /// Returns the handshake data to send under one key.
    fn write(&mut self) -> Option<Vec<u8>> {
        let mut message = Vec::new();
        let change = self.connection.write_hs(&mut message);
        let has_change = change.is_some();
        self.changes.extend(change);
        (has_change || !message.is_empty()).then_some(message)
    }
}

fn check_both_directions(mine: &Keys, theirs: &Keys) {
    for (from, to) in [(&mine.local, &theirs.remote), (&theirs.local, &mine.remote)] {
        packets(&*from.packet, &*to.packet);
        headers(from, to);
    }
}

fn packets(from: &dyn PacketKey, to: &dyn PacketKey) {
    for (number, bytes) in [(0, 4), (1, 100), (77, 1452), (1 << 40, 9000), ((1 << 62) - 1, 65_000)] {
        let mut packet = vec![0x5C; bytes];
        let tag = from.encrypt_in_place(number, b"\x43header", &mut packet).unwrap();
        packet.extend_from_slice(tag.as_ref());
        assert_eq!(to.decrypt_in_place(number, b"\x43header", &mut packet).unwrap(), vec![0x5C; bytes]);
    }
}

fn headers(from: &DirectionalKeys, to: &DirectionalKeys) {
    for first in [0x40, 0x41, 0x5E, 0xC3, 0xE0] {
        let (mut masked, mut number) = (first, [9, 8, 7, 6]);
        from.header.encrypt_in_place(&[first; 16], &mut masked, &mut number).unwrap();
        to.header.decrypt_in_place(&[first; 16], &mut masked, &mut number).unwrap();
        assert_eq!((masked, number), (first, [9, 8, 7, 6]));
    }
}
