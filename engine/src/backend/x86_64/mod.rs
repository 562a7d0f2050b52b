//! The backends of x86-64: one kernel, written over vectors of one, two or four blocks.
//!
//! `vector.rs` says what a vector of blocks can do; `aesni.rs`, `vaes256.rs` and `vaes512.rs` do it with 128, 256 and
//! 512 bits and are the doors through which the rest of the crate comes in. What all three share is written once:
//! `key.rs` (round keys and powers of H), `cipher.rs` (counter mode), `hash.rs` (GHASH), `message.rs` (whole messages;
//! they are in `straight.rs`, or in `pipeline.rs` with a loop for 16 registers in `woven.rs`), `pieces.rs` (messages in
//! pieces). It is inlined into functions that have the instructions switched on.

#![allow(unsafe_code, reason = "intrinsics, and memory that is read and written in vectors")]

/// Runs an intrinsic on behalf of a vector.
macro_rules! intrinsic {
    ($call:expr) => {
        // SAFETY: a vector, and the proof that the first one is made from, exist only where the features were found.
        unsafe { $call }
    };
}

/// Repeats a block of code for `$index` from 0 up to `$count`, at most 9, written out (`of 4`: at most 4, for arrays that have no more): LLVM keeps some of these loops
/// rolled where it would cost most, and then holds the vectors in memory.
macro_rules! unroll {
    ($index:ident < $count:expr, $body:block) => {
        unroll!(@ $index < $count, $body, 0 1 2 3 4 5 6 7 8)
    };
    ($index:ident < $count:expr, of 4, $body:block) => {
        unroll!(@ $index < $count, $body, 0 1 2 3)
    };
    (@ $index:ident < $count:expr, $body:block, $($literal:literal)*) => {{
        $({
            const INDEX: usize = $literal;
            #[allow(unused_variables)]
            let $index = INDEX;
            if $index < $count $body
        })*
    }};
}

pub(crate) mod aesni;
mod batch;
mod cipher;
mod door;
mod hash;
mod key;
mod lines;
mod message;
mod packet;
mod packet_door;
mod pieces;
mod pipeline;
mod schedule;
mod straight;
pub(crate) mod vaes256;
pub(crate) mod vaes512;
mod vector;
mod woven;

use door::door;
use packet_door::packet_door;
