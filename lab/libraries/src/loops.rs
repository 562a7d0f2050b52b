//! The timed loops of libraries that are Rust crates: one file a shape, so that a library only says what happens once
//! and no library is looped over in another way than its neighbour.
//!
//! `std::hint::black_box` stands around every input and output: to the optimiser each call reads memory it cannot know
//! and writes memory that somebody reads, so nothing is hoisted out of the loop or dropped.

pub(crate) mod aead;
pub(crate) mod cipher;
pub(crate) mod packets;
pub(crate) mod repeated;

use super::{JobError, Unsupported};

/// `bytes` as an array, for a library that takes keys of a fixed length.
pub(crate) fn exactly<const N: usize>(what: &str, bytes: &[u8]) -> Result<[u8; N], Unsupported> {
    bytes.try_into().map_err(|_| Unsupported::new(format!("the {what} has {} bytes instead of {N}", bytes.len())))
}

/// For a library that says only that it failed.
pub(crate) fn failed(what: &'static str) -> JobError {
    JobError::new(format!("the library failed to {what}"))
}

/// For a key or signature that the library does not take.
pub(crate) fn rejected(what: &str) -> Unsupported {
    Unsupported::new(format!("the library does not take the {what}"))
}
