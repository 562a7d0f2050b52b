//! Records of TLS and packets of QUIC, changed on their way: rustls with Kasoku's suites against its own.

#![no_main]

#[path = "../src/bodies.rs"]
mod bodies;

libfuzzer_sys::fuzz_target!(|input: &[u8]| bodies::records(input));
