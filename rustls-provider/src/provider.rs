//! Complete rustls providers.

use kasoku_engine::cpu::{self, Feature, FeatureSet, Found};
use rustls::crypto::CryptoProvider;
#[cfg(feature = "aws-lc-rs")]
use rustls::crypto::aws_lc_rs as base;
#[cfg(all(feature = "ring", not(feature = "aws-lc-rs")))]
use rustls::crypto::ring as base;
use rustls::{CipherSuite, SupportedCipherSuite};

use crate::suites;

/// Returns the underlying rustls provider (ring or aws-lc-rs) with Kasoku's AES-GCM. The suites keep rustls's order; on
/// a CPU without AES instructions, ChaCha20-Poly1305 comes first.
///
/// ```
/// let provider = kasoku_rustls::default_provider();
/// assert!(!provider.fips());
/// ```
#[must_use]
pub fn default_provider() -> CryptoProvider {
    replace_suites(base::default_provider(), |_, ours| *ours)
}

/// Replaces AES-GCM in `provider` with Kasoku's. Nothing else changes, except that ChaCha20-Poly1305 comes first on a
/// CPU without AES instructions. Key schedules, signatures, limits, and whether a suite supports QUIC stay those of
/// `provider`.
///
/// rustls needs suites that live for ever: each call leaks less than a kilobyte.
///
/// ```
/// use rustls::crypto::CryptoProvider;
/// # let mine = kasoku_rustls::default_provider();
/// // `mine` may be any provider: with fewer suites, another key exchange, keys in a hardware module …
/// let provider: CryptoProvider = kasoku_rustls::accelerate(mine);
/// # drop(provider);
/// ```
#[must_use]
pub fn accelerate(provider: CryptoProvider) -> CryptoProvider {
    replace_suites(provider, suites::with_aead)
}

type Replace = fn(&SupportedCipherSuite, &SupportedCipherSuite) -> SupportedCipherSuite;

/// Applies `replace` to those suites of the provider that Kasoku also has.
fn replace_suites(mut provider: CryptoProvider, replace: Replace) -> CryptoProvider {
    let ours = suites::all();
    for suite in &mut provider.cipher_suites {
        if let Some(same) = ours.iter().find(|ours| ours.suite() == suite.suite()) {
            *suite = replace(suite, same);
        }
    }
    put_in_order(&mut provider.cipher_suites, Found::here().features());
    provider
}

/// Returns Kasoku's AES-GCM suites and the ChaCha20-Poly1305 suites of the underlying rustls provider (ring or
/// aws-lc-rs), in the order of preference of a provider.
///
/// ```
/// use rustls::crypto::CryptoProvider;
/// # let mine = kasoku_rustls::default_provider();
/// let provider = CryptoProvider { cipher_suites: kasoku_rustls::cipher_suites(), ..mine };
/// # drop(provider);
/// ```
#[must_use]
pub fn cipher_suites() -> Vec<SupportedCipherSuite> {
    default_provider().cipher_suites
}

/// Moves ChaCha20-Poly1305 first within TLS 1.3 and within TLS 1.2 if the CPU has no AES instructions. Otherwise keeps
/// the order.
fn put_in_order(suites: &mut [SupportedCipherSuite], features: FeatureSet) {
    if !cpu::preferred(features).needs().contains(&Feature::Aes) {
        suites.sort_by_key(|suite| (suite.tls13().is_none(), !is_chacha20(suite.suite())));
    }
}

fn is_chacha20(suite: CipherSuite) -> bool {
    matches!(
        suite,
        CipherSuite::TLS13_CHACHA20_POLY1305_SHA256
            | CipherSuite::TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256
            | CipherSuite::TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(suites: &[SupportedCipherSuite]) -> Vec<CipherSuite> {
        suites.iter().map(SupportedCipherSuite::suite).collect()
    }

    #[test]
    fn default_provider_replaces_every_aes_gcm_suite() {
        let base = base::default_provider();
        let provider = default_provider();
        let mut sorted = (names(&base.cipher_suites), names(&provider.cipher_suites));
        sorted.0.sort_by_key(|&name| u16::from(name));
        sorted.1.sort_by_key(|&name| u16::from(name));
        assert_eq!(sorted.0, sorted.1);
        let ours = suites::all();
        for suite in provider.cipher_suites {
            let is_ours = ours.iter().any(|ours| ours.suite() == suite.suite());
            assert_ne!(is_ours, is_chacha20(suite.suite()), "{suite:?}");
            assert!(!suite.fips());
        }
    }

    /// Accelerates a custom provider with a suite that has its own limit and no QUIC.
    #[test]
    fn accelerate_keeps_everything_but_the_aead() {
        let base = base::cipher_suite::TLS13_AES_128_GCM_SHA256.tls13().unwrap();
        let mut common = suites::common(&base.common);
        common.confidentiality_limit = 1000;
        let theirs = rustls::Tls13CipherSuite { common, quic: None, ..*base };
        let suite = SupportedCipherSuite::Tls13(Box::leak(Box::new(theirs)));
        let provider = CryptoProvider { cipher_suites: vec![suite], ..base::default_provider() };
        let accelerated = accelerate(provider).cipher_suites;
        let [ours] = accelerated.iter().filter_map(SupportedCipherSuite::tls13).collect::<Vec<_>>()[..] else {
            panic!()
        };
        assert_eq!(ours.common.confidentiality_limit, 1000);
        assert!(ours.quic.is_none());
        let aead = |suite: &rustls::Tls13CipherSuite| std::ptr::from_ref(suite.aead_alg).cast::<()>();
        assert_eq!(aead(ours), aead(suites::cipher_suite::TLS13_AES_128_GCM_SHA256.tls13().unwrap()));
    }

    #[test]
    fn suites_prefer_chacha20_without_aes_instructions() {
        let mut suites = base::default_provider().cipher_suites;
        let before = names(&suites);
        let all = FeatureSet::from_iter(Feature::ALL);
        put_in_order(&mut suites, all);
        assert_eq!(names(&suites), before);
        put_in_order(&mut suites, all.without(Feature::Aes).without(Feature::Vaes));
        assert_eq!(suites.first().map(SupportedCipherSuite::suite), Some(CipherSuite::TLS13_CHACHA20_POLY1305_SHA256));
        let first_tls12 = suites.iter().find(|suite| suite.tls13().is_none());
        assert!(first_tls12.is_none_or(|suite| is_chacha20(suite.suite())));
        let last_tls13 = suites.iter().rposition(|suite| suite.tls13().is_some());
        assert!(suites[..=last_tls13.unwrap()].iter().all(|suite| suite.tls13().is_some()));
    }
}
