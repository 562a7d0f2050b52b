//! What the core does for a provider: it keeps the error queue, and knows the configuration.

#![allow(unsafe_code, reason = "functions of OpenSSL's core are called")]

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

/// The three calls that put an error into the queue.
#[derive(Clone, Copy)]
struct Errors {
    begin: unsafe extern "C" fn(*const CoreHandle),
    place: unsafe extern "C" fn(*const CoreHandle, *const c_char, c_int, *const c_char),
    /// The last argument is a `va_list`: where that is a pointer, or larger than two registers (x86-64, AArch64), it
    /// arrives as an address.
    set: unsafe extern "C" fn(*const CoreHandle, u32, *const c_char, *mut c_void),
}

type GetParams = unsafe extern "C" fn(*const CoreHandle, *mut Param) -> c_int;

// SAFETY: the handle is the core's, which may be called by any thread.
unsafe impl Send for Core {}
// SAFETY: as above.
unsafe impl Sync for Core {}

impl Core {
    /// # Safety
    /// `handle` and `functions` must be what OpenSSL gave `OSSL_provider_init`.
    pub(crate) unsafe fn new(handle: *const CoreHandle, functions: *const Dispatch) -> Self {
        let mut core = Self { handle, get_params: None, errors: None };
        let (mut begin, mut place, mut set) = (None, None, None);
        let mut next = functions;
        // SAFETY: the table ends with the number zero.
        while let Some(entry) = unsafe { next.as_ref() }.filter(|entry| entry.id != 0) {
            // SAFETY: the number stands for a function of this type.
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

    /// Puts an error into this thread's queue.
    #[cold]
    pub(crate) fn raise(&self, reason: Reason) {
        self.raise_formatted(reason, reason.details());
    }

    /// The same with details, which the queue shows behind the reason.
    #[cold]
    pub(crate) fn raise_with(&self, reason: Reason, details: &str) {
        // It is a format: nothing in it may be taken for a conversion. Bytes that would end it or move a terminal's
        // cursor are shown as such.
        let text: String = details.escape_debug().to_string().replace('%', "%%");
        self.raise_formatted(reason, CString::new(text).ok().as_deref());
    }

    fn raise_formatted(&self, reason: Reason, format: Option<&CStr>) {
        // Four words are the largest `va_list` there is. No conversion asks for an argument, so nobody reads it.
        let mut no_arguments = [0_u64; 4];
        if let Some(Errors { begin, place, set }) = self.errors {
            // SAFETY: the core's own functions and handle; the strings end with NUL and live long enough (the place is
            // kept by address, and is static); no file or line is told, which the core takes.
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

    /// A value from the section of the configuration that loaded this provider.
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
        // SAFETY: the core's own function and handle; the list ends with NULL, and the pointer can be written.
        let known = unsafe { self.get_params?(self.handle, asked.as_mut_ptr()) };
        if known != 1 || value.is_null() {
            return None;
        }
        // SAFETY: the core's copy of the configuration, which lives as long as the provider and ends with NUL.
        Some(unsafe { CStr::from_ptr(value) }.to_string_lossy().into_owned())
    }

    /// A core that takes no errors and has no configuration.
    #[cfg(test)]
    pub(crate) const fn absent() -> Self {
        Self { handle: null(), get_params: None, errors: None }
    }
}

/// # Safety
/// `F` must be the type of function that it is.
unsafe fn typed<F: Copy>(function: Option<AnyFunction>) -> Option<F> {
    const { assert!(size_of::<F>() == size_of::<AnyFunction>()) };
    // SAFETY: function pointers are of one size; the caller vouches for the type.
    function.map(|function| unsafe { std::mem::transmute_copy(&function) })
}
