//! Deliberate leaks, which the tests must detect.

use std::hint::black_box;

/// Kinds of code that leak secrets through timing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Leak {
    /// A look-up in a table at a secret index, as in table-based AES.
    Lookup,
    /// A branch on a secret bit, as in a naive multiplication in GF(2^128).
    Branch,
}

static TABLE: [u8; 256] = [7; 256];

/// Leaks the byte `secret` through code of the kind `how`.
#[inline(never)]
pub fn leak(how: Leak, secret: u8) -> u8 {
    match how {
        Leak::Lookup => black_box(&TABLE)[usize::from(secret)],
        // Function calls prevent the compiler from using a conditional move.
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
