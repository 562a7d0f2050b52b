//! Seals and opens whole messages after checking their arguments rule by rule.

#![allow(unsafe_code, reason = "dereferences C pointers")]

use kasoku_engine::Tag;

use crate::buffers::{Input, Message, MessageBuffers, Output, UnverifiedPlaintext};
use crate::code::Code;

/// Checks the arguments, seals the message with `work`, and writes the tag that `work` returns.
///
/// # Safety
/// Each buffer must be valid for its length, and nothing else may write to it.
pub(crate) unsafe fn seal(
    message: Message,
    tag: *mut u8,
    work: impl FnOnce(&[u8], &[u8], MessageBuffers<'_>) -> Result<Tag, Code>,
) -> Result<(), Code> {
    let nonce = Input::nonce(message.nonce, message.nonce_bytes)?;
    let aad = Input::aad(message.aad, message.aad_bytes)?;
    let input = Input::text(message.input, message.bytes)?;
    let output = Output::text(message.output, message.bytes)?;
    let tag = Output::tag(tag)?;
    output.check_in_place_or_apart_from(input)?;
    output.check_apart_from(&[nonce, aad])?;
    tag.check_apart_from(&[nonce, aad, input, output.as_input()])?;

    // SAFETY: checked above; the caller guarantees the memory.
    let (nonce, aad, text) = unsafe { (nonce.slice(), aad.slice(), output.buffers_from(input)) };
    let computed = work(nonce, aad, text)?;
    // SAFETY: checked above; the slices are no longer used.
    unsafe { tag.write(&computed) };
    Ok(())
}

/// Checks the arguments and opens the message with `work`. Zeroes the output if `work` fails or panics. Exception:
/// AES-GCM-SIV has a lower AAD limit and rejects longer AAD without writing to the output.
///
/// # Safety
/// The requirements are those of [`seal`].
pub(crate) unsafe fn open(
    message: Message,
    tag: *const u8,
    work: impl FnOnce(&[u8], &[u8], MessageBuffers<'_>, &Tag) -> Result<(), Code>,
) -> Result<(), Code> {
    let nonce = Input::nonce(message.nonce, message.nonce_bytes)?;
    let aad = Input::aad(message.aad, message.aad_bytes)?;
    let input = Input::text(message.input, message.bytes)?;
    let output = Output::text(message.output, message.bytes)?;
    let tag = Input::tag(tag)?;
    output.check_in_place_or_apart_from(input)?;
    output.check_apart_from(&[nonce, aad, tag])?;

    // SAFETY: checked above; the caller guarantees the memory. The slice of the output ends before the guard is
    // dropped.
    let unverified = unsafe { UnverifiedPlaintext::new([output]) };
    // SAFETY: as above.
    let (nonce, aad, text) = unsafe { (nonce.slice(), aad.slice(), output.buffers_from(input)) };
    // SAFETY: checked above; the tag has 16 bytes.
    let tag = unsafe { tag.slice() }.try_into().map_err(|_| Code::NULL)?;
    let opened = work(nonce, aad, text, tag);
    if let Ok(()) | Err(Code::AAD_TOO_LONG) = opened {
        unverified.keep();
    }
    opened
}
