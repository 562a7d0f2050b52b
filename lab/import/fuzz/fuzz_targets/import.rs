//! Fuzz target for `kasoku_import::import`.

#![no_main]

#[path = "../src/bodies.rs"]
mod bodies;

libfuzzer_sys::fuzz_target!(|input: &[u8]| bodies::import(input));
