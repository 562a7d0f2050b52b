//! The library's instructions.

use std::collections::BTreeSet;
use std::rc::Rc;

use iced_x86::{Decoder, DecoderOptions, FastFormatter, FlowControl, Instruction};

use crate::library::Library;
use crate::native;

/// The instructions of a library, decoded where they are executed.
#[derive(Default)]
pub struct Code {
    /// Where the file's first byte lies.
    base: u64,
    start: u64,
    bytes: Vec<u8>,
    /// For each byte the number of the instruction that begins there, once it was decoded, and one more.
    instruction_numbers: Vec<u32>,
    decoded: Vec<Rc<Instruction>>,
    executed: Vec<bool>,
}

impl Code {
    /// That of a library.
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

    /// The instruction at an address, if that is the library's.
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

    /// The instruction in words, and its address in the file, as objdump has it.
    pub fn describe(&mut self, address: u64) -> String {
        let Some(offset) = address.checked_sub(self.start) else { return format!("{address:#x}") };
        let was_executed = self.executed.get(offset as usize).copied();
        let Some(instruction) = self.instruction(address) else { return format!("{address:#x}") };
        self.executed[offset as usize] = was_executed.unwrap_or(false);
        format!("{} at {:#x}", Self::disassemble(&instruction), address - self.base)
    }

    /// Whether it is a call or a return.
    pub fn is_call(&mut self, address: u64) -> bool {
        use FlowControl::{Call, IndirectCall, Return};
        self.instruction(address).is_some_and(|it| matches!(it.flow_control(), Call | IndirectCall | Return))
    }

    /// An instruction in words.
    #[must_use]
    pub fn disassemble(instruction: &Instruction) -> String {
        let mut text = String::new();
        FastFormatter::new().format(instruction, &mut text);
        text
    }

    /// Where the file's first byte lies.
    #[must_use]
    pub fn base(&self) -> u64 {
        self.base
    }

    /// The bytes of an instruction.
    #[must_use]
    pub fn bytes(&self, instruction: &Instruction) -> &[u8] {
        let offset = (instruction.ip() - self.start) as usize;
        &self.bytes[offset..offset + instruction.len()]
    }

    /// Puts other bytes into the code.
    pub fn patch(&mut self, address: u64, bytes: &[u8]) {
        let offset = (address - self.start) as usize;
        self.bytes[offset..offset + bytes.len()].copy_from_slice(bytes);
        // An instruction that was decoded may reach into the change.
        self.instruction_numbers.fill(0);
        self.decoded.clear();
    }

    /// The instructions that were executed since this was asked last.
    pub fn take_executed(&mut self) -> Vec<u64> {
        let mut addresses = Vec::new();
        for (offset, executed) in self.executed.iter_mut().enumerate() {
            if std::mem::take(executed) {
                addresses.push(self.start + offset as u64);
            }
        }
        addresses
    }

    /// Like [`Self::take_executed`], but returns the bytes of each instruction in a form without its address
    /// ([`native::relocatable_bytes`]).
    pub fn take_instruction_forms(&mut self) -> BTreeSet<Vec<u8>> {
        let executed = self.take_executed();
        executed.into_iter().filter_map(|at| native::relocatable_bytes(&*self.instruction(at)?)).collect()
    }
}
