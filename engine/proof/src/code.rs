//! Decodes the library's instructions, and records the executed ones.

use std::collections::BTreeSet;
use std::rc::Rc;

use iced_x86::{Decoder, DecoderOptions, FastFormatter, FlowControl, Instruction};

use crate::library::Library;
use crate::native;

/// The library's code. Each instruction is decoded when it is first executed.
#[derive(Default)]
pub struct Code {
    /// Address at which the loader has mapped the library's file.
    base: u64,
    start: u64,
    bytes: Vec<u8>,
    /// Maps each byte of code to the instruction that begins there: its index in `decoded` plus one, or zero for none.
    instruction_numbers: Vec<u32>,
    decoded: Vec<Rc<Instruction>>,
    executed: Vec<bool>,
}

impl Code {
    #[must_use]
    pub fn new(library: &Library) -> Self {
        let (start, bytes) = library.code();
        let length = bytes.len();
        Self {
            base: library.base(),
            start,
            bytes,
            instruction_numbers: vec![0; length],
            decoded: Vec::new(),
            executed: vec![false; length],
        }
    }

    /// Returns the instruction at `address`, or `None` if the address is outside the library.
    pub fn instruction(&mut self, address: u64) -> Option<Rc<Instruction>> {
        let offset = usize::try_from(address.checked_sub(self.start)?).ok()?;
        let number = self.instruction_numbers.get_mut(offset)?;
        if *number == 0 {
            let bytes = &self.bytes[offset..];
            let instruction = Decoder::with_ip(64, bytes, address, DecoderOptions::NONE).decode();
            self.decoded.push(Rc::new(instruction));
            *number = self.decoded.len() as u32;
        }
        self.executed[offset] = true;
        Some(Rc::clone(&self.decoded[*number as usize - 1]))
    }

    /// Returns the disassembly of the instruction at `address`, with the address in the library's file, in the format
    /// of objdump.
    pub fn describe(&mut self, address: u64) -> String {
        let Some(offset) = address.checked_sub(self.start) else { return format!("{address:#x}") };
        let was_executed = self.executed.get(offset as usize).copied();
        let Some(instruction) = self.instruction(address) else { return format!("{address:#x}") };
        self.executed[offset as usize] = was_executed.unwrap_or(false);
        format!("{} at {:#x}", Self::disassemble(&instruction), address - self.base)
    }

    /// Returns whether the instruction at `address` is a call or a return.
    pub fn is_call(&mut self, address: u64) -> bool {
        use FlowControl::{Call, IndirectCall, Return};
        self.instruction(address).is_some_and(|it| matches!(it.flow_control(), Call | IndirectCall | Return))
    }

    #[must_use]
    pub fn disassemble(instruction: &Instruction) -> String {
        let mut text = String::new();
        FastFormatter::new().format(instruction, &mut text);
        text
    }

    /// Returns the address at which the loader has mapped the library's file.
    #[must_use]
    pub fn base(&self) -> u64 {
        self.base
    }

    #[must_use]
    pub fn bytes(&self, instruction: &Instruction) -> &[u8] {
        let offset = (instruction.ip() - self.start) as usize;
        &self.bytes[offset..offset + instruction.len()]
    }

    /// Overwrites the library's code with `bytes` at `address`.
    pub fn patch(&mut self, address: u64, bytes: &[u8]) {
        let offset = (address - self.start) as usize;
        self.bytes[offset..offset + bytes.len()].copy_from_slice(bytes);
        // Discards decoded instructions, because the change may overlap them.
        self.instruction_numbers.fill(0);
        self.decoded.clear();
    }

    /// Returns the addresses of the instructions executed since the last call of this method.
    pub fn take_executed(&mut self) -> Vec<u64> {
        let mut addresses = Vec::new();
        for (offset, executed) in self.executed.iter_mut().enumerate() {
            if std::mem::take(executed) {
                addresses.push(self.start + offset as u64);
            }
        }
        addresses
    }

    /// Returns the position-independent encodings ([`native::relocatable_bytes`]) of the instructions executed since
    /// the last call of this method.
    pub fn take_instruction_forms(&mut self) -> BTreeSet<Vec<u8>> {
        let executed = self.take_executed();
        executed.into_iter().filter_map(|at| native::relocatable_bytes(&*self.instruction(at)?)).collect()
    }
}
