//! Bodies of the fuzz targets. `tests/fuzz_target.rs` runs them without a fuzzer.

#![allow(dead_code, reason = "each target uses its part")]
#![allow(unsafe_code, reason = "these are C's calls")]
#![allow(clippy::undocumented_unsafe_blocks, reason = "every block is a call with the arena, or must be refused")]
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a panic is what a fuzzer looks for")]

mod arena;
pub(crate) mod boundary;
mod codes;
mod creation;
mod keys;
mod pieces;
pub(crate) mod quic;
mod quic_keys;
mod script;
