//! The C library: AES-GCM of `kasoku-engine` behind `kasoku.h`.
//!
//! Thin on purpose. What is here is what C does not check by itself: pointers, lengths and overlaps (`buffers.rs`),
//! panics (`border.rs`), error codes (`code.rs`), the backend asked for in the environment (`environment.rs`). `gcm.rs`
//! and `pieces.rs` are the calls. The doc comments of everything that C sees are written for C programmers: the header
//! is made from them.

mod border;
mod buffers;
mod code;
mod environment;
mod gcm;
mod pieces;
mod version;

pub use code::*;
pub use gcm::*;
pub use pieces::*;
pub use version::*;
