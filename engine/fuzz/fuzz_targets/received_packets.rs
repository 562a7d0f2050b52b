//! Unprotects what the fuzzer thinks of, against two passes of RustCrypto's.

#![no_main]

#[path = "../src/bodies.rs"]
mod bodies;

libfuzzer_sys::fuzz_target!(|input: &[u8]| bodies::received_packets(input));
