//! Markers by which the program `stepped` shows its tracer where a call begins and ends.
//!
//! On x86-64 a marker is a breakpoint. On AArch64 it is a move of a number to the zero register, which appears in the
//! emulator's log.

#![allow(unsafe_code, reason = "a marker is an inline-assembly instruction")]

/// Marker of the beginning of a call: the value of RAX at the breakpoint (x86-64), or moved to the zero register
/// (AArch64). RDI or X0 has the index of the call.
pub const BEGIN: u64 = 1;

/// Marker of the end of a call: the value of RAX at the breakpoint (x86-64), or moved to the zero register (AArch64).
pub const END: u64 = 2;

/// Marks the beginning of a call for the tracer. On x86-64, a program without a tracer terminates here with SIGTRAP.
#[inline(always)]
pub fn begin(call: usize) {
    // SAFETY: a breakpoint changes no state, and the tracer only reads.
    #[cfg(target_arch = "x86_64")]
    unsafe {
        std::arch::asm!("int3", in("rax") BEGIN, in("rdi") call);
    }
    // SAFETY: writing the zero register changes no state.
    #[cfg(target_arch = "aarch64")]
    unsafe {
        std::arch::asm!("movz xzr, {}", const BEGIN, in("x0") call);
    }
}

#[inline(always)]
pub fn end() {
    // SAFETY: the marker changes no state.
    #[cfg(target_arch = "x86_64")]
    unsafe {
        std::arch::asm!("int3", in("rax") END);
    }
    // SAFETY: the marker changes no state.
    #[cfg(target_arch = "aarch64")]
    unsafe {
        std::arch::asm!("movz xzr, {}", const END);
    }
}
