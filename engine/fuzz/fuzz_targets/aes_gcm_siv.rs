//! Fuzz target: seals and opens with AES-GCM-SIV, compared with RFC 8452 written out.

#![no_main]

#[path = "../src/bodies.rs"]
mod bodies;

libfuzzer_sys::fuzz_target!(|input: &[u8]| bodies::aes_gcm_siv(input));
