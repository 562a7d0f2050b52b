//! Configurations.

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

/// QUIC version 1 (RFC 9000): the one that there is here.
const VERSION_1: u32 = 1;

/// A configuration for quinn's clients, from what TLS is to do. For 0-RTT, `enable_early_data` is to be set.
///
/// # Errors
/// rustls's, where it allows no TLS 1.3 or has no suite for QUIC; [`Error::General`] for one that is to be FIPS.
pub fn client_config(tls: impl Into<Arc<rustls::ClientConfig>>) -> Result<quinn_proto::ClientConfig, Error> {
    Ok(quinn_proto::ClientConfig::new(Arc::new(ClientCrypto::new(tls)?)))
}

/// A configuration for quinn's servers, from what TLS is to do; the key of its address-validation tokens is random, and
/// the tokens are sealed by the engine. For 0-RTT, `max_early_data_size` is to be `u32::MAX`.
///
/// # Errors
/// rustls's, where it allows no TLS 1.3, has no suite for QUIC, or takes early data of another size than none or all;
/// [`Error::General`] for one that is to be FIPS.
pub fn server_config(tls: impl Into<Arc<rustls::ServerConfig>>) -> Result<quinn_proto::ServerConfig, Error> {
    let tls = tls.into();
    let key = TokenKey::random(tls.crypto_provider())?;
    Ok(quinn_proto::ServerConfig::new(Arc::new(ServerCrypto::new(tls)?), Arc::new(key)))
}

/// A configuration for quinn's endpoints, whose stateless resets have a random key: what `EndpointConfig::default()` is
/// where quinn is built with a cryptographic library of its own. It offers version 1 alone: so must configurations made
/// otherwise, since quinn's own list has drafts too (`supported_versions(vec![1])`).
///
/// # Errors
/// [`Error::FailedToGetRandomBytes`]; [`Error::General`] if the provider has no suite of TLS 1.3.
pub fn endpoint_config(provider: &CryptoProvider) -> Result<EndpointConfig, Error> {
    let mut config = EndpointConfig::new(Arc::new(ResetKey::random(provider)?));
    config.supported_versions(vec![VERSION_1]);
    Ok(config)
}

/// What [`client_config`] puts into quinn's configuration, for those who make that themselves.
pub struct ClientCrypto {
    tls: Arc<rustls::ClientConfig>,
}

/// What [`server_config`] puts into quinn's configuration, for those who make that themselves.
pub struct ServerCrypto {
    tls: Arc<rustls::ServerConfig>,
}

impl ClientCrypto {
    /// Checks that rustls can do QUIC with the configuration.
    ///
    /// # Errors
    /// As [`client_config`] has them.
    pub fn new(tls: impl Into<Arc<rustls::ClientConfig>>) -> Result<Self, Error> {
        let tls = tls.into();
        refuse_fips(tls.fips())?;
        let nobody = ServerName::try_from("nobody.invalid").map_err(|error| Error::General(error.to_string()))?;
        ClientConnection::new(Arc::clone(&tls), Version::V1, nobody, Vec::new())?;
        Ok(Self { tls })
    }
}

impl ServerCrypto {
    /// Checks that rustls can do QUIC with the configuration.
    ///
    /// # Errors
    /// As [`server_config`] has them.
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
        let listener = Listener::before(&self.tls.key_log);
        let mut tls = rustls::ClientConfig::clone(&self.tls);
        tls.key_log = Arc::clone(&listener) as _;
        let connection = ClientConnection::new(Arc::new(tls), Version::V1, name, encoded(parameters))
            // It could a moment ago, when this was made; the last thing that can be wrong is the name.
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
        reason = "the trait takes no error; what rustls looks at was looked at when this was made"
    )]
    fn start_session(self: Arc<Self>, _version: u32, parameters: &TransportParameters) -> Box<dyn crypto::Session> {
        let listener = Listener::before(&self.tls.key_log);
        let mut tls = rustls::ServerConfig::clone(&self.tls);
        tls.key_log = Arc::clone(&listener) as _;
        let connection = ServerConnection::new(Arc::new(tls), Version::V1, encoded(parameters))
            .expect("a configuration with which there was a connection before");
        Box::new(Session::new(connection.into(), listener))
    }
}

/// Packets are protected by the engine, which nobody validated, whatever suites the configuration has.
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
