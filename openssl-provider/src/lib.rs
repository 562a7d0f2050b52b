//! OpenSSL provider (3.0 and later) for AES-128, AES-192 and AES-256-GCM and AES-128 and AES-256-GCM-SIV on
//! `kasoku-engine`. Programs use it through OpenSSL's configuration alone; see docs/OPENSSL.md.
//!
//! It behaves like OpenSSL's default provider, and its tests compare the two call by call. It is not linked to
//! libcrypto and needs no headers: the interface is tables of numbered functions (`abi.rs`). `upcalls.rs` calls the
//! core, `provider.rs` and `cipher.rs` are called by the core. `context.rs` and `gcm_siv.rs` do the work in safe Rust,
//! over slices from `buffers.rs` and `parameter.rs`.

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
mod late_key;
mod parameter;
mod provider;
mod reason;
mod self_test;
mod trouble;
mod upcalls;

pub use init::OSSL_provider_init;
