//! Instructions that are executed one after the other whatever happens, so that the CPU has to be stopped only once.
//!
//! Stopping behind every instruction is the plain way, and costs ten microseconds a step on a virtual machine. Between
//! two branches there is nothing to find out: which instructions come is written in the code, and an address is
//! known beforehand as long as its registers have not been written. So a line ends where the next instruction depends
//! on what is not known yet: behind a conditional branch, before an address whose registers were written in the line,
//! and around everything unusual.

use std::borrow::Cow;
use std::collections::HashMap;
use std::io;

use iced_x86::Register;

use super::instruction::{After, Instruction};
use super::tracee::{Registers, Tracee};

/// A line of instructions.
pub(super) struct Straight {
    pub(super) instructions: Vec<Placed>,
    pub(super) end: End,
}

/// Where execution goes from a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// To one of these.
    At(Vec<u64>),
    /// To the address that lies on the stack, this many bytes from where the stack pointer is before the line.
    OnStack(i64),
    /// To the address that lies at this one.
    InMemory(u64),
    /// Only a single step tells.
    Unknown,
}

/// An instruction in a line.
pub(super) struct Placed {
    pub(super) address: u64,
    pub(super) instruction: Instruction,
    /// How much the instructions before it moved the stack pointer.
    pub(super) stack: i64,
}

/// More than that is not put into a line.
const MAX: usize = 4096;

impl Straight {
    /// The line that begins at `start`.
    pub(super) fn read(start: u64, decode: impl Fn(u64) -> io::Result<Instruction>) -> io::Result<Self> {
        let mut line = Self { instructions: Vec::new(), end: End::Unknown };
        let mut written = Vec::new();
        // Where calls in the line will return to, by where on the stack that was put.
        let mut returns = HashMap::new();
        let (mut address, mut stack) = (start, 0);
        loop {
            let runs_back = |target: &u64| line.instructions.iter().any(|placed| placed.address == *target);
            if runs_back(&address) {
                return Ok(line.ending(End::At(vec![address])));
            }
            // Code that is never reached may be none, behind a call that does not return.
            let instruction = match decode(address) {
                Err(_) if !line.instructions.is_empty() => return Ok(line.ending(End::At(vec![address]))),
                decoded => decoded?,
            };
            let after = instruction.after();
            let is_first = line.instructions.is_empty();
            let must_be_first = match after {
                // A breakpoint there would be hit at once.
                After::Either(targets) => targets.iter().any(runs_back),
                After::At(target) => runs_back(&target),
                After::InMemory(_) => false,
                // The address to return to must be where the registers before the line say.
                After::Return => written.contains(&Register::RSP),
                After::Unknown => true,
            };
            if !is_first
                && (must_be_first
                    || instruction.address_registers().any(|register| written.contains(&register))
                    || line.instructions.len() >= MAX)
            {
                return Ok(line.ending(End::At(vec![address])));
            }
            written.extend(instruction.written());
            let moved = instruction.moves_stack();
            let next = instruction.next();
            let calls = instruction.calls();
            line.instructions.push(Placed { address, instruction, stack });
            let before = stack;
            stack += moved;
            if moved < 0 {
                returns.retain(|&place, _| place < stack || place >= stack - moved);
            }
            if calls {
                returns.insert(stack, next);
            }
            match after {
                After::At(next) => address = next,
                After::Either(targets) => return Ok(line.ending(End::At(targets.to_vec()))),
                After::Return => match returns.remove(&before) {
                    Some(target) => address = target,
                    None => return Ok(line.ending(End::OnStack(before))),
                },
                After::InMemory(place) => return Ok(line.ending(End::InMemory(place))),
                After::Unknown => return Ok(line),
            }
        }
    }

    fn ending(self, end: End) -> Self {
        Self { end, ..self }
    }

    /// Where execution will be next, with these registers at the beginning of the line. Nothing if only a single step
    /// of its first instruction tells, or if it runs back into the line: a breakpoint there would be hit too early.
    pub(super) fn ends(&self, registers: &Registers, tracee: &Tracee) -> io::Result<Option<Cow<'_, [u64]>>> {
        let ends = match &self.end {
            End::At(ends) => Cow::Borrowed(&ends[..]),
            End::OnStack(bytes) => vec![tracee.word(registers.rsp.wrapping_add_signed(*bytes))?].into(),
            End::InMemory(place) => vec![tracee.word(*place)?].into(),
            End::Unknown => return Ok(None),
        };
        let runs_back = |end: &u64| self.instructions.iter().any(|placed| placed.address == *end);
        Ok((!ends.iter().any(runs_back)).then_some(ends))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The addresses of the line at 0 of some code, and its end.
    fn line(code: &[u8]) -> (Vec<u64>, End) {
        let decode = |address: u64| {
            let rest = code.get(address as usize..).unwrap_or_default();
            Instruction::decode(rest, address)
        };
        let line = Straight::read(0, decode).unwrap();
        (line.instructions.iter().map(|placed| placed.address).collect(), line.end)
    }

    #[test]
    fn a_line_ends_before_an_address_that_it_computes() {
        // mov rax, [rdi]; mov rcx, [rsi]; mov rdx, [rcx]
        assert_eq!(line(&[0x48, 0x8B, 7, 0x48, 0x8B, 0x0E, 0x48, 0x8B, 0x11]), (vec![0, 3], End::At(vec![6])));
        // xor ecx, ecx; mov rdx, [rcx]: the half of a register counts
        assert_eq!(line(&[0x31, 0xC9, 0x48, 0x8B, 0x11]), (vec![0], End::At(vec![2])));
        // kmovq k1, rax; vmovdqu8 zmm0{k1}{z}, [rax]: the mask too
        assert_eq!(line(&[0xC4, 0xE1, 0xFB, 0x92, 0xC8, 0x62, 0xF1, 0x7F, 0xC9, 0x6F, 0]), (vec![0], End::At(vec![5])));
    }

    #[test]
    fn a_line_ends_where_the_code_parts() {
        // nop; je +2; nop; nop; nop
        assert_eq!(line(&[0x90, 0x74, 2, 0x90, 0x90, 0x90]), (vec![0, 1], End::At(vec![5, 3])));
        // nop; jne -3: back into the line
        assert_eq!(line(&[0x90, 0x75, 0xFD, 0x90]), (vec![0], End::At(vec![1])));
        // jne -2: to itself
        assert_eq!(line(&[0x75, 0xFE, 0x90]), (vec![0], End::At(vec![0, 2])));
        // nop; jmp rax; a breakpoint is unknown too
        assert_eq!(line(&[0x90, 0xFF, 0xE0]), (vec![0], End::At(vec![1])));
        assert_eq!(line(&[0xFF, 0xE0]), (vec![0], End::Unknown));
        assert_eq!(line(&[0xCC]), (vec![0], End::Unknown));
        // rep movsb is as many steps as bytes
        assert_eq!(line(&[0xF3, 0xA4, 0x90]), (vec![0], End::Unknown));
        // jmp -2: for ever
        assert_eq!(line(&[0xEB, 0xFE]), (vec![0], End::At(vec![0])));
    }

    #[test]
    fn a_line_goes_on_through_jumps_and_pushes() {
        // jmp +1; nop; nop; ret
        assert_eq!(line(&[0xEB, 1, 0x90, 0x90, 0xC3]), (vec![0, 3, 4], End::OnStack(0)));
        // push rax; push rcx; sub rsp, 32; mov [rsp], rax; ret
        let code = [0x50, 0x51, 0x48, 0x83, 0xEC, 32, 0x48, 0x89, 4, 0x24, 0xC3];
        assert_eq!(line(&code), (vec![0, 1, 2, 6, 10], End::OnStack(-48)));
        let decode = |address: u64| Instruction::decode(&code[address as usize..], address);
        let moved: Vec<i64> =
            Straight::read(0, decode).unwrap().instructions.iter().map(|placed| placed.stack).collect();
        assert_eq!(moved, [0, -8, -16, -48, -48]);
        // call +1; ret; nop; ret: there and back, and then to where it was called from
        assert_eq!(line(&[0xE8, 1, 0, 0, 0, 0xC3, 0x90, 0xC3]), (vec![0, 6, 7, 5], End::OnStack(0)));
        // nop; call [rip + 16]
        assert_eq!(line(&[0x90, 0xFF, 0x15, 16, 0, 0, 0]), (vec![0, 1], End::InMemory(23)));
        // nop; and what is no instruction
        assert_eq!(line(&[0x90, 0x06]), (vec![0], End::At(vec![1])));
        // and rsp, -64; push rax: from an unknown place
        assert_eq!(line(&[0x48, 0x83, 0xE4, 0xC0, 0x50, 0xC3]), (vec![0], End::At(vec![4])));
    }
}
