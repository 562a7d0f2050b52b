//! Whole messages by one rule after the other, whatever seals and opens them.

#![allow(unsafe_code, reason = "C's pointers are followed")]

use kasoku_engine::Tag;

use crate::buffers::{Input, Message, Output, Text, Unverified};
use crate::code::Code;

/// Checks what C gave, and writes the tag of what `work` makes of nonce, AAD and message.
///
/// # Safety
/// Each buffer must be readable or writable for its length, and not be written by anybody else meanwhile.
pub(crate) unsafe fn seal(
    message: Message,
    tag: *mut u8,
    work: impl FnOnce(&[u8], &[u8], Text<'_>) -> Result<Tag, Code>,
) -> Result<(), Code> {
    let nonce = Input::nonce(message.nonce, message.nonce_bytes)?;
    let aad = Input::aad(message.aad, message.aad_bytes)?;
    let input = Input::text(message.input, message.bytes)?;
    let output = Output::text(message.output, message.bytes)?;
    let tag = Output::tag(tag)?;
    output.in_place_or_apart_from(input)?;
    output.apart_from(&[nonce, aad])?;
    tag.apart_from(&[nonce, aad, input, output.as_input()])?;

    // SAFETY: checked above; the caller vouches for the memory.
    let (nonce, aad, text) = unsafe { (nonce.slice(), aad.slice(), output.text_from(input)) };
    let computed = work(nonce, aad, text)?;
    // SAFETY: checked above; the slices are not used any more.
    unsafe { tag.write(&computed) };
    Ok(())
}

/// Checks what C gave, and lets `work` open it. If that fails or panics, the output is all zeros, unless the mode takes
/// less AAD than others: then nothing is written.
///
/// # Safety
/// As [`seal`].
pub(crate) unsafe fn open(
    message: Message,
    tag: *const u8,
    work: impl FnOnce(&[u8], &[u8], Text<'_>, &Tag) -> Result<(), Code>,
) -> Result<(), Code> {
    let nonce = Input::nonce(message.nonce, message.nonce_bytes)?;
    let aad = Input::aad(message.aad, message.aad_bytes)?;
    let input = Input::text(message.input, message.bytes)?;
    let output = Output::text(message.output, message.bytes)?;
    let tag = Input::tag(tag)?;
    output.in_place_or_apart_from(input)?;
    output.apart_from(&[nonce, aad, tag])?;

    // SAFETY: checked above; the caller vouches for the memory. The slice of the output is gone when this is dropped.
    let unverified = unsafe { Unverified::new([output]) };
    // SAFETY: as above.
    let (nonce, aad, text) = unsafe { (nonce.slice(), aad.slice(), output.text_from(input)) };
    // SAFETY: 16 bytes that may be read.
    let tag = unsafe { tag.slice() }.try_into().map_err(|_| Code::NULL)?;
    let opened = work(nonce, aad, text, tag);
    if let Ok(()) | Err(Code::AAD_TOO_LONG) = opened {
        unverified.keep();
    }
    opened
}
