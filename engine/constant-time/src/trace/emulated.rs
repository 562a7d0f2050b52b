//! Compares executions of a program for AArch64, from an emulator's log.
//!
//! The emulator, qemu, logs the disassembly of each instruction when it first translates the instruction. For each
//! execution of an instruction, qemu logs the instruction's address and the registers before the execution. The address
//! of a memory operand is computed from the disassembly and the registers.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::io::{self, BufReader};
use std::process::{Command, Stdio};

use super::{AesWidth, Difference, Event, Report, RunComparison};
use crate::marker;

/// Executes a program for AArch64 in qemu, and checks that all executions of an engine call have equal traces.
///
/// # Errors
/// If the program cannot be started or fails, or if it executes an instruction whose effect is not modelled.
pub fn compare_emulated_runs(
    program: impl AsRef<OsStr>,
    arguments: impl IntoIterator<Item = impl AsRef<OsStr>>,
) -> io::Result<Report> {
    let mut emulator = Command::new("qemu-aarch64-static")
        .args(["-cpu", "max", "-singlestep", "-D", "/dev/stdout", "-d", "in_asm,exec,cpu,nochain"])
        .arg(program)
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()?;
    let Some(log) = emulator.stdout.take() else { return Err(io::Error::other("the emulator has no output")) };
    let compared = compare_log(BufReader::with_capacity(1 << 20, log));
    if compared.is_err() {
        emulator.kill()?;
    }
    let status = emulator.wait()?;
    let report = compared?;
    if status.success() { Ok(report) } else { Err(io::Error::other(format!("the emulated program: {status}"))) }
}

/// A disassembled instruction in the emulator's log.
struct Instruction {
    text: String,
    function: String,
    operand: Option<Operand>,
}

/// Memory operand of an instruction in the emulator's log.
#[derive(Debug, PartialEq, Eq)]
struct Operand {
    base: usize,
    offset: u64,
    index: Option<Index>,
}

/// Index register of a memory operand, with the extension and the shift of its value.
#[derive(Debug, PartialEq, Eq)]
struct Index {
    register: usize,
    form: Extension,
    shift: u32,
}

/// Extension of the value of an index register to 64 bits.
#[derive(Debug, PartialEq, Eq)]
enum Extension {
    Whole,
    Unsigned,
    Signed,
}

/// Values of X0 to X30 (first) and of the stack pointer (last).
type Registers = [u64; 32];
const SP: usize = 31;

/// Register number that stands for the zero register, whose value the log does not list.
const ZERO: usize = 32;

/// State of the comparison: the current engine call, and the trace of each call's first execution.
#[derive(Default)]
struct Runs {
    call: usize,
    first: Vec<Event>,
    before: usize,
    /// Number of trace events (executed instructions and memory accesses) in the current execution so far. `None`
    /// outside of engine calls.
    position: Option<usize>,
    /// Number of executions of each engine call.
    counts: HashMap<usize, usize>,
}

fn compare_log(mut log: impl io::BufRead) -> io::Result<Report> {
    let mut code = HashMap::<u64, Instruction>::new();
    let (mut runs, mut report) = (Runs::default(), Report::default());
    let (mut line, mut function) = (Vec::new(), String::new());
    // The executed instruction whose registers follow in the log.
    let (mut begun, mut registers) = (None, [0; SP + 1]);
    loop {
        line.clear();
        let has_ended = log.read_until(b'\n', &mut line)? == 0;
        let text = str::from_utf8(&line).map_err(io::Error::other)?;
        let trace = text.strip_prefix("Trace ");
        if (has_ended || trace.is_some())
            && let Some(address) = begun.take()
        {
            let instruction =
                code.get(&address).ok_or_else(|| io::Error::other(format!("no code is known at {address:#x}")))?;
            runs.execute(address, instruction, &registers, &mut report);
        }
        if has_ended {
            break;
        }
        if let Some(rest) = trace {
            begun = Some(hexadecimal(rest.split('/').nth(1).unwrap_or_default())?);
        } else if text.starts_with("0x") {
            let (address, instruction) = Instruction::read(text, &function)?;
            code.insert(address, instruction);
        } else if let Some(name) = text.strip_prefix("IN: ") {
            name.trim_end().clone_into(&mut function);
        } else if begun.is_some_and(|address| code.get(&address).is_some_and(Instruction::needs_registers)) {
            read_registers(text, &mut registers)?;
        }
    }
    report.calls = runs.counts.len();
    report.fewest_runs = runs.counts.values().copied().min().unwrap_or(0);
    Ok(report)
}

impl Runs {
    fn execute(&mut self, address: u64, instruction: &Instruction, registers: &Registers, report: &mut Report) {
        if let Some(number) = instruction.marker() {
            if number == marker::BEGIN {
                self.begin(registers[0] as usize);
            } else if number == marker::END {
                self.end(report);
            }
            return;
        }
        if self.position.is_none() {
            return;
        }
        report.instructions += 1;
        if instruction.text.starts_with("aese") {
            report.aes = AesWidth::Xmm;
        }
        self.event(Event { instruction: address, address: 0, mask: 0 }, instruction, report);
        if let Some(operand) = &instruction.operand {
            let touched = Event { instruction: address, address: operand.address(registers), mask: u64::MAX };
            self.event(touched, instruction, report);
        }
    }

    fn begin(&mut self, call: usize) {
        let count = self.counts.entry(call).or_default();
        if *count == 0 {
            self.first.clear();
        }
        (self.call, self.before, self.position) = (call, *count, Some(0));
        *count += 1;
    }

    fn end(&mut self, report: &mut Report) {
        report.runs += 1;
        if let Some(position) = self.position.take()
            && let Some(&expected) = self.first.get(position)
        {
            let Self { call, before: run, .. } = *self;
            let first = format!("something at {:#x}", expected.instruction);
            report.differences.push(Difference { call, run, position, first, this: "the end".to_owned() });
        }
    }

    /// Compares a trace event (executed instruction or memory access) with the event at the same position of the call's
    /// first execution. After the first difference, ignores the rest of the execution.
    fn event(&mut self, event: Event, instruction: &Instruction, report: &mut Report) {
        let Some(position) = self.position else { return };
        let mut follower =
            RunComparison { first: &mut self.first, is_first: self.before == 0, runs_straight_lines: false, position };
        let found = follower.event(event);
        self.position = found.is_none().then_some(follower.position);
        if let Some((position, expected, _)) = found {
            let Instruction { text, function, .. } = instruction;
            let Self { call, before: run, .. } = *self;
            let first = match expected {
                Some(Event { instruction, address, .. }) => format!("{instruction:#x} and {address:#x}"),
                None => "the end".to_owned(),
            };
            let at = format!("{text} at {:#x} in {function}", event.instruction);
            let this = if event.mask == 0 { at } else { format!("{at} touches {:#x}", event.address) };
            report.differences.push(Difference { call, run, position, first, this });
        }
    }
}

impl Instruction {
    /// Parses a log line that has the address, the machine word and the disassembly of an instruction.
    fn read(line: &str, function: &str) -> io::Result<(u64, Self)> {
        let unknown = || io::Error::other(format!("unknown code: {line}"));
        let (address, rest) = line.split_once(':').ok_or_else(unknown)?;
        let (_, text) = rest.trim().split_once(' ').ok_or_else(unknown)?;
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let operand = Operand::parse(&text).ok_or_else(unknown)?;
        let address = hexadecimal(address.trim_start_matches("0x"))?;
        Ok((address, Self { text, function: function.to_owned(), operand }))
    }

    fn needs_registers(&self) -> bool {
        self.operand.is_some() || self.marker().is_some()
    }

    fn marker(&self) -> Option<u64> {
        immediate(self.text.strip_prefix("movz xzr, ")?)
    }
}

impl Operand {
    /// Parses the memory operand in a disassembled instruction. Returns `Some(None)` if the instruction has no memory
    /// operand, and `None` if the operand's syntax is not supported.
    #[allow(clippy::option_option, reason = "a missing operand differs from an unsupported one")]
    fn parse(text: &str) -> Option<Option<Self>> {
        if let Some(register) = text.strip_prefix("dc zva, ") {
            return Some(Some(Self { base: register_number(register)?, offset: 0, index: None }));
        }
        // Vector elements also have brackets, but with numbers inside.
        let inside = text.split('[').skip(1).find(|rest| rest.starts_with(['x', 's']));
        let Some((inside, _)) = inside.and_then(|rest| rest.split_once(']')) else { return Some(None) };
        let mut parts = inside.split(", ");
        let mut operand = Self { base: register_number(parts.next()?)?, offset: 0, index: None };
        match (parts.next(), parts.next()) {
            (None, None) => {}
            (Some(number), None) if number.starts_with('#') => operand.offset = immediate(number)?,
            (Some(register), how) => {
                let (form, shift) = how.map_or(Some((Extension::Whole, 0)), extension)?;
                operand.index = Some(Index { register: register_number(register)?, form, shift });
            }
            (None, Some(_)) => return None,
        }
        Some(Some(operand))
    }

    fn address(&self, registers: &Registers) -> u64 {
        let added = self.index.as_ref().map_or(0, |Index { register, form, shift }| {
            let value = registers.get(*register).copied().unwrap_or(0);
            let value = match form {
                Extension::Whole => value,
                Extension::Unsigned => u64::from(value as u32),
                Extension::Signed => i64::from(value as i32) as u64,
            };
            value << shift
        });
        registers[self.base].wrapping_add(self.offset).wrapping_add(added)
    }
}

fn extension(how: &str) -> Option<(Extension, u32)> {
    let (name, shift) = how.split_once(" #").unwrap_or((how, "0"));
    let form = match name {
        "lsl" | "sxtx" | "uxtx" => Extension::Whole,
        "uxtw" => Extension::Unsigned,
        "sxtw" => Extension::Signed,
        _ => return None,
    };
    Some((form, shift.parse().ok()?))
}

/// Parses the name of a 64-bit or 32-bit general register. Returns the register's number, or `None` for other
/// registers.
fn register_number(name: &str) -> Option<usize> {
    match name {
        "sp" => Some(SP),
        "xzr" | "wzr" => Some(ZERO),
        _ => name.strip_prefix(['x', 'w'])?.parse().ok().filter(|&number| number < SP),
    }
}

fn immediate(text: &str) -> Option<u64> {
    let text = text.strip_prefix('#')?;
    let (is_negative, digits) = text.strip_prefix('-').map_or((false, text), |digits| (true, digits));
    let value = match digits.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).ok()?,
        None => digits.parse().ok()?,
    };
    Some(if is_negative { value.wrapping_neg() } else { value })
}

/// Parses the register values in a log line, such as `X00=0000000000000000`.
fn read_registers(line: &str, registers: &mut Registers) -> io::Result<()> {
    for (name, value) in line.split_ascii_whitespace().filter_map(|word| word.split_once('=')) {
        let number = if name == "SP" { Some(SP) } else { name.strip_prefix('X').and_then(|name| name.parse().ok()) };
        if let Some(register) = number.and_then(|number: usize| registers.get_mut(number)) {
            *register = hexadecimal(value)?;
        }
    }
    Ok(())
}

fn hexadecimal(digits: &str) -> io::Result<u64> {
    u64::from_str_radix(digits, 16).map_err(|_| io::Error::other(format!("\"{digits}\" is no number of the log")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(text: &str) -> Option<u64> {
        let registers = std::array::from_fn(|number| 0x1000 * number as u64 + 0xFFFF_FFFF_0000_0000);
        Some(Operand::parse(text).unwrap()?.address(&registers))
    }

    #[test]
    fn operand_addresses_follow_from_assembly_text() {
        let base = |number: u64| 0xFFFF_FFFF_0000_0000 + 0x1000 * number;
        assert_eq!(address("ldr x0, [x1]"), Some(base(1)));
        assert_eq!(address("ldp q0, q1, [x2, #0x20]!"), Some(base(2) + 32));
        assert_eq!(address("stp x29, x30, [sp, #-0x40]!"), Some(base(31) - 64));
        assert_eq!(address("ldr x0, [x1], #8"), Some(base(1)));
        assert_eq!(address("ldrb w0, [x1, w2, uxtw]"), Some(base(1) + 0x2000));
        assert_eq!(address("ldr x0, [x1, w2, sxtw #3]"), Some(base(1) + 0x10000));
        assert_eq!(address("ldr q0, [x1, x2, lsl #4]"), Some(base(1).wrapping_add(base(2) << 4)));
        assert_eq!(address("ldr q0, [x1, xzr]"), Some(base(1)));
        assert_eq!(address("ld1 {v0.d}[1], [x3]"), Some(base(3)));
        assert_eq!(address("dc zva, x3"), Some(base(3)));
        assert_eq!(address("mov x0, v1.d[1]"), None);
        assert_eq!(address("pmull v0.1q, v1.1d, v2.1d"), None);
        assert_eq!(Operand::parse("ld1w {z0.s}, p0/z, [x0, z1.s, uxtw]"), None);
        assert_eq!(Operand::parse("ldr z0, [x0, #1, mul vl]"), None);
    }

    /// Returns an emulator log with two executions of one call. The first execution loads from address 0x100, the
    /// second from `second_address`.
    fn log(second_address: u64) -> String {
        let executed = |at: u64, registers: &str| format!("Trace 0: 0x7f [0/{at:016x}/0/0]\n{registers}\n");
        let run = |x1: u64| {
            let begin = executed(0x10, "PC=0 X00=0000000000000005");
            let load = executed(0x14, &format!("X01={x1:016x}"));
            format!("{begin}{load}{}", executed(0x18, ""))
        };
        let code = "IN: sealed\n0x10:  d280003f  movz     xzr, #0x1\n0x14:  f9400020  ldr      x0, [x1]\n\
                    0x18:  d280005f  movz     xzr, #0x2\n";
        format!("{code}{}{}", run(0x100), run(second_address))
    }

    #[test]
    fn compare_log_reports_address_that_differs() {
        let same = compare_log(log(0x100).as_bytes()).unwrap();
        assert_eq!((same.calls, same.runs, same.fewest_runs, same.instructions), (1, 2, 2, 2));
        assert!(same.differences.is_empty(), "{same:?}");
        let other = compare_log(log(0x108).as_bytes()).unwrap();
        let [difference] = &other.differences[..] else { panic!("{other:?}") };
        assert_eq!((difference.call, difference.run, difference.position), (5, 1, 1));
        assert!(difference.this.contains("ldr x0, [x1] at 0x14 in sealed touches 0x108"), "{difference:?}");
    }

    #[test]
    fn compare_log_rejects_missing_disassembly_and_unsupported_operands() {
        assert!(compare_log(&b"Trace 0: 0x7f [0/0000000000000010/0/0]\n"[..]).is_err());
        assert!(compare_log(&b"0x10:  00000000  ld1w {z0.s}, p0/z, [x0, z1.s, uxtw]\n"[..]).is_err());
    }
}
