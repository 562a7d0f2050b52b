//! Keys and certificates for tests, generated for each run.

use rcgen::{CertificateParams, DistinguishedName, DnType, KeyPair, SignatureAlgorithm};
use rustls::RootCertStore;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};

/// Key and self-signed certificate for `localhost`.
pub(crate) struct Identity {
    pub(crate) certificate: rcgen::Certificate,
    pub(crate) key: KeyPair,
}

impl Identity {
    pub(crate) fn ecdsa() -> Self {
        Self::new(&rcgen::PKCS_ECDSA_P256_SHA256, "ecdsa")
    }

    pub(crate) fn rsa() -> Self {
        Self::new(&rcgen::PKCS_RSA_SHA256, "rsa")
    }

    fn new(algorithm: &'static SignatureAlgorithm, name: &str) -> Self {
        let key = KeyPair::generate_for(algorithm).unwrap();
        let mut parameters = CertificateParams::new(["localhost".to_owned(), "127.0.0.1".to_owned()]).unwrap();
        parameters.distinguished_name = DistinguishedName::new();
        parameters.distinguished_name.push(DnType::CommonName, name);
        Self { certificate: parameters.self_signed(&key).unwrap(), key }
    }

    pub(crate) fn chain(&self) -> Vec<CertificateDer<'static>> {
        vec![self.certificate.der().clone()]
    }

    pub(crate) fn private_key(&self) -> PrivateKeyDer<'static> {
        PrivateKeyDer::try_from(self.key.serialize_der()).unwrap()
    }

    /// Returns a root store that trusts only this certificate.
    pub(crate) fn roots(&self) -> RootCertStore {
        let mut roots = RootCertStore::empty();
        roots.add(self.certificate.der().clone()).unwrap();
        roots
    }
}
