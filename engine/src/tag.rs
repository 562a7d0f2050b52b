//! The authentication tag and its constant-time comparison.

use crate::backend::Block;

/// Length of a tag in bytes.
pub const TAG_BYTES: usize = 16;

/// An authentication tag. It always has the full 128 bits.
pub type Tag = [u8; TAG_BYTES];

/// Returns whether two tags are equal, without a branch that depends on the position of a difference.
#[inline]
pub(crate) fn are_equal(one: &Block, other: &Block) -> bool {
    u128::from_ne_bytes(*one) ^ u128::from_ne_bytes(*other) == 0
}
