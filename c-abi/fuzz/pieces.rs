//! Messages sealed and opened in parts: calls in any order, with arbitrary parts. The expected output and code come
//! from the engine, which seals all parts at once.

use std::ffi::c_int;

use kasoku::*;
use kasoku_engine::Tag;

use super::arena::Buffer;
use super::keys::{Key, Keys};
use super::script::Script;

/// Begins a message, adds the parts that the script describes, and frees the message.
pub(crate) fn run(keys: &Keys, arena: &mut [u8], script: &mut Script<'_>) {
    let (kind, nonce) = (script.byte(), script.buffer().inside());
    let start = nonce.pointer(arena.as_mut_ptr());
    let begin = |gcm| match kind % 3 {
        0 => Stream::Sealing(unsafe { kasoku_gcm_sealing_new(gcm, start, nonce.length) }),
        _ => Stream::Opening(unsafe { kasoku_gcm_opening_new(gcm, start, nonce.length) }),
    };
    let stream = match keys.gcm() {
        Key::Gcm(gcm, _) if kind < 224 => begin(gcm),
        // The message keeps a reference to the key.
        Key::Gcm(..) if kind < 250 => keys.with_short_lived(begin),
        _ => begin(std::ptr::null()),
    };
    let has_nonce = !nonce.is_missing() && !nonce.is_impossible() && nonce.length > 0;
    assert_eq!(stream.is_null(), kind >= 250 || !has_nonce, "{nonce:?}");
    let nonce = if stream.is_null() { Vec::new() } else { nonce.copy(arena) };
    let mut message =
        Message { stream, key: keys.gcm(), nonce, aad: Vec::new(), input: Vec::new(), is_finished: false };
    for _ in 0..script.byte() % 16 {
        match script.byte() % 16 {
            0..=3 => message.aad(script.buffer().inside(), arena),
            4..=12 => message.update(script.text(), arena),
            _ => message.finish(script, arena),
        }
    }
    message.stream.free();
}

#[derive(Debug)]
enum Stream {
    Sealing(*mut GcmSealing),
    Opening(*mut GcmOpening),
}

impl Stream {
    fn is_null(&self) -> bool {
        match self {
            Self::Sealing(sealing) => sealing.is_null(),
            Self::Opening(opening) => opening.is_null(),
        }
    }

    fn free(self) {
        match self {
            Self::Sealing(sealing) => unsafe { kasoku_gcm_sealing_free(sealing) },
            Self::Opening(opening) => unsafe { kasoku_gcm_opening_free(opening) },
        }
    }
}

/// Message in progress, or a NULL message, for which every call must fail.
struct Message<'k> {
    stream: Stream,
    key: Key<'k>,
    nonce: Vec<u8>,
    aad: Vec<u8>,
    input: Vec<u8>,
    is_finished: bool,
}

impl Message<'_> {
    fn aad(&mut self, aad: Buffer, arena: &mut [u8]) {
        let before = arena.to_vec();
        let start = aad.pointer(arena.as_mut_ptr());
        let code = match self.stream {
            Stream::Sealing(sealing) => unsafe { kasoku_gcm_sealing_aad(sealing, start, aad.length) },
            Stream::Opening(opening) => unsafe { kasoku_gcm_opening_aad(opening, start, aad.length) },
        };
        let mut refusals = self.refusals(&[aad], KASOKU_ERR_AAD_TOO_LONG);
        if !self.input.is_empty() && aad.length > 0 {
            refusals.push(KASOKU_ERR_AAD_TOO_LATE);
        }
        if is_done(code, &refusals) {
            self.aad.extend(aad.copy(&before));
        }
        assert_eq!(arena, before);
    }

    fn update(&mut self, (input, output): (Buffer, Buffer), arena: &mut [u8]) {
        let mut expected = arena.to_vec();
        let base = arena.as_mut_ptr();
        let (from, to) = (input.pointer(base), output.pointer(base));
        let code = match self.stream {
            Stream::Sealing(sealing) => unsafe { kasoku_gcm_sealing_update(sealing, from, input.length, to) },
            Stream::Opening(opening) => unsafe { kasoku_gcm_opening_update(opening, from, input.length, to) },
        };
        let mut refusals = self.refusals(&[input, output], KASOKU_ERR_MESSAGE_TOO_LONG);
        if input.place != output.place && !input.is_impossible() && input.overlaps(output) {
            refusals.push(KASOKU_ERR_OVERLAP);
        }
        if is_done(code, &refusals) {
            let done = self.input.len();
            self.input.extend(input.copy(&expected));
            output.put(&mut expected, &self.computed_at_once().0[done..]);
        }
        assert_eq!(arena, expected, "{input:?} {output:?}");
    }

    /// Finishes the message. When opening, passes the correct tag, or the current bytes at the place for the tag.
    fn finish(&mut self, script: &mut Script<'_>, arena: &mut [u8]) {
        let tag = script.tag();
        let is_null = self.stream.is_null();
        let own = if is_null { [0; 16] } else { self.computed_at_once().1 };
        let mut refusals = self.refusals(&[tag], KASOKU_ERR_NULL);
        let is_opening = matches!(self.stream, Stream::Opening(_));
        if is_opening && script.byte() % 2 == 1 {
            tag.put(arena, &own);
        }
        let mut expected = arena.to_vec();
        let at = tag.pointer(arena.as_mut_ptr());
        let code = match self.stream {
            Stream::Sealing(sealing) => unsafe { kasoku_gcm_sealing_finish(sealing, at) },
            Stream::Opening(opening) => unsafe { kasoku_gcm_opening_finish(opening, at) },
        };
        let is_ended = refusals.is_empty();
        if is_ended && is_opening && tag.copy(arena) != own {
            refusals.push(KASOKU_ERR_AUTHENTICATION);
        }
        if is_done(code, &refusals) && !is_opening {
            tag.put(&mut expected, &own);
        }
        // A wrong tag also finishes the message, so that a forger gets no second attempt.
        self.is_finished |= is_ended;
        assert_eq!(arena, expected, "{tag:?}");
    }

    /// Returns text and tag that the engine computes from all parts at once.
    fn computed_at_once(&self) -> (Vec<u8>, Tag) {
        let mut text = self.input.clone();
        let tag = self.key.engine_seals(&self.nonce, &self.aad, &mut text);
        match self.stream {
            Stream::Sealing(_) => (text, tag),
            // Encrypting twice restores the text: encrypting the ciphertext gives the plaintext.
            Stream::Opening(_) => {
                let tag = self.key.engine_seals(&self.nonce, &self.aad, &mut text.clone());
                (text, tag)
            }
        }
    }

    fn refusals(&self, buffers: &[Buffer], too_long: c_int) -> Vec<c_int> {
        let mut codes = Vec::new();
        if self.stream.is_null() || buffers.iter().any(|buffer| buffer.is_missing()) {
            codes.push(KASOKU_ERR_NULL);
        }
        if buffers.iter().any(|buffer| buffer.is_impossible()) {
            codes.push(too_long);
        }
        if self.is_finished {
            codes.push(KASOKU_ERR_FINISHED);
        }
        codes
    }
}

/// Returns whether the call succeeded. Checks that it succeeded if `refusals` is empty, and otherwise that it returned
/// one of the codes in `refusals`.
fn is_done(code: c_int, refusals: &[c_int]) -> bool {
    if refusals.is_empty() {
        assert_eq!(code, KASOKU_OK);
    } else {
        assert!(refusals.contains(&code), "{code} {refusals:?}");
    }
    refusals.is_empty()
}
