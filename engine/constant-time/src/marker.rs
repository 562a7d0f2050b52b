//! How the stepped program tells the one that steps it where a call begins and ends: breakpoints on x86-64, and on
//! AArch64 moves of numbers into the register that is always zero, which an emulator's log shows.

#![allow(unsafe_code, reason = "a marker is an instruction")]

/// In RAX at a breakpoint, or moved: the call whose number is in RDI, or X0, begins.
pub const BEGIN: u64 = 1;

/// The same: it has ended.
pub const END: u64 = 2;

/// The call of this number begins. On x86-64 this ends the program if it has no tracer.
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

/// It has ended.
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
