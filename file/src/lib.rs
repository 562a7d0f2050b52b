//! Encrypted files: C2SP chunked encryption with AES-256-GCM (Cobblestone-256) or AES-128-GCM (Cobblestone-128).
//!
//! A file is a header and chunks of 16 KiB, each sealed with its number. It can be written and read as a stream, on all
//! cores at once, or from the middle. Files are interchangeable with those of other programs that implement the format
//! (<https://c2sp.org/chunked-encryption>).
//!
//! ```
//! use kasoku_file::{Cipher, Key, Options, decrypt, encrypt};
//!
//! let key = Key::generate(Cipher::Cobblestone256)?;
//! let mut sealed = Vec::new();
//! encrypt(&key, b"backup 7", &b"a record"[..], &mut sealed, &Options::default())?;
//!
//! let mut plaintext = Vec::new();
//! decrypt(&key, b"backup 7", &sealed[..], &mut plaintext, &Options::default())?;
//! assert_eq!(plaintext, b"a record");
//!
//! // Another context, a changed byte or a missing end is an error, and nothing unverified is ever written.
//! assert!(decrypt(&key, b"backup 8", &sealed[..], &mut Vec::new(), &Options::default()).is_err());
//! # Ok::<(), kasoku_file::Error>(())
//! ```
//!
//! | task | use |
//! |---|---|
//! | from stream to stream, on all cores | [`encrypt`], [`decrypt`] |
//! | from file to file, each core at its own position | [`encrypt_file`], [`decrypt_file`] |
//! | encrypt as `std::io::Write` | [`Writer`] |
//! | decrypt a part as `std::io::Read` and `Seek` | [`Reader`] |
//! | a passphrase instead of a key | [`passphrase`] |
//! | an output file that appears only when complete | [`Destination`] |
//!
//! # Guarantees
//! A wrong key, cipher or context is an error before anything is written. Modified, moved, removed or inserted chunks
//! and truncated files are errors; everything written before the error is verified. Memory use is bounded, whatever the
//! file's length and the number of threads. Keys are wiped. A file has fewer than 2³⁸ chunks (4 PiB).

#![deny(missing_docs)]
#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

// Compiles and runs the examples of the README as doc tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod first_page {}

mod buffer;
mod chunk;
mod cipher;
mod destination;
mod error;
mod file;
mod file_system;
pub mod format;
mod key;
pub mod key_file;
mod options;
pub mod passphrase;
#[cfg(unix)]
mod permissions;
mod pool;
mod positioned;
mod reader;
mod stopped;
mod stream;
mod writer;

pub use cipher::Cipher;
pub use destination::{Destination, DestinationError};
pub use error::Error;
pub use file::{decrypt_file, encrypt_file};
pub use key::Key;
pub use options::Options;
pub use reader::Reader;
pub use stream::{decrypt, encrypt};
pub use writer::Writer;

/// Backend of the engine, which [`Options`] can name for measurements.
pub use kasoku_engine::Backend;
