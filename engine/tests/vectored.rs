//! A message in slices gives the same result as the joined message, wherever it is cut.

#![allow(clippy::unwrap_used)]

mod support {
    pub(crate) mod backends;
    #[cfg(unix)]
    pub(crate) mod guarded;
    pub(crate) mod random;
}

use std::cell::Cell;

use kasoku_engine::packet::PacketProtection;
use kasoku_engine::{AesGcm, Error, Nonce};
use support::backends;
use support::random::Random;

/// A message and its sealed form from `seal_to`.
struct Case<'a> {
    key: &'a AesGcm,
    nonce: &'a [u8],
    aad: &'a [u8],
    text: &'a [u8],
    sealed: Vec<u8>,
    tag: [u8; 16],
}

impl<'a> Case<'a> {
    fn new(key: &'a AesGcm, nonce: &'a [u8], aad: &'a [u8], text: &'a [u8]) -> Self {
        let mut sealed = vec![0; text.len()];
        let tag = key.seal_to(Nonce::try_from(nonce).unwrap(), aad, text, &mut sealed).unwrap();
        Self { key, nonce, aad, text, sealed, tag }
    }

    /// Checks the message in slices that end at `cuts`, its AAD in slices that end at `aad_cuts`.
    fn check(&self, cuts: &[usize], aad_cuts: &[usize]) {
        let case = || format!("{:?}, {} bytes, {cuts:?}, AAD {aad_cuts:?}", self.key, self.text.len());
        let (nonce, aad) = (Nonce::try_from(self.nonce).unwrap(), cut(self.aad, aad_cuts));
        let mut output = vec![0xA5; self.text.len()];
        let plaintext = cut(self.text, cuts);
        let tag = self.key.seal_vectored(nonce, aad.iter().copied(), plaintext.iter().copied(), &mut output);
        assert!(tag == Ok(self.tag) && output == self.sealed, "sealed: {}", case());

        let ciphertext = cut(&self.sealed, cuts);
        let mut open = |tag: &[u8; 16]| {
            output.fill(0xA5);
            self.key.open_vectored(nonce, aad.iter().copied(), ciphertext.iter().copied(), &mut output, tag)
        };
        let mut forged = self.tag;
        forged[cuts.len() % 16] ^= 1;
        let verdict = open(&forged);
        assert!(verdict == Err(Error::AuthenticationFailed), "a forgery: {}", case());
        let verdict = open(&self.tag);
        assert!(verdict == Ok(()) && output == self.text, "opened: {}", case());
    }
}

fn cut<'a>(bytes: &'a [u8], cuts: &[usize]) -> Vec<&'a [u8]> {
    let (mut slices, mut begin) = (Vec::new(), 0);
    for &end in cuts.iter().chain([&bytes.len()]) {
        slices.push(&bytes[begin..end]);
        begin = end;
    }
    slices
}

#[test]
fn vectored_calls_match_contiguous_ones_for_two_slices_of_short_messages() {
    let mut random = Random::new(1);
    let (nonce, aad, text) = (random.bytes(12), random.bytes(13), random.bytes(300));
    let step = if backends::is_brief() { 13 } else { 1 };
    for key in backends::keys(&random.bytes(16)) {
        for bytes in (0..=300).step_by(step) {
            let case = Case::new(&key, &nonce, &aad, &text[..bytes]);
            for cut in (0..=bytes).step_by(step) {
                case.check(&[cut], &[cut % 14]);
            }
        }
    }
}

/// Tests messages that are long enough for a kernel to read each slice at its own address. The cuts are at and beside
/// the positions at which a kernel can change the address.
#[test]
fn vectored_calls_match_contiguous_ones_for_two_slices_of_longer_messages() {
    let mut random = Random::new(2);
    let (nonce, aad, text) = (random.bytes(12), random.bytes(40), random.bytes(2300));
    for key in [16, 24, 32].into_iter().flat_map(|bytes| backends::keys(&random.bytes(bytes))) {
        for bytes in [480, 481, 512, 620, 737, 1024, 1445, 2300] {
            let case = Case::new(&key, &nonce, &aad, &text[..bytes]);
            for cut in (0..=bytes).step_by(if backends::is_brief() { 61 } else { 1 }) {
                case.check(&[cut], &[]);
            }
        }
    }
}

#[test]
fn vectored_calls_match_contiguous_ones_for_random_slices() {
    let mut random = Random::new(3);
    let text = random.bytes(20_480);
    let cases = if backends::is_brief() { 40 } else { 400 };
    let keys = [16, 24, 32].map(|bytes| backends::keys(&random.bytes(bytes)));
    for key in keys.iter().flatten() {
        for index in 0..cases {
            let bytes = random.below(text.len() + 1);
            let aad = random.bytes([0, 5, 16, 64, 65, 300][index % 6]);
            let nonce = random.bytes(if index % 9 == 0 { 1 + index % 40 } else { 12 });
            let case = Case::new(key, &nonce, &aad, &text[..bytes]);
            let cuts = cuts(&mut random, bytes);
            case.check(&cuts, &self::cuts(&mut random, aad.len()));
        }
    }
}

/// Makes up to some hundred cuts; some coincide, and some are one byte apart.
fn cuts(random: &mut Random, bytes: usize) -> Vec<usize> {
    let (mut cuts, most) = (Vec::new(), [2, 12, 100][random.below(3)]);
    for _ in 0..=random.below(most) {
        let place = random.below(bytes + 1);
        cuts.push(place);
        match random.below(4) {
            0 => cuts.push(place),
            1 => cuts.push((place + 1).min(bytes)),
            _ => {}
        }
    }
    cuts.sort_unstable();
    cuts
}

/// Each slice and the output lie flush against a guard page.
#[cfg(unix)]
#[test]
fn vectored_calls_stay_inside_their_slices() {
    use support::guarded::{Flush, Guarded};

    let mut random = Random::new(4);
    let nonce = random.array::<12>();
    let (mut first, mut second, mut output) = (Guarded::new(5000), Guarded::new(5000), Guarded::new(10_000));
    let lengths = [0, 1, 15, 63, 64, 95, 96, 127, 128, 256, 257, 300, 511, 1000, 1440, 5000];
    for key in backends::keys(&random.bytes(32)) {
        for first_bytes in lengths {
            for second_bytes in lengths {
                for flush in Flush::BOTH {
                    let (first, second) = (first.buffer(first_bytes, flush), second.buffer(second_bytes, flush));
                    random.fill(first);
                    random.fill(second);
                    let mut whole = [&*first, &*second].concat();
                    let tag = key.seal(&nonce, b"aad", &mut whole).unwrap();
                    let output = output.buffer(first_bytes + second_bytes, flush);
                    let slices = [&*first, &*second];
                    assert_eq!(key.seal_vectored(&nonce, [&b"aad"[..]], slices, output), Ok(tag));
                    assert!(*output == whole, "{key:?}, {first_bytes} and {second_bytes}, {flush:?}");
                    let plaintext = slices.concat();
                    first.copy_from_slice(&whole[..first_bytes]);
                    second.copy_from_slice(&whole[first_bytes..]);
                    let slices = [&*first, &*second];
                    assert_eq!(key.open_vectored(&nonce, [&b"aad"[..]], slices, output, &tag), Ok(()));
                    assert!(*output == plaintext, "{key:?}, {first_bytes} and {second_bytes}, {flush:?}");
                }
            }
        }
    }
}

#[test]
fn open_vectored_wipes_forgeries() {
    let text = [7_u8; 1500];
    for key in backends::keys(&[1; 16]) {
        for aad in [&[3; 10][..], &[3; 100]] {
            let (sealed, mut output) = ([text.as_slice(); 2].concat(), [0xA5; 3000]);
            let (ciphertext, aad) = ([&sealed[..700], &sealed[700..]], [&aad[..5], &aad[5..]]);
            let verdict = key.open_vectored(&[2; 12], aad, ciphertext, &mut output, &[4; 16]);
            assert_eq!((verdict, output), (Err(Error::AuthenticationFailed), [0; 3000]), "{key:?}");
        }
    }
}

#[test]
fn vectored_calls_reject_different_lengths_without_writing() {
    let mut output = [0xA5; 100];
    for key in backends::keys(&[1; 16]) {
        let others: [&[&[u8]]; 3] = [&[&[1; 99]], &[&[1; 50], &[1; 51]], &[]];
        for text in others {
            let differ = Error::LengthsDiffer { input: text.iter().map(|slice| slice.len()).sum(), output: 100 };
            let text = text.iter().copied();
            assert_eq!(key.seal_vectored(&[2; 12], [], text.clone(), &mut output), Err(differ));
            assert_eq!(key.open_vectored(&[2; 12], [], text, &mut output, &[0; 16]), Err(differ));
            assert_eq!(output, [0xA5; 100], "{key:?}");
        }
    }
}

/// `seal_vectored` iterates over the slices twice, and the iterator yields slices of other lengths the second time. No
/// byte outside the slices may be read or written.
#[test]
fn seal_vectored_zeroes_output_if_slice_lengths_change_between_passes() {
    let text = vec![7; 4000];
    for key in backends::keys(&[1; 16]) {
        for (before, after) in [(2000, 1999), (2000, 2001), (2000, 0), (1, 0), (300, 4000)] {
            let calls = Cell::new(0);
            let text = &text;
            let slices = [0, 1].into_iter().map(|_| {
                calls.set(calls.get() + 1);
                if calls.get() == 1 { &text[..before] } else { &text[..after.min(before * calls.get())] }
            });
            // On the first pass the slices are as long as the output.
            let counted = before + after.min(before * 2);
            let mut output = vec![0xA5; counted];
            let verdict = key.seal_vectored(&[2; 12], [], slices, &mut output);
            let input = after.min(before * 3) + after.min(before * 4);
            assert_eq!(verdict, Err(Error::LengthsDiffer { input, output: counted }), "{key:?}");
            assert_eq!(output, vec![0; counted], "{key:?}");
        }
    }
}

#[test]
fn protect_vectored_matches_protect() {
    let mut random = Random::new(5);
    let header = [&[0x41][..], b"connecti", &[0x12, 0x34]].concat();
    for &path in backends::paths() {
        let new = || PacketProtection::with_backend(&[1; 16], &[2; 12], &[3; 16], path).unwrap();
        let (sender, whole) = (new(), new());
        for bytes in [3, 20, 100, 500, 1200, 1440, 9000] {
            let payload = random.bytes(bytes);
            let mut expected = [&header[..], &payload, &[0; 16]].concat();
            whole.protect(0x1234, &mut expected, 9, 2).unwrap();
            for cuts in [vec![], vec![0], vec![1], vec![bytes], vec![1, 1, 2], vec![bytes / 2]] {
                let mut packet = [&header[..], &vec![0xA5; bytes + 16]].concat();
                let slices = cut(&payload, &cuts);
                sender.protect_vectored(0x1234, slices.iter().copied(), &mut packet, 9, 2).unwrap();
                assert!(packet == expected, "{path}, {bytes} bytes, {cuts:?}");
            }
            let mut packet = [&header[..], &vec![0xA5; bytes + 15]].concat();
            let before = packet.clone();
            let differ = Err(Error::LengthsDiffer { input: bytes, output: bytes - 1 });
            assert_eq!(sender.protect_vectored(0x1234, [&payload[..]], &mut packet, 9, 2), differ);
            assert_eq!(packet, before);
        }
        let short = Err(Error::PacketTooShort { packet_bytes: 27, least: 29 });
        assert_eq!(sender.protect_vectored(0x1234, [], &mut [&header[..], &[0; 16]].concat(), 9, 2), short);
    }
}
