//! The timed loops for libraries that are called from Rust, one file for each shape of API. All libraries of a shape
//! share a loop, so that all of them are timed alike.
//!
//! `std::hint::black_box` surrounds every input and output. The optimiser then must assume that each call reads unknown
//! memory and that its output is read, so it hoists or drops nothing.

pub(crate) mod aead;
pub(crate) mod cipher;
pub(crate) mod packets;
pub(crate) mod repeated;

use super::{JobError, Unsupported};

pub(crate) fn to_array<const N: usize>(what: &str, bytes: &[u8]) -> Result<[u8; N], Unsupported> {
    bytes.try_into().map_err(|_| Unsupported::new(format!("the {what} has {} bytes instead of {N}", bytes.len())))
}

pub(crate) fn failed(what: &'static str) -> JobError {
    JobError::new(format!("the library failed to {what}"))
}

pub(crate) fn rejected(what: &str) -> Unsupported {
    Unsupported::new(format!("the library does not take the {what}"))
}
