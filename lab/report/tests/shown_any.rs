//! Run documents that somebody edited, shown in every form: nothing ends it, nothing steers the reader's screen, and no
//! figure is none.

#![allow(clippy::unwrap_used, clippy::expect_used)] // helpers of tests

#[path = "../fuzz/src/bodies.rs"]
mod bodies;
#[path = "../../../engine/tests/support/random.rs"]
mod random;
#[path = "../../../engine/fuzz/seeds.rs"]
mod seeds;

use random::Random;

/// As many scripts as `KASOKU_TEST_SCRIPTS` says, else as take a few seconds.
#[test]
fn edited_documents_are_shown() {
    let mut generator = Random::new(1);
    let mut random = |below: usize| generator.below(below.max(1));
    let scripts = std::env::var("KASOKU_TEST_SCRIPTS").map_or(250, |count| count.parse().unwrap());
    for _ in 0..scripts {
        let length = 2 + random(60);
        let script: Vec<u8> = (0..length).map(|_| random(256) as u8).collect();
        bodies::shown(&script);
    }
}

#[test]
fn what_fuzzing_kept() {
    seeds::run(env!("CARGO_MANIFEST_DIR"), "shown", bodies::shown);
}
