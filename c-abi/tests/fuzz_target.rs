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
    let kept = |target, body: fn(&[u8])| {
        seeds::seeds(env!("CARGO_MANIFEST_DIR"), target).iter().for_each(|seed| body(seed));
    };
    kept("boundary", bodies::boundary::run);
    kept("quic", bodies::quic::run);
}
