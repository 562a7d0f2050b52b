//! Seals and opens by AES-GCM-SIV what the fuzzer thinks of, against RFC 8452 written out.

#![no_main]

#[path = "../src/bodies.rs"]
mod bodies;

libfuzzer_sys::fuzz_target!(|input: &[u8]| bodies::aes_gcm_siv(input));
