//! Errors of encrypted files.

use std::io;

/// Why a file could not be encrypted or decrypted.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The input could not be read.
    #[error("cannot read: {0}")]
    Read(#[source] io::Error),
    /// The output could not be written.
    #[error("cannot write: {0}")]
    Write(#[source] io::Error),
    /// The system provided no random bytes.
    #[error("cannot read random bytes from the system: {0}")]
    Random(String),
    /// The input is shorter than any encrypted file.
    #[error("not an encrypted file: {bytes} bytes, at least 72 are needed")]
    TooShort {
        /// Its length.
        bytes: u64,
    },
    /// The header commits to another key or context, or was changed.
    #[error("wrong key, passphrase or context (or the header was modified)")]
    WrongKey,
    /// A chunk is not what was sealed at its place.
    #[error("authentication failed: chunk {chunk} (plaintext byte {}) was modified", chunk.saturating_mul(16_384))]
    AuthenticationFailed {
        /// Which chunk, from 0.
        chunk: u64,
    },
    /// The last chunk, which is shorter than a whole one, is not what was sealed as the last: a file that was cut off
    /// within a chunk cannot be told from one whose end was changed or added to.
    #[error(
        "authentication failed: the last chunk {chunk} (plaintext byte {}) was truncated or modified",
        chunk.saturating_mul(16_384)
    )]
    WrongEnd {
        /// Which chunk, from 0.
        chunk: u64,
    },
    /// There is no last chunk behind whole ones.
    #[error("truncated: the file ends before its last chunk")]
    Truncated,
    /// The plaintext is longer than the format allows.
    #[error("too long: an encrypted file holds at most 4 PiB")]
    TooLong,
    /// The input became shorter while it was read.
    #[error("the input changed while it was being read")]
    Changed,
    /// No thread could be started.
    #[error("cannot start a thread: {0}")]
    Thread(#[source] io::Error),
    /// The engine's backend that was named cannot run here.
    #[error("{0}")]
    Engine(String),
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
