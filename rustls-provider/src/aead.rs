//! AES-GCM for rustls's traits.

use kasoku_engine::{Backend, Error};
use rustls::ConnectionTrafficSecrets;
use rustls::crypto::cipher::{AeadKey, Iv};

/// AES-GCM with keys of one length. It protects TLS 1.3 and TLS 1.2 records and QUIC packets, so a suite can use it as
/// its `aead_alg` and as its `quic`.
///
/// ```
/// use rustls::crypto::cipher::Tls13AeadAlgorithm;
/// static AES_256_GCM: kasoku_rustls::AesGcm = kasoku_rustls::AesGcm::AES_256;
/// assert_eq!(AES_256_GCM.key_len(), 32);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct AesGcm {
    pub(crate) key_bytes: usize,
    /// Backend to use; `None` selects the engine's preferred backend.
    backend: Option<Backend>,
}

impl AesGcm {
    /// AES-128-GCM.
    pub const AES_128: Self = Self { key_bytes: 16, backend: None };

    /// AES-256-GCM.
    pub const AES_256: Self = Self { key_bytes: 32, backend: None };

    /// Selects a backend, for tests and measurements. Creating a key panics if the CPU cannot run the backend.
    #[must_use]
    pub const fn on(self, backend: Backend) -> Self {
        Self { backend: Some(backend), ..self }
    }

    pub(crate) fn expand(self, key: &[u8]) -> kasoku_engine::AesGcm {
        let key = self.bytes_of(key);
        made(self.backend.map_or_else(
            || kasoku_engine::AesGcm::new(key),
            |backend| kasoku_engine::AesGcm::with_backend(key, backend),
        ))
    }

    pub(crate) fn expand_header_key(self, key: &[u8]) -> kasoku_engine::packet::HeaderProtection {
        use kasoku_engine::packet::HeaderProtection;
        let key = self.bytes_of(key);
        made(self.backend.map_or_else(|| HeaderProtection::new(key), |it| HeaderProtection::with_backend(key, it)))
    }

    /// Returns the traffic secrets, so that the kernel can take over the connection (kTLS).
    pub(crate) fn secrets(self, key: AeadKey, iv: Iv) -> ConnectionTrafficSecrets {
        match self.key_bytes {
            16 => ConnectionTrafficSecrets::Aes128Gcm { key, iv },
            _ => ConnectionTrafficSecrets::Aes256Gcm { key, iv },
        }
    }

    /// Returns the first bytes of a key, as many as this algorithm needs. rustls passes keys of that length; other
    /// callers may pass longer keys.
    fn bytes_of(self, key: &[u8]) -> &[u8] {
        key.get(..self.key_bytes).unwrap_or(key)
    }
}

/// Unwraps the result of expanding a key whose length is always valid.
#[expect(clippy::expect_used, reason = "rustls's traits return no error, and received data cannot cause one")]
pub(crate) fn made<K>(key: Result<K, Error>) -> K {
    key.expect("a key of the algorithm's own length, for a backend that this CPU can run")
}
