//! Markers with which the stepped program tells its tracer where a call begins and ends.
//!
//! On x86-64 they are breakpoints. On AArch64 they are moves of a number to the zero register, which appear in the
//! emulator's log.

#![allow(unsafe_code, reason = "a marker is an instruction")]

/// Marks the beginning of a call: the value of RAX at the breakpoint, or the moved number. RDI or X0 has the call's
/// number.
pub const BEGIN: u64 = 1;

/// Marks the end of a call: the value of RAX at the breakpoint, or the moved number.
pub const END: u64 = 2;

/// Marks the beginning of a call. On x86-64 this ends the program if it has no tracer.
#[inline(always)]
pub fn begin(call: usize) {
    // SAFETY: a breakpoint changes nothing; the tracer only looks.
    #[cfg(target_arch = "x86_64")]
    unsafe {
        std::arch::asm!("int3", in("rax") BEGIN, in("rdi") call);
    }
    // SAFETY: nothing is changed.
    #[cfg(target_arch = "aarch64")]
    unsafe {
        std::arch::asm!("movz xzr, {}", const BEGIN, in("x0") call);
    }
}

/// Marks the end of a call.
#[inline(always)]
pub fn end() {
    // SAFETY: as in `begin`.
    #[cfg(target_arch = "x86_64")]
    unsafe {
        std::arch::asm!("int3", in("rax") END);
    }
    // SAFETY: as in `begin`.
    #[cfg(target_arch = "aarch64")]
    unsafe {
        std::arch::asm!("movz xzr, {}", const END);
    }
}
