//! What each instruction does, by the manuals of Intel and AMD; [`crate::native`] compares it with a CPU.
//!
//! Everything that an address, a branch, a count, a mask or a shuffle's control is made of has to be known: whatever is
//! not the same for all secrets is refused here, and nowhere else.

mod aes;
mod flow;
mod integer;
mod lanes;
mod masks;
mod moves;
mod step;

use iced_x86::{Instruction, RflagsBits};

use crate::flow::{Flow, MOST_DEGREE};
use crate::machine::Machine;
use crate::refusal::Refusal;
use crate::world::World;
use step::Step;

/// Does one instruction; [`Machine::next`] is the one behind it already.
pub fn execute(machine: &mut Machine, world: &mut World, instruction: &Instruction) -> Result<(), Refusal> {
    machine.memory.moved = [0; 3];
    machine.memory.flow = Flow::default();
    if instruction.rflags_read() != 0 {
        machine.memory.flow.read(machine.degrees.flags);
    }
    let mut step = Step { machine, world, instruction };
    let families = [moves::execute, lanes::execute, aes::execute, integer::execute, flow::execute, masks::execute];
    for family in families {
        if family(&mut step)? {
            return follow(machine, world, instruction);
        }
    }
    Err(Refusal::Unknown)
}

/// Checks and counts what an instruction came to.
fn follow(machine: &mut Machine, world: &mut World, instruction: &Instruction) -> Result<(), Refusal> {
    const ALL: u32 = RflagsBits::CF | RflagsBits::PF | RflagsBits::ZF | RflagsBits::SF | RflagsBits::OF;
    let flow = machine.memory.flow;
    if instruction.rflags_modified() & ALL == ALL {
        machine.degrees.flags = flow.degree();
    } else if instruction.rflags_modified() != 0 {
        machine.degrees.flags = machine.degrees.flags.max(flow.degree());
    }
    if flow.greatest() > MOST_DEGREE {
        return Err(Refusal::Degree(flow.greatest()));
    }
    world.symbols.tally.degree = world.symbols.tally.degree.max(flow.greatest());
    let is_vector = |operand| instruction.op_register(operand).is_vector_register();
    world.symbols.tally.comparisons += flow.comparisons((0..instruction.op_count()).any(is_vector));
    Ok(())
}
