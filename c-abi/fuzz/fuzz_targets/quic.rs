//! `cargo +nightly fuzz run quic` in `c-abi/`: QUIC's calls of the header against what it says.

#![no_main]

#[path = "../bodies.rs"]
mod bodies;

libfuzzer_sys::fuzz_target!(|data: &[u8]| bodies::quic::run(data));
