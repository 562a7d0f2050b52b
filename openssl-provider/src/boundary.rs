//! Stops panics at the boundary to OpenSSL: every call from OpenSSL runs inside [`guarded`].

use std::panic::{AssertUnwindSafe, catch_unwind};

/// Runs `call` and returns its result, or `on_panic` if it panics.
#[inline(always)]
pub(crate) fn guarded<R>(on_panic: R, call: impl FnOnce() -> R) -> R {
    // A context stays valid after a panic in the middle of a message: it holds plain data.
    catch_unwind(AssertUnwindSafe(call)).unwrap_or_else(|payload| {
        // Dropping the payload could run code that panics again.
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
    fn panic_returns_failure_to_openssl() {
        assert_eq!(entry(false), 1);
        assert_eq!(entry(true), 0);
    }
}
