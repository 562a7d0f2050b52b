//! AES-GCM as fast as the CPU allows.
//!
//! [`AesGcm`] is a key, expanded once for the fastest backend of this CPU ([`Backend`]). It seals and opens messages in
//! one pass over their bytes, in place or from one buffer to another, with a separate tag:
//!
//! ```
//! use kasoku_engine::AesGcm;
//!
//! let key = AesGcm::new(&[7; 16])?;
//! let nonce = [0; 12]; // never twice under one key
//! let mut data = *b"to be kept secret";
//! let tag = key.seal(&nonce, b"header", &mut data)?;
//! assert_ne!(&data, b"to be kept secret");
//! key.open(&nonce, b"header", &mut data, &tag)?;
//! assert_eq!(&data, b"to be kept secret");
//!
//! data[3] ^= 1; // a changed bit is detected, and no plaintext is released
//! assert!(key.open(&nonce, b"header", &mut data, &tag).is_err());
//! assert_eq!(data, [0; 17]);
//! # Ok::<(), kasoku_engine::Error>(())
//! ```
//!
//! [`OneTimeKey`] is a key for a single message. [`AesGcm::seal_vectored`] seals a message that is in several slices,
//! still in one pass. [`Sealing`] and [`Opening`] take a message in parts; bindings to other languages use
//! [`Streaming`].
//!
//! [`SealingSequence`] makes nonces that never repeat, for an [`OpeningSequence`]; [`RandomSealing`] counts random
//! nonces. For very many random nonces use [`XaesGcm`]. If a nonce may repeat all the same, use [`AesGcmSiv`], which
//! then reveals only whether messages are equal. [`packet`] protects QUIC packets, including their headers.
//!
//! # Guarantees
//! The crate implements NIST SP 800-38D in full: 128-, 192- and 256-bit keys, nonces of any length from one byte, AAD
//! and plaintext up to the standard's limits, and an error beyond these limits. In every backend, no branch and no
//! memory address depends on a secret. A forged message yields an error and zeros. Keys are wiped when they are
//! dropped. The crate needs only an allocator: a key stays in one place, on the heap or in memory that
//! [`AesGcm::with_key`] lends, so that moving the key object leaves no copies behind.
//!
//! # Reading the code
//! `gcm.rs` is AES-GCM, `stream.rs` its streaming form, `xaes.rs` AES-GCM with long nonces, `gcm_siv.rs` AES-GCM-SIV,
//! and `packet.rs` QUIC packet protection. `cpu.rs` detects the CPU's features and chooses the backend. `unsafe` is in
//! `backend/` and, to detect features, in `cpu`. docs/ENGINE.md explains the instruction schedules.

#![deny(missing_docs)]
#![cfg_attr(not(test), no_std)]

extern crate alloc;

mod backend;
pub mod cpu;
mod error;
mod gcm;
mod gcm_siv;
pub mod limits;
mod nonce;
mod one_time;
pub mod packet;
mod random;
mod sequence;
mod stream;
mod streaming;
mod tag;
mod vectored;
mod xaes;

#[doc(hidden)]
pub use backend::{OnceFunction, SealFunction};
pub use cpu::backend::{Backend, UnknownBackend};
pub use cpu::schedule::{CodePath, Schedule, UnknownSchedule};
pub use error::Error;
pub use gcm::AesGcm;
pub use gcm_siv::AesGcmSiv;
pub use nonce::{Nonce, numbered_nonce};
pub use one_time::OneTimeKey;
pub use random::RandomSealing;
pub use sequence::{OpeningSequence, SealingSequence};
pub use streaming::{Opening, Sealing, Streaming, StreamingKey};
pub use tag::{TAG_BYTES, Tag};
pub use xaes::XaesGcm;
