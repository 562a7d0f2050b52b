//! Whole messages by a key whose nonces are all as long.

#![allow(unsafe_code, reason = "C's pointers are followed")]

use kasoku_engine::{Error, Tag};

use crate::buffers::{Message, Text};
use crate::code::Code;
use crate::whole;

/// A key whose nonces all have `N` bytes.
pub(crate) trait FixedNonce<const N: usize> {
    fn seal(&self, nonce: &[u8; N], aad: &[u8], text: Text<'_>) -> Result<Tag, Error>;
    fn open(&self, nonce: &[u8; N], aad: &[u8], text: Text<'_>, tag: &Tag) -> Result<(), Error>;
}

/// As [`whole::seal`].
///
/// # Safety
/// As there.
pub(crate) unsafe fn seal<const N: usize>(
    key: Option<&impl FixedNonce<N>>,
    message: Message,
    tag: *mut u8,
) -> Result<(), Code> {
    let key = ready(key, &message)?;
    // SAFETY: the caller's.
    unsafe { whole::seal(message, tag, |nonce, aad, text| Ok(key.seal(of_its_length(nonce)?, aad, text)?)) }
}

/// As [`whole::open`].
///
/// # Safety
/// As there.
pub(crate) unsafe fn open<const N: usize>(
    key: Option<&impl FixedNonce<N>>,
    message: Message,
    tag: *const u8,
) -> Result<(), Code> {
    let key = ready(key, &message)?;
    // SAFETY: the caller's.
    unsafe { whole::open(message, tag, |nonce, aad, text, tag| Ok(key.open(of_its_length(nonce)?, aad, text, tag)?)) }
}

/// The key, if there is one and the nonce is as long as it must be: then nothing is written yet.
fn ready<'a, const N: usize, K: FixedNonce<N>>(key: Option<&'a K>, message: &Message) -> Result<&'a K, Code> {
    let key = key.ok_or(Code::NULL)?;
    if message.nonce_bytes == N { Ok(key) } else { Err(Code::NONCE_LENGTH) }
}

fn of_its_length<const N: usize>(nonce: &[u8]) -> Result<&[u8; N], Code> {
    nonce.try_into().map_err(|_| Code::NONCE_LENGTH)
}
