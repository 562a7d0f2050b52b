//! Executes integer instructions. The result is a concrete number if all operands are concrete, and otherwise one
//! polynomial for each bit.

mod arithmetic;
mod shifts;

use iced_x86::{Mnemonic, Register};

use super::step::{Step, StepResult};
use crate::field::Bit;
use crate::machine::{Flag, Flags};
use crate::refusal::Refusal;
use crate::word::{Word, low_ones};
pub(super) use arithmetic::sum_of_bits;
use arithmetic::{add, compare, divide, multiply, subtract};
use shifts::{double_shift, shift};

pub(super) fn execute(step: &mut Step<'_>) -> Result<bool, Refusal> {
    use Mnemonic as M;
    let mnemonic = step.instruction.mnemonic();
    match mnemonic {
        M::Mov | M::Movzx => {
            let value = step.get(1)?;
            step.set(0, &value)?;
        }
        M::Movsx | M::Movsxd => {
            let (value, from) = (step.get(1)?, step.width(1));
            step.set(0, &sign_extended(&value, from))?;
        }
        M::Cdqe => widen(step, Register::EAX, Register::RAX),
        M::Cwde => widen(step, Register::AX, Register::EAX),
        M::Cdq => spread_sign(step, Register::EAX, Register::EDX),
        M::Cqo => spread_sign(step, Register::RAX, Register::RDX),
        M::Lea => lea(step)?,
        M::Xchg => {
            let (one, other) = (step.get(0)?, step.get(1)?);
            step.set(0, &other)?;
            step.set(1, &one)?;
        }
        M::Bswap | M::Movbe => {
            let from = if mnemonic == M::Bswap { 0 } else { 1 };
            let (value, width) = (step.get(from)?, step.width(0));
            step.set(0, &byte_swapped(&value, width))?;
        }
        M::Add | M::Adc | M::Xadd | M::Sub | M::Sbb => {
            let (one, other, width) = (step.get(0)?, step.get(1)?, step.width(0));
            let carry = if matches!(mnemonic, M::Adc | M::Sbb) { carry(step)? } else { Bit::ZERO };
            let operation = if matches!(mnemonic, M::Sub | M::Sbb) { subtract } else { add };
            let (result, flags) = operation(&mut step.context.symbols.affine_forms, &one, &other, carry, width)?;
            step.machine.flags = flags;
            if mnemonic == M::Xadd {
                step.set(1, &one)?;
            }
            step.set(0, &result)?;
        }
        M::Cmp => {
            let (one, other, width) = (step.get(0)?, step.get(1)?, step.width(0));
            step.machine.flags = compare(&mut step.context.symbols.affine_forms, &one, &other, width);
        }
        M::Cmpxchg => {
            let width = step.width(0);
            let expected = step.machine.integer(Register::RAX, &mut step.context.symbols).low(width);
            let (old, new) = (step.get(0)?, step.get(1)?);
            step.machine.flags = compare(&mut step.context.symbols.affine_forms, &expected, &old, width);
            let (Some(old_value), Some(expected)) = (old.known(), expected.known()) else {
                return Err(Refusal::Secret("an exchange"));
            };
            if old_value == expected {
                step.set(0, &new)?;
            } else {
                let accumulator = [Register::AL, Register::AX, Register::EAX, Register::RAX];
                step.set_register(accumulator[(width / 8).ilog2() as usize], &old);
            }
        }
        M::Inc | M::Dec => {
            let (value, width) = (step.get(0)?, step.width(0));
            let operation = if mnemonic == M::Inc { add } else { subtract };
            let forms = &mut step.context.symbols.affine_forms;
            let (new, flags) = operation(forms, &value, &Word::Known(1), Bit::ZERO, width)?;
            step.machine.flags = Flags { carry: step.machine.flags.carry.clone(), ..flags };
            step.set(0, &new)?;
        }
        M::Neg => {
            let (value, width) = (step.get(0)?, step.width(0));
            let forms = &mut step.context.symbols.affine_forms;
            let (new, flags) = subtract(forms, &Word::Known(0), &value, Bit::ZERO, width)?;
            step.machine.flags = flags;
            step.set(0, &new)?;
        }
        M::Not => {
            let (value, width) = (step.get(0)?, step.width(0));
            step.set(0, &value.zip_bits(&Word::Known(low_ones(width)), |bit, one| bit ^ one))?;
        }
        M::And | M::Or | M::Xor | M::Test => {
            let (one, other, width) = (step.get(0)?, step.get(1)?, step.width(0));
            if mnemonic != M::Xor {
                step.multiply_where_unknown(&one.bits(), &other.bits());
            }
            let result = match mnemonic {
                M::Or => one.zip_bits(&other, Bit::or),
                M::Xor => one.zip_bits(&other, |one, other| one ^ other),
                _ => {
                    let forms = &mut step.context.symbols.affine_forms;
                    let low = other.known().and_then(|mask| forms.low_bits(&one, mask, width));
                    low.unwrap_or_else(|| one.zip_bits(&other, Bit::and))
                }
            };
            logic_flags(step, &result);
            if mnemonic != M::Test {
                step.set(0, &result)?;
            }
        }
        M::Andn => {
            let (one, other) = (step.get(1)?, step.get(2)?);
            step.multiply_where_unknown(&one.bits(), &other.bits());
            let result = one.zip_bits(&other, |one, other| one.inverted().and(other)).low(step.width(0));
            logic_flags(step, &result);
            step.machine.flags.parity = Flag::Undefined;
            step.set(0, &result)?;
        }
        M::Bzhi => {
            let (value, width) = (step.get(1)?, step.width(0));
            // The instruction uses the lowest byte only.
            let count = step.get(2)?.low(8).known().ok_or(Refusal::Secret("a count"))? as usize;
            let result = value.low(count.min(width));
            logic_flags(step, &result);
            (step.machine.flags.carry, step.machine.flags.parity) = ((count >= width).into(), Flag::Undefined);
            step.set(0, &result)?;
        }
        M::Bt => {
            let (value, width) = (step.get(0)?, step.width(0));
            if step.is_memory(0) {
                return Ok(false);
            }
            let place = step.get(1)?.known().ok_or(Refusal::Secret("which bit is asked for"))? as usize % width;
            let zero = step.machine.flags.zero.clone();
            step.machine.flags = Flags { carry: Flag::Bit(value.bits()[place]), zero, ..Flags::undefined() };
        }
        M::Shl | M::Sal | M::Shr | M::Sar | M::Rol | M::Ror => shift(step)?,
        M::Shld | M::Shrd => double_shift(step)?,
        M::Shlx | M::Shrx | M::Sarx | M::Rorx => {
            let (value, width) = (step.get(1)?, step.width(0));
            let count = step.get(2)?.known().ok_or(Refusal::Secret("a shift's count"))? as usize % width;
            let result = match mnemonic {
                M::Shlx => shifted_left(&value, count, width),
                M::Shrx => value.shift_right(count),
                M::Sarx => shifted_right_signed(&value, count, width),
                _ => rotated_right(&value, count, width),
            };
            step.set(0, &result)?;
        }
        M::Imul | M::Mul | M::Mulx => multiply(step)?,
        M::Div => divide(step)?,
        M::Bsr | M::Bsf | M::Tzcnt | M::Lzcnt | M::Popcnt => count_bits(step)?,
        _ => return Ok(false),
    }
    Ok(true)
}

fn carry(step: &Step<'_>) -> Result<Bit, Refusal> {
    match &step.machine.flags.carry {
        Flag::Bit(bit) => Ok(*bit),
        _ => Err(Refusal::Secret("a carry")),
    }
}

fn logic_flags(step: &mut Step<'_>, result: &Word) {
    let width = step.width(0);
    let mut flags = Flags::from_result(result, width, Flag::Bit(Bit::ZERO), Flag::Bit(Bit::ZERO));
    if let (Flag::AreZero(_), Some(is_zero)) = (&flags.zero, step.context.symbols.affine_forms.is_zero(result, width)) {
        flags.zero = is_zero.into();
    }
    step.machine.flags = flags;
}

fn lea(step: &mut Step<'_>) -> StepResult {
    let instruction = step.instruction;
    if instruction.is_ip_rel_memory_operand() {
        return step.set(0, &Word::Known(instruction.ip_rel_memory_address()));
    }
    let mut sum = Word::Known(instruction.memory_displacement64());
    let parts = [(instruction.memory_index(), instruction.memory_index_scale()), (instruction.memory_base(), 1)];
    for (register, scale) in parts.into_iter().filter(|(register, _)| *register != Register::None) {
        let value = step.machine.integer(register, &mut step.context.symbols);
        let value = shifted_left(&value, scale.ilog2() as usize, 64);
        (sum, _) = add(&mut step.context.symbols.affine_forms, &sum, &value, Bit::ZERO, 64)?;
    }
    step.set(0, &sum)
}

fn count_bits(step: &mut Step<'_>) -> StepResult {
    let width = step.width(0);
    let value = step.get(1)?.known().ok_or(Refusal::Secret("a count of bits"))?;
    let leading = u64::from(value.leading_zeros()) - (64 - width as u64);
    let trailing = u64::from(value.trailing_zeros()).min(width as u64);
    let mnemonic = step.instruction.mnemonic();
    let count = match mnemonic {
        Mnemonic::Lzcnt => leading,
        Mnemonic::Tzcnt => trailing,
        Mnemonic::Popcnt => value.count_ones().into(),
        _ if value == 0 => return Err(Refusal::Secret("a scan of no bits")),
        Mnemonic::Bsr => width as u64 - 1 - leading,
        _ => trailing,
    };
    step.machine.flags = match mnemonic {
        Mnemonic::Lzcnt | Mnemonic::Tzcnt => {
            Flags { carry: Flag::from(value == 0), zero: Flag::from(count == 0), ..Flags::undefined() }
        }
        Mnemonic::Popcnt => {
            let no = || Flag::from(false);
            Flags { carry: no(), zero: Flag::from(value == 0), sign: no(), overflow: no(), parity: no() }
        }
        _ => Flags { zero: Flag::from(false), ..Flags::undefined() },
    };
    step.set(0, &Word::Known(count))
}

fn widen(step: &mut Step<'_>, from: Register, to: Register) {
    let value = step.machine.integer(from, &mut step.context.symbols);
    step.set_register(to, &sign_extended(&value, 8 * from.size()));
}

fn spread_sign(step: &mut Step<'_>, from: Register, to: Register) {
    let sign = step.machine.integer(from, &mut step.context.symbols).bits()[8 * from.size() - 1];
    step.set_register(to, &Word::from_bits(&[sign; 64]));
}

fn sign_extended(value: &Word, width: usize) -> Word {
    let mut bits = value.bits();
    let sign = bits[width - 1];
    bits[width..].fill(sign);
    Word::from_bits(&bits)
}

fn shifted_left(value: &Word, count: usize, width: usize) -> Word {
    let mut bits = [Bit::ZERO; 64];
    if count < width {
        bits[count..width].copy_from_slice(&value.bits()[..width - count]);
    }
    Word::from_bits(&bits)
}

fn rotated_right(value: &Word, count: usize, width: usize) -> Word {
    let mut bits = value.bits();
    bits[..width].rotate_left(count);
    Word::from_bits(&bits[..width])
}

fn byte_swapped(value: &Word, width: usize) -> Word {
    let mut bits = value.bits();
    bits[..width].as_chunks_mut::<8>().0.reverse();
    Word::from_bits(&bits[..width])
}

/// Shifts `value` right by `count` bits, and fills the free bits with copies of the highest bit.
fn shifted_right_signed(value: &Word, count: usize, width: usize) -> Word {
    let bits = sign_extended(value, width).bits();
    Word::from_bits(&std::array::from_fn::<Bit, 64, _>(|place| bits[(place + count).min(63)])).low(width)
}
