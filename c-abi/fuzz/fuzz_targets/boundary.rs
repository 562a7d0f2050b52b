//! `cargo +nightly fuzz run boundary` in `c-abi/`: the calls of the header against what it says.

#![no_main]

#[path = "../bodies.rs"]
mod bodies;

libfuzzer_sys::fuzz_target!(|data: &[u8]| bodies::boundary::run(data));
