//! Runs the bodies of the fuzz targets on fixed inputs, so that every test run builds and checks them.

#![allow(clippy::expect_used)]

#[path = "../fuzz/src/bodies.rs"]
mod bodies;
#[path = "../../engine/tests/support/random.rs"]
mod random;
#[path = "../../engine/fuzz/seeds.rs"]
mod seeds;

use kasoku_file::passphrase::{ENVELOPE_BYTES, MAGIC};
use kasoku_file::{Key, key_file};
use random::Random;

#[test]
fn damaged_files_fuzz_target_handles_generated_inputs() {
    let mut random = Random::new(1);
    bodies::damaged_files(&[]);
    for number in 0..400 {
        let mut input = random.bytes(number % 60);
        // Leaves some inputs undamaged.
        if let Some(damages) = input.get_mut(3).filter(|_| number % 4 == 0) {
            *damages = 0;
        }
        bodies::damaged_files(&input);
    }
}

#[test]
fn strange_files_fuzz_target_handles_generated_inputs() {
    let mut random = Random::new(2);
    for number in 0..400 {
        bodies::strange_files(&random.bytes(number * 7 % 40_000));
        // Tries envelopes with valid and invalid numbers.
        let mut envelope =
            [&MAGIC[..], &b"12"[number % 2..][..1], &random.bytes(ENVELOPE_BYTES - 16 + number % 90)].concat();
        envelope[16..28].iter_mut().enumerate().for_each(|(place, byte)| *byte &= [0, 0, 0x1F, 0x1F][place % 4]);
        bodies::strange_files(&envelope);
        // Changes one byte of a key file.
        let key = Key::from_bytes(&[number as u8; 32][..[16, 32][number % 2]]).expect("a length of keys");
        let mut text = key_file::format(&key).as_bytes().to_vec();
        let place = number * 13 % text.len();
        text[place] = random.bytes(1)[0];
        bodies::strange_files(&text);
    }
}

#[test]
fn file_fuzz_targets_accept_stored_seeds() {
    seeds::run(env!("CARGO_MANIFEST_DIR"), "damaged_files", bodies::damaged_files);
    seeds::run(env!("CARGO_MANIFEST_DIR"), "strange_files", bodies::strange_files);
}
