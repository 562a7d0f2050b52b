//! Executes instructions that move bits without changing them.

use std::rc::Rc;

use iced_x86::{Mnemonic, Register};

use super::step::{Step, StepResult, repeat};
use crate::field::Bit;
use crate::refusal::Refusal;
use crate::word::Word;

pub(super) fn execute(step: &mut Step<'_>) -> Result<bool, Refusal> {
    use Mnemonic as M;
    match step.instruction.mnemonic() {
        M::Movdqu | M::Movups | M::Movupd | M::Lddqu | M::Vmovdqu | M::Vmovups | M::Vmovupd | M::Vlddqu => {
            move_vector(step, 32, false)?;
        }
        M::Vmovdqu8 => move_vector(step, 8, false)?,
        M::Vmovdqu16 => move_vector(step, 16, false)?,
        M::Vmovdqu32 => move_vector(step, 32, false)?,
        M::Vmovdqu64 => move_vector(step, 64, false)?,
        M::Movdqa | M::Movaps | M::Movapd | M::Movntdq | M::Movntps => move_vector(step, 32, true)?,
        M::Vmovdqa | M::Vmovaps | M::Vmovapd | M::Vmovdqa32 | M::Vmovntdq | M::Vmovntps => move_vector(step, 32, true)?,
        M::Vmovdqa64 => move_vector(step, 64, true)?,
        M::Movd | M::Vmovd => move_scalar(step, 32)?,
        M::Movq | M::Vmovq => move_scalar(step, 64)?,
        M::Movss | M::Vmovss if step.instruction.op_count() == 2 => move_single(step, 32)?,
        M::Movsd | M::Vmovsd if step.instruction.op_count() == 2 => move_single(step, 64)?,
        M::Movlps | M::Movlpd | M::Vmovlps | M::Vmovlpd => move_half(step, 0)?,
        M::Movhps | M::Movhpd | M::Vmovhps | M::Vmovhpd => move_half(step, 64)?,
        M::Movlhps | M::Vmovlhps => step.zip_lanes(64, |one, other, new| {
            new[..64].copy_from_slice(&one[..64]);
            new[64..].copy_from_slice(&other[..64]);
        })?,
        M::Movhlps | M::Vmovhlps => step.zip_lanes(64, |one, other, new| {
            new[..64].copy_from_slice(&other[64..]);
            new[64..].copy_from_slice(&one[64..]);
        })?,
        M::Pinsrb | M::Vpinsrb => insert_integer(step, 8)?,
        M::Pinsrw | M::Vpinsrw => insert_integer(step, 16)?,
        M::Pinsrd | M::Vpinsrd => insert_integer(step, 32)?,
        M::Pinsrq | M::Vpinsrq => insert_integer(step, 64)?,
        M::Pextrb | M::Vpextrb => extract_integer(step, 8)?,
        M::Pextrw | M::Vpextrw => extract_integer(step, 16)?,
        M::Pextrd | M::Vpextrd => extract_integer(step, 32)?,
        M::Pextrq | M::Vpextrq => extract_integer(step, 64)?,
        M::Vpbroadcastb => broadcast(step, 8, 8)?,
        M::Vpbroadcastw => broadcast(step, 16, 16)?,
        M::Vpbroadcastd | M::Vbroadcastss => broadcast(step, 32, 32)?,
        M::Vpbroadcastq | M::Vbroadcastsd => broadcast(step, 64, 64)?,
        M::Movddup | M::Vmovddup => {
            let bits = step.width(0);
            let from = step.vector(1, bits)?;
            let mut new = *from;
            for lane in new[..bits].as_chunks_mut::<128>().0 {
                repeat(lane, 64);
            }
            step.set_vector(0, &mut new, bits, 64)?;
        }
        M::Vbroadcasti128 | M::Vbroadcastf128 | M::Vbroadcasti32x4 | M::Vbroadcastf32x4 => broadcast(step, 128, 32)?,
        M::Vbroadcasti64x2 | M::Vbroadcastf64x2 => broadcast(step, 128, 64)?,
        M::Vbroadcasti64x4 | M::Vbroadcastf64x4 => broadcast(step, 256, 64)?,
        M::Vinserti128 | M::Vinsertf128 | M::Vinserti32x4 | M::Vinsertf32x4 => insert(step, 128, 32)?,
        M::Vinserti64x2 | M::Vinsertf64x2 => insert(step, 128, 64)?,
        M::Vinserti64x4 | M::Vinsertf64x4 => insert(step, 256, 64)?,
        M::Vextracti128 | M::Vextractf128 | M::Vextracti32x4 | M::Vextractf32x4 => extract(step, 128, 32)?,
        M::Vextracti64x2 | M::Vextractf64x2 => extract(step, 128, 64)?,
        M::Vextracti64x4 | M::Vextractf64x4 => extract(step, 256, 64)?,
        // VZEROUPPER clears only bits above 128, which no caller may use.
        M::Vzeroupper => {
            for number in 0..16 {
                let register = Register::XMM0 + number;
                let mut line = *step.machine.vector(register, 128, &mut step.context.symbols);
                line[128..].fill(Bit::ZERO);
                step.machine.set_vector(register, Rc::new(line));
            }
        }
        _ => return Ok(false),
    }
    Ok(true)
}

/// Moves a whole vector between two registers, or between a register and memory. A mask may select elements.
fn move_vector(step: &mut Step<'_>, element: usize, is_aligned: bool) -> StepResult {
    if step.instruction.op_mask() == Register::None {
        step.keep_lanes();
    }
    let memory = [0, 1].into_iter().find(|&operand| step.is_memory(operand));
    let bits = step.width(if memory == Some(0) { 1 } else { 0 });
    let Some(memory) = memory else {
        let from = step.vector(1, bits)?;
        if bits == 512 && step.instruction.op_mask() == Register::None {
            step.machine.set_vector(step.instruction.op_register(0), from);
            return Ok(());
        }
        let mut new = *from;
        return step.set_vector(0, &mut new, bits, element);
    };
    let address = step.address()?;
    if is_aligned && !address.is_multiple_of(bits as u64 / 8) {
        return Err(Refusal::Stuck("needs an aligned address, and has another"));
    }
    let has_mask = step.instruction.op_mask() != Register::None;
    if bits == 512 && !has_mask && address.is_multiple_of(64) {
        if memory == 0 {
            let from = step.vector(1, bits)?;
            return step.machine.memory.write_line(address, &from);
        }
        if let Some(line) = step.machine.memory.read_line(address, &mut step.context.symbols)? {
            step.machine.set_vector(step.instruction.op_register(0), line);
            return Ok(());
        }
    }
    // Accesses adjacent enabled elements together, and no masked-out elements.
    let enabled = step.enabled_elements(bits / element)?;
    let mut new = [Bit::ZERO; 512];
    let from = if memory == 0 { Some(step.vector(1, bits)?) } else { None };
    let mut place = 0;
    while place < bits / element {
        let length = (!(enabled >> place)).trailing_zeros() as usize;
        let length = length.min(bits / element - place);
        if length == 0 {
            place += 1;
            continue;
        }
        let (range, at) = (place * element..(place + length) * element, address + (place * element / 8) as u64);
        match &from {
            Some(from) => step.machine.memory.write(at, &from[range])?,
            None => step.read(at, &mut new[range])?,
        }
        place += length;
    }
    if from.is_some() { Ok(()) } else { step.set_vector(0, &mut new, bits, element) }
}

/// Moves the lowest `bits` bits of a vector to or from an integer register, memory or another vector. The other bits of
/// a destination vector become zero.
fn move_scalar(step: &mut Step<'_>, bits: usize) -> StepResult {
    let is_vector = |step: &Step<'_>, operand| {
        !step.is_memory(operand) && step.instruction.op_register(operand).is_vector_register()
    };
    let from = if is_vector(step, 1) {
        let register = step.instruction.op_register(1);
        Word::from_bits(&step.machine.vector(register, bits, &mut step.context.symbols)[..bits])
    } else {
        step.get(1)?
    };
    if !is_vector(step, 0) {
        return step.set(0, &from);
    }
    let mut new = [Bit::ZERO; 512];
    new[..bits].copy_from_slice(&from.bits()[..bits]);
    step.set_vector(0, &mut new, 128, bits)
}

/// Moves the lowest `bits` bits of a vector to or from memory (MOVSS, MOVSD).
fn move_single(step: &mut Step<'_>, bits: usize) -> StepResult {
    if !step.is_memory(0) && !step.is_memory(1) {
        return Err(Refusal::Unknown); // between registers, the instruction keeps the upper bits
    }
    let from = step.vector(1, 128)?;
    if step.is_memory(0) {
        let address = step.address()?;
        return step.machine.memory.write(address, &from[..bits]);
    }
    let mut new = [Bit::ZERO; 512];
    new[..bits].copy_from_slice(&from[..bits]);
    step.set_vector(0, &mut new, 128, bits)
}

/// Moves one half of a 128-bit vector to or from memory. `place`, 0 or 64, is the first bit of this half.
fn move_half(step: &mut Step<'_>, place: usize) -> StepResult {
    let address = step.address()?;
    if step.is_memory(0) {
        let from = step.vector(1, 128)?;
        return step.machine.memory.write(address, &from[place..place + 64]);
    }
    let other = if step.is_legacy() { 0 } else { 1 };
    let mut new = *step.vector(other, 128)?;
    step.read(address, &mut new[place..place + 64])?;
    step.set_vector(0, &mut new, 128, 64)
}

fn insert_integer(step: &mut Step<'_>, element: usize) -> StepResult {
    let (old, from) = step.source_operands();
    let place = step.last_immediate() % (128 / element) * element;
    let value = step.get(from)?.bits();
    let mut new = *step.vector(old, 128)?;
    new[place..place + element].copy_from_slice(&value[..element]);
    step.set_vector(0, &mut new, 128, element)
}

fn extract_integer(step: &mut Step<'_>, element: usize) -> StepResult {
    let place = step.last_immediate() % (128 / element) * element;
    let from = step.vector(1, 128)?;
    let value = Word::from_bits(&from[place..place + element]);
    step.set(0, &value)
}

fn broadcast(step: &mut Step<'_>, from: usize, element: usize) -> StepResult {
    let bits = step.width(0);
    let is_integer = !step.is_memory(1) && !step.instruction.op_register(1).is_vector_register();
    let mut new = [Bit::ZERO; 512];
    if is_integer {
        let register = step.instruction.op_register(1);
        let value = step.machine.integer(register, &mut step.context.symbols).bits();
        new[..from].copy_from_slice(&value[..from]);
    } else {
        new[..from].copy_from_slice(&step.vector(1, bits.min(256))?[..from]);
    }
    repeat(&mut new[..bits], from);
    step.set_vector(0, &mut new, bits, element)
}

fn insert(step: &mut Step<'_>, part: usize, element: usize) -> StepResult {
    let bits = step.width(0);
    let place = step.last_immediate() % (bits / part) * part;
    let mut new = *step.vector(1, bits)?;
    let from = step.vector(2, part)?;
    new[place..place + part].copy_from_slice(&from[..part]);
    step.set_vector(0, &mut new, bits, element)
}

fn extract(step: &mut Step<'_>, part: usize, element: usize) -> StepResult {
    let bits = step.width(1);
    let place = step.last_immediate() % (bits / part) * part;
    let from = step.vector(1, bits)?;
    if step.is_memory(0) {
        if step.instruction.op_mask() != Register::None {
            return Err(Refusal::Unknown);
        }
        let address = step.address()?;
        return step.machine.memory.write(address, &from[place..place + part]);
    }
    let mut new = [Bit::ZERO; 512];
    new[..part].copy_from_slice(&from[place..place + part]);
    step.set_vector(0, &mut new, part, element)
}
