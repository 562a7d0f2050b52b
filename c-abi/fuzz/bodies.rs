//! Bodies of the fuzz targets. `tests/fuzz_target.rs` runs them without a fuzzer.

#![allow(dead_code, reason = "each fuzz target uses a part of this module")]
#![allow(unsafe_code, reason = "calls the C API")]
#![allow(
    clippy::undocumented_unsafe_blocks,
    reason = "every call gets memory in the arena, or arguments that it must reject"
)]
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a panic reports a fault to the fuzzer")]

mod arena;
pub(crate) mod boundary;
mod codes;
mod creation;
mod keys;
mod pieces;
pub(crate) mod quic;
mod quic_keys;
mod script;
