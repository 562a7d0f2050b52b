//! Loads the library with the system's loader, and copies the library's code and data.

#![allow(unsafe_code, reason = "loads a library and copies its memory")]

use std::ffi::{c_int, c_void};
use std::fs;
use std::io;
use std::mem::ManuallyDrop;
use std::path::Path;
use std::rc::Rc;

use sha2::{Digest, Sha256};

use crate::memory::{Access, Region};
use crate::platform;

/// A loaded library. The CPU executes only the library's initialisation; the prover executes all other code.
pub struct Library {
    /// Handle of the system's loader. The handle is never closed, so that loading the library again returns the same
    /// address.
    library: ManuallyDrop<libloading::Library>,
    sha256: [u8; 32],
    segments: Vec<Segment>,
}

struct Segment {
    start: u64,
    bytes: Rc<Vec<u8>>,
    flags: u32,
}

impl Library {
    /// Loads the library at `path`.
    ///
    /// # Errors
    /// If the file is not a shared library of Kasoku.
    pub fn load(path: &Path) -> io::Result<Self> {
        // SAFETY: the build's own library, whose initialisation is that of Rust's standard library.
        let library = unsafe { libloading::Library::new(path) }.map_err(|error| {
            let why = std::error::Error::source(&error).map_or_else(|| error.to_string(), ToString::to_string);
            io::Error::other(format!("{why}; `cargo build --release -p kasoku-c` makes it"))
        })?;
        let sha256 = Sha256::digest(fs::read(path)?).into();
        let mut new = Self { library: ManuallyDrop::new(library), sha256, segments: Vec::new() };
        let inside = new.symbol("kasoku_gcm_seal")?;
        let mut found = Found { inside, segments: Vec::new(), dynamic: 0 };
        // SAFETY: `copy_segments` casts the pointer back to `Found`, and no library is unloaded during the call.
        unsafe { libc::dl_iterate_phdr(Some(copy_segments), (&raw mut found).cast()) };
        new.segments = found.segments;
        if new.segments.is_empty() {
            return Err(io::Error::other(format!("{}: its segments were not found", path.display())));
        }
        new.bind_modelled_functions(found.dynamic);
        Ok(new)
    }

    /// Replaces the addresses of libc's functions by the addresses that stand for the prover's models, in the copy of
    /// the library's segments. The names are those of the library's relocations, so the result does not depend on the
    /// libc of this machine. `dynamic` is the address of the library's dynamic section.
    fn bind_modelled_functions(&mut self, dynamic: u64) {
        let entry = |tag: u64| {
            let entries = (dynamic..).step_by(16).map_while(|at| Some((self.word(at)?, self.word(at + 8)?)));
            entries.take_while(|(tag, _)| *tag != 0).find(|(other, _)| *other == tag).map(|(_, value)| value)
        };
        // Some loaders have already added the base to the addresses in the dynamic section.
        let base = self.base();
        let table = |tag: u64| entry(tag).map(|value| if value < base { base + value } else { value });
        let (Some(symbols), Some(strings)) = (table(DT_SYMTAB), table(DT_STRTAB)) else { return };
        let mut bound = Vec::new();
        for (table, bytes) in [(table(DT_RELA), entry(DT_RELASZ)), (table(DT_JMPREL), entry(DT_PLTRELSZ))] {
            let (Some(table), Some(bytes)) = (table, bytes) else { continue };
            for at in (table..table + bytes).step_by(24) {
                let (Some(place), Some(info)) = (self.word(at), self.word(at + 8)) else { break };
                let (symbol, kind) = (symbols + 24 * (info >> 32), info & 0xFFFF_FFFF);
                let is_undefined = self.word(symbol).is_some_and(|word| word >> 48 == 0);
                if is_undefined && [R_X86_64_64, R_X86_64_GLOB_DAT, R_X86_64_JUMP_SLOT].contains(&kind) {
                    let name = strings + (self.word(symbol).unwrap_or(0) & 0xFFFF_FFFF);
                    let name: Vec<u8> = (name..).map_while(|at| self.byte(at)).take_while(|&byte| byte != 0).collect();
                    bound.extend(platform::function_address(&name).map(|address| (base + place, address)));
                }
            }
        }
        for (place, address) in bound {
            (place..).zip(address.to_le_bytes()).for_each(|(at, byte)| self.patch(at, byte));
        }
    }

    fn byte(&self, address: u64) -> Option<u8> {
        let bytes = |segment: &Segment| segment.bytes.get(address.checked_sub(segment.start)? as usize).copied();
        self.segments.iter().find_map(bytes)
    }

    fn word(&self, address: u64) -> Option<u64> {
        let mut bytes = [0; 8];
        for (at, byte) in (address..).zip(&mut bytes) {
            *byte = self.byte(at)?;
        }
        Some(u64::from_le_bytes(bytes))
    }

    /// Returns the address of an exported function of the library.
    pub fn symbol(&self, name: &str) -> io::Result<u64> {
        // SAFETY: the address is never called.
        let symbol = unsafe { self.library.get::<*const c_void>(name.as_bytes()) }.map_err(io::Error::other)?;
        // SAFETY: the address is never called.
        Ok(unsafe { symbol.try_as_raw_ptr() }.map_or(0, |address| address.addr() as u64))
    }

    /// Returns the SHA-256 hash of the library's file, without the changes of [`Self::patch`].
    #[must_use]
    pub fn sha256(&self) -> [u8; 32] {
        self.sha256
    }

    /// Returns the address at which the loader has mapped the library's file.
    #[must_use]
    pub fn base(&self) -> u64 {
        self.segments.iter().map(|segment| segment.start).min().unwrap_or(0)
    }

    /// Returns the address and the contents of the library's code segment.
    #[must_use]
    pub fn code(&self) -> (u64, Vec<u8>) {
        let code = self.segments.iter().find(|segment| segment.flags & libc::PF_X != 0);
        code.map_or((0, Vec::new()), |code| (code.start, code.bytes.to_vec()))
    }

    /// Returns the library's segments as memory regions.
    pub fn regions(&self) -> impl Iterator<Item = Region> {
        self.segments.iter().map(|segment| {
            let access = if segment.flags & libc::PF_W == 0 { Access::READ } else { Access::BOTH };
            Region::known("the library", segment.start, Rc::clone(&segment.bytes), access)
        })
    }

    /// Returns the byte at `address`, or `None` if the address is not in the library's constant data.
    #[must_use]
    pub fn constant(&self, address: u64) -> Option<u8> {
        let is_it = |segment: &&Segment| {
            segment.flags & (libc::PF_W | libc::PF_X) == 0
                && (segment.start..segment.start + segment.bytes.len() as u64).contains(&address)
        };
        let segment = self.segments.iter().find(is_it)?;
        Some(segment.bytes[(address - segment.start) as usize])
    }

    /// Returns the address of the library's last eight writable bytes. In tests with faulty libraries, the inserted
    /// faulty code counts in these eight bytes.
    #[must_use]
    pub fn last_writable(&self) -> u64 {
        let ends = self.segments.iter().filter(|segment| segment.flags & libc::PF_W != 0);
        ends.map(|segment| segment.start + segment.bytes.len() as u64).max().unwrap_or(8) - 8
    }

    /// Overwrites a byte in the copy of the library's segments.
    pub fn patch(&mut self, address: u64, byte: u8) {
        for segment in &mut self.segments {
            if let Some(place) = address.checked_sub(segment.start)
                && let Some(old) = Rc::make_mut(&mut segment.bytes).get_mut(place as usize)
            {
                *old = byte;
            }
        }
    }
}

// Tags of the dynamic section and types of relocations (System V ABI, AMD64 supplement).
const DT_PLTRELSZ: u64 = 2;
const DT_STRTAB: u64 = 5;
const DT_SYMTAB: u64 = 6;
const DT_RELA: u64 = 7;
const DT_RELASZ: u64 = 8;
const DT_JMPREL: u64 = 23;
const R_X86_64_64: u64 = 1;
const R_X86_64_GLOB_DAT: u64 = 6;
const R_X86_64_JUMP_SLOT: u64 = 7;

struct Found {
    inside: u64,
    segments: Vec<Segment>,
    /// Address of the dynamic section.
    dynamic: u64,
}

/// Copies the segments of the library that contains the address `inside`.
///
/// # Safety
/// `data` must point to a [`Found`].
unsafe extern "C" fn copy_segments(info: *mut libc::dl_phdr_info, _: usize, data: *mut c_void) -> c_int {
    // SAFETY: the loader's description is valid during this call, and the caller guarantees `data`.
    let (info, found) = unsafe { (&*info, &mut *data.cast::<Found>()) };
    // SAFETY: the loader's description has `dlpi_phnum` headers.
    let headers = unsafe { std::slice::from_raw_parts(info.dlpi_phdr, info.dlpi_phnum.into()) };
    let loaded = || headers.iter().filter(|header| header.p_type == libc::PT_LOAD);
    let start = |header: &libc::Elf64_Phdr| info.dlpi_addr + header.p_vaddr;
    if !loaded().any(|header| (start(header)..start(header) + header.p_memsz).contains(&found.inside)) {
        return 0;
    }
    let dynamic = headers.iter().find(|header| header.p_type == libc::PT_DYNAMIC);
    found.dynamic = dynamic.map_or(0, start);
    for header in loaded() {
        let address: *const u8 = std::ptr::with_exposed_provenance(start(header) as usize);
        // SAFETY: the segment is loaded and never unloaded.
        let bytes = unsafe { std::slice::from_raw_parts(address, header.p_memsz as usize) };
        found.segments.push(Segment { start: start(header), bytes: Rc::new(bytes.to_vec()), flags: header.p_flags });
    }
    1
}
