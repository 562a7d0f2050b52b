//! C interface of `kasoku-engine`, declared in `kasoku.h`: AES-GCM, XAES-256-GCM, AES-GCM-SIV and QUIC packet
//! protection.
//!
//! The crate adds only the checks that C needs: pointers, lengths and overlaps (`buffers.rs`), panics (`boundary.rs`),
//! error codes (`code.rs`), the backend named in the environment (`environment.rs`), and keys that C holds
//! (`key_object.rs`). The exported functions are in
//! `gcm.rs`, `vectored.rs`, `streaming.rs`, `xaes.rs`, `siv.rs` and `quic*.rs`; `checked_message.rs` and
//! `fixed_nonce.rs` have code that they share. Doc comments of exported items are written for C programmers: `kasoku.h`
//! is generated from them.

#![deny(missing_docs)]
mod boundary;
mod buffers;
mod checked_message;
mod code;
mod environment;
mod fixed_nonce;
mod gcm;
mod key_object;
mod quic;
mod siv;
mod streaming;
mod vectored;
mod xaes;

// Not in alphabetical order: the header declares the functions in the order of these modules.
mod quic_packet;

mod quic_batch;

mod version;

pub use buffers::kasoku_slice;
pub use code::*;
pub use gcm::*;
pub use key_object::Gcm;
pub use quic::*;
pub use quic_batch::*;
pub use quic_packet::*;
pub use siv::*;
pub use streaming::*;
pub use vectored::*;
pub use version::*;
pub use xaes::*;
