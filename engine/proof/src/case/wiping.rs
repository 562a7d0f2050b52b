//! Calls that wipe or free a key object.

use super::MessageProver;
use crate::abi::{check_callee_saved, enter_function};
use crate::context::Context;
use crate::execution::run_to_return;
use crate::machine::Machine;
use crate::memory::Access;
use crate::platform::HEAP_NAME;
use crate::refusal::Refusal;

impl MessageProver {
    /// Executes the call that ends the key, and checks that nothing of the key is left in the object's memory.
    ///
    /// # Errors
    /// A byte of the object that is not wiped, or any other reason to refuse the call.
    pub fn prove_wiping(&mut self) -> Result<(), Refusal> {
        self.context.symbols.begin_call();
        expect_wiped_by(self.end, self.key[0], &mut self.machine.clone(), &mut self.context)
    }
}

/// Executes `end`, a function that wipes or frees the object at `object`. Refuses secrets in the object's memory: when
/// the function frees the memory, and after the call if the memory belongs to the caller.
pub(crate) fn expect_wiped_by(
    end: u64,
    object: u64,
    machine: &mut Machine,
    context: &mut Context,
) -> Result<(), Refusal> {
    machine.memory.set_access(HEAP_NAME, Access::BOTH);
    let saved = enter_function(machine, context, end, &[object])?;
    context.platform.refuses_secrets_in_freed_memory = true;
    let run = run_to_return(machine, context);
    context.platform.refuses_secrets_in_freed_memory = false;
    run?;
    check_callee_saved(machine, context, &saved)?;
    machine.memory.expect_wiped(HEAP_NAME, ..)
}
