//! Sums, differences, comparisons, products and quotients of integers, with their flags.

use iced_x86::{Mnemonic, OpKind, Register};

use crate::affine::{AffineForms, Conditions, Operation};
use crate::field::Bit;
use crate::machine::{Flag, Flags};
use crate::refusal::Refusal;
use crate::semantics::step::{Step, StepResult};
use crate::word::{Word, low_ones};

/// Adds two integers and a carry. Unknown bits are accepted only if no carry is a product of them.
pub(super) fn add(
    forms: &mut AffineForms,
    one: &Word,
    other: &Word,
    carry: Bit,
    width: usize,
) -> Result<(Word, Flags), Refusal> {
    if let (Some(a), Some(b), Some(carry)) = (one.known(), other.known(), carry.known()) {
        let wide = u128::from(a) + u128::from(b) + u128::from(carry);
        let sum = wide as u64 & low_ones(width);
        let carry = Flag::from(wide > u128::from(low_ones(width)));
        let overflow = Flag::from((a ^ sum) & (b ^ sum) & 1 << (width - 1) != 0);
        let sum = Word::Known(sum);
        let flags = Flags::of_result(&sum, width, carry, overflow);
        return Ok((sum, flags));
    }
    if carry == Bit::ZERO
        && let Some((sum, conditions)) = forms.combine(Operation::Sum, one, other, width)
    {
        return Ok((sum, conditions.into()));
    }
    let (sum, carry) = sum_of_bits(one, other, carry, width).ok_or(Refusal::Secret("a sum with carries"))?;
    let flags = Flags::of_result(&sum, width, Flag::Bit(carry), Flag::Undefined);
    Ok((sum, flags))
}

/// Returns the sum and its carry if every carry is a bit of the operands: for equal words, and for words of which at
/// most one has a nonzero bit in each place.
pub(in crate::semantics) fn sum_of_bits(one: &Word, other: &Word, carry: Bit, width: usize) -> Option<(Word, Bit)> {
    let (a, b) = (one.bits(), other.bits());
    if a[..width] == b[..width] {
        let mut sum = [carry; 64];
        sum[1..width].copy_from_slice(&a[..width - 1]);
        return Some((Word::from_bits(&sum[..width]), a[width - 1]));
    }
    let are_apart = a.iter().zip(&b).all(|(&a, &b)| a == Bit::ZERO || b == Bit::ZERO);
    (are_apart && carry == Bit::ZERO).then(|| (one.zip_bits(other, |a, b| a ^ b), Bit::ZERO))
}

/// Subtracts an integer and a borrow. Unknown bits are accepted only if every borrow is a single bit.
pub(super) fn subtract(
    forms: &mut AffineForms,
    one: &Word,
    other: &Word,
    carry: Bit,
    width: usize,
) -> Result<(Word, Flags), Refusal> {
    if let (Some(a), Some(b), Some(carry)) = (one.known(), other.known(), carry.known()) {
        let difference = a.wrapping_sub(b).wrapping_sub(carry.into()) & low_ones(width);
        let borrow = Flag::from(u128::from(a) < u128::from(b) + u128::from(carry));
        let overflow = Flag::from((a ^ b) & (a ^ difference) & 1 << (width - 1) != 0);
        let difference = Word::Known(difference);
        let flags = Flags::of_result(&difference, width, borrow, overflow);
        return Ok((difference, flags));
    }
    if let (Some(carry), Some(known)) = (carry.known(), other.known())
        && let other = Word::Known(known.wrapping_add(carry.into()) & low_ones(width))
        && let Some((difference, conditions)) = forms.combine(Operation::Difference, one, &other, width)
    {
        let mut flags = Flags::from(conditions);
        // Adding the borrow to the subtrahend may overflow, so the carry and overflow flags are unknown.
        if carry {
            (flags.carry, flags.overflow) = (Flag::Undefined, Flag::Undefined);
        }
        return Ok((difference, flags));
    }
    if carry == Bit::ZERO
        && let Some((difference, conditions)) = forms.combine(Operation::Difference, one, other, width)
    {
        return Ok((difference, conditions.into()));
    }
    let (a, b) = (one.bits(), other.bits());
    let (difference, borrow) = if a[..width] == b[..width] {
        (Word::from_bits(&[carry; 64][..width]), Flag::Bit(carry))
    } else if other.known() == Some(0) && carry == Bit::ZERO {
        (one.clone(), Flag::Bit(Bit::ZERO))
    } else if one.known() == Some(0) && carry == Bit::ZERO && b[1..].iter().all(|&bit| bit == Bit::ZERO) {
        (Word::from_bits(&[b[0]; 64][..width]), Flag::Bit(b[0]))
    } else if carry == Bit::ZERO
        && b[..width].iter().all(|&bit| bit == b[0])
        && let Some((sum, _)) = sum_of_bits(one, &Word::from_bits(&[b[0]]), Bit::ZERO, width)
    {
        // The subtrahend is 0 or -1.
        (sum, Flag::Undefined)
    } else {
        return Err(Refusal::Secret("a difference with borrows"));
    };
    let flags = Flags::of_result(&difference, width, borrow, Flag::Undefined);
    Ok((difference, flags))
}

/// Returns the flags of a difference. For unknown bits these are equality, and the order if the known bits decide it.
pub(super) fn compare(forms: &mut AffineForms, one: &Word, other: &Word, width: usize) -> Flags {
    if let Ok((_, flags)) = subtract(forms, one, other, Bit::ZERO, width) {
        return flags;
    }
    let [[least, most], [other_least, other_most]] = [one, other].map(|word| bounds(word, width));
    if most < other_least || other_most < least {
        let (zero, carry) = (Flag::Bit(Bit::ZERO), Flag::from(most < other_least));
        return Flags { zero, carry, ..Flags::undefined() };
    }
    let zero = Flag::are_zero(&one.zip_bits(other, |a, b| a ^ b).bits()[..width]);
    Flags { zero, ..Flags::undefined() }
}

impl From<Conditions> for Flags {
    fn from(known: Conditions) -> Self {
        let Conditions { zero, sign, carry, overflow } = known;
        let [zero, sign, carry, overflow] =
            [zero, sign, carry, overflow].map(|is_set| is_set.map_or(Flag::Undefined, Flag::from));
        Self { zero, sign, carry, overflow, parity: Flag::Undefined }
    }
}

/// Returns the least and the greatest number with the known bits of `word`.
fn bounds(word: &Word, width: usize) -> [u64; 2] {
    let bits = word.bits();
    [false, true].map(|unknown| {
        bits[..width].iter().rev().fold(0, |number, bit| number << 1 | u64::from(bit.known().unwrap_or(unknown)))
    })
}

/// Multiplies known integers. Products of secrets are refused.
pub(super) fn multiply(step: &mut Step<'_>) -> StepResult {
    let width = step.width(0);
    let known = |word: Word| word.known().ok_or(Refusal::Secret("an integer product"));
    let signed = |value: u64, width: usize| ((value << (64 - width)) as i64 >> (64 - width)) as i128;
    let mnemonic = step.instruction.mnemonic();
    if mnemonic == Mnemonic::Imul && step.instruction.op_count() > 1 {
        let first = step.instruction.op_count() - 2;
        let one = signed(known(step.get(first)?)?, width);
        let other = match step.instruction.op_kind(first + 1) {
            OpKind::Register | OpKind::Memory => signed(known(step.get(first + 1)?)?, width),
            _ => step.instruction.immediate(first + 1) as i64 as i128,
        };
        let product = one * other;
        let low = product as u64 & low_ones(width);
        step.machine.flags = Flags::of_product(signed(low, width) != product);
        return step.set(0, &Word::Known(low));
    }
    if width < 32 || mnemonic == Mnemonic::Imul {
        return Err(Refusal::Unknown);
    }
    let of_width = |wide: Register, narrow: Register| if width == 64 { wide } else { narrow };
    let (low, high) = (of_width(Register::RAX, Register::EAX), of_width(Register::RDX, Register::EDX));
    if mnemonic == Mnemonic::Mulx {
        let one = known(step.machine.integer(high, &mut step.context.symbols).low(width))?;
        let product = u128::from(one) * u128::from(known(step.get(2)?)?);
        step.set(1, &Word::Known(product as u64 & low_ones(width)))?;
        return step.set(0, &Word::Known((product >> width) as u64));
    }
    let one = known(step.machine.integer(low, &mut step.context.symbols).low(width))?;
    let product = u128::from(one) * u128::from(known(step.get(0)?)?);
    let upper = (product >> width) as u64;
    step.machine.flags = Flags::of_product(upper != 0);
    step.set_register(low, &Word::Known(product as u64 & low_ones(width)));
    step.set_register(high, &Word::Known(upper));
    Ok(())
}

/// Divides known integers. Secrets are refused, because the time of a division depends on its operands.
pub(super) fn divide(step: &mut Step<'_>) -> StepResult {
    let width = step.width(0);
    let (low, high) = match width {
        32 => (Register::EAX, Register::EDX),
        64 => (Register::RAX, Register::RDX),
        _ => return Err(Refusal::Unknown),
    };
    let symbols = &mut step.context.symbols;
    let [lower, upper] = [low, high].map(|register| step.machine.integer(register, symbols).low(width).known());
    let (Some(lower), Some(upper), Some(divisor)) = (lower, upper, step.get(0)?.known()) else {
        return Err(Refusal::Secret("a division"));
    };
    if divisor <= upper {
        return Err(Refusal::Stuck("divides by what is too small"));
    }
    let dividend = u128::from(upper) << width | u128::from(lower);
    let (quotient, remainder) = (dividend / u128::from(divisor), dividend % u128::from(divisor));
    step.set_register(low, &Word::Known(quotient as u64));
    step.set_register(high, &Word::Known(remainder as u64));
    step.machine.flags = Flags::undefined();
    Ok(())
}
