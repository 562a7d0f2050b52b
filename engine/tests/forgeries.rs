//! Forged messages: a changed bit anywhere gives an error and no plaintext.

#![allow(clippy::unwrap_used)]

mod support {
    pub(crate) mod backends;
    pub(crate) mod random;
}

use kasoku_engine::{AesGcm, Error, Nonce};
use support::backends;
use support::random::Random;

/// Every text length. Each byte of text, AAD and nonce has one bit flipped, and every bit of the tag is flipped; for
/// most lengths, only some bytes.
#[test]
fn open_rejects_flipped_bits_in_short_messages() {
    let mut random = Random::new(1);
    for text_bytes in (0..=600).step_by(if cfg!(debug_assertions) { 7 } else { 1 }) {
        let key = random.bytes([16, 24, 32][text_bytes % 3]);
        let step = if text_bytes % 49 == 0 || matches!(text_bytes, 1 | 15..=17 | 63..=65 | 512) { 1 } else { 101 };
        for key in backends::keys(&key) {
            Message::new(&key, &mut random, 12, text_bytes % 60, text_bytes).check_every_byte(step);
        }
    }
}

/// Some bytes only, with a step that meets every position in a block, a vector and a group.
#[test]
fn open_rejects_flipped_bits_in_long_messages() {
    let mut random = Random::new(2);
    for text_bytes in [1000, 2047, 2048, 2049, 4096, 5000, 10_000, 16_384 + 33] {
        for key in backends::keys(&random.bytes(32)) {
            Message::new(&key, &mut random, 12, 300, text_bytes).check_every_byte(211);
        }
    }
}

#[test]
fn open_rejects_flipped_bits_under_nonces_of_other_than_96_bits() {
    let mut random = Random::new(3);
    for (nonce_bytes, text_bytes) in [(1, 0), (8, 33), (16, 100), (40, 600), (11, 5000)] {
        for key in backends::keys(&random.bytes(16)) {
            Message::new(&key, &mut random, nonce_bytes, 20, text_bytes).check_every_byte(23);
        }
    }
}

/// Messages cut short or extended, and bytes moved between AAD and text.
#[test]
fn open_rejects_shifted_and_resized_messages() {
    let mut random = Random::new(4);
    for key in backends::keys(&random.bytes(16)) {
        for text_bytes in [1, 16, 17, 64, 100, 600, 3000] {
            let message = Message::new(&key, &mut random, 12, 20, text_bytes);
            let Message { nonce, aad, text, tag, .. } = &message;
            message.check_forged(nonce, aad, &text[..text_bytes - 1], tag);
            message.check_forged(nonce, aad, &[text, &[0][..]].concat(), tag);
            message.check_forged(nonce, &aad[..19], text, tag);
            message.check_forged(nonce, &[aad, &[0][..]].concat(), text, tag);
            message.check_forged(nonce, &aad[..19], &[&aad[19..], text].concat(), tag);
            message.check_forged(nonce, &[aad, &text[..1]].concat(), &text[1..], tag);
        }
    }
}

/// A sealed message, with its ciphertext and tag.
struct Message<'k> {
    key: &'k AesGcm,
    nonce: Vec<u8>,
    aad: Vec<u8>,
    text: Vec<u8>,
    tag: [u8; 16],
}

impl<'k> Message<'k> {
    fn new(key: &'k AesGcm, random: &mut Random, nonce_bytes: usize, aad_bytes: usize, text_bytes: usize) -> Self {
        let nonce = random.bytes(nonce_bytes);
        let (aad, mut text) = (random.bytes(aad_bytes), random.bytes(text_bytes));
        let tag = key.seal(Nonce::try_from(&nonce[..]).unwrap(), &aad, &mut text).unwrap();
        let mut opened = text.clone();
        assert_eq!(key.open(Nonce::try_from(&nonce[..]).unwrap(), &aad, &mut opened, &tag), Ok(()));
        Self { key, nonce, aad, text, tag }
    }

    /// Forges each bit of the tag, and a bit of each `step`-th byte of everything else.
    fn check_every_byte(&self, step: usize) {
        let Self { nonce, aad, text, tag, .. } = self;
        for bit in 0..128 {
            let mut forged = *tag;
            forged[bit / 8] ^= 1 << (bit % 8);
            self.check_forged(nonce, aad, text, &forged);
        }
        for forged in with_a_flipped_bit(nonce, 1) {
            self.check_forged(&forged, aad, text, tag);
        }
        for forged in with_a_flipped_bit(aad, step) {
            self.check_forged(nonce, &forged, text, tag);
        }
        for forged in with_a_flipped_bit(text, step) {
            self.check_forged(nonce, aad, &forged, tag);
        }
    }

    /// Checks that opening a forgery, in place and into another buffer, is rejected and leaves zeros.
    fn check_forged(&self, nonce: &[u8], aad: &[u8], text: &[u8], tag: &[u8; 16]) {
        let nonce = Nonce::try_from(nonce).unwrap();
        let mut in_place = text.to_vec();
        assert_eq!(self.key.open(nonce, aad, &mut in_place, tag), Err(Error::AuthenticationFailed), "{:?}", self.key);
        assert!(in_place.iter().all(|&byte| byte == 0), "{:?} gave a forgery's text away", self.key);
        let mut output = vec![0xA5; text.len()];
        assert_eq!(
            self.key.open_to(nonce, aad, text, &mut output, tag),
            Err(Error::AuthenticationFailed),
            "{:?}",
            self.key
        );
        assert!(output.iter().all(|&byte| byte == 0), "{:?} gave a forgery's text away", self.key);
    }
}

/// Yields copies with one bit flipped: in each `step`-th byte, at changing positions, and in the last byte.
fn with_a_flipped_bit(bytes: &[u8], step: usize) -> impl Iterator<Item = Vec<u8>> {
    let places = (0..bytes.len()).filter(move |at| at % step == 0 || at + 1 == bytes.len());
    places.map(|at| {
        let mut copy = bytes.to_vec();
        copy[at] ^= 1 << (at % 8);
        copy
    })
}
