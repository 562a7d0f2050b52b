//! Executes branches, calls, conditional instructions, CPUID, and instructions without effect.

use iced_x86::{ConditionCode, FlowControl, Mnemonic, OpKind, Register};

use super::step::Step;
use crate::field::Bit;
use crate::machine::Flag;
use crate::refusal::Refusal;
use crate::word::Word;

pub(super) fn execute(step: &mut Step<'_>) -> Result<bool, Refusal> {
    use Mnemonic as M;
    let instruction = step.instruction;
    match instruction.mnemonic() {
        M::Nop | M::Endbr64 | M::Pause | M::Sfence | M::Lfence | M::Mfence => {}
        // A prefetch changes no state, but its address is visible in the cache.
        M::Prefetcht0 | M::Prefetcht1 | M::Prefetcht2 | M::Prefetchnta | M::Prefetchw => {
            step.address()?;
        }
        M::Jmp | M::Call => {
            let target = match instruction.op0_kind() {
                OpKind::NearBranch64 => instruction.near_branch_target(),
                _ => step.get(0)?.known().ok_or(Refusal::Secret("where a branch goes"))?,
            };
            if instruction.mnemonic() == M::Call {
                push(step, &Word::Known(instruction.next_ip()))?;
            }
            step.machine.next = target;
        }
        M::Ret if instruction.op_count() == 0 => {
            step.machine.next = pop(step)?.known().ok_or(Refusal::Secret("where a call returns to"))?;
        }
        M::Push if instruction.stack_pointer_increment() == -8 => {
            let value = step.get(0)?;
            push(step, &value)?;
        }
        M::Pop if instruction.stack_pointer_increment() == 8 => {
            let value = pop(step)?;
            step.set(0, &value)?;
        }
        M::Cpuid => {
            let symbols = &mut step.context.symbols;
            let asked = [Register::RAX, Register::RCX].map(|register| step.machine.integer(register, symbols).low(32));
            let leaf = asked[0].known().ok_or(Refusal::Secret("what is asked of the CPU"))? as u32;
            // Leaves without subleaves ignore ECX, which may be unknown.
            let below = asked[1].known().unwrap_or(0) as u32;
            let answer = step.context.platform.cpu.cpuid(leaf, below);
            let registers = [Register::RAX, Register::RBX, Register::RCX, Register::RDX];
            for (register, value) in registers.into_iter().zip([answer.eax, answer.ebx, answer.ecx, answer.edx]) {
                step.machine.set_integer(register, Word::Known(value.into()));
            }
        }
        M::Xgetbv => {
            let saved = step.context.platform.cpu.xcr0();
            step.machine.set_integer(Register::RAX, Word::Known(saved));
            step.machine.set_integer(Register::RDX, Word::Known(0));
        }
        M::Ud2 | M::Int3 | M::Hlt => return Err(Refusal::Stuck("traps")),
        _ if instruction.flow_control() == FlowControl::ConditionalBranch
            && instruction.condition_code() != ConditionCode::None =>
        {
            let is_taken = condition(step)?.known().ok_or(Refusal::Secret("a branch"))?;
            if is_taken {
                step.machine.next = instruction.near_branch_target();
            }
        }
        // SETcc and CMOVcc.
        _ if instruction.condition_code() != ConditionCode::None => {
            let condition = condition(step)?;
            if condition.known().is_none() {
                // The condition may be a product of two flags.
                step.multiply_bits(3);
            }
            let new = if instruction.op_count() == 1 {
                Word::from_bits(&[condition])
            } else {
                let (old, new) = (step.get(0)?, step.get(1)?);
                old.zip_bits(&new, |old, new| old ^ condition.and(old ^ new))
            };
            step.set(0, &new)?;
        }
        _ => return Ok(false),
    }
    Ok(true)
}

fn push(step: &mut Step<'_>, value: &Word) -> Result<(), Refusal> {
    let top =
        step.machine.known_integer(Register::RSP, "the stack pointer", &mut step.context.symbols)?.wrapping_sub(8);
    step.machine.set_integer(Register::RSP, Word::Known(top));
    step.machine.memory.symbolic_offset = [0; 3];
    step.machine.memory.write(top, &value.bits())
}

fn pop(step: &mut Step<'_>) -> Result<Word, Refusal> {
    let top = step.machine.known_integer(Register::RSP, "the stack pointer", &mut step.context.symbols)?;
    let mut bits = [Bit::ZERO; 64];
    step.machine.memory.symbolic_offset = [0; 3];
    step.read(top, &mut bits)?;
    step.machine.set_integer(Register::RSP, Word::Known(top.wrapping_add(8)));
    Ok(Word::from_bits(&bits))
}

/// Returns the value of the current instruction's condition (such as "zero flag set") as a bit, which may be symbolic.
fn condition(step: &Step<'_>) -> Result<Bit, Refusal> {
    use ConditionCode as C;
    let flags = &step.machine.flags;
    let bit = |flag: &Flag| match flag {
        Flag::Bit(bit) => Ok(*bit),
        Flag::AreZero(bits) => Err(Refusal::Verdict(bits.clone())),
        Flag::Undefined => Err(Refusal::Secret("a flag")),
    };
    let less = || Ok::<Bit, Refusal>(bit(&flags.sign)? ^ bit(&flags.overflow)?);
    Ok(match step.instruction.condition_code() {
        C::o => bit(&flags.overflow)?,
        C::no => bit(&flags.overflow)?.inverted(),
        C::b => bit(&flags.carry)?,
        C::ae => bit(&flags.carry)?.inverted(),
        C::e => bit(&flags.zero)?,
        C::ne => bit(&flags.zero)?.inverted(),
        C::be => bit(&flags.carry)?.or(bit(&flags.zero)?),
        C::a => bit(&flags.carry)?.or(bit(&flags.zero)?).inverted(),
        C::s => bit(&flags.sign)?,
        C::ns => bit(&flags.sign)?.inverted(),
        C::p => bit(&flags.parity)?,
        C::np => bit(&flags.parity)?.inverted(),
        C::l => less()?,
        C::ge => less()?.inverted(),
        C::le => bit(&flags.zero)?.or(less()?),
        C::g => bit(&flags.zero)?.or(less()?).inverted(),
        C::None => return Err(Refusal::Unknown),
    })
}
