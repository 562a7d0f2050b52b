//! The 32-bit counter wraps without a carry into the rest of the counter block (SP 800-38D §6.2), at every position in
//! every loop.
//!
//! J0 of a nonce that does not have 96 bits is a hash, so its counter may have any value. The reference implementation
//! finds nonces for which the counter of J0 is any chosen number of blocks before the wrap.

#![allow(clippy::unwrap_used)]

mod support {
    pub(crate) mod backends;
    pub(crate) mod peers;
    pub(crate) mod random;
    pub(crate) mod reference;
}

use aes_gcm::aead::consts::U16;
use kasoku_engine::{AesGcm, Nonce, Opening, Sealing};
use support::backends;
use support::peers::RustCrypto;
use support::random::Random;
use support::reference::{Block, Reference};

/// Distances in blocks from J0 to the wrap of the counter that the slow reference can check: J0 ends in 2^32 minus the
/// distance.
const DISTANCES: std::ops::RangeInclusive<u32> = 1..=0x200;

#[test]
fn counter_wrap_within_the_first_512_blocks_matches_the_reference() {
    let mut random = Random::new(1);
    for distance in DISTANCES.step_by(if backends::is_brief() { 23 } else { 1 }) {
        let key = random.bytes([16, 24, 32][distance as usize % 3]);
        let reference = Reference::new(&key);
        let nonce = reference.nonce_of(first_counter(&mut random, distance));
        // The counter wraps after the last block, before the last block, and further inside the text.
        let before_wrap = 16 * (distance as usize - 1);
        let text = random.bytes(before_wrap + 700);
        let (ciphertext, _) = reference.seal(&nonce, b"", &text);
        let keys = backends::keys(&key);
        for beyond in [0, 1, 16, 47, 130, 700 - 16 * (distance as usize % 8)] {
            let bytes = before_wrap + beyond;
            let aad = &text[..distance as usize % 20];
            let expected = (&ciphertext[..bytes], tag(&reference, &nonce, aad, &ciphertext[..bytes]));
            for key in &keys {
                check(key, &nonce, aad, &text[..bytes], expected);
            }
        }
    }
}

/// The counter wraps so late that the loops for long messages are running. RustCrypto is faster than the reference
/// implementation.
#[test]
fn counter_wrap_after_more_than_512_blocks_matches_rustcrypto() {
    let mut random = Random::new(2);
    let (mut distances, mut next) = (Vec::new(), 0x201);
    while next < 0x2200 {
        distances.push(next);
        next += if backends::is_brief() { 301 } else { 29 };
    }
    distances.extend([0x3FF, 0x400, 0x401, 0x7FF, 0x800, 0x801, 0xFFF, 0x1000, 0x1001, 0x1FFF, 0x2000, 0x2001]);
    for distance in distances {
        let key = random.bytes([16, 24, 32][distance as usize % 3]);
        let nonce = Reference::new(&key).nonce_of(first_counter(&mut random, distance));
        let beyond = random.below(5000);
        let text = random.bytes(16 * distance as usize + beyond);
        let mut ciphertext = text.clone();
        let tag = RustCrypto::<U16>::new(&key).seal(&nonce, b"aad", &mut ciphertext);
        for key in backends::keys(&key) {
            check(&key, &nonce, b"aad", &text, (&ciphertext, tag));
        }
    }
}

/// Parts of random sizes start the loops at many distances from the wrap. The wrap can lie between two parts.
#[test]
fn counter_wrap_in_streamed_messages_matches_rustcrypto() {
    let mut random = Random::new(3);
    for round in 0..if backends::is_brief() { 40 } else { 1500 } {
        let distance = 1 + random.below(0x200);
        let key = random.bytes([16, 24, 32][round % 3]);
        let nonce = Reference::new(&key).nonce_of(first_counter(&mut random, distance as u32));
        let beyond = random.below(3000);
        let text = random.bytes(16 * distance + beyond);
        let mut ciphertext = text.clone();
        let tag = RustCrypto::<U16>::new(&key).seal(&nonce, b"", &mut ciphertext);
        let longest_piece = [20, 100, 600, 5000][random.below(4)];
        for key in backends::keys(&key) {
            let case = format!("{key:?}, J0 {distance} before the wrap, {} bytes", text.len());
            let nonce = Nonce::try_from(&nonce[..]).unwrap();
            let mut sealing = Sealing::new(&key, nonce).unwrap();
            let mut opening = Opening::new(&key, nonce).unwrap();
            let (mut sealed, mut from) = (text.clone(), 0);
            while from < text.len() {
                let to = text.len().min(from + random.below(longest_piece));
                sealing.update(&mut sealed[from..to]).unwrap();
                from = to;
            }
            assert!(sealed == ciphertext, "{case}");
            assert_eq!(sealing.finish(), tag, "{case}");
            from = 0;
            while from < text.len() {
                let to = text.len().min(from + random.below(longest_piece));
                opening.update_unverified(&mut sealed[from..to]).unwrap();
                from = to;
            }
            assert!(sealed == text, "{case}");
            assert_eq!(opening.finish(&tag), Ok(()), "{case}");
        }
    }
}

fn first_counter(random: &mut Random, distance: u32) -> Block {
    // Half of the counters have all ones before the last 32 bits: a wrong carry would change all of them.
    let mut counter = if random.below(2) == 0 { [0xFF; 16] } else { random.array() };
    counter[12..].copy_from_slice(&0_u32.wrapping_sub(distance).to_be_bytes());
    counter
}

/// Returns the reference's tag for a ciphertext that it has computed already.
fn tag(reference: &Reference, nonce: &[u8], aad: &[u8], ciphertext: &[u8]) -> Block {
    reference.tag(reference.first_counter(nonce), aad, ciphertext)
}

fn check(key: &AesGcm, nonce: &Block, aad: &[u8], text: &[u8], (ciphertext, tag): (&[u8], Block)) {
    let case = || format!("{key:?}, nonce {nonce:02x?}, text of {} bytes", text.len());
    let nonce = Nonce::try_from(&nonce[..]).unwrap();
    let mut work = vec![0; text.len()];
    assert_eq!(key.seal_to(nonce, aad, text, &mut work), Ok(tag), "{}", case());
    assert!(work == ciphertext, "{}", case());
    assert_eq!(key.open(nonce, aad, &mut work, &tag), Ok(()), "{}", case());
    assert!(work == text, "{}", case());
}
