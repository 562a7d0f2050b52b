//! Whole messages for AEADs with one nonce length: XAES-256-GCM and AES-GCM-SIV.

#![allow(unsafe_code, reason = "dereferences C pointers")]

use kasoku_engine::{Error, Tag};

use crate::buffers::{Message, MessageBuffers};
use crate::checked_message;
use crate::code::Code;

/// Key of an AEAD whose nonces all have `N` bytes.
pub(crate) trait FixedNonce<const N: usize> {
    fn seal(&self, nonce: &[u8; N], aad: &[u8], text: MessageBuffers<'_>) -> Result<Tag, Error>;
    fn open(&self, nonce: &[u8; N], aad: &[u8], text: MessageBuffers<'_>, tag: &Tag) -> Result<(), Error>;
}

/// Seals a message like [`checked_message::seal`], after checking that there is a key and that the nonce has `N` bytes.
///
/// # Safety
/// See [`checked_message::seal`].
pub(crate) unsafe fn seal<const N: usize>(
    key: Option<&impl FixedNonce<N>>,
    message: Message,
    tag: *mut u8,
) -> Result<(), Code> {
    let key = check_key_and_nonce(key, &message)?;
    // SAFETY: guaranteed by the caller.
    unsafe { checked_message::seal(message, tag, |nonce, aad, text| Ok(key.seal(nonce_array(nonce)?, aad, text)?)) }
}

/// Opens a message like [`checked_message::open`], after checking that there is a key and that the nonce has `N` bytes.
///
/// # Safety
/// See [`checked_message::seal`].
pub(crate) unsafe fn open<const N: usize>(
    key: Option<&impl FixedNonce<N>>,
    message: Message,
    tag: *const u8,
) -> Result<(), Code> {
    let key = check_key_and_nonce(key, &message)?;
    // SAFETY: guaranteed by the caller.
    unsafe {
        checked_message::open(message, tag, |nonce, aad, text, tag| {
            Ok(key.open(nonce_array(nonce)?, aad, text, tag)?)
        })
    }
}

/// Returns the key. Fails if the key is NULL or the nonce does not have `N` bytes. Callers check this before they write
/// any output, so a failed call leaves the caller's buffers unchanged.
fn check_key_and_nonce<'a, const N: usize, K: FixedNonce<N>>(
    key: Option<&'a K>,
    message: &Message,
) -> Result<&'a K, Code> {
    let key = key.ok_or(Code::NULL)?;
    if message.nonce_bytes == N { Ok(key) } else { Err(Code::NONCE_LENGTH) }
}

fn nonce_array<const N: usize>(nonce: &[u8]) -> Result<&[u8; N], Code> {
    nonce.try_into().map_err(|_| Code::NONCE_LENGTH)
}
