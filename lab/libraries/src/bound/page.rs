//! Memory for machine code that is made at run time: first written, then executable, never both.
#![allow(unsafe_code)] // memory that is mapped, protected and called as a function

use std::ffi::c_void;
use std::ptr::{NonNull, null_mut};

use rustix::io::Errno;
use rustix::mm::{MapFlags, MprotectFlags, ProtFlags, mmap_anonymous, mprotect, munmap};

/// A function in machine code, in memory of its own.
pub(super) struct MachineCode {
    code: NonNull<c_void>,
    length: usize,
}

impl MachineCode {
    /// Puts `code` there.
    ///
    /// # Errors
    /// Where the system gives no such memory, or lets nothing be executed that was written.
    pub(super) fn new(code: &[u8]) -> Result<MachineCode, Errno> {
        let length = code.len();
        // SAFETY: a new mapping, where the kernel likes.
        let start =
            unsafe { mmap_anonymous(null_mut(), length, ProtFlags::READ | ProtFlags::WRITE, MapFlags::PRIVATE) }?;
        let page = MachineCode { code: NonNull::new(start).ok_or(Errno::NOMEM)?, length };
        // SAFETY: the mapping is as long as the code, and nobody else knows it.
        unsafe { start.cast::<u8>().copy_from_nonoverlapping(code.as_ptr(), length) };
        // SAFETY: nobody holds a reference into it.
        unsafe { mprotect(start, length, MprotectFlags::READ | MprotectFlags::EXEC) }?;
        Ok(page)
    }

    /// Calls it.
    ///
    /// # Safety
    /// The code is a function of the System V calling convention that may be called with these arguments on this CPU.
    pub(super) unsafe fn call(&self, turns: u64, registers: *mut u8) {
        // SAFETY: the caller says that this is what it is.
        let function: extern "sysv64" fn(u64, *mut u8) = unsafe { std::mem::transmute(self.code.as_ptr()) };
        function(turns, registers);
    }
}

impl Drop for MachineCode {
    fn drop(&mut self) {
        // SAFETY: it was mapped by `new`, and nobody can call it any more.
        let _ = unsafe { munmap(self.code.as_ptr(), self.length) };
    }
}
