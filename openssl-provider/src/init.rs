//! Entry point of the module, which OpenSSL calls when it loads the provider.

#![allow(unsafe_code, reason = "exports a function that OpenSSL calls with pointers")]

use std::ffi::{c_int, c_void};

use crate::abi::{CoreHandle, Dispatch};
use crate::boundary;
use crate::provider::{FUNCTIONS, Provider};
use crate::upcalls::Core;

/// Creates the provider and passes its functions to OpenSSL. Returns 1, or 0 with the reason in OpenSSL's error queue.
///
/// # Safety
/// OpenSSL's core must call it: `handle` and `functions` come from the core, and `ours` and `provider` are writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn OSSL_provider_init(
    handle: *const c_void,
    functions: *const c_void,
    ours: *mut *const c_void,
    provider: *mut *mut c_void,
) -> c_int {
    boundary::guarded(0, || {
        // SAFETY: the caller guarantees that handle and functions come from the core.
        let core = unsafe { Core::new(handle.cast::<CoreHandle>(), functions.cast::<Dispatch>()) };
        let Ok(new) = Provider::new(core) else { return 0 };
        // SAFETY: the caller guarantees that both pointers are writable.
        unsafe {
            ours.write(FUNCTIONS.as_ptr().cast());
            provider.write(Box::into_raw(Box::new(new)).cast());
        }
        1
    })
}
