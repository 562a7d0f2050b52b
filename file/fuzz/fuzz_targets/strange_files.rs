//! Reads arbitrary bytes as an encrypted file, an envelope and a key file.

#![no_main]

#[path = "../src/bodies.rs"]
mod bodies;

libfuzzer_sys::fuzz_target!(|input: &[u8]| bodies::strange_files(input));
