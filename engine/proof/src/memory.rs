//! Memory: exactly what a call may touch, and nothing around it.

use std::rc::Rc;

use crate::count::Count;
use crate::field::Bit;
use crate::flow::{Degree, Flow};
use crate::refusal::Refusal;
use crate::symbols::{Symbols, bits_of_byte, known_byte};

/// 64 bytes that begin where their address divides by 64; also a vector register.
pub type Line = [Bit; 512];

/// Bytes of a [`Line`].
const LINE: u64 = 64;

/// What may be done with memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access {
    /// Whether it can be read.
    pub read: bool,
    /// Whether it can be written.
    pub write: bool,
}

/// Memory of which only a piece is there, and which may be filled with zeros.
#[derive(Clone, Copy, Debug)]
pub struct Whole {
    /// The name of the piece.
    pub name: &'static str,
    /// Where all of it begins.
    pub start: u64,
    /// How many bytes it has.
    pub bytes: Count,
    /// Whether that was done.
    pub is_clear: bool,
}

impl Access {
    /// Only read.
    pub const READ: Self = Self { read: true, write: false };
    /// Only written.
    pub const WRITE: Self = Self { read: false, write: true };
    /// Both.
    pub const BOTH: Self = Self { read: true, write: true };
}

/// A piece of memory.
#[derive(Clone)]
pub struct Region {
    name: Rc<str>,
    start: u64,
    end: u64,
    access: Access,
    contents: Contents,
    /// How often each byte was written, where that is counted, and how many bytes.
    writes: Option<Vec<u8>>,
    written: u64,
    /// What its place depends on ([`crate::count::Count::of`]); `start` is the constant.
    moved: [i64; 3],
}

#[derive(Clone)]
enum Contents {
    /// Known bytes, as of the library's code and constants.
    Known(Rc<Vec<u8>>),
    /// Line after line; what was never written has unknown bits, which are drawn when they are read.
    Lines(Vec<Option<Stored>>),
}

/// A line, and whether all of its bits have a value yet.
#[derive(Clone)]
struct Stored {
    line: Rc<Line>,
    is_drawn: bool,
    /// Of every eight bytes.
    degrees: [Degree; 8],
}

/// All memory of a call. A copy shares what neither side has changed.
#[derive(Clone, Default)]
pub struct Memory {
    regions: Vec<Region>,
    /// What the address that is touched next depends on: memory that moves with it is meant.
    pub moved: [i64; 3],
    /// What the instruction under way has read, of registers too.
    pub flow: Flow,
    /// Memory that may be filled with zeros though only a piece of it is there.
    pub whole: Option<Whole>,
    stack: Option<Stack>,
}

/// Of the stack only what is above the floor may be touched, and below it nothing stays: a signal's handler may write
/// there at any time.
#[derive(Clone, Copy)]
struct Stack {
    start: u64,
    floor: u64,
}

/// Below the stack pointer so many bytes are the function's own (System V ABI for AMD64, §3.2.2).
const RED_ZONE: u64 = 128;

impl Region {
    /// Memory that is full of what nobody knows.
    #[must_use]
    pub fn unknown(name: &str, start: u64, bytes: u64, access: Access) -> Self {
        let lines = (start + bytes).div_ceil(LINE) - start / LINE;
        let contents = Contents::Lines(vec![None; lines as usize]);
        Self { name: name.into(), start, end: start + bytes, access, contents, writes: None, written: 0, moved: [0; 3] }
    }

    /// Memory with these bytes.
    #[must_use]
    pub fn known(name: &str, start: u64, bytes: Rc<Vec<u8>>, access: Access) -> Self {
        let end = start + bytes.len() as u64;
        Self {
            name: name.into(),
            start,
            end,
            access,
            contents: Contents::Known(bytes),
            writes: None,
            written: 0,
            moved: [0; 3],
        }
    }

    /// The same, with a count of how often each byte is written.
    #[must_use]
    pub fn counted(mut self) -> Self {
        self.writes = Some(vec![0; (self.end - self.start) as usize]);
        self
    }

    /// The same at a place that depends on unknown numbers.
    #[must_use]
    pub fn moved(self, moved: [i64; 3]) -> Self {
        Self { moved, ..self }
    }
}

impl Memory {
    /// Adds memory that lies apart from all other.
    pub fn add(&mut self, region: Region) {
        let apart = |other: &Region| region.end <= other.start || other.end <= region.start;
        assert!(self.regions.iter().all(apart), "{} is where something else is", region.name);
        self.regions.push(region);
    }

    /// Another stack in place of the one before.
    pub fn begin_stack(&mut self, name: &str, start: u64, bytes: u64) {
        self.renew(Region::unknown(name, start, bytes, Access::BOTH));
        self.stack = Some(Stack { start, floor: start });
    }

    /// Memory in place of that of the same name.
    pub fn renew(&mut self, region: Region) {
        self.remove(&region.name.clone());
        self.add(region);
    }

    /// The stack's floor goes with the stack pointer.
    pub fn set_stack_pointer(&mut self, pointer: u64) {
        let Some(Stack { start, floor: before }) = self.stack else { return };
        let floor = pointer.saturating_sub(RED_ZONE);
        self.stack = Some(Stack { start, floor });
        if floor > before
            && let Some(stack) = self.regions.iter_mut().find(|region| region.start == start)
        {
            stack.forget(before.max(start), floor.min(stack.end));
        }
    }

    /// What a function of another library may have written: all that is below the stack pointer.
    pub fn forget_below(&mut self, pointer: u64) {
        self.set_stack_pointer(pointer + RED_ZONE);
        self.set_stack_pointer(pointer);
    }

    /// From now on nothing that there is can be written.
    pub fn freeze(&mut self) {
        for region in &mut self.regions {
            region.access.write = false;
        }
    }

    /// From now on the memory of this name may be used in another way.
    pub fn allow(&mut self, name: &str, access: Access) {
        for region in self.regions.iter_mut().filter(|region| &*region.name == name) {
            region.access = access;
        }
    }

    /// From now on memory of this name that has fewer bytes than this many can be read and written. Where it is, and
    /// how many bytes.
    pub fn allow_small(&mut self, name: &str, bytes: u64) -> Vec<(u64, u64)> {
        let is_small = |region: &&mut Region| &*region.name == name && region.end - region.start < bytes;
        let mut places = Vec::new();
        for region in self.regions.iter_mut().filter(is_small) {
            region.access = Access::BOTH;
            places.push((region.start, region.end - region.start));
        }
        places
    }

    /// How many pieces of memory of this name there are.
    #[must_use]
    pub fn count(&self, name: &str) -> usize {
        self.regions.iter().filter(|region| &*region.name == name).count()
    }

    /// What is in memory at these places.
    pub fn contents(&mut self, places: &[(u64, u64)], symbols: &mut Symbols) -> Result<Vec<Bit>, Refusal> {
        let mut all = Vec::new();
        for &(start, bytes) in places {
            let mut bits = vec![Bit::ZERO; 8 * bytes as usize];
            self.look(start, &mut bits, symbols)?;
            all.extend(bits);
        }
        Ok(all)
    }

    /// Takes away memory of this name that begins here and can be written.
    pub fn release(&mut self, name: &str, start: u64) -> Result<(), Refusal> {
        let is_it = |region: &Region| &*region.name == name && region.start == start && region.access.write;
        let index = self.regions.iter().position(is_it);
        let index = index.ok_or(Refusal::Stuck("gives back memory that it does not have"))?;
        self.regions.swap_remove(index);
        Ok(())
    }

    /// How often each byte of the memory of this name was written.
    #[must_use]
    pub fn writes(&self, name: &str) -> &[u8] {
        let region = self.regions.iter().find(|region| &*region.name == name);
        region.and_then(|region| region.writes.as_deref()).unwrap_or_default()
    }

    /// How many bytes of the memory of this name were written.
    #[must_use]
    pub fn written(&self, name: &str) -> u64 {
        self.regions.iter().find(|region| &*region.name == name).map_or(0, |region| region.written)
    }

    /// Fills all of the memory that is more than what is there with zeros.
    pub fn clear(&mut self, address: u64, bytes: Count, byte: u64) -> Result<(), Refusal> {
        match &mut self.whole {
            Some(whole) if (whole.start, whole.bytes, 0) == (address, bytes, byte as u8) => {
                whole.is_clear = true;
                // Nothing comes there afterwards, and nobody looks.
                let name = whole.name;
                self.allow(name, Access { read: false, write: false });
                Ok(())
            }
            _ => Err(Refusal::Secret("what is filled")),
        }
    }

    /// Gives memory of this name another one.
    pub fn rename(&mut self, name: &str, new: &str) {
        for region in self.regions.iter_mut().filter(|region| &*region.name == name) {
            region.name = new.into();
        }
    }

    /// Takes the memory of this name away.
    pub fn remove(&mut self, name: &str) {
        self.regions.retain(|region| &*region.name != name);
    }

    /// The lines of the memory of this name that were read or written: where they are, and their bits, of which those
    /// that nobody has read or written are a degree of their own.
    pub fn lines<'a>(&'a self, name: &'a str) -> impl Iterator<Item = (u64, &'a Line)> {
        let regions = self.regions.iter().filter(move |region| &*region.name == name);
        regions.flat_map(|region| {
            let lines = if let Contents::Lines(lines) = &region.contents { &lines[..] } else { &[] };
            let first = region.start / LINE;
            let stored = move |(index, line): (usize, &'a Option<Stored>)| {
                line.as_ref().map(|stored| ((first + index as u64) * LINE, &*stored.line))
            };
            lines.iter().enumerate().filter_map(stored)
        })
    }

    /// Returns the address of a byte that had been written `before`, was written again, and has changed, unless both values
    /// are known numbers. Looks at memory of this name whose writes are counted.
    pub fn overwritten_secret(&self, before: &Self, name: &str, symbols: &mut Symbols) -> Option<u64> {
        let is_meant = |region: &&Region| &*region.name == name;
        let pairs = self.regions.iter().filter(is_meant).zip(before.regions.iter().filter(is_meant));
        for (now, old) in pairs {
            let (Some(writes), Some(old_writes)) = (&now.writes, &old.writes) else { continue };
            let is_rewritten = |byte: &usize| old_writes[*byte] > 0 && writes[*byte] > old_writes[*byte];
            for byte in (0..writes.len()).filter(is_rewritten) {
                let address = now.start + byte as u64;
                let [mut new_bits, mut old_bits] = [[Bit::ZERO; 8]; 2];
                now.clone().get(address, &mut new_bits, symbols);
                old.clone().get(address, &mut old_bits, symbols);
                let are_known = known_byte(&new_bits).is_some() && known_byte(&old_bits).is_some();
                if new_bits != old_bits && !are_known {
                    return Some(address);
                }
            }
        }
        None
    }

    /// Puts bits where nobody else may: what a caller has prepared.
    pub fn prepare(&mut self, address: u64, bits: &[Bit]) -> Result<(), Refusal> {
        self.prepare_with(address, bits, Degree::VARIABLE)
    }

    /// Like [`Self::prepare`], for bits with another degree than that of variables.
    pub fn prepare_with(&mut self, address: u64, bits: &[Bit], degree: Degree) -> Result<(), Refusal> {
        let index = self.find(address, bits.len() as u64 / 8, "prepared", |_| true)?;
        self.regions[index].put(address, bits, degree.of(bits))
    }

    /// Reads what the caller will see.
    pub fn look(&mut self, address: u64, bits: &mut [Bit], symbols: &mut Symbols) -> Result<(), Refusal> {
        let index = self.find(address, bits.len() as u64 / 8, "seen", |_| true)?;
        self.regions[index].get(address, bits, symbols);
        Ok(())
    }

    /// Returns the degree of so many bytes of memory, which may reach beyond a region's ends in a line.
    #[must_use]
    pub fn degree(&self, address: u64, bytes: u64) -> Degree {
        let is_in_line = |region: &&Region| {
            (region.start / LINE..=(region.end - 1) / LINE).contains(&(address / LINE)) && region.moved == [0; 3]
        };
        self.regions.iter().find(is_in_line).map_or(Degree::VARIABLE, |region| region.degree(address, bytes))
    }

    /// Reads as the code does.
    pub fn read(&mut self, address: u64, bits: &mut [Bit], symbols: &mut Symbols) -> Result<(), Refusal> {
        let index = self.touch(address, bits.len() as u64 / 8, "read", |access| access.read)?;
        self.flow.read_lanes(self.regions[index].lanes(address, bits.len() as u64 / 8));
        self.regions[index].get(address, bits, symbols);
        Ok(())
    }

    /// Writes as the code does.
    pub fn write(&mut self, address: u64, bits: &[Bit]) -> Result<(), Refusal> {
        let index = self.touch(address, bits.len() as u64 / 8, "written", |access| access.write)?;
        let region = &mut self.regions[index];
        if let Some(writes) = &mut region.writes {
            let from = (address - region.start) as usize;
            region.written += bits.len() as u64 / 8;
            for count in &mut writes[from..from + bits.len() / 8] {
                *count = count.saturating_add(1);
            }
        }
        for (lane, bits) in bits.chunks(128).enumerate() {
            // What is longer than a vector is moved by a function: no lane is known of it.
            let degree = if lane < 4 { self.flow.lane(lane) } else { self.flow.degree() };
            region.put(address + 16 * lane as u64, bits, degree.of(bits))?;
        }
        Ok(())
    }

    /// A whole line as it stands, if the address divides by its length.
    pub fn read_line(&mut self, address: u64, symbols: &mut Symbols) -> Result<Option<Rc<Line>>, Refusal> {
        if !address.is_multiple_of(LINE) {
            return Ok(None);
        }
        let index = self.touch(address, LINE, "read", |access| access.read)?;
        self.flow.read_lanes(self.regions[index].lanes(address, LINE));
        Ok(self.regions[index].line(address, symbols).cloned())
    }

    /// Writes a whole line, if the address divides by its length.
    pub fn write_line(&mut self, address: u64, line: &Rc<Line>) -> Result<(), Refusal> {
        let index = self.touch(address, LINE, "written", |access| access.write)?;
        let degrees = std::array::from_fn(|word| self.flow.lane(word / 2).of(&line[64 * word..64 * (word + 1)]));
        let region = &mut self.regions[index];
        let place = (address / LINE - region.start / LINE) as usize;
        if let (Contents::Lines(lines), None) = (&mut region.contents, &region.writes)
            && address.is_multiple_of(LINE)
        {
            lines[place] = Some(Stored { line: Rc::clone(line), is_drawn: true, degrees });
            return Ok(());
        }
        self.write(address, &line[..])
    }

    /// Bytes that are known, if all of them are.
    pub fn read_known(&mut self, address: u64, bytes: usize, symbols: &mut Symbols) -> Result<Vec<u8>, Refusal> {
        let mut bits = vec![Bit::ZERO; 8 * bytes];
        self.read(address, &mut bits, symbols)?;
        let known: Option<Vec<u8>> = bits.as_chunks::<8>().0.iter().map(|bits| known_byte(bits)).collect();
        known.ok_or(Refusal::Secret("what has to be known bytes"))
    }

    /// Where the code may touch memory.
    fn touch(
        &mut self,
        address: u64,
        bytes: u64,
        verb: &'static str,
        allows: impl Fn(Access) -> bool,
    ) -> Result<usize, Refusal> {
        if let Some(Stack { start, floor }) = self.stack
            && (start..floor).contains(&address)
            && self.moved == [0; 3]
        {
            let place = format!("it is {} bytes below what the stack pointer keeps", floor - address);
            return Err(Refusal::Access { address, bytes, verb, place });
        }
        self.find(address, bytes, verb, allows)
    }

    fn find(
        &mut self,
        address: u64,
        bytes: u64,
        verb: &'static str,
        allows: impl Fn(Access) -> bool,
    ) -> Result<usize, Refusal> {
        let inside = |region: &Region| region.start <= address && region.end.saturating_sub(address) >= bytes;
        let is_meant = |region: &Region| region.moved == self.moved && address < region.end;
        let found = self.regions.iter().position(|region| inside(region) && is_meant(region));
        if let Some(index) = found.filter(|&index| allows(self.regions[index].access)) {
            return Ok(index);
        }
        let distance = |region: &&Region| {
            if address < region.start { region.start - address } else { address.saturating_sub(region.end - 1) }
        };
        let place = match (found, self.regions.iter().min_by_key(distance)) {
            (Some(index), _) => format!("it is {}", self.regions[index].name),
            (None, Some(near)) => format!(
                "the nearest memory is {} of {} bytes, {} bytes before this",
                near.name,
                near.end - near.start,
                address.wrapping_sub(near.start) as i64
            ),
            (None, None) => "there is none".to_owned(),
        };
        Err(Refusal::Access { address, bytes, verb, place })
    }
}

impl Region {
    /// The degrees of up to four lanes; of more bytes that of all.
    fn lanes(&self, address: u64, bytes: u64) -> [Degree; 4] {
        if bytes > LINE {
            return [self.degree(address, bytes); 4];
        }
        std::array::from_fn(|lane| {
            let before = 16 * lane as u64;
            if before < bytes { self.degree(address + before, (bytes - before).min(16)) } else { Degree(0) }
        })
    }

    /// The degree of so many bytes of memory.
    fn degree(&self, address: u64, bytes: u64) -> Degree {
        let Contents::Lines(lines) = &self.contents else { return Degree(0) };
        let first_word = self.start / LINE * 8;
        let words = address / 8 - first_word..=(address + bytes.max(1) - 1) / 8 - first_word;
        let degree = |word: u64| match &lines[(word / 8) as usize] {
            Some(stored) => stored.degrees[(word % 8) as usize],
            None => Degree::VARIABLE,
        };
        words.map(degree).fold(Degree(0), Degree::max)
    }

    fn get(&mut self, address: u64, bits: &mut [Bit], symbols: &mut Symbols) {
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

    /// From now on these bytes are not known.
    fn forget(&mut self, from: u64, to: u64) {
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

    fn put(&mut self, address: u64, bits: &[Bit], degree: Degree) -> Result<(), Refusal> {
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
                    let line = &mut lines[(at / LINE - first_line) as usize];
                    // What else is in a line that was never read is not known either.
                    let stored = line.get_or_insert_with(Stored::unread);
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

    /// The line that the address is in.
    fn line(&mut self, address: u64, symbols: &mut Symbols) -> Option<&Rc<Line>> {
        let Contents::Lines(lines) = &mut self.contents else { return None };
        let line = &mut lines[(address / LINE - self.start / LINE) as usize];
        let stored = line.get_or_insert_with(Stored::unread);
        if !stored.is_drawn {
            for bit in Rc::make_mut(&mut stored.line).iter_mut().filter(|bit| **bit == NEVER_WRITTEN) {
                *bit = symbols.fresh();
            }
            stored.is_drawn = true;
        }
        Some(&stored.line)
    }
}

impl Stored {
    fn unread() -> Self {
        Self { line: Rc::new(UNREAD), is_drawn: false, degrees: [Degree::VARIABLE; 8] }
    }
}

/// What stands for a bit until somebody reads it.
pub(crate) const NEVER_WRITTEN: Bit = Bit(0x7A6F_6E6B_756E_6B6E_6F77_6E62_6974_732E);
const UNREAD: Line = [NEVER_WRITTEN; 512];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_around_a_region_is_touched() {
        let (mut memory, mut symbols) = (Memory::default(), Symbols::default());
        memory.add(Region::unknown("text", 0x1005, 100, Access::BOTH).counted());
        memory.add(Region::unknown("nonce", 0x2000, 12, Access::READ));
        let mut byte = [Bit::ZERO; 8];
        for (address, is_there) in [(0x1004, false), (0x1005, true), (0x1068, true), (0x1069, false)] {
            assert_eq!(memory.read(address, &mut byte, &mut symbols).is_ok(), is_there, "{address:x}");
            assert_eq!(memory.write(address, &byte).is_ok(), is_there, "{address:x}");
        }
        assert!(memory.read(0x1068, &mut [Bit::ZERO; 16], &mut symbols).is_err());
        assert!(memory.write(0x2000, &byte).is_err());
        assert_eq!(memory.writes("text").iter().filter(|&&count| count == 1).count(), 2);
    }

    #[test]
    fn nothing_stays_below_the_stack_pointer() {
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
        // The next call knows nothing of it.
        memory.begin_stack("stack", 0x1000, 0x1000);
        assert_eq!(known(&mut memory, 0x17C0), Some(None));
    }

    #[test]
    fn what_was_never_written_is_unknown_and_stays_the_same() {
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
