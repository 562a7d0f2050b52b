//! A provider for OpenSSL 3.0 and later: AES-128, AES-192 and AES-256-GCM, AES-128 and AES-256-GCM-SIV of
//! `kasoku-engine`, for any program that uses OpenSSL, by configuration alone. docs/OPENSSL.md says how.
//!
//! It behaves as OpenSSL's default provider does, which its tests compare call by call. It is not linked to libcrypto,
//! and needs no headers to be built: all that goes between the two is in tables of numbered functions (`abi.rs`).
//! `upcalls.rs` has what the core does for us, `provider.rs` and `cipher.rs` what we do for the core; `context.rs` and
//! `gcm_siv.rs` are where the work is done, in safe Rust over slices that `buffers.rs` and `parameter.rs` make.

mod abi;
mod boundary;
mod buffers;
mod cipher;
mod context;
mod context_parameters;
mod counter;
mod counter_file;
mod gcm_siv;
mod init;
mod parameter;
mod provider;
mod reason;
mod self_test;
mod trouble;
mod upcalls;

pub use init::OSSL_provider_init;
