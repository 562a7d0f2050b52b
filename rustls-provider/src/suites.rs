//! Cipher suites: rustls's own with Kasoku's AEAD.

#[cfg(feature = "aws-lc-rs")]
use rustls::crypto::aws_lc_rs::cipher_suite as base;
#[cfg(all(feature = "ring", not(feature = "aws-lc-rs")))]
use rustls::crypto::ring::cipher_suite as base;
use rustls::{SupportedCipherSuite, Tls13CipherSuite};

use crate::aead::AesGcm;

static AES_128_GCM: AesGcm = AesGcm::AES_128;
static AES_256_GCM: AesGcm = AesGcm::AES_256;

/// The cipher suites, one by one. Their limits are rustls's: 2^24 records under one key, and 2^23 packets (RFC 9001).
pub mod cipher_suite {
    use super::*;

    /// TLS_AES_128_GCM_SHA256 for TLS 1.3 and QUIC.
    pub static TLS13_AES_128_GCM_SHA256: SupportedCipherSuite =
        SupportedCipherSuite::Tls13(&tls13(&base::TLS13_AES_128_GCM_SHA256, &AES_128_GCM));

    /// TLS_AES_256_GCM_SHA384 for TLS 1.3 and QUIC.
    pub static TLS13_AES_256_GCM_SHA384: SupportedCipherSuite =
        SupportedCipherSuite::Tls13(&tls13(&base::TLS13_AES_256_GCM_SHA384, &AES_256_GCM));

    #[cfg(feature = "tls12")]
    pub use super::tls12::*;
}

/// Returns all suites with AES-GCM in rustls's order.
pub(crate) fn all() -> Vec<SupportedCipherSuite> {
    [
        cipher_suite::TLS13_AES_256_GCM_SHA384,
        cipher_suite::TLS13_AES_128_GCM_SHA256,
        #[cfg(feature = "tls12")]
        cipher_suite::TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384,
        #[cfg(feature = "tls12")]
        cipher_suite::TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256,
        #[cfg(feature = "tls12")]
        cipher_suite::TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384,
        #[cfg(feature = "tls12")]
        cipher_suite::TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256,
    ]
    .to_vec()
}

/// Returns a copy of the suite `theirs` with the AEAD of `ours`, a suite of the same name. Leaks the copy.
pub(crate) fn with_aead(theirs: &SupportedCipherSuite, ours: &SupportedCipherSuite) -> SupportedCipherSuite {
    if let (Some(theirs), Some(ours)) = (theirs.tls13(), ours.tls13()) {
        return SupportedCipherSuite::Tls13(Box::leak(Box::new(Tls13CipherSuite {
            common: common(&theirs.common),
            hkdf_provider: theirs.hkdf_provider,
            aead_alg: ours.aead_alg,
            quic: theirs.quic.and(ours.quic),
        })));
    }
    #[cfg(feature = "tls12")]
    if let (SupportedCipherSuite::Tls12(theirs), SupportedCipherSuite::Tls12(ours)) = (theirs, ours) {
        return SupportedCipherSuite::Tls12(Box::leak(Box::new(rustls::Tls12CipherSuite {
            common: common(&theirs.common),
            prf_provider: theirs.prf_provider,
            kx: theirs.kx,
            sign: theirs.sign,
            aead_alg: ours.aead_alg,
        })));
    }
    *theirs
}

/// Returns the suite `base` of the underlying rustls provider (ring or aws-lc-rs) with Kasoku's AEAD for TLS and QUIC.
const fn tls13(base: &SupportedCipherSuite, aead: &'static AesGcm) -> Tls13CipherSuite {
    match base.tls13() {
        Some(base) => Tls13CipherSuite {
            common: common(&base.common),
            hkdf_provider: base.hkdf_provider,
            aead_alg: aead,
            quic: Some(aead),
        },
        None => panic!("not a suite of TLS 1.3: found while compiling"),
    }
}

pub(crate) const fn common(base: &rustls::crypto::CipherSuiteCommon) -> rustls::crypto::CipherSuiteCommon {
    rustls::crypto::CipherSuiteCommon {
        suite: base.suite,
        hash_provider: base.hash_provider,
        confidentiality_limit: base.confidentiality_limit,
    }
}

#[cfg(feature = "tls12")]
mod tls12 {
    use rustls::Tls12CipherSuite;

    use super::*;

    /// TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256 for TLS 1.2, for servers with an ECDSA or Ed25519 key.
    pub static TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256: SupportedCipherSuite =
        SupportedCipherSuite::Tls12(&tls12(&base::TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256, &AES_128_GCM));

    /// TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384 for TLS 1.2, for servers with an ECDSA or Ed25519 key.
    pub static TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384: SupportedCipherSuite =
        SupportedCipherSuite::Tls12(&tls12(&base::TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384, &AES_256_GCM));

    /// TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256 for TLS 1.2, for servers with an RSA key.
    pub static TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256: SupportedCipherSuite =
        SupportedCipherSuite::Tls12(&tls12(&base::TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256, &AES_128_GCM));

    /// TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384 for TLS 1.2, for servers with an RSA key.
    pub static TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384: SupportedCipherSuite =
        SupportedCipherSuite::Tls12(&tls12(&base::TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384, &AES_256_GCM));

    const fn tls12(base: &SupportedCipherSuite, aead: &'static AesGcm) -> Tls12CipherSuite {
        match base {
            SupportedCipherSuite::Tls12(base) => Tls12CipherSuite {
                common: common(&base.common),
                prf_provider: base.prf_provider,
                kx: base.kx,
                sign: base.sign,
                aead_alg: aead,
            },
            SupportedCipherSuite::Tls13(_) => panic!("not a suite of TLS 1.2: found while compiling"),
        }
    }
}
