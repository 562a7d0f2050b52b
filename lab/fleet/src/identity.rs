//! Who a host is to another: the Ed25519 key that follows from their token, which both sides of a TLS 1.3 connection
//! must show (as raw public keys, RFC 7250: there is nothing a certificate could add). Who has no token can neither be
//! taken for one of them nor read what they say.

use std::io;
use std::sync::Arc;

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::client::{AlwaysResolvesClientRawPublicKeys, Resumption};
use rustls::crypto::aws_lc_rs as provider;
use rustls::crypto::verify_tls13_signature_with_raw_key;
use rustls::pki_types::{CertificateDer, PrivatePkcs8KeyDer, ServerName, SubjectPublicKeyInfoDer, UnixTime};
use rustls::server::danger::{ClientCertVerified, ClientCertVerifier};
use rustls::server::{AlwaysResolvesServerRawPublicKeys, NoServerSessionStorage};
use rustls::sign::CertifiedKey;
use rustls::version::TLS13;
use rustls::{
    AlertDescription, CertificateError, ClientConfig, DigitallySignedStruct, DistinguishedName, Error, ServerConfig,
    SignatureScheme,
};
use sha2::{Digest, Sha256};
use zeroize::Zeroizing;

use super::token::Token;

/// What is said inside; both sides must agree on it (ALPN).
pub(super) const PROTOCOL: &[u8] = b"kasoku serve 2";

/// Hashed before the token, so that the key is good for this alone.
const LABEL: &[u8] = b"kasoku serve: Ed25519 key from token";

/// PKCS #8 before the 32 bytes of an Ed25519 key (RFC 8410 §7).
const PKCS8: [u8; 16] = [0x30, 0x2e, 2, 1, 0, 0x30, 5, 6, 3, 0x2b, 0x65, 0x70, 4, 0x22, 4, 0x20];

/// For the host that is connected to.
///
/// # Errors
/// If rustls does not take it.
pub fn server(token: &Token) -> Result<Arc<ServerConfig>, Error> {
    let key = key(token)?;
    let builder = ServerConfig::builder_with_provider(Arc::new(provider::default_provider()));
    let mut config = builder
        .with_protocol_versions(&[&TLS13])?
        .with_client_cert_verifier(Arc::new(Only(key.clone())))
        .with_cert_resolver(Arc::new(AlwaysResolvesServerRawPublicKeys::new(key)));
    config.alpn_protocols = vec![PROTOCOL.to_vec()];
    config.session_storage = Arc::new(NoServerSessionStorage {});
    config.send_tls13_tickets = 0;
    Ok(Arc::new(config))
}

/// For the host that connects.
///
/// # Errors
/// If rustls does not take it.
pub fn client(token: &Token) -> Result<Arc<ClientConfig>, Error> {
    client_that_trusts(token, token)
}

/// With a key of its own, which is the same but in tests.
pub(super) fn client_that_trusts(trusted: &Token, own: &Token) -> Result<Arc<ClientConfig>, Error> {
    let builder = ClientConfig::builder_with_provider(Arc::new(provider::default_provider()));
    let mut config = builder
        .with_protocol_versions(&[&TLS13])?
        .dangerous() // says rustls of every verifier that is not its own
        .with_custom_certificate_verifier(Arc::new(Only(key(trusted)?)))
        .with_client_cert_resolver(Arc::new(AlwaysResolvesClientRawPublicKeys::new(key(own)?)));
    config.alpn_protocols = vec![PROTOCOL.to_vec()];
    config.resumption = Resumption::disabled();
    Ok(Arc::new(config))
}

/// Whether a handshake failed because one side does not have the other's token.
pub(super) fn is_other_token(error: &io::Error) -> bool {
    matches!(
        error.get_ref().and_then(|error| error.downcast_ref()),
        Some(Error::InvalidCertificate(_) | Error::AlertReceived(AlertDescription::AccessDenied))
    )
}

fn key(token: &Token) -> Result<Arc<CertifiedKey>, Error> {
    let mut hash = Sha256::new_with_prefix(LABEL);
    hash.update(token.bytes());
    let mut pkcs8 = Zeroizing::new([0; PKCS8.len() + 32]);
    pkcs8[..PKCS8.len()].copy_from_slice(&PKCS8);
    pkcs8[PKCS8.len()..].copy_from_slice(&hash.finalize());
    let key = provider::sign::any_eddsa_type(&PrivatePkcs8KeyDer::from(&pkcs8[..]))?;
    let public = key.public_key().ok_or_else(|| Error::General("the key has no public half".to_owned()))?;
    Ok(Arc::new(CertifiedKey::new(vec![CertificateDer::from(public.to_vec())], key)))
}

/// Takes one public key and no other.
#[derive(Debug)]
struct Only(Arc<CertifiedKey>);

impl Only {
    fn check(&self, other: &CertificateDer<'_>) -> Result<(), Error> {
        let is_other = self.0.cert.first() != Some(other);
        if is_other { Err(CertificateError::ApplicationVerificationFailure.into()) } else { Ok(()) }
    }
}

impl ServerCertVerifier for Only {
    fn verify_server_cert(
        &self,
        key: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        self.check(key).map(|()| ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        _: &[u8],
        _: &CertificateDer<'_>,
        _: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        Err(Error::General("TLS 1.2 is not allowed".to_owned()))
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        key: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let algorithms = provider::default_provider().signature_verification_algorithms;
        verify_tls13_signature_with_raw_key(message, &SubjectPublicKeyInfoDer::from(&**key), signature, &algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        vec![SignatureScheme::ED25519]
    }

    fn requires_raw_public_keys(&self) -> bool {
        true
    }
}

impl ClientCertVerifier for Only {
    fn root_hint_subjects(&self) -> &[DistinguishedName] {
        &[]
    }

    fn verify_client_cert(
        &self,
        key: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: UnixTime,
    ) -> Result<ClientCertVerified, Error> {
        self.check(key).map(|()| ClientCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        key: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        ServerCertVerifier::verify_tls12_signature(self, message, key, signature)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        key: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        ServerCertVerifier::verify_tls13_signature(self, message, key, signature)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        ServerCertVerifier::supported_verify_schemes(self)
    }

    fn requires_raw_public_keys(&self) -> bool {
        true
    }
}
