//! Memory of the modelled machine: regions with access rights, and the stack. The prover refuses code that accesses an
//! address outside all regions.

mod region;

use std::ops::RangeBounds;
use std::rc::Rc;

use crate::affine::AffineForm;
use crate::field::Bit;
use crate::flow::{Degree, Flow};
use crate::refusal::Refusal;
use crate::symbols::{Symbols, known_byte};
pub(crate) use region::NEVER_WRITTEN;
pub use region::Region;

/// 512 bits: the contents of a vector register, or of a 64-byte line of memory (64 bytes at an address that is a
/// multiple of 64).
pub type Line = [Bit; 512];

/// Length of a [`Line`] in bytes.
const LINE: u64 = 64;

/// Access rights of a memory region.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access {
    pub read: bool,
    pub write: bool,
}

impl Access {
    pub const NONE: Self = Self { read: false, write: false };
    pub const READ: Self = Self { read: true, write: false };
    pub const WRITE: Self = Self { read: false, write: true };
    pub const BOTH: Self = Self { read: true, write: true };
}

/// A buffer whose length is an affine form instead of a fixed number. Only a part of such a buffer, its window, is kept
/// in a memory region. The code may access the window, or clear the whole buffer by `memset`.
#[derive(Clone, Copy, Debug)]
pub struct WindowedBuffer {
    /// Name of the memory region that holds the modelled part of the buffer, its window.
    pub name: &'static str,
    /// Address of the buffer's first byte.
    pub start: u64,
    pub bytes: AffineForm,
    /// Whether the code has cleared the whole buffer.
    pub is_clear: bool,
}

/// All memory that a call may access. Clones share memory contents until one clone changes them.
#[derive(Clone, Default)]
pub struct Memory {
    regions: Vec<Region>,
    /// Coefficients of the three symbolic numbers ([`AffineForm`]) in the address of the next access. The access can
    /// reach only regions that have equal coefficients.
    pub symbolic_offset: [i64; 3],
    /// Polynomial degrees of the bits that the current instruction has read from memory and registers.
    pub flow: Flow,
    /// The output buffer, if its length is symbolic. Only a window of it is modelled.
    pub windowed: Option<WindowedBuffer>,
    stack: Option<Stack>,
}

/// Bounds of the stack. The code must not access stack addresses below `floor`. Bytes below `floor` become undefined,
/// because a signal handler may overwrite them.
#[derive(Clone, Copy)]
struct Stack {
    start: u64,
    floor: u64,
}

/// Length in bytes of the shortest expanded key: the eleven round keys of AES-128.
const LEAST_KEY_BYTES: u64 = 176;
/// Number of bytes below the stack pointer that a function may use (System V ABI for AMD64, §3.2.2).
const RED_ZONE: u64 = 128;

impl Memory {
    /// Adds a region.
    ///
    /// # Panics
    /// If the region overlaps with another region.
    pub fn add(&mut self, region: Region) {
        let apart = |other: &Region| region.end <= other.start || other.end <= region.start;
        assert!(self.regions.iter().all(apart), "{} is where something else is", region.name);
        self.regions.push(region);
    }

    /// Adds a region for a buffer of the caller, with `bits` as contents, and counts the code's writes to each byte. If
    /// `access` does not permit reading, the contents are undefined. Adds nothing if `bits` is empty.
    pub fn add_buffer(&mut self, name: &str, address: u64, bits: &[Bit], access: Access) -> Result<(), Refusal> {
        if bits.is_empty() {
            return Ok(());
        }
        self.add(Region::unknown(name, address, bits.len() as u64 / 8, access).with_write_counts());
        if access.read { self.poke(address, bits) } else { Ok(()) }
    }

    /// Replaces the stack by a new one, whose contents are undefined.
    pub fn begin_stack(&mut self, name: &str, start: u64, bytes: u64) {
        self.replace(Region::unknown(name, start, bytes, Access::BOTH));
        self.stack = Some(Stack { start, floor: start });
    }

    /// Replaces all regions that have the same name as `region` by `region`.
    pub fn replace(&mut self, region: Region) {
        self.remove(&region.name.clone());
        self.add(region);
    }

    /// Sets the lowest accessible stack address to the end of the red zone below the stack pointer `pointer`. Bytes
    /// below this address become undefined.
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

    /// Makes the stack below the stack pointer `pointer` undefined, as after a call of another library.
    pub fn forget_below(&mut self, pointer: u64) {
        self.set_stack_pointer(pointer + RED_ZONE);
        self.set_stack_pointer(pointer);
    }

    /// Makes all existing regions read-only.
    pub fn make_read_only(&mut self) {
        for region in &mut self.regions {
            region.access.write = false;
        }
    }

    pub fn set_access(&mut self, name: &str, access: Access) {
        for region in self.regions.iter_mut().filter(|region| &*region.name == name) {
            region.access = access;
        }
    }

    /// Makes all regions that are named `name` and are shorter than `bytes` bytes writable. Returns the address and the
    /// size in bytes of each.
    pub fn make_small_writable(&mut self, name: &str, bytes: u64) -> Vec<(u64, u64)> {
        let is_small = |region: &&mut Region| &*region.name == name && region.end - region.start < bytes;
        let mut places = Vec::new();
        for region in self.regions.iter_mut().filter(is_small) {
            region.access = Access::BOTH;
            places.push((region.start, region.end - region.start));
        }
        places
    }

    /// Splits the region that begins at `start`: makes its bytes up to `end` a writable region of their own. Returns
    /// address and size of the writable region.
    ///
    /// # Errors
    /// If no region begins at `start`.
    ///
    /// # Panics
    /// If `end` is not a multiple of 64, or not in the region.
    pub fn make_head_writable(&mut self, start: u64, end: u64) -> Result<[(u64, u64); 1], Refusal> {
        let region = self.regions.iter_mut().find(|region| region.start == start);
        let region = region.ok_or(Refusal::Stuck("has an object that does not begin where its memory does"))?;
        let rest = region.split_off(end);
        region.access = Access::BOTH;
        self.regions.push(rest);
        Ok([(start, end - start)])
    }

    #[must_use]
    pub fn region_count(&self, name: &str) -> usize {
        self.regions.iter().filter(|region| &*region.name == name).count()
    }

    /// Refuses secrets in the regions that are named `name` and begin at one of `addresses`: all bytes that the code
    /// has written there must be concrete numbers. Skips regions in which no expanded key fits: padding between
    /// counters and pointers holds whatever was on the stack.
    pub fn expect_wiped(&self, name: &str, addresses: impl RangeBounds<u64>) -> Result<(), Refusal> {
        let is_meant = |region: &&Region| {
            &*region.name == name && addresses.contains(&region.start) && region.end - region.start >= LEAST_KEY_BYTES
        };
        for region in self.regions.iter().filter(is_meant) {
            if let Some(at) = region.first_secret() {
                return Err(Refusal::Wrong(format!("byte {} of {name} is not wiped", at - region.start)));
            }
        }
        Ok(())
    }

    /// Removes the writable region that is named `name` and begins at `start`, as `free` does.
    pub fn deallocate(&mut self, name: &str, start: u64) -> Result<(), Refusal> {
        let is_it = |region: &Region| &*region.name == name && region.start == start && region.access.write;
        let index = self.regions.iter().position(is_it);
        let index = index.ok_or(Refusal::Stuck("gives back memory that it does not have"))?;
        self.regions.swap_remove(index);
        Ok(())
    }

    /// Returns how often the code has written each byte of the region `name`. Returns an empty slice if this region
    /// does not count writes.
    #[must_use]
    pub fn write_counts(&self, name: &str) -> &[u8] {
        let region = self.regions.iter().find(|region| &*region.name == name);
        region.and_then(|region| region.writes.as_deref()).unwrap_or_default()
    }

    /// Returns the total number of bytes that the code has written to the region `name`, or 0 if this region does not
    /// count writes.
    #[must_use]
    pub fn bytes_written(&self, name: &str) -> u64 {
        self.regions.iter().find(|region| &*region.name == name).map_or(0, |region| region.written)
    }

    /// Models `memset` of the whole output buffer with zeros. Refuses other addresses, lengths and byte values.
    pub fn clear_windowed(&mut self, address: u64, bytes: AffineForm, byte: u64) -> Result<(), Refusal> {
        match &mut self.windowed {
            Some(buffer) if (buffer.start, buffer.bytes, 0) == (address, bytes, byte as u8) => {
                buffer.is_clear = true;
                let name = buffer.name;
                self.set_access(name, Access::NONE);
                Ok(())
            }
            _ => Err(Refusal::Secret("what is filled")),
        }
    }

    pub fn rename(&mut self, name: &str, new: &str) {
        for region in self.regions.iter_mut().filter(|region| &*region.name == name) {
            region.name = new.into();
        }
    }

    pub fn remove(&mut self, name: &str) {
        self.regions.retain(|region| &*region.name != name);
    }

    /// Returns the address and bits of each 64-byte line that was read or written in the regions named `name`. Bits of
    /// these lines without a value are `NEVER_WRITTEN`.
    pub fn lines<'a>(&'a self, name: &'a str) -> impl Iterator<Item = (u64, &'a Line)> {
        self.regions.iter().filter(move |region| &*region.name == name).flat_map(Region::used_lines)
    }

    /// Compares the memory with an earlier state, `before`. Returns the address of a byte that already had a value in
    /// `before` and has another value now, unless both values are concrete. Checks only those regions named `name` that
    /// count writes.
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

    /// Writes `bits` to memory as the caller does before a call: without access checks, and without counting the write.
    pub fn poke(&mut self, address: u64, bits: &[Bit]) -> Result<(), Refusal> {
        self.poke_with_degree(address, bits, Degree::VARIABLE)
    }

    /// Writes `bits` to memory as the caller does before a call: without access checks, and without counting the write.
    /// The bits are polynomials of degree `degree` or less in the random field elements.
    pub fn poke_with_degree(&mut self, address: u64, bits: &[Bit], degree: Degree) -> Result<(), Refusal> {
        let index = self.find(address, bits.len() as u64 / 8, "prepared", |_| true)?;
        self.regions[index].put(address, bits, degree.for_bits(bits))
    }

    /// Reads bits from memory as the caller does after a call: without access checks.
    pub fn peek(&mut self, address: u64, bits: &mut [Bit], symbols: &mut Symbols) -> Result<(), Refusal> {
        let index = self.find(address, bits.len() as u64 / 8, "seen", |_| true)?;
        self.regions[index].get(address, bits, symbols);
        Ok(())
    }

    /// Reads several pieces of memory as the caller does after a call: without access checks. Each element of `places`
    /// is an address and a number of bytes. Returns the bits of all pieces, joined.
    pub fn peek_all(&mut self, places: &[(u64, u64)], symbols: &mut Symbols) -> Result<Vec<Bit>, Refusal> {
        let mut all = Vec::new();
        for &(start, bytes) in places {
            let mut bits = vec![Bit::ZERO; 8 * bytes as usize];
            self.peek(start, &mut bits, symbols)?;
            all.extend(bits);
        }
        Ok(all)
    }

    /// Returns the maximum polynomial degree of the bits in `bytes` bytes at `address`. These bytes may extend beyond
    /// the ends of a region, but only within the region's first or last 64-byte line.
    #[must_use]
    pub fn degree(&self, address: u64, bytes: u64) -> Degree {
        let is_in_line = |region: &&Region| {
            (region.start / LINE..=(region.end - 1) / LINE).contains(&(address / LINE))
                && region.symbolic_offset == [0; 3]
        };
        self.regions.iter().find(is_in_line).map_or(Degree::VARIABLE, |region| region.degree(address, bytes))
    }

    /// Reads bits from memory as the executed code does, with access checks.
    pub fn read(&mut self, address: u64, bits: &mut [Bit], symbols: &mut Symbols) -> Result<(), Refusal> {
        let index = self.find_accessible(address, bits.len() as u64 / 8, "read", |access| access.read)?;
        self.flow.read_lanes(self.regions[index].lanes(address, bits.len() as u64 / 8));
        self.regions[index].get(address, bits, symbols);
        Ok(())
    }

    /// Writes bits to memory as the executed code does, with access checks.
    pub fn write(&mut self, address: u64, bits: &[Bit]) -> Result<(), Refusal> {
        let index = self.find_accessible(address, bits.len() as u64 / 8, "written", |access| access.write)?;
        let region = &mut self.regions[index];
        if let Some(writes) = &mut region.writes {
            let from = (address - region.start) as usize;
            region.written += bits.len() as u64 / 8;
            for count in &mut writes[from..from + bits.len() / 8] {
                *count = count.saturating_add(1);
            }
        }
        for (lane, bits) in bits.chunks(128).enumerate() {
            // Only functions such as memcpy write more than a vector. The degrees of their results are not known by
            // lane.
            let degree = if lane < 4 { self.flow.lane(lane) } else { self.flow.degree() };
            region.put(address + 16 * lane as u64, bits, degree.for_bits(bits))?;
        }
        Ok(())
    }

    /// Reads the 64-byte line at `address`, with access checks. Returns `None` if `address` is not a multiple of 64.
    pub fn read_line(&mut self, address: u64, symbols: &mut Symbols) -> Result<Option<Rc<Line>>, Refusal> {
        if !address.is_multiple_of(LINE) {
            return Ok(None);
        }
        let index = self.find_accessible(address, LINE, "read", |access| access.read)?;
        self.flow.read_lanes(self.regions[index].lanes(address, LINE));
        Ok(self.regions[index].line(address, symbols).cloned())
    }

    /// Writes the 64 bytes `line` to `address`, with access checks. If `address` is a multiple of 64, stores a
    /// reference to `line` instead of a copy.
    pub fn write_line(&mut self, address: u64, line: &Rc<Line>) -> Result<(), Refusal> {
        let index = self.find_accessible(address, LINE, "written", |access| access.write)?;
        let degrees = std::array::from_fn(|word| self.flow.lane(word / 2).for_bits(&line[64 * word..64 * (word + 1)]));
        if self.regions[index].share_line(address, line, degrees) { Ok(()) } else { self.write(address, &line[..]) }
    }

    pub fn read_known(&mut self, address: u64, bytes: usize, symbols: &mut Symbols) -> Result<Vec<u8>, Refusal> {
        let mut bits = vec![Bit::ZERO; 8 * bytes];
        self.read(address, &mut bits, symbols)?;
        let known: Option<Vec<u8>> = bits.as_chunks::<8>().0.iter().map(|bits| known_byte(bits)).collect();
        known.ok_or(Refusal::Secret("what has to be known bytes"))
    }

    /// Returns the index of the region that contains the accessed bytes and permits the access. Refuses stack accesses
    /// below the red zone. `verb` describes the access in refusals.
    fn find_accessible(
        &mut self,
        address: u64,
        bytes: u64,
        verb: &'static str,
        allows: impl Fn(Access) -> bool,
    ) -> Result<usize, Refusal> {
        if let Some(Stack { start, floor }) = self.stack
            && (start..floor).contains(&address)
            && self.symbolic_offset == [0; 3]
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
        let is_meant = |region: &Region| region.symbolic_offset == self.symbolic_offset && address < region.end;
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
