//! The way from one instruction to the next.

use crate::context::Context;
use crate::field::Bit;
use crate::machine::Machine;
use crate::platform;
use crate::refusal::Refusal;
use crate::semantics;

/// Why an execution has stopped.
pub enum Stop {
    /// The call has returned.
    Returned,
    /// The next instruction asks whether these are all zero.
    Verdict(Vec<Bit>),
}

/// Where a call returns to: nothing is there.
pub const RETURN: u64 = 0x7FFF_0000_0000_0000;

/// The most instructions that a call may have: many times those of the longest.
pub(crate) const MAX_STEPS: u64 = 1_000_000;

/// Goes on until the call has returned.
pub fn run(machine: &mut Machine, context: &mut Context) -> Result<Stop, Refusal> {
    for _ in 0..MAX_STEPS {
        if machine.next == RETURN {
            return Ok(Stop::Returned);
        }
        if let Some(stop) = step(machine, context)? {
            return Ok(stop);
        }
    }
    Err(Refusal::Stuck("does not end").at(context.code.describe(machine.next)))
}

/// Runs a call that must return without asking for a verdict.
pub(crate) fn run_to_return(machine: &mut Machine, context: &mut Context) -> Result<(), Refusal> {
    match run(machine, context)? {
        Stop::Returned => Ok(()),
        Stop::Verdict(_) => Err(Refusal::Secret("a branch")),
    }
}

/// Goes on by one instruction.
pub fn step(machine: &mut Machine, context: &mut Context) -> Result<Option<Stop>, Refusal> {
    let at = machine.next;
    let step = match context.code.instruction(at) {
        Some(instruction) => {
            machine.next = instruction.next_ip();
            semantics::execute(machine, context, &instruction)
        }
        None => platform::call_external(machine, context, at),
    };
    match step {
        Ok(()) => Ok(None),
        Err(Refusal::Verdict(bits)) => {
            machine.next = at;
            Ok(Some(Stop::Verdict(bits)))
        }
        Err(why) => Err(why.at(context.code.describe(at))),
    }
}
