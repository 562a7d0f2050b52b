//! The same calls, in any order, to OpenSSL's own provider and to Kasoku's: every return value, every output and every
//! error must be the same.
//!
//! What is left out is where the default provider does something that no one should repeat; each is held against what
//! is right in `deviations.rs`.

mod evp;
#[path = "../../engine/fuzz/seeds.rs"]
mod seeds;

use evp::both::{Both, choices};
use evp::random::Random;
use evp::{Library, NAMES};

/// Sequences of calls for each key length.
const SEQUENCES: u64 = 40_000;

#[test]
fn any_sequence_of_calls_gives_what_the_default_provider_gives() {
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
        // A sequence that only fails compares nothing.
        assert!(successes > calls / 3, "{successes} of {calls}");
    }
}

#[test]
fn what_fuzzing_kept() {
    let library = Library::new("");
    let ciphers = library.both_of_each();
    seeds::run(env!("CARGO_MANIFEST_DIR"), "calls", |seed| choices(&ciphers, seed));
}
