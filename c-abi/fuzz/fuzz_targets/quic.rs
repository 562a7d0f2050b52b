//! Run with `cargo +nightly fuzz run quic` in `c-abi/`: checks calls for QUIC packets against the header.

#![no_main]

#[path = "../bodies.rs"]
mod bodies;

libfuzzer_sys::fuzz_target!(|data: &[u8]| bodies::quic::run(data));
