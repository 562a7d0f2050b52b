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
use kasoku_engine::{AesGcm, Nonce};

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
    let mut arena: Vec<u8> = (0..ARENA).map(|place| (place as u8).wrapping_mul(37) ^ key[0]).collect();
    while !script.0.is_empty() {
        let call = Call::read(&mut script);
        match script.byte() % 4 {
            0 => call.seal(gcm, &engine, &mut arena),
            1 => call.open(gcm, &engine, &mut arena),
            2 => call.open_what_was_sealed(gcm, &mut arena),
            _ => call.in_pieces(gcm, &engine, &mut arena, &mut script),
        }
    }
    unsafe { kasoku_gcm_free(gcm) };
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

#[derive(Clone, Copy, Debug)]
struct Call {
    nonce: Buffer,
    aad: Buffer,
    input: Buffer,
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
        let mut tag = script.buffer();
        tag.length = 16;
        tag.place = tag.place.map(|place| place.min(ARENA - 16));
        Self { nonce, aad, input: Buffer { length, ..input }, output: Buffer { length, ..output }, tag }
    }

    /// The codes it may be refused with: none of them says that it must not be.
    fn refusals(&self, writes_tag: bool) -> Vec<c_int> {
        let mut codes = Vec::new();
        let buffers = [self.nonce, self.aad, self.input, self.output, self.tag];
        if buffers.iter().any(|buffer| buffer.is_missing()) {
            codes.push(KASOKU_ERR_NULL);
        }
        if self.nonce.length == 0 || self.nonce.is_impossible() {
            codes.push(KASOKU_ERR_NONCE_LENGTH);
        }
        if self.aad.is_impossible() {
            codes.push(KASOKU_ERR_AAD_TOO_LONG);
        }
        if self.input.is_impossible() {
            codes.push(KASOKU_ERR_MESSAGE_TOO_LONG);
        }
        if !codes.is_empty() {
            // Overlaps of buffers that cannot be are nobody's business, but may be what is seen first.
            codes.push(KASOKU_ERR_OVERLAP);
            return codes;
        }
        let meet = |one: Buffer, other: Buffer| !one.places().is_disjoint(&other.places());
        let is_in_place = self.input.place == self.output.place;
        let overlaps = meet(self.output, self.nonce)
            || meet(self.output, self.aad)
            || meet(self.output, self.tag)
            || !is_in_place && meet(self.output, self.input)
            || writes_tag && [self.nonce, self.aad, self.input].into_iter().any(|other| meet(self.tag, other));
        if overlaps { vec![KASOKU_ERR_OVERLAP] } else { codes }
    }

    fn call_seal(&self, gcm: *const Gcm, arena: &mut [u8]) -> c_int {
        let base = arena.as_mut_ptr();
        unsafe {
            kasoku_gcm_seal(
                gcm,
                self.nonce.pointer(base),
                self.nonce.length,
                self.aad.pointer(base),
                self.aad.length,
                self.input.pointer(base),
                self.input.length,
                self.output.pointer(base),
                self.tag.pointer(base),
            )
        }
    }

    fn call_open(&self, gcm: *const Gcm, arena: &mut [u8]) -> c_int {
        let base = arena.as_mut_ptr();
        unsafe {
            kasoku_gcm_open(
                gcm,
                self.nonce.pointer(base),
                self.nonce.length,
                self.aad.pointer(base),
                self.aad.length,
                self.input.pointer(base),
                self.input.length,
                self.tag.pointer(base),
                self.output.pointer(base),
            )
        }
    }

    fn seal(&self, gcm: *const Gcm, engine: &AesGcm, arena: &mut [u8]) {
        let before = arena.to_vec();
        let code = self.call_seal(gcm, arena);
        let refusals = self.refusals(true);
        let mut expected = before.clone();
        if refusals.is_empty() {
            assert_eq!(code, KASOKU_OK, "{self:?}");
            let mut text = self.input.copy(&before);
            let nonce = self.nonce.copy(&before);
            let nonce = Nonce::try_from(&nonce[..]).unwrap();
            let tag = engine.seal(nonce, &self.aad.copy(&before), &mut text).unwrap();
            put(&mut expected, self.output, &text);
            put(&mut expected, self.tag, &tag);
        } else {
            assert!(refusals.contains(&code), "{code} {refusals:?} {self:?}");
        }
        assert_eq!(arena, expected, "{self:?}");
    }

    fn open(&self, gcm: *const Gcm, engine: &AesGcm, arena: &mut [u8]) {
        let before = arena.to_vec();
        let code = self.call_open(gcm, arena);
        let refusals = self.refusals(false);
        let mut expected = before.clone();
        if refusals.is_empty() {
            let mut text = self.input.copy(&before);
            let nonce = self.nonce.copy(&before);
            let nonce = Nonce::try_from(&nonce[..]).unwrap();
            let tag = self.tag.copy(&before).try_into().unwrap();
            let opened = engine.open(nonce, &self.aad.copy(&before), &mut text, &tag);
            assert_eq!(code, if opened.is_ok() { KASOKU_OK } else { KASOKU_ERR_AUTHENTICATION }, "{self:?}");
            put(&mut expected, self.output, &text);
        } else {
            assert!(refusals.contains(&code), "{code} {refusals:?} {self:?}");
        }
        assert_eq!(arena, expected, "{self:?}");
    }

    /// Seals, then opens in place what came out.
    fn open_what_was_sealed(&self, gcm: *const Gcm, arena: &mut [u8]) {
        if !self.refusals(true).is_empty() {
            return;
        }
        let plaintext = self.input.copy(arena);
        assert_eq!(self.call_seal(gcm, arena), KASOKU_OK, "{self:?}");
        let back = Self { input: self.output, ..*self };
        assert_eq!(back.call_open(gcm, arena), KASOKU_OK, "{self:?}");
        assert_eq!(self.output.copy(arena), plaintext, "{self:?}");
    }

    /// Seals in pieces of the script's sizes what the engine seals at once.
    fn in_pieces(&self, gcm: *const Gcm, engine: &AesGcm, arena: &mut [u8], script: &mut Script<'_>) {
        if !self.refusals(true).is_empty() || self.input.length == 0 {
            return;
        }
        let before = arena.to_vec();
        let base = arena.as_mut_ptr();
        let (from, to) = (self.input.pointer(base), self.output.pointer(base));
        unsafe {
            let sealing = kasoku_gcm_sealing_new(gcm, self.nonce.pointer(base), self.nonce.length);
            let aad = self.aad.pointer(base);
            let first = self.aad.length.min(usize::from(script.byte() % 48));
            assert_eq!(kasoku_gcm_sealing_aad(sealing, aad, first), KASOKU_OK);
            let rest = aad.wrapping_add(first);
            assert_eq!(kasoku_gcm_sealing_aad(sealing, rest, self.aad.length - first), KASOKU_OK);
            let mut done = 0;
            while done < self.input.length {
                let piece = usize::from(script.byte() % 48).clamp(1, self.input.length - done);
                let code = kasoku_gcm_sealing_update(sealing, from.add(done), piece, to.add(done));
                assert_eq!(code, KASOKU_OK, "{self:?}");
                done += piece;
            }
            assert_eq!(kasoku_gcm_sealing_finish(sealing, self.tag.pointer(base)), KASOKU_OK);
            kasoku_gcm_sealing_free(sealing);
        }
        let mut expected = before.clone();
        let mut text = self.input.copy(&before);
        let nonce = self.nonce.copy(&before);
        let tag = engine.seal(Nonce::try_from(&nonce[..]).unwrap(), &self.aad.copy(&before), &mut text).unwrap();
        put(&mut expected, self.output, &text);
        put(&mut expected, self.tag, &tag);
        assert_eq!(arena, expected, "{self:?}");
    }
}

fn put(arena: &mut [u8], buffer: Buffer, bytes: &[u8]) {
    if let Some(place) = buffer.place {
        arena[place..place + bytes.len()].copy_from_slice(bytes);
    }
}
