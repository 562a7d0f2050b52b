//! Reads and writes the operands of the current instruction.

use std::rc::Rc;

use iced_x86::{EncodingKind, Instruction, OpKind, Register};

use crate::affine::AffineForm;
use crate::context::Context;
use crate::field::Bit;
use crate::flow::Degree;
use crate::machine::Machine;
use crate::memory::Line;
use crate::refusal::Refusal;
use crate::symbols::Symbols;
use crate::word::{Word, low_ones};

/// The instruction that is being executed, and the machine state that it changes.
pub(super) struct Step<'a> {
    pub(super) machine: &'a mut Machine,
    pub(super) context: &'a mut Context,
    pub(super) instruction: &'a Instruction,
}

pub(super) type StepResult = Result<(), Refusal>;

impl Step<'_> {
    pub(super) fn is_legacy(&self) -> bool {
        self.instruction.code().encoding() == EncodingKind::Legacy
    }

    /// Returns the operand indices of the two sources of a vector instruction.
    pub(super) fn source_operands(&self) -> (u32, u32) {
        if self.is_legacy() { (0, 1) } else { (1, 2) }
    }

    pub(super) fn is_memory(&self, operand: u32) -> bool {
        self.instruction.op_kind(operand) == OpKind::Memory
    }

    /// Returns the width of an operand in bits.
    pub(super) fn width(&self, operand: u32) -> usize {
        match self.instruction.op_kind(operand) {
            OpKind::Register => 8 * self.instruction.op_register(operand).size(),
            OpKind::Memory => 8 * self.instruction.memory_size().size(),
            // An immediate has the width of the destination, or 64 bits in a push.
            _ if operand == 0 => 64,
            _ => self.width(0),
        }
    }

    pub(super) fn immediate(&self, operand: u32) -> usize {
        self.instruction.immediate(operand) as u8 as usize
    }

    /// Returns the value of the last operand, an immediate byte.
    pub(super) fn last_immediate(&self) -> usize {
        self.immediate(self.instruction.op_count() - 1)
    }

    /// Returns the constant part of the memory operand's address. Stores the coefficients of the symbolic numbers in
    /// that address in `memory.symbolic_offset`.
    pub(super) fn address(&mut self) -> Result<u64, Refusal> {
        let instruction = self.instruction;
        if instruction.is_vsib() || matches!(instruction.memory_segment(), Register::FS | Register::GS) {
            return Err(Refusal::Unknown);
        }
        if instruction.is_ip_rel_memory_operand() {
            return Ok(instruction.ip_rel_memory_address());
        }
        // Addresses are public, so they do not contribute to the degree.
        let flow = self.machine.memory.flow;
        let mut address = AffineForm::constant(instruction.memory_displacement64());
        let parts = [(instruction.memory_base(), 1), (instruction.memory_index(), instruction.memory_index_scale())];
        for (register, scale) in parts.into_iter().filter(|(register, _)| *register != Register::None) {
            if !register.is_gpr64() {
                return Err(Refusal::Unknown);
            }
            let value = self.machine.integer(register, &mut self.context.symbols);
            let AffineForm { constant, coefficients } = match value.known() {
                Some(value) => AffineForm::constant(value),
                None => self.context.symbols.affine_forms.recognise(&value, 64).ok_or(Refusal::Secret("an address"))?,
            };
            let times = |number: i64| number.wrapping_mul(i64::from(scale));
            address = address + AffineForm { constant: times(constant), coefficients: coefficients.map(times) };
        }
        self.machine.memory.symbolic_offset = address.coefficients;
        self.machine.memory.flow = flow;
        Ok(address.constant.cast_unsigned())
    }

    pub(super) fn read(&mut self, address: u64, bits: &mut [Bit]) -> StepResult {
        self.machine.memory.read(address, bits, &mut self.context.symbols)
    }

    /// Reads an integer operand, zero-extended to 64 bits.
    pub(super) fn get(&mut self, operand: u32) -> Result<Word, Refusal> {
        let width = self.width(operand);
        match self.instruction.op_kind(operand) {
            OpKind::Register => {
                let register = self.instruction.op_register(operand);
                let flow = self.machine.memory.flow;
                let all = self.machine.integer(register, &mut self.context.symbols);
                let value = if is_high_byte(register) { all.shift_right(8).low(8) } else { all.low(width) };
                if value.known().is_some() {
                    // The register's degree stems from its other bits.
                    self.machine.memory.flow = flow;
                }
                Ok(value)
            }
            OpKind::Memory => {
                let address = self.address()?;
                let mut bits = [Bit::ZERO; 64];
                self.read(address, &mut bits[..width])?;
                Ok(Word::from_bits(&bits[..width]))
            }
            _ => Ok(Word::Known(self.instruction.immediate(operand) & low_ones(width))),
        }
    }

    /// Writes an integer operand.
    pub(super) fn set(&mut self, operand: u32, value: &Word) -> StepResult {
        let width = self.width(operand);
        if self.is_memory(operand) {
            let address = self.address()?;
            return self.machine.memory.write(address, &value.bits()[..width]);
        }
        self.set_register(self.instruction.op_register(operand), value);
        Ok(())
    }

    /// Writes an integer register or a part of it, such as AX or AL.
    pub(super) fn set_register(&mut self, register: Register, value: &Word) {
        let width = 8 * register.size();
        if width >= 32 {
            return self.machine.set_integer(register, value.low(width));
        }
        let from = if is_high_byte(register) { 8 } else { 0 };
        let mut bits = self.read_untracked(|machine, symbols| machine.integer(register, symbols)).bits();
        bits[from..from + width].copy_from_slice(&value.bits()[..width]);
        let kept_degrees = self.machine.degrees.integers[register.full_register().number()];
        self.machine.set_integer(register, Word::from_bits(&bits));
        let degree = &mut self.machine.degrees.integers[register.full_register().number()];
        *degree = kept_degrees.max(*degree);
    }

    /// Reads a value without adding its polynomial degree to the degrees of the instruction's operands. Used for bits
    /// of a destination that the instruction keeps.
    fn read_untracked<T>(&mut self, get: impl FnOnce(&mut Machine, &mut Symbols) -> T) -> T {
        let flow = self.machine.memory.flow;
        let value = get(self.machine, &mut self.context.symbols);
        self.machine.memory.flow = flow;
        value
    }

    /// Reads a vector operand of `bits` bits. A shorter memory operand is zero-extended, or broadcast if the
    /// instruction does so.
    pub(super) fn vector(&mut self, operand: u32, bits: usize) -> Result<Rc<Line>, Refusal> {
        if !self.is_memory(operand) {
            let register = self.instruction.op_register(operand);
            return Ok(self.machine.vector(register, bits, &mut self.context.symbols));
        }
        let address = self.address()?;
        if bits == 512
            && !self.instruction.is_broadcast()
            && let Some(line) = self.machine.memory.read_line(address, &mut self.context.symbols)?
        {
            return Ok(line);
        }
        let mut line = [Bit::ZERO; 512];
        let read = 8 * self.instruction.memory_size().size();
        // Legacy instructions require aligned operands. Unaligned moves are handled elsewhere.
        if self.is_legacy() && read == 128 && !address.is_multiple_of(16) {
            return Err(Refusal::Stuck("needs an aligned address, and has another"));
        }
        self.read(address, &mut line[..read.min(512)])?;
        if self.instruction.is_broadcast() {
            self.machine.memory.flow.mix_lanes();
            repeat(&mut line[..bits], read);
        }
        Ok(Rc::new(line))
    }

    /// Reads a vector operand that must be concrete, such as the control of a shuffle. `what` describes the operand in
    /// the refusal.
    pub(super) fn known_bytes(&mut self, operand: u32, bits: usize, what: &'static str) -> Result<Vec<u8>, Refusal> {
        let line = self.vector(operand, bits)?;
        let bytes = line[..bits].as_chunks::<8>().0;
        let known: Option<Vec<u8>> = bytes.iter().map(|bits| crate::symbols::known_byte(bits)).collect();
        known.ok_or(Refusal::Secret(what))
    }

    /// Returns the instruction's mask, with one bit for each vector element; the bits of elements that the instruction
    /// writes are set.
    pub(super) fn enabled_elements(&mut self, elements: usize) -> Result<u64, Refusal> {
        let register = self.instruction.op_mask();
        if register == Register::None {
            return Ok(low_ones(elements));
        }
        let mask = self.machine.mask(register, &mut self.context.symbols);
        mask.low(elements).known().ok_or(Refusal::Secret("a mask"))
    }

    /// Writes the lowest `bits` bits of a vector register, under the instruction's mask for elements of `element` bits.
    /// Legacy instructions keep the higher bits of the register; VEX and EVEX instructions clear them.
    pub(super) fn set_vector(&mut self, operand: u32, new: &mut Line, bits: usize, element: usize) -> StepResult {
        let register = self.instruction.op_register(operand);
        let mut kept_degrees = [Degree(0); 4];
        if self.instruction.op_mask() != Register::None {
            let enabled_elements = self.enabled_elements(bits / element)?;
            let old = self.read_untracked(|machine, symbols| machine.vector(register, 512, symbols));
            kept_degrees = self.machine.degrees.vectors[register.number()];
            for place in (0..bits / element).filter(|place| enabled_elements >> place & 1 == 0) {
                let range = place * element..(place + 1) * element;
                if self.instruction.zeroing_masking() {
                    new[range].fill(Bit::ZERO);
                } else {
                    new[range.clone()].copy_from_slice(&old[range]);
                }
            }
        }
        if self.is_legacy() {
            let old = self.read_untracked(|machine, symbols| machine.vector(register, 512, symbols));
            let lanes = bits.div_ceil(128);
            kept_degrees[lanes..].copy_from_slice(&self.machine.degrees.vectors[register.number()][lanes..]);
            new[bits..].copy_from_slice(&old[bits..]);
        } else {
            new[bits..].fill(Bit::ZERO);
        }
        self.machine.copy_into_vector(register, new);
        let lanes = self.machine.degrees.vectors[register.number()].iter_mut().zip(kept_degrees);
        lanes.for_each(|(degree, kept_degrees)| *degree = kept_degrees.max(*degree));
        Ok(())
    }

    /// Declares that each 128-bit lane of the result depends only on the same lane of the operands.
    pub(super) fn keep_lanes(&mut self) {
        self.machine.memory.flow.keep_lanes();
    }

    /// Declares that the instruction does not change the CPU flags; an example is a shift by zero.
    pub(super) fn keep_flags(&mut self) {
        self.machine.memory.flow.read(self.machine.degrees.flags);
    }

    /// Declares that the result is a sum of products of the operands, so that the operands' polynomial degrees are
    /// added.
    pub(super) fn multiply(&mut self) {
        self.machine.memory.flow.multiply();
    }

    /// Like [`Self::multiply`], but does nothing unless the operands have symbolic bits at the same position.
    pub(super) fn multiply_where_unknown(&mut self, one: &[Bit], other: &[Bit]) {
        if one.iter().zip(other).any(|(one, other)| one.known().is_none() && other.known().is_none()) {
            self.multiply();
        }
    }

    /// Declares that the result is a sum of products of up to `factors` bits of the operands.
    pub(super) fn multiply_bits(&mut self, factors: usize) {
        self.machine.memory.flow.multiply_bits(factors);
    }

    /// Applies `of` to each pair of 128-bit lanes at the same position in two vectors.
    pub(super) fn zip_lanes(&mut self, element: usize, of: impl Fn(&[Bit], &[Bit], &mut [Bit])) -> StepResult {
        self.keep_lanes();
        let bits = self.width(0);
        let (one, other) = self.source_operands();
        let (one, other) = (self.vector(one, bits)?, self.vector(other, bits)?);
        let mut new = [Bit::ZERO; 512];
        for lane in (0..bits).step_by(128) {
            let lane = lane..(lane + 128).min(bits);
            of(&one[lane.clone()], &other[lane.clone()], &mut new[lane]);
        }
        self.set_vector(0, &mut new, bits, element)
    }
}

/// Returns whether the register is AH, BH, CH or DH: bits 8 to 15 of another register.
fn is_high_byte(register: Register) -> bool {
    matches!(register, Register::AH | Register::BH | Register::CH | Register::DH)
}

/// Copies the first element of a vector to all its elements. An element has `element` bits.
pub(super) fn repeat(bits: &mut [Bit], element: usize) {
    let (first, rest) = bits.split_at_mut(element);
    for place in rest.chunks_mut(element) {
        place.copy_from_slice(&first[..place.len()]);
    }
}
