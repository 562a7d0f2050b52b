//! Runs the fuzz targets' bodies on fixed inputs, so that they stay correct without a fuzzer. `cargo +nightly fuzz run`
//! continues from there.

#![allow(clippy::expect_used)]

mod support {
    pub(crate) mod random;
}

#[path = "../fuzz/src/bodies.rs"]
mod bodies;
#[path = "../fuzz/seeds.rs"]
mod seeds;

use support::random::Random;

const INPUTS: usize = if cfg!(debug_assertions) { 60 } else { 1500 };

#[test]
fn fuzz_body_whole_messages_passes_on_fixed_inputs() {
    inputs(1, bodies::whole_messages);
}

#[test]
fn fuzz_body_streaming_passes_on_fixed_inputs() {
    inputs(2, bodies::streaming);
}

#[test]
fn fuzz_body_received_packets_passes_on_fixed_inputs() {
    inputs(3, bodies::received_packets);
}

#[test]
fn fuzz_body_packet_batches_passes_on_fixed_inputs() {
    inputs(4, bodies::packet_batches);
}

#[test]
fn fuzz_body_aes_gcm_siv_passes_on_fixed_inputs() {
    inputs(5, bodies::aes_gcm_siv);
}

#[test]
fn fuzz_body_xaes_passes_on_fixed_inputs() {
    inputs(6, bodies::xaes);
}

#[test]
fn fuzz_bodies_pass_on_saved_corpus_inputs() {
    seeds::run(env!("CARGO_MANIFEST_DIR"), "whole_messages", bodies::whole_messages);
    seeds::run(env!("CARGO_MANIFEST_DIR"), "streaming", bodies::streaming);
    seeds::run(env!("CARGO_MANIFEST_DIR"), "received_packets", bodies::received_packets);
    seeds::run(env!("CARGO_MANIFEST_DIR"), "packet_batches", bodies::packet_batches);
    seeds::run(env!("CARGO_MANIFEST_DIR"), "aes_gcm_siv", bodies::aes_gcm_siv);
    seeds::run(env!("CARGO_MANIFEST_DIR"), "xaes", bodies::xaes);
}

/// Runs inputs that end anywhere: inside the key, inside the nonce, after long texts. Some have few byte values, as
/// fuzzers prefer.
fn inputs(seed: u64, run: impl Fn(&[u8])) {
    let mut random = Random::new(seed);
    for length in (0..100).step_by(if cfg!(debug_assertions) { 9 } else { 1 }) {
        run(&random.bytes(length));
    }
    for index in 0..INPUTS {
        let length = random.below([300, 1500, 9000][index % 3]);
        let mut input = random.bytes(length);
        if index % 5 == 0 {
            input.iter_mut().for_each(|byte| *byte = [0x00, 0xFF, 0x01, 0x80][usize::from(*byte) % 4]);
        }
        run(&input);
    }
}
