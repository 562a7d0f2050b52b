//! The CPU, which executes one instruction.

#![allow(unsafe_code, reason = "machine code is executed")]

use std::arch::global_asm;
use std::io;

use crate::symbols::Symbols;

/// All that an instruction can read or write.
#[repr(C, align(64))]
#[derive(Clone, PartialEq, Eq)]
pub(super) struct State {
    pub(super) integers: [u64; 16],
    pub(super) flags: u64,
    pub(super) masks: [u64; 8],
    _space: [u64; 7],
    pub(super) vectors: [[u8; 64]; 32],
}

/// A page of code, and one of data behind it.
pub(super) struct Pages(*mut u8);

const PAGE: usize = 4096;

/// Carry, parity, zero, sign and overflow, as RFLAGS has them.
pub(super) const FLAGS: [u32; 5] = [0, 2, 6, 7, 11];

impl State {
    pub(super) fn random(symbols: &mut Symbols) -> Self {
        let mut word = || {
            let random = symbols.fresh().0;
            // One in four is extreme.
            let extremes = [0, 1, u64::MAX, 1 << 63, 1 << 31, 0x7F, 0xFF, 64];
            match (random >> 64) as usize % 32 {
                which @ 0..8 => extremes[which],
                _ => random as u64,
            }
        };
        let integers = std::array::from_fn(|_| word());
        let masks = std::array::from_fn(|_| word());
        let flags = word() & FLAGS.iter().fold(0, |all, place| all | 1 << place) | 2;
        let mut vectors = [[0; 64]; 32];
        for line in &mut vectors {
            for bytes in line.as_chunks_mut::<8>().0 {
                *bytes = word().to_le_bytes();
            }
        }
        Self { integers, flags, masks, _space: [0; 7], vectors }
    }

    /// Another, of which each word may have some bits that are not the same.
    pub(super) fn varied(&self, symbols: &mut Symbols) -> Self {
        let mut other = self.clone();
        other.integers.iter_mut().for_each(|word| *word ^= variation(symbols));
        other.masks.iter_mut().for_each(|word| *word ^= variation(symbols));
        for place in FLAGS {
            other.flags ^= (variation(symbols) & 1) << place;
        }
        for bytes in other.vectors.as_flattened_mut().as_chunks_mut::<8>().0 {
            *bytes = (u64::from_le_bytes(*bytes) ^ variation(symbols)).to_le_bytes();
        }
        other
    }
}

/// Which bits of a word are others: none, few, or any.
pub(super) fn variation(symbols: &mut Symbols) -> u64 {
    let random = symbols.fresh().0;
    let (one, other) = (random as u64, (random >> 64) as u64);
    match other % 4 {
        0 | 1 => 0,
        2 => 1 << (one % 64) | 1 << (one / 64 % 64),
        _ => one,
    }
}

impl Pages {
    pub(super) fn new() -> io::Result<Self> {
        let protection = libc::PROT_READ | libc::PROT_WRITE | libc::PROT_EXEC;
        // SAFETY: new memory.
        let pages = unsafe {
            let kind = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
            libc::mmap(std::ptr::null_mut(), 2 * PAGE, protection, kind, -1, 0)
        };
        if pages == libc::MAP_FAILED { Err(io::Error::last_os_error()) } else { Ok(Self(pages.cast())) }
    }

    pub(super) fn code_address(&self) -> u64 {
        self.0.addr() as u64
    }

    pub(super) fn data_address(&self) -> u64 {
        self.0.addr() as u64 + PAGE as u64
    }

    /// Has the CPU execute the instruction. What memory has then.
    pub(super) fn execute(&self, instruction: &[u8], state: &mut State, memory: &[u8]) -> Vec<u8> {
        const RETURN: u8 = 0xC3;
        // SAFETY: both pages are ours. The instruction was executed by the prover, which refuses to touch anything but
        // the data and to leave the straight line; registers are restored behind it.
        unsafe {
            self.0.copy_from_nonoverlapping(instruction.as_ptr(), instruction.len());
            self.0.add(instruction.len()).write(RETURN);
            let data = self.0.add(PAGE);
            data.copy_from_nonoverlapping(memory.as_ptr(), memory.len());
            kasoku_proof_execute(state, self.0);
            std::slice::from_raw_parts(data, memory.len()).to_vec()
        }
    }
}

impl Drop for Pages {
    fn drop(&mut self) {
        // SAFETY: ours, and nobody uses it any more.
        unsafe { libc::munmap(self.0.cast(), 2 * PAGE) };
    }
}

unsafe extern "C" {
    fn kasoku_proof_execute(state: *mut State, code: *const u8);
}

// Loads all registers but the stack pointer from the state, calls the code, and stores them.
global_asm!(
    ".globl kasoku_proof_execute",
    "kasoku_proof_execute:",
    ".irp register, rbx, rbp, r12, r13, r14, r15, rsi, rdi",
    "push \\register",
    ".endr",
    ".irp number, 0, 1, 2, 3, 4, 5, 6, 7",
    "kmovq k\\number, [rdi + 136 + 8 * \\number]",
    ".endr",
    ".irp number, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, \
     27, 28, 29, 30, 31",
    "vmovdqu64 zmm\\number, [rdi + 256 + 64 * \\number]",
    ".endr",
    "push qword ptr [rdi + 128]",
    "popfq",
    "mov rax, [rdi]",
    "mov rcx, [rdi + 8]",
    "mov rdx, [rdi + 16]",
    "mov rbx, [rdi + 24]",
    "mov rbp, [rdi + 40]",
    "mov rsi, [rdi + 48]",
    ".irp number, 8, 9, 10, 11, 12, 13, 14, 15",
    "mov r\\number, [rdi + 8 * \\number]",
    ".endr",
    "mov rdi, [rdi + 56]",
    "call [rsp + 8]",
    "push rdi",
    "mov rdi, [rsp + 8]",
    "pop qword ptr [rdi + 56]",
    "mov [rdi], rax",
    "mov [rdi + 8], rcx",
    "mov [rdi + 16], rdx",
    "mov [rdi + 24], rbx",
    "mov [rdi + 40], rbp",
    "mov [rdi + 48], rsi",
    ".irp number, 8, 9, 10, 11, 12, 13, 14, 15",
    "mov [rdi + 8 * \\number], r\\number",
    ".endr",
    "pushfq",
    "pop qword ptr [rdi + 128]",
    ".irp number, 0, 1, 2, 3, 4, 5, 6, 7",
    "kmovq [rdi + 136 + 8 * \\number], k\\number",
    ".endr",
    ".irp number, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, \
     27, 28, 29, 30, 31",
    "vmovdqu64 [rdi + 256 + 64 * \\number], zmm\\number",
    ".endr",
    ".irp register, rdi, rsi, r15, r14, r13, r12, rbp, rbx",
    "pop \\register",
    ".endr",
    "vzeroupper",
    "cld",
    "ret",
);
