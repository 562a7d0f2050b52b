//! Executes the library's code until a call returns or branches on whether a tag is correct.

use crate::context::Context;
use crate::field::Bit;
use crate::machine::Machine;
use crate::platform;
use crate::refusal::Refusal;
use crate::semantics;

/// Reason why an execution stopped before an error.
pub enum Stop {
    Returned,
    /// The next instruction branches on whether all of the contained bits, which are unknown, are zero.
    Verdict(Vec<Bit>),
}

/// Return address given to every call. No code lies at this address.
pub const RETURN: u64 = 0x7FFF_0000_0000_0000;

/// Maximum number of instructions in a call, far above that of the longest proven calls.
pub(crate) const MAX_STEPS: u64 = 1_000_000;

/// Executes instructions until the call returns, or reaches a branch on unknown bits ([`Stop::Verdict`]).
pub fn run(machine: &mut Machine, context: &mut Context) -> Result<Stop, Refusal> {
    for _ in 0..MAX_STEPS {
        if machine.next == RETURN {
            return Ok(Stop::Returned);
        }
        if let Some(stop) = step(machine, context)? {
            return Ok(stop);
        }
    }
    Err(Refusal::Stuck("does not end").at_instruction(context.code.describe(machine.next)))
}

/// Executes until the call returns. Refuses a branch on unknown bits.
pub(crate) fn run_to_return(machine: &mut Machine, context: &mut Context) -> Result<(), Refusal> {
    match run(machine, context)? {
        Stop::Returned => Ok(()),
        Stop::Verdict(_) => Err(Refusal::Secret("a branch")),
    }
}

/// Executes one instruction, or one modelled function of libc.
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
        Err(why) => Err(why.at_instruction(context.code.describe(at))),
    }
}
