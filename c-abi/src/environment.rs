//! The backend that the environment asks for, for tests and measurements.

#![allow(unsafe_code, reason = "the environment of a program that may run with more rights is read through C")]

use std::ffi::CStr;
use std::sync::OnceLock;

use kasoku_engine::Backend;

use crate::code::Code;

/// The backend named in `KASOKU_BACKEND`, if it is set. It is read when the first key is made and stays, so that
/// no thread reads the environment while another changes it later.
///
/// # Errors
/// [`Code::BACKEND_UNKNOWN`]: a wrong name never means "any backend".
pub(crate) fn backend() -> Result<Option<Backend>, Code> {
    static ASKED_FOR: OnceLock<Result<Option<Backend>, Code>> = OnceLock::new();
    *ASKED_FOR.get_or_init(|| variable(c"KASOKU_BACKEND").map(named).transpose())
}

/// The backend of a name.
///
/// # Errors
/// [`Code::BACKEND_UNKNOWN`].
pub(crate) fn named(name: &CStr) -> Result<Backend, Code> {
    name.to_str().ok().and_then(|name| name.parse().ok()).ok_or(Code::BACKEND_UNKNOWN)
}

/// A variable of the environment. A program with more rights than the user who started it sees none: the user must
/// not choose how its keys are handled.
#[cfg(target_os = "linux")]
fn variable(name: &CStr) -> Option<&'static CStr> {
    unsafe extern "C" {
        fn secure_getenv(name: *const std::ffi::c_char) -> *const std::ffi::c_char;
    }
    // SAFETY: the name ends with NUL.
    let value = unsafe { secure_getenv(name.as_ptr()) };
    if value.is_null() {
        return None;
    }
    // SAFETY: the value ends with NUL; it is read at once, by the only caller, and not kept.
    Some(unsafe { CStr::from_ptr(value) })
}

/// Where the system has no `secure_getenv`, nobody chooses: the safe side.
#[cfg(not(target_os = "linux"))]
fn variable(_: &CStr) -> Option<&'static CStr> {
    None
}
