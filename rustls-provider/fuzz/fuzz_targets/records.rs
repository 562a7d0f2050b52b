//! Compares Kasoku's suites with rustls's own on TLS records and QUIC packets that are modified on the way.

#![no_main]

#[path = "../src/bodies.rs"]
mod bodies;

libfuzzer_sys::fuzz_target!(|input: &[u8]| bodies::records(input));
