//! Makes random sequences of calls to OpenSSL's own provider and to Kasoku's. Return values, outputs and errors must be
//! equal.
//!
//! Intended differences are left out; `deviations.rs` tests them.

mod evp;
#[path = "../../engine/fuzz/seeds.rs"]
mod seeds;

use evp::both::{Both, choices};
use evp::random::Random;
use evp::{Library, NAMES};

/// Sequences per key length.
const SEQUENCES: u64 = 40_000;

#[test]
fn random_calls_match_the_default_provider() {
    for settings in ["", "backend = portable"] {
        let library = Library::new(settings);
        let sequences = if settings.is_empty() { SEQUENCES } else { SEQUENCES / 8 };
        let (mut calls, mut successes) = (0, 0);
        for (ciphers, (_, key_bytes)) in library.both_of_each().iter().zip(NAMES) {
            for seed in 0..sequences {
                let mut both = Both::new(ciphers, key_bytes, Random::new(seed * 3 + key_bytes as u64));
                both.run();
                calls += both.log.len();
                successes += both.successes;
            }
        }
        println!("{calls} calls, of which {successes} succeeded");
        // A sequence in which every call fails would compare nothing.
        assert!(successes > calls / 3, "{successes} of {calls}");
    }
}

#[test]
fn stored_fuzz_seeds_match_the_default_provider() {
    let library = Library::new("");
    let ciphers = library.both_of_each();
    seeds::run(env!("CARGO_MANIFEST_DIR"), "calls", |seed| choices(&ciphers, seed));
}
