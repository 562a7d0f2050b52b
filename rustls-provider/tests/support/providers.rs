//! rustls providers that the tests connect with each other.

use std::sync::Arc;

use rustls::crypto::{CryptoProvider, aws_lc_rs, ring};
use rustls::{CipherSuite, SupportedProtocolVersion};

/// Returns the providers of other libraries.
pub(crate) fn others() -> [(&'static str, CryptoProvider); 2] {
    [("aws-lc-rs", aws_lc_rs::default_provider()), ("ring", ring::default_provider())]
}

/// All suites with AES-GCM.
pub(crate) const SUITES: [CipherSuite; 6] = [
    CipherSuite::TLS13_AES_128_GCM_SHA256,
    CipherSuite::TLS13_AES_256_GCM_SHA384,
    CipherSuite::TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256,
    CipherSuite::TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384,
    CipherSuite::TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256,
    CipherSuite::TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384,
];

/// Returns `provider` with only the given suite.
pub(crate) fn only(mut provider: CryptoProvider, suite: CipherSuite) -> Arc<CryptoProvider> {
    provider.cipher_suites.retain(|it| it.suite() == suite);
    assert_eq!(provider.cipher_suites.len(), 1, "{suite:?}");
    Arc::new(provider)
}

/// Returns the protocol versions that have the suite.
pub(crate) fn versions_of(suite: CipherSuite) -> &'static [&'static SupportedProtocolVersion] {
    static TLS13: [&SupportedProtocolVersion; 1] = [&rustls::version::TLS13];
    static TLS12: [&SupportedProtocolVersion; 1] = [&rustls::version::TLS12];
    match suite {
        CipherSuite::TLS13_AES_128_GCM_SHA256 | CipherSuite::TLS13_AES_256_GCM_SHA384 => &TLS13,
        _ => &TLS12,
    }
}

/// Returns whether the suite needs an RSA key on the server.
pub(crate) fn needs_rsa(suite: CipherSuite) -> bool {
    matches!(
        suite,
        CipherSuite::TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256 | CipherSuite::TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384
    )
}
