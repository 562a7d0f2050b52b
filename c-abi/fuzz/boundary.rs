//! Body of the fuzz target `boundary`: turns bytes into calls with arbitrary keys, buffers and overlaps, and checks
//! that each call does what the header says.
//!
//! All buffers lie in one small arena, so that they often overlap. The expected error comes from the simplest method
//! (sets of bytes), the expected output from the engine, working on copies.

use std::ffi::c_int;

use kasoku::*;

use super::arena::{ARENA, Buffer};
use super::keys::{Key, Keys};
use super::pieces;
use super::script::Script;

/// Runs the calls that `data` describes.
///
/// # Panics
/// If a call does not behave as the header says.
pub(crate) fn run(data: &[u8]) {
    let mut script = Script(data);
    let Some(keys) = Keys::read(&mut script) else { return };
    let mut arena: Vec<u8> = (0..ARENA).map(|place| (place as u8).wrapping_mul(37) ^ keys.first_byte()).collect();
    while !script.0.is_empty() {
        let kind = script.byte();
        let (key, call) = match kind % 8 {
            0..=2 => (keys.gcm(), Call::read(&mut script)),
            3 => (keys.gcm(), Call::read_vectored(&mut script)),
            4 => (keys.siv(), Call::read(&mut script)),
            5 => (keys.xaes(), Call::read(&mut script)),
            _ => {
                pieces::run(&keys, &mut arena, &mut script);
                continue;
            }
        };
        // Most calls use a nonce of the key's length.
        let call = if kind < 200 { call.with_nonce_of(key.nonce_bytes()) } else { call };
        match script.byte() % 3 {
            0 => call.seal(key, &mut arena),
            1 => _ = call.open(key, &mut arena),
            _ => call.open_what_was_sealed(key, &mut arena),
        }
    }
}

/// Calls the C function for the key's algorithm with the arguments in `call`, then `last`: output and tag.
macro_rules! call {
    ($call:expr, $function:ident, $key:expr, $base:expr, $($last:expr),+) => {{
        let pointer_and_length = |buffer: Buffer| (buffer.pointer($base), buffer.length);
        let (nonce, nonce_bytes) = pointer_and_length($call.nonce);
        let (aad, aad_bytes) = pointer_and_length($call.aad[0]);
        let (input, bytes) = pointer_and_length($call.input[0]);
        unsafe { $function($key, nonce, nonce_bytes, aad, aad_bytes, input, bytes, $($last),+) }
    }};
}

/// Like the macro `call`, but calls the C function for slices.
macro_rules! call_vectored {
    ($call:expr, $function:ident, $key:expr, $base:expr, $($last:expr),+) => {{
        let (nonce, nonce_bytes) = ($call.nonce.pointer($base), $call.nonce.length);
        let [aad, input] = [&$call.aad, &$call.input].map(|slices| as_c_has_them(slices, $base));
        unsafe {
            $function(
                $key, nonce, nonce_bytes, aad.as_ptr(), aad.len(), input.as_ptr(), input.len(), $($last),+
            )
        }
    }};
}

/// Arguments of a call. For a function without slices, AAD and input are one slice each.
#[derive(Clone, Debug)]
struct Call {
    is_vectored: bool,
    nonce: Buffer,
    aad: Vec<Buffer>,
    input: Vec<Buffer>,
    output: Buffer,
    tag: Buffer,
}

impl Call {
    fn read(script: &mut Script<'_>) -> Self {
        let (nonce, aad, (input, output)) = (script.buffer().inside(), script.buffer().inside(), script.text());
        Self { is_vectored: false, nonce, aad: vec![aad], input: vec![input], output, tag: script.tag() }
    }

    /// Reads up to three slices of AAD and up to three of text, which fit into the arena together.
    fn read_vectored(script: &mut Script<'_>) -> Self {
        let nonce = script.buffer().inside();
        let mut slices = || (0..script.byte() % 4).map(|_| script.buffer().inside()).collect::<Vec<_>>();
        let (aad, input) = (slices(), slices());
        let length = bytes(&input);
        let place = script.buffer().place.map(|place| place.min(ARENA.saturating_sub(length)));
        Self { is_vectored: true, nonce, aad, input, output: Buffer { place, length }, tag: script.tag() }
    }

    fn with_nonce_of(mut self, bytes: Option<usize>) -> Self {
        if let Some(length) = bytes {
            self.nonce = Buffer { place: self.nonce.place.map(|place| place.min(ARENA - length)), length };
        }
        self
    }

    /// Returns the error codes that the call may return. If the list is empty, the call must succeed.
    fn refusals(&self, nonce_bytes: Option<usize>, writes_tag: bool) -> Vec<c_int> {
        let mut codes = Vec::new();
        let read: Vec<Buffer> = [&[self.nonce], &self.aad[..], &self.input].concat();
        if read.iter().chain([&self.output, &self.tag]).any(|buffer| buffer.is_missing()) {
            codes.push(KASOKU_ERR_NULL);
        }
        let is_of_the_length = nonce_bytes.is_none_or(|bytes| bytes == self.nonce.length);
        if self.nonce.length == 0 || self.nonce.is_impossible() || !is_of_the_length {
            codes.push(KASOKU_ERR_NONCE_LENGTH);
        }
        if bytes(&self.aad) >= ARENA {
            codes.push(KASOKU_ERR_AAD_TOO_LONG);
        }
        if bytes(&self.input) >= ARENA {
            codes.push(KASOKU_ERR_MESSAGE_TOO_LONG);
        }
        if !codes.is_empty() {
            // Overlaps of impossible buffers are not a separate error, but the library may report them first.
            codes.push(KASOKU_ERR_OVERLAP);
            return codes;
        }
        let is_in_place = |input: Buffer| !self.is_vectored && input.place == self.output.place;
        let overlaps =
            [&[self.nonce, self.tag], &self.aad[..]].concat().iter().any(|&other| self.output.overlaps(other))
                || self.input.iter().any(|&input| !is_in_place(input) && self.output.overlaps(input))
                || writes_tag && read.into_iter().any(|other| self.tag.overlaps(other));
        if overlaps { vec![KASOKU_ERR_OVERLAP] } else { codes }
    }

    fn call_seal(&self, key: Key<'_>, arena: &mut [u8]) -> c_int {
        let base = arena.as_mut_ptr();
        let (output, tag) = (self.output.pointer(base), self.tag.pointer(base));
        match key {
            Key::Gcm(key, _) if self.is_vectored => {
                call_vectored!(self, kasoku_gcm_seal_vectored, key, base, output, tag)
            }
            Key::Gcm(key, _) => call!(self, kasoku_gcm_seal, key, base, output, tag),
            Key::Siv(key, _) => call!(self, kasoku_siv_seal, key, base, output, tag),
            Key::Xaes(key, _) => call!(self, kasoku_xaes_seal, key, base, output, tag),
        }
    }

    fn call_open(&self, key: Key<'_>, arena: &mut [u8]) -> c_int {
        let base = arena.as_mut_ptr();
        let (output, tag) = (self.output.pointer(base), self.tag.pointer(base));
        match key {
            Key::Gcm(key, _) if self.is_vectored => {
                call_vectored!(self, kasoku_gcm_open_vectored, key, base, tag, output)
            }
            Key::Gcm(key, _) => call!(self, kasoku_gcm_open, key, base, tag, output),
            Key::Siv(key, _) => call!(self, kasoku_siv_open, key, base, tag, output),
            Key::Xaes(key, _) => call!(self, kasoku_xaes_open, key, base, tag, output),
        }
    }

    fn seal(&self, key: Key<'_>, arena: &mut [u8]) {
        let before = arena.to_vec();
        let code = self.call_seal(key, arena);
        let refusals = self.refusals(key.nonce_bytes(), true);
        let mut expected = before.clone();
        if refusals.is_empty() {
            assert_eq!(code, KASOKU_OK, "{self:?}");
            let mut text = copy(&self.input, &before);
            let tag = key.engine_seals(&self.nonce.copy(&before), &copy(&self.aad, &before), &mut text);
            self.output.put(&mut expected, &text);
            self.tag.put(&mut expected, &tag);
        } else {
            assert!(refusals.contains(&code), "{code} {refusals:?} {self:?}");
        }
        assert_eq!(arena, expected, "{self:?}");
    }

    fn open(&self, key: Key<'_>, arena: &mut [u8]) -> c_int {
        let before = arena.to_vec();
        let code = self.call_open(key, arena);
        let refusals = self.refusals(key.nonce_bytes(), false);
        let mut expected = before.clone();
        if refusals.is_empty() {
            let mut text = copy(&self.input, &before);
            let tag = self.tag.copy(&before).try_into().unwrap();
            let opened = key.engine_opens(&self.nonce.copy(&before), &copy(&self.aad, &before), &mut text, &tag);
            assert_eq!(code, if opened.is_ok() { KASOKU_OK } else { KASOKU_ERR_AUTHENTICATION }, "{self:?}");
            self.output.put(&mut expected, &text);
        } else {
            assert!(refusals.contains(&code), "{code} {refusals:?} {self:?}");
        }
        assert_eq!(arena, expected, "{self:?}");
        code
    }

    /// Seals, then opens the result in place. Slices cannot be opened in place, so the call then opens the current
    /// contents of the slices.
    fn open_what_was_sealed(&self, key: Key<'_>, arena: &mut [u8]) {
        if !self.refusals(key.nonce_bytes(), true).is_empty() {
            return;
        }
        if self.is_vectored {
            let (nonce, aad, mut text) = (self.nonce.copy(arena), copy(&self.aad, arena), copy(&self.input, arena));
            key.engine_seals(&nonce, &aad, &mut text); // AES-GCM sealing twice gives the plaintext
            self.tag.put(arena, &key.engine_seals(&nonce, &aad, &mut text));
            assert_eq!(self.open(key, arena), KASOKU_OK, "{self:?}");
            return;
        }
        let plaintext = copy(&self.input, arena);
        assert_eq!(self.call_seal(key, arena), KASOKU_OK, "{self:?}");
        let back = Self { input: vec![self.output], ..self.clone() };
        assert_eq!(back.call_open(key, arena), KASOKU_OK, "{self:?}");
        assert_eq!(self.output.copy(arena), plaintext, "{self:?}");
    }
}

fn bytes(slices: &[Buffer]) -> usize {
    slices.iter().fold(0, |bytes: usize, slice| bytes.saturating_add(slice.length))
}

fn copy(slices: &[Buffer], arena: &[u8]) -> Vec<u8> {
    slices.iter().flat_map(|slice| slice.copy(arena)).collect()
}

fn as_c_has_them(slices: &[Buffer], arena: *mut u8) -> Vec<kasoku_slice> {
    slices.iter().map(|slice| kasoku_slice { data: slice.pointer(arena), len: slice.length }).collect()
}
