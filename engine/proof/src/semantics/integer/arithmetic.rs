//! Sums, differences, comparisons, products and quotients of integers, with the resulting CPU flags.

use iced_x86::{Mnemonic, OpKind, Register};

use crate::affine::{AffineForms, Conditions, Operation};
use crate::field::Bit;
use crate::machine::{Flag, Flags};
use crate::refusal::Refusal;
use crate::semantics::step::{Step, StepResult};
use crate::word::{Word, low_ones};

/// Adds two integers and a carry. Operand bits may be symbolic unless a carry between bits would be a product of
/// symbolic bits; such sums are refused.
pub(super) fn add(
    forms: &mut AffineForms,
    one: &Word,
    other: &Word,
    carry: Bit,
    width: usize,
) -> Result<(Word, Flags), Refusal> {
    if let Some(known) = combine_numbers(Operation::Sum, forms, [one, other], carry, width) {
        return Ok(known);
    }
    let (sum, carry) = sum_of_bits(one, other, carry, width).ok_or(Refusal::Secret("a sum with carries"))?;
    let flags = Flags::from_result(&sum, width, Flag::Bit(carry), Flag::Undefined);
    Ok((sum, flags))
}

/// Adds or subtracts two integers and a carry or borrow. Returns a result if the integers are concrete, or if they are
/// affine forms and there is no carry.
fn combine_numbers(
    operation: Operation,
    forms: &mut AffineForms,
    [one, other]: [&Word; 2],
    carry: Bit,
    width: usize,
) -> Option<(Word, Flags)> {
    let (Some(a), Some(b), Some(carry)) = (one.known(), other.known(), carry.known()) else {
        let combined = (carry == Bit::ZERO).then(|| forms.combine(operation, one, other, width))?;
        return combined.map(|(result, conditions)| (result, conditions.into()));
    };
    let [wide_a, wide_b, carry] = [a.into(), b.into(), carry.into()];
    let (wide, addend) = match operation {
        Operation::Sum => (wide_a + wide_b + carry, b),
        Operation::Difference => (u128::wrapping_sub(wide_a, wide_b + carry), !b),
    };
    let result = wide as u64 & low_ones(width);
    let carry = Flag::from(wide > u128::from(low_ones(width)));
    let overflow = Flag::from((a ^ result) & (addend ^ result) & 1 << (width - 1) != 0);
    let result = Word::Known(result);
    let flags = Flags::from_result(&result, width, carry, overflow);
    Some((result, flags))
}

/// Adds two words of symbolic bits and a carry, without multiplying bits. Returns the sum and the carry out. Returns
/// `None` unless the words are equal, or have no nonzero bits at the same position: each carry is then an operand bit.
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

/// Subtracts an integer and a borrow from an integer. Refuses symbolic bits unless every borrow between bits is zero or
/// equals an operand bit.
pub(super) fn subtract(
    forms: &mut AffineForms,
    one: &Word,
    other: &Word,
    carry: Bit,
    width: usize,
) -> Result<(Word, Flags), Refusal> {
    if let Some(known) = combine_numbers(Operation::Difference, forms, [one, other], carry, width) {
        return Ok(known);
    }
    if let (Bit::ONE, Some(known)) = (carry, other.known())
        && let other = Word::Known(known.wrapping_add(1) & low_ones(width))
        && let Some((difference, conditions)) = forms.combine(Operation::Difference, one, &other, width)
    {
        // Adding the borrow to the subtrahend may overflow, so the carry and overflow flags are unknown.
        let flags = Flags { carry: Flag::Undefined, overflow: Flag::Undefined, ..conditions.into() };
        return Ok((difference, flags));
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
    let flags = Flags::from_result(&difference, width, borrow, Flag::Undefined);
    Ok((difference, flags))
}

/// Returns the CPU flags after comparing two integers. If the integers cannot be subtracted because their bits are
/// symbolic, the zero flag is a function of these bits, and the carry flag is defined only if the concrete bits decide
/// which integer is larger. The other flags are then undefined.
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

/// Returns the minimum and maximum of `word` over all values of its symbolic bits.
fn bounds(word: &Word, width: usize) -> [u64; 2] {
    let bits = word.bits();
    [false, true].map(|unknown| {
        bits[..width].iter().rev().fold(0, |number, bit| number << 1 | u64::from(bit.known().unwrap_or(unknown)))
    })
}

/// Multiplies concrete integers. Refuses secret operands.
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
        step.machine.flags = Flags::from_product(signed(low, width) != product);
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
    step.machine.flags = Flags::from_product(upper != 0);
    step.set_register(low, &Word::Known(product as u64 & low_ones(width)));
    step.set_register(high, &Word::Known(upper));
    Ok(())
}

/// Divides concrete integers. Refuses secret operands, because the time of a division depends on its operands.
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
