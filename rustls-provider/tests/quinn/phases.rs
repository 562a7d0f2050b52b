//! Keys of every level and phase of a handshake, through quinn's traits and without a network. On a network, a packet
//! that fails to open is sent again under another key, which would hide errors.

use std::sync::Arc;

use bytes::BytesMut;
use kasoku_rustls::quinn::{ClientCrypto, ServerCrypto};
use quinn::crypto::rustls::{QuicClientConfig, QuicServerConfig};
use quinn::crypto::{ClientConfig, HeaderKey, KeyPair, Keys, PacketKey, ServerConfig, Session};
use rustls::CipherSuite;

use crate::configurations::Crypto;
use crate::initial::transport_parameters;
use crate::support::certificates::Identity;

const SUITES: [CipherSuite; 3] = [
    CipherSuite::TLS13_AES_128_GCM_SHA256,
    CipherSuite::TLS13_AES_256_GCM_SHA384,
    CipherSuite::TLS13_CHACHA20_POLY1305_SHA256,
];

/// Pairs of client and server cryptography: Kasoku's one-pass protection with itself and with quinn's own cryptography.
const PAIRS: [[Crypto; 2]; 5] = [
    [Crypto::OnePass, Crypto::OnePass],
    [Crypto::OnePass, Crypto::AwsLc],
    [Crypto::Ring, Crypto::OnePass],
    [Crypto::Provider, Crypto::OnePass],
    [Crypto::Provider, Crypto::Ring],
];

#[test]
fn quinn_keys_of_every_level_and_phase_interoperate() {
    for (pair, suite) in pairs_and_suites() {
        let mut sides = Configurations::new(pair, suite).shake_hands();
        assert_eq!(sides.each_ref().map(|side| side.levels.len()), [2, 2], "Handshake and 1-RTT");
        for level in 0..2 {
            for (from, to) in [(0, 1), (1, 0)] {
                let [from, to] = [&sides[from].levels[level], &sides[to].levels[level]];
                let packet = protect(&*from.header.local, &*from.packet.local, 3);
                assert!(opens(&*to.header.remote, &*to.packet.remote, 3, &packet), "{pair:?}, {suite:?}, {level}");
            }
        }
        let (mut headers, mut before) = (Vec::new(), Vec::new());
        for side in &mut sides {
            let Keys { header, packet } = side.levels.pop().unwrap();
            headers.push(header);
            before.push(packet);
        }
        for phase in 1..5 {
            let now: Vec<KeyPair<Box<dyn PacketKey>>> =
                sides.iter_mut().map(|side| side.session.next_1rtt_keys().unwrap()).collect();
            for (from, to) in [(0, 1), (1, 0)] {
                let (sending, receiving) = (&*headers[from].local, &*headers[to].remote);
                let old = protect(sending, &*before[from].local, 7);
                let new = protect(sending, &*now[from].local, 7);
                let case = format!("{pair:?}, {suite:?}, phase {phase}");
                assert!(opens(receiving, &*now[to].remote, 7, &new), "{case}");
                assert!(!opens(receiving, &*before[to].remote, 7, &new), "{case}: the key before opens it too");
                assert!(!opens(receiving, &*now[to].remote, 7, &old), "{case}: the next key opens it too");
            }
            before = now;
        }
    }
}

#[test]
fn quinn_keys_of_early_data_interoperate() {
    for (pair, suite) in pairs_and_suites() {
        let configurations = Configurations::new(pair, suite);
        drop(configurations.shake_hands());
        let [mut client, mut server] = configurations.start();
        let hello = client.write();
        server.session.read_handshake(&hello).unwrap();
        let [sending, receiving] = [client, server].map(|side| side.session.early_crypto().unwrap());
        let packet = protect(&*sending.0, &*sending.1, 1);
        assert!(opens(&*receiving.0, &*receiving.1, 1, &packet), "{pair:?}, {suite:?}");
    }
}

/// Checks that the engine's packet object protects the packets. Two passes would give the same bytes more slowly.
#[test]
fn quinn_packets_are_sealed_and_masked_in_one_engine_call() {
    let refuses = |pair: [Crypto; 2], suite: CipherSuite| {
        let configurations = Configurations::new(pair, suite);
        let [mut side, _] = configurations.shake_hands();
        let mut keys: Vec<Box<dyn PacketKey>> = side.levels.into_iter().map(|keys| keys.packet.local).collect();
        keys.push(side.session.next_1rtt_keys().unwrap().local);
        let [side, _] = configurations.start();
        keys.push(side.session.early_crypto().unwrap().1);
        keys.iter().map(|key| refuses_a_number_before_the_first(&**key)).collect::<Vec<_>>()
    };
    for suite in SUITES {
        let is_aes = suite != CipherSuite::TLS13_CHACHA20_POLY1305_SHA256;
        assert_eq!(refuses([Crypto::OnePass, Crypto::AwsLc], suite), [is_aes; 4], "{suite:?}");
        assert_eq!(refuses([Crypto::Provider, Crypto::AwsLc], suite), [false; 4], "{suite:?}");
    }
}

/// Returns whether the key rejects a number before the first. Only the engine's packet object knows the first number.
fn refuses_a_number_before_the_first(key: &dyn PacketKey) -> bool {
    let mut packets = [[0x41; 60], [0x41; 60]];
    key.encrypt(5, &mut packets[0], HEADER_BYTES);
    key.encrypt(4, &mut packets[1], HEADER_BYTES);
    assert_ne!(packets[0], [0; 60]);
    packets[1] == [0; 60]
}

fn pairs_and_suites() -> impl Iterator<Item = ([Crypto; 2], CipherSuite)> {
    PAIRS.into_iter().flat_map(|pair| SUITES.map(|suite| (pair, suite)))
}

struct Configurations {
    client: Arc<dyn ClientConfig>,
    server: Arc<dyn ServerConfig>,
}

/// One end of a connection without packets.
struct Side {
    session: Box<dyn Session>,
    /// Keys that the handshake has produced so far.
    levels: Vec<Keys>,
}

impl Configurations {
    fn new([client, server]: [Crypto; 2], suite: CipherSuite) -> Self {
        let identity = Identity::ecdsa();
        let tls = client.client_tls(Some(suite), identity.roots());
        let client: Arc<dyn ClientConfig> = match client {
            Crypto::OnePass => Arc::new(ClientCrypto::new(tls).unwrap()),
            _ => Arc::new(QuicClientConfig::with_initial(Arc::new(tls), client.initial_suite()).unwrap()),
        };
        let tls = server.server_tls(&identity);
        let server: Arc<dyn ServerConfig> = match server {
            Crypto::OnePass => Arc::new(ServerCrypto::new(tls).unwrap()),
            _ => Arc::new(QuicServerConfig::try_from(tls).unwrap()),
        };
        Self { client, server }
    }

    fn start(&self) -> [Side; 2] {
        let parameters = transport_parameters();
        let client = Arc::clone(&self.client).start_session(1, "localhost", &parameters).unwrap();
        let server = Arc::clone(&self.server).start_session(1, &parameters);
        [client, server].map(|session| Side { session, levels: Vec::new() })
    }

    /// Completes a handshake, including tickets, and returns both ends.
    fn shake_hands(&self) -> [Side; 2] {
        let [mut client, mut server] = self.start();
        for _ in 0..4 {
            client.hand_over(&mut server);
            server.hand_over(&mut client);
        }
        assert!(!client.session.is_handshaking() && !server.session.is_handshaking());
        [client, server]
    }
}

impl Side {
    /// Returns the handshake data to send under one key.
    fn write(&mut self) -> Vec<u8> {
        let mut message = Vec::new();
        self.levels.extend(self.session.write_handshake(&mut message));
        message
    }

    fn hand_over(&mut self, to: &mut Side) {
        loop {
            let levels = self.levels.len();
            let message = self.write();
            if message.is_empty() && self.levels.len() == levels {
                return;
            }
            to.session.read_handshake(&message).unwrap();
        }
    }
}

/// Offset of the packet number in a short header: after one byte and a connection ID of eight bytes.
const NUMBER_OFFSET: usize = 9;
const HEADER_BYTES: usize = NUMBER_OFFSET + 2;

fn protect(header_key: &dyn HeaderKey, key: &dyn PacketKey, number: u64) -> Vec<u8> {
    let mut packet = [&[0x41, 1, 2, 3, 4, 5, 6, 7, 8, 0, number as u8][..], &[0x5A; 100], &[0; 16]].concat();
    key.encrypt(number, &mut packet, HEADER_BYTES);
    header_key.encrypt(NUMBER_OFFSET, &mut packet);
    packet
}

fn opens(header_key: &dyn HeaderKey, key: &dyn PacketKey, number: u64, packet: &[u8]) -> bool {
    let mut packet = packet.to_vec();
    header_key.decrypt(NUMBER_OFFSET, &mut packet);
    assert_eq!(packet[NUMBER_OFFSET..HEADER_BYTES], [0, number as u8], "the header key is another");
    let mut payload = BytesMut::from(&packet[HEADER_BYTES..]);
    let is_genuine = key.decrypt(number, &packet[..HEADER_BYTES], &mut payload).is_ok();
    assert!(!is_genuine || payload[..] == [0x5A; 100]);
    is_genuine
}
