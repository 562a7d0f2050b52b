//! The fuzz target's body with inputs that are the same every time, so that it is run, and stays right, without a
//! fuzzer.

#[path = "../fuzz/src/bodies.rs"]
mod bodies;
#[path = "../../engine/tests/support/random.rs"]
mod random;
#[path = "../../engine/fuzz/seeds.rs"]
mod seeds;

use random::Random;

const INPUTS: usize = if cfg!(debug_assertions) { 2_000 } else { 20_000 };

#[test]
fn records() {
    let mut random = Random::new(1);
    for number in 0..INPUTS {
        let length = random.below([60, 400, 2000][number % 3]);
        let mut input = random.bytes(length);
        // Some that change nothing, or little, as a fuzzer likes them.
        if number % 4 == 0 {
            input.iter_mut().for_each(|byte| *byte = [0x00, 0x01, 0x80, *byte][usize::from(*byte) % 4]);
        }
        bodies::records(&input);
    }
}

#[test]
fn what_fuzzing_kept() {
    seeds::run(env!("CARGO_MANIFEST_DIR"), "records", bodies::records);
}
