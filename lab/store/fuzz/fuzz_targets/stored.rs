//! Stores documents that the fuzzer makes up, and reads stores that it has written in.

#![no_main]

#[path = "../src/bodies.rs"]
mod bodies;

libfuzzer_sys::fuzz_target!(|input: &[u8]| bodies::stored(input));
