//! AES-GCM at the limit of the CPU it runs on.
//!
//! [`AesGcm`] is a key, expanded once for the fastest backend this CPU has ([`Backend`]); it seals and opens messages
//! in one pass over their bytes, in place or from one buffer to another, with the tag apart:
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
//! data[3] ^= 1; // whoever changes a bit is found out, and nothing of the plaintext is given away
//! assert!(key.open(&nonce, b"header", &mut data, &tag).is_err());
//! assert_eq!(data, [0; 17]);
//! # Ok::<(), kasoku_engine::Error>(())
//! ```
//!
//! A key for a single message is a [`OneTimeKey`]. [`AesGcm::seal_vectored`] seals a message that lies in several
//! slices, still in one pass; one that comes in parts goes through [`Sealing`] and [`Opening`] (bindings use
//! [`Streaming`]). A [`SealingSequence`] makes nonces that never repeat, for its [`OpeningSequence`]; [`RandomSealing`]
//! counts random ones; if there may be very many, use [`XaesGcm`], and if one may repeat all the same, [`AesGcmSiv`]
//! reveals only that. [`packet`] protects QUIC packets, header protection included.
//!
//! # What it promises
//! NIST SP 800-38D in full: 128-, 192- and 256-bit keys, nonces of any length from one byte, AAD and plaintext up to
//! the standard's limits and an error past them. No branch and no memory address depends on a secret, in any backend. A
//! forged message yields an error and zeros. Keys are wiped when they are dropped. The crate needs an allocator (a key
//! lives in one place on the heap, so that moving it leaves no copies behind), and nothing else.
//!
//! # Reading the code
//! `gcm.rs` is the mode, `stream.rs` its streaming form, `xaes.rs` the mode with long nonces, `gcm_siv.rs` another mode
//! of the same parts, `packet.rs` QUIC's packets, `cpu.rs` what the CPU can do and which backend we prefer; `unsafe` is
//! in `backend/` and, to ask the CPU, in `cpu`. docs/ENGINE.md explains the schedules.

#![deny(missing_docs)]
#![cfg_attr(not(test), no_std)]

extern crate alloc;

mod backend;
pub mod cpu;
mod error;
mod gcm;
mod gcm_siv;
mod in_out;
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

pub use cpu::backend::{Backend, UnknownBackend};
pub use cpu::schedule::{CodePath, Schedule, UnknownSchedule};
pub use error::Error;
pub use gcm::AesGcm;
pub use gcm_siv::AesGcmSiv;
pub use nonce::{Nonce, numbered_nonce};
pub use one_time::OneTimeKey;
pub use random::RandomSealing;
pub use sequence::{OpeningSequence, SealingSequence};
pub use streaming::{Opening, Sealing, Streaming};
pub use tag::{TAG_BYTES, Tag};
pub use xaes::XaesGcm;
