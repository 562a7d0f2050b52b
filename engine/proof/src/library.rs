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
        let mut found = Found { inside, segments: Vec::new() };
        // SAFETY: `copy_segments` casts the pointer back to `Found`, and no library is unloaded during the call.
        unsafe { libc::dl_iterate_phdr(Some(copy_segments), (&raw mut found).cast()) };
        new.segments = found.segments;
        if new.segments.is_empty() {
            return Err(io::Error::other(format!("{}: its segments were not found", path.display())));
        }
        Ok(new)
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

struct Found {
    inside: u64,
    segments: Vec<Segment>,
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
    for header in loaded() {
        let address: *const u8 = std::ptr::with_exposed_provenance(start(header) as usize);
        // SAFETY: the segment is loaded and never unloaded.
        let bytes = unsafe { std::slice::from_raw_parts(address, header.p_memsz as usize) };
        found.segments.push(Segment { start: start(header), bytes: Rc::new(bytes.to_vec()), flags: header.p_flags });
    }
    1
}
