//! Measures the cost of a QUIC packet with each interface of the engine and with other libraries. Prints the
//! nanoseconds for protecting and for opening a packet with AES-128-GCM and header protection. The interfaces
//! alternate.
//!
//! ```sh
//! cargo run --release --features quinn --example interfaces
//! ```

#![allow(clippy::unwrap_used, reason = "an example may panic")]

use std::hint::black_box;
use std::sync::Arc;
use std::time::Instant;

use bytes::BytesMut;
use kasoku_engine::packet::PacketProtection;
use kasoku_engine::packet::initial::{Secrets, Sender, Version};
use quinn::ConnectionId;
use quinn::crypto::rustls::QuicServerConfig;
use quinn::crypto::{Keys, ServerConfig};
use rustls::crypto::CryptoProvider;
use rustls::pki_types::PrivateKeyDer;

const NUMBER_OFFSET: usize = 9;
const HEADER_BYTES: usize = NUMBER_OFFSET + 2;
const ID: [u8; 8] = *b"whatever";
const ROUNDS: usize = 41;
const PACKETS: u64 = 5000;

fn main() {
    let ways = [
        ("engine, one call", Way::Engine(both_engines())),
        (
            "kasoku_rustls::quinn",
            Way::Traits(kasoku_rustls::quinn::ServerCrypto::new(tls(kasoku())).map(keys).unwrap()),
        ),
        ("quinn's, kasoku", Way::Traits(quinns(kasoku()))),
        ("quinn's, aws-lc", Way::Traits(quinns(rustls::crypto::aws_lc_rs::default_provider()))),
        ("quinn's, ring", Way::Traits(quinns(rustls::crypto::ring::default_provider()))),
        ("copying once", Way::Copy { is_second: false }),
        ("copying twice", Way::Copy { is_second: true }),
    ];
    for bytes in [100, 1452, 8952] {
        let mut samples = vec![[Vec::new(), Vec::new()]; ways.len()];
        for round in 0..ROUNDS {
            for turn in 0..ways.len() {
                let which = (round + turn) % ways.len();
                let (protect, open) = ways[which].1.measure(bytes);
                samples[which][0].push(protect);
                samples[which][1].push(open);
            }
        }
        println!("packets of {bytes} bytes: nanoseconds, copying included");
        println!("{:<22} {:>8} {:>8}", "", "protect", "open");
        for ((name, _), [protect, open]) in ways.iter().zip(samples) {
            println!("{name:<22} {:>8.1} {:>8.1}", median(protect), median(open));
        }
        println!();
    }
}

enum Way {
    Engine([PacketProtection; 2]),
    Traits(Keys),
    /// An interface whose calls copy the packet and, when opening, the payload.
    Copy {
        is_second: bool,
    },
}

impl Way {
    /// Returns the nanoseconds for protecting and for opening a packet.
    fn measure(&self, bytes: usize) -> (f64, f64) {
        let mut plain = vec![0x5A; bytes];
        plain[0] = 0x41;
        plain[1..9].copy_from_slice(&ID);
        plain[NUMBER_OFFSET..HEADER_BYTES].copy_from_slice(&[0, 1]);
        let mut packet = plain.clone();
        let mut header = [0; HEADER_BYTES];
        let mut payload = BytesMut::with_capacity(bytes);

        let protect = |number: u64, packet: &mut Vec<u8>| {
            packet.copy_from_slice(&plain);
            match self {
                Self::Engine([sending, _]) => sending.protect(number, packet, NUMBER_OFFSET, 2).unwrap(),
                Self::Traits(keys) => {
                    keys.packet.local.encrypt(number, packet, HEADER_BYTES);
                    keys.header.local.encrypt(NUMBER_OFFSET, packet);
                }
                Self::Copy { .. } => (),
            }
            black_box(packet);
        };
        protect(1, &mut packet);
        let protected = packet.clone();
        // A received packet is in one buffer, and quinn splits off the header. Copying eleven bytes simulates that.
        let mut open = |number: u64| match self {
            Self::Engine([_, receiving]) => {
                packet.copy_from_slice(&protected);
                // Opens in place, without a second copy.
                black_box(receiving.unprotect(number, &mut packet, NUMBER_OFFSET).unwrap());
            }
            Self::Traits(keys) => {
                packet.copy_from_slice(&protected);
                keys.header.remote.decrypt(NUMBER_OFFSET, &mut packet);
                header.copy_from_slice(&packet[..HEADER_BYTES]);
                payload.clear();
                payload.extend_from_slice(&packet[HEADER_BYTES..]);
                // Makes the nonce depend on the mask, as for a packet whose number is not known before unmasking.
                let number = u16::from_be_bytes([header[NUMBER_OFFSET], header[NUMBER_OFFSET + 1]]);
                assert!(keys.packet.remote.decrypt(u64::from(number), &header, &mut payload).is_ok());
            }
            Self::Copy { is_second } => {
                packet.copy_from_slice(&protected);
                black_box(&packet);
                if *is_second {
                    payload.clear();
                    payload.extend_from_slice(&packet[HEADER_BYTES..]);
                    black_box(&payload);
                }
            }
        };
        // The keys are public, so repeated packet numbers reveal nothing.
        let start = Instant::now();
        (0..PACKETS).for_each(|_| open(1));
        let opening = start.elapsed();
        let mut packet = plain.clone();
        let start = Instant::now();
        (0..PACKETS).for_each(|number| protect(number + 1, &mut packet));
        (start.elapsed().as_nanos() as f64 / PACKETS as f64, opening.as_nanos() as f64 / PACKETS as f64)
    }
}

fn both_engines() -> [PacketProtection; 2] {
    // Both objects have the keys of one direction, so that one opens the packets of the other.
    [(); 2].map(|()| Secrets::new(Version::V1, Sender::Server, &ID).protection().unwrap())
}

fn kasoku() -> CryptoProvider {
    kasoku_rustls::default_provider()
}

fn tls(provider: CryptoProvider) -> rustls::ServerConfig {
    let identity = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    let key = PrivateKeyDer::try_from(identity.signing_key.serialize_der()).unwrap();
    rustls::ServerConfig::builder_with_provider(Arc::new(provider))
        .with_protocol_versions(&[&rustls::version::TLS13])
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![identity.cert.der().clone()], key)
        .unwrap()
}

fn quinns(provider: CryptoProvider) -> Keys {
    keys(QuicServerConfig::try_from(tls(provider)).unwrap())
}

/// Returns the keys that protect and open the server's Initial packets. The opening keys come from a client session.
fn keys(config: impl ServerConfig + 'static) -> Keys {
    let config = Arc::new(config);
    let id = ConnectionId::new(&ID);
    let sending = config.initial_keys(1, &id).map_err(|_| "version 1").unwrap();
    let nothing: &[u8] = &[];
    let parameters =
        quinn_proto::transport_parameters::TransportParameters::read(quinn::Side::Client, &mut &*nothing).unwrap();
    let receiving = ServerConfig::start_session(config, 1, &parameters).initial_keys(&id, quinn::Side::Client);
    Keys {
        header: quinn::crypto::KeyPair { local: sending.header.local, remote: receiving.header.remote },
        packet: quinn::crypto::KeyPair { local: sending.packet.local, remote: receiving.packet.remote },
    }
}

fn median(mut figures: Vec<f64>) -> f64 {
    figures.sort_by(f64::total_cmp);
    figures[figures.len() / 2]
}
