//! Decryption as `std::io::Read` and `Seek`: any part, without the rest.

use std::io::{self, Read, Seek, SeekFrom};

use zeroize::Zeroizing;

use crate::chunk::Chunks;
use crate::format::{self, CHUNK_BYTES, HEADER_BYTES, SEALED_CHUNK_BYTES};
use crate::{Error, Key, pool};

/// Reader of the plaintext of an encrypted file, from any position.
///
/// Opening verifies the header and the last chunk, and thereby the length of the plaintext. Reading verifies the other
/// chunks.
pub struct Reader<R: Read + Seek> {
    inner: R,
    /// Position of the header in `inner`.
    begin: u64,
    chunks: Chunks,
    text_bytes: u64,
    position: u64,
    /// Number of the chunk whose plaintext is in `text`.
    held: Option<u64>,
    text: Zeroizing<Vec<u8>>,
    sealed: Vec<u8>,
}

impl<R: Read + Seek> Reader<R> {
    /// Opens the file that begins at the current position of `inner` and extends to its end.
    ///
    /// # Errors
    /// [`Error::TooShort`], [`Error::WrongKey`], [`Error::WrongEnd`] (the last chunk), [`Error::Read`].
    /// [`Error::Truncated`] if the last chunk is missing and the chunk before is authentic; otherwise
    /// [`Error::AuthenticationFailed`].
    pub fn new(key: &Key, context: &[u8], mut inner: R) -> Result<Self, Error> {
        let begin = inner.stream_position().map_err(Error::Read)?;
        let end = inner.seek(SeekFrom::End(0)).map_err(Error::Read)?;
        let encrypted = end.saturating_sub(begin);
        let (text_bytes, is_whole) = match format::text_bytes(encrypted) {
            Err(Error::Truncated) => (format::text_of_whole_chunks(encrypted), false),
            text_bytes => (text_bytes?, true),
        };
        inner.seek(SeekFrom::Start(begin)).map_err(Error::Read)?;
        let mut header = [0; HEADER_BYTES];
        if pool::fill(&mut inner, &mut header)? < HEADER_BYTES {
            return Err(Error::Changed);
        }
        let chunks = key.recognise(&header, context, None)?;
        let text = Zeroizing::new(Vec::with_capacity(CHUNK_BYTES));
        let sealed = vec![0; SEALED_CHUNK_BYTES];
        let mut reader = Reader { inner, begin, chunks, text_bytes, position: 0, held: None, text, sealed };
        let chunks = text_bytes / CHUNK_BYTES as u64;
        if !is_whole {
            // If the last whole chunk is authentic at its position, no chunk before it was removed.
            reader.hold(chunks.saturating_sub(1))?;
            return Err(Error::Truncated);
        }
        reader.hold(chunks)?;
        Ok(reader)
    }

    /// Returns the length of the plaintext in bytes.
    pub fn text_bytes(&self) -> u64 {
        self.text_bytes
    }

    /// Decrypts chunk `number` into `text`, unless `text` already has it.
    fn hold(&mut self, number: u64) -> Result<(), Error> {
        if self.held == Some(number) {
            return Ok(());
        }
        self.held = None;
        let last = self.text_bytes / CHUNK_BYTES as u64;
        let is_end = number == last;
        let bytes = if is_end { (self.text_bytes % CHUNK_BYTES as u64) as usize } else { CHUNK_BYTES };
        let place = self.begin + format::offset_of(number);
        self.inner.seek(SeekFrom::Start(place)).map_err(Error::Read)?;
        let sealed = &mut self.sealed[..bytes + format::TAG_BYTES];
        if pool::fill(&mut self.inner, sealed)? < sealed.len() {
            return Err(Error::Changed);
        }
        self.text.resize(bytes, 0);
        self.chunks.open(number, sealed, is_end, &mut self.text)?;
        self.held = Some(number);
        Ok(())
    }
}

impl<R: Read + Seek> Read for Reader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if buffer.is_empty() || self.position >= self.text_bytes {
            return Ok(0);
        }
        self.hold(self.position / CHUNK_BYTES as u64)?;
        let within = (self.position % CHUNK_BYTES as u64) as usize;
        let rest = self.text.get(within..).unwrap_or_default();
        let count = rest.len().min(buffer.len());
        buffer[..count].copy_from_slice(&rest[..count]);
        self.position += count as u64;
        Ok(count)
    }
}

impl<R: Read + Seek> Seek for Reader<R> {
    /// Moves within the plaintext. Reads after its end return nothing, as for files.
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let place = match to {
            SeekFrom::Start(place) => Some(place),
            SeekFrom::End(by) => self.text_bytes.checked_add_signed(by),
            SeekFrom::Current(by) => self.position.checked_add_signed(by),
        };
        self.position = place.ok_or_else(|| {
            io::Error::new(io::ErrorKind::InvalidInput, "seek to before the beginning of the plaintext")
        })?;
        Ok(self.position)
    }
}
