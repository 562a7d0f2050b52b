//! `cargo +nightly fuzz run quic` in `c-abi/`: QUIC's calls of the header against what it says.

#![no_main]

#[path = "../quic.rs"]
mod quic;

libfuzzer_sys::fuzz_target!(|data: &[u8]| quic::run(data));
