//! How the stepped program tells the one that steps it where a call begins and ends: breakpoints.

#![allow(unsafe_code, reason = "a breakpoint is an instruction")]

/// In RAX at a breakpoint: the call whose number is in RDI begins.
pub const BEGIN: u64 = 1;

/// In RAX at a breakpoint: it has ended.
pub const END: u64 = 2;

/// The call of this number begins. Without a tracer this ends the program.
#[inline(always)]
pub fn begin(call: usize) {
    // SAFETY: a breakpoint changes nothing; the tracer only looks.
    unsafe { std::arch::asm!("int3", in("rax") BEGIN, in("rdi") call) };
}

/// It has ended.
#[inline(always)]
pub fn end() {
    // SAFETY: as in `begin`.
    unsafe { std::arch::asm!("int3", in("rax") END) };
}
