//! The contestants, and TLS configurations with them.

use std::sync::Arc;

use quinn::crypto::rustls::{QuicClientConfig, QuicServerConfig};
use rustls::crypto::CryptoProvider;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{CipherSuite, RootCertStore};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cryptography {
    AwsLc,
    Ring,
    /// rustls's own QUIC, or TLS, with our provider.
    Kasoku,
    /// `kasoku_rustls::quinn`.
    OnePass,
}

impl Cryptography {
    /// aws-lc first: the others are compared with it.
    pub(crate) fn for_packets(has_packets: bool) -> Vec<Self> {
        let mut all = vec![Self::AwsLc, Self::Ring, Self::Kasoku];
        if has_packets {
            all.push(Self::OnePass);
        }
        all
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::AwsLc => "aws-lc",
            Self::Ring => "ring",
            Self::Kasoku => "kasoku",
            Self::OnePass => "kasoku-one-pass",
        }
    }

    pub(crate) fn named(name: &str) -> Self {
        Self::for_packets(true).into_iter().find(|it| it.name() == name).expect("a cryptography")
    }

    fn provider(self, is_256: Option<bool>) -> Arc<CryptoProvider> {
        let mut provider = match self {
            Self::AwsLc => rustls::crypto::aws_lc_rs::default_provider(),
            Self::Ring => rustls::crypto::ring::default_provider(),
            Self::Kasoku | Self::OnePass => kasoku_rustls::default_provider(),
        };
        if let Some(is_256) = is_256 {
            let wanted =
                if is_256 { CipherSuite::TLS13_AES_256_GCM_SHA384 } else { CipherSuite::TLS13_AES_128_GCM_SHA256 };
            provider.cipher_suites.retain(|suite| suite.suite() == wanted);
        }
        Arc::new(provider)
    }

    /// The receiver is the server, with a key of its own; its certificate.
    pub(crate) fn server(self) -> (rustls::ServerConfig, CertificateDer<'static>) {
        let identity = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
        let certificate = identity.cert.der().clone();
        let key = PrivateKeyDer::try_from(identity.signing_key.serialize_der()).unwrap();
        let tls = rustls::ServerConfig::builder_with_provider(self.provider(None))
            .with_protocol_versions(&[&rustls::version::TLS13])
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(vec![certificate.clone()], key)
            .unwrap();
        (tls, certificate)
    }

    pub(crate) fn client(self, is_256: bool, certificate: Vec<u8>) -> rustls::ClientConfig {
        let mut roots = RootCertStore::empty();
        roots.add(CertificateDer::from(certificate)).unwrap();
        rustls::ClientConfig::builder_with_provider(self.provider(Some(is_256)))
            .with_protocol_versions(&[&rustls::version::TLS13])
            .unwrap()
            .with_root_certificates(roots)
            .with_no_client_auth()
    }

    pub(crate) fn quic_server(self, tls: rustls::ServerConfig) -> quinn::ServerConfig {
        match self {
            Self::OnePass => kasoku_rustls::quinn::server_config(tls).unwrap(),
            _ => quinn::ServerConfig::with_crypto(Arc::new(QuicServerConfig::try_from(tls).unwrap())),
        }
    }

    pub(crate) fn quic_client(self, tls: rustls::ClientConfig) -> quinn::ClientConfig {
        match self {
            Self::OnePass => kasoku_rustls::quinn::client_config(tls).unwrap(),
            _ => {
                let provider = self.provider(Some(false));
                let initial = provider.cipher_suites[0].tls13().unwrap().quic_suite().unwrap();
                quinn::ClientConfig::new(Arc::new(QuicClientConfig::with_initial(Arc::new(tls), initial).unwrap()))
            }
        }
    }
}
