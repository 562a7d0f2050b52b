//! The backends of x86-64: one kernel, written over vectors of one, two or four blocks.
//!
//! `vector.rs` declares the operations on a vector's lanes, `schedule.rs` what the schedules need besides; `aesni.rs`,
//! `vaes256.rs` and `vaes512.rs` implement both with 128, 256 and 512 bits. What all three share is written once:
//! `key.rs` (round keys, by `key_schedule.rs`, and powers of H), `cipher.rs` (counter mode), `hash.rs` (GHASH),
//! `message.rs` (whole messages; they are in `unrolled.rs`, or in `pipeline.rs` with a loop for 16 registers in
//! `interleaved.rs`; or, for another class of CPUs, in `fours.rs`), `streaming.rs` (messages in parts), `packet.rs` and
//! `batch.rs` (packets), `siv.rs` (AES-GCM-SIV), `xaes.rs` (XAES-256-GCM). All of it is inlined into the functions of
//! `entry.rs`, which have the instructions switched on. `dispatch.rs` calls these for the rest of the crate.

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

pub(crate) use aesni::One;
pub(crate) use dispatch::{MessageKey, PacketKey, SivKey, XaesKey};
pub(crate) use entry::Entry;
pub(crate) use vaes256::Two;
pub(crate) use vaes512::{Four, Karatsuba, Schoolbook};
