//! Fuzz target: unprotects arbitrary packets, compared with RustCrypto's primitives in two passes (header mask and
//! AEAD).

#![no_main]

#[path = "../src/bodies.rs"]
mod bodies;

libfuzzer_sys::fuzz_target!(|input: &[u8]| bodies::received_packets(input));
