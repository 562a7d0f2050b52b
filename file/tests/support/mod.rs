//! Fixtures of the tests: key, context, texts, and functions that encrypt or decrypt in one call.

#![allow(clippy::unwrap_used)]

use std::fs::File;
use std::io::{Read, Seek, Write};
use std::num::NonZeroUsize;

use kasoku_file::format::{CHUNK_BYTES, encrypted_bytes};
use kasoku_file::{Key, Options, Writer, decrypt_file, encrypt_file};

pub(crate) const CONTEXT: &[u8] = b"ward 7";
pub(crate) const SEGMENT: usize = 64 * CHUNK_BYTES;

pub(crate) fn key() -> Key {
    Key::from_bytes(&[0x42; 32]).unwrap()
}

pub(crate) fn text(bytes: usize) -> Vec<u8> {
    (0..bytes as u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 24) as u8).collect()
}

pub(crate) fn threads(threads: usize) -> Options<'static> {
    Options { threads: NonZeroUsize::new(threads).unwrap(), ..Options::default() }
}

pub(crate) fn sealed_by_writer(text: &[u8]) -> Vec<u8> {
    let mut writer = Writer::with_salt(&key(), &[5; 24], CONTEXT, Vec::new()).unwrap();
    for piece in text.chunks(9_999) {
        writer.write_all(piece).unwrap();
    }
    writer.finish().unwrap()
}

pub(crate) fn as_file(bytes: &[u8]) -> File {
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(bytes).unwrap();
    file
}

/// Encrypts and decrypts `file` with `encrypt_file` and `decrypt_file`.
pub(crate) fn round_trip(file: &File, options: &Options<'_>) -> Vec<u8> {
    let sealed = tempfile::tempfile().unwrap();
    let bytes = encrypt_file(&key(), CONTEXT, file, &sealed, options).unwrap();
    assert_eq!(Some(sealed.metadata().unwrap().len()), encrypted_bytes(bytes));
    let mut back = tempfile::tempfile().unwrap();
    assert_eq!(decrypt_file(&key(), CONTEXT, &sealed, &back, options).unwrap(), bytes);
    let mut text = Vec::new();
    back.rewind().unwrap();
    back.read_to_end(&mut text).unwrap();
    text
}
