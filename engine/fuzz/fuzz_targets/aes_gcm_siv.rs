//! Fuzz target: seals and opens with AES-GCM-SIV, compared with a reference implementation of RFC 8452.

#![no_main]

#[path = "../src/bodies.rs"]
mod bodies;

libfuzzer_sys::fuzz_target!(|input: &[u8]| bodies::aes_gcm_siv(input));
