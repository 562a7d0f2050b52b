//! The way from one instruction to the next.

use crate::field::Bit;
use crate::machine::Machine;
use crate::outside;
use crate::refusal::Refusal;
use crate::semantics;
use crate::world::World;

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
pub(crate) const MOST_STEPS: u64 = 1_000_000;

/// Goes on until the call has returned.
pub fn run(machine: &mut Machine, world: &mut World) -> Result<Stop, Refusal> {
    for _ in 0..MOST_STEPS {
        if machine.next == RETURN {
            return Ok(Stop::Returned);
        }
        if let Some(stop) = step(machine, world)? {
            return Ok(stop);
        }
    }
    Err(Refusal::At { place: world.code.describe(machine.next), why: Box::new(Refusal::Stuck("does not end")) })
}

/// Goes on by one instruction.
pub fn step(machine: &mut Machine, world: &mut World) -> Result<Option<Stop>, Refusal> {
    let at = machine.next;
    let step = match world.code.instruction(at) {
        Some(instruction) => {
            machine.next = instruction.next_ip();
            semantics::execute(machine, world, &instruction)
        }
        None => outside::call(machine, world, at),
    };
    match step {
        Ok(()) => Ok(None),
        Err(Refusal::Verdict(bits)) => {
            machine.next = at;
            Ok(Some(Stop::Verdict(bits)))
        }
        Err(why) => Err(Refusal::At { place: world.code.describe(at), why: Box::new(why) }),
    }
}
