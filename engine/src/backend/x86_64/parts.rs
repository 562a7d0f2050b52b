//! Where the loop over a long message reads on.

use super::lines::Lines;
use super::schedule::{STRIDES, Schedule};
use crate::backend::parts::Part;

/// Whether a text in slices is read where it lies. The other loops keep an order of their own; there it is copied.
pub(super) trait ReadsParts: Schedule {
    const READS_PARTS: bool = !Self::IS_INTERLEAVED && !Self::IS_IN_FOURS;
}

impl<V: Schedule> ReadsParts for V {}

/// The places that a text is read in, one after the other.
pub(super) trait Source {
    /// Up to which power of a stretch the text is read in one place, from `power` on in turns of `turn` bytes.
    fn powers_here(&self, power: usize, turn: usize) -> usize;

    /// What follows when `bytes` bytes were read, `lines` being what follows in the same place.
    fn after(&mut self, bytes: usize, lines: Lines) -> Lines;
}

/// All of it in one place.
pub(super) struct OnePlace;

impl Source for OnePlace {
    #[inline(always)]
    fn powers_here(&self, _: usize, _: usize) -> usize {
        STRIDES
    }

    #[inline(always)]
    fn after(&mut self, _: usize, lines: Lines) -> Lines {
        lines
    }
}

/// In several.
pub(super) struct InParts<'a> {
    /// Bytes that follow in the same place.
    left: usize,
    parts: &'a [Part],
}

impl<'a> InParts<'a> {
    /// Begins to read; all of `lines` is where it is written.
    #[inline(always)]
    pub(super) fn begin(parts: &'a [Part], lines: Lines) -> (Self, Lines) {
        let mut new = Self { left: 0, parts };
        let lines = new.after(0, lines);
        (new, lines)
    }
}

impl Source for InParts<'_> {
    #[inline(always)]
    fn powers_here(&self, power: usize, turn: usize) -> usize {
        STRIDES.min(power + 2 * (self.left / turn))
    }

    #[inline(always)]
    fn after(&mut self, bytes: usize, lines: Lines) -> Lines {
        self.left -= bytes;
        if self.left > 0 {
            return lines;
        }
        match self.parts {
            [next, rest @ ..] => {
                (self.left, self.parts) = (next.bytes, rest);
                lines.read_from(next.input)
            }
            [] => lines,
        }
    }
}
