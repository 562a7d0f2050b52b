//! Executable memory for machine code generated at run time: first writable, then executable, never both.
#![allow(unsafe_code)] // maps memory, makes it executable and calls it

use std::ffi::c_void;
use std::ptr::{NonNull, null_mut};

use rustix::io::Errno;
use rustix::mm::{MapFlags, MprotectFlags, ProtFlags, mmap_anonymous, mprotect, munmap};

/// Type of the generated functions: System V calling convention on x86-64, the system's elsewhere.
#[cfg(target_arch = "x86_64")]
type Function = extern "sysv64" fn(u64, *mut u8);
#[cfg(not(target_arch = "x86_64"))]
type Function = extern "C" fn(u64, *mut u8);

pub(super) struct MachineCode {
    code: NonNull<c_void>,
    length: usize,
}

impl MachineCode {
    pub(super) fn new(code: &[u8]) -> Result<MachineCode, Errno> {
        let length = code.len();
        // SAFETY: a new mapping at an address that the kernel chooses.
        let start =
            unsafe { mmap_anonymous(null_mut(), length, ProtFlags::READ | ProtFlags::WRITE, MapFlags::PRIVATE) }?;
        let page = MachineCode { code: NonNull::new(start).ok_or(Errno::NOMEM)?, length };
        // SAFETY: the mapping is as long as the code, and nothing else refers to it yet.
        unsafe { start.cast::<u8>().copy_from_nonoverlapping(code.as_ptr(), length) };
        #[cfg(target_arch = "aarch64")]
        // SAFETY: the range is the code just written.
        unsafe {
            flush_to_instruction_cache(start.cast_const().cast(), length);
        }
        // SAFETY: no reference into the mapping exists.
        unsafe { mprotect(start, length, MprotectFlags::READ | MprotectFlags::EXEC) }?;
        Ok(page)
    }

    /// Calls the machine code as a function with `turns` and `registers` as its arguments.
    ///
    /// # Safety
    /// The code is a [`Function`] that may be called with these arguments on this CPU.
    pub(super) unsafe fn call(&self, turns: u64, registers: *mut u8) {
        // SAFETY: the caller guarantees that the code is a `Function`.
        let function: Function = unsafe { std::mem::transmute(self.code.as_ptr()) };
        function(turns, registers);
    }
}

impl Drop for MachineCode {
    fn drop(&mut self) {
        // SAFETY: `new` mapped this range, and the code can no longer be called.
        let _ = unsafe { munmap(self.code.as_ptr(), self.length) };
    }
}

/// Makes written code visible to instruction fetch, which AArch64 hardware does not do by itself (Arm ARM, B2.7.4).
///
/// # Safety
/// `length` bytes from `start` on are readable.
#[cfg(target_arch = "aarch64")]
unsafe fn flush_to_instruction_cache(start: *const u8, length: usize) {
    use std::arch::asm;

    /// Distance in bytes between two addresses whose cache lines are written back or invalidated. Cache lines of
    /// AArch64 CPUs are at least this long, so no line is skipped.
    const LINE: usize = 16;
    let lines = || (0..length).step_by(LINE).map(move |offset| start.wrapping_add(offset));
    // SAFETY: Linux allows these cache instructions in user mode, and the bytes are readable.
    unsafe {
        lines().for_each(|line| asm!("dc cvau, {}", in(reg) line, options(nostack, preserves_flags)));
        asm!("dsb ish", options(nostack, preserves_flags));
        lines().for_each(|line| asm!("ic ivau, {}", in(reg) line, options(nostack, preserves_flags)));
        asm!("dsb ish", "isb", options(nostack, preserves_flags));
    }
}
