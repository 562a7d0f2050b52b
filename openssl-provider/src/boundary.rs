//! The boundary: every call from OpenSSL goes through [`guarded`], so that no panic crosses.

use std::panic::{AssertUnwindSafe, catch_unwind};

/// What `call` gives, or `on_panic` if it panics.
#[inline(always)]
pub(crate) fn guarded<R>(on_panic: R, call: impl FnOnce() -> R) -> R {
    // A context that panicked in the middle of a message stays a context: what it holds is plain data.
    catch_unwind(AssertUnwindSafe(call)).unwrap_or_else(|payload| {
        // Dropping a payload runs code of whoever panicked, which may panic again.
        std::mem::forget(payload);
        on_panic
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    extern "C" fn entry(panics: bool) -> i32 {
        guarded(0, || if panics { panic!("a bug") } else { 1 })
    }

    #[test]
    fn a_panic_becomes_a_failure() {
        assert_eq!(entry(false), 1);
        assert_eq!(entry(true), 0);
    }
}
