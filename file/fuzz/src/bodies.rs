//! Bodies of the fuzz targets; `tests/fuzz_corpus.rs` runs them without a fuzzer.

#![allow(dead_code, reason = "each fuzz target uses one function")]

use std::io::{Cursor, Read, Seek, SeekFrom};
use std::num::NonZeroUsize;

use kasoku_file::format::{SEALED_CHUNK_BYTES, encrypted_bytes, text_bytes};
use kasoku_file::passphrase::{ENVELOPE_BYTES, Envelope, MAGIC};
use kasoku_file::{Cipher, Error, Key, Options, Reader, Writer, decrypt, key_file};

const CONTEXT: &[u8] = b"ward 7";

/// Maximum text length in bytes: two whole chunks and a part.
const MAX_TEXT: usize = 40_000;

/// Factor by which one text in sixteen is longer: the text then exceeds two segments of the threads.
const LONG: usize = 60;

/// Encrypts a text and damages the file as the input says. Every way of reading must fail if the file changed. Before
/// it fails, it must return only the plaintext that was encrypted at that position.
pub(crate) fn damaged_files(input: &[u8]) {
    let mut script = Script(input);
    let key = key(&[script.byte(); 32]);
    let length = script.number();
    let length = if length % 16 == 15 { length % MAX_TEXT * LONG } else { length % MAX_TEXT };
    let text: Vec<u8> = (0..length).map(|place| (place * 31 / 8) as u8).collect();
    let mut writer = Writer::with_salt(&key, &[5; 24], CONTEXT, Vec::new()).expect("memory takes everything");
    std::io::Write::write_all(&mut writer, &text).expect("memory takes everything");
    let original = writer.finish().expect("memory takes everything");
    let mut damaged = original.clone();
    for _ in 0..script.byte() % 6 {
        damage(&mut damaged, &mut script);
    }
    let is_whole = damaged == original;

    let (mut written, threads) = (Vec::new(), [1, 3][usize::from(script.byte() % 2)]);
    let decrypted = decrypt(&key, CONTEXT, &damaged[..], &mut written, &options(threads));
    assert_eq!(decrypted.is_ok(), is_whole, "{decrypted:?}");
    assert!(text.starts_with(&written) && (!is_whole || written == text));
    let reader = Reader::new(&key, CONTEXT, Cursor::new(&damaged));
    assert!(reader.is_ok() || !is_whole);
    let Ok(mut reader) = reader else { return };
    // The reader has verified the end, so the length must be right.
    assert_eq!(reader.text_bytes(), text.len() as u64);
    let mut is_read = true;
    for _ in 0..4 {
        let (from, count) = (script.place(text.len()), script.number() % (2 * SEALED_CHUNK_BYTES));
        reader.seek(SeekFrom::Start(from as u64)).expect("in the text");
        let mut part = Vec::new();
        is_read &= reader.by_ref().take(count as u64).read_to_end(&mut part).is_ok();
        assert!(text[from..].starts_with(&part));
    }
    assert!(is_read || !is_whole);
    reader.rewind().expect("in the text");
    assert_eq!(reader.read_to_end(&mut Vec::new()).is_ok(), is_whole);
}

fn damage(file: &mut Vec<u8>, script: &mut Script<'_>) {
    let kind = script.byte();
    let (from, count) = (script.place(file.len()), script.number() % 300);
    let to = (from + count).min(file.len());
    match kind % 7 {
        0 => file[from..to].iter_mut().for_each(|byte| *byte ^= script.byte()),
        1 => file.truncate(from),
        2 => drop(file.drain(from..to)),
        3 => file.splice(from..from, vec![script.byte(); count]).for_each(drop),
        4 => file.extend(vec![script.byte(); count]),
        // Removes or moves whole chunks.
        5 if from >= 56 + SEALED_CHUNK_BYTES => drop(file.drain(56..56 + SEALED_CHUNK_BYTES)),
        6 if file.len() >= 56 + 2 * SEALED_CHUNK_BYTES => {
            let (first, second) = file[56..].split_at_mut(SEALED_CHUNK_BYTES);
            first.swap_with_slice(&mut second[..SEALED_CHUNK_BYTES]);
        }
        _ => {}
    }
}

/// Reads the input as a file, as damage to a key file, and as the rest of an envelope.
pub(crate) fn strange_files(input: &[u8]) {
    match input.split_first() {
        Some((0, rest)) => {
            let (first, rest) = rest.split_first_chunk().unwrap_or((&[0; 32], rest));
            let key = key(first);
            let (mut text, mut script) = (key_file::format(&key).as_bytes().to_vec(), Script(rest));
            (0..script.byte() % 4).for_each(|_| damage(&mut text, &mut script));
            strange_file(&text);
        }
        // Files that begin with the envelope of each cipher.
        Some((1, rest)) => strange_file(&[&MAGIC[..], b"1", rest].concat()),
        Some((2, rest)) => strange_file(&[&MAGIC[..], b"2", rest].concat()),
        _ => strange_file(input),
    }
}

/// No input can be a valid encrypted file, but it may be an envelope or key file, which contain no secret.
fn strange_file(input: &[u8]) {
    for key in [key(&[6; 32]), key(&[7; 32])] {
        let mut written = Vec::new();
        let refused = decrypt(&key, CONTEXT, input, &mut written, &options(1)).expect_err("nobody encrypted it");
        assert!(matches!(refused, Error::TooShort { .. } | Error::WrongKey), "{refused:?}");
        assert!(written.is_empty());
        let refused = Reader::new(&key, CONTEXT, Cursor::new(input)).err().expect("nobody encrypted it");
        assert!(matches!(refused, Error::TooShort { .. } | Error::WrongKey), "{refused:?}");
    }

    if let Some(first) = input.first_chunk::<ENVELOPE_BYTES>()
        && let Ok(envelope) = Envelope::from_bytes(first)
    {
        assert_eq!(envelope.to_bytes(), *first);
        assert!(envelope.context(input).len() == ENVELOPE_BYTES + input.len());
    }
    match key_file::parse(input) {
        Ok(key) => {
            let back = key_file::parse(key_file::format(&key).as_bytes()).expect("it was written here");
            assert_eq!(back.as_bytes(), key.as_bytes());
        }
        Err(error) => assert!(!error.to_string().chars().any(char::is_control), "{error}"),
    }
    // Each file length corresponds to at most one text length.
    let length = u64::from_le_bytes(input.first_chunk().copied().unwrap_or_default());
    for length in [length, length >> 9, length >> 22, length >> 40] {
        if let Ok(text) = text_bytes(length) {
            assert_eq!(encrypted_bytes(text), Some(length));
        }
        if let Some(encrypted) = encrypted_bytes(length) {
            assert_eq!(text_bytes(encrypted).ok(), Some(length));
        }
    }
}

/// Creates a key from the beginning of `bytes`. The first byte selects the cipher.
fn key(bytes: &[u8; 32]) -> Key {
    let cipher = Cipher::ALL[usize::from(bytes[0] % 2)];
    Key::from_bytes(&bytes[..cipher.key_bytes()]).expect("the length is the cipher's")
}

fn options(threads: usize) -> Options<'static> {
    Options { threads: NonZeroUsize::new(threads).unwrap_or(NonZeroUsize::MIN), ..Options::default() }
}

/// Remaining input, followed by zeros.
struct Script<'i>(&'i [u8]);

impl Script<'_> {
    fn byte(&mut self) -> u8 {
        let Some((first, rest)) = self.0.split_first() else { return 0 };
        self.0 = rest;
        *first
    }

    fn number(&mut self) -> usize {
        usize::from(u16::from_le_bytes([self.byte(), self.byte()]))
    }

    /// Returns a position up to `end`.
    fn place(&mut self, end: usize) -> usize {
        (self.number() << 16 | self.number()) % (end + 1)
    }
}
