//! The fuzz targets' bodies over inputs made here, so that they are always checked, and known to build.

#[path = "../fuzz/bodies.rs"]
mod bodies;
#[path = "../../engine/tests/support/random.rs"]
mod random;
#[path = "../../engine/fuzz/seeds.rs"]
mod seeds;

use random::Random;

#[test]
fn generated_inputs() {
    let mut random = Random::new(1);
    for number in 0..100_000 {
        let bytes = random.bytes(number % 400);
        bodies::boundary::run(&bytes);
        bodies::quic::run(&bytes);
    }
}

#[test]
fn what_fuzzing_kept() {
    seeds::run(env!("CARGO_MANIFEST_DIR"), "boundary", bodies::boundary::run);
    seeds::run(env!("CARGO_MANIFEST_DIR"), "quic", bodies::quic::run);
}
