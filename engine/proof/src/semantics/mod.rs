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

use iced_x86::Instruction;

use crate::machine::Machine;
use crate::refusal::Refusal;
use crate::world::World;
use step::Step;

/// Does one instruction; [`Machine::next`] is the one behind it already.
pub fn execute(machine: &mut Machine, world: &mut World, instruction: &Instruction) -> Result<(), Refusal> {
    machine.memory.moved = [0; 3];
    let mut step = Step { machine, world, instruction };
    let families = [moves::execute, lanes::execute, aes::execute, integer::execute, flow::execute, masks::execute];
    for family in families {
        if family(&mut step)? {
            return Ok(());
        }
    }
    Err(Refusal::Unknown)
}
