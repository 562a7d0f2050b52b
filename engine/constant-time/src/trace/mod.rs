//! Compares what a program does, instruction by instruction and address by address, under many secrets.
//!
//! The program is started as a child and executed one instruction at a time between the breakpoints of
//! [`marker`]. Its first run of each call is written down; each later run of that call is compared with it
//! as it goes: the address of every instruction, the address of every memory operand, and the mask where an operand has
//! one. Straight lines of code are executed at one go (`straight.rs`), which a test compares with single steps.
//!
//! Programs for AArch64 are executed by an emulator, whose log says the same (`emulated.rs`).

mod emulated;
mod instruction;
mod straight;
mod tracee;

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::io;
use std::process::Command;

pub use emulated::compare_emulated_runs;
pub use instruction::AesWidth;
use straight::{Placed, Straight};
use tracee::{Registers, Tracee};

use crate::marker;

/// What was seen.
#[derive(Debug, Default)]
pub struct Report {
    /// Runs of calls that were stepped.
    pub runs: usize,
    /// Calls that were run, each with a number of its own.
    pub calls: usize,
    /// Instructions that were executed in them.
    pub instructions: u64,
    /// How often the program was stopped for that.
    pub stops: u64,
    /// The fewest runs that any call had.
    pub fewest_runs: usize,
    /// The widest registers that AES instructions worked on.
    pub aes: AesWidth,
    /// The first difference of each run that was not like the first of its call.
    pub differences: Vec<Difference>,
    /// How many memory operands outside of the C library, whatever their masks, had an address at which no program has
    /// a page: that of an empty slice, or NULL.
    pub nowhere: u64,
}

/// Linux maps nothing below (`vm.mmap_min_addr`).
const FIRST_PAGE: u64 = 4096;

/// Where a run went another way than the first one of its call.
#[derive(Debug)]
pub struct Difference {
    /// The number of the call.
    pub call: usize,
    /// Which of its runs, the first being 0.
    pub run: usize,
    /// How many events came before, which were alike.
    pub position: usize,
    /// What the first run did here, in words; nothing if it had ended.
    pub first: String,
    /// What this one did.
    pub this: String,
}

/// How runs are executed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pace {
    /// Straight lines at one go.
    Lines,
    /// Every second run in lines, the others in single steps: so each is the other's test.
    Alternating,
}

/// Starts `program` and compares the runs of each of its calls.
///
/// # Errors
/// If it could not be started or stepped, ended otherwise than with success, or executed what cannot be followed.
pub fn compare_runs(program: &mut Command, pace: Pace) -> io::Result<Report> {
    let mut tracee = Tracee::start(program)?;
    let mut lines = Lines::new();
    let mut report = Report::default();
    let mut runs = HashMap::<usize, usize>::new();
    // Runs of one call come one after the other, so one trace is held at a time.
    let (mut current, mut first) = (None, Vec::new());
    while let Some(registers) = tracee.run_to_breakpoint()? {
        if registers.rax == marker::END {
            continue; // behind a run that was left when it differed
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
        let mut follower = Follower { first: &mut first, is_first, in_lines, position: 0 };
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

/// An instruction, or one of its memory operands.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Event {
    instruction: u64,
    /// The address of the operand, and the mask over its elements; zero and zero for the instruction itself.
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

/// Events alike before a difference, what the first run had then, and what this one has.
type Found = (usize, Option<Event>, Option<Event>);

/// The straight lines known so far, by where they begin.
type Lines = HashMap<u64, Straight>;

/// Follows one run.
struct Follower<'a> {
    first: &'a mut Vec<Event>,
    is_first: bool,
    in_lines: bool,
    position: usize,
}

impl Follower<'_> {
    /// Goes on to the breakpoint at the end, or to the first difference.
    fn run(
        &mut self,
        tracee: &mut Tracee,
        mut registers: Registers,
        lines: &mut Lines,
        report: &mut Report,
    ) -> io::Result<Option<Found>> {
        loop {
            let line = match lines.entry(registers.rip) {
                Entry::Occupied(known) => known.into_mut(),
                Entry::Vacant(new) => new.insert(Straight::read(registers.rip, |address| tracee.decode(address))?),
            };
            let ends = if self.in_lines { line.ends(&registers, tracee)? } else { None };
            let executed = if ends.is_some() { &line.instructions[..] } else { &line.instructions[..1] };
            if executed[0].instruction.is_breakpoint() {
                let rest = self.first.get(self.position).copied();
                return Ok(rest.map(|expected| (self.position, Some(expected), None)));
            }
            let has_mask = executed.iter().any(|placed| placed.instruction.has_mask());
            let masks = if has_mask { Some(tracee.masks()?) } else { None };
            for Placed { address: place, instruction, stack } in executed {
                report.aes = report.aes.max(instruction.aes_width());
                report.instructions += 1;
                if let Some(found) = self.event(Event { instruction: *place, address: 0, mask: 0 }) {
                    return Ok(Some(found));
                }
                for touched in instruction.touched(&registers, *stack, masks.as_ref()) {
                    let (address, mask) = touched?;
                    let is_ours = || !tracee.place(*place).starts_with("libc.so");
                    report.nowhere += u64::from(address < FIRST_PAGE && is_ours());
                    if let Some(found) = self.event(Event { instruction: *place, address, mask }) {
                        return Ok(Some(found));
                    }
                }
            }
            report.stops += 1;
            registers = if let Some(ends) = &ends { tracee.run_to(ends)? } else { tracee.step()? };
        }
    }

    /// Writes an event down, or compares it.
    fn event(&mut self, event: Event) -> Option<Found> {
        if self.is_first {
            self.first.push(event);
        } else if self.first.get(self.position) != Some(&event) {
            return Some((self.position, self.first.get(self.position).copied(), Some(event)));
        }
        self.position += 1;
        None
    }
}
