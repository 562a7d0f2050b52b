//! The crypto providers of rustls under test: libraries that protect TLS records and QUIC packets.

use rustls::CipherSuite;
use rustls::crypto::CryptoProvider;

use super::crate_version::crate_versions;
use super::{LibraryEntry, aws_lc, kasoku, ring};
use kasoku_model::algorithm::Algorithm;

/// Libraries with a rustls provider. The first is rustls's default, and the others are compared with it.
pub const ENTRIES: [&LibraryEntry; 3] = [&aws_lc::ENTRY, &ring::ENTRY, &kasoku::ENTRY];

/// AEADs of the TLS 1.3 suites to measure, the most common first.
pub const ALGORITHMS: [Algorithm; 2] = [Algorithm::Aes128Gcm, Algorithm::Aes256Gcm];

pub fn suite(algorithm: Algorithm) -> Option<CipherSuite> {
    match algorithm {
        Algorithm::Aes128Gcm => Some(CipherSuite::TLS13_AES_128_GCM_SHA256),
        Algorithm::Aes256Gcm => Some(CipherSuite::TLS13_AES_256_GCM_SHA384),
        _ => None,
    }
}

/// Returns the provider of `library`, restricted to the suite with `algorithm` so that no other can be negotiated.
/// Returns `None` if `library` has no rustls provider or the provider no such suite.
pub fn provider(library: &str, algorithm: Algorithm) -> Option<CryptoProvider> {
    let only = suite(algorithm)?;
    let mut provider = match library {
        name if name == aws_lc::ENTRY.name => rustls::crypto::aws_lc_rs::default_provider(),
        name if name == ring::ENTRY.name => rustls::crypto::ring::default_provider(),
        name if name == kasoku::ENTRY.name => kasoku_rustls::default_provider(),
        _ => return None,
    };
    provider.cipher_suites.retain(|suite| suite.suite() == only);
    (!provider.cipher_suites.is_empty()).then_some(provider)
}

/// Returns the names and versions of the crates between application and library: `quinn 0.11.12 rustls 0.23.46`.
pub fn versions(has_quic: bool) -> String {
    crate_versions(if has_quic { &["quinn", "rustls"] } else { &["rustls"] })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rustls_providers_offer_exactly_the_requested_suite() {
        for entry in ENTRIES {
            for algorithm in ALGORITHMS {
                let provider = provider(entry.name, algorithm).unwrap();
                let suites: Vec<CipherSuite> = provider.cipher_suites.iter().map(|suite| suite.suite()).collect();
                assert_eq!(suites, [suite(algorithm).unwrap()], "{}", entry.name);
                assert!(provider.cipher_suites[0].tls13().is_some_and(|suite| suite.quic.is_some()));
            }
        }
        assert!(provider("openssl", Algorithm::Aes128Gcm).is_none());
        assert!(provider("ring", Algorithm::Aes128Cbc).is_none());
    }

    #[test]
    fn rustls_versions_name_quinn_and_rustls() {
        assert!(versions(true).starts_with("quinn 0.") && versions(true).contains(" rustls 0."), "{}", versions(true));
        assert!(!versions(false).contains("quinn"));
    }
}
