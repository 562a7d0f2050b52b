//! Compares the instructions and addresses that a program executes with many secrets.
//!
//! The program is a child process, executed one instruction at a time between the breakpoints of [`marker`]. The trace
//! of each engine call's first execution is recorded, and later executions are compared with it: the address of every
//! instruction, and the address and mask of every memory operand. Between branches, the tracer executes straight-line
//! code at once (`straight_line.rs`); a test compares this with single steps.
//!
//! For AArch64, an emulator's log has the same information (`emulated.rs`).

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

/// Result of comparing the traces of all executions of all engine calls.
#[derive(Debug, Default)]
pub struct Report {
    /// Number of traced executions of engine calls.
    pub runs: usize,
    /// Number of different engine calls.
    pub calls: usize,
    /// Number of instructions executed in all traced executions.
    pub instructions: u64,
    /// Number of times that the tracer stopped the program.
    pub stops: u64,
    /// Number of executions of the engine call that was executed least often.
    pub fewest_runs: usize,
    /// Maximum width of the registers in the executed AES instructions.
    pub aes: AesWidth,
    /// For each execution that differs from the first execution of the same call: the first difference.
    pub differences: Vec<Difference>,
    /// Number of memory operands with an address in the first page, which is never mapped, such as NULL or the address
    /// of an empty slice. Operands of instructions in the C library are not counted.
    pub unmapped: u64,
}

/// Size in bytes of the first page, which Linux never maps (`vm.mmap_min_addr`).
const FIRST_PAGE: u64 = 4096;

/// The first trace event (executed instruction or memory access) in which an execution differs from the first execution
/// of the same engine call.
#[derive(Debug)]
pub struct Difference {
    pub call: usize,
    /// Index of the differing execution. The first execution of a call has index 0.
    pub run: usize,
    /// Number of equal trace events before the difference.
    pub position: usize,
    /// Description of the trace event in the first execution of the call.
    pub first: String,
    /// Description of the trace event in the execution that differs.
    pub this: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pace {
    /// Executes straight-line code (instructions without a branch between them) at once, without single-stepping.
    StraightLines,
    /// Executes straight-line code at once in every other execution, and single-steps it in the others, so that the two
    /// methods are compared.
    Alternating,
}

/// Starts `program` and checks that all executions of an engine call have equal traces.
///
/// # Errors
/// If the program cannot be started or traced, or fails, or if it executes an instruction whose effect is not modelled.
pub fn compare_runs(program: &mut Command, pace: Pace) -> io::Result<Report> {
    let mut tracee = Tracee::start(program)?;
    let mut lines = StraightLineCache::new();
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
        let runs_straight_lines = pace == Pace::StraightLines || run.is_multiple_of(2);
        let mut follower = RunComparison { first: &mut first, is_first, runs_straight_lines, position: 0 };
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
    /// Address of the memory operand, if the event is a memory access. If the event is the execution of an instruction,
    /// `address` and `mask` are zero.
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

/// Number of equal trace events, then the differing event of the first execution and of the current execution. An event
/// is `None` if that execution has already ended.
type FirstDifference = (usize, Option<Event>, Option<Event>);

/// Cache of decoded straight-line code, by its start address.
type StraightLineCache = HashMap<u64, StraightLine>;

/// Comparison of the current execution of an engine call with the first execution of this call.
struct RunComparison<'a> {
    first: &'a mut Vec<Event>,
    is_first: bool,
    runs_straight_lines: bool,
    position: usize,
}

impl RunComparison<'_> {
    /// Executes the engine call until its end marker or the first difference.
    fn run(
        &mut self,
        tracee: &mut Tracee,
        mut registers: Registers,
        lines: &mut StraightLineCache,
        report: &mut Report,
    ) -> io::Result<Option<FirstDifference>> {
        loop {
            let line = match lines.entry(registers.rip) {
                Entry::Occupied(known) => known.into_mut(),
                Entry::Vacant(new) => new.insert(StraightLine::read(registers.rip, |address| tracee.decode(address))?),
            };
            let ends = if self.runs_straight_lines { line.ends(&registers, tracee)? } else { None };
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

    /// In the first execution, records a trace event (executed instruction or memory access). In later executions,
    /// compares the event with the recorded one, and returns the difference if there is one.
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
