//! Encrypts and decrypts from stream to stream.

use std::io::{Read, Write};
use std::sync::atomic::{AtomicU64, Ordering};

use crate::format::{CHUNK_BYTES, HEADER_BYTES, MAX_CHUNKS, SEALED_CHUNK_BYTES};
use crate::pool::{self, Segment};
use crate::{Error, Key, Options};

/// Encrypts `input` into `output` and returns the length of the plaintext in bytes. Decryption needs the same
/// `context`, which is not stored.
///
/// # Errors
/// [`Error::Read`], [`Error::Write`], [`Error::Random`], [`Error::TooLong`]. After an error, the output cannot be
/// decrypted.
pub fn encrypt<R: Read, W: Write + Send>(
    key: &Key,
    context: &[u8],
    input: R,
    mut output: W,
    options: &Options<'_>,
) -> Result<u64, Error> {
    let (header, chunks) = key.begin(context, options.backend)?;
    output.write_all(&header).map_err(Error::Write)?;
    let per_segment = options.segment_chunks();
    let done = AtomicU64::new(0);
    let work = |segment: &mut Segment| {
        let first = first_chunk(segment.number, per_segment)?;
        let sealed = chunks.seal(first, &segment.input[..segment.read], segment.is_end, &mut segment.output)?;
        count(&done, segment.read, options);
        Ok(sealed)
    };
    let sizes = (per_segment * CHUNK_BYTES, per_segment * SEALED_CHUNK_BYTES);
    pool::run(input, &mut output, sizes, options, &work)?;
    Ok(done.into_inner())
}

/// Decrypts `input` into `output` and returns the length of the plaintext in bytes. Only verified data is written.
///
/// # Errors
/// [`Error::WrongKey`] and [`Error::TooShort`] before anything is written. [`Error::AuthenticationFailed`],
/// [`Error::WrongEnd`] and [`Error::Truncated`] after the segments before the fault have been written: the output is
/// then incomplete. [`Error::Read`], [`Error::Write`], [`Error::TooLong`].
pub fn decrypt<R: Read, W: Write + Send>(
    key: &Key,
    context: &[u8],
    mut input: R,
    mut output: W,
    options: &Options<'_>,
) -> Result<u64, Error> {
    let mut header = [0; HEADER_BYTES];
    let read = pool::fill(&mut input, &mut header)?;
    if read < HEADER_BYTES {
        return Err(Error::TooShort { bytes: read as u64 });
    }
    let chunks = key.recognise(&header, context, options.backend)?;
    let per_segment = options.segment_chunks();
    let done = AtomicU64::new(0);
    let work = |segment: &mut Segment| {
        let first = first_chunk(segment.number, per_segment)?;
        let opened = chunks.open(first, &segment.input[..segment.read], segment.is_end, &mut segment.output)?;
        count(&done, opened, options);
        Ok(opened)
    };
    let sizes = (per_segment * SEALED_CHUNK_BYTES, per_segment * CHUNK_BYTES);
    pool::run(input, &mut output, sizes, options, &work)?;
    Ok(done.into_inner())
}

fn first_chunk(segment: u64, per_segment: usize) -> Result<u64, Error> {
    segment.checked_mul(per_segment as u64).filter(|first| *first < MAX_CHUNKS).ok_or(Error::TooLong)
}

fn count(done: &AtomicU64, bytes: usize, options: &Options<'_>) {
    let before = done.fetch_add(bytes as u64, Ordering::Relaxed);
    options.tell(before + bytes as u64);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn encrypt_rejects_chunk_numbers_above_the_limit() {
        assert_eq!(first_chunk(3, 64).unwrap(), 192);
        assert_eq!(first_chunk(MAX_CHUNKS / 64 - 1, 64).unwrap(), MAX_CHUNKS - 64);
        for segment in [MAX_CHUNKS / 64, u64::MAX] {
            assert!(matches!(first_chunk(segment, 64), Err(Error::TooLong)), "{segment}");
        }
    }
}
