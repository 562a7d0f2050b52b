//! The C library: AES-GCM and QUIC packet protection of `kasoku-engine` behind `kasoku.h`.
//!
//! Thin on purpose. What is here is what C does not check by itself: pointers, lengths and overlaps (`buffers.rs`),
//! panics (`boundary.rs`), error codes (`code.rs`), the backend asked for in the environment (`environment.rs`).
//! `gcm.rs`, `vectored.rs`, `streaming.rs`, `xaes.rs`, `siv.rs` and `quic….rs` are the calls; `whole.rs` and
//! `fixed_nonce.rs` are what those for whole messages share.
//! The doc comments of everything that C sees are written for C programmers: the header is made from them.

#![deny(missing_docs)]
mod boundary;
mod buffers;
mod code;
mod environment;
mod fixed_nonce;
mod gcm;
mod quic;
mod siv;
mod streaming;
mod vectored;
mod whole;
mod xaes;

// Apart from the others: the header has the calls in this order.
mod quic_packet;

mod quic_batch;

mod version;

pub use buffers::kasoku_slice;
pub use code::*;
pub use gcm::*;
pub use quic::*;
pub use quic_batch::*;
pub use quic_packet::*;
pub use siv::*;
pub use streaming::*;
pub use vectored::*;
pub use version::*;
pub use xaes::*;
