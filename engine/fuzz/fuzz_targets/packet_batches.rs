//! Fuzz target: protects and unprotects batches of packets, compared with RustCrypto's primitives in two passes (AEAD
//! and header mask).

#![no_main]

#[path = "../src/bodies.rs"]
mod bodies;

libfuzzer_sys::fuzz_target!(|input: &[u8]| bodies::packet_batches(input));
