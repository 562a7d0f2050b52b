//! Damages encrypted files as the fuzzer chooses, and reads them in every way.

#![no_main]

#[path = "../src/bodies.rs"]
mod bodies;

libfuzzer_sys::fuzz_target!(|input: &[u8]| bodies::damaged_files(input));
