//! quinn configurations for clients, servers and endpoints.

use std::sync::Arc;

use quinn_proto::crypto::{self, Keys, UnsupportedVersion};
use quinn_proto::transport_parameters::TransportParameters;
use quinn_proto::{ConnectError, ConnectionId, EndpointConfig, Side};
use rustls::Error;
use rustls::crypto::CryptoProvider;
use rustls::pki_types::ServerName;
use rustls::quic::{ClientConnection, ServerConnection, Version};

use super::keys::initial_keys;
use super::retry;
use super::secrets::Listener;
use super::session::Session;
use super::tokens::{ResetKey, TokenKey};

/// QUIC version 1 (RFC 9000), the only supported version.
const VERSION_1: u32 = 1;

/// Creates quinn's client configuration from a TLS configuration. For 0-RTT, set `enable_early_data` in `tls`.
///
/// # Errors
/// Returns rustls's error if `tls` does not allow TLS 1.3 or has no suite for QUIC, and [`Error::General`] if it
/// requires FIPS.
pub fn client_config(tls: impl Into<Arc<rustls::ClientConfig>>) -> Result<quinn_proto::ClientConfig, Error> {
    Ok(quinn_proto::ClientConfig::new(Arc::new(ClientCrypto::new(tls)?)))
}

/// Creates quinn's server configuration from a TLS configuration. The key of its address-validation tokens is random,
/// and the engine seals the tokens. For 0-RTT, set `max_early_data_size` in `tls` to `u32::MAX`.
///
/// # Errors
/// Returns rustls's error if `tls` does not allow TLS 1.3, has no suite for QUIC, or limits early data to anything but
/// 0 or `u32::MAX`. Returns [`Error::General`] if it requires FIPS.
pub fn server_config(tls: impl Into<Arc<rustls::ServerConfig>>) -> Result<quinn_proto::ServerConfig, Error> {
    let tls = tls.into();
    let key = TokenKey::random(tls.crypto_provider())?;
    Ok(quinn_proto::ServerConfig::new(Arc::new(ServerCrypto::new(tls)?), Arc::new(key)))
}

/// Creates quinn's endpoint configuration with a random key for stateless resets. It replaces
/// `EndpointConfig::default()`, which needs quinn to be built with a cryptographic library.
///
/// The configuration offers QUIC version 1 only. If you create an endpoint configuration yourself, restrict it by
/// `supported_versions(vec![1])`, because quinn's default list includes drafts.
///
/// # Errors
/// [`Error::FailedToGetRandomBytes`]; [`Error::General`] if the provider has no TLS 1.3 suite.
pub fn endpoint_config(provider: &CryptoProvider) -> Result<EndpointConfig, Error> {
    let mut config = EndpointConfig::new(Arc::new(ResetKey::random(provider)?));
    config.supported_versions(vec![VERSION_1]);
    Ok(config)
}

/// Cryptography of quinn's client configuration, for callers who build that configuration themselves; [`client_config`]
/// uses it.
pub struct ClientCrypto {
    tls: Arc<rustls::ClientConfig>,
}

/// Cryptography of quinn's server configuration, for callers who build that configuration themselves; [`server_config`]
/// uses it.
pub struct ServerCrypto {
    tls: Arc<rustls::ServerConfig>,
}

impl ClientCrypto {
    /// Creates the cryptography from a TLS configuration, and checks that rustls supports QUIC with it.
    ///
    /// # Errors
    /// Returns the errors of [`client_config`].
    pub fn new(tls: impl Into<Arc<rustls::ClientConfig>>) -> Result<Self, Error> {
        let tls = tls.into();
        refuse_fips(tls.fips())?;
        let nobody = ServerName::try_from("nobody.invalid").map_err(|error| Error::General(error.to_string()))?;
        ClientConnection::new(Arc::clone(&tls), Version::V1, nobody, Vec::new())?;
        Ok(Self { tls })
    }
}

impl ServerCrypto {
    /// Creates the cryptography from a TLS configuration, and checks that rustls supports QUIC with it.
    ///
    /// # Errors
    /// Returns the errors of [`server_config`].
    pub fn new(tls: impl Into<Arc<rustls::ServerConfig>>) -> Result<Self, Error> {
        let tls = tls.into();
        refuse_fips(tls.fips())?;
        ServerConnection::new(Arc::clone(&tls), Version::V1, Vec::new())?;
        Ok(Self { tls })
    }
}

impl crypto::ClientConfig for ClientCrypto {
    fn start_session(
        self: Arc<Self>,
        version: u32,
        server_name: &str,
        parameters: &TransportParameters,
    ) -> Result<Box<dyn crypto::Session>, ConnectError> {
        check_version(version)?;
        let invalid = |_| ConnectError::InvalidServerName(server_name.to_owned());
        let name = ServerName::try_from(server_name).map_err(invalid)?.to_owned();
        let listener = Listener::new(&self.tls.key_log);
        let mut tls = rustls::ClientConfig::clone(&self.tls);
        tls.key_log = Arc::clone(&listener) as _;
        let connection = ClientConnection::new(Arc::new(tls), Version::V1, name, encoded(parameters))
            // QUIC was checked when this was created, so only the server name can be wrong.
            .map_err(|error| ConnectError::InvalidServerName(format!("{server_name}: {error}")))?;
        Ok(Box::new(Session::new(connection.into(), listener)))
    }
}

impl crypto::ServerConfig for ServerCrypto {
    fn initial_keys(&self, version: u32, connection_id: &ConnectionId) -> Result<Keys, UnsupportedVersion> {
        check_version(version)?;
        Ok(initial_keys(connection_id, Side::Server))
    }

    fn retry_tag(&self, _version: u32, original_id: &ConnectionId, packet: &[u8]) -> [u8; 16] {
        retry::tag(original_id, &[packet])
    }

    #[expect(
        clippy::expect_used,
        reason = "the trait returns no error, and `new` has already checked the configuration"
    )]
    fn start_session(self: Arc<Self>, _version: u32, parameters: &TransportParameters) -> Box<dyn crypto::Session> {
        let listener = Listener::new(&self.tls.key_log);
        let mut tls = rustls::ServerConfig::clone(&self.tls);
        tls.key_log = Arc::clone(&listener) as _;
        let connection = ServerConnection::new(Arc::new(tls), Version::V1, encoded(parameters))
            .expect("a configuration with which there was a connection before");
        Box::new(Session::new(connection.into(), listener))
    }
}

/// Returns an error if FIPS is required: the engine protects the packets, and it is not validated, whatever suites the
/// configuration has.
fn refuse_fips(is_fips: bool) -> Result<(), Error> {
    let why = "a FIPS configuration: kasoku's packet protection is not validated";
    if is_fips { Err(Error::General(why.to_owned())) } else { Ok(()) }
}

fn check_version(version: u32) -> Result<(), UnsupportedVersion> {
    if version == VERSION_1 { Ok(()) } else { Err(UnsupportedVersion) }
}

fn encoded(parameters: &TransportParameters) -> Vec<u8> {
    let mut bytes = Vec::new();
    parameters.write(&mut bytes);
    bytes
}
