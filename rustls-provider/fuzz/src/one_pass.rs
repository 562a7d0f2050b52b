//! QUIC Initial and Retry packets through quinn's traits, with Kasoku's one-pass protection and with quinn's own.

use std::sync::{Arc, LazyLock};

use bytes::BytesMut;
use kasoku_rustls::quinn::{ClientCrypto, ServerCrypto};
use quinn_proto::crypto::rustls::{QuicClientConfig, QuicServerConfig};
use quinn_proto::crypto::{ClientConfig, ServerConfig, Session};
use quinn_proto::transport_parameters::TransportParameters;
use quinn_proto::{ConnectionId, Side};
use rustls::RootCertStore;
use rustls::crypto::aws_lc_rs::default_provider;
use rustls::server::ResolvesServerCertUsingSni;
use rustls::version::TLS13;

use super::changes::Changes;
use super::input::Input;

const VERSION_1: u32 = 1;
const TAG: usize = 16;
/// Length in bytes of a sample and of the longest packet number before it (RFC 9001 §5.4.2).
const SAMPLED: usize = 4 + 16;

pub(crate) fn packets(mut input: Input<'_>) {
    let id = connection_id(&mut input);
    let choice = input.byte();
    let (sender, receiver) = if choice < 128 { (Side::Client, Side::Server) } else { (Side::Server, Side::Client) };
    let keys_of = |side| CLIENTS.each_ref().map(|session| session.initial_keys(&id, side));

    // The low bits of the first byte state the length of the packet number, which ends the header.
    let first = input.byte();
    let number_bytes = usize::from(first % 4) + 1;
    let number_offset = 1 + usize::from(input.byte() % 40);
    let header = [&[first][..], &vec![choice; number_offset - 1], &input.array::<4>()[..number_bytes]].concat();
    // Packet numbers are below 2^62.
    let mut number = u64::from_le_bytes(input.array()) >> 2;
    let changes = Changes::read(&mut input);
    // A sender pads a packet that is too short to be sampled.
    let mut text = input.text().into_owned();
    text.resize(text.len().max(4 - number_bytes), 0);

    let [mut sealed, also_sealed] = keys_of(sender).map(|keys| {
        let mut packet = [&header[..], &text, &[0; TAG]].concat();
        keys.packet.local.encrypt(number, &mut packet, header.len());
        keys.header.local.encrypt(number_offset, &mut packet);
        packet
    });
    assert!(sealed == also_sealed, "{} bytes behind {} sealed differ", text.len(), header.len());

    let (unchanged, number_before) = (sealed.clone(), number);
    changes.make(&mut sealed, &mut number);
    let has_sample = sealed.len() >= number_offset + SAMPLED;
    let [ours, theirs] = keys_of(receiver).map(|keys| {
        let mut packet = sealed.clone();
        // quinn drops packets that are too short for a sample.
        if has_sample {
            keys.header.remote.decrypt(number_offset, &mut packet);
        }
        let (opened_header, payload) = packet.split_at(header.len().min(packet.len()));
        let mut payload = BytesMut::from(payload);
        let is_opened = keys.packet.remote.decrypt(number, opened_header, &mut payload).is_ok();
        (opened_header.to_vec(), is_opened.then(|| payload.to_vec()))
    });
    assert!(ours == theirs, "{} bytes: {} and {}", sealed.len(), ours.1.is_some(), theirs.1.is_some());
    if sealed == unchanged && number == number_before {
        assert!(ours == (header, Some(text)));
    }
}

pub(crate) fn retries(mut input: Input<'_>) {
    let id = connection_id(&mut input);
    let changes = Changes::read(&mut input);
    let header_bytes = usize::from(input.byte());
    let packet = input.text();
    let [ours, theirs] = SERVERS.each_ref().map(|server| server.retry_tag(VERSION_1, &id, &packet));
    assert_eq!(ours, theirs);

    let mut sent = [&packet[..], &ours].concat();
    let (unchanged, mut id_bits) = (sent.clone(), 0);
    changes.make(&mut sent, &mut id_bits);
    let mut other_id = id.to_vec();
    other_id.iter_mut().zip(id_bits.to_le_bytes()).for_each(|(byte, bits)| *byte ^= bits);
    let other_id = ConnectionId::new(&other_id);
    let (header, payload) = sent.split_at(header_bytes.min(sent.len()));
    let [ours, theirs] = CLIENTS.each_ref().map(|client| client.is_valid_retry(&other_id, header, payload));
    assert_eq!(ours, theirs);
    // The tag must match if the packet and the connection ID are unchanged.
    if sent == unchanged && other_id == id && payload.len() >= TAG {
        assert!(ours);
    }
}

/// Returns a connection ID of any valid length.
fn connection_id(input: &mut Input<'_>) -> ConnectionId {
    let length = usize::from(input.byte()) % 21;
    ConnectionId::new(&input.array::<20>()[..length])
}

/// Sessions of Kasoku and of quinn. They return Initial keys for any connection ID.
static CLIENTS: LazyLock<[Box<dyn Session>; 2]> = LazyLock::new(|| {
    let tls = Arc::new(
        rustls::ClientConfig::builder_with_provider(Arc::new(default_provider()))
            .with_protocol_versions(&[&TLS13])
            .unwrap()
            .with_root_certificates(RootCertStore::empty())
            .with_no_client_auth(),
    );
    let ours: Arc<dyn ClientConfig> = Arc::new(ClientCrypto::new(Arc::clone(&tls)).unwrap());
    let theirs: Arc<dyn ClientConfig> = Arc::new(QuicClientConfig::try_from(tls).unwrap());
    // quinn creates parameters only by parsing a peer's: here, of a peer that sent none.
    let parameters = TransportParameters::read(Side::Client, &mut &b""[..]).unwrap();
    [ours, theirs].map(|client| client.start_session(VERSION_1, "localhost", &parameters).unwrap())
});

/// Server configurations of Kasoku and of quinn, without a certificate, which Retry packets do not need.
static SERVERS: LazyLock<[Box<dyn ServerConfig>; 2]> = LazyLock::new(|| {
    let tls = Arc::new(
        rustls::ServerConfig::builder_with_provider(Arc::new(default_provider()))
            .with_protocol_versions(&[&TLS13])
            .unwrap()
            .with_no_client_auth()
            .with_cert_resolver(Arc::new(ResolvesServerCertUsingSni::new())),
    );
    [Box::new(ServerCrypto::new(Arc::clone(&tls)).unwrap()), Box::new(QuicServerConfig::try_from(tls).unwrap())]
});
