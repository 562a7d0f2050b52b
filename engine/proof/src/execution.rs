//! Executes the library's code until a call returns, or branches on whether a tag is correct.

use crate::context::Context;
use crate::field::Bit;
use crate::machine::Machine;
use crate::platform;
use crate::refusal::Refusal;
use crate::semantics;

/// Reason for which an execution stopped without an error.
pub enum Stop {
    Returned,
    /// The next instruction branches on whether all of the contained symbolic bits are zero.
    Verdict(Vec<Bit>),
}

/// Return address given to every call. There is no code at this address, so reaching it means that the call has
/// returned.
pub const RETURN: u64 = 0x7FFF_0000_0000_0000;

/// Maximum number of instructions in a call, so that endless loops are detected. The longest proven calls need far
/// fewer.
pub(crate) const MAX_STEPS: u64 = 1_000_000;

/// Executes instructions until the call returns, or until the next instruction is a branch on symbolic bits
/// ([`Stop::Verdict`]).
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

/// Executes instructions until the call returns. Refuses branches on symbolic bits.
pub(crate) fn run_to_return(machine: &mut Machine, context: &mut Context) -> Result<(), Refusal> {
    match run(machine, context)? {
        Stop::Returned => Ok(()),
        Stop::Verdict(_) => Err(Refusal::Secret("a branch")),
    }
}

/// Executes one instruction. If the next address is a libc function, executes the model of this function instead.
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
