//! Fuzz target: seals and opens messages, compared with RustCrypto's implementation.

#![no_main]

#[path = "../src/bodies.rs"]
mod bodies;

libfuzzer_sys::fuzz_target!(|input: &[u8]| bodies::whole_messages(input));
