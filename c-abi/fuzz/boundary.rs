//! What the fuzzer does at the C boundary: any bytes become calls with keys, buffers and overlaps of any kind, and each
//! call must do what the header says. A plain function, so that the tests run it too.
//!
//! All buffers lie in one small arena, so that they meet often. Whether a call is allowed is worked out in the most
//! obvious way (sets of bytes), what it ought to write by the engine on copies.

#![allow(unsafe_code, reason = "these are C's calls")]
#![allow(clippy::undocumented_unsafe_blocks, reason = "every block is a call with the arena, or must be refused")]
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a panic is what a fuzzer looks for")]

use std::collections::BTreeSet;
use std::ffi::c_int;

use kasoku::*;
use kasoku_engine::{AesGcm, AesGcmSiv, Error, Nonce, Tag, XaesGcm};

const ARENA: usize = 192;

/// Runs the calls that `data` describes.
///
/// # Panics
/// If any of them does something else than the header says.
pub(crate) fn run(data: &[u8]) {
    let mut script = Script(data);
    let key_bytes = [16, 24, 32, 0, 17, 33][usize::from(script.byte()) % 6];
    let key: Vec<u8> = (0..key_bytes).map(|_| script.byte()).collect();
    let gcm = unsafe { kasoku_gcm_new(key.as_ptr(), key.len()) };
    let Ok(engine) = AesGcm::new(&key) else {
        assert!(gcm.is_null());
        return;
    };
    assert!(!gcm.is_null());
    let siv = unsafe { kasoku_siv_new(key.as_ptr(), key.len()) };
    let siv_engine = AesGcmSiv::new(&key).ok();
    assert_eq!(siv.is_null(), siv_engine.is_none());
    let (xaes, xaes_engine) = match <&[u8; 32]>::try_from(&key[..]) {
        Ok(key) => (unsafe { kasoku_xaes_new(key.as_ptr()) }, Some(XaesGcm::new(key))),
        Err(_) => (std::ptr::null_mut(), None),
    };
    assert_eq!(xaes.is_null(), xaes_engine.is_none());
    let gcm_key = Key::Gcm(gcm, &engine);
    let siv_key = siv_engine.as_ref().map_or(gcm_key, |engine| Key::Siv(siv, engine));
    let xaes_key = xaes_engine.as_ref().map_or(gcm_key, |engine| Key::Xaes(xaes, engine));

    let mut arena: Vec<u8> = (0..ARENA).map(|place| (place as u8).wrapping_mul(37) ^ key[0]).collect();
    while !script.0.is_empty() {
        let kind = script.byte();
        let (key, call) = match kind % 8 {
            0..=3 => (gcm_key, Call::read(&mut script)),
            4 => (gcm_key, Call::read_vectored(&mut script)),
            5 => (siv_key, Call::read(&mut script)),
            _ => (xaes_key, Call::read(&mut script)),
        };
        // Mostly as long as the key wants it.
        let call = if kind < 200 { call.with_nonce_of(key.nonce_bytes()) } else { call };
        match script.byte() % 4 {
            0 => call.seal(key, &mut arena),
            1 => _ = call.open(key, &mut arena),
            2 => call.open_what_was_sealed(key, &mut arena),
            _ => call.in_pieces(gcm, &engine, &mut arena, &mut script),
        }
    }
    unsafe {
        kasoku_gcm_free(gcm);
        kasoku_siv_free(siv);
        kasoku_xaes_free(xaes);
    }
}

/// A key of C's, and the same of the engine's.
#[derive(Clone, Copy)]
enum Key<'k> {
    Gcm(*const Gcm, &'k AesGcm),
    Siv(*const Siv, &'k AesGcmSiv),
    Xaes(*const Xaes, &'k XaesGcm),
}

impl Key<'_> {
    /// How long all of its nonces are.
    fn nonce_bytes(self) -> Option<usize> {
        match self {
            Self::Gcm(..) => None,
            Self::Siv(..) => Some(AesGcmSiv::NONCE_BYTES),
            Self::Xaes(..) => Some(XaesGcm::NONCE_BYTES),
        }
    }

    fn engine_seals(self, nonce: &[u8], aad: &[u8], text: &mut [u8]) -> Tag {
        match self {
            Self::Gcm(_, key) => key.seal(Nonce::try_from(nonce).unwrap(), aad, text),
            Self::Siv(_, key) => key.seal(nonce.try_into().unwrap(), aad, text),
            Self::Xaes(_, key) => key.seal(nonce.try_into().unwrap(), aad, text),
        }
        .unwrap()
    }

    fn engine_opens(self, nonce: &[u8], aad: &[u8], text: &mut [u8], tag: &Tag) -> Result<(), Error> {
        match self {
            Self::Gcm(_, key) => key.open(Nonce::try_from(nonce).unwrap(), aad, text, tag),
            Self::Siv(_, key) => key.open(nonce.try_into().unwrap(), aad, text, tag),
            Self::Xaes(_, key) => key.open(nonce.try_into().unwrap(), aad, text, tag),
        }
    }
}

/// The bytes that are left; zeros after them.
struct Script<'a>(&'a [u8]);

impl Script<'_> {
    fn byte(&mut self) -> u8 {
        let Some((first, rest)) = self.0.split_first() else { return 0 };
        self.0 = rest;
        *first
    }

    /// Mostly a buffer inside the arena, sometimes NULL, sometimes a length that nobody has.
    fn buffer(&mut self) -> Buffer {
        let (place, kind) = (self.byte(), self.byte());
        let length = match kind {
            0..=239 => usize::from(kind) % 48,
            // More than any limit. (Less, and the library would have to believe it, and read.)
            240..=247 => usize::MAX >> (kind % 3),
            _ => 0,
        };
        let place = usize::from(place);
        if place < ARENA { Buffer { place: Some(place), length } } else { Buffer { place: None, length } }
    }
}

/// A place in the arena, or NULL; and a length.
#[derive(Clone, Copy, Debug)]
struct Buffer {
    place: Option<usize>,
    length: usize,
}

impl Buffer {
    /// Short enough, and not past the arena's end: what a C programmer must see to, and no library can check.
    fn inside(mut self) -> Self {
        if let Some(place) = self.place
            && self.length < ARENA
        {
            self.length = self.length.min(ARENA - place);
        }
        self
    }

    fn pointer(self, arena: *mut u8) -> *mut u8 {
        self.place.map_or(std::ptr::null_mut(), |place| arena.wrapping_add(place))
    }

    fn is_impossible(self) -> bool {
        self.length >= ARENA
    }

    fn is_missing(self) -> bool {
        self.place.is_none() && self.length > 0
    }

    fn places(self) -> BTreeSet<usize> {
        self.place.map_or_else(BTreeSet::new, |place| (place..place + self.length).collect())
    }

    fn copy(self, arena: &[u8]) -> Vec<u8> {
        self.places().into_iter().map(|place| arena[place]).collect()
    }
}

/// The call by that name: what is written by sealing and read by opening comes last.
macro_rules! call {
    ($call:expr, $function:ident, $key:expr, $base:expr, $($last:expr),+) => {{
        let of = |buffer: Buffer| (buffer.pointer($base), buffer.length);
        let ((nonce, nonce_bytes), (aad, aad_bytes)) = (of($call.nonce), of($call.aad[0]));
        let (input, bytes) = of($call.input[0]);
        unsafe { $function($key, nonce, nonce_bytes, aad, aad_bytes, input, bytes, $($last),+) }
    }};
}

/// The same for one that takes slices.
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

/// A call; one that is not vectored has one slice of AAD and one of input.
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
        let (nonce, aad, input) = (script.buffer().inside(), script.buffer().inside(), script.buffer().inside());
        let mut output = script.buffer();
        if output.length.is_multiple_of(3) {
            output.place = input.place;
        }
        // One length holds for both: the one that fits where both lie.
        let mut length = input.length;
        if !input.is_impossible() {
            length = length.min(Buffer { length, ..output }.inside().length);
        }
        let input = vec![Buffer { length, ..input }];
        Self { is_vectored: false, nonce, aad: vec![aad], input, output: Buffer { length, ..output }, tag: tag(script) }
    }

    /// Up to three slices of AAD and of text: all together they fit into the arena.
    fn read_vectored(script: &mut Script<'_>) -> Self {
        let nonce = script.buffer().inside();
        let mut slices = || (0..script.byte() % 4).map(|_| script.buffer().inside()).collect::<Vec<_>>();
        let (aad, input) = (slices(), slices());
        let length = bytes(&input);
        let place = script.buffer().place.map(|place| place.min(ARENA.saturating_sub(length)));
        Self { is_vectored: true, nonce, aad, input, output: Buffer { place, length }, tag: tag(script) }
    }

    fn with_nonce_of(mut self, bytes: Option<usize>) -> Self {
        if let Some(length) = bytes {
            self.nonce = Buffer { place: self.nonce.place.map(|place| place.min(ARENA - length)), length };
        }
        self
    }

    /// The codes it may be refused with: none of them says that it must not be.
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
            // Overlaps of buffers that cannot be are nobody's business, but may be what is seen first.
            codes.push(KASOKU_ERR_OVERLAP);
            return codes;
        }
        let meet = |one: Buffer, other: Buffer| !one.places().is_disjoint(&other.places());
        let is_in_place = |input: Buffer| !self.is_vectored && input.place == self.output.place;
        let overlaps = [&[self.nonce, self.tag], &self.aad[..]].concat().iter().any(|&other| meet(self.output, other))
            || self.input.iter().any(|&input| !is_in_place(input) && meet(self.output, input))
            || writes_tag && read.into_iter().any(|other| meet(self.tag, other));
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
            put(&mut expected, self.output, &text);
            put(&mut expected, self.tag, &tag);
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
            put(&mut expected, self.output, &text);
        } else {
            assert!(refusals.contains(&code), "{code} {refusals:?} {self:?}");
        }
        assert_eq!(arena, expected, "{self:?}");
        code
    }

    /// Seals, then opens in place what came out. From slices, which cannot be in place: opens what lies there as if it
    /// had been sealed.
    fn open_what_was_sealed(&self, key: Key<'_>, arena: &mut [u8]) {
        if !self.refusals(key.nonce_bytes(), true).is_empty() {
            return;
        }
        if self.is_vectored {
            let (nonce, aad, mut text) = (self.nonce.copy(arena), copy(&self.aad, arena), copy(&self.input, arena));
            key.engine_seals(&nonce, &aad, &mut text); // AES-GCM: the plaintext
            put(arena, self.tag, &key.engine_seals(&nonce, &aad, &mut text));
            assert_eq!(self.open(key, arena), KASOKU_OK, "{self:?}");
            return;
        }
        let plaintext = copy(&self.input, arena);
        assert_eq!(self.call_seal(key, arena), KASOKU_OK, "{self:?}");
        let back = Self { input: vec![self.output], ..self.clone() };
        assert_eq!(back.call_open(key, arena), KASOKU_OK, "{self:?}");
        assert_eq!(self.output.copy(arena), plaintext, "{self:?}");
    }

    /// Seals in pieces of the script's sizes what the engine seals at once.
    fn in_pieces(&self, gcm: *const Gcm, engine: &AesGcm, arena: &mut [u8], script: &mut Script<'_>) {
        let ([aad], [input]) = (&self.aad[..], &self.input[..]) else { return };
        if !self.refusals(None, true).is_empty() || input.length == 0 {
            return;
        }
        let before = arena.to_vec();
        let base = arena.as_mut_ptr();
        let (from, to) = (input.pointer(base), self.output.pointer(base));
        unsafe {
            let sealing = kasoku_gcm_sealing_new(gcm, self.nonce.pointer(base), self.nonce.length);
            let first = aad.length.min(usize::from(script.byte() % 48));
            assert_eq!(kasoku_gcm_sealing_aad(sealing, aad.pointer(base), first), KASOKU_OK);
            let rest = aad.pointer(base).wrapping_add(first);
            assert_eq!(kasoku_gcm_sealing_aad(sealing, rest, aad.length - first), KASOKU_OK);
            let mut done = 0;
            while done < input.length {
                let piece = usize::from(script.byte() % 48).clamp(1, input.length - done);
                let code = kasoku_gcm_sealing_update(sealing, from.add(done), piece, to.add(done));
                assert_eq!(code, KASOKU_OK, "{self:?}");
                done += piece;
            }
            assert_eq!(kasoku_gcm_sealing_finish(sealing, self.tag.pointer(base)), KASOKU_OK);
            kasoku_gcm_sealing_free(sealing);
        }
        let mut expected = before.clone();
        let mut text = input.copy(&before);
        let tag = Key::Gcm(gcm, engine).engine_seals(&self.nonce.copy(&before), &aad.copy(&before), &mut text);
        put(&mut expected, self.output, &text);
        put(&mut expected, self.tag, &tag);
        assert_eq!(arena, expected, "{self:?}");
    }
}

/// 16 bytes in the arena, or NULL.
fn tag(script: &mut Script<'_>) -> Buffer {
    Buffer { place: script.buffer().place.map(|place| place.min(ARENA - 16)), length: 16 }
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

fn put(arena: &mut [u8], buffer: Buffer, bytes: &[u8]) {
    if let Some(place) = buffer.place {
        arena[place..place + bytes.len()].copy_from_slice(bytes);
    }
}
