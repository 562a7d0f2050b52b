//! Seals and opens by XAES-256-GCM what the fuzzer thinks of, against its specification written out.

#![no_main]

#[path = "../src/bodies.rs"]
mod bodies;

libfuzzer_sys::fuzz_target!(|input: &[u8]| bodies::xaes(input));
