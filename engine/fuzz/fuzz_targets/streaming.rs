//! Fuzz target: seals and opens a message in pieces, compared with the whole message.

#![no_main]

#[path = "../src/bodies.rs"]
mod bodies;

libfuzzer_sys::fuzz_target!(|input: &[u8]| bodies::streaming(input));
