//! Runs the body of the fuzz target on fixed inputs, so that every test run builds and checks it.

#[path = "../fuzz/src/bodies.rs"]
mod bodies;
#[path = "../../engine/tests/support/random.rs"]
mod random;
#[path = "../../engine/fuzz/seeds.rs"]
mod seeds;

use random::Random;

const INPUTS: usize = if cfg!(debug_assertions) { 2_000 } else { 20_000 };

#[test]
fn rustls_fuzz_target_accepts_generated_inputs() {
    let mut random = Random::new(1);
    for number in 0..INPUTS {
        let length = random.below([60, 400, 2000][number % 3]);
        let mut input = random.bytes(length);
        // Gives some inputs few or no modifications.
        if number % 4 == 0 {
            input.iter_mut().for_each(|byte| *byte = [0x00, 0x01, 0x80, *byte][usize::from(*byte) % 4]);
        }
        bodies::records(&input);
    }
}

#[test]
fn rustls_fuzz_target_accepts_stored_seeds() {
    seeds::run(env!("CARGO_MANIFEST_DIR"), "records", bodies::records);
}
