//! The semantics against this CPU: each instruction that the library executes is executed by both, on the same random
//! and extreme values, and all registers, flags and bytes of memory have to be the same.

#![allow(unsafe_code, reason = "machine code is executed")]

use std::arch::global_asm;
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::rc::Rc;

use iced_x86::{ConditionCode, Decoder, DecoderOptions, Encoder, FlowControl, Instruction, Mnemonic, OpKind, Register};

use crate::field::Bit;
use crate::machine::{Flag, Flags, Machine};
use crate::memory::{Access, Memory, Region};
use crate::semantics;
use crate::symbols::{Symbols, bits_of_byte, known_byte};
use crate::word::Word;
use crate::world::World;

/// How it went.
#[derive(Default)]
pub struct Compared {
    /// Instructions that came to the same.
    pub instructions: usize,
    /// How often they were executed.
    pub executions: usize,
    /// What differs, or could not be compared.
    pub different: Vec<String>,
}

/// All that an instruction can read or write.
#[repr(C, align(64))]
#[derive(Clone, PartialEq, Eq)]
struct State {
    integers: [u64; 16],
    flags: u64,
    masks: [u64; 8],
    _space: [u64; 7],
    vectors: [[u8; 64]; 32],
}

/// A page of code, and one of data behind it.
struct Pages(*mut u8);

const PAGE: usize = 4096;
const DATA: usize = 256;

/// Carry, parity, zero, sign and overflow, as RFLAGS has them.
const FLAGS: [u32; 5] = [0, 2, 6, 7, 11];

/// An instruction that does the same wherever it stands: with its operand in memory at a register that it does not
/// use, and without the stack. None for those that only say where to go on; a branch on a condition is the
/// instruction that sets a byte by it.
#[must_use]
pub fn anywhere(instruction: &Instruction) -> Option<Vec<u8>> {
    use Register::{R8, R9, R10, R11, R13, R14, RSP};
    let condition = instruction.condition_code();
    if instruction.flow_control() == FlowControl::ConditionalBranch && condition != ConditionCode::None {
        return Some(vec![0x0F, 0x90 + (condition as u8 - ConditionCode::o as u8), 0xC0]);
    }
    let is_left_out = matches!(
        instruction.mnemonic(),
        Mnemonic::Push | Mnemonic::Pop | Mnemonic::Cpuid | Mnemonic::Xgetbv | Mnemonic::Nop | Mnemonic::Endbr64
    );
    if is_left_out || instruction.flow_control() != FlowControl::Next {
        return None;
    }
    let mut moved = *instruction;
    let used: Vec<Register> = (0..instruction.op_count())
        .map(|operand| instruction.op_register(operand).full_register())
        .chain([instruction.memory_index().full_register()])
        .collect();
    let mut free = [R8, R9, R10, R11, R13, R14].into_iter().filter(|register| !used.contains(register));
    let (base, stack) = (free.next()?, free.next()?);
    for operand in 0..instruction.op_count() {
        if instruction.op_register(operand) == RSP {
            moved.set_op_register(operand, stack);
        }
    }
    if instruction.mnemonic() == Mnemonic::Lea {
        if instruction.is_ip_rel_memory_operand() {
            return None;
        }
        if instruction.memory_base() == RSP {
            moved.set_memory_base(base);
        }
    } else if instruction.op_kinds().any(|kind| kind == OpKind::Memory) {
        moved.set_memory_base(base);
        moved.set_memory_index(Register::None);
        moved.set_memory_index_scale(1);
        moved.set_memory_displacement64(0);
        moved.set_memory_displ_size(0);
    }
    let mut encoder = Encoder::new(64);
    encoder.encode(&moved, 0).ok()?;
    Some(encoder.take_buffer())
}

/// One instruction of each form: of those that differ in nothing but the numbers of registers.
#[must_use]
pub fn forms(instructions: &BTreeSet<Vec<u8>>) -> BTreeSet<Vec<u8>> {
    let mut forms = BTreeMap::new();
    for bytes in instructions {
        let instruction = Decoder::new(64, bytes, DecoderOptions::NONE).decode();
        let operands: Vec<_> = (0..instruction.op_count())
            .map(|operand| match instruction.op_kind(operand) {
                OpKind::Register => {
                    // Which operands are the same register, and which part of it.
                    let register = instruction.op_register(operand);
                    let same = (0..operand).find(|&other| instruction.op_register(other) == register);
                    let is_high = [Register::AH, Register::BH, Register::CH, Register::DH].contains(&register);
                    (0, u64::from(same.unwrap_or(operand)) << 1 | u64::from(is_high))
                }
                OpKind::Memory => (1, 0),
                _ => (2, instruction.immediate(operand)),
            })
            .collect();
        let mask = (instruction.op_mask() == Register::None, instruction.zeroing_masking(), instruction.is_broadcast());
        forms.entry((instruction.code() as usize, operands, mask)).or_insert_with(|| bytes.clone());
    }
    forms.into_values().collect()
}

/// Whether this CPU has what the comparison needs.
#[must_use]
pub fn is_possible() -> bool {
    let has_vectors = std::is_x86_feature_detected!("avx512bw") && std::is_x86_feature_detected!("avx512vl");
    has_vectors && std::is_x86_feature_detected!("vaes") && std::is_x86_feature_detected!("vpclmulqdq")
}

/// Executes each instruction this many times by both; the CPU gets what `for_cpu` makes of it, which is the same but in
/// tests.
///
/// # Errors
/// If there is no memory for code.
pub fn compare(
    instructions: &BTreeSet<Vec<u8>>,
    times: usize,
    for_cpu: impl Fn(&[u8]) -> Vec<u8>,
) -> io::Result<Compared> {
    let (pages, mut compared) = (Pages::new()?, Compared::default());
    for bytes in instructions {
        let mut symbols = Symbols::default();
        let instruction = Decoder::with_ip(64, bytes, pages.0.addr() as u64, DecoderOptions::NONE).decode();
        let (mut done, mut difference) = (0, None);
        for _ in 0..4 * times {
            match compare_once(&instruction, &for_cpu(bytes), &pages, &mut symbols) {
                Ok(true) => done += 1,
                Ok(false) => {}
                Err(what) => difference = Some(what),
            }
            if done == times || difference.is_some() {
                break;
            }
        }
        compared.executions += done;
        match difference {
            None if done > 0 => compared.instructions += 1,
            None => compared.different.push(format!("{instruction:?}: no values for it were found")),
            Some(what) => compared.different.push(format!("{instruction:?} ({bytes:02x?}): {what}")),
        }
    }
    Ok(compared)
}

/// Whether it could be compared: nothing is executed by the CPU that traps in the prover.
fn compare_once(instruction: &Instruction, bytes: &[u8], pages: &Pages, symbols: &mut Symbols) -> Result<bool, String> {
    let mut before = State::random(symbols);
    let data = pages.data_address();
    if instruction.mnemonic() != Mnemonic::Lea && instruction.memory_base() != Register::None {
        before.integers[instruction.memory_base().number()] = data;
    }
    let memory: Vec<u8> = (0..DATA).map(|_| byte(symbols)).collect();

    let (mut machine, mut world) = (before.machine(data, &memory), World::default());
    if semantics::execute(&mut machine, &mut world, instruction).is_err() {
        return Ok(false);
    }
    let mut after = before.clone();
    let memory_after = pages.execute(bytes, &mut after, &memory);

    for (number, &value) in after.integers.iter().enumerate().filter(|(number, _)| *number != 4) {
        let found = machine.integer(Register::RAX + number as u32, &mut world.symbols);
        if found.known() != Some(value) {
            return Err(format!("{:?} is {value:#x} and not {found:x?}", Register::RAX + number as u32));
        }
    }
    for (number, value) in after.vectors.iter().enumerate() {
        let found = machine.vector(Register::ZMM0 + number as u32, &mut world.symbols);
        let found: Option<Vec<u8>> = found.as_chunks::<8>().0.iter().map(|bits| known_byte(bits)).collect();
        if found.as_deref() != Some(&value[..]) {
            return Err(format!("vector {number} is {value:02x?} and not {found:02x?}"));
        }
    }
    for (number, &value) in after.masks.iter().enumerate() {
        if machine.mask(Register::K0 + number as u32, &mut world.symbols).known() != Some(value) {
            return Err(format!("mask {number} is {value:#x}"));
        }
    }
    let Flags { carry, parity, zero, sign, overflow } = &machine.flags;
    for (flag, place) in [carry, parity, zero, sign, overflow].into_iter().zip(FLAGS) {
        if let Flag::Bit(bit) = flag
            && bit.known() != Some(after.flags >> place & 1 == 1)
        {
            return Err(format!("flag {place} is not {bit:?}"));
        }
    }
    let found = machine.memory.read_known(data, DATA, &mut world.symbols).ok();
    if found.as_deref() == Some(&memory_after[..]) { Ok(true) } else { Err("memory differs".to_owned()) }
}

impl State {
    fn random(symbols: &mut Symbols) -> Self {
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

    /// The same for the prover.
    fn machine(&self, data: u64, memory: &[u8]) -> Machine {
        let mut all = Memory::default();
        all.add(Region::known("data", data, Rc::new(memory.to_vec()), Access::BOTH));
        let mut machine = Machine::new(all);
        for (number, &value) in self.integers.iter().enumerate() {
            machine.set_integer(Register::RAX + number as u32, Word::Known(value));
        }
        for (number, &value) in self.masks.iter().enumerate() {
            machine.set_mask(Register::K0 + number as u32, Word::Known(value));
        }
        for (number, value) in self.vectors.iter().enumerate() {
            let mut line = [Bit::ZERO; 512];
            for (bits, &byte) in line.as_chunks_mut::<8>().0.iter_mut().zip(value) {
                *bits = bits_of_byte(byte);
            }
            machine.set_vector(Register::ZMM0 + number as u32, Rc::new(line));
        }
        let [carry, parity, zero, sign, overflow] =
            FLAGS.map(|place| Flag::Bit(Bit::from(self.flags >> place & 1 == 1)));
        machine.flags = Flags { carry, parity, zero, sign, overflow };
        machine
    }
}

fn byte(symbols: &mut Symbols) -> u8 {
    symbols.fresh().0 as u8
}

impl Pages {
    fn new() -> io::Result<Self> {
        let protection = libc::PROT_READ | libc::PROT_WRITE | libc::PROT_EXEC;
        // SAFETY: new memory.
        let pages = unsafe {
            let kind = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
            libc::mmap(std::ptr::null_mut(), 2 * PAGE, protection, kind, -1, 0)
        };
        if pages == libc::MAP_FAILED { Err(io::Error::last_os_error()) } else { Ok(Self(pages.cast())) }
    }

    fn data_address(&self) -> u64 {
        self.0.addr() as u64 + PAGE as u64
    }

    /// Has the CPU execute the instruction. What memory has then.
    fn execute(&self, instruction: &[u8], state: &mut State, memory: &[u8]) -> Vec<u8> {
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
