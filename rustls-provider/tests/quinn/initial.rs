//! Published Initial and Retry packets through quinn's traits.

use bytes::BytesMut;
use kasoku_rustls::quinn::{ClientCrypto, ServerCrypto};
use quinn::crypto::{Keys, ServerConfig};
use quinn::{ConnectionId, Side};
use rustls::quic::Version;

use crate::configurations::Crypto;
use crate::support::certificates::Identity;
use crate::support::published::{CONNECTION_ID, Published, initial_packets};

fn server() -> ServerCrypto {
    ServerCrypto::new(Crypto::OnePass.server_tls(&Identity::ecdsa())).unwrap()
}

/// A client's keys come from its session, the server's from its configuration.
fn keys(side: Side) -> Keys {
    let id = ConnectionId::new(&CONNECTION_ID);
    let server = std::sync::Arc::new(server());
    match side {
        Side::Server => server.initial_keys(1, &id).map_err(|_| "version 1").unwrap(),
        Side::Client => ServerConfig::start_session(server, 1, &transport_parameters()).initial_keys(&id, side),
    }
}

#[test]
fn quinn_traits_match_published_initial_packets() {
    let packets = initial_packets();
    for published in packets.iter().filter(|published| matches!(published.version, Version::V1)) {
        let Published { source, sender, number, header, payload, packet, .. } = published;
        let number_offset = published.number_offset();
        let (sender, receiver) = match sender {
            rustls::Side::Client => (Side::Client, Side::Server),
            rustls::Side::Server => (Side::Server, Side::Client),
        };
        let sending = keys(sender);
        let mut work = [&header[..], payload, &[0; 16]].concat();
        sending.packet.local.encrypt(*number, &mut work, header.len());
        assert!(work[..header.len()] == header[..], "{source}");
        sending.header.local.encrypt(number_offset, &mut work);
        assert!(work == *packet, "{source}");

        let receiving = keys(receiver);
        receiving.header.remote.decrypt(number_offset, &mut work);
        assert!(work[..header.len()] == header[..], "{source}");
        let mut text = BytesMut::from(&work[header.len()..]);
        receiving.packet.remote.decrypt(*number, header, &mut text).map_err(|_| "genuine").unwrap();
        assert!(text == payload[..], "{source}");

        for position in [0, 100, text.len() + 15] {
            let mut changed = BytesMut::from(&work[header.len()..]);
            let position = position.min(changed.len() - 1);
            changed[position] ^= 1;
            assert!(receiving.packet.remote.decrypt(*number, header, &mut changed).is_err(), "{source}");
        }
    }
}

#[test]
fn quinn_keys_report_limits_and_sizes() {
    let keys = keys(Side::Client);
    for key in [&keys.packet.local, &keys.packet.remote] {
        assert_eq!((key.confidentiality_limit(), key.integrity_limit(), key.tag_len()), (1 << 23, 1 << 52, 16));
    }
    assert_eq!(keys.header.local.sample_size(), 16);
}

/// Uses the Retry packet of RFC 9001 A.4.
#[test]
fn quinn_accepts_published_retry_and_rejects_unknown_versions() {
    let id = ConnectionId::new(&CONNECTION_ID);
    let packet = [&[0xff, 0, 0, 0, 1, 0, 8, 0xf0, 0x67, 0xa5, 0x50, 0x2a, 0x42, 0x62, 0xb5][..], b"token"].concat();
    assert_eq!(server().retry_tag(1, &id, &packet), 0x04a2_65ba_2eff_4d82_9058_fb3f_0f24_96ba_u128.to_be_bytes());
    for version in [0, 2, 0xff00_001d, 0xff00_0022, 0x6b33_43cf] {
        assert!(server().initial_keys(version, &id).is_err(), "{version:#x}");
    }
    let client = ClientCrypto::new(Crypto::OnePass.client_tls(None, Identity::ecdsa().roots())).unwrap();
    let client = std::sync::Arc::new(client);
    let start = |version, name| {
        quinn::crypto::ClientConfig::start_session(
            std::sync::Arc::clone(&client) as _,
            version,
            name,
            &transport_parameters(),
        )
    };
    assert!(start(1, "localhost").is_ok());
    assert!(matches!(start(2, "localhost"), Err(quinn::ConnectError::UnsupportedVersion)));
    assert!(matches!(start(1, "not a name"), Err(quinn::ConnectError::InvalidServerName(_))));
}

/// Returns the transport parameters of a peer that uses the defaults.
pub(crate) fn transport_parameters() -> quinn_proto::transport_parameters::TransportParameters {
    // quinn creates parameters only by parsing a peer's: here, of a peer that sent none.
    let nothing: &[u8] = &[];
    quinn_proto::transport_parameters::TransportParameters::read(Side::Client, &mut &*nothing).unwrap()
}
