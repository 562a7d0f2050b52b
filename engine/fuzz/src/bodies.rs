//! What the fuzz targets do with an input; `tests/fuzz_corpus.rs` does the same with inputs of its own, without a
//! fuzzer.

#![allow(dead_code, unused_imports, reason = "each target uses one")]

mod input;
mod packets;

use aes_gcm::aead::consts::{U12, U16};
use aes_gcm::aead::inout::InOutBuf;
use aes_gcm::aes::{Aes128, Aes192, Aes256};
use aes_gcm::{AeadInOut, KeyInit};
use kasoku_engine::cpu::Found;
use kasoku_engine::{AesGcm, CodePath, Error, Nonce, Opening, Sealing};

use input::Input;
pub(crate) use packets::{packet_batches, received_packets};

/// Seals on every backend as RustCrypto does, opens again, and refuses what the input makes of it.
pub(crate) fn whole_messages(input: &[u8]) {
    let mut input = Input(input);
    let key = Key::of(&mut input);
    let nonce: [u8; 16] = input.array();
    let (changed, change) = (usize::from(u16::from_le_bytes(input.array())), input.byte());
    let is_96_bits = input.byte() & 1 == 0;
    let aad_bytes = usize::from(u16::from_le_bytes(input.array())) % 700;
    let aad = input.take(aad_bytes);
    let text = input.0;

    let nonce = if is_96_bits { &nonce[..12] } else { &nonce[..] };
    let mut expected = text.to_vec();
    let tag = seal(key, nonce, aad, &mut expected);
    let nonce = Nonce::try_from(nonce).expect("not empty");
    for key in keys(key) {
        let mut work = vec![0; text.len()];
        assert_eq!(key.seal_to(nonce, aad, text, &mut work), Ok(tag), "{key:?}");
        assert!(work == expected, "{key:?}");
        let mut opened = work.clone();
        assert_eq!(key.open(nonce, aad, &mut opened, &tag), Ok(()), "{key:?}");
        assert!(opened == text, "{key:?}");
        if change != 0 {
            let mut tag = tag;
            let at = changed % (work.len() + 16);
            if at < work.len() {
                work[at] ^= change
            } else {
                tag[at - work.len()] ^= change
            }
            assert_eq!(key.open_to(nonce, aad, &work, &mut opened, &tag), Err(Error::AuthenticationFailed), "{key:?}");
            assert!(opened.iter().all(|&byte| byte == 0), "{key:?}");
        }
    }
}

/// Seals and opens in pieces whose lengths the input says, and compares with the whole message.
pub(crate) fn streaming(input: &[u8]) {
    let mut input = Input(input);
    let key = Key::of(&mut input);
    let nonce_bytes = 1 + usize::from(input.byte() % 40);
    let nonce_at_most: [u8; 40] = input.array();
    let nonce = Nonce::try_from(&nonce_at_most[..nonce_bytes]).expect("not empty");
    let aad_bytes = usize::from(input.byte());
    let aad = input.take(aad_bytes);
    let cuts = input.take(32);
    let text = input.0;

    for key in keys(key) {
        let mut whole = text.to_vec();
        let tag = key.seal(nonce, aad, &mut whole).expect("short");
        let mut sealing = Sealing::new(&key, nonce).expect("short");
        let mut opening = Opening::new(&key, nonce).expect("short");
        let (first_aad, second_aad) = aad.split_at(aad.len() / 3);
        for piece in [first_aad, second_aad] {
            sealing.aad(piece).expect("before the text");
            opening.aad(piece).expect("before the text");
        }
        let (mut sealed, mut opened) = (text.to_vec(), vec![0; text.len()]);
        let (mut from, mut turn) = (0, 0);
        while from < text.len() {
            // An odd number cuts far away. Without any, or with zeros only, the rest is one piece.
            let cut = cuts.get(turn).map_or(0, |&cut| usize::from(cut) * if cut & 1 == 1 { 37 } else { 1 });
            turn += 1;
            let to = if turn > cuts.len() { text.len() } else { text.len().min(from + cut) };
            if turn % 2 == 0 {
                sealing.update(&mut sealed[from..to]).expect("short");
            } else {
                sealing.update_to(&text[from..to], &mut sealed[from..to]).expect("short");
            }
            opening.update_unverified_to(&sealed[from..to], &mut opened[from..to]).expect("short");
            from = to;
        }
        assert_eq!(sealing.finish(), tag, "{key:?}");
        assert!(sealed == whole, "{key:?}");
        assert_eq!(opening.finish(&tag), Ok(()), "{key:?}");
        assert!(opened == text, "{key:?}");
    }
}

#[derive(Clone, Copy)]
struct Key {
    bytes: [u8; 32],
    length: usize,
}

impl Key {
    fn of(input: &mut Input<'_>) -> Self {
        let size = input.byte();
        let bytes = input.array();
        Self { bytes, length: [16, 24, 32][usize::from(size % 3)] }
    }
}

/// The key expanded for every backend that runs here, in each of its schedules.
fn keys(key: Key) -> impl Iterator<Item = AesGcm> {
    let found = Found::here().features();
    let available = CodePath::all().filter(move |path| path.backend.runs_on(found));
    available.map(move |path| AesGcm::with_backend(&key.bytes[..key.length], path).expect("it runs here"))
}

/// The tag that RustCrypto gives, for 12 or 16 bytes of nonce.
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
