//! Errors of encrypting and decrypting.

use std::io;

/// Error while encrypting or decrypting a file.
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
    /// No cipher has keys of this length.
    #[error("a key has 16 bytes (cobblestone-128) or 32 (cobblestone-256), not {bytes}")]
    KeyLength {
        /// Length of the given key in bytes.
        bytes: usize,
    },
    /// The input is shorter than any encrypted file.
    #[error("not an encrypted file: {bytes} bytes, at least 72 are needed")]
    TooShort {
        /// Length of the input in bytes.
        bytes: u64,
    },
    /// The header does not match the key and context, or was modified.
    #[error("wrong key, passphrase or context (or the header was modified)")]
    WrongKey,
    /// A chunk was modified, or moved from another position.
    #[error("authentication failed: chunk {chunk} (plaintext byte {}) was modified", chunk.saturating_mul(16_384))]
    AuthenticationFailed {
        /// Number of the chunk, from 0.
        chunk: u64,
    },
    /// The last chunk, which is shorter, was truncated or modified. A file truncated within a chunk cannot be
    /// distinguished from a file with a modified end.
    #[error(
        "authentication failed: the last chunk {chunk} (plaintext byte {}) was truncated or modified",
        chunk.saturating_mul(16_384)
    )]
    WrongEnd {
        /// Number of the chunk, from 0.
        chunk: u64,
    },
    /// The file ends with a whole chunk: the last chunk is missing.
    #[error("truncated: the file ends before its last chunk")]
    Truncated,
    /// The plaintext is longer than the format allows.
    #[error("too long: an encrypted file holds at most 4 PiB")]
    TooLong,
    /// The input became shorter while being read.
    #[error("the input changed while it was being read")]
    Changed,
    /// No thread could be started.
    #[error("cannot start a thread: {0}")]
    Thread(#[source] io::Error),
    /// This CPU cannot run the chosen backend of the engine.
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
