//! Stops panics at the boundary to C: every exported function runs inside [`guarded`].

use std::ffi::c_int;
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::code::{Code, KASOKU_ERR_INTERNAL, KASOKU_OK};

/// Runs `call` and returns its result, or `on_panic` if it panics.
pub(crate) fn guarded<R>(on_panic: R, call: impl FnOnce() -> R) -> R {
    // The caller's objects stay usable after a panic: a key stores new powers of H only once they are complete, and a
    // streamed message is dropped if one of its parts panics (`streaming.rs`).
    catch_unwind(AssertUnwindSafe(call)).unwrap_or_else(|payload| {
        // Dropping the payload could run code that panics again.
        std::mem::forget(payload);
        on_panic
    })
}

/// Runs `call` and returns its result as an error code; a panic becomes [`KASOKU_ERR_INTERNAL`].
pub(crate) fn code(call: impl FnOnce() -> Result<(), Code>) -> c_int {
    guarded(KASOKU_ERR_INTERNAL, || match call() {
        Ok(()) => KASOKU_OK,
        Err(code) => code.number(),
    })
}

#[cfg(test)]
mod tests {
    use std::panic::panic_any;

    use super::*;

    /// Test double for an exported function.
    extern "C" fn exported_function(does: c_int) -> c_int {
        struct PanicsAgain;
        impl Drop for PanicsAgain {
            fn drop(&mut self) {
                panic!("again");
            }
        }
        code(|| match does {
            0 => Ok(()),
            1 => Err(Code::OVERLAP),
            2 => panic!("a bug"),
            _ => panic_any(PanicsAgain),
        })
    }

    #[test]
    fn panic_returns_an_error_code_to_c() {
        assert_eq!(exported_function(0), KASOKU_OK);
        assert_eq!(exported_function(1), crate::KASOKU_ERR_OVERLAP);
        assert_eq!(exported_function(2), KASOKU_ERR_INTERNAL);
        assert_eq!(exported_function(3), KASOKU_ERR_INTERNAL, "a payload that panics when it is dropped");
        assert_eq!(guarded(7, || panic!("a bug")), 7);
    }
}
