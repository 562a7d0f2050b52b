//! Calls to OpenSSL's core, which keeps the error queue and knows the configuration.

#![allow(unsafe_code, reason = "calls functions of OpenSSL's core")]

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::ptr::{null, null_mut};

use crate::abi::{AnyFunction, CoreHandle, Dispatch, Param, UNMODIFIED, core_function, kind};
use crate::reason::Reason;

/// The core that loaded this provider.
pub(crate) struct Core {
    handle: *const CoreHandle,
    get_params: Option<GetParams>,
    errors: Option<Errors>,
}

/// The core's three functions for adding an error to the queue.
#[derive(Clone, Copy)]
struct Errors {
    begin: unsafe extern "C" fn(*const CoreHandle),
    place: unsafe extern "C" fn(*const CoreHandle, *const c_char, c_int, *const c_char),
    /// The last argument is a `va_list`, which C passes as a pointer here: on x86-64, `va_list` is an array; on
    /// AArch64, it is a struct larger than two registers, which is passed by its address.
    set: unsafe extern "C" fn(*const CoreHandle, u32, *const c_char, *mut c_void),
}

type GetParams = unsafe extern "C" fn(*const CoreHandle, *mut Param) -> c_int;

// SAFETY: the handle belongs to the core, which any thread may call.
unsafe impl Send for Core {}
// SAFETY: as above.
unsafe impl Sync for Core {}

impl Core {
    /// # Safety
    /// `handle` and `functions` must be OpenSSL's arguments to `OSSL_provider_init`.
    pub(crate) unsafe fn new(handle: *const CoreHandle, functions: *const Dispatch) -> Self {
        let mut core = Self { handle, get_params: None, errors: None };
        let (mut begin, mut place, mut set) = (None, None, None);
        let mut next = functions;
        // SAFETY: the table ends with number 0.
        while let Some(entry) = unsafe { next.as_ref() }.filter(|entry| entry.id != 0) {
            // SAFETY: the number belongs to a function of this type.
            unsafe {
                match entry.id {
                    core_function::GET_PARAMS => core.get_params = typed(entry.function),
                    core_function::NEW_ERROR => begin = typed(entry.function),
                    core_function::SET_ERROR_DEBUG => place = typed(entry.function),
                    core_function::VSET_ERROR => set = typed(entry.function),
                    _ => {}
                }
            }
            next = next.wrapping_add(1);
        }
        if let (Some(begin), Some(place), Some(set)) = (begin, place, set) {
            core.errors = Some(Errors { begin, place, set });
        }
        core
    }

    /// Adds an error to this thread's queue.
    #[cold]
    pub(crate) fn raise(&self, reason: Reason) {
        self.raise_formatted(reason, reason.details());
    }

    /// Adds an error with details, which the queue shows after the reason.
    #[cold]
    pub(crate) fn raise_with(&self, reason: Reason, details: &str) {
        // OpenSSL uses the text as a format string, so `%` is doubled. Control characters, such as NUL and those that
        // move a terminal's cursor, are escaped.
        let text: String = details.escape_debug().to_string().replace('%', "%%");
        self.raise_formatted(reason, CString::new(text).ok().as_deref());
    }

    fn raise_formatted(&self, reason: Reason, format: Option<&CStr>) {
        // The largest `va_list` has four words. No conversion asks for an argument, so nothing reads it.
        let mut no_arguments = [0_u64; 4];
        if let Some(Errors { begin, place, set }) = self.errors {
            // SAFETY: functions and handle belong to the core. The strings end with NUL and live long enough: the core
            // keeps the address of the place, which is static. No file or line is given, which the core accepts.
            unsafe {
                begin(self.handle);
                place(self.handle, null(), 0, c"kasoku".as_ptr());
                set(
                    self.handle,
                    reason.number(),
                    format.map_or(null(), CStr::as_ptr),
                    no_arguments.as_mut_ptr().cast(),
                );
            }
        }
    }

    /// Returns a value from the section of the configuration that loaded this provider.
    pub(crate) fn setting(&self, name: &CStr) -> Option<String> {
        let mut value: *const c_char = null();
        let mut asked = [
            Param {
                key: name.as_ptr(),
                data_type: kind::UTF8_PTR,
                data: (&raw mut value).cast(),
                data_bytes: 0,
                returned_bytes: UNMODIFIED,
            },
            Param { key: null(), data_type: 0, data: null_mut(), data_bytes: 0, returned_bytes: 0 },
        ];
        // SAFETY: function and handle belong to the core; the list ends with NULL, and the pointer is writable.
        let known = unsafe { self.get_params?(self.handle, asked.as_mut_ptr()) };
        if known != 1 || value.is_null() {
            return None;
        }
        // SAFETY: the core's copy of the configuration ends with NUL and lives as long as the provider.
        Some(unsafe { CStr::from_ptr(value) }.to_string_lossy().into_owned())
    }

    /// Returns a core that ignores errors and has no configuration.
    #[cfg(test)]
    pub(crate) const fn absent() -> Self {
        Self { handle: null(), get_params: None, errors: None }
    }
}

/// # Safety
/// `F` must be the function's type.
unsafe fn typed<F: Copy>(function: Option<AnyFunction>) -> Option<F> {
    const { assert!(size_of::<F>() == size_of::<AnyFunction>()) };
    // SAFETY: function pointers have one size; the caller guarantees the type.
    function.map(|function| unsafe { std::mem::transmute_copy(&function) })
}
