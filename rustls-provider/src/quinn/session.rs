//! TLS sessions for quinn's traits.

use std::any::Any;
use std::sync::Arc;

use quinn_proto::crypto::{self, ExportKeyingMaterialError, HeaderKey, KeyPair, Keys, PacketKey};
use quinn_proto::transport_parameters::TransportParameters;
use quinn_proto::{ConnectionId, Side, TransportError, TransportErrorCode};
use rustls::CipherSuite;
use rustls::crypto::tls13::Hkdf;
use rustls::pki_types::CertificateDer;
use rustls::quic::{Connection, KeyChange};

use super::keys::{both, direction, initial_keys, packet_key};
use super::mask::KeptMask;
use super::secrets::{Listener, Material, Secrets, next_secret};
use super::{foreign, retry};

/// Result of the handshake, returned by quinn's `Connection::handshake_data`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HandshakeData {
    /// Negotiated application protocol, if any.
    pub protocol: Option<Vec<u8>>,
    /// Server name that the client sent; `None` on the client's side.
    pub server_name: Option<String>,
}

pub(super) struct Session {
    connection: Connection,
    listener: Arc<Listener>,
    phases: Phases,
    /// Whether [`Session::read_handshake`] has reported handshake data to quinn.
    has_handshake_data: bool,
}

/// State from which the keys of the next key phase are derived.
enum Phases {
    /// The first 1-RTT key phase has not begun.
    None,
    /// The engine's keys: secrets of the next key phase, key material of the newest phase, and the mask that passes
    /// from packet keys to the header key.
    Engine { suite: Suite, secrets: Secrets, local: Material, remote: Material, kept: Arc<KeptMask> },
    /// rustls's keys, for suites without AES-GCM.
    Foreign(rustls::quic::Secrets),
}

/// Properties of a suite with AES-GCM.
#[derive(Clone, Copy)]
struct Suite {
    hkdf: &'static dyn Hkdf,
    key_bytes: usize,
}

impl Session {
    pub(super) fn new(connection: Connection, listener: Arc<Listener>) -> Self {
        Self { connection, listener, phases: Phases::None, has_handshake_data: false }
    }

    fn side(&self) -> Side {
        match self.connection {
            Connection::Client(_) => Side::Client,
            Connection::Server(_) => Side::Server,
        }
    }

    /// Returns the negotiated suite if it has AES-GCM.
    fn suite(&self) -> Option<Suite> {
        let suite = self.connection.negotiated_cipher_suite()?.tls13()?;
        let key_bytes = match suite.common.suite {
            CipherSuite::TLS13_AES_128_GCM_SHA256 => 16,
            CipherSuite::TLS13_AES_256_GCM_SHA384 => 32,
            _ => return None,
        };
        Some(Suite { hkdf: suite.hkdf_provider, key_bytes })
    }

    /// Returns the key material for sending and for receiving.
    fn materials(&self, suite: Suite, secrets: &Secrets) -> (Material, Material) {
        let [client, server] =
            [&secrets.client, &secrets.server].map(|secret| Material::derive(suite.hkdf, secret, suite.key_bytes));
        match self.side() {
            Side::Client => (client, server),
            Side::Server => (server, client),
        }
    }

    fn server_name(&self) -> Option<&str> {
        match &self.connection {
            Connection::Client(_) => None,
            Connection::Server(server) => server.server_name(),
        }
    }

    fn handshake_keys(&self, theirs: rustls::quic::Keys) -> Keys {
        match (self.suite(), self.listener.take_handshake()) {
            (Some(suite), Some(secrets)) => {
                let (local, remote) = self.materials(suite, &secrets);
                both(direction(&local, &Arc::default()), direction(&remote, &Arc::default()))
            }
            _ => foreign::keys(theirs),
        }
    }

    fn application_keys(&mut self, theirs: rustls::quic::Keys, next: rustls::quic::Secrets) -> Keys {
        match (self.suite(), self.listener.take_application()) {
            (Some(suite), Some(secrets)) => {
                let (local, remote) = self.materials(suite, &secrets);
                let kept = Arc::default();
                let keys = both(direction(&local, &kept), direction(&remote, &Arc::default()));
                let secrets = updated(suite, &secrets);
                self.phases = Phases::Engine { suite, secrets, local, remote, kept };
                keys
            }
            _ => {
                self.phases = Phases::Foreign(next);
                foreign::keys(theirs)
            }
        }
    }
}

impl crypto::Session for Session {
    fn initial_keys(&self, connection_id: &ConnectionId, side: Side) -> Keys {
        initial_keys(connection_id, side)
    }

    fn handshake_data(&self) -> Option<Box<dyn Any>> {
        self.has_handshake_data.then(|| {
            Box::new(HandshakeData {
                protocol: self.connection.alpn_protocol().map(<[u8]>::to_vec),
                server_name: self.server_name().map(str::to_owned),
            }) as _
        })
    }

    /// Returns a `Vec<CertificateDer<'static>>`, like quinn's own.
    fn peer_identity(&self) -> Option<Box<dyn Any>> {
        let certificates = self.connection.peer_certificates()?;
        let certificates: Vec<CertificateDer<'static>> =
            certificates.iter().map(|certificate| certificate.clone().into_owned()).collect();
        Some(Box::new(certificates))
    }

    fn early_crypto(&self) -> Option<(Box<dyn HeaderKey>, Box<dyn PacketKey>)> {
        let theirs = self.connection.zero_rtt_keys()?;
        match (self.suite(), self.listener.early()) {
            (Some(suite), Some(secret)) => {
                Some(direction(&Material::derive(suite.hkdf, &secret, suite.key_bytes), &Arc::default()))
            }
            _ => Some(foreign::direction(theirs)),
        }
    }

    fn early_data_accepted(&self) -> Option<bool> {
        match &self.connection {
            Connection::Client(client) => Some(client.is_early_data_accepted()),
            Connection::Server(_) => None,
        }
    }

    fn is_handshaking(&self) -> bool {
        self.connection.is_handshaking()
    }

    fn read_handshake(&mut self, bytes: &[u8]) -> Result<bool, TransportError> {
        self.connection.read_hs(bytes).map_err(|error| {
            let (code, reason) = match self.connection.alert() {
                Some(alert) => (TransportErrorCode::crypto(alert.into()), error.to_string()),
                None => (TransportErrorCode::PROTOCOL_VIOLATION, format!("TLS error: {error}")),
            };
            TransportError { code, frame: None, reason }
        })?;
        // rustls does not report when handshake data is complete. Treats the data as complete as soon as a part of it
        // is available, and at the latest at the end of the handshake.
        let is_there = self.connection.alpn_protocol().is_some()
            || self.server_name().is_some()
            || !self.connection.is_handshaking();
        let is_news = is_there && !self.has_handshake_data;
        self.has_handshake_data |= is_there;
        Ok(is_news)
    }

    fn transport_parameters(&self) -> Result<Option<TransportParameters>, TransportError> {
        let Some(mut bytes) = self.connection.quic_transport_parameters() else { return Ok(None) };
        Ok(Some(TransportParameters::read(self.side(), &mut bytes)?))
    }

    fn write_handshake(&mut self, bytes: &mut Vec<u8>) -> Option<Keys> {
        Some(match self.connection.write_hs(bytes)? {
            KeyChange::Handshake { keys } => self.handshake_keys(keys),
            KeyChange::OneRtt { keys, next } => self.application_keys(keys, next),
        })
    }

    fn next_1rtt_keys(&mut self) -> Option<KeyPair<Box<dyn PacketKey>>> {
        let side = self.side();
        match &mut self.phases {
            Phases::None => None,
            Phases::Engine { suite, secrets, local, remote, kept } => {
                let (sending, receiving) = match side {
                    Side::Client => (&secrets.client, &secrets.server),
                    Side::Server => (&secrets.server, &secrets.client),
                };
                *local = local.next(suite.hkdf, sending);
                *remote = remote.next(suite.hkdf, receiving);
                *secrets = updated(*suite, secrets);
                Some(KeyPair { local: packet_key(local, kept), remote: packet_key(remote, &Arc::default()) })
            }
            Phases::Foreign(secrets) => {
                let keys = secrets.next_packet_keys();
                Some(KeyPair { local: foreign::packet_key(keys.local), remote: foreign::packet_key(keys.remote) })
            }
        }
    }

    fn is_valid_retry(&self, original_id: &ConnectionId, header: &[u8], payload: &[u8]) -> bool {
        retry::is_valid(original_id, header, payload)
    }

    fn export_keying_material(
        &self,
        output: &mut [u8],
        label: &[u8],
        context: &[u8],
    ) -> Result<(), ExportKeyingMaterialError> {
        let exported = self.connection.export_keying_material(output, label, Some(context));
        exported.map(|_| ()).map_err(|_| ExportKeyingMaterialError)
    }
}

/// Returns the secrets of the key phase after that of `secrets`.
fn updated(suite: Suite, secrets: &Secrets) -> Secrets {
    Secrets { client: next_secret(suite.hkdf, &secrets.client), server: next_secret(suite.hkdf, &secrets.server) }
}
