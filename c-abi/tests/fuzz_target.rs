//! Runs the bodies of the fuzz targets on generated and stored inputs, so that every test run builds and checks them.

#[path = "../fuzz/bodies.rs"]
mod bodies;
#[path = "../../engine/tests/support/random.rs"]
mod random;
#[path = "../../engine/fuzz/seeds.rs"]
mod seeds;

use random::Random;

#[test]
fn c_fuzz_targets_accept_generated_inputs() {
    let mut random = Random::new(1);
    for number in 0..100_000 {
        let bytes = random.bytes(number % 400);
        bodies::boundary::run(&bytes);
        bodies::quic::run(&bytes);
    }
}

#[test]
fn c_fuzz_targets_accept_stored_seeds() {
    seeds::run(env!("CARGO_MANIFEST_DIR"), "boundary", bodies::boundary::run);
    seeds::run(env!("CARGO_MANIFEST_DIR"), "quic", bodies::quic::run);
}
