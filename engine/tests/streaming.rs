//! A streamed message gives the same result as the whole message.

#![allow(clippy::unwrap_used)]

mod support {
    pub(crate) mod backends;
    pub(crate) mod random;
    pub(crate) mod reference;
}

use std::cell::OnceCell;
use std::sync::Arc;

use kasoku_engine::{AesGcm, CodePath, Error, Nonce, OneTimeKey, Opening, Sealing, Streaming, StreamingKey};
use support::backends;
use support::random::Random;
use support::reference::Reference;

const ROUNDS: usize = if cfg!(debug_assertions) { 60 } else { 600 };

/// Short pieces: from every position in a block, a vector and a group to any other.
#[test]
fn streaming_short_pieces_gives_the_same_result_as_the_whole_message() {
    let mut random = Random::new(1);
    for _ in 0..ROUNDS {
        let longest = [1, 15, 40, 130, 700][random.below(5)];
        let text_bytes = random.below(3000);
        check(&mut random, text_bytes, longest);
    }
}

/// Long pieces, so that the loops over whole groups begin anywhere in a message.
#[test]
fn streaming_long_pieces_gives_the_same_result_as_the_whole_message() {
    let mut random = Random::new(2);
    for _ in 0..ROUNDS / 10 {
        let longest = [3000, 20_000, 70_000][random.below(3)];
        let text_bytes = random.below(150_000);
        check(&mut random, text_bytes, longest);
    }
}

/// Tests two pieces of text and two pieces of AAD, cut at every position. The AAD is shorter than the AAD buffer of a
/// stream, as long as this buffer, and longer.
#[test]
fn streaming_two_pieces_gives_the_same_result_for_every_cut() {
    const BYTES: usize = 1300;
    let mut random = Random::new(3);
    let nonce = random.array::<12>();
    let keys: Vec<AesGcm> = backends::keys(&random.bytes(32)).into_iter().collect();
    for (key, aad_bytes) in keys.iter().flat_map(|key| [0, 50, 64, 65, 80].map(|bytes| (key, bytes))) {
        let (aad, text) = (random.bytes(aad_bytes), random.bytes(BYTES));
        let mut again = Streaming::new();
        let mut sealed = text.clone();
        let tag = key.seal(&nonce, &aad, &mut sealed).unwrap();
        for cut in (0..=BYTES).step_by(if cfg!(debug_assertions) { 7 } else { 1 }) {
            let mut pieces = text.clone();
            let (first, second) = pieces.split_at_mut(cut);
            let (first_aad, second_aad) = aad.split_at(cut % (aad.len() + 1));
            let mut sealing = Sealing::new(key, &nonce).unwrap();
            sealing.aad(first_aad).unwrap();
            sealing.aad(second_aad).unwrap();
            sealing.update(first).unwrap();
            sealing.update(second).unwrap();
            assert_eq!(sealing.finish(), tag, "{key:?}, cut at {cut}");
            assert!(pieces == sealed, "{key:?}, cut at {cut}");
            // Uses one object for all cuts, after finished and unfinished messages.
            again.begin(key, &nonce).unwrap();
            again.aad(key, &aad).unwrap();
            let (first, second) = pieces.split_at_mut(cut);
            again.open_unverified(key, first).unwrap();
            if cut % 3 > 0 {
                again.open_unverified(key, second).unwrap();
                assert_eq!(again.tag(key), tag, "{key:?}, cut at {cut}");
                assert!(pieces == text, "{key:?}, cut at {cut}");
            }
        }
    }
}

/// Compared with the reference, so that whole messages and pieces cannot be wrong together.
/// The second piece is long, and begins in every block of a window, so that the main loop begins at every counter where
/// it can, and passes the end of a span of counters.
#[test]
fn streaming_long_second_piece_gives_the_same_result_from_every_block() {
    let mut random = Random::new(7);
    let nonce = random.array::<12>();
    for key in backends::keys(&random.bytes(16)) {
        for blocks in 0..32 {
            let text = random.bytes(16 * blocks + 5 + 3001);
            let mut sealed = text.clone();
            let tag = key.seal(&nonce, b"aad", &mut sealed).unwrap();
            let (first, second) = text.split_at(16 * blocks + 5);
            let mut pieces = vec![0; text.len()];
            let (to_first, to_second) = pieces.split_at_mut(first.len());
            let mut sealing = Sealing::new(&key, &nonce).unwrap();
            sealing.aad(b"aad").unwrap();
            sealing.update_to(first, to_first).unwrap();
            sealing.update_to(second, to_second).unwrap();
            assert!(sealing.finish() == tag && pieces == sealed, "{}: {blocks} blocks", key.code_path());
        }
    }
}

/// A key that is expanded when a message needs it.
struct LateKey {
    bytes: Vec<u8>,
    path: CodePath,
    expanded: OnceCell<AesGcm>,
}

impl StreamingKey for LateKey {
    fn expanded(&self) -> &AesGcm {
        self.expanded.get_or_init(|| AesGcm::with_backend(&self.bytes, self.path).unwrap())
    }

    fn for_one_message(&self) -> Option<OneTimeKey<'_>> {
        self.expanded.get().is_none().then(|| OneTimeKey::with_backend(&self.bytes, self.path).unwrap())
    }
}

#[test]
fn streaming_under_a_late_key_gives_the_same_result_for_every_cut() {
    let mut random = Random::new(8);
    let (nonce, bytes) = (random.array::<12>(), random.bytes(32));
    for (key, aad_bytes) in
        backends::keys(&bytes).into_iter().flat_map(|key| [(key.code_path(), 13), (key.code_path(), 65)])
    {
        let (aad, text) = (random.bytes(aad_bytes), random.bytes(700));
        let late_key = || LateKey { bytes: bytes.clone(), path: key, expanded: OnceCell::new() };
        let (mut sealed, whole) = (text.clone(), late_key());
        let tag = whole.expanded().seal(&nonce, &aad, &mut sealed).unwrap();
        for cut in (0..=text.len()).step_by(if cfg!(debug_assertions) { 28 } else { 4 }) {
            let (late, mut message, mut pieces) = (late_key(), Streaming::new(), text.clone());
            let (first, second) = pieces.split_at_mut(cut);
            message.begin(&late, &nonce).unwrap();
            message.aad(&late, &aad).unwrap();
            for part in [first, second].into_iter().filter(|part| !part.is_empty()) {
                message.seal(&late, part).unwrap();
            }
            assert!(message.tag(&late) == tag && pieces == sealed, "{key}: sealing, cut at {cut}");

            let late = late_key();
            let (first, second) = pieces.split_at_mut(cut);
            message.begin(&late, &nonce).unwrap();
            message.aad(&late, &aad).unwrap();
            for part in [first, second].into_iter().filter(|part| !part.is_empty()) {
                message.open_unverified(&late, part).unwrap();
            }
            assert!(message.tag(&late) == tag && pieces == text, "{key}: opening, cut at {cut}");
            let is_in_one_part = cut == 0 || cut == text.len();
            assert_eq!(late.expanded.get().is_none(), is_in_one_part && aad_bytes <= 64, "{key}: cut at {cut}");
        }
    }
}

#[test]
fn streaming_in_pieces_matches_the_reference() {
    let mut random = Random::new(4);
    for round in 0..ROUNDS / 10 {
        let key = random.bytes([16, 24, 32][round % 3]);
        let (nonce, aad, text) = (random.bytes(1 + round), random.bytes(round), random.bytes(round * 23));
        let (ciphertext, tag) = Reference::new(&key).seal(&nonce, &aad, &text);
        for key in backends::keys(&key) {
            let mut sealing = Sealing::new(&key, Nonce::try_from(&nonce[..]).unwrap()).unwrap();
            sealing.aad(&aad).unwrap();
            let mut sealed = text.clone();
            in_pieces(&mut random, 100, sealed.len(), |from, to| sealing.update(&mut sealed[from..to]).unwrap());
            assert_eq!(sealing.finish(), tag, "{key:?}");
            assert_eq!(sealed, ciphertext, "{key:?}");
        }
    }
}

/// Without a message, a piece would be hashed without a mask of its own, and H could be computed from the result.
#[test]
fn streaming_rejects_pieces_without_a_message() {
    for key in backends::keys(&[1; 16]) {
        let refuses = |pieces: &mut Streaming| {
            let mut text = [3; 20];
            assert_eq!(pieces.aad(&key, &[0; 16]), Err(Error::NoMessage), "{key:?}");
            assert_eq!(pieces.seal(&key, &mut text), Err(Error::NoMessage), "{key:?}");
            assert_eq!(pieces.open_unverified(&key, &mut text), Err(Error::NoMessage), "{key:?}");
            assert_eq!(text, [3; 20]);
        };
        let mut pieces = Streaming::new();
        refuses(&mut pieces);
        assert_eq!(pieces.tag(&key), [0; 16]);
        let nonces: [&[u8]; 2] = [&[2; 12], &[2; 13]];
        for (nonce, lengths) in nonces
            .into_iter()
            .flat_map(|nonce| [&[][..], &[20], &[20, 5]].map(|lengths| (Nonce::try_from(nonce).unwrap(), lengths)))
        {
            pieces.begin(&key, nonce).unwrap();
            for bytes in lengths {
                pieces.seal(&key, &mut vec![4; *bytes]).unwrap();
            }
            let tag = pieces.tag(&key);
            refuses(&mut pieces);
            assert_eq!(pieces.tag(&key), tag, "{key:?}");
        }
    }
}

#[test]
fn streaming_rejects_aad_after_data() {
    for key in backends::keys(&[1; 16]) {
        let tag = key.seal(&[2; 12], b"aad", &mut [3; 5]).unwrap();
        let mut sealing = Sealing::new(&key, &[2; 12]).unwrap();
        sealing.aad(b"aa").unwrap();
        sealing.update(&mut []).unwrap();
        sealing.aad(b"d").unwrap();
        let mut text = [3; 5];
        sealing.update(&mut text).unwrap();
        assert_eq!(sealing.aad(b"more"), Err(Error::AadTooLate));
        assert_eq!(sealing.aad(b""), Ok(()), "nothing is not AAD");
        assert_eq!(sealing.finish(), tag, "what was refused leaves no trace");

        let mut opening = Opening::new(&key, &[2; 12]).unwrap();
        opening.aad(b"aad").unwrap();
        opening.update_unverified(&mut text[..1]).unwrap();
        assert_eq!(opening.aad(b"more"), Err(Error::AadTooLate));
        opening.update_unverified(&mut text[1..]).unwrap();
        assert_eq!(opening.finish(&tag), Ok(()));
        assert_eq!(text, [3; 5]);
    }
}

#[test]
fn streaming_rejects_different_buffer_lengths_without_effect() {
    let lengths_differ = Err(Error::LengthsDiffer { input: 20, output: 19 });
    for key in backends::keys(&[1; 24]) {
        let mut expected = [4; 20];
        let tag = key.seal(&[2; 12], b"", &mut expected).unwrap();
        let mut short = [9; 19];
        let mut sealing = Sealing::new(&key, &[2; 12]).unwrap();
        assert_eq!(sealing.update_to(&[4; 20], &mut short), lengths_differ);
        let mut sealed = [0; 20];
        sealing.update_to(&[4; 20], &mut sealed).unwrap();
        assert_eq!((sealing.finish(), sealed), (tag, expected));

        let mut opening = Opening::new(&key, &[2; 12]).unwrap();
        assert_eq!(opening.update_unverified_to(&sealed, &mut short), lengths_differ);
        assert_eq!(short, [9; 19]);
        let mut text = [0; 20];
        opening.update_unverified_to(&sealed, &mut text).unwrap();
        assert_eq!((opening.finish(&tag), text), (Ok(()), [4; 20]));
    }
}

#[test]
fn opening_finish_rejects_a_forged_tag() {
    for key in backends::keys(&[1; 32]) {
        let mut text = [0; 100];
        let mut tag = key.seal(&[2; 12], b"", &mut text).unwrap();
        tag[15] ^= 0x80;
        let mut opening = Opening::new(&key, &[2; 12]).unwrap();
        opening.update_unverified(&mut text).unwrap();
        assert_eq!(opening.finish(&tag), Err(Error::AuthenticationFailed));
    }
}

#[test]
fn sealing_accepts_an_owned_key() {
    for key in backends::keys(&[1; 16]) {
        let key = Arc::new(key);
        let mut whole = [5; 50];
        let tag = key.seal(&[2; 12], b"", &mut whole).unwrap();
        let mut sealing = Sealing::new(Arc::clone(&key), &[2; 12]).unwrap();
        let mut text = [5; 50];
        sealing.update(&mut text).unwrap();
        drop(key);
        assert_eq!((sealing.finish(), text), (tag, whole));
    }
}

/// The copy continues the message; the original can still be changed separately.
#[test]
fn copied_streaming_state_continues_independently() {
    for key in backends::keys(&[1; 16]) {
        let mut whole = [5; 50];
        let tag = key.seal(&[2; 12], b"aad", &mut whole).unwrap();
        for (first, cut) in [(0, 0), (0, 1), (0, 16), (0, 21), (0, 50), (7, 21), (16, 32), (49, 50)] {
            let (mut message, mut copy) = (Streaming::new(), Streaming::new());
            copy.begin(&key, &[9; 12]).unwrap();
            copy.seal(&key, &mut [7; 33]).unwrap();
            message.begin(&key, &[2; 12]).unwrap();
            message.aad(&key, b"aad").unwrap();
            message.seal(&key, &mut [5; 50][..first]).unwrap();
            message.seal(&key, &mut [5; 50][first..cut]).unwrap();
            copy.copy_from(&message);
            message.seal(&key, &mut [6; 29]).unwrap();
            assert_ne!(message.tag(&key), tag);
            let mut rest = [5; 50];
            copy.seal(&key, &mut rest[cut..]).unwrap();
            assert_eq!(copy.tag(&key), tag, "{first}, {cut}");
            assert_eq!(rest[cut..], whole[cut..]);
        }
    }
}

/// Seals and opens a message in random pieces, in place and between buffers, under a nonce of any length.
fn check(random: &mut Random, text_bytes: usize, longest_piece: usize) {
    let key_bytes = [16, 24, 32][random.below(3)];
    let key = random.bytes(key_bytes);
    let nonce_bytes = if random.below(2) == 0 { 12 } else { 1 + random.below(40) };
    let (nonce, aad_bytes) = (random.bytes(nonce_bytes), random.below(100));
    let (aad, text) = (random.bytes(aad_bytes), random.bytes(text_bytes));
    let nonce = Nonce::try_from(&nonce[..]).unwrap();
    for key in backends::keys(&key) {
        let mut expected = text.clone();
        let tag = key.seal(nonce, &aad, &mut expected).unwrap();
        let case = format!("{key:?}, {nonce:?}, text of {text_bytes}, AAD of {aad_bytes} bytes");
        check_sealing(random, &key, nonce, (&aad, &text, &expected), &tag, longest_piece, &case);
        check_opening(random, &key, nonce, (&aad, &text, &expected), &tag, longest_piece, &case);
    }
}

fn check_sealing(
    random: &mut Random,
    key: &AesGcm,
    nonce: Nonce<'_>,
    (aad, text, ciphertext): (&[u8], &[u8], &[u8]),
    tag: &[u8; 16],
    longest_piece: usize,
    case: &str,
) {
    let [mut sealing, mut copying] = [(); 2].map(|()| Sealing::new(key, nonce).unwrap());
    in_pieces(random, 40, aad.len(), |from, to| sealing.aad(&aad[from..to]).unwrap());
    in_pieces(random, 40, aad.len(), |from, to| copying.aad(&aad[from..to]).unwrap());
    let mut work = text.to_vec();
    in_pieces(random, longest_piece, text.len(), |from, to| sealing.update(&mut work[from..to]).unwrap());
    assert!(work == ciphertext, "in place: {case}");
    assert_eq!(sealing.finish(), *tag, "in place: {case}");
    work.fill(0);
    in_pieces(random, longest_piece, text.len(), |from, to| {
        copying.update_to(&text[from..to], &mut work[from..to]).unwrap();
    });
    assert!(work == ciphertext, "copying: {case}");
    assert_eq!(copying.finish(), *tag, "copying: {case}");
}

fn check_opening(
    random: &mut Random,
    key: &AesGcm,
    nonce: Nonce<'_>,
    (aad, text, ciphertext): (&[u8], &[u8], &[u8]),
    tag: &[u8; 16],
    longest_piece: usize,
    case: &str,
) {
    let [mut opening, mut copying] = [(); 2].map(|()| Opening::new(key, nonce).unwrap());
    in_pieces(random, 40, aad.len(), |from, to| opening.aad(&aad[from..to]).unwrap());
    in_pieces(random, 40, aad.len(), |from, to| copying.aad(&aad[from..to]).unwrap());
    let mut work = ciphertext.to_vec();
    in_pieces(random, longest_piece, text.len(), |from, to| opening.update_unverified(&mut work[from..to]).unwrap());
    assert!(work == text, "in place: {case}");
    assert_eq!(opening.finish(tag), Ok(()), "in place: {case}");
    work.fill(0);
    in_pieces(random, longest_piece, text.len(), |from, to| {
        copying.update_unverified_to(&ciphertext[from..to], &mut work[from..to]).unwrap();
    });
    assert!(work == text, "copying: {case}");
    assert_eq!(copying.finish(tag), Ok(()), "copying: {case}");
}

/// Calls `each` with the bounds of consecutive pieces of 0 to `longest` bytes.
fn in_pieces(random: &mut Random, longest: usize, bytes: usize, mut each: impl FnMut(usize, usize)) {
    let mut from = 0;
    while from < bytes {
        let to = bytes.min(from + random.below(longest + 1));
        each(from, to);
        from = to;
    }
}
