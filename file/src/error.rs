//! What can go wrong.

use std::io;

/// Why a file could not be encrypted or decrypted.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The input could not be read.
    #[error("reading failed: {0}")]
    Read(#[source] io::Error),
    /// The output could not be written.
    #[error("writing failed: {0}")]
    Write(#[source] io::Error),
    /// The system gave no random bytes.
    #[error("the system gives no random bytes: {0}")]
    Random(String),
    /// The input is shorter than any encrypted file.
    #[error("{bytes} bytes are no encrypted file: the shortest has 72")]
    TooShort {
        /// How long it is.
        bytes: u64,
    },
    /// The header commits to another key or context, or was changed.
    #[error("wrong key, passphrase or context (or the header was changed)")]
    WrongKey,
    /// A chunk is not what was sealed at its place.
    #[error("forged: chunk {chunk}, from byte {} of the text, is not what was encrypted \
        there", chunk.saturating_mul(16_384))]
    Forged {
        /// Which chunk, from 0.
        chunk: u64,
    },
    /// The last chunk, which is shorter than a whole one, is not what was sealed as the last: a file that was cut off
    /// within a chunk cannot be told from one whose end was changed or added to.
    #[error(
        "the file was cut off, or its end was changed: chunk {chunk}, its last, from byte {} of the text, is not the \
         last that was encrypted", chunk.saturating_mul(16_384)
    )]
    WrongEnd {
        /// Which chunk, from 0.
        chunk: u64,
    },
    /// There is no last chunk behind whole ones.
    #[error("the file ends before its last chunk: it was cut off")]
    Truncated,
    /// The text is longer than the format allows.
    #[error("too long: an encrypted file holds at most 4 PiB")]
    TooLong,
    /// The input became shorter while it was read.
    #[error("the input changed while it was read")]
    Changed,
    /// The system gave no thread to work in.
    #[error("the system gives no thread: {0}")]
    Thread(#[source] io::Error),
    /// The engine's backend that was named cannot run here.
    #[error("{0}")]
    Engine(String),
    /// Encrypted with a passphrase, or not.
    #[error("{0}")]
    Envelope(#[from] crate::passphrase::EnvelopeError),
}

impl From<Error> for io::Error {
    fn from(error: Error) -> io::Error {
        match error {
            Error::Read(error) | Error::Write(error) | Error::Thread(error) => error,
            Error::TooShort { .. } | Error::Truncated => io::Error::new(io::ErrorKind::UnexpectedEof, error),
            other => io::Error::new(io::ErrorKind::InvalidData, other),
        }
    }
}
