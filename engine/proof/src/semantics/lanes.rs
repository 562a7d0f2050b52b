//! Executes vector instructions: logic, shifts, shuffles, sums and comparisons.

use iced_x86::{Mnemonic, OpKind};

use super::integer::sum_of_bits;
use super::step::{Step, StepResult};
use crate::field::Bit;
use crate::machine::{Flag, Flags};
use crate::refusal::Refusal;
use crate::symbols::known_byte;
use crate::word::Word;

pub(super) fn execute(step: &mut Step<'_>) -> Result<bool, Refusal> {
    use Mnemonic as M;
    let mnemonic = step.instruction.mnemonic();
    match mnemonic {
        M::Pxor | M::Vpxor | M::Xorps | M::Vxorps | M::Xorpd | M::Vxorpd | M::Vpxord => {
            map_bits(step, 32, |one, other| one ^ other)?;
        }
        M::Vpxorq => map_bits(step, 64, |one, other| one ^ other)?,
        M::Pand | M::Vpand | M::Andps | M::Vandps | M::Andpd | M::Vandpd | M::Vpandd => {
            map_products(step, 32, Bit::and)?
        }
        M::Vpandq => map_products(step, 64, Bit::and)?,
        M::Por | M::Vpor | M::Orps | M::Vorps | M::Orpd | M::Vorpd | M::Vpord => map_products(step, 32, Bit::or)?,
        M::Vporq => map_products(step, 64, Bit::or)?,
        M::Pandn | M::Vpandn | M::Andnps | M::Vandnps | M::Andnpd | M::Vandnpd | M::Vpandnd => {
            map_products(step, 32, |one, other| one.inverted().and(other))?;
        }
        M::Vpandnq => map_products(step, 64, |one, other| one.inverted().and(other))?,
        M::Vpternlogd => ternary_logic(step, 32)?,
        M::Vpternlogq => ternary_logic(step, 64)?,
        M::Pshufb | M::Vpshufb => shuffle_bytes(step)?,
        M::Pshufd | M::Vpshufd => {
            let order = step.last_immediate();
            map_pieces(step, 32, 128, |from, new| {
                for (place, new) in new.as_chunks_mut::<32>().0.iter_mut().enumerate() {
                    new.copy_from_slice(element(from, 32, order >> (2 * place) & 3));
                }
            })?;
        }
        M::Pshuflw | M::Vpshuflw | M::Pshufhw | M::Vpshufhw => {
            let order = step.last_immediate();
            let half = if matches!(mnemonic, M::Pshuflw | M::Vpshuflw) { 0 } else { 4 };
            map_pieces(step, 16, 128, |from, new| {
                new.copy_from_slice(from);
                for place in 0..4 {
                    let to = 16 * (half + place);
                    new[to..to + 16].copy_from_slice(element(from, 16, half + (order >> (2 * place) & 3)));
                }
            })?;
        }
        M::Shufps | M::Vshufps => {
            let order = step.last_immediate();
            step.zip_lanes(32, |one, other, new| {
                for (place, new) in new.as_chunks_mut::<32>().0.iter_mut().enumerate() {
                    let from = if place < 2 { one } else { other };
                    new.copy_from_slice(element(from, 32, order >> (2 * place) & 3));
                }
            })?;
        }
        M::Shufpd | M::Vshufpd => {
            let (bits, order) = (step.width(0), step.last_immediate());
            let (one, other) = step.source_operands();
            let (one, other) = (step.vector(one, bits)?, step.vector(other, bits)?);
            let mut new = [Bit::ZERO; 512];
            for (place, new) in new[..bits].as_chunks_mut::<64>().0.iter_mut().enumerate() {
                let from = if place % 2 == 0 { &one } else { &other };
                new.copy_from_slice(element(&from[..], 64, place / 2 * 2 + (order >> place & 1)));
            }
            step.set_vector(0, &mut new, bits, 64)?;
        }
        M::Punpcklbw | M::Vpunpcklbw => unpack(step, 8, false)?,
        M::Punpckhbw | M::Vpunpckhbw => unpack(step, 8, true)?,
        M::Punpcklwd | M::Vpunpcklwd => unpack(step, 16, false)?,
        M::Punpckhwd | M::Vpunpckhwd => unpack(step, 16, true)?,
        M::Punpckldq | M::Vpunpckldq | M::Unpcklps | M::Vunpcklps => unpack(step, 32, false)?,
        M::Punpckhdq | M::Vpunpckhdq | M::Unpckhps | M::Vunpckhps => unpack(step, 32, true)?,
        M::Punpcklqdq | M::Vpunpcklqdq | M::Unpcklpd | M::Vunpcklpd => unpack(step, 64, false)?,
        M::Punpckhqdq | M::Vpunpckhqdq | M::Unpckhpd | M::Vunpckhpd => unpack(step, 64, true)?,
        M::Palignr | M::Vpalignr => {
            let down = 8 * step.last_immediate();
            step.zip_lanes(8, |high, low, new| {
                let both = [low, high].concat();
                let kept = both.len().saturating_sub(down).min(128);
                new[..kept].copy_from_slice(&both[both.len().min(down)..][..kept]);
            })?;
        }
        M::Pslldq | M::Vpslldq => {
            let up = 8 * step.last_immediate().min(16);
            map_pieces(step, 128, 128, |from, new| new[up..].copy_from_slice(&from[..128 - up]))?;
        }
        M::Psrldq | M::Vpsrldq => {
            let down = 8 * step.last_immediate().min(16);
            map_pieces(step, 128, 128, |from, new| new[..128 - down].copy_from_slice(&from[down..]))?;
        }
        M::Psllw | M::Vpsllw => shift(step, 16, Shift::Up)?,
        M::Pslld | M::Vpslld => shift(step, 32, Shift::Up)?,
        M::Psllq | M::Vpsllq => shift(step, 64, Shift::Up)?,
        M::Psrlw | M::Vpsrlw => shift(step, 16, Shift::Down)?,
        M::Psrld | M::Vpsrld => shift(step, 32, Shift::Down)?,
        M::Vprold => shift(step, 32, Shift::Rotate)?,
        M::Vprolq => shift(step, 64, Shift::Rotate)?,
        M::Psrlq | M::Vpsrlq => shift(step, 64, Shift::Down)?,
        M::Psraw | M::Vpsraw => shift(step, 16, Shift::ArithmeticDown)?,
        M::Psrad | M::Vpsrad => shift(step, 32, Shift::ArithmeticDown)?,
        M::Vpsraq => shift(step, 64, Shift::ArithmeticDown)?,
        M::Paddb | M::Vpaddb => add_elements(step, 8)?,
        M::Paddw | M::Vpaddw => add_elements(step, 16)?,
        M::Paddd | M::Vpaddd => add_elements(step, 32)?,
        M::Paddq | M::Vpaddq => add_elements(step, 64)?,
        M::Psubb | M::Vpsubb => map_known_elements(step, 8, u64::wrapping_sub)?,
        M::Psubw | M::Vpsubw => map_known_elements(step, 16, u64::wrapping_sub)?,
        M::Psubd | M::Vpsubd => map_known_elements(step, 32, u64::wrapping_sub)?,
        M::Psubq | M::Vpsubq => map_known_elements(step, 64, u64::wrapping_sub)?,
        M::Paddusb | M::Vpaddusb => map_known_elements(step, 8, |one, other| (one + other).min(0xFF))?,
        M::Pcmpeqb | M::Vpcmpeqb if is_vector(step) => compare_equal(step, 8)?,
        M::Pcmpeqw | M::Vpcmpeqw if is_vector(step) => compare_equal(step, 16)?,
        M::Pcmpeqd | M::Vpcmpeqd if is_vector(step) => compare_equal(step, 32)?,
        M::Pcmpeqq | M::Vpcmpeqq if is_vector(step) => compare_equal(step, 64)?,
        M::Vpcmpeqb => equal_into_mask(step, 8)?,
        M::Vpcmpeqw => equal_into_mask(step, 16)?,
        M::Vpcmpeqd => equal_into_mask(step, 32)?,
        M::Vpcmpeqq => equal_into_mask(step, 64)?,
        M::Vpcmpub => compare_unsigned(step, 8)?,
        M::Vpcmpuw => compare_unsigned(step, 16)?,
        M::Vpcmpud => compare_unsigned(step, 32)?,
        M::Vpcmpuq => compare_unsigned(step, 64)?,
        M::Vpmovm2b => expand_mask(step, 8)?,
        M::Vpmovm2w => expand_mask(step, 16)?,
        M::Vpmovm2d => expand_mask(step, 32)?,
        M::Vpmovm2q => expand_mask(step, 64)?,
        M::Vpmovb2m => highest_bits(step, 8)?,
        M::Vpmovw2m => highest_bits(step, 16)?,
        M::Vpmovd2m => highest_bits(step, 32)?,
        M::Vpmovq2m => highest_bits(step, 64)?,
        M::Pcmpgtb | M::Vpcmpgtb if is_vector(step) => compare_greater(step, 8)?,
        M::Pcmpgtd | M::Vpcmpgtd if is_vector(step) => compare_greater(step, 32)?,
        M::Pcmpgtq | M::Vpcmpgtq if is_vector(step) => compare_greater(step, 64)?,
        M::Vpermq | M::Vpermpd if step.instruction.op_kind(2) == OpKind::Immediate8 => {
            let order = step.last_immediate();
            map_pieces(step, 64, 256, |from, new| {
                for (place, new) in new.as_chunks_mut::<64>().0.iter_mut().enumerate() {
                    new.copy_from_slice(element(from, 64, order >> (2 * place) & 3));
                }
            })?;
        }
        M::Vperm2i128 | M::Vperm2f128 => {
            let order = step.last_immediate();
            let (one, other) = (step.vector(1, 256)?, step.vector(2, 256)?);
            let mut new = [Bit::ZERO; 512];
            for (place, new) in new[..256].as_chunks_mut::<128>().0.iter_mut().enumerate() {
                let which = order >> (4 * place);
                if which & 8 == 0 {
                    new.copy_from_slice(element(if which & 2 == 0 { &one[..] } else { &other[..] }, 128, which & 1));
                }
            }
            step.set_vector(0, &mut new, 256, 128)?;
        }
        M::Vshufi32x4 | M::Vshuff32x4 => shuffle_lanes(step, 32)?,
        M::Vshufi64x2 | M::Vshuff64x2 => shuffle_lanes(step, 64)?,
        M::Valignq => align(step, 64)?,
        M::Valignd => align(step, 32)?,
        M::Pblendw | M::Vpblendw => blend(step, 16)?,
        M::Vpblendd | M::Blendps | M::Vblendps => blend(step, 32)?,
        M::Blendpd | M::Vblendpd => blend(step, 64)?,
        M::Vpblendmd => blend_by_mask(step, 32)?,
        M::Vpblendmq => blend_by_mask(step, 64)?,
        M::Vpcompressq => compress(step)?,
        M::Vpermt2q | M::Vpermi2q => permute_two(step, 64)?,
        M::Vpermt2d | M::Vpermi2d => permute_two(step, 32)?,
        M::Vpermd | M::Vpermps => permute_by_register(step, 32)?,
        M::Vpermq | M::Vpermpd => permute_by_register(step, 64)?,
        M::Pmovmskb | M::Vpmovmskb => {
            let bits = step.width(1);
            let from = step.vector(1, bits)?;
            let signs: Vec<Bit> = from[..bits].as_chunks::<8>().0.iter().map(|byte| byte[7]).collect();
            let register = step.instruction.op_register(0).full_register();
            step.machine.set_integer(register, Word::from_bits(&signs));
        }
        M::Ptest | M::Vptest => {
            step.multiply();
            let bits = step.width(0);
            let (one, other) = (step.vector(0, bits)?, step.vector(1, bits)?);
            let of = |of: fn(Bit, Bit) -> Bit| -> Flag {
                let bits: Vec<Bit> = one[..bits].iter().zip(&other[..bits]).map(|(&a, &b)| of(a, b)).collect();
                Flag::are_zero(&bits)
            };
            let no = Flag::Bit(Bit::ZERO);
            step.machine.flags = Flags {
                zero: of(Bit::and),
                carry: of(|one, other| one.inverted().and(other)),
                sign: no.clone(),
                overflow: no.clone(),
                parity: no,
            };
        }
        _ => return Ok(false),
    }
    Ok(true)
}

fn is_vector(step: &Step<'_>) -> bool {
    step.instruction.op_register(0).is_vector_register()
}

fn element(bits: &[Bit], width: usize, place: usize) -> &[Bit] {
    &bits[place * width..(place + 1) * width]
}

fn map_bits(step: &mut Step<'_>, element: usize, of: impl Fn(Bit, Bit) -> Bit) -> StepResult {
    step.zip_lanes(element, |one, other, new| {
        for ((&one, &other), new) in one.iter().zip(other).zip(new) {
            *new = of(one, other);
        }
    })
}

/// Applies `of` to each pair of bits at the same position in two vectors, like [`map_bits`]. Here `of` multiplies bits,
/// which raises the polynomial degree.
fn map_products(step: &mut Step<'_>, element: usize, of: impl Fn(Bit, Bit) -> Bit) -> StepResult {
    step.keep_lanes();
    let bits = step.width(0);
    let (one, other) = step.source_operands();
    let (one, other) = (step.vector(one, bits)?, step.vector(other, bits)?);
    step.multiply_where_unknown(&one[..bits], &other[..bits]);
    let mut new = [Bit::ZERO; 512];
    for (place, new) in new[..bits].iter_mut().enumerate() {
        *new = of(one[place], other[place]);
    }
    step.set_vector(0, &mut new, bits, element)
}

/// Applies `of` to each group of `piece` consecutive bits of the instruction's source operand.
fn map_pieces(step: &mut Step<'_>, element: usize, piece: usize, of: impl Fn(&[Bit], &mut [Bit])) -> StepResult {
    if piece <= 128 {
        step.keep_lanes();
    }
    let bits = step.width(0);
    let operand = if step.is_legacy() && step.instruction.op_count() == 2 { 0 } else { 1 };
    let from = step.vector(operand, bits)?;
    let mut new = [Bit::ZERO; 512];
    for (from, new) in from[..bits].chunks(piece).zip(new[..bits].chunks_mut(piece)) {
        of(from, new);
    }
    step.set_vector(0, &mut new, bits, element)
}

/// Executes VPTERNLOG: computes, at each bit position, a function of three operand bits. The function is given by its
/// truth table, and computed as a sum of products.
fn ternary_logic(step: &mut Step<'_>, element: usize) -> StepResult {
    step.keep_lanes();
    let bits = step.width(0);
    let (one, two, three) = (step.vector(0, bits)?, step.vector(1, bits)?, step.vector(2, bits)?);
    let mut coefficients: Vec<bool> = (0..8).map(|place| step.last_immediate() >> place & 1 == 1).collect();
    for variable in [1, 2, 4] {
        for place in (0..8).filter(|place| place & variable != 0) {
            coefficients[place] ^= coefficients[place ^ variable];
        }
    }
    for term in (0..8_usize).filter(|&term| coefficients[term]) {
        for (both, [one, other]) in [(3, [&two, &three]), (5, [&one, &three]), (6, [&one, &two])] {
            if term & both == both {
                step.multiply_where_unknown(&one[..bits], &other[..bits]);
            }
        }
    }
    let mut new = [Bit::ZERO; 512];
    for (place, new) in new[..bits].iter_mut().enumerate() {
        let factors = [(4, one[place]), (2, two[place]), (1, three[place])];
        for term in (0..8_usize).filter(|&term| coefficients[term]) {
            let named = factors.iter().filter(|(variable, _)| term & variable != 0);
            *new ^= named.fold(Bit::ONE, |map_products, (_, factor)| map_products.and(*factor));
        }
    }
    step.set_vector(0, &mut new, bits, element)
}

fn shuffle_bytes(step: &mut Step<'_>) -> StepResult {
    step.keep_lanes();
    let bits = step.width(0);
    let (from, control) = step.source_operands();
    let order = step.known_bytes(control, bits, "a shuffle")?;
    let from = step.vector(from, bits)?;
    let mut new = [Bit::ZERO; 512];
    for (place, new) in new[..bits].as_chunks_mut::<8>().0.iter_mut().enumerate() {
        if order[place] & 0x80 == 0 {
            new.copy_from_slice(element(&from[..], 8, place / 16 * 16 + usize::from(order[place] & 15)));
        }
    }
    step.set_vector(0, &mut new, bits, 8)
}

fn unpack(step: &mut Step<'_>, width: usize, is_high: bool) -> StepResult {
    step.zip_lanes(width, |one, other, new| {
        let half = 64 / width;
        for place in 0..half {
            let from = if is_high { half + place } else { place };
            let to = 2 * place * width;
            new[to..to + width].copy_from_slice(element(one, width, from));
            new[to + width..to + 2 * width].copy_from_slice(element(other, width, from));
        }
    })
}

enum Shift {
    Up,
    Down,
    ArithmeticDown,
    Rotate,
}

fn shift(step: &mut Step<'_>, width: usize, shift: Shift) -> StepResult {
    step.keep_lanes();
    let last = step.instruction.op_count() - 1;
    let count = if step.instruction.op_kind(last) == OpKind::Immediate8 {
        step.immediate(last)
    } else {
        let bytes = step.known_bytes(last, 64, "a shift's count")?;
        u64::from_le_bytes(std::array::from_fn(|place| bytes[place])).min(255) as usize
    };
    let bits = step.width(0);
    let operand = if step.is_legacy() { 0 } else { 1 };
    let from = step.vector(operand, bits)?;
    let mut new = [Bit::ZERO; 512];
    for (from, new) in from[..bits].chunks(width).zip(new[..bits].chunks_mut(width)) {
        let count = if matches!(shift, Shift::Rotate) { count % width } else { count.min(width) };
        match shift {
            Shift::Rotate => {
                new[count..].copy_from_slice(&from[..width - count]);
                new[..count].copy_from_slice(&from[width - count..]);
            }
            Shift::Up => new[count..].copy_from_slice(&from[..width - count]),
            Shift::Down => new[..width - count].copy_from_slice(&from[count..]),
            Shift::ArithmeticDown => {
                new[..width - count].copy_from_slice(&from[count..]);
                new[width - count..].fill(from[width - 1]);
            }
        }
    }
    step.set_vector(0, &mut new, bits, width)
}

/// Applies `of` to each pair of elements at the same position in two vectors. An element has `width` bits. If `of`
/// returns `None`, the operation depends on secrets and the instruction is refused; `what` describes the operation in
/// the refusal.
fn map_elements(
    step: &mut Step<'_>,
    width: usize,
    of: impl Fn(&Word, &Word) -> Option<Word>,
    what: &'static str,
) -> StepResult {
    let bits = step.width(0);
    let (one, other) = step.source_operands();
    let (one, other) = (step.vector(one, bits)?, step.vector(other, bits)?);
    let mut new = [Bit::ZERO; 512];
    for ((one, other), new) in one.chunks(width).zip(other.chunks(width)).zip(new[..bits].chunks_mut(width)) {
        let value = of(&Word::from_bits(one), &Word::from_bits(other)).ok_or(Refusal::Secret(what))?;
        new.copy_from_slice(&value.bits()[..width]);
    }
    step.set_vector(0, &mut new, bits, width)
}

fn add_elements(step: &mut Step<'_>, width: usize) -> StepResult {
    map_elements(
        step,
        width,
        |one, other| match (one.known(), other.known()) {
            (Some(one), Some(other)) => Some(Word::Known(one.wrapping_add(other)).low(width)),
            _ => Some(sum_of_bits(one, other, Bit::ZERO, width)?.0.low(width)),
        },
        "a sum with carries",
    )
}

fn map_known_elements(step: &mut Step<'_>, width: usize, of: impl Fn(u64, u64) -> u64) -> StepResult {
    let of = |one: &Word, other: &Word| Some(Word::Known(of(one.known()?, other.known()?)).low(width));
    map_elements(step, width, of, "a sum or difference")
}

/// Compares the elements of two vectors. Each result element is all ones if the compared elements are equal, otherwise
/// zero.
fn compare_equal(step: &mut Step<'_>, width: usize) -> StepResult {
    step.multiply_bits(width);
    step.zip_lanes(width, |one, other, new| {
        for ((one, other), new) in one.chunks(width).zip(other.chunks(width)).zip(new.chunks_mut(width)) {
            new.fill(are_equal(one, other));
        }
    })
}

/// Compares the elements of two vectors with `of`, and stores each result in one bit of a mask register.
fn compare_into_mask(step: &mut Step<'_>, width: usize, of: impl Fn(&[Bit], &[Bit]) -> Option<Bit>) -> StepResult {
    let bits = step.width(1);
    let (one, other) = (step.vector(1, bits)?, step.vector(2, bits)?);
    let enabled = step.enabled_elements(bits / width)?;
    let mut new = [Bit::ZERO; 64];
    for place in (0..bits / width).filter(|place| enabled >> place & 1 == 1) {
        let (one, other) = (element(&one[..], width, place), element(&other[..], width, place));
        new[place] = of(one, other).ok_or(Refusal::Secret("a comparison"))?;
    }
    step.machine.set_mask(step.instruction.op_register(0), Word::from_bits(&new));
    Ok(())
}

fn equal_into_mask(step: &mut Step<'_>, width: usize) -> StepResult {
    step.multiply_bits(width);
    compare_into_mask(step, width, |one, other| Some(are_equal(one, other)))
}

/// Compares unsigned elements of two vectors by the predicate in the immediate operand. The elements must be concrete.
fn compare_unsigned(step: &mut Step<'_>, width: usize) -> StepResult {
    let predicate = step.last_immediate();
    compare_into_mask(step, width, |one, other| {
        let (one, other) = (Word::from_bits(one).known()?, Word::from_bits(other).known()?);
        let holds = match predicate & 3 {
            0 => one == other,
            1 => one < other,
            2 => one <= other,
            _ => false,
        };
        Some(Bit::from(holds ^ (predicate & 4 != 0)))
    })
}

/// Sets all bits of each vector element to the corresponding bit of a mask register.
fn expand_mask(step: &mut Step<'_>, width: usize) -> StepResult {
    let bits = step.width(0);
    let mask = step.machine.mask(step.instruction.op_register(1), &mut step.context.symbols).bits();
    let mut new = [Bit::ZERO; 512];
    for (element, bit) in new[..bits].chunks_mut(width).zip(mask) {
        element.fill(bit);
    }
    step.set_vector(0, &mut new, bits, width)
}

/// Copies the highest bit of each vector element to the corresponding bit of a mask register.
fn highest_bits(step: &mut Step<'_>, width: usize) -> StepResult {
    let bits = step.width(1);
    let from = step.vector(1, bits)?;
    let highest: Vec<Bit> = from[..bits].chunks(width).map(|element| element[width - 1]).collect();
    step.machine.set_mask(step.instruction.op_register(0), Word::from_bits(&highest));
    Ok(())
}

/// Returns a bit that is 1 if two bit strings are equal, and 0 otherwise. The bit is computed as a polynomial: a
/// product over all positions.
fn are_equal(one: &[Bit], other: &[Bit]) -> Bit {
    one.iter().zip(other).fold(Bit::ONE, |all, (&one, &other)| all.and((one ^ other).inverted()))
}

/// Compares signed elements of two vectors. The elements must be concrete unless the first one is zero: then the result
/// is the sign bit of the second one, since zero is greater than any negative number.
fn compare_greater(step: &mut Step<'_>, width: usize) -> StepResult {
    let signed = |value: u64| (value << (64 - width)) as i64;
    let of = |one: &Word, other: &Word| {
        let is_greater = match (one.known(), other.known()) {
            (Some(one), Some(other)) => Bit::from(signed(one) > signed(other)),
            (Some(0), None) => other.bits()[width - 1],
            _ => return None,
        };
        Some(Word::from_bits(&[is_greater; 64][..width]))
    };
    map_elements(step, width, of, "a comparison")
}

fn shuffle_lanes(step: &mut Step<'_>, element_bits: usize) -> StepResult {
    let bits = step.width(0);
    let order = step.last_immediate();
    let (one, other) = (step.vector(1, bits)?, step.vector(2, bits)?);
    let lanes = bits / 128;
    let mut new = [Bit::ZERO; 512];
    for (place, new) in new[..bits].as_chunks_mut::<128>().0.iter_mut().enumerate() {
        let from = if place < lanes / 2 { &one } else { &other };
        let which = if lanes == 4 { order >> (2 * place) & 3 } else { order >> place & 1 };
        new.copy_from_slice(element(&from[..], 128, which));
    }
    step.set_vector(0, &mut new, bits, element_bits)
}

fn align(step: &mut Step<'_>, width: usize) -> StepResult {
    let bits = step.width(0);
    let down = step.last_immediate() % (bits / width) * width;
    let (high, low) = (step.vector(1, bits)?, step.vector(2, bits)?);
    let both = [&low[..bits], &high[..bits]].concat();
    let mut new = [Bit::ZERO; 512];
    new[..bits].copy_from_slice(&both[down..down + bits]);
    step.set_vector(0, &mut new, bits, width)
}

fn blend(step: &mut Step<'_>, width: usize) -> StepResult {
    let which = step.last_immediate();
    let bits = step.width(0);
    let (one, other) = step.source_operands();
    let (one, other) = (step.vector(one, bits)?, step.vector(other, bits)?);
    let mut new = [Bit::ZERO; 512];
    for (place, new) in new[..bits].chunks_mut(width).enumerate() {
        let from = if which >> (place % 8) & 1 == 0 { &one } else { &other };
        new.copy_from_slice(element(&from[..], width, place));
    }
    step.set_vector(0, &mut new, bits, width)
}

/// Executes VPBLENDM: takes elements from the second source where the mask is set, and from the first source elsewhere.
fn blend_by_mask(step: &mut Step<'_>, width: usize) -> StepResult {
    let bits = step.width(0);
    let enabled = step.enabled_elements(bits / width)?;
    let (one, other) = (step.vector(1, bits)?, step.vector(2, bits)?);
    let mut new = [Bit::ZERO; 512];
    for (place, new) in new[..bits].chunks_mut(width).enumerate() {
        if enabled >> place & 1 == 1 {
            new.copy_from_slice(element(&other[..], width, place));
        } else if !step.instruction.zeroing_masking() {
            new.copy_from_slice(element(&one[..], width, place));
        }
    }
    step.machine.set_vector(step.instruction.op_register(0), std::rc::Rc::new(new));
    Ok(())
}

/// Executes VPCOMPRESS: moves the elements selected by the mask to the lowest positions. Memory destinations are not
/// supported.
fn compress(step: &mut Step<'_>) -> StepResult {
    if step.is_memory(0) {
        return Err(Refusal::Unknown);
    }
    let bits = step.width(0);
    let enabled = step.enabled_elements(bits / 64)?;
    let from = step.vector(1, bits)?;
    let mut new = [Bit::ZERO; 512];
    if !step.instruction.zeroing_masking() {
        new[..bits].copy_from_slice(&step.vector(0, bits)?[..bits]);
    }
    let kept = (0..bits / 64).filter(|place| enabled >> place & 1 == 1);
    for (new, place) in new.as_chunks_mut::<64>().0.iter_mut().zip(kept) {
        new.copy_from_slice(element(&from[..], 64, place));
    }
    step.machine.set_vector(step.instruction.op_register(0), std::rc::Rc::new(new));
    Ok(())
}

/// Selects elements from two vectors by indices in a third vector. The indices must be concrete.
fn permute_two(step: &mut Step<'_>, width: usize) -> StepResult {
    let bits = step.width(0);
    // VPERMI2 has the order in the destination, VPERMT2 the first vector.
    let is_by_result = matches!(step.instruction.mnemonic(), Mnemonic::Vpermi2q | Mnemonic::Vpermi2d);
    let (order, first) = if is_by_result { (0, 1) } else { (1, 0) };
    let order = step.vector(order, bits)?;
    let (one, other) = (step.vector(first, bits)?, step.vector(2, bits)?);
    let count = bits / width;
    let mut new = [Bit::ZERO; 512];
    for (place, new) in new[..bits].chunks_mut(width).enumerate() {
        let which = known_byte(&order[place * width..place * width + 8]).ok_or(Refusal::Secret("a shuffle"))?;
        let which = usize::from(which) % (2 * count);
        new.copy_from_slice(element(if which < count { &one[..] } else { &other[..] }, width, which % count));
    }
    step.set_vector(0, &mut new, bits, width)
}

fn permute_by_register(step: &mut Step<'_>, width: usize) -> StepResult {
    let bits = step.width(0);
    let (order, from) = (step.vector(1, bits)?, step.vector(2, bits)?);
    let mut new = [Bit::ZERO; 512];
    for (place, new) in new[..bits].chunks_mut(width).enumerate() {
        let which = known_byte(&order[place * width..place * width + 8]).ok_or(Refusal::Secret("a shuffle"))?;
        new.copy_from_slice(element(&from[..], width, usize::from(which) % (bits / width)));
    }
    step.set_vector(0, &mut new, bits, width)
}
