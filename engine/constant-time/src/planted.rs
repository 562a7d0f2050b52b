//! Leaks planted on purpose: a test that does not catch them would catch nothing.

use std::hint::black_box;

/// The two ways in which cryptographic code is known to leak by time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Leak {
    /// A table is looked up at a secret place, as AES in tables does.
    Lookup,
    /// A branch is taken by a secret, as a naive multiplication in GF(2^128) does.
    Branch,
}

static TABLE: [u8; 256] = [7; 256];

/// Leaks a byte.
#[inline(never)]
pub fn leak(how: Leak, secret: u8) -> u8 {
    match how {
        Leak::Lookup => black_box(&TABLE)[usize::from(secret)],
        // Calls, so that the compiler cannot make a conditional move of it.
        Leak::Branch if secret & 1 != 0 => odd(secret),
        Leak::Branch => even(secret),
    }
}

#[inline(never)]
fn odd(value: u8) -> u8 {
    black_box(value ^ 1)
}

#[inline(never)]
fn even(value: u8) -> u8 {
    black_box(value) + 1
}
