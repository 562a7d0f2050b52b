//! Calls by the System V ABI for AMD64: how a function of the library is entered, and what it has to leave as it was.

use iced_x86::Register;

use crate::execution::RETURN;
use crate::machine::Machine;
use crate::memory::{Access, Region};
use crate::refusal::Refusal;
use crate::word::Word;
use crate::world::World;

/// Memory that a call may change: its stack frames, and the caller's frame with the return address and the arguments
/// that go through memory.
pub(crate) const STACK_NAME: &str = "the stack";
pub(crate) const FRAME_NAME: &str = "the caller's frame";
/// End of the stack before a call pushes anything.
pub(crate) const STACK_END: u64 = 0x0000_3000_0000_0000;
const STACK_BYTES: u64 = 1 << 17;

/// Registers that a function of the System V ABI leaves as they were.
const KEPT: [Register; 6] = [Register::RBX, Register::RBP, Register::R12, Register::R13, Register::R14, Register::R15];

/// Begins a call: six arguments in registers, the others behind the return address, and a stack of which nothing else is
/// known. Returns the contents of the registers that the function has to leave as they were.
pub(crate) fn enter(
    machine: &mut Machine,
    world: &mut World,
    entry: u64,
    arguments: &[u64],
) -> Result<Vec<Word>, Refusal> {
    use Register::{R8, R9, RCX, RDI, RDX, RSI, RSP};
    machine.forget();
    let (in_registers, in_memory) = arguments.split_at(arguments.len().min(6));
    for (register, &value) in [RDI, RSI, RDX, RCX, R8, R9].into_iter().zip(in_registers) {
        machine.set_integer(register, Word::Known(value));
    }
    // The stack pointer divides by 16 before the call.
    let top = STACK_END + 8;
    machine.memory.begin_stack(STACK_NAME, STACK_END - STACK_BYTES, STACK_BYTES);
    let frame_bytes = 16 + 8 * in_memory.len() as u64;
    machine.memory.renew(Region::unknown(FRAME_NAME, STACK_END, frame_bytes, Access::BOTH));
    machine.set_integer(RSP, Word::Known(top));
    for (place, &value) in [RETURN].iter().chain(in_memory).enumerate() {
        machine.memory.prepare(top + 8 * place as u64, &Word::Known(value).bits())?;
    }
    machine.next = entry;
    Ok(KEPT.iter().map(|&register| machine.integer(register, &mut world.symbols)).collect())
}

/// Checks that a call has returned `code`, an `int`, and has left registers and stack as the ABI requires.
pub(crate) fn leave(machine: &mut Machine, world: &mut World, kept: &[Word], code: u32) -> Result<(), Refusal> {
    let returned = machine.known(Register::RAX, "what is returned", &mut world.symbols)? as u32;
    if returned != code {
        let (returned, code) = (returned.cast_signed(), code.cast_signed());
        return Err(Refusal::Wrong(format!("it returned {returned} instead of {code}")));
    }
    leave_all_but_the_result(machine, world, kept)
}

/// Like [`leave`], for a call that returns `number`, a `size_t`.
pub(crate) fn leave_with(machine: &mut Machine, world: &mut World, kept: &[Word], number: u64) -> Result<(), Refusal> {
    let returned = machine.known(Register::RAX, "what is returned", &mut world.symbols)?;
    if returned != number {
        return Err(Refusal::Wrong(format!("it returned {returned} instead of {number}")));
    }
    leave_all_but_the_result(machine, world, kept)
}

fn leave_all_but_the_result(machine: &mut Machine, world: &mut World, kept: &[Word]) -> Result<(), Refusal> {
    for (&register, before) in KEPT.iter().zip(kept) {
        if machine.integer(register, &mut world.symbols).bits() != before.bits() {
            return Err(Refusal::Wrong(format!("{register:?} is not what it was before the call")));
        }
    }
    match machine.known(Register::RSP, "the stack pointer", &mut world.symbols)? {
        top if top == STACK_END + 16 => Ok(()),
        top => Err(Refusal::Wrong(format!("the stack pointer is {top:#x} behind the call"))),
    }
}
