//! The x86-64 backends: one AES-GCM kernel, generic over vectors of one, two or four blocks.
//!
//! `vector.rs` declares the operations on the lanes of a vector, and `schedule.rs` the tuning parameters. `aesni.rs`,
//! `vaes256.rs` and `vaes512.rs` implement both for vectors of 128, 256 and 512 bits. The rest is shared by the
//! backends:
//!
//! - keys: `key.rs` (powers of H, and round keys expanded by `key_schedule.rs`) and `aes_key.rs` (round keys alone);
//! - `cipher.rs` (counter mode), `hash.rs` (GHASH) and `lines.rs` (the data as vectors);
//! - whole messages: `message.rs`, over `unrolled.rs` (short messages), `pipeline.rs` with a loop for 16 registers in
//!   `interleaved.rs`, and `fours.rs` for another class of CPUs;
//! - `streaming.rs` (messages in parts), `parts.rs` (plaintext in slices), `packet.rs` and `batch.rs` (packets);
//! - `siv.rs` (AES-GCM-SIV) and `xaes.rs` (XAES-256-GCM).
//!
//! The whole kernel is inlined into the functions of `entry.rs`, which enable the instructions. `dispatch.rs` calls
//! these functions for the rest of the crate.

#![allow(unsafe_code, reason = "intrinsics, and memory that is read and written in vectors")]

mod aes_key;
mod aesni;
mod batch;
mod cipher;
mod dispatch;
mod entry;
mod fours;
mod hash;
mod interleaved;
mod key;
mod key_schedule;
mod lines;
mod message;
mod packet;
mod parts;
mod pipeline;
mod schedule;
mod siv;
mod streaming;
mod unrolled;
mod vaes256;
mod vaes512;
mod vector;
mod xaes;

pub(crate) use aesni::Lanes1;
pub(crate) use dispatch::{MessageKey, PacketKey, SivKey, XaesKey};
pub(crate) use entry::Entry;
pub(crate) use vaes256::Lanes2;
pub(crate) use vaes512::{Karatsuba, Lanes4, Schoolbook};
