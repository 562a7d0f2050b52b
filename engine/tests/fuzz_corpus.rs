//! Runs the bodies of the fuzz targets (`engine/fuzz/src/bodies.rs`) on fixed inputs, without a fuzzer. To fuzz with
//! other inputs, use `.ci/fuzz`.

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
fn fixed_inputs_pass_fuzz_target_whole_messages() {
    inputs(1, bodies::whole_messages);
}

#[test]
fn fixed_inputs_pass_fuzz_target_streaming() {
    inputs(2, bodies::streaming);
}

#[test]
fn fixed_inputs_pass_fuzz_target_received_packets() {
    inputs(3, bodies::received_packets);
}

#[test]
fn fixed_inputs_pass_fuzz_target_packet_batches() {
    inputs(4, bodies::packet_batches);
}

#[test]
fn fixed_inputs_pass_fuzz_target_aes_gcm_siv() {
    inputs(5, bodies::aes_gcm_siv);
}

#[test]
fn fixed_inputs_pass_fuzz_target_xaes() {
    inputs(6, bodies::xaes);
}

#[test]
fn saved_corpus_inputs_pass_all_fuzz_targets() {
    seeds::run(env!("CARGO_MANIFEST_DIR"), "whole_messages", bodies::whole_messages);
    seeds::run(env!("CARGO_MANIFEST_DIR"), "streaming", bodies::streaming);
    seeds::run(env!("CARGO_MANIFEST_DIR"), "received_packets", bodies::received_packets);
    seeds::run(env!("CARGO_MANIFEST_DIR"), "packet_batches", bodies::packet_batches);
    seeds::run(env!("CARGO_MANIFEST_DIR"), "aes_gcm_siv", bodies::aes_gcm_siv);
    seeds::run(env!("CARGO_MANIFEST_DIR"), "xaes", bodies::xaes);
}

/// Runs a fuzz target on inputs that end at any position: inside the key, inside the nonce, or after a long text. Some
/// inputs have only a few different byte values, as fuzzers prefer.
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
