//! Seals and opens the chunks of one file. Each chunk's nonce is the first nonce XOR the chunk's number; there is no
//! AAD.

use kasoku_engine::{AesGcm, numbered_nonce};

use crate::Error;
use crate::format::{CHUNK_BYTES, MAX_CHUNKS, SEALED_CHUNK_BYTES, TAG_BYTES};

/// Cipher and first nonce of one file, shared by all threads.
pub(crate) struct Chunks {
    cipher: AesGcm,
    first_nonce: [u8; 12],
}

impl Chunks {
    pub(crate) fn new(cipher: AesGcm, first_nonce: [u8; 12]) -> Self {
        Chunks { cipher, first_nonce }
    }

    /// Seals `text` as chunks from number `first` on into the beginning of `sealed`, and returns the sealed length. All
    /// chunks are whole except the last, which may only be shorter if it ends the file. If the file ends after a whole
    /// chunk, an empty chunk follows.
    ///
    /// # Panics
    /// If `sealed` is shorter than [`sealed_bytes`].
    pub(crate) fn seal(&self, first: u64, text: &[u8], is_end: bool, sealed: &mut [u8]) -> Result<usize, Error> {
        let (whole, rest) = text.as_chunks::<CHUNK_BYTES>();
        debug_assert!(is_end || rest.is_empty());
        let sealed = &mut sealed[..sealed_bytes(text.len(), is_end)];
        let texts = whole.iter().map(|chunk| &chunk[..]).chain(is_end.then_some(rest));
        for (number, (text, place)) in (first..).zip(texts.zip(sealed.chunks_mut(SEALED_CHUNK_BYTES))) {
            let nonce = self.nonce(number)?;
            let (body, tag) = place.split_at_mut(text.len());
            // Cannot fail: a chunk is far below the limits of AES-GCM, and `body` is as long as the text.
            let made = self.cipher.seal_to(&nonce, &[], text, body).map_err(|_| Error::TooLong)?;
            tag.copy_from_slice(&made);
        }
        Ok(sealed.len())
    }

    /// Opens `sealed` as chunks from number `first` on into the beginning of `text`, and returns the text's length. All
    /// chunks are whole except the last, which is shorter if and only if it ends the file.
    ///
    /// # Errors
    /// [`Error::AuthenticationFailed`] and [`Error::WrongEnd`] name the first chunk that fails; its part of `text` is
    /// then zeros. [`Error::Truncated`] if the end is too short for a chunk.
    ///
    /// # Panics
    /// If `text` is shorter than the opened text.
    pub(crate) fn open(&self, first: u64, sealed: &[u8], is_end: bool, text: &mut [u8]) -> Result<usize, Error> {
        let (whole, rest) = sealed.as_chunks::<SEALED_CHUNK_BYTES>();
        debug_assert!(is_end || rest.is_empty());
        let chunks = whole.iter().map(|chunk| &chunk[..]).chain(is_end.then_some(rest));
        let mut opened = 0;
        for (number, chunk) in (first..).zip(chunks) {
            let (body, tag) = chunk.split_last_chunk::<TAG_BYTES>().ok_or(Error::Truncated)?;
            let nonce = self.nonce(number)?;
            let place = &mut text[opened..opened + body.len()];
            self.cipher.open_to(&nonce, &[], body, place, tag).map_err(|_| match chunk.len() {
                SEALED_CHUNK_BYTES => Error::AuthenticationFailed { chunk: number },
                _ => Error::WrongEnd { chunk: number },
            })?;
            opened += body.len();
        }
        Ok(opened)
    }

    /// Returns the nonce of chunk `number`, which must be below [`MAX_CHUNKS`].
    fn nonce(&self, number: u64) -> Result<[u8; 12], Error> {
        if number >= MAX_CHUNKS {
            return Err(Error::TooLong);
        }
        Ok(numbered_nonce(&self.first_nonce, number))
    }
}

/// Returns the sealed length in bytes of `text_bytes` bytes of text: whole chunks and, at the end of the file, a
/// shorter last chunk.
pub(crate) fn sealed_bytes(text_bytes: usize, is_end: bool) -> usize {
    let chunks = text_bytes / CHUNK_BYTES + usize::from(is_end);
    text_bytes + chunks * TAG_BYTES
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Key;

    fn chunks() -> Chunks {
        Key::from_bytes(&[7; 32]).unwrap().begin_with(&[1; 24], b"", None).unwrap().1
    }

    #[test]
    fn chunk_opens_only_with_its_own_number() {
        let (mut sealed, mut text) = ([0; 20], [0; 4]);
        assert_eq!(chunks().seal(5, b"text", true, &mut sealed).unwrap(), 20);
        assert_eq!(chunks().open(5, &sealed, true, &mut text).unwrap(), 4);
        assert_eq!(&text, b"text");
        assert!(matches!(chunks().open(6, &sealed, true, &mut text), Err(Error::WrongEnd { chunk: 6 })));
        assert_eq!(text, [0; 4], "nothing of a forged chunk is left");
        assert!(matches!(chunks().open(5, &sealed[..15], true, &mut text), Err(Error::Truncated)));
    }

    #[test]
    fn nonce_rejects_numbers_above_the_format_limit() {
        let mut sealed = [0; 16];
        chunks().seal(MAX_CHUNKS - 1, b"", true, &mut sealed).unwrap();
        assert!(matches!(chunks().seal(MAX_CHUNKS, b"", true, &mut sealed), Err(Error::TooLong)));
        // Whatever the chunk number, it changes only the last eight bytes of the nonce.
        let nonces = [0, 1, 255, 256, MAX_CHUNKS - 1].map(|number| chunks().nonce(number).unwrap());
        assert!(nonces.iter().all(|nonce| nonce[..4] == nonces[0][..4]));
    }
}
