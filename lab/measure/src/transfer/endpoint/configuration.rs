//! What both sides agree on: TLS 1.3 with one suite, by the library that is measured.

use std::sync::Arc;

use quinn::crypto::rustls::{QuicClientConfig, QuicServerConfig};
use quinn::{EndpointConfig, TransportConfig, VarInt};
use rustls::crypto::CryptoProvider;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ClientConfig, ProtocolVersion, RootCertStore, ServerConfig};

use super::{EndpointSetting, NAME, failed};
use kasoku_libraries::fixtures::{from_hexadecimal, to_hexadecimal};
use kasoku_libraries::rustls_provider;
use kasoku_model::workload::transfer::Protection;

/// The protocol that both must name.
pub(super) const PROTOCOL: &[u8] = b"kasoku-transfer";
/// QUIC version 1 (RFC 9000).
const VERSION_1: u32 = 1;
/// Bytes on the way at most: what the sockets have room for, so that loopback loses little.
const WINDOW: u32 = 4 << 20;

fn provider(setting: &EndpointSetting) -> Result<Arc<CryptoProvider>, String> {
    let found = rustls_provider::provider(&setting.library, setting.algorithm).map(Arc::new);
    found.ok_or_else(|| format!("rustls has no {} by {}", setting.algorithm, setting.library))
}

/// The receiver's side, with a certificate of its own, in hexadecimal.
pub(super) fn receiver(setting: &EndpointSetting) -> Result<(ServerConfig, String), String> {
    let certified = rcgen::generate_simple_self_signed([NAME.to_owned()]).map_err(failed("certificate"))?;
    let certificate = certified.cert.der().clone();
    let key = PrivateKeyDer::try_from(certified.signing_key.serialize_der()).map_err(failed("key"))?;
    let written = to_hexadecimal(&certificate);
    let tls = ServerConfig::builder_with_provider(provider(setting)?)
        .with_protocol_versions(&[&rustls::version::TLS13])
        .and_then(|builder| builder.with_no_client_auth().with_single_cert(vec![certificate], key));
    let mut tls = tls.map_err(failed("TLS"))?;
    tls.alpn_protocols = vec![PROTOCOL.to_vec()];
    // Tickets would be read in the middle of the data.
    tls.send_tls13_tickets = 0;
    Ok((tls, written))
}

/// The sender's side, which knows the receiver by its certificate.
pub(super) fn sender(setting: &EndpointSetting, certificate: &str) -> Result<ClientConfig, String> {
    let mut roots = RootCertStore::empty();
    let certificate = from_hexadecimal(certificate).ok_or("the receiver's certificate is invalid")?;
    roots.add(CertificateDer::from(certificate)).map_err(failed("certificate"))?;
    let mut tls = ClientConfig::builder_with_provider(provider(setting)?)
        .with_protocol_versions(&[&rustls::version::TLS13])
        .map_err(failed("TLS"))?
        .with_root_certificates(roots)
        .with_no_client_auth();
    tls.alpn_protocols = vec![PROTOCOL.to_vec()];
    Ok(tls)
}

/// Checks what was agreed on.
pub(super) fn check(setting: &EndpointSetting, connection: &rustls::CommonState) -> Result<(), String> {
    let suite = connection.negotiated_cipher_suite().map(|suite| suite.suite());
    if suite.is_none() || suite != rustls_provider::suite(setting.algorithm) {
        return Err(format!("the suite agreed on is {suite:?}, which was not asked for"));
    }
    match connection.protocol_version() {
        Some(ProtocolVersion::TLSv1_3) => check_protocol(connection.alpn_protocol()),
        other => Err(format!("the version agreed on is {other:?}, and not TLS 1.3")),
    }
}

/// Checks the application's protocol.
pub(super) fn check_protocol(protocol: Option<&[u8]>) -> Result<(), String> {
    if protocol == Some(PROTOCOL) { Ok(()) } else { Err("another protocol was agreed on".to_owned()) }
}

/// The same for QUIC. Of the suite there is but one on either side; quinn tells no more.
pub(super) fn quic_receiver(setting: &EndpointSetting, tls: ServerConfig) -> Result<quinn::ServerConfig, String> {
    let mut config = match setting.transfer.protection {
        Protection::OnePass => kasoku_rustls::quinn::server_config(tls).map_err(failed("QUIC"))?,
        Protection::Provider => {
            let initial = initial(setting)?;
            let crypto = QuicServerConfig::with_initial(Arc::new(tls), initial).map_err(failed("QUIC"))?;
            quinn::ServerConfig::with_crypto(Arc::new(crypto))
        }
    };
    config.transport_config(transport(setting)?);
    Ok(config)
}

/// The sender's side of QUIC.
pub(super) fn quic_sender(setting: &EndpointSetting, tls: ClientConfig) -> Result<quinn::ClientConfig, String> {
    let mut config = match setting.transfer.protection {
        Protection::OnePass => kasoku_rustls::quinn::client_config(tls).map_err(failed("QUIC"))?,
        Protection::Provider => {
            let initial = initial(setting)?;
            let crypto = QuicClientConfig::with_initial(Arc::new(tls), initial).map_err(failed("QUIC"))?;
            quinn::ClientConfig::new(Arc::new(crypto))
        }
    };
    config.version(VERSION_1);
    config.transport_config(transport(setting)?);
    Ok(config)
}

/// What protects the first packets, which is always AES-128-GCM (RFC 9001 §5.2).
fn initial(setting: &EndpointSetting) -> Result<rustls::quic::Suite, String> {
    let provider = rustls_provider::provider(&setting.library, rustls_provider::ALGORITHMS[0]);
    let suite = provider.as_ref().and_then(|provider| provider.cipher_suites.first()?.tls13()?.quic_suite());
    suite.ok_or_else(|| format!("{} has no AES-128-GCM for QUIC", setting.library))
}

/// What holds for all of an endpoint's connections.
pub(super) fn endpoint(setting: &EndpointSetting) -> Result<EndpointConfig, String> {
    let mut config = EndpointConfig::default();
    config.supported_versions(vec![VERSION_1]);
    config.max_udp_payload_size(datagram(setting)?).map_err(failed("QUIC"))?;
    Ok(config)
}

fn datagram(setting: &EndpointSetting) -> Result<u16, String> {
    u16::try_from(setting.bytes).map_err(|_| format!("a datagram of {} bytes", setting.bytes))
}

/// Packets of one size; connections that wait as long as the other ones take.
fn transport(setting: &EndpointSetting) -> Result<Arc<TransportConfig>, String> {
    let bytes = datagram(setting)?;
    let mut transport = TransportConfig::default();
    transport.initial_mtu(bytes).min_mtu(bytes).mtu_discovery_config(None);
    transport.stream_receive_window(VarInt::from_u32(WINDOW)).receive_window(VarInt::from_u32(WINDOW));
    transport.send_window(u64::from(WINDOW));
    transport.max_idle_timeout(None);
    Ok(Arc::new(transport))
}
