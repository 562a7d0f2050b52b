//! Fuzz target: protects and unprotects batches of packets, compared with two passes of RustCrypto's primitives.

#![no_main]

#[path = "../src/bodies.rs"]
mod bodies;

libfuzzer_sys::fuzz_target!(|input: &[u8]| bodies::packet_batches(input));
