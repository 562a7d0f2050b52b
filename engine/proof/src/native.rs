//! Compares the prover's model of instructions with this CPU.
//!
//! The model and the CPU execute each instruction on the same random and extreme values. Resulting registers, flags and
//! memory must agree. Then some operand bits are symbolic in the model, and the CPU executes the instruction twice,
//! with both values of the symbolic bits.

mod cpu;
mod relocation;
mod two_valued;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Debug;
use std::io;
use std::sync::Mutex;

use iced_x86::{Decoder, DecoderOptions, FlowControl, Instruction, Mnemonic, OpKind, Register};

use crate::context::Context;
use crate::cores::on_all_cores;
use crate::field::Bit;
use crate::flow::Degree;
use crate::machine::{Flag, Flags, Machine};
use crate::memory::{Access, Memory, Region};
use crate::semantics;
use crate::symbols::Symbols;
use cpu::{CodePages, CpuState, FLAG_BITS, Vectors, random_difference};
pub use relocation::{distinct_forms, relocatable_bytes};
use two_valued::TwoValued;

/// Result of comparing the prover's model of instructions with this CPU.
#[derive(Default)]
pub struct Compared {
    /// Number of instructions for which the model and the CPU agreed in all executions.
    pub instructions: usize,
    /// Number of executions in which the model and the CPU agreed.
    pub executions: usize,
    /// Number of instructions that were also compared with symbolic operands.
    pub with_unknown: usize,
    /// Number of instructions that this CPU does not support. The key names the missing CPU features.
    pub missing_features: BTreeMap<String, usize>,
    /// Descriptions of instructions for which the model and the CPU differ, or which could not be compared.
    pub different: Vec<String>,
}

const DATA_BYTES: usize = 256;

/// Offset of the stack pointer in the test data, in bytes. The bytes above this offset are the modelled stack; memory
/// operands access bytes below it.
const STACK_OFFSET: usize = 192;

/// Compares the model with this CPU: each instruction that the CPU supports is executed by both, up to `times` times
/// with concrete and up to `times` times with symbolic bits. The CPU gets `for_cpu(bytes)`, which is `bytes` except in
/// tests that provoke a difference. Uses all CPU cores.
///
/// # Errors
/// If executable memory cannot be allocated.
pub fn compare(
    instructions: &BTreeSet<Vec<u8>>,
    times: usize,
    for_cpu: impl Fn(&[u8]) -> Vec<u8> + Sync,
) -> io::Result<Compared> {
    let rest = Mutex::new(instructions.iter());
    let compared = Mutex::new(Compared::default());
    on_all_cores(|| {
        let pages = CodePages::new()?;
        loop {
            let next = rest.lock().map_or(None, |mut rest| rest.next());
            let Some(bytes) = next else { return Ok(()) };
            let missing_features = missing_features(bytes);
            let outcome =
                missing_features.is_empty().then(|| compare_instruction(bytes, &for_cpu(bytes), times, &pages));
            let Ok(mut compared) = compared.lock() else { return Ok(()) };
            match outcome {
                Some(outcome) => compared.add(outcome),
                None => *compared.missing_features.entry(missing_features).or_default() += 1,
            }
        }
    })?;
    compared.into_inner().map_err(|_| io::Error::other("a thread has panicked"))
}

/// Returns the names of the CPU features that an instruction needs and this CPU lacks.
fn missing_features(bytes: &[u8]) -> String {
    let instruction = Decoder::new(64, bytes, DecoderOptions::NONE).decode();
    let features = instruction.cpuid_features().iter().filter(|&&feature| !bytes.is_empty() && !cpu::has(feature));
    features.map(|feature| format!("{feature:?}")).collect::<Vec<_>>().join("+")
}

/// Compares one instruction in the model and on the CPU. Returns the number of all executions and the number of
/// executions with symbolic bits.
fn compare_instruction(
    bytes: &[u8],
    for_cpu: &[u8],
    times: usize,
    pages: &CodePages,
) -> Result<(usize, usize), String> {
    let mut symbols = Symbols::default();
    let instruction = Decoder::with_ip(64, bytes, pages.code_address(), DecoderOptions::NONE).decode();
    let mut once = |is_known| {
        let outcome = compare_once(&instruction, for_cpu, pages, is_known, &mut symbols);
        outcome.map_err(|what| format!("{instruction:?} ({bytes:02x?}): {what}"))
    };
    let mut done = 0;
    for _ in 0..4 * times {
        done += usize::from(once(true)?);
        if done == times {
            break;
        }
    }
    if done == 0 {
        return Err(format!("{instruction:?}: no values for it were found"));
    }
    // The prover's S-box is an unknown function, unlike the CPU's.
    let tries = if is_aes(&instruction) { 0 } else { times };
    let mut with_unknown = 0;
    for _ in 0..tries {
        with_unknown += usize::from(once(false).map_err(|what| format!("with unknown bits, {what}"))?);
    }
    Ok((done + with_unknown, with_unknown))
}

impl Compared {
    /// Returns whether the model and the CPU agree on all instructions. Returns `false` if nothing was compared.
    #[must_use]
    pub fn agrees(&self) -> bool {
        self.instructions > 0 && self.different.is_empty()
    }

    /// Returns the number of instructions that the calls execute, including those that could not be compared with the
    /// CPU.
    #[must_use]
    pub fn all(&self) -> usize {
        self.instructions + self.different.len() + self.missing_features.values().sum::<usize>()
    }

    fn add(&mut self, outcome: Result<(usize, usize), String>) {
        match outcome {
            Ok((executions, with_unknown)) => {
                self.instructions += 1;
                self.executions += executions;
                self.with_unknown += usize::from(with_unknown > 0);
            }
            Err(what) => self.different.push(what),
        }
    }
}

fn is_aes(instruction: &Instruction) -> bool {
    use Mnemonic as M;
    matches!(
        instruction.mnemonic(),
        M::Aesenc | M::Aesenclast | M::Vaesenc | M::Vaesenclast | M::Aeskeygenassist | M::Vaeskeygenassist
    )
}

/// Compares the model and the CPU in one execution of `instruction` with random operands. Returns `false` if this
/// execution cannot be compared. The CPU does not execute an instruction that the model refuses.
fn compare_once(
    instruction: &Instruction,
    bytes: &[u8],
    pages: &CodePages,
    is_known: bool,
    symbols: &mut Symbols,
) -> Result<bool, String> {
    let two_valued = TwoValued::new(symbols);
    let before = CpuState::random(symbols);
    let mut states = [before.clone(), if is_known { before } else { before.with_variations(symbols) }];
    let word = |symbols: &mut Symbols| symbols.fresh().0 as u64;
    // The address is aligned to 64 bytes or arbitrary.
    let place = word(symbols);
    let data = pages.data_address();
    let address = data + if place & 1 == 0 { 0 } else { place >> 1 & 63 };
    // All branches go to the next instruction.
    let behind = instruction.next_ip();
    for state in &mut states {
        state.integers[Register::RSP.number()] = data + STACK_OFFSET as u64;
        if instruction.flow_control() == FlowControl::IndirectCall && instruction.op0_kind() == OpKind::Register {
            state.integers[instruction.op0_register().number()] = behind;
        }
        if instruction.mnemonic() != Mnemonic::Lea && instruction.memory_base() != Register::None {
            state.integers[instruction.memory_base().number()] = address;
        }
    }
    let mut memory = [[0; DATA_BYTES]; 2];
    for place in (0..DATA_BYTES).step_by(8) {
        let one = word(symbols);
        let other = one ^ if is_known { 0 } else { random_difference(symbols) };
        for (memory, word) in memory.iter_mut().zip([one, other]) {
            memory[place..place + 8].copy_from_slice(&word.to_le_bytes());
        }
    }
    let target = match instruction.flow_control() {
        FlowControl::Return => Some(STACK_OFFSET),
        FlowControl::IndirectCall if instruction.op0_kind() == OpKind::Memory => Some((address - data) as usize),
        _ => None,
    };
    for memory in &mut memory {
        if let Some(at) = target {
            memory[at..at + 8].copy_from_slice(&behind.to_le_bytes());
        }
    }

    let mut context = Context::default();
    let mut machine = Machine::new(Memory::default());
    machine.memory.add(Region::unknown("data", data, DATA_BYTES as u64, Access::BOTH));
    machine.memory.poke(data, &two_valued.merge_bytes(&memory[0], &memory[1])).map_err(|why| why.to_string())?;
    two_valued.set_registers(&states, &mut machine);
    machine.next = behind;
    if semantics::execute(&mut machine, &mut context, instruction).is_err() {
        return Ok(false);
    }
    if machine.next != behind {
        return Err(format!("it goes on at {:#x} and not at {behind:#x}", machine.next));
    }
    let degrees = machine.degrees.clone();
    let [one, other] = &mut states;
    let memory = [pages.execute(bytes, one, &memory[0]), pages.execute(bytes, other, &memory[1])];

    let symbols = &mut context.symbols;
    let mut is_compared = true;
    let mut compare = |what: &dyn Debug, bits: &[Bit], bytes: [&[u8]; 2], degree: Degree| {
        is_compared &=
            two_valued.matches(bits, bytes).ok_or_else(|| format!("{what:?} is {bytes:02x?} and not {bits:x?}"))?;
        if two_valued.have_degree(bits, degree) {
            Ok::<(), String>(())
        } else {
            Err(format!("{what:?} has a degree above {degree:?}"))
        }
    };
    let bytes = states.each_ref().map(|state| state.integers.map(u64::to_le_bytes));
    for number in 0..16 {
        let register = Register::RAX + number as u32;
        let bits = machine.integer(register, symbols).bits();
        compare(&register, &bits, bytes.each_ref().map(|bytes| &bytes[number][..]), degrees.integers[number])?;
    }
    let (count, size) = pages.vectors().size();
    for number in 0..count {
        let register = Register::ZMM0 + number as u32;
        let bits = machine.vector(register, 512, symbols);
        for (lane, at) in (0..size).step_by(16).enumerate() {
            let bytes = states.each_ref().map(|state| &state.vectors[number][at..at + 16]);
            compare(&register, &bits[8 * at..8 * at + 128], bytes, degrees.vectors[number][lane])?;
        }
    }
    let bytes = states.each_ref().map(|state| state.masks.map(u64::to_le_bytes));
    for number in 0..if pages.vectors() == Vectors::Avx512 { 8 } else { 0 } {
        let register = Register::K0 + number as u32;
        let bits = machine.mask(register, symbols).bits();
        compare(&register, &bits, bytes.each_ref().map(|bytes| &bytes[number][..]), degrees.masks[number])?;
    }
    let mut bits = vec![Bit::ZERO; 8 * DATA_BYTES];
    machine.memory.peek(data, &mut bits, symbols).map_err(|why| why.to_string())?;
    for at in (0..DATA_BYTES).step_by(8) {
        let bytes = memory.each_ref().map(|memory| &memory[at..at + 8]);
        compare(&"memory", &bits[8 * at..8 * at + 64], bytes, machine.memory.degree(data + at as u64, 8))?;
    }
    let Flags { carry, parity, zero, sign, overflow } = &machine.flags;
    for (flag, place) in [carry, parity, zero, sign, overflow].into_iter().zip(FLAG_BITS) {
        let expected = states.each_ref().map(|state| state.flags >> place & 1 == 1);
        if let Flag::Bit(bit) = flag
            && !two_valued.have_degree(&[*bit], degrees.flags)
        {
            return Err(format!("flag {place} has a degree above {:?}", degrees.flags));
        }
        let values = match flag {
            Flag::Undefined => continue,
            Flag::Bit(bit) => two_valued.values(*bit),
            Flag::AreZero(bits) => bits.iter().try_fold([true; 2], |are_zero, &bit| {
                let [one, other] = two_valued.values(bit)?;
                Some([are_zero[0] && !one, are_zero[1] && !other])
            }),
        };
        match values {
            None => is_compared = false,
            Some(values) if values == expected => {}
            Some(_) => return Err(format!("flag {place} is not {flag:?}")),
        }
    }
    Ok(is_compared)
}
