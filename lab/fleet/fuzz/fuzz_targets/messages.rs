//! Hears what the fuzzer says in another host's place.

#![no_main]

#[path = "../src/bodies.rs"]
mod bodies;

libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    bodies::messages(input);
});
