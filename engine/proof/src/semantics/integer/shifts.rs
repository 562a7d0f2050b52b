//! Shifts and rotations of integers, with the resulting CPU flags.

use iced_x86::Mnemonic;

use super::{rotated_right, shifted_left, shifted_right_signed};
use crate::field::Bit;
use crate::machine::{Flag, Flags};
use crate::refusal::Refusal;
use crate::semantics::step::{Step, StepResult};
use crate::word::Word;

/// Shifts an operand by a symbolic count, because the time of a shift does not depend on the count. For each bit of the
/// count, selects between the unshifted value and the value shifted by that bit's weight. The CPU flags become
/// undefined, because they depend on whether the count is 0.
fn shift_by_unknown(step: &mut Step<'_>, count: &Word) -> StepResult {
    step.multiply_bits(7);
    let (mut value, width) = (step.get(0)?, step.width(0));
    for (place, &bit) in count.bits()[..if width == 64 { 6 } else { 5 }].iter().enumerate() {
        let shifted = match step.instruction.mnemonic() {
            Mnemonic::Shl | Mnemonic::Sal => shifted_left(&value, 1 << place, width),
            Mnemonic::Shr => value.shift_right(1 << place),
            _ => return Err(Refusal::Secret("a shift's count")),
        };
        value = value.zip_bits(&shifted, |old, new| old ^ bit.and(old ^ new));
    }
    step.machine.flags = Flags::undefined();
    step.set(0, &value)
}

pub(super) fn shift(step: &mut Step<'_>) -> StepResult {
    let (value, width) = (step.get(0)?, step.width(0));
    let count = step.get(1)?;
    let Some(count) = count.known() else { return shift_by_unknown(step, &count) };
    let count = masked_count(count, width);
    if count == 0 {
        step.set(0, &value)?;
        step.keep_flags();
        return Ok(());
    }
    if step.instruction.mnemonic() == Mnemonic::Shr
        && width == 64
        && let Some(shifted) = step.context.symbols.affine_forms.shift_right(&value, count)
    {
        step.machine.flags = Flags::undefined();
        return step.set(0, &shifted);
    }
    let bits = value.bits();
    let at = |place: Option<usize>| place.filter(|&place| place < width).map_or(Bit::ZERO, |place| bits[place]);
    let sign = bits[width - 1];
    let mnemonic = step.instruction.mnemonic();
    let (result, carry) = match mnemonic {
        Mnemonic::Shl | Mnemonic::Sal => (shifted_left(&value, count, width), at(width.checked_sub(count))),
        Mnemonic::Shr => (value.shift_right(count).low(width), at(Some(count - 1))),
        Mnemonic::Sar => {
            let result = shifted_right_signed(&value, count, width);
            (result, if count > width { sign } else { bits[count - 1] })
        }
        Mnemonic::Rol => {
            let result = rotated_right(&value, (width - count % width) % width, width);
            let carry = result.bits()[0];
            (result, carry)
        }
        _ => {
            let result = rotated_right(&value, count % width, width);
            let carry = result.bits()[width - 1];
            (result, carry)
        }
    };
    let top = result.bits();
    let overflow = if count != 1 {
        Flag::Undefined
    } else {
        Flag::Bit(match mnemonic {
            Mnemonic::Shl | Mnemonic::Sal | Mnemonic::Rol => top[width - 1] ^ carry,
            Mnemonic::Shr => sign,
            Mnemonic::Sar => Bit::ZERO,
            _ => top[width - 1] ^ top[width - 2],
        })
    };
    let is_carry_undefined = count > width && matches!(mnemonic, Mnemonic::Shl | Mnemonic::Sal | Mnemonic::Shr);
    let carry = if is_carry_undefined { Flag::Undefined } else { Flag::Bit(carry) };
    step.machine.flags = if matches!(mnemonic, Mnemonic::Rol | Mnemonic::Ror) {
        Flags { carry, overflow, ..step.machine.flags.clone() }
    } else {
        Flags::from_result(&result, width, carry, overflow)
    };
    step.set(0, &result)
}

pub(super) fn double_shift(step: &mut Step<'_>) -> StepResult {
    let (value, from, width) = (step.get(0)?, step.get(1)?, step.width(0));
    let count = masked_count(step.get(2)?.known().ok_or(Refusal::Secret("a shift's count"))?, width);
    if count == 0 {
        step.set(0, &value)?;
        step.keep_flags();
        return Ok(());
    }
    if count > width {
        return Err(Refusal::Unknown);
    }
    let (value, from) = (value.bits(), from.bits());
    let mut bits = [Bit::ZERO; 64];
    let carry = if step.instruction.mnemonic() == Mnemonic::Shld {
        bits[..count].copy_from_slice(&from[width - count..width]);
        bits[count..width].copy_from_slice(&value[..width - count]);
        value[width - count]
    } else {
        bits[..width - count].copy_from_slice(&value[count..width]);
        bits[width - count..width].copy_from_slice(&from[..count]);
        value[count - 1]
    };
    let result = Word::from_bits(&bits[..width]);
    let overflow = if count == 1 { Flag::Bit(bits[width - 1] ^ value[width - 1]) } else { Flag::Undefined };
    step.machine.flags = Flags::from_result(&result, width, Flag::Bit(carry), overflow);
    step.set(0, &result)
}

/// Masks a shift count as the CPU does: to 6 bits for 64-bit operands, otherwise to 5 bits.
fn masked_count(count: u64, width: usize) -> usize {
    count as usize & if width == 64 { 63 } else { 31 }
}
