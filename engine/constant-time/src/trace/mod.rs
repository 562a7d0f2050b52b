//! Compares the instructions and addresses that a program executes with many secrets.
//!
//! The program is a child process, executed one instruction at a time between the breakpoints of [`marker`]. The first
//! run of each call is recorded. Later runs are compared with the first run: the address of every instruction, and the
//! address and mask of every memory operand. Straight-line code is executed at once (`straight_line.rs`); a test
//! compares it with single steps.
//!
//! For AArch64 an emulator's log has the same information (`emulated.rs`).

mod emulated;
mod instruction;
mod straight_line;
mod tracee;

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::io;
use std::process::Command;

pub use emulated::compare_emulated_runs;
pub use instruction::AesWidth;
use straight_line::{PlacedInstruction, StraightLine};
use tracee::{Registers, Tracee};

use crate::marker;

/// Result of comparing the traces of all executions.
#[derive(Debug, Default)]
pub struct Report {
    /// Number of traced executions of calls.
    pub runs: usize,
    /// Number of different calls.
    pub calls: usize,
    /// Number of instructions executed in all traced calls.
    pub instructions: u64,
    /// Number of times that the tracer stopped the program.
    pub stops: u64,
    /// Smallest number of executions of any call.
    pub fewest_runs: usize,
    /// Maximum register width of the executed AES instructions.
    pub aes: AesWidth,
    /// First difference of each execution from the first execution of the same call.
    pub differences: Vec<Difference>,
    /// Number of memory operands outside the C library whose address is in the first page, which is never mapped: NULL,
    /// or an empty slice.
    pub unmapped: u64,
}

/// Lowest address that Linux maps (`vm.mmap_min_addr`).
const FIRST_PAGE: u64 = 4096;

/// The first event in which the trace of an execution differs from the first execution of the same call.
#[derive(Debug)]
pub struct Difference {
    pub call: usize,
    /// Index of the execution; the first one is 0.
    pub run: usize,
    /// Number of equal events before the difference.
    pub position: usize,
    /// Description of the event in the first execution.
    pub first: String,
    /// Description of the event in the execution that differs.
    pub this: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pace {
    /// Executes straight-line code up to its end without single-stepping.
    Lines,
    /// Alternates executions with and without single-stepping of straight-line code, so that both are compared.
    Alternating,
}

/// Starts `program` and checks that all executions of a call have equal traces.
///
/// # Errors
/// If the program cannot be started or traced, fails, or executes an instruction whose effect is not modelled.
pub fn compare_runs(program: &mut Command, pace: Pace) -> io::Result<Report> {
    let mut tracee = Tracee::start(program)?;
    let mut lines = Lines::new();
    let mut report = Report::default();
    let mut runs = HashMap::<usize, usize>::new();
    // Runs of a call are consecutive, so only one trace is kept.
    let (mut current, mut first) = (None, Vec::new());
    while let Some(registers) = tracee.run_to_breakpoint()? {
        if registers.rax == marker::END {
            continue; // ends a run that was skipped after a difference
        }
        if registers.rax != marker::BEGIN {
            return Err(io::Error::other(format!("an unknown breakpoint at {:#x}", registers.rip)));
        }
        let call = registers.rdi as usize;
        let run = runs.entry(call).or_default();
        let is_first = *run == 0;
        if is_first {
            (current, first) = (Some(call), Vec::new());
        } else if current != Some(call) {
            return Err(io::Error::other(format!("runs of call {call} do not follow each other")));
        }
        let in_lines = pace == Pace::Lines || run.is_multiple_of(2);
        let mut follower = RunComparison { first: &mut first, is_first, in_lines, position: 0 };
        if let Some((position, expected, event)) = follower.run(&mut tracee, registers, &mut lines, &mut report)? {
            let word =
                |event: Option<Event>| event.map_or_else(|| "the end".to_owned(), |event| event.in_words(&tracee));
            report.differences.push(Difference { call, run: *run, position, first: word(expected), this: word(event) });
        }
        *run += 1;
        report.runs += 1;
    }
    report.calls = runs.len();
    report.fewest_runs = runs.values().copied().min().unwrap_or(0);
    Ok(report)
}

/// An entry of a trace: an executed instruction, or an access to one of its memory operands.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Event {
    instruction: u64,
    /// Address of the memory operand; zero, like `mask`, for the instruction itself.
    address: u64,
    mask: u64,
}

impl Event {
    fn in_words(self, tracee: &Tracee) -> String {
        let name = tracee.decode(self.instruction).map_or_else(|error| error.to_string(), |known| known.name());
        let place = tracee.place(self.instruction);
        match (self.address, self.mask) {
            (0, 0) => format!("{name} at {place}"),
            (address, u64::MAX) => format!("{name} at {place} touches {address:#x}"),
            (address, mask) => format!("{name} at {place} touches {address:#x} under mask {mask:#x}"),
        }
    }
}

/// Number of equal events, then the different event of the first and of this execution (`None` after the trace's end).
type FirstDifference = (usize, Option<Event>, Option<Event>);

/// Known straight-line code by its start address.
type Lines = HashMap<u64, StraightLine>;

/// Comparison of one execution with the first execution of the same call.
struct RunComparison<'a> {
    first: &'a mut Vec<Event>,
    is_first: bool,
    in_lines: bool,
    position: usize,
}

impl RunComparison<'_> {
    /// Executes until the end marker or the first difference.
    fn run(
        &mut self,
        tracee: &mut Tracee,
        mut registers: Registers,
        lines: &mut Lines,
        report: &mut Report,
    ) -> io::Result<Option<FirstDifference>> {
        loop {
            let line = match lines.entry(registers.rip) {
                Entry::Occupied(known) => known.into_mut(),
                Entry::Vacant(new) => new.insert(StraightLine::read(registers.rip, |address| tracee.decode(address))?),
            };
            let ends = if self.in_lines { line.ends(&registers, tracee)? } else { None };
            let executed = if ends.is_some() { &line.instructions[..] } else { &line.instructions[..1] };
            if executed[0].instruction.is_breakpoint() {
                let rest = self.first.get(self.position).copied();
                return Ok(rest.map(|expected| (self.position, Some(expected), None)));
            }
            let has_mask = executed.iter().any(|placed| placed.instruction.has_mask());
            let masks = if has_mask { Some(tracee.masks()?) } else { None };
            for PlacedInstruction { address: place, instruction, stack } in executed {
                report.aes = report.aes.max(instruction.aes_width());
                report.instructions += 1;
                if let Some(found) = self.event(Event { instruction: *place, address: 0, mask: 0 }) {
                    return Ok(Some(found));
                }
                for touched in instruction.touched(&registers, *stack, masks.as_ref()) {
                    let (address, mask) = touched?;
                    let is_ours = || !tracee.place(*place).starts_with("libc.so");
                    report.unmapped += u64::from(address < FIRST_PAGE && is_ours());
                    if let Some(found) = self.event(Event { instruction: *place, address, mask }) {
                        return Ok(Some(found));
                    }
                }
            }
            report.stops += 1;
            registers = if let Some(ends) = &ends { tracee.run_to(ends)? } else { tracee.step()? };
        }
    }

    /// Records an event of the first execution; compares an event of later ones. Returns the difference, if any.
    fn event(&mut self, event: Event) -> Option<FirstDifference> {
        if self.is_first {
            self.first.push(event);
        } else if self.first.get(self.position) != Some(&event) {
            return Some((self.position, self.first.get(self.position).copied(), Some(event)));
        }
        self.position += 1;
        None
    }
}
