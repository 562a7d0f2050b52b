//! `cargo +nightly fuzz run boundary` in `c-abi/`: the calls of the header against what it says.

#![no_main]

#[path = "../boundary.rs"]
mod boundary;

libfuzzer_sys::fuzz_target!(|data: &[u8]| boundary::run(data));
