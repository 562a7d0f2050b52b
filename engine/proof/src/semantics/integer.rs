//! Integer instructions.

use iced_x86::{Mnemonic, OpKind, Register};

use super::step::{Done, Step};
use crate::count::{Conditions, Counts, Operation};
use crate::field::Bit;
use crate::machine::{Flag, Flags};
use crate::refusal::Refusal;
use crate::word::{Word, mask};

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
        M::Bswap => {
            let (value, width) = (step.get(0)?, step.width(0));
            step.set(0, &swapped(&value, width))?;
        }
        M::Movbe => {
            let (value, width) = (step.get(1)?, step.width(0));
            step.set(0, &swapped(&value, width))?;
        }
        M::Add | M::Adc => {
            let (one, other, width) = (step.get(0)?, step.get(1)?, step.width(0));
            let carry = if mnemonic == M::Adc { carry(step)? } else { Bit::ZERO };
            let sum = add(&mut step.world.symbols.counts, &mut step.machine.flags, &one, &other, carry, width)?;
            step.set(0, &sum)?;
        }
        M::Xadd => {
            let (one, other, width) = (step.get(0)?, step.get(1)?, step.width(0));
            let sum = add(&mut step.world.symbols.counts, &mut step.machine.flags, &one, &other, Bit::ZERO, width)?;
            step.set(1, &one)?;
            step.set(0, &sum)?;
        }
        M::Sub | M::Sbb => {
            let (one, other, width) = (step.get(0)?, step.get(1)?, step.width(0));
            let carry = if mnemonic == M::Sbb { carry(step)? } else { Bit::ZERO };
            let difference =
                subtract(&mut step.world.symbols.counts, &mut step.machine.flags, &one, &other, carry, width)?;
            step.set(0, &difference)?;
        }
        M::Cmp => {
            let (one, other, width) = (step.get(0)?, step.get(1)?, step.width(0));
            compare(&mut step.world.symbols.counts, &mut step.machine.flags, &one, &other, width);
        }
        M::Cmpxchg => {
            let width = step.width(0);
            let expected = step.machine.integer(Register::RAX, &mut step.world.symbols).low(width);
            let (old, new) = (step.get(0)?, step.get(1)?);
            compare(&mut step.world.symbols.counts, &mut step.machine.flags, &expected, &old, width);
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
            let kept = step.machine.flags.carry.clone();
            let (counts, flags) = (&mut step.world.symbols.counts, &mut step.machine.flags);
            let new = if mnemonic == M::Inc {
                add(counts, flags, &value, &Word::Known(1), Bit::ZERO, width)?
            } else {
                subtract(counts, flags, &value, &Word::Known(1), Bit::ZERO, width)?
            };
            step.machine.flags.carry = kept;
            step.set(0, &new)?;
        }
        M::Neg => {
            let (value, width) = (step.get(0)?, step.width(0));
            let new = subtract(
                &mut step.world.symbols.counts,
                &mut step.machine.flags,
                &Word::Known(0),
                &value,
                Bit::ZERO,
                width,
            )?;
            step.set(0, &new)?;
        }
        M::Not => {
            let (value, width) = (step.get(0)?, step.width(0));
            step.set(0, &value.each(&Word::Known(mask(width)), |bit, one| bit ^ one))?;
        }
        M::And | M::Or | M::Xor | M::Test => {
            let (one, other, width) = (step.get(0)?, step.get(1)?, step.width(0));
            if mnemonic != M::Xor {
                step.multiply_where_unknown(&one.bits(), &other.bits());
            }
            let result = match mnemonic {
                M::Or => one.each(&other, Bit::or),
                M::Xor => one.each(&other, |one, other| one ^ other),
                _ => {
                    let (counts, width) = (&mut step.world.symbols.counts, width);
                    let low = other.known().and_then(|mask| counts.low(&one, mask, width));
                    low.unwrap_or_else(|| one.each(&other, Bit::and))
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
            let result = one.each(&other, |one, other| one.inverted().and(other)).low(step.width(0));
            logic_flags(step, &result);
            step.machine.flags.parity = Flag::Undefined;
            step.set(0, &result)?;
        }
        M::Bzhi => {
            let (value, width) = (step.get(1)?, step.width(0));
            // Only the lowest byte counts.
            let count = step.get(2)?.low(8).known().ok_or(Refusal::Secret("a count"))? as usize;
            let result = value.low(count.min(width));
            logic_flags(step, &result);
            (step.machine.flags.carry, step.machine.flags.parity) =
                (Flag::Bit((count >= width).into()), Flag::Undefined);
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
                M::Shlx => shifted_up(&value, count, width),
                M::Shrx => value.down(count),
                M::Sarx => sign_extended(&value, width).down_with_sign(count).low(width),
                _ => turned_down(&value, count, width),
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

/// Zero, sign and parity of a result.
fn result_flags(flags: &mut Flags, result: &Word, width: usize) {
    let bits = result.bits();
    flags.zero = Flag::are_zero(&bits[..width]);
    flags.sign = Flag::Bit(bits[width - 1]);
    flags.parity = match crate::symbols::known_byte(&bits[..8]) {
        Some(byte) => Flag::Bit((byte.count_ones() % 2 == 0).into()),
        None => Flag::Undefined,
    };
}

fn logic_flags(step: &mut Step<'_>, result: &Word) {
    let width = step.width(0);
    let flags = &mut step.machine.flags;
    result_flags(flags, result, width);
    (flags.carry, flags.overflow) = (Flag::Bit(Bit::ZERO), Flag::Bit(Bit::ZERO));
    if let (Flag::AreZero(_), Some(is_zero)) = (&flags.zero, step.world.symbols.counts.is_zero(result, width)) {
        flags.zero = Flag::Bit(is_zero.into());
    }
}

/// A sum of what is known; of bits that are not only where it takes no carry.
fn add(
    counts: &mut Counts,
    flags: &mut Flags,
    one: &Word,
    other: &Word,
    carry: Bit,
    width: usize,
) -> Result<Word, Refusal> {
    if let (Some(a), Some(b), Some(carry)) = (one.known(), other.known(), carry.known()) {
        let wide = u128::from(a) + u128::from(b) + u128::from(carry);
        let sum = wide as u64 & mask(width);
        flags.carry = Flag::Bit((wide > u128::from(mask(width))).into());
        flags.overflow = Flag::Bit(((a ^ sum) & (b ^ sum) & 1 << (width - 1) != 0).into());
        let sum = Word::Known(sum);
        result_flags(flags, &sum, width);
        return Ok(sum);
    }
    if carry == Bit::ZERO
        && let Some((sum, conditions)) = counts.combine(Operation::Sum, one, other, width)
    {
        *flags = conditions.into();
        return Ok(sum);
    }
    let (sum, carry) = sum_of_bits(one, other, carry, width).ok_or(Refusal::Secret("a sum with carries"))?;
    (flags.carry, flags.overflow) = (Flag::Bit(carry), Flag::Undefined);
    result_flags(flags, &sum, width);
    Ok(sum)
}

/// Sum and carry, where each carry is one bit of the operands: of a word and itself, or of words that have no bit in
/// the same place.
pub(super) fn sum_of_bits(one: &Word, other: &Word, carry: Bit, width: usize) -> Option<(Word, Bit)> {
    let (a, b) = (one.bits(), other.bits());
    if a[..width] == b[..width] {
        let mut sum = [carry; 64];
        sum[1..width].copy_from_slice(&a[..width - 1]);
        return Some((Word::of_bits(&sum[..width]), a[width - 1]));
    }
    let are_apart = a.iter().zip(&b).all(|(&a, &b)| a == Bit::ZERO || b == Bit::ZERO);
    (are_apart && carry == Bit::ZERO).then(|| (one.each(other, |a, b| a ^ b), Bit::ZERO))
}

/// A difference of what is known; of bits that are not only where every borrow is one bit.
fn subtract(
    counts: &mut Counts,
    flags: &mut Flags,
    one: &Word,
    other: &Word,
    carry: Bit,
    width: usize,
) -> Result<Word, Refusal> {
    if let (Some(a), Some(b), Some(carry)) = (one.known(), other.known(), carry.known()) {
        let difference = a.wrapping_sub(b).wrapping_sub(carry.into()) & mask(width);
        flags.carry = Flag::Bit((u128::from(a) < u128::from(b) + u128::from(carry)).into());
        flags.overflow = Flag::Bit(((a ^ b) & (a ^ difference) & 1 << (width - 1) != 0).into());
        let difference = Word::Known(difference);
        result_flags(flags, &difference, width);
        return Ok(difference);
    }
    if let (Some(carry), Some(known)) = (carry.known(), other.known())
        && let other = Word::Known(known.wrapping_add(carry.into()) & mask(width))
        && let Some((difference, conditions)) = counts.combine(Operation::Difference, one, &other, width)
    {
        *flags = conditions.into();
        // What a borrow adds to the subtrahend may be one too many for it; neither flag is asked for.
        if carry {
            (flags.carry, flags.overflow) = (Flag::Undefined, Flag::Undefined);
        }
        return Ok(difference);
    }
    if carry == Bit::ZERO
        && let Some((difference, conditions)) = counts.combine(Operation::Difference, one, other, width)
    {
        *flags = conditions.into();
        return Ok(difference);
    }
    let (a, b) = (one.bits(), other.bits());
    let (difference, borrow) = if a[..width] == b[..width] {
        (Word::of_bits(&[carry; 64][..width]), Flag::Bit(carry))
    } else if other.known() == Some(0) && carry == Bit::ZERO {
        (one.clone(), Flag::Bit(Bit::ZERO))
    } else if one.known() == Some(0) && carry == Bit::ZERO && b[1..].iter().all(|&bit| bit == Bit::ZERO) {
        (Word::of_bits(&[b[0]; 64][..width]), Flag::Bit(b[0]))
    } else if carry == Bit::ZERO
        && b[..width].iter().all(|&bit| bit == b[0])
        && let Some((sum, _)) = sum_of_bits(one, &Word::of_bits(&[b[0]]), Bit::ZERO, width)
    {
        // All ones are -1.
        (sum, Flag::Undefined)
    } else {
        return Err(Refusal::Secret("a difference with borrows"));
    };
    (flags.carry, flags.overflow) = (borrow, Flag::Undefined);
    result_flags(flags, &difference, width);
    Ok(difference)
}

/// The flags of a difference. Of bits that are not known, only whether they are the same.
fn compare(counts: &mut Counts, flags: &mut Flags, one: &Word, other: &Word, width: usize) {
    if subtract(counts, flags, one, other, Bit::ZERO, width).is_err() {
        let [[least, most], [other_least, other_most]] = [one, other].map(|word| bounds(word, width));
        let zero = Flag::are_zero(&one.each(other, |a, b| a ^ b).bits()[..width]);
        *flags = Flags { zero, ..Flags::undefined() };
        if most < other_least || other_most < least {
            (flags.zero, flags.carry) = (Flag::Bit(Bit::ZERO), Flag::Bit((most < other_least).into()));
        }
    }
}

impl From<Conditions> for Flags {
    fn from(known: Conditions) -> Self {
        let flag = |is_set: Option<bool>| is_set.map_or(Flag::Undefined, |is_set| Flag::Bit(is_set.into()));
        let Conditions { zero, sign, carry, overflow } = known;
        Self {
            zero: flag(zero),
            sign: flag(sign),
            carry: flag(carry),
            overflow: flag(overflow),
            parity: Flag::Undefined,
        }
    }
}

/// The least and the greatest number that the known bits allow.
fn bounds(word: &Word, width: usize) -> [u64; 2] {
    let bits = word.bits();
    [false, true].map(|unknown| {
        bits[..width].iter().rev().fold(0, |number, bit| number << 1 | u64::from(bit.known().unwrap_or(unknown)))
    })
}

fn lea(step: &mut Step<'_>) -> Done {
    let instruction = step.instruction;
    if instruction.is_ip_rel_memory_operand() {
        return step.set(0, &Word::Known(instruction.ip_rel_memory_address()));
    }
    let mut sum = Word::Known(instruction.memory_displacement64());
    let parts = [(instruction.memory_index(), instruction.memory_index_scale()), (instruction.memory_base(), 1)];
    for (register, scale) in parts.into_iter().filter(|(register, _)| *register != Register::None) {
        let value = step.machine.integer(register, &mut step.world.symbols);
        let value = shifted_up(&value, scale.ilog2() as usize, 64);
        sum = add(&mut step.world.symbols.counts, &mut Flags::undefined(), &sum, &value, Bit::ZERO, 64)?;
    }
    step.set(0, &sum)
}

/// A shift by a count that is not known: for each bit of the count by its power of two, or not. Such a shift takes no
/// other time than others; its flags are left alone if the count is 0, so nobody may ask for them.
fn shift_by_unknown(step: &mut Step<'_>, count: &Word) -> Done {
    step.multiply_bits(7);
    let (mut value, width) = (step.get(0)?, step.width(0));
    for (place, &bit) in count.bits()[..if width == 64 { 6 } else { 5 }].iter().enumerate() {
        let shifted = match step.instruction.mnemonic() {
            Mnemonic::Shl | Mnemonic::Sal => shifted_up(&value, 1 << place, width),
            Mnemonic::Shr => value.down(1 << place),
            _ => return Err(Refusal::Secret("a shift's count")),
        };
        value = value.each(&shifted, |old, new| old ^ bit.and(old ^ new));
    }
    step.machine.flags = Flags::undefined();
    step.set(0, &value)
}

fn shift(step: &mut Step<'_>) -> Done {
    let (value, width) = (step.get(0)?, step.width(0));
    let count = step.get(1)?;
    let Some(count) = count.known() else { return shift_by_unknown(step, &count) };
    let count = count as usize;
    let count = count & if width == 64 { 63 } else { 31 };
    if count == 0 {
        step.set(0, &value)?;
        step.keep_flags();
        return Ok(());
    }
    if step.instruction.mnemonic() == Mnemonic::Shr
        && width == 64
        && let Some(shifted) = step.world.symbols.counts.down(&value, count)
    {
        step.machine.flags = Flags::undefined();
        return step.set(0, &shifted);
    }
    let bits = value.bits();
    let at = |place: Option<usize>| place.filter(|&place| place < width).map_or(Bit::ZERO, |place| bits[place]);
    let sign = bits[width - 1];
    let mnemonic = step.instruction.mnemonic();
    let (result, carry) = match mnemonic {
        Mnemonic::Shl | Mnemonic::Sal => (shifted_up(&value, count, width), at(width.checked_sub(count))),
        Mnemonic::Shr => (value.down(count.min(63)).low(width), at(Some(count - 1))),
        Mnemonic::Sar => {
            let result = sign_extended(&value, width).down_with_sign(count).low(width);
            (result, if count > width { sign } else { bits[count - 1] })
        }
        Mnemonic::Rol => {
            let result = turned_down(&value, (width - count % width) % width, width);
            let carry = result.bits()[0];
            (result, carry)
        }
        _ => {
            let result = turned_down(&value, count % width, width);
            let carry = result.bits()[width - 1];
            (result, carry)
        }
    };
    let result = if mnemonic == Mnemonic::Shr && count >= 64 { Word::Known(0) } else { result };
    let top = result.bits();
    let flags = &mut step.machine.flags;
    flags.overflow = if count != 1 {
        Flag::Undefined
    } else {
        Flag::Bit(match mnemonic {
            Mnemonic::Shl | Mnemonic::Sal | Mnemonic::Rol => top[width - 1] ^ carry,
            Mnemonic::Shr => sign,
            Mnemonic::Sar => Bit::ZERO,
            _ => top[width - 1] ^ top[width - 2],
        })
    };
    flags.carry = if count > width && matches!(mnemonic, Mnemonic::Shl | Mnemonic::Sal | Mnemonic::Shr) {
        Flag::Undefined
    } else {
        Flag::Bit(carry)
    };
    if !matches!(mnemonic, Mnemonic::Rol | Mnemonic::Ror) {
        result_flags(flags, &result, width);
    }
    step.set(0, &result)
}

fn double_shift(step: &mut Step<'_>) -> Done {
    let (value, from, width) = (step.get(0)?, step.get(1)?, step.width(0));
    let count = step.get(2)?.known().ok_or(Refusal::Secret("a shift's count"))? as usize;
    let count = count & if width == 64 { 63 } else { 31 };
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
    let result = Word::of_bits(&bits[..width]);
    let flags = &mut step.machine.flags;
    result_flags(flags, &result, width);
    let overflow = bits[width - 1] ^ value[width - 1];
    flags.overflow = if count == 1 { Flag::Bit(overflow) } else { Flag::Undefined };
    flags.carry = Flag::Bit(carry);
    step.set(0, &result)
}

/// Of known numbers only: no secret is ever multiplied as an integer.
fn multiply(step: &mut Step<'_>) -> Done {
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
        let low = product as u64 & mask(width);
        let has_overflowed = Flag::Bit((signed(low, width) != product).into());
        step.machine.flags = Flags { carry: has_overflowed.clone(), overflow: has_overflowed, ..Flags::undefined() };
        return step.set(0, &Word::Known(low));
    }
    if width < 32 || mnemonic == Mnemonic::Imul {
        return Err(Refusal::Unknown);
    }
    let of_width = |wide: Register, narrow: Register| if width == 64 { wide } else { narrow };
    let (low, high) = (of_width(Register::RAX, Register::EAX), of_width(Register::RDX, Register::EDX));
    if mnemonic == Mnemonic::Mulx {
        let one = known(step.machine.integer(high, &mut step.world.symbols).low(width))?;
        let product = u128::from(one) * u128::from(known(step.get(2)?)?);
        step.set(1, &Word::Known(product as u64 & mask(width)))?;
        return step.set(0, &Word::Known((product >> width) as u64));
    }
    let one = known(step.machine.integer(low, &mut step.world.symbols).low(width))?;
    let product = u128::from(one) * u128::from(known(step.get(0)?)?);
    let upper = (product >> width) as u64;
    let carry = Flag::Bit((upper != 0).into());
    step.machine.flags = Flags { carry: carry.clone(), overflow: carry, ..Flags::undefined() };
    step.set_register(low, &Word::Known(product as u64 & mask(width)));
    step.set_register(high, &Word::Known(upper));
    Ok(())
}

/// Of known numbers only, for a division takes its time by them.
fn divide(step: &mut Step<'_>) -> Done {
    let width = step.width(0);
    let (low, high) = match width {
        32 => (Register::EAX, Register::EDX),
        64 => (Register::RAX, Register::RDX),
        _ => return Err(Refusal::Unknown),
    };
    let symbols = &mut step.world.symbols;
    let [lower, upper] = [low, high].map(|register| step.machine.integer(register, symbols).low(width).known());
    let (Some(lower), Some(upper), Some(divisor)) = (lower, upper, step.get(0)?.known()) else {
        return Err(Refusal::Secret("a division"));
    };
    if divisor <= upper {
        return Err(Refusal::Stuck("divides by what is too small"));
    }
    let dividend = u128::from(upper) << width | u128::from(lower);
    let (quotient, rest) = (dividend / u128::from(divisor), dividend % u128::from(divisor));
    step.set_register(low, &Word::Known(quotient as u64));
    step.set_register(high, &Word::Known(rest as u64));
    step.machine.flags = Flags::undefined();
    Ok(())
}

fn count_bits(step: &mut Step<'_>) -> Done {
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
    let bit = |bit: bool| Flag::Bit(bit.into());
    step.machine.flags = match mnemonic {
        Mnemonic::Lzcnt | Mnemonic::Tzcnt => {
            Flags { carry: bit(value == 0), zero: bit(count == 0), ..Flags::undefined() }
        }
        Mnemonic::Popcnt => Flags {
            carry: bit(false),
            zero: bit(value == 0),
            sign: bit(false),
            overflow: bit(false),
            parity: bit(false),
        },
        _ => Flags { zero: bit(false), ..Flags::undefined() },
    };
    step.set(0, &Word::Known(count))
}

fn widen(step: &mut Step<'_>, from: Register, to: Register) {
    let value = step.machine.integer(from, &mut step.world.symbols);
    step.set_register(to, &sign_extended(&value, 8 * from.size()));
}

fn spread_sign(step: &mut Step<'_>, from: Register, to: Register) {
    let sign = step.machine.integer(from, &mut step.world.symbols).bits()[8 * from.size() - 1];
    step.set_register(to, &Word::of_bits(&[sign; 64]));
}

fn sign_extended(value: &Word, width: usize) -> Word {
    let mut bits = value.bits();
    let sign = bits[width - 1];
    bits[width..].fill(sign);
    Word::of_bits(&bits)
}

fn shifted_up(value: &Word, count: usize, width: usize) -> Word {
    let mut bits = [Bit::ZERO; 64];
    if count < width {
        bits[count..width].copy_from_slice(&value.bits()[..width - count]);
    }
    Word::of_bits(&bits)
}

fn turned_down(value: &Word, count: usize, width: usize) -> Word {
    let mut bits = value.bits();
    bits[..width].rotate_left(count);
    Word::of_bits(&bits[..width])
}

fn swapped(value: &Word, width: usize) -> Word {
    let mut bits = value.bits();
    bits[..width].as_chunks_mut::<8>().0.reverse();
    Word::of_bits(&bits[..width])
}

impl Word {
    /// The same, `count` places further down, the highest bit above.
    fn down_with_sign(&self, count: usize) -> Self {
        let bits = self.bits();
        Self::of_bits(&std::array::from_fn::<Bit, 64, _>(|place| bits[(place + count).min(63)]))
    }
}
