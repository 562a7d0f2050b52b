//! `cargo +nightly fuzz run border` in `c-abi/`: the calls of the header against what it says.

#![no_main]

#[path = "../border.rs"]
mod border;

libfuzzer_sys::fuzz_target!(|data: &[u8]| border::run(data));
