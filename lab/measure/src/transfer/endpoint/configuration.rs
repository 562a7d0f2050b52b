//! Configures the sender and the receiver: TLS 1.3 with one cipher suite of the measured library.

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

/// Application protocol (ALPN) that the sender and the receiver must name.
pub(super) const PROTOCOL: &[u8] = b"kasoku-transfer";
/// QUIC version 1 (RFC 9000).
const VERSION_1: u32 = 1;
/// Flow-control window in bytes. The sockets have room for a whole window, so that the loopback loses little.
const WINDOW: u32 = 4 << 20;

fn provider(setting: &EndpointSetting) -> Result<Arc<CryptoProvider>, String> {
    let found = rustls_provider::provider(&setting.library, setting.algorithm).map(Arc::new);
    found.ok_or_else(|| format!("rustls has no {} by {}", setting.algorithm, setting.library))
}

/// Returns the receiver's configuration, and the receiver's certificate in hexadecimal.
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
    // Session tickets would arrive in the middle of the data.
    tls.send_tls13_tickets = 0;
    Ok((tls, written))
}

/// Returns the sender's configuration, which trusts the receiver's certificate.
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

/// Checks that the handshake negotiated the requested cipher suite, TLS 1.3 and the application protocol.
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

pub(super) fn check_protocol(protocol: Option<&[u8]>) -> Result<(), String> {
    if protocol == Some(PROTOCOL) { Ok(()) } else { Err("another protocol was agreed on".to_owned()) }
}

/// Returns the receiver's configuration for QUIC. Sender and receiver offer a single cipher suite, since quinn does not
/// report which one was negotiated.
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

/// Returns the cipher suite for Initial packets, which is always AES-128-GCM (RFC 9001 §5.2).
fn initial(setting: &EndpointSetting) -> Result<rustls::quic::Suite, String> {
    let provider = rustls_provider::provider(&setting.library, rustls_provider::ALGORITHMS[0]);
    let suite = provider.as_ref().and_then(|provider| provider.cipher_suites.first()?.tls13()?.quic_suite());
    suite.ok_or_else(|| format!("{} has no AES-128-GCM for QUIC", setting.library))
}

pub(super) fn endpoint(setting: &EndpointSetting) -> Result<EndpointConfig, String> {
    let mut config = EndpointConfig::default();
    config.supported_versions(vec![VERSION_1]);
    config.max_udp_payload_size(datagram(setting)?).map_err(failed("QUIC"))?;
    Ok(config)
}

fn datagram(setting: &EndpointSetting) -> Result<u16, String> {
    u16::try_from(setting.bytes).map_err(|_| format!("a datagram of {} bytes", setting.bytes))
}

/// Returns the settings of the QUIC transport. All packets have one size. There is no idle timeout, since connections
/// wait while others transfer.
fn transport(setting: &EndpointSetting) -> Result<Arc<TransportConfig>, String> {
    let bytes = datagram(setting)?;
    let mut transport = TransportConfig::default();
    transport.initial_mtu(bytes).min_mtu(bytes).mtu_discovery_config(None);
    transport.stream_receive_window(VarInt::from_u32(WINDOW)).receive_window(VarInt::from_u32(WINDOW));
    transport.send_window(u64::from(WINDOW));
    transport.max_idle_timeout(None);
    Ok(Arc::new(transport))
}
