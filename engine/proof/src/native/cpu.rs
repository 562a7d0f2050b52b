//! Executes one instruction on this CPU.

#![allow(unsafe_code, reason = "executes machine code")]

use std::arch::global_asm;
use std::io;

use iced_x86::{CpuidFeature, Register};

use crate::symbols::Symbols;

/// Registers and CPU flags that an instruction can read or write.
#[repr(C, align(64))]
#[derive(Clone, PartialEq, Eq)]
pub(super) struct CpuState {
    pub(super) integers: [u64; 16],
    pub(super) flags: u64,
    pub(super) masks: [u64; 8],
    _space: [u64; 7],
    pub(super) vectors: [[u8; 64]; 32],
}

/// Kinds of vector registers that this CPU has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Vectors {
    /// XMM0 to XMM15.
    Sse,
    /// YMM0 to YMM15.
    Avx,
    /// ZMM0 to ZMM31, and K0 to K7.
    Avx512,
}

impl Vectors {
    pub(super) fn detect() -> Self {
        let has_avx512 = is_x86_feature_detected!("avx512bw") && is_x86_feature_detected!("avx512vl");
        if has_avx512 {
            Self::Avx512
        } else if is_x86_feature_detected!("avx") {
            Self::Avx
        } else {
            Self::Sse
        }
    }

    /// Returns the number of vector registers and the size of each in bytes.
    pub(super) fn size(self) -> (usize, usize) {
        match self {
            Self::Sse => (16, 16),
            Self::Avx => (16, 32),
            Self::Avx512 => (32, 64),
        }
    }
}

/// Returns whether this CPU has a feature.
pub(super) fn has(feature: CpuidFeature) -> bool {
    use CpuidFeature as F;
    match feature {
        F::INTEL8086 | F::INTEL186 | F::INTEL286 | F::INTEL386 | F::INTEL486 | F::X64 | F::CMOV | F::SSE | F::SSE2 => {
            true
        }
        F::SSE3 => is_x86_feature_detected!("sse3"),
        F::SSSE3 => is_x86_feature_detected!("ssse3"),
        F::SSE4_1 => is_x86_feature_detected!("sse4.1"),
        F::POPCNT => is_x86_feature_detected!("popcnt"),
        F::LZCNT => is_x86_feature_detected!("lzcnt"),
        F::MOVBE => is_x86_feature_detected!("movbe"),
        F::BMI1 => is_x86_feature_detected!("bmi1"),
        F::BMI2 => is_x86_feature_detected!("bmi2"),
        F::AES => is_x86_feature_detected!("aes"),
        F::PCLMULQDQ => is_x86_feature_detected!("pclmulqdq"),
        F::AVX => is_x86_feature_detected!("avx"),
        F::AVX2 => is_x86_feature_detected!("avx2"),
        F::VAES => is_x86_feature_detected!("vaes"),
        F::VPCLMULQDQ => is_x86_feature_detected!("vpclmulqdq"),
        F::AVX512F => is_x86_feature_detected!("avx512f"),
        F::AVX512BW => is_x86_feature_detected!("avx512bw"),
        F::AVX512DQ => is_x86_feature_detected!("avx512dq"),
        F::AVX512VL => is_x86_feature_detected!("avx512vl"),
        _ => false,
    }
}

/// Memory in which one instruction is executed: a page of code, a page of data and stack, and a page that stores stack
/// pointers. The unused pages between code and data are for signal handlers, which write below the stack pointer.
pub(super) struct CodePages {
    start: *mut u8,
    vectors: Vectors,
}

const PAGE: usize = 4096;
const DATA_PAGE: usize = 8 * PAGE;
const POINTER_PAGE: usize = 9 * PAGE;
const ALL_PAGES: usize = 10 * PAGE;

/// Length in bytes of the machine code before the tested instruction: two MOVs of 7 bytes, which store the stack
/// pointer and load the modelled one.
const STACK_SWITCH_BYTES: usize = 14;

/// Bit numbers in RFLAGS of carry, parity, zero, sign and overflow.
pub(super) const FLAG_BITS: [u32; 5] = [0, 2, 6, 7, 11];

impl CpuState {
    pub(super) fn random(symbols: &mut Symbols) -> Self {
        let mut word = || {
            let random = symbols.fresh().0;
            // A quarter of the values are extreme.
            let extremes = [0, 1, u64::MAX, 1 << 63, 1 << 31, 0x7F, 0xFF, 64];
            match (random >> 64) as usize % 32 {
                which @ 0..8 => extremes[which],
                _ => random as u64,
            }
        };
        let integers = std::array::from_fn(|_| word());
        let masks = std::array::from_fn(|_| word());
        let flags = word() & FLAG_BITS.iter().fold(0, |all, place| all | 1 << place) | 2;
        let mut vectors = [[0; 64]; 32];
        for line in &mut vectors {
            for bytes in line.as_chunks_mut::<8>().0 {
                *bytes = word().to_le_bytes();
            }
        }
        Self { integers, flags, masks, _space: [0; 7], vectors }
    }

    /// Returns a copy of the CPU state in which random bits are inverted.
    pub(super) fn with_variations(&self, symbols: &mut Symbols) -> Self {
        let mut other = self.clone();
        other.integers.iter_mut().for_each(|word| *word ^= random_difference(symbols));
        other.masks.iter_mut().for_each(|word| *word ^= random_difference(symbols));
        for place in FLAG_BITS {
            other.flags ^= (random_difference(symbols) & 1) << place;
        }
        for bytes in other.vectors.as_flattened_mut().as_chunks_mut::<8>().0 {
            *bytes = (u64::from_le_bytes(*bytes) ^ random_difference(symbols)).to_le_bytes();
        }
        other
    }
}

/// Returns a random mask of bits to invert in a word: none, up to two, or any number.
pub(super) fn random_difference(symbols: &mut Symbols) -> u64 {
    let random = symbols.fresh().0;
    let (one, other) = (random as u64, (random >> 64) as u64);
    match other % 4 {
        0 | 1 => 0,
        2 => 1 << (one % 64) | 1 << (one / 64 % 64),
        _ => one,
    }
}

impl CodePages {
    pub(super) fn new() -> io::Result<Self> {
        let protection = libc::PROT_READ | libc::PROT_WRITE | libc::PROT_EXEC;
        // SAFETY: new memory.
        let start = unsafe {
            let kind = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
            libc::mmap(std::ptr::null_mut(), ALL_PAGES, protection, kind, -1, 0)
        };
        if start == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        Ok(Self { start: start.cast(), vectors: Vectors::detect() })
    }

    pub(super) fn vectors(&self) -> Vectors {
        self.vectors
    }

    /// Returns the address at which the tested instruction is executed.
    pub(super) fn code_address(&self) -> u64 {
        (self.start.addr() + STACK_SWITCH_BYTES) as u64
    }

    pub(super) fn data_address(&self) -> u64 {
        (self.start.addr() + DATA_PAGE) as u64
    }

    /// Executes `instruction` with the registers in `state`, including the stack pointer, and with `memory` as data.
    /// Stores the resulting registers in `state`, and returns the resulting data.
    pub(super) fn execute(&self, instruction: &[u8], state: &mut CpuState, memory: &[u8]) -> Vec<u8> {
        // The code exchanges stack pointers through the page of pointers, before and after the instruction.
        let exchange = |at: usize, stored: usize, loaded: usize| {
            let distance = |behind: usize, pointer: usize| ((pointer - behind) as u32).to_le_bytes();
            let [store, load] = [distance(at + 7, stored), distance(at + 14, loaded)];
            // mov [rip + distance], rsp; mov rsp, [rip + distance]
            [&[0x48, 0x89, 0x25][..], &store, &[0x48, 0x8B, 0x25], &load].concat()
        };
        const RETURN: u8 = 0xC3;
        let (ours, tested) = (POINTER_PAGE, POINTER_PAGE + 8);
        let behind = STACK_SWITCH_BYTES + instruction.len();
        let code = [&exchange(0, ours, tested), instruction, &exchange(behind, tested, ours), &[RETURN]].concat();
        let execute = match self.vectors {
            Vectors::Sse => kasoku_proof_execute_sse,
            Vectors::Avx => kasoku_proof_execute_avx,
            Vectors::Avx512 => kasoku_proof_execute_avx512,
        };
        let stack_pointer = Register::RSP.number();
        // SAFETY: this object owns the pages. The prover has executed the instruction and refuses accesses outside the
        // data, which contains the stack, and jumps elsewhere than behind the instruction. The code there restores the
        // registers.
        unsafe {
            self.start.copy_from_nonoverlapping(code.as_ptr(), code.len());
            let data = self.start.add(DATA_PAGE);
            data.copy_from_nonoverlapping(memory.as_ptr(), memory.len());
            let tested = self.start.add(tested).cast::<u64>();
            tested.write(state.integers[stack_pointer]);
            execute(state, self.start);
            state.integers[stack_pointer] = tested.read();
            std::slice::from_raw_parts(data, memory.len()).to_vec()
        }
    }
}

impl Drop for CodePages {
    fn drop(&mut self) {
        // SAFETY: this object owns the mapping, and nothing uses it any more.
        unsafe { libc::munmap(self.start.cast(), ALL_PAGES) };
    }
}

unsafe extern "C" {
    fn kasoku_proof_execute_sse(state: *mut CpuState, code: *const u8);
    fn kasoku_proof_execute_avx(state: *mut CpuState, code: *const u8);
    fn kasoku_proof_execute_avx512(state: *mut CpuState, code: *const u8);
}

// Functions that load all registers but the stack pointer from a state, call the code, and store the registers.
macro_rules! executor {
    ($name:literal, load: $load:literal, store: $store:literal, end: $end:literal) => {
        global_asm!(
            concat!(".globl ", $name),
            concat!($name, ":"),
            ".irp register, rbx, rbp, r12, r13, r14, r15, rsi, rdi",
            "push \\register",
            ".endr",
            $load,
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
            $store,
            ".irp register, rdi, rsi, r15, r14, r13, r12, rbp, rbx",
            "pop \\register",
            ".endr",
            $end,
            "cld",
            "ret",
        );
    };
}

executor!(
    "kasoku_proof_execute_sse",
    load: ".irp number, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
    movdqu xmm\\number, [rdi + 256 + 64 * \\number]
    .endr",
    store: ".irp number, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
    movdqu [rdi + 256 + 64 * \\number], xmm\\number
    .endr",
    end: ""
);
executor!(
    "kasoku_proof_execute_avx",
    load: ".irp number, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
    vmovdqu ymm\\number, [rdi + 256 + 64 * \\number]
    .endr",
    store: ".irp number, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
    vmovdqu [rdi + 256 + 64 * \\number], ymm\\number
    .endr",
    end: "vzeroupper"
);
executor!(
    "kasoku_proof_execute_avx512",
    load: ".irp number, 0, 1, 2, 3, 4, 5, 6, 7
    kmovq k\\number, [rdi + 136 + 8 * \\number]
    .endr
    .irp number,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
    vmovdqu64 zmm\\number, [rdi + 256 + 64 * \\number]
    .endr",
    store: ".irp number, 0, 1, 2, 3, 4, 5, 6, 7
    kmovq [rdi + 136 + 8 * \\number], k\\number
    .endr
    .irp number,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
    vmovdqu64 [rdi + 256 + 64 * \\number], zmm\\number
    .endr",
    end: "vzeroupper"
);
