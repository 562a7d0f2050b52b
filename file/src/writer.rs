//! Encryption as `std::io::Write`.

use std::io::{self, Write};

use zeroize::Zeroizing;

use crate::chunk::{Chunks, sealed_bytes};
use crate::format::{CHUNK_BYTES, SALT_BYTES, SEALED_CHUNK_BYTES};
use crate::{Error, Key};

/// Writer that encrypts in the calling thread.
///
/// [`finish`](Self::finish) writes the end. Without it the file is truncated, and decryption reports that.
///
/// ```
/// use std::io::{Read, Write};
/// use kasoku_file::{Cipher, Key, Reader, Writer};
///
/// let key = Key::generate(Cipher::Cobblestone256)?;
/// let mut writer = Writer::new(&key, b"", Vec::new())?;
/// writer.write_all(b"a record")?;
/// let sealed = writer.finish()?;
///
/// let mut plaintext = String::new();
/// Reader::new(&key, b"", std::io::Cursor::new(sealed))?.read_to_string(&mut plaintext)?;
/// assert_eq!(plaintext, "a record");
/// # Ok::<(), std::io::Error>(())
/// ```
pub struct Writer<W: Write> {
    inner: W,
    chunks: Chunks,
    next: u64,
    text: Zeroizing<Vec<u8>>,
    sealed: Vec<u8>,
    has_failed: bool,
}

impl<W: Write> Writer<W> {
    /// Begins a file and writes its header to `inner`.
    ///
    /// # Errors
    /// [`Error::Random`], [`Error::Write`].
    pub fn new(key: &Key, context: &[u8], inner: W) -> Result<Self, Error> {
        let (header, chunks) = key.begin(context, None)?;
        Self::after(header, chunks, inner)
    }

    /// Begins a file with a given salt, for tests. Using a salt twice under one key reveals the XOR of both plaintexts.
    #[doc(hidden)]
    pub fn with_salt(key: &Key, salt: &[u8; SALT_BYTES], context: &[u8], inner: W) -> Result<Self, Error> {
        let (header, chunks) = key.begin_with(salt, context, None)?;
        Self::after(header, chunks, inner)
    }

    fn after(header: [u8; crate::format::HEADER_BYTES], chunks: Chunks, mut inner: W) -> Result<Self, Error> {
        inner.write_all(&header).map_err(Error::Write)?;
        let text = Zeroizing::new(Vec::with_capacity(CHUNK_BYTES));
        Ok(Writer { inner, chunks, next: 0, text, sealed: vec![0; SEALED_CHUNK_BYTES], has_failed: false })
    }

    /// Writes the end of the file and returns `inner`.
    ///
    /// # Errors
    /// [`Error::Write`], [`Error::TooLong`]; also if an earlier write failed.
    pub fn finish(mut self) -> Result<W, Error> {
        self.seal(true)?;
        self.inner.flush().map_err(Error::Write)?;
        Ok(self.inner)
    }

    fn seal(&mut self, is_end: bool) -> Result<(), Error> {
        // A partly written chunk cannot be written again, because its nonce has been used.
        if std::mem::replace(&mut self.has_failed, true) {
            return Err(Error::Write(io::Error::other("an earlier write failed")));
        }
        let place = &mut self.sealed[..sealed_bytes(self.text.len(), is_end)];
        let sealed = self.chunks.seal(self.next, &self.text, is_end, place)?;
        self.inner.write_all(&place[..sealed]).map_err(Error::Write)?;
        self.next += 1;
        self.text.clear();
        self.has_failed = false;
        Ok(())
    }
}

impl<W: Write> Write for Writer<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let taken = bytes.len().min(CHUNK_BYTES - self.text.len());
        self.text.extend_from_slice(&bytes[..taken]);
        // The last chunk is always shorter than a whole one, so a full chunk can be written now.
        if self.text.len() == CHUNK_BYTES {
            self.seal(false)?;
        }
        Ok(taken)
    }

    /// Flushes the inner writer; plaintext of an incomplete chunk stays in memory.
    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}
