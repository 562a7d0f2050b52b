//! A region of memory. Its contents are stored as lines of 64 bytes, with a polynomial degree for every eight bytes.

use std::rc::Rc;

use super::{Access, LINE, Line};
use crate::field::Bit;
use crate::flow::Degree;
use crate::refusal::Refusal;
use crate::symbols::{Symbols, bits_of_byte, known_byte};

/// Contiguous memory whose bytes all have the same access rights.
#[derive(Clone)]
pub struct Region {
    pub(super) name: Rc<str>,
    pub(super) start: u64,
    pub(super) end: u64,
    pub(super) access: Access,
    contents: Contents,
    /// Number of times that each byte has been written, if the region counts writes.
    pub(super) writes: Option<Vec<u8>>,
    /// Total number of bytes written, if the region counts writes.
    pub(super) written: u64,
    /// Coefficients of the three symbolic numbers ([`AffineForm`](crate::affine::AffineForm)) in the region's address.
    /// `start` is the constant part of this address.
    pub(super) symbolic_offset: [i64; 3],
}

#[derive(Clone)]
enum Contents {
    /// Concrete bytes: the library's code and data.
    Known(Rc<Vec<u8>>),
    /// Consecutive 64-byte lines. On its first read, a bit that was never written becomes a new random field element.
    Lines(Vec<Option<StoredLine>>),
}

#[derive(Clone)]
struct StoredLine {
    line: Rc<Line>,
    /// Whether every bit of the 64-byte line has a value, so that none is [`NEVER_WRITTEN`].
    is_drawn: bool,
    /// Polynomial degree of each eight-byte word of the 64-byte line.
    degrees: [Degree; 8],
}

/// Placeholder for a bit that has no value yet, because it was neither written nor read. (An arbitrary constant; a
/// random field element equals it with negligible probability.)
pub(crate) const NEVER_WRITTEN: Bit = Bit(0x7A6F_6E6B_756E_6B6E_6F77_6E62_6974_732E);

impl Region {
    #[must_use]
    pub fn unknown(name: &str, start: u64, bytes: u64, access: Access) -> Self {
        let lines = (start + bytes).div_ceil(LINE) - start / LINE;
        Self::new(name, start, bytes, access, Contents::Lines(vec![None; lines as usize]))
    }

    #[must_use]
    pub fn known(name: &str, start: u64, bytes: Rc<Vec<u8>>, access: Access) -> Self {
        Self::new(name, start, bytes.len() as u64, access, Contents::Known(bytes))
    }

    fn new(name: &str, start: u64, bytes: u64, access: Access, contents: Contents) -> Self {
        let (writes, written, symbolic_offset) = Default::default();
        Self { name: name.into(), start, end: start + bytes, access, contents, writes, written, symbolic_offset }
    }

    /// Makes the region count writes to each byte.
    #[must_use]
    pub fn with_write_counts(mut self) -> Self {
        self.writes = Some(vec![0; (self.end - self.start) as usize]);
        self
    }

    /// Splits the region in two at the address `at`, a multiple of 64. The region keeps the bytes below `at`; returns a
    /// region with the bytes from `at` on.
    ///
    /// # Panics
    /// If `at` is not inside the region, or if the region has concrete bytes ([`Contents::Known`]).
    pub(super) fn split_off(&mut self, at: u64) -> Self {
        assert!(self.start < at && at < self.end && at.is_multiple_of(LINE));
        let Contents::Lines(lines) = &mut self.contents else { panic!("known bytes are not split") };
        let rest = Contents::Lines(lines.split_off((at / LINE - self.start / LINE) as usize));
        let mut second = Self::new(&self.name, at, self.end - at, self.access, rest);
        second.writes = self.writes.as_mut().map(|writes| writes.split_off((at - self.start) as usize));
        second.symbolic_offset = self.symbolic_offset;
        self.end = at;
        second
    }

    /// Sets the coefficients of the three symbolic numbers in the region's address.
    #[must_use]
    pub fn with_symbolic_offset(self, symbolic_offset: [i64; 3]) -> Self {
        Self { symbolic_offset, ..self }
    }

    /// Returns the address and bits of each 64-byte line that was read or written.
    pub(super) fn used_lines(&self) -> impl Iterator<Item = (u64, &Line)> {
        let lines = if let Contents::Lines(lines) = &self.contents { &lines[..] } else { &[] };
        let first = self.start / LINE;
        lines
            .iter()
            .enumerate()
            .filter_map(move |(index, line)| line.as_ref().map(|stored| ((first + index as u64) * LINE, &*stored.line)))
    }

    /// Stores a reference to `line` as the 64-byte line at `address`. Stores nothing and returns `false` if `address`
    /// is not a multiple of 64, if the region has concrete bytes, or if it counts writes.
    pub(super) fn share_line(&mut self, address: u64, line: &Rc<Line>, degrees: [Degree; 8]) -> bool {
        let place = (address / LINE - self.start / LINE) as usize;
        match (&mut self.contents, &self.writes) {
            (Contents::Lines(lines), None) if address.is_multiple_of(LINE) => {
                lines[place] = Some(StoredLine { line: Rc::clone(line), is_drawn: true, degrees });
                true
            }
            _ => false,
        }
    }

    /// Returns the polynomial degree of each 128-bit lane of an access to `bytes` bytes at `address`. If the access is
    /// longer than 64 bytes, returns the maximum degree for all four lanes.
    pub(super) fn lanes(&self, address: u64, bytes: u64) -> [Degree; 4] {
        if bytes > LINE {
            return [self.degree(address, bytes); 4];
        }
        std::array::from_fn(|lane| {
            let before = 16 * lane as u64;
            if before < bytes { self.degree(address + before, (bytes - before).min(16)) } else { Degree(0) }
        })
    }

    pub(super) fn degree(&self, address: u64, bytes: u64) -> Degree {
        let Contents::Lines(lines) = &self.contents else { return Degree(0) };
        let first_word = self.start / LINE * 8;
        let words = address / 8 - first_word..=(address + bytes.max(1) - 1) / 8 - first_word;
        let degree = |word: u64| match &lines[(word / 8) as usize] {
            Some(stored) => stored.degrees[(word % 8) as usize],
            None => Degree::VARIABLE,
        };
        words.map(degree).fold(Degree(0), Degree::max)
    }

    /// Returns the address of the first byte that the code has written and that is not a concrete number now. Returns
    /// `None` for regions that do not count writes.
    pub(super) fn first_secret(&self) -> Option<u64> {
        let (Contents::Lines(lines), Some(writes)) = (&self.contents, &self.writes) else { return None };
        (self.start..self.end).filter(|address| writes[(address - self.start) as usize] > 0).find(|address| {
            let first = 8 * (address % LINE) as usize;
            let line = lines[(address / LINE - self.start / LINE) as usize].as_ref();
            line.is_some_and(|stored| known_byte(&stored.line[first..first + 8]).is_none())
        })
    }

    pub(super) fn get(&mut self, address: u64, bits: &mut [Bit], symbols: &mut Symbols) {
        if let Contents::Known(bytes) = &self.contents {
            let from = (address - self.start) as usize;
            for (bits, &byte) in bits.as_chunks_mut::<8>().0.iter_mut().zip(&bytes[from..]) {
                *bits = bits_of_byte(byte);
            }
            return;
        }
        let (mut at, mut bits) = (address, bits);
        while !bits.is_empty() {
            let first = 8 * (at % LINE) as usize;
            let (piece, rest) = bits.split_at_mut(bits.len().min(512 - first));
            if let Some(line) = self.line(at, symbols) {
                piece.copy_from_slice(&line[first..first + piece.len()]);
            }
            at += piece.len() as u64 / 8;
            bits = rest;
        }
    }

    /// Makes the bytes from address `from` up to address `to` undefined.
    pub(super) fn forget(&mut self, from: u64, to: u64) {
        let first_line = self.start / LINE;
        let Contents::Lines(lines) = &mut self.contents else { return };
        let mut at = from;
        while at < to {
            let next = ((at / LINE + 1) * LINE).min(to);
            let line = &mut lines[(at / LINE - first_line) as usize];
            if next - at == LINE {
                *line = None;
            } else if let Some(stored) = line {
                let range = 8 * (at % LINE) as usize..8 * (at % LINE + next - at) as usize;
                Rc::make_mut(&mut stored.line)[range].fill(NEVER_WRITTEN);
                stored.is_drawn = false;
                stored.degrees.iter_mut().for_each(|degree| *degree = Degree::VARIABLE.max(*degree));
            }
            at = next;
        }
    }

    pub(super) fn put(&mut self, address: u64, bits: &[Bit], degree: Degree) -> Result<(), Refusal> {
        let first_line = self.start / LINE;
        match &mut self.contents {
            Contents::Known(bytes) => {
                let new: Option<Vec<u8>> = bits.as_chunks::<8>().0.iter().map(|bits| known_byte(bits)).collect();
                let new = new.ok_or(Refusal::Secret("what is written into the library's own data"))?;
                let from = (address - self.start) as usize;
                Rc::make_mut(bytes)[from..from + new.len()].copy_from_slice(&new);
            }
            Contents::Lines(lines) => {
                let (mut at, mut bits) = (address, bits);
                while !bits.is_empty() {
                    let first = 8 * (at % LINE) as usize;
                    let (piece, rest) = bits.split_at(bits.len().min(512 - first));
                    let stored = lines[(at / LINE - first_line) as usize].get_or_insert_with(StoredLine::unread);
                    Rc::make_mut(&mut stored.line)[first..first + piece.len()].copy_from_slice(piece);
                    let written = first..first + piece.len();
                    for (word, old) in stored.degrees.iter_mut().enumerate().take(written.end.div_ceil(64)) {
                        if written.start <= 64 * word && 64 * (word + 1) <= written.end {
                            *old = degree;
                        } else if written.start < 64 * (word + 1) {
                            *old = degree.max(*old);
                        }
                    }
                    at += piece.len() as u64 / 8;
                    bits = rest;
                }
            }
        }
        Ok(())
    }

    /// Returns the 64-byte line that contains `address`, or `None` if the region has concrete bytes. Bits of this line
    /// that were neither written nor read become new random field elements.
    pub(super) fn line(&mut self, address: u64, symbols: &mut Symbols) -> Option<&Rc<Line>> {
        let Contents::Lines(lines) = &mut self.contents else { return None };
        let line = &mut lines[(address / LINE - self.start / LINE) as usize];
        let stored = line.get_or_insert_with(StoredLine::unread);
        if !stored.is_drawn {
            for bit in Rc::make_mut(&mut stored.line).iter_mut().filter(|bit| **bit == NEVER_WRITTEN) {
                *bit = symbols.fresh();
            }
            stored.is_drawn = true;
        }
        Some(&stored.line)
    }
}

impl StoredLine {
    fn unread() -> Self {
        Self { line: Rc::new([NEVER_WRITTEN; 512]), is_drawn: false, degrees: [Degree::VARIABLE; 8] }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::Memory;

    #[test]
    fn accesses_outside_regions_are_refused() {
        let (mut memory, mut symbols) = (Memory::default(), Symbols::default());
        memory.add(Region::unknown("text", 0x1005, 100, Access::BOTH).with_write_counts());
        memory.add(Region::unknown("nonce", 0x2000, 12, Access::READ));
        let mut byte = [Bit::ZERO; 8];
        for (address, is_there) in [(0x1004, false), (0x1005, true), (0x1068, true), (0x1069, false)] {
            assert_eq!(memory.read(address, &mut byte, &mut symbols).is_ok(), is_there, "{address:x}");
            assert_eq!(memory.write(address, &byte).is_ok(), is_there, "{address:x}");
        }
        assert!(memory.read(0x1068, &mut [Bit::ZERO; 16], &mut symbols).is_err());
        assert!(memory.write(0x2000, &byte).is_err());
        assert_eq!(memory.write_counts("text").iter().filter(|&&count| count == 1).count(), 2);
    }

    #[test]
    fn memory_with_secret_byte_is_not_wiped() {
        let (mut memory, mut symbols) = (Memory::default(), Symbols::default());
        memory.add(Region::unknown("key", 0x1005, 200, Access::BOTH).with_write_counts());
        memory.read(0x1005, &mut [Bit::ZERO; 8], &mut symbols).unwrap();
        memory.write(0x1006, &bits_of_byte(0x5A)).unwrap();
        memory.expect_wiped("key", ..).unwrap();
        let secret: [Bit; 8] = std::array::from_fn(|bit| if bit == 7 { symbols.fresh() } else { Bit::ZERO });
        memory.write(0x1040, &secret).unwrap();
        let why = memory.expect_wiped("key", ..).unwrap_err().to_string();
        assert!(why.contains("byte 59 of key is not wiped"), "{why}");
        memory.write(0x1040, &bits_of_byte(0)).unwrap();
        memory.expect_wiped("key", ..).unwrap();
        memory.add(Region::unknown("key", 0x2000, 64, Access::BOTH).with_write_counts());
        memory.write(0x2000, &secret).unwrap();
        memory.expect_wiped("key", ..).unwrap();
    }

    #[test]
    fn bytes_below_red_zone_become_undefined() {
        let (mut memory, mut symbols) = (Memory::default(), Symbols::default());
        memory.begin_stack("stack", 0x1000, 0x1000);
        let byte = bits_of_byte(0x5A);
        memory.set_stack_pointer(0x1805);
        assert!(memory.write(0x1784, &byte).is_err() && memory.write(0x1785, &byte.repeat(100)).is_ok());
        let mut known = |memory: &mut Memory, address| {
            let mut bits = [Bit::ZERO; 8];
            memory.read(address, &mut bits, &mut symbols).map(|()| known_byte(&bits)).ok()
        };
        memory.set_stack_pointer(0x1806);
        assert_eq!(known(&mut memory, 0x1785), None);
        assert_eq!(known(&mut memory, 0x1786), Some(Some(0x5A)));
        memory.set_stack_pointer(0x1700);
        assert_eq!([0x1785, 0x1786].map(|address| known(&mut memory, address)), [Some(None), Some(Some(0x5A))]);
        memory.forget_below(0x17C0);
        memory.set_stack_pointer(0x1700);
        assert_eq!([0x17BF, 0x17C0].map(|address| known(&mut memory, address)), [Some(None), Some(Some(0x5A))]);
        // A new stack has unknown contents.
        memory.begin_stack("stack", 0x1000, 0x1000);
        assert_eq!(known(&mut memory, 0x17C0), Some(None));
    }

    #[test]
    fn unwritten_bits_keep_the_random_value_of_their_first_read() {
        let (mut memory, mut symbols) = (Memory::default(), Symbols::default());
        memory.add(Region::unknown("stack", 0x1000, 200, Access::BOTH));
        memory.write(0x103F, &bits_of_byte(0x5A).repeat(2)).unwrap();
        let mut read = || {
            let mut bits = [Bit::ZERO; 32];
            memory.read(0x103E, &mut bits, &mut symbols).unwrap();
            bits
        };
        let bits = read();
        assert_eq!(known_byte(&bits[8..16]), Some(0x5A));
        assert_eq!(known_byte(&bits[16..24]), Some(0x5A));
        assert!(bits[..8].iter().all(|bit| bit.known().is_none()), "drawn at random");
        assert_eq!(bits, read());
    }
}
