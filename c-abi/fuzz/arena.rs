//! Buffers in one small arena, in which they often overlap.

use std::collections::BTreeSet;

use super::script::Script;

pub(crate) const ARENA: usize = 192;

impl Script<'_> {
    /// Returns a buffer: usually inside the arena, sometimes NULL, sometimes with an impossible length.
    pub(crate) fn buffer(&mut self) -> Buffer {
        let (place, kind) = (self.byte(), self.byte());
        let length = match kind {
            0..=239 => usize::from(kind) % 48,
            // Exceeds every limit. With a smaller length the library would read unmapped memory.
            240..=247 => usize::MAX >> (kind % 3),
            _ => 0,
        };
        let place = usize::from(place);
        if place < ARENA { Buffer { place: Some(place), length } } else { Buffer { place: None, length } }
    }

    /// Returns the input and output of a message, often in the same place.
    pub(crate) fn text(&mut self) -> (Buffer, Buffer) {
        let (input, mut output) = (self.buffer().inside(), self.buffer());
        if output.length.is_multiple_of(3) {
            output.place = input.place;
        }
        // Input and output share one length, so it must fit at both places.
        let mut length = input.length;
        if !input.is_impossible() {
            length = length.min(Buffer { length, ..output }.inside().length);
        }
        (Buffer { length, ..input }, Buffer { length, ..output })
    }

    /// Returns 16 bytes in the arena, or NULL.
    pub(crate) fn tag(&mut self) -> Buffer {
        Buffer { place: self.buffer().place.map(|place| place.min(ARENA - 16)), length: 16 }
    }
}

/// Buffer at a place in the arena, or at NULL, with a length in bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Buffer {
    pub(crate) place: Option<usize>,
    pub(crate) length: usize,
}

impl Buffer {
    /// Cuts the buffer to the arena. C callers must pass valid memory, because no library can check that.
    pub(crate) fn inside(mut self) -> Self {
        if let Some(place) = self.place
            && self.length < ARENA
        {
            self.length = self.length.min(ARENA - place);
        }
        self
    }

    pub(crate) fn pointer(self, arena: *mut u8) -> *mut u8 {
        self.place.map_or(std::ptr::null_mut(), |place| arena.wrapping_add(place))
    }

    pub(crate) fn is_impossible(self) -> bool {
        self.length >= ARENA
    }

    pub(crate) fn is_missing(self) -> bool {
        self.place.is_none() && self.length > 0
    }

    pub(crate) fn places(self) -> BTreeSet<usize> {
        self.place.map_or_else(BTreeSet::new, |place| (place..place + self.length).collect())
    }

    pub(crate) fn overlaps(self, other: Self) -> bool {
        !self.places().is_disjoint(&other.places())
    }

    pub(crate) fn copy(self, arena: &[u8]) -> Vec<u8> {
        self.places().into_iter().map(|place| arena[place]).collect()
    }

    /// Copies `bytes`, as long as the buffer, into the buffer.
    pub(crate) fn put(self, arena: &mut [u8], bytes: &[u8]) {
        if let Some(place) = self.place {
            arena[place..place + bytes.len()].copy_from_slice(bytes);
        }
    }
}
