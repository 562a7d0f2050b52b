//! RustCrypto's AEAD traits on Kasoku's engine: AES-GCM, AES-GCM-SIV and XAES-256-GCM for programs that use the crates
//! `aes-gcm`, `aes-gcm-siv` and `xaes-256-gcm`, with the names that these crates export.
//!
//! ```
//! # #[cfg(feature = "getrandom")]
//! # fn main() -> Result<(), kasoku_aead::Error> {
//! use kasoku_aead::aead::{Aead, Generate, KeyInit};
//! use kasoku_aead::{Aes256Gcm, Key, Nonce};
//!
//! let key = Key::<Aes256Gcm>::generate();
//! let cipher = Aes256Gcm::new(&key);
//! let nonce = Nonce::generate(); // never twice under one key
//! let ciphertext = cipher.encrypt(&nonce, b"to be kept secret".as_ref())?;
//! assert_eq!(cipher.decrypt(&nonce, ciphertext.as_ref())?, b"to be kept secret");
//! # Ok(())
//! # }
//! # #[cfg(not(feature = "getrandom"))]
//! # fn main() {}
//! ```
//!
//! [`AeadInOut`] encrypts and decrypts in place, or from one buffer to another, without allocating and with a separate
//! tag:
//!
//! ```
//! use kasoku_aead::aead::inout::InOutBuf;
//! use kasoku_aead::{AeadInOut, Aes128Gcm, KeyInit, Nonce};
//!
//! let cipher = Aes128Gcm::new(&[7; 16].into());
//! let (nonce, plaintext) = (Nonce::from([0; 12]), b"to be kept secret");
//! let mut packet = [0; 17];
//! let Ok(buffers) = InOutBuf::new(plaintext, &mut packet) else { panic!("both have 17 bytes") };
//! let tag = cipher.encrypt_inout_detached(&nonce, b"header", buffers)?;
//!
//! cipher.decrypt_inout_detached(&nonce, b"header", (&mut packet[..]).into(), &tag)?;
//! assert_eq!(&packet, plaintext);
//! # Ok::<(), kasoku_aead::Error>(())
//! ```
//!
//! The README lists what differs from RustCrypto's crates. If authentication fails, the output is filled with zeros,
//! also in place, where `aes-gcm` leaves the ciphertext.

#![deny(missing_docs)]
#![cfg_attr(not(test), deny(clippy::disallowed_methods))]
#![no_std]

extern crate alloc;

#[cfg(feature = "aead-05")]
pub mod aead_05;
mod cipher;
mod engine_key;
mod in_out;

// Compiles and runs the examples of the README as doc tests.
#[cfg(all(doctest, feature = "alloc", feature = "getrandom"))]
#[doc = include_str!("../README.md")]
mod readme {}

pub use aead::{self, AeadCore, AeadInOut, Error, Key, KeyInit, KeySizeUser};
pub use cipher::{Aes128Gcm, Aes128GcmSiv, Aes192Gcm, Aes256Gcm, Aes256GcmSiv, Xaes256Gcm};

use aead::array::Array;
use aead::consts::{U12, U16};

/// Nonces, of 96 bits unless the parameter says otherwise.
pub type Nonce<NonceSize = U12> = Array<u8, NonceSize>;

/// Tags.
pub type Tag<TagSize = U16> = Array<u8, TagSize>;

/// Maximum length of the AAD of AES-GCM and XAES-256-GCM in bytes.
pub const A_MAX: u64 = kasoku_engine::limits::AAD_BYTES;

/// Maximum length of the plaintext of AES-GCM and XAES-256-GCM in bytes.
pub const P_MAX: u64 = kasoku_engine::limits::PLAINTEXT_BYTES;
