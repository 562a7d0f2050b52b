//! Run with `cargo +nightly fuzz run boundary` in `c-abi/`: checks calls for messages against the header.

#![no_main]

#[path = "../bodies.rs"]
mod bodies;

libfuzzer_sys::fuzz_target!(|data: &[u8]| bodies::boundary::run(data));
