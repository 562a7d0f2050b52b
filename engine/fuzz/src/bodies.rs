//! The bodies of the fuzz targets. `tests/fuzz_corpus.rs` runs these bodies on fixed inputs, without a fuzzer.

#![allow(dead_code, unused_imports, reason = "each target uses one")]

mod input;
mod packets;
mod relatives;

use std::borrow::Cow;
use std::fmt::Debug;
use std::ops::Range;

use aes_gcm::aead::consts::{U12, U16};
use aes_gcm::aead::inout::InOutBuf;
use aes_gcm::aes::{Aes128, Aes192, Aes256};
use aes_gcm::{AeadInOut, KeyInit};
use kasoku_engine::cpu::Found;
use kasoku_engine::{AesGcm, CodePath, Error, Nonce, Opening, Sealing, Tag};

use input::Input;
pub(crate) use packets::{packet_batches, received_packets};
pub(crate) use relatives::{aes_gcm_siv, xaes};

/// Seals a message on every backend, compares with RustCrypto, opens it, and checks that a changed message is rejected.
pub(crate) fn whole_messages(input: &[u8]) {
    let (key, nonce, message) = Message::read(input);
    let nonce = &nonce[..if nonce[23] & 1 == 0 { 12 } else { 16 }];
    let mut expected = message.text.to_vec();
    let tag = seal(key, nonce, message.aad, &mut expected);
    let nonce = Nonce::try_from(nonce).expect("not empty");
    for key in keys(key) {
        message.comes_back(
            &key,
            (&expected, tag),
            |text, to| key.seal_to(nonce, message.aad, text, to),
            |sealed, to, tag| key.open_to(nonce, message.aad, sealed, to, tag),
        );
    }
}

/// Seals and opens a message in pieces and in slices, with lengths from the input, and compares with the whole message.
pub(crate) fn streaming(input: &[u8]) {
    let mut input = Input(input);
    let key = Key::read(&mut input);
    let nonce_bytes = 1 + usize::from(input.byte() % 40);
    let nonce_at_most: [u8; 40] = input.array();
    let nonce = Nonce::try_from(&nonce_at_most[..nonce_bytes]).expect("not empty");
    let aad_bytes = usize::from(input.byte());
    let aad = input.take(aad_bytes);
    let cuts = input.take(32);
    let text = &*input.text();
    let (pieces, aad_pieces) = (pieces(cuts, text.len()), [0..aad.len() / 3, aad.len() / 3..aad.len()]);

    for key in keys(key) {
        let mut whole = text.to_vec();
        let tag = key.seal(nonce, aad, &mut whole).expect("short");
        let mut sealing = Sealing::new(&key, nonce).expect("short");
        let mut openings = [(); 2].map(|()| Opening::new(&key, nonce).expect("short"));
        for piece in slices(aad, &aad_pieces) {
            sealing.aad(piece).expect("before the text");
            openings.iter_mut().for_each(|opening| opening.aad(piece).expect("before the text"));
        }
        let [mut opening, mut in_place] = openings;
        let (mut sealed, mut opened) = (text.to_vec(), vec![0; text.len()]);
        for (turn, piece) in pieces.iter().enumerate() {
            if turn % 2 == 1 {
                sealing.update(&mut sealed[piece.clone()]).expect("short");
            } else {
                sealing.update_to(&text[piece.clone()], &mut sealed[piece.clone()]).expect("short");
            }
            opening.update_unverified_to(&sealed[piece.clone()], &mut opened[piece.clone()]).expect("short");
            if piece.end > 0 {
                assert_eq!(sealing.aad(&[0]), Err(Error::AadTooLate), "{key:?}");
            }
        }
        assert_eq!(sealing.finish(), tag, "{key:?}");
        assert!(sealed == whole, "{key:?}");
        assert_eq!(opening.finish(&tag), Ok(()), "{key:?}");
        assert!(opened == text, "{key:?}");
        for piece in &pieces {
            in_place.update_unverified(&mut sealed[piece.clone()]).expect("short");
        }
        assert!(sealed == text, "{key:?}");
        let wrong = tag.map(|byte| byte ^ 1);
        assert_eq!(in_place.finish(&wrong), Err(Error::AuthenticationFailed), "{key:?}");

        let aad = slices(aad, &aad_pieces);
        sealed.fill(0);
        assert_eq!(key.seal_vectored(nonce, aad.clone(), slices(text, &pieces), &mut sealed), Ok(tag), "{key:?}");
        assert!(sealed == whole, "{key:?}");
        opened.fill(1);
        let verdict = key.open_vectored(nonce, aad.clone(), slices(&sealed, &pieces), &mut opened, &tag);
        assert_eq!(verdict, Ok(()), "{key:?}");
        assert!(opened == text, "{key:?}");
        let verdict = key.open_vectored(nonce, aad, slices(&sealed, &pieces), &mut opened, &wrong);
        assert_eq!(verdict, Err(Error::AuthenticationFailed), "{key:?}");
        assert!(opened.iter().all(|&byte| byte == 0), "{key:?}");
    }
}

/// Cuts `bytes` bytes into pieces with the lengths in `cuts`; odd lengths are multiplied by 37 to reach long pieces.
/// The rest is one more piece.
fn pieces(cuts: &[u8], bytes: usize) -> Vec<Range<usize>> {
    let far = |cut: u8| usize::from(cut) * if cut & 1 == 1 { 37 } else { 1 };
    let mut from = 0;
    let piece = |further| {
        let start = from;
        from = bytes.min(from + further);
        start..from
    };
    cuts.iter().map(|&cut| far(cut)).chain([bytes]).map(piece).collect()
}

fn slices<'a>(bytes: &'a [u8], pieces: &'a [Range<usize>]) -> impl Iterator<Item = &'a [u8]> + Clone {
    pieces.iter().map(|piece| &bytes[piece.clone()])
}

/// A message from the fuzzer's input, and the change made to the message in transit.
struct Message<'i> {
    aad: &'i [u8],
    text: Cow<'i, [u8]>,
    changed: usize,
    change: u8,
}

impl<'i> Message<'i> {
    /// Reads a key, a nonce of the maximum length, and a message.
    fn read(input: &'i [u8]) -> (Key, [u8; 24], Self) {
        let mut input = Input(input);
        let (key, nonce) = (Key::read(&mut input), input.array());
        let (changed, change) = (usize::from(u16::from_le_bytes(input.array())), input.byte());
        let aad_bytes = usize::from(u16::from_le_bytes(input.array())) % 700;
        let aad = input.take(aad_bytes);
        (key, nonce, Self { aad, text: input.text(), changed, change })
    }

    /// Checks that the message is sealed as expected and opened again, and that a changed message is rejected.
    fn comes_back(
        &self,
        key: &impl Debug,
        (expected, tag): (&[u8], Tag),
        seal: impl Fn(&[u8], &mut [u8]) -> Result<Tag, Error>,
        open: impl Fn(&[u8], &mut [u8], &Tag) -> Result<(), Error>,
    ) {
        let (mut sealed, mut opened) = (vec![0; self.text.len()], vec![1; self.text.len()]);
        assert_eq!(seal(&self.text, &mut sealed), Ok(tag), "{key:?}");
        assert!(sealed == expected, "{key:?}");
        assert_eq!(open(&sealed, &mut opened, &tag), Ok(()), "{key:?}");
        assert!(opened == *self.text, "{key:?}");
        if self.change != 0 {
            let mut tag = tag;
            let all = sealed.len() + tag.len();
            let byte = sealed.iter_mut().chain(&mut tag).nth(self.changed % all).expect("in one of them");
            *byte ^= self.change;
            assert_eq!(open(&sealed, &mut opened, &tag), Err(Error::AuthenticationFailed), "{key:?}");
            assert!(opened.iter().all(|&byte| byte == 0), "{key:?}");
        }
    }
}

#[derive(Clone, Copy)]
struct Key {
    bytes: [u8; 32],
    length: usize,
}

impl Key {
    fn read(input: &mut Input<'_>) -> Self {
        let size = input.byte();
        let bytes = input.array();
        Self { bytes, length: [16, 24, 32][usize::from(size % 3)] }
    }
}

/// Expands the key for every backend that runs on this CPU, in each of its schedules.
fn keys(key: Key) -> impl Iterator<Item = AesGcm> {
    paths().map(move |path| AesGcm::with_backend(&key.bytes[..key.length], path).expect("it runs here"))
}

fn paths() -> impl Iterator<Item = CodePath> {
    let found = Found::here().features();
    CodePath::all().filter(move |path| path.backend.runs_on(found))
}

/// Seals with RustCrypto under a nonce of 12 or 16 bytes, and returns the tag.
fn seal(key: Key, nonce: &[u8], aad: &[u8], text: &mut [u8]) -> [u8; 16] {
    fn with<A: AeadInOut<TagSize = U16> + KeyInit>(key: Key, nonce: &[u8], aad: &[u8], text: &mut [u8]) -> [u8; 16] {
        let key = A::new_from_slice(&key.bytes[..key.length]).expect("its length was chosen");
        let nonce = nonce.try_into().expect("its length was chosen");
        key.encrypt_inout_detached(nonce, aad, InOutBuf::from(text)).expect("short").into()
    }
    match (key.length, nonce.len()) {
        (16, 12) => with::<aes_gcm::AesGcm<Aes128, U12>>(key, nonce, aad, text),
        (24, 12) => with::<aes_gcm::AesGcm<Aes192, U12>>(key, nonce, aad, text),
        (32, 12) => with::<aes_gcm::AesGcm<Aes256, U12>>(key, nonce, aad, text),
        (16, 16) => with::<aes_gcm::AesGcm<Aes128, U16>>(key, nonce, aad, text),
        (24, 16) => with::<aes_gcm::AesGcm<Aes192, U16>>(key, nonce, aad, text),
        _ => with::<aes_gcm::AesGcm<Aes256, U16>>(key, nonce, aad, text),
    }
}
