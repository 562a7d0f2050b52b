//! Layout of an encrypted file: offsets of chunks, and possible lengths.
//!
//! ```text
//! salt 24 | commitment 32 | chunk 0: 16,384 + tag 16 | chunk 1 | … | last chunk: 0 to 16,383 + tag 16
//! ```
//! The last chunk is always shorter than a whole one, and may be empty. Its length thus identifies the last chunk, and
//! the file's length reveals a truncation between two chunks.

use crate::Error;

/// Length of the salt in bytes, at the beginning of the header.
pub const SALT_BYTES: usize = 24;

/// Length of the commitment to key and context in bytes, after the salt.
pub const COMMITMENT_BYTES: usize = 32;

/// Length of the header in bytes.
pub const HEADER_BYTES: usize = SALT_BYTES + COMMITMENT_BYTES;

/// Length of the plaintext in bytes of every chunk but the last.
pub const CHUNK_BYTES: usize = 16_384;

/// Length of the tag in bytes, after each chunk.
pub const TAG_BYTES: usize = kasoku_engine::TAG_BYTES;

/// Length of a whole chunk with its tag in bytes.
pub const SEALED_CHUNK_BYTES: usize = CHUNK_BYTES + TAG_BYTES;

/// Upper bound (exclusive) of the number of chunks in a file: 4 PiB of plaintext.
pub const MAX_CHUNKS: u64 = 1 << 38;

/// Returns the encrypted length of `text_bytes` bytes of plaintext; `None` if they are too long for the format.
///
/// ```
/// use kasoku_file::format::{encrypted_bytes, text_bytes};
/// assert_eq!(encrypted_bytes(0), Some(72));
/// assert_eq!(text_bytes(encrypted_bytes(20_000).unwrap()).unwrap(), 20_000);
/// ```
pub fn encrypted_bytes(text_bytes: u64) -> Option<u64> {
    let chunks = text_bytes / CHUNK_BYTES as u64 + 1;
    (chunks < MAX_CHUNKS).then(|| HEADER_BYTES as u64 + text_bytes + chunks * TAG_BYTES as u64)
}

/// Returns the plaintext length of an encrypted file of `encrypted_bytes` bytes.
///
/// # Errors
/// [`Error::TooShort`], [`Error::Truncated`] and [`Error::TooLong`] for lengths that no encrypted file has.
pub fn text_bytes(encrypted_bytes: u64) -> Result<u64, Error> {
    let body = encrypted_bytes
        .checked_sub(HEADER_BYTES as u64)
        .filter(|body| *body >= TAG_BYTES as u64)
        .ok_or(Error::TooShort { bytes: encrypted_bytes })?;
    let (whole, rest) = (body / SEALED_CHUNK_BYTES as u64, body % SEALED_CHUNK_BYTES as u64);
    if whole + 1 >= MAX_CHUNKS {
        return Err(Error::TooLong);
    }
    let last = rest.checked_sub(TAG_BYTES as u64).ok_or(Error::Truncated)?;
    Ok(whole * CHUNK_BYTES as u64 + last)
}

/// Returns the plaintext length of the whole chunks in a file of `encrypted_bytes` bytes.
pub(crate) fn text_of_whole_chunks(encrypted_bytes: u64) -> u64 {
    encrypted_bytes.saturating_sub(HEADER_BYTES as u64) / SEALED_CHUNK_BYTES as u64 * CHUNK_BYTES as u64
}

/// Returns the offset of chunk `index` in the encrypted file.
pub(crate) fn offset_of(index: u64) -> u64 {
    HEADER_BYTES as u64 + index * SEALED_CHUNK_BYTES as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_bytes_inverts_encrypted_bytes() {
        for (text, encrypted) in [
            (0, 72),
            (1, 73),
            (16_383, 56 + 16_399),
            (16_384, 56 + 16_400 + 16),
            (16_385, 56 + 16_400 + 17),
            (1 << 30, 56 + 65_536 * 16_400 + 16),
        ] {
            assert_eq!(encrypted_bytes(text), Some(encrypted));
            assert_eq!(text_bytes(encrypted).unwrap(), text);
        }
    }

    #[test]
    fn text_bytes_rejects_impossible_file_lengths() {
        for bytes in [0, 1, 55, 56, 71] {
            assert!(matches!(text_bytes(bytes), Err(Error::TooShort { .. })), "{bytes}");
        }
        // Lengths of files truncated between chunks and within a tag.
        for bytes in [56 + 16_400, 56 + 16_401, 56 + 16_415, 56 + 3 * 16_400] {
            assert!(matches!(text_bytes(bytes), Err(Error::Truncated)), "{bytes}");
        }
        assert_eq!(encrypted_bytes(u64::MAX), None);
        assert_eq!(encrypted_bytes((MAX_CHUNKS - 1) << 14), None);
        let longest = ((MAX_CHUNKS - 1) << 14) - 1;
        let encrypted = encrypted_bytes(longest).unwrap();
        assert_eq!(text_bytes(encrypted).unwrap(), longest);
        assert!(matches!(text_bytes(encrypted + 1), Err(Error::TooLong)));
        assert!(matches!(text_bytes(u64::MAX), Err(Error::TooLong)));
    }
}
