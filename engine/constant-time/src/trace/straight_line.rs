//! Straight-line code: instructions that are executed in sequence, for which the tracer stops the program only once.
//!
//! A single step takes about ten microseconds on a virtual machine. Between branches, all instructions can be
//! predicted, and so can addresses that depend only on registers not yet written. A piece of straight-line code
//! therefore ends:
//!
//! * after a conditional branch
//! * before a memory access whose address depends on a register written in this piece
//! * at an unusual instruction

use std::borrow::Cow;
use std::collections::HashMap;
use std::io;

use iced_x86::Register;

use super::instruction::{Instruction, NextAddress};
use super::tracee::{Registers, Tracee};

pub(super) struct StraightLine {
    pub(super) instructions: Vec<PlacedInstruction>,
    pub(super) end: LineEnd,
}

/// Address at which execution continues after a piece of straight-line code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum LineEnd {
    /// One of the contained addresses; the branch decides which one.
    At(Vec<u64>),
    /// An address that is stored on the stack. Contains the offset of this stack slot from the stack pointer at the
    /// start of the straight-line code.
    OnStack(i64),
    /// An address that is stored in memory. Contains the address of this memory.
    InMemory(u64),
    /// The address of the next instruction is unknown until the last instruction has been single-stepped.
    Unknown,
}

pub(super) struct PlacedInstruction {
    pub(super) address: u64,
    pub(super) instruction: Instruction,
    /// Number of bytes that earlier instructions of the same straight-line code add to the stack pointer.
    pub(super) stack: i64,
}

/// Maximum number of instructions in a piece of straight-line code. Limits decoding in unconditional loops.
const MAX_INSTRUCTIONS: usize = 4096;

impl StraightLine {
    /// Decodes the straight-line code that begins at `start`.
    pub(super) fn read(start: u64, decode: impl Fn(u64) -> io::Result<Instruction>) -> io::Result<Self> {
        let mut line = Self { instructions: Vec::new(), end: LineEnd::Unknown };
        let mut written = Vec::new();
        // Return addresses of the calls in the line, by offset on the stack.
        let mut returns = HashMap::new();
        let (mut address, mut stack) = (start, 0);
        loop {
            let runs_back = |target: &u64| line.instructions.iter().any(|placed| placed.address == *target);
            if runs_back(&address) {
                return Ok(line.ending(LineEnd::At(vec![address])));
            }
            // The bytes after a call that does not return may not be code.
            let instruction = match decode(address) {
                Err(_) if !line.instructions.is_empty() => return Ok(line.ending(LineEnd::At(vec![address]))),
                decoded => decoded?,
            };
            let after = instruction.next_address();
            let is_first = line.instructions.is_empty();
            let must_be_first = match after {
                // A breakpoint inside the line would be hit too early.
                NextAddress::Either(targets) => targets.iter().any(runs_back),
                NextAddress::At(target) => runs_back(&target),
                NextAddress::InMemory(_) => false,
                // The return address must be at a known offset from the initial stack pointer.
                NextAddress::Return => written.contains(&Register::RSP),
                NextAddress::Unknown => true,
            };
            if !is_first
                && (must_be_first
                    || instruction.address_registers().any(|register| written.contains(&register))
                    || line.instructions.len() >= MAX_INSTRUCTIONS)
            {
                return Ok(line.ending(LineEnd::At(vec![address])));
            }
            written.extend(instruction.written());
            let moved = instruction.stack_change();
            let next = instruction.next();
            let calls = instruction.calls();
            line.instructions.push(PlacedInstruction { address, instruction, stack });
            let before = stack;
            stack += moved;
            if moved < 0 {
                returns.retain(|&place, _| place < stack || place >= stack - moved);
            }
            if calls {
                returns.insert(stack, next);
            }
            match after {
                NextAddress::At(next) => address = next,
                NextAddress::Either(targets) => return Ok(line.ending(LineEnd::At(targets.to_vec()))),
                NextAddress::Return => match returns.remove(&before) {
                    Some(target) => address = target,
                    None => return Ok(line.ending(LineEnd::OnStack(before))),
                },
                NextAddress::InMemory(place) => return Ok(line.ending(LineEnd::InMemory(place))),
                NextAddress::Unknown => return Ok(line),
            }
        }
    }

    fn ending(self, end: LineEnd) -> Self {
        Self { end, ..self }
    }

    /// Returns the possible addresses at which execution continues after the straight-line code. Returns `None` if only
    /// a single step can show this address, or if execution would jump back into this code.
    pub(super) fn ends(&self, registers: &Registers, tracee: &Tracee) -> io::Result<Option<Cow<'_, [u64]>>> {
        let ends = match &self.end {
            LineEnd::At(ends) => Cow::Borrowed(&ends[..]),
            LineEnd::OnStack(bytes) => vec![tracee.word(registers.rsp.wrapping_add_signed(*bytes))?].into(),
            LineEnd::InMemory(place) => vec![tracee.word(*place)?].into(),
            LineEnd::Unknown => return Ok(None),
        };
        let runs_back = |end: &u64| self.instructions.iter().any(|placed| placed.address == *end);
        Ok((!ends.iter().any(runs_back)).then_some(ends))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Decodes straight-line code that is located at address 0. Returns the addresses of its instructions, and its end.
    fn line(code: &[u8]) -> (Vec<u64>, LineEnd) {
        let decode = |address: u64| {
            let rest = code.get(address as usize..).unwrap_or_default();
            Instruction::decode(rest, address)
        };
        let line = StraightLine::read(0, decode).unwrap();
        (line.instructions.iter().map(|placed| placed.address).collect(), line.end)
    }

    #[test]
    fn straight_line_code_ends_before_access_at_a_computed_address() {
        // mov rax, [rdi]; mov rcx, [rsi]; mov rdx, [rcx]
        assert_eq!(line(&[0x48, 0x8B, 7, 0x48, 0x8B, 0x0E, 0x48, 0x8B, 0x11]), (vec![0, 3], LineEnd::At(vec![6])));
        // xor ecx, ecx; mov rdx, [rcx]: writing half of a register counts
        assert_eq!(line(&[0x31, 0xC9, 0x48, 0x8B, 0x11]), (vec![0], LineEnd::At(vec![2])));
        // kmovq k1, rax; vmovdqu8 zmm0{k1}{z}, [rax]: so does writing a mask
        assert_eq!(
            line(&[0xC4, 0xE1, 0xFB, 0x92, 0xC8, 0x62, 0xF1, 0x7F, 0xC9, 0x6F, 0]),
            (vec![0], LineEnd::At(vec![5]))
        );
    }

    #[test]
    fn straight_line_code_ends_at_branches_and_unknown_targets() {
        // nop; je +2; nop; nop; nop
        assert_eq!(line(&[0x90, 0x74, 2, 0x90, 0x90, 0x90]), (vec![0, 1], LineEnd::At(vec![5, 3])));
        // nop; jne -3: back into the line
        assert_eq!(line(&[0x90, 0x75, 0xFD, 0x90]), (vec![0], LineEnd::At(vec![1])));
        // jne -2: to itself
        assert_eq!(line(&[0x75, 0xFE, 0x90]), (vec![0], LineEnd::At(vec![0, 2])));
        // nop; jmp rax; a breakpoint is unknown too
        assert_eq!(line(&[0x90, 0xFF, 0xE0]), (vec![0], LineEnd::At(vec![1])));
        assert_eq!(line(&[0xFF, 0xE0]), (vec![0], LineEnd::Unknown));
        assert_eq!(line(&[0xCC]), (vec![0], LineEnd::Unknown));
        // rep movsb takes one step for each byte
        assert_eq!(line(&[0xF3, 0xA4, 0x90]), (vec![0], LineEnd::Unknown));
        // jmp -2: an endless loop
        assert_eq!(line(&[0xEB, 0xFE]), (vec![0], LineEnd::At(vec![0])));
    }

    #[test]
    fn straight_line_code_continues_through_jumps_calls_and_pushes() {
        // jmp +1; nop; nop; ret
        assert_eq!(line(&[0xEB, 1, 0x90, 0x90, 0xC3]), (vec![0, 3, 4], LineEnd::OnStack(0)));
        // push rax; push rcx; sub rsp, 32; mov [rsp], rax; ret
        let code = [0x50, 0x51, 0x48, 0x83, 0xEC, 32, 0x48, 0x89, 4, 0x24, 0xC3];
        assert_eq!(line(&code), (vec![0, 1, 2, 6, 10], LineEnd::OnStack(-48)));
        let decode = |address: u64| Instruction::decode(&code[address as usize..], address);
        let moved: Vec<i64> =
            StraightLine::read(0, decode).unwrap().instructions.iter().map(|placed| placed.stack).collect();
        assert_eq!(moved, [0, -8, -16, -48, -48]);
        // call +1; ret; nop; ret: calls, returns, and then returns to the caller
        assert_eq!(line(&[0xE8, 1, 0, 0, 0, 0xC3, 0x90, 0xC3]), (vec![0, 6, 7, 5], LineEnd::OnStack(0)));
        // nop; call [rip + 16]
        assert_eq!(line(&[0x90, 0xFF, 0x15, 16, 0, 0, 0]), (vec![0, 1], LineEnd::InMemory(23)));
        // nop; an invalid instruction
        assert_eq!(line(&[0x90, 0x06]), (vec![0], LineEnd::At(vec![1])));
        // and rsp, -64; push rax: the stack pointer is unknown
        assert_eq!(line(&[0x48, 0x83, 0xE4, 0xC0, 0x50, 0xC3]), (vec![0], LineEnd::At(vec![4])));
    }
}
