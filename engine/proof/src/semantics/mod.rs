//! Semantics of instructions as described in the manuals of Intel and AMD. [`crate::native`] compares these semantics
//! with a CPU.
//!
//! Addresses, branches, counts, masks and shuffle controls must not depend on secrets. This module refuses code that
//! violates this rule.

mod aes;
mod flow;
mod integer;
mod lanes;
mod masks;
mod moves;
mod step;

use iced_x86::{Instruction, OpKind, Register, RflagsBits};

use crate::context::Context;
use crate::flow::{Flow, MAX_DEGREE};
use crate::machine::Machine;
use crate::refusal::Refusal;
use step::Step;

/// Executes one instruction. Before, the caller must have set [`Machine::next`] to the address of the following
/// instruction.
pub fn execute(machine: &mut Machine, context: &mut Context, instruction: &Instruction) -> Result<(), Refusal> {
    if !has_known_operands(instruction) {
        return Err(Refusal::Unknown);
    }
    machine.memory.symbolic_offset = [0; 3];
    machine.memory.flow = Flow::default();
    if instruction.rflags_read() != 0 {
        machine.memory.flow.read(machine.degrees.flags);
    }
    let mut step = Step { machine, context, instruction };
    let families = [moves::execute, lanes::execute, aes::execute, integer::execute, flow::execute, masks::execute];
    for family in families {
        if family(&mut step)? {
            return account_for(machine, context, instruction);
        }
    }
    Err(Refusal::Unknown)
}

/// Records the comparisons and the polynomial degree of an instruction in the tally, from which the bound of the
/// prover's error probability is computed. Refuses degrees above the maximum.
fn account_for(machine: &mut Machine, context: &mut Context, instruction: &Instruction) -> Result<(), Refusal> {
    const ALL: u32 = RflagsBits::CF | RflagsBits::PF | RflagsBits::ZF | RflagsBits::SF | RflagsBits::OF;
    let flow = machine.memory.flow;
    if instruction.rflags_modified() & ALL == ALL {
        machine.degrees.flags = flow.degree();
    } else if instruction.rflags_modified() != 0 {
        machine.degrees.flags = machine.degrees.flags.max(flow.degree());
    }
    if flow.greatest() > MAX_DEGREE {
        return Err(Refusal::Degree(flow.greatest()));
    }
    context.symbols.tally.degree = context.symbols.tally.degree.max(flow.greatest());
    let is_vector = |operand| instruction.op_register(operand).is_vector_register();
    context.symbols.tally.comparisons += flow.comparisons((0..instruction.op_count()).any(is_vector));
    Ok(())
}

/// Returns whether the prover's model supports all operands of an instruction: general, vector and mask registers,
/// memory at 64-bit addresses, immediates and near branches.
fn has_known_operands(instruction: &Instruction) -> bool {
    let is_known = |register: Register| register.is_gpr() || register.is_vector_register() || register.is_k();
    let is_of_address = |register: Register| register == Register::None || register.is_gpr64();
    (0..instruction.op_count()).all(|operand| match instruction.op_kind(operand) {
        OpKind::Register => is_known(instruction.op_register(operand)),
        OpKind::Memory if instruction.memory_base() == Register::RIP => true,
        OpKind::Memory => is_of_address(instruction.memory_base()) && is_of_address(instruction.memory_index()),
        OpKind::NearBranch64
        | OpKind::Immediate8
        | OpKind::Immediate16
        | OpKind::Immediate32
        | OpKind::Immediate64
        | OpKind::Immediate8to16
        | OpKind::Immediate8to32
        | OpKind::Immediate8to64
        | OpKind::Immediate32to64 => true,
        _ => false,
    })
}
