//! Memory between two guard pages: a process that reads or writes past an end dies.

#![allow(dead_code, reason = "each test uses its part")]
#![allow(unsafe_code, reason = "pages are had from the operating system")]

/// Some pages of memory with a guard page on each side.
pub(crate) struct Guarded {
    /// Start of the whole mapping, guards included.
    start: *mut u8,
    page: usize,
    /// Number of bytes between the guards.
    bytes: usize,
}

/// The guard beside which a buffer lies.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Flush {
    Start,
    End,
}

impl Flush {
    pub(crate) const BOTH: [Self; 2] = [Self::Start, Self::End];
}

impl Guarded {
    /// Allocates room for a buffer of `bytes` bytes.
    pub(crate) fn new(bytes: usize) -> Self {
        // SAFETY: only asks for a number.
        let page = usize::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).unwrap();
        let bytes = bytes.div_ceil(page).max(1) * page;
        // SAFETY: a new mapping at an address that the system chooses.
        let start = unsafe {
            let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
            libc::mmap(std::ptr::null_mut(), bytes + 2 * page, libc::PROT_NONE, flags, -1, 0)
        };
        assert_ne!(start, libc::MAP_FAILED);
        let start: *mut u8 = start.cast();
        // SAFETY: the pages lie between the guards, and nothing else has their address yet.
        let opened = unsafe { libc::mprotect(start.add(page).cast(), bytes, libc::PROT_READ | libc::PROT_WRITE) };
        assert_eq!(opened, 0);
        Self { start, page, bytes }
    }

    /// Returns `bytes` bytes beside a guard.
    pub(crate) fn buffer(&mut self, bytes: usize, flush: Flush) -> &mut [u8] {
        assert!(bytes <= self.bytes);
        let before = match flush {
            Flush::Start => 0,
            Flush::End => self.bytes - bytes,
        };
        // SAFETY: the bytes lie in the accessible pages, borrowed from `self` alone.
        unsafe { std::slice::from_raw_parts_mut(self.start.add(self.page + before), bytes) }
    }

    /// Returns the address of the byte in a guard next to the accessible pages.
    pub(crate) fn forbidden(&self, flush: Flush) -> *const u8 {
        match flush {
            Flush::Start => self.start.wrapping_add(self.page - 1),
            Flush::End => self.start.wrapping_add(self.page + self.bytes),
        }
    }
}

impl Drop for Guarded {
    fn drop(&mut self) {
        // SAFETY: `new` made the mapping, and all borrows have ended.
        let unmapped = unsafe { libc::munmap(self.start.cast(), self.bytes + 2 * self.page) };
        assert_eq!(unmapped, 0);
    }
}
