//! The boundary itself: every call from C goes through [`guarded`], so that no panic crosses.

use std::ffi::c_int;
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::code::{Code, KASOKU_ERR_INTERNAL, KASOKU_OK};

/// What `call` gives, or `on_panic` if it panics.
pub(crate) fn guarded<R>(on_panic: R, call: impl FnOnce() -> R) -> R {
    // What C holds stays usable after a panic: a key gains powers only once they are whole, and a streamed message that
    // panicked is taken apart first (see `streaming.rs`).
    catch_unwind(AssertUnwindSafe(call)).unwrap_or_else(|payload| {
        // Dropping a payload runs code of whoever panicked, which may panic again.
        std::mem::forget(payload);
        on_panic
    })
}

/// The same for calls that return an error code.
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

    /// An entry as C would call it.
    extern "C" fn entry(does: c_int) -> c_int {
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
    fn a_panic_becomes_an_error_code() {
        assert_eq!(entry(0), KASOKU_OK);
        assert_eq!(entry(1), crate::KASOKU_ERR_OVERLAP);
        assert_eq!(entry(2), KASOKU_ERR_INTERNAL);
        assert_eq!(entry(3), KASOKU_ERR_INTERNAL, "a payload that panics when it is dropped");
        assert_eq!(guarded(7, || panic!("a bug")), 7);
    }
}
