//! Executes instructions on AVX-512 mask registers.

use iced_x86::{Mnemonic, Register};

use super::step::Step;
use crate::field::Bit;
use crate::machine::{Flag, Flags};
use crate::refusal::Refusal;
use crate::word::{Word, low_ones};

pub(super) fn execute(step: &mut Step<'_>) -> Result<bool, Refusal> {
    use Mnemonic as M;
    let mnemonic = step.instruction.mnemonic();
    let width = match mnemonic {
        M::Kmovb | M::Kortestb | M::Kxnorb | M::Kxorb | M::Kandb | M::Korb | M::Knotb => 8,
        M::Kmovw | M::Kortestw | M::Kxnorw | M::Kxorw | M::Kandw | M::Korw | M::Knotw => 16,
        M::Kmovd | M::Kortestd | M::Kxnord | M::Kxord | M::Kandd | M::Kord | M::Knotd => 32,
        M::Kmovq | M::Kortestq | M::Kxnorq | M::Kxorq | M::Kandq | M::Korq | M::Knotq => 64,
        _ => return Ok(false),
    };
    let new = match mnemonic {
        M::Kmovb | M::Kmovw | M::Kmovd | M::Kmovq => operand(step, 1, width)?,
        M::Knotb | M::Knotw | M::Knotd | M::Knotq => {
            operand(step, 1, width)?.zip_bits(&Word::Known(low_ones(width)), |bit, one| bit ^ one)
        }
        M::Kortestb | M::Kortestw | M::Kortestd | M::Kortestq => {
            step.multiply();
            let all = operand(step, 0, width)?.zip_bits(&operand(step, 1, width)?, Bit::or);
            let inverted = all.zip_bits(&Word::Known(low_ones(width)), |bit, one| bit ^ one);
            let zero = Flag::Bit(Bit::ZERO);
            step.machine.flags = Flags {
                zero: Flag::are_zero(&all.bits()[..width]),
                carry: Flag::are_zero(&inverted.bits()[..width]),
                sign: zero.clone(),
                overflow: zero.clone(),
                parity: zero,
            };
            return Ok(true);
        }
        _ => {
            if !matches!(
                mnemonic,
                M::Kxorb | M::Kxorw | M::Kxord | M::Kxorq | M::Kxnorb | M::Kxnorw | M::Kxnord | M::Kxnorq
            ) {
                step.multiply();
            }
            let (one, other) = (operand(step, 1, width)?, operand(step, 2, width)?);
            one.zip_bits(&other, |one, other| match mnemonic {
                M::Kandb | M::Kandw | M::Kandd | M::Kandq => one.and(other),
                M::Korb | M::Korw | M::Kord | M::Korq => one.or(other),
                M::Kxorb | M::Kxorw | M::Kxord | M::Kxorq => one ^ other,
                _ => one ^ other.inverted(),
            })
            .low(width)
        }
    };
    let to = if step.is_memory(0) { Register::None } else { step.instruction.op_register(0) };
    if to.is_k() {
        step.machine.set_mask(to, new);
    } else {
        step.set(0, &new)?;
    }
    Ok(true)
}

fn operand(step: &mut Step<'_>, number: u32, width: usize) -> Result<Word, Refusal> {
    let register = step.instruction.op_register(number);
    if !step.is_memory(number) && register.is_k() {
        return Ok(step.machine.mask(register, &mut step.context.symbols).low(width));
    }
    Ok(step.get(number)?.low(width))
}
