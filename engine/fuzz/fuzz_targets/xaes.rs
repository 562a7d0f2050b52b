//! Fuzz target: seals and opens with XAES-256-GCM, compared with a reference implementation.

#![no_main]

#[path = "../src/bodies.rs"]
mod bodies;

libfuzzer_sys::fuzz_target!(|input: &[u8]| bodies::xaes(input));
