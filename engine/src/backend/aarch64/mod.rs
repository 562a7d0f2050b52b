//! The backends for AArch64: one AES-GCM kernel, generic over two methods of multiplying blocks.
//!
//! `vector.rs` is a block in a register. `products.rs` has the two methods to multiply blocks and add up the products,
//! which is where the backends differ. The rest is shared by the backends:
//!
//! * `round_keys.rs` and `key.rs`: expanded keys
//! * `counters.rs` and `data.rs`: counter blocks, and the data of a message
//! * `straight.rs`: up to eight blocks in straight-line code
//! * `groups.rs`: the main loop over long messages
//! * `message.rs` and `streaming.rs`: whole messages, and messages in parts
//!
//! All of these are inlined into the functions of `entry.rs`, which enable the instructions and are the entry points
//! for the rest of the crate. Packets are processed one at a time.
//!
//! `neon.rs` is for CPUs without AES and PMULL instructions: the portable backend with another GHASH.
//!
//! Two things differ from x86-64. First, the AES instruction adds the round key *before* SubBytes. So the initial state
//! of a block needs only the low byte of the counter; the bits that all counter blocks of a span (128 consecutive
//! counters) share go into the first round key. Second, one instruction reverses the bits of every byte, so that a
//! block is a polynomial with its coefficients in order. H needs no multiplication by x, and the modulus is x^128 + x^7
//! + x^2 + x + 1.

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
