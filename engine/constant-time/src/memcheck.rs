//! Client requests to valgrind's memcheck. Without valgrind, these requests have no effect.
//!
//! A client request is six words in memory and a sequence of instructions that does nothing on a CPU but is recognised
//! by valgrind (valgrind manual, §3.1, "The Client Request mechanism").

#![allow(unsafe_code, reason = "a client request is inline assembly")]

/// Returns whether this program runs under valgrind.
#[must_use]
pub fn is_running() -> bool {
    request(RUNNING_ON_VALGRIND, 0, 0, 0) != 0
}

/// Marks bytes as secret: memcheck treats them as undefined.
pub fn mark_secret(bytes: &mut [u8]) {
    request(MAKE_MEMORY_UNDEFINED, bytes.as_mut_ptr().addr(), bytes.len(), 0);
}

/// Marks bytes as public: memcheck treats them as defined.
pub fn declare_public(bytes: &mut [u8]) {
    request(MAKE_MEMORY_DEFINED, bytes.as_mut_ptr().addr(), bytes.len(), 0);
}

/// Returns the number of bytes that contain a bit which is secret or derived from secrets.
#[must_use]
pub fn secret_byte_count(bytes: &[u8]) -> usize {
    let mut marks = vec![0_u8; bytes.len()];
    request(GET_MARKS, bytes.as_ptr().addr(), marks.as_mut_ptr().addr(), bytes.len());
    marks.iter().filter(|&&mark| mark != 0).count()
}

/// Returns the number of errors that memcheck has reported so far.
#[must_use]
pub fn complaint_count() -> usize {
    request(COUNT_ERRORS, 0, 0, 0)
}

// Request codes from valgrind.h and memcheck.h. The codes of a tool begin with the two letters of its name.
const RUNNING_ON_VALGRIND: usize = 0x1001;
const COUNT_ERRORS: usize = 0x1201;
const MEMCHECK: usize = (b'M' as usize) << 24 | (b'C' as usize) << 16;
const MAKE_MEMORY_UNDEFINED: usize = MEMCHECK + 1;
const MAKE_MEMORY_DEFINED: usize = MEMCHECK + 2;
const GET_MARKS: usize = MEMCHECK + 8;

/// Sends a client request to valgrind and returns its result. Returns zero without valgrind.
fn request(request: usize, first: usize, second: usize, third: usize) -> usize {
    let words = [request, first, second, third, 0, 0];
    let mut answer = 0_usize;
    // SAFETY: RDI is rotated by 128 bits in all and RBX exchanged with itself, so nothing but the flags changes on the
    // bare CPU. Under valgrind the answer comes in RDX; the memory that is written (GET_MARKS) is the caller's.
    unsafe {
        std::arch::asm!(
            "rol rdi, 3",
            "rol rdi, 13",
            "rol rdi, 61",
            "rol rdi, 51",
            "xchg rbx, rbx",
            in("rax") words.as_ptr(),
            inout("rdx") answer,
            options(nostack),
        );
    }
    answer
}
