//! The backends of AArch64: one AES-GCM kernel, generic over two methods of multiplying blocks.
//!
//! `vector.rs` is a block in a register. `products.rs` has the two methods to multiply and add up blocks, which is
//! where the backends differ. The rest is written once: `round_keys.rs` and `key.rs` (expanded keys), `counters.rs`
//! (counter blocks), `data.rs` and `straight.rs` (up to eight blocks in straight-line code), `groups.rs` (the main loop
//! over long messages), `message.rs` (whole messages), `streaming.rs` (messages in parts). All of it is inlined into
//! the functions of `entry.rs`, which enable the instructions and are the entry points for the rest of the crate.
//! Packets are processed one by one.
//!
//! `neon.rs` is for CPUs without AES and PMULL instructions: the portable backend with another GHASH.
//!
//! Two things differ from x86-64. First, the AES instruction adds the round key *before* SubBytes. So the number of a
//! block in its span of counters is the block's first state. The bits that all counter blocks of the span share go into
//! the first round key. Second, one instruction reverses the bits of every byte, so that a block is a polynomial with
//! its coefficients in order. H needs no multiplication by x, and the modulus is x^128 + x^7 + x^2 + x + 1.

#![allow(unsafe_code, reason = "intrinsics, and memory that is read and written in vectors")]
#![allow(
    unknown_lints,
    inline_always_mismatching_target_features,
    reason = "all of it is inlined into functions of entry.rs, which have the instructions switched on"
)]

mod counters;
mod data;
mod entry;
mod groups;
mod key;
mod message;
mod neon;
mod products;
mod round_keys;
mod straight;
mod streaming;
mod vector;

pub(crate) use entry::{Entry, MessageKey, PacketKey, SivKey, XaesKey};
pub(crate) use neon::HashKey as NeonHashKey;
pub(crate) use products::{Eor3, Karatsuba};
