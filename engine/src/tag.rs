//! Tags.

use crate::backend::Block;

/// Bytes of a tag.
pub const TAG_BYTES: usize = 16;

/// Proof that a message is genuine: 128 bits, never fewer.
pub type Tag = [u8; TAG_BYTES];

/// Whether two tags are equal, without a branch on where they differ.
#[inline]
pub(crate) fn are_equal(one: &Block, other: &Block) -> bool {
    u128::from_ne_bytes(*one) ^ u128::from_ne_bytes(*other) == 0
}
