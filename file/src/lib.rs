//! Encrypted files: C2SP chunked encryption with AES-256-GCM, called Cobblestone-256.
//!
//! A file is a header and chunks of 16 KiB, each sealed with its number, so that it can be made and read as a stream,
//! on all cores at once, or from the middle. Another program that speaks the format reads what this one writes, and the
//! other way round (<https://c2sp.org/chunked-encryption>).
//!
//! ```
//! use kasoku_file::{Key, Options, decrypt, encrypt};
//!
//! let key = Key::generate()?;
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
//! | what for | what to use |
//! |---|---|
//! | a stream into a stream, on all cores | [`encrypt`], [`decrypt`] |
//! | a file into a file, each core at its own place | [`encrypt_file`], [`decrypt_file`] |
//! | as `std::io::Write` | [`Writer`] |
//! | as `std::io::Read` and `Seek`: a part without the rest | [`Reader`] |
//! | a passphrase instead of a key | [`passphrase`] |
//! | an output that is there only when it is whole | [`Destination`] |
//!
//! # What it promises
//! A wrong key or context is found out before anything is written. A chunk that was changed, moved, taken away or put
//! in, and a file that was cut off anywhere, is an error; what was written before it had been verified. Memory is
//! bounded whatever the file's length and the number of threads. Keys are wiped. A file has at most 2³⁸ chunks (4 PiB).

#![deny(missing_docs)]
#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

// The program on the first page is compiled and run as those of this documentation are.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod first_page {}

mod buffer;
mod chunk;
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

pub use destination::{Destination, DestinationError};
pub use error::Error;
pub use file::{decrypt_file, encrypt_file};
pub use key::Key;
pub use options::Options;
pub use reader::Reader;
pub use stream::{decrypt, encrypt};
pub use writer::Writer;

/// What [`Options`] can name, for measurements.
pub use kasoku_engine::Backend;
