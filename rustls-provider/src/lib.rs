//! AES-GCM for rustls and quinn on Kasoku's engine: the TLS 1.3, TLS 1.2 and QUIC suites with AES-128-GCM and
//! AES-256-GCM. Everything else (key exchange, signatures, HKDF, hashes, ChaCha20-Poly1305) comes from a library that
//! rustls already knows: aws-lc-rs, or ring with `default-features = false, features = ["ring", "tls12"]`.
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
//! * [`default_provider`] is a whole provider; [`accelerate`] puts the suites into a provider of yours;
//!   [`cipher_suites`] and [`cipher_suite`] are the suites alone; [`AesGcm`] is what suites are made of, for a base of
//!   your own.
//! * QUIC comes with the suites: quinn takes a rustls configuration with this provider as it is. With the feature
//!   `quinn`, the module of that name makes configurations that protect a packet and its header in one pass.
//! * On a CPU without AES instructions everything works, and ChaCha20-Poly1305 is preferred: there it is many times as
//!   fast.
//! * Nothing here is validated for FIPS 140, and nothing says so.

#![deny(missing_docs)]
#![cfg_attr(not(test), deny(clippy::disallowed_methods))]
#![forbid(unsafe_code)]

// The programs on the first page and on the engine's are compiled and run as those of this documentation are.
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
