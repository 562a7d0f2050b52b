//! Encodes instructions so that they can be executed at any address.

use std::collections::{BTreeMap, BTreeSet};

use iced_x86::{ConditionCode, Decoder, DecoderOptions, Encoder, FlowControl, Instruction, Mnemonic, OpKind, Register};

/// Encodes an instruction so that it can be executed at any address:
///
/// * memory operands use a base register that the instruction does not use otherwise
/// * another register replaces the stack pointer
/// * SETcc replaces a conditional branch
/// * a call goes to the next instruction
///
/// Returns `None` for jumps and some other instructions, which are not compared with the CPU. Returns empty bytes if
/// this encoding is impossible, so that the comparison fails.
#[must_use]
pub fn relocatable_bytes(instruction: &Instruction) -> Option<Vec<u8>> {
    let condition = instruction.condition_code();
    if instruction.flow_control() == FlowControl::ConditionalBranch && condition != ConditionCode::None {
        return Some(vec![0x0F, 0x90 + (condition as u8 - ConditionCode::o as u8), 0xC0]);
    }
    let is_left_out =
        matches!(instruction.mnemonic(), Mnemonic::Cpuid | Mnemonic::Xgetbv | Mnemonic::Nop | Mnemonic::Endbr64);
    let is_of_its_place = instruction.mnemonic() == Mnemonic::Lea && instruction.is_ip_rel_memory_operand();
    match instruction.flow_control() {
        _ if is_left_out || is_of_its_place => None,
        FlowControl::Call => Some(vec![0xE8, 0, 0, 0, 0]),
        FlowControl::Next | FlowControl::IndirectCall | FlowControl::Return => {
            Some(relocated(instruction).unwrap_or_default())
        }
        _ => None,
    }
}

fn relocated(instruction: &Instruction) -> Option<Vec<u8>> {
    use Register::{R8, R9, R10, R11, R13, R14, RSP};
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

/// Groups the instructions that differ in register numbers only, and returns one instruction from each group.
#[must_use]
pub fn distinct_forms(instructions: &BTreeSet<Vec<u8>>) -> BTreeSet<Vec<u8>> {
    let mut distinct_forms = BTreeMap::new();
    for bytes in instructions {
        let instruction = Decoder::new(64, bytes, DecoderOptions::NONE).decode();
        let operands: Vec<_> = (0..instruction.op_count())
            .map(|operand| match instruction.op_kind(operand) {
                OpKind::Register => {
                    // The form includes which operands share a register, and high-byte registers.
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
        distinct_forms.entry((instruction.code() as usize, operands, mask)).or_insert_with(|| bytes.clone());
    }
    distinct_forms.into_values().collect()
}
