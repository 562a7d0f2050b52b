//! AES-GCM for rustls and quinn on Kasoku's engine: TLS 1.3, TLS 1.2 and QUIC suites with AES-128-GCM and AES-256-GCM.
//! Everything else (key exchange, signatures, HKDF, hashes, ChaCha20-Poly1305) comes from an underlying rustls
//! provider: aws-lc-rs, or ring with `default-features = false, features = ["ring", "tls12"]`.
//!
//! ```
//! # #[cfg(any(feature = "aws-lc-rs", feature = "ring"))]
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! // Once, at the beginning of `main`: every configuration that names no provider takes this one.
//! kasoku_rustls::default_provider().install_default().map_err(|_| "a provider was installed before")?;
//!
//! let config = rustls::ClientConfig::builder()
//!     .with_root_certificates(rustls::RootCertStore::empty())
//!     .with_no_client_auth();
//! # drop(config);
//! # Ok(())
//! # }
//! # #[cfg(not(any(feature = "aws-lc-rs", feature = "ring")))]
//! # fn main() {}
//! ```
//!
//! * [`default_provider`] returns a complete provider; [`accelerate`] replaces the suites of your provider;
//!   [`cipher_suites`] and [`cipher_suite`] are the suites alone; [`AesGcm`] is the algorithm, for suites of your own.
//! * The suites include QUIC: quinn accepts a rustls configuration with this provider. With the feature `quinn`, the
//!   module of that name creates configurations that protect a packet and its header in one pass.
//! * With the feature `rustls-024`, the module `rustls_024` is for a pre-release of rustls 0.24.
//! * On a CPU without AES instructions everything works, and ChaCha20-Poly1305, which is many times as fast there, is
//!   preferred.
//! * Nothing here is validated for FIPS 140, and `fips()` is always false.

#![deny(missing_docs)]
#![cfg_attr(not(test), deny(clippy::disallowed_methods))]
#![forbid(unsafe_code)]

// Compiles and runs the examples of the README files as doc tests.
#[cfg(all(doctest, feature = "quinn", any(feature = "aws-lc-rs", feature = "ring")))]
#[doc = include_str!("../../README.md")]
mod first_page {}
#[cfg(all(doctest, feature = "quinn", any(feature = "aws-lc-rs", feature = "ring")))]
#[doc = include_str!("../../engine/README.md")]
mod engine_page {}

mod aead;
mod nonce;
#[cfg(any(feature = "aws-lc-rs", feature = "ring"))]
mod provider;
mod quic;
#[cfg(feature = "quinn")]
pub mod quinn;
#[cfg(feature = "rustls-024")]
pub mod rustls_024;
#[cfg(any(feature = "aws-lc-rs", feature = "ring"))]
mod suites;
#[cfg(feature = "tls12")]
mod tls12;
mod tls13;

pub use aead::AesGcm;
#[cfg(any(feature = "aws-lc-rs", feature = "ring"))]
pub use provider::{accelerate, cipher_suites, default_provider};
#[cfg(any(feature = "aws-lc-rs", feature = "ring"))]
pub use suites::cipher_suite;
