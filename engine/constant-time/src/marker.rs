//! Markers by which the program `stepped` shows its tracer where an engine call begins and ends.
//!
//! On x86-64 a marker is a breakpoint. On AArch64 a marker is an instruction that moves a number to the zero register;
//! the emulator logs this instruction.

#![allow(unsafe_code, reason = "a marker is an inline-assembly instruction")]

/// Number of the marker at the beginning of an engine call. On x86-64, RAX has this number at the breakpoint, and RDI
/// the index of the call. On AArch64, this number is moved to the zero register, and X0 has the index of the call.
pub const BEGIN: u64 = 1;

/// Number of the marker at the end of an engine call. On x86-64, RAX has this number at the breakpoint. On AArch64,
/// this number is moved to the zero register.
pub const END: u64 = 2;

/// Marks the beginning of the engine call with index `call`. On x86-64, a program without a tracer terminates here with
/// SIGTRAP.
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
