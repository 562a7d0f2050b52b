//! Function calls by the System V ABI for AMD64: arguments, stack, return value and callee-saved registers.

use iced_x86::Register;

use crate::context::Context;
use crate::execution::{RETURN, run_to_return};
use crate::machine::Machine;
use crate::memory::{Access, Region};
use crate::refusal::Refusal;
use crate::word::Word;

/// Name of the memory region in which the called function creates its stack frames.
pub(crate) const STACK_NAME: &str = "the stack";
/// Name of the memory region for the caller's frame: return address and stack arguments.
pub(crate) const FRAME_NAME: &str = "the caller's frame";
/// First address above the stack region. The stack grows down from this address, so calls push their data below it.
pub(crate) const STACK_END: u64 = 0x0000_3000_0000_0000;
const STACK_BYTES: u64 = 1 << 17;

const CALLEE_SAVED: [Register; 6] =
    [Register::RBX, Register::RBP, Register::R12, Register::R13, Register::R14, Register::R15];

/// Sets up a call: passes the first six arguments in registers, the others on the stack. All other stack contents are
/// undefined. Returns the values of the callee-saved registers.
pub(crate) fn enter_function(
    machine: &mut Machine,
    context: &mut Context,
    entry: u64,
    arguments: &[u64],
) -> Result<Vec<Word>, Refusal> {
    use Register::{R8, R9, RCX, RDI, RDX, RSI, RSP};
    machine.forget();
    let (in_registers, in_memory) = arguments.split_at(arguments.len().min(6));
    for (register, &value) in [RDI, RSI, RDX, RCX, R8, R9].into_iter().zip(in_registers) {
        machine.set_integer(register, Word::Known(value));
    }
    // Before a call instruction the stack pointer is a multiple of 16.
    let top = STACK_END + 8;
    machine.memory.begin_stack(STACK_NAME, STACK_END - STACK_BYTES, STACK_BYTES);
    let frame_bytes = 16 + 8 * in_memory.len() as u64;
    machine.memory.replace(Region::unknown(FRAME_NAME, STACK_END, frame_bytes, Access::BOTH));
    machine.set_integer(RSP, Word::Known(top));
    for (place, &value) in [RETURN].iter().chain(in_memory).enumerate() {
        machine.memory.poke(top + 8 * place as u64, &Word::Known(value).bits())?;
    }
    machine.next = entry;
    Ok(CALLEE_SAVED.iter().map(|&register| machine.integer(register, &mut context.symbols)).collect())
}

/// Executes a call, and refuses the library's code unless the called function returns the result code `code`.
pub(crate) fn call_function(
    machine: &mut Machine,
    context: &mut Context,
    entry: u64,
    arguments: &[u64],
    code: u32,
) -> Result<(), Refusal> {
    let saved = enter_function(machine, context, entry, arguments)?;
    run_to_return(machine, context)?;
    check_returned_code(machine, context, &saved, code)
}

/// Checks that the called function returned the `int` `code`, and restored the stack pointer and the callee-saved
/// registers, whose values before the call are `saved`.
pub(crate) fn check_returned_code(
    machine: &mut Machine,
    context: &mut Context,
    saved: &[Word],
    code: u32,
) -> Result<(), Refusal> {
    let returned = machine.known_integer(Register::RAX, "what is returned", &mut context.symbols)? as u32;
    if returned != code {
        let (returned, code) = (returned.cast_signed(), code.cast_signed());
        return Err(Refusal::Wrong(format!("it returned {returned} instead of {code}")));
    }
    check_callee_saved(machine, context, saved)
}

/// Checks that the called function returned the `size_t` `number`, and restored the stack pointer and the callee-saved
/// registers, whose values before the call are `saved`.
pub(crate) fn check_returned_size(
    machine: &mut Machine,
    context: &mut Context,
    saved: &[Word],
    number: u64,
) -> Result<(), Refusal> {
    let returned = machine.known_integer(Register::RAX, "what is returned", &mut context.symbols)?;
    if returned != number {
        return Err(Refusal::Wrong(format!("it returned {returned} instead of {number}")));
    }
    check_callee_saved(machine, context, saved)
}

/// Checks that the called function restored the stack pointer and the callee-saved registers, whose values before the
/// call are `saved`.
pub(crate) fn check_callee_saved(machine: &mut Machine, context: &mut Context, saved: &[Word]) -> Result<(), Refusal> {
    for (&register, before) in CALLEE_SAVED.iter().zip(saved) {
        if machine.integer(register, &mut context.symbols).bits() != before.bits() {
            return Err(Refusal::Wrong(format!("{register:?} is not what it was before the call")));
        }
    }
    match machine.known_integer(Register::RSP, "the stack pointer", &mut context.symbols)? {
        top if top == STACK_END + 16 => Ok(()),
        top => Err(Refusal::Wrong(format!("the stack pointer is {top:#x} behind the call"))),
    }
}
