//! The backend and the schedule that the caller or the environment asks for, for tests and measurements.

#![allow(unsafe_code, reason = "the environment of a program that may run with more rights is read through C")]

use std::ffi::{CStr, c_char};
use std::str::FromStr;
use std::sync::OnceLock;

use kasoku_engine::cpu::{self, Found};
use kasoku_engine::{Backend, CodePath};

use crate::code::Code;

/// The backend of a caller's `name`; what the environment asks for, if anything, where that is NULL.
///
/// # Errors
/// [`Code::BACKEND_UNKNOWN`].
///
/// # Safety
/// `name` must be NULL or a string that ends with NUL.
pub(crate) unsafe fn asked_for(name: *const c_char) -> Result<Option<CodePath>, Code> {
    if name.is_null() {
        return code_path();
    }
    // SAFETY: the caller vouches for the NUL at its end.
    let backend: Backend = named(unsafe { CStr::from_ptr(name) })?;
    Ok(Some(backend.into()))
}

/// The backend named in `KASOKU_BACKEND`, in the schedule named in `KASOKU_SCHEDULE`, if either is set. They are read
/// when the first key is made and stay, so that no thread reads the environment while another changes it later.
///
/// # Errors
/// [`Code::BACKEND_UNKNOWN`]: a wrong name never means "any".
fn code_path() -> Result<Option<CodePath>, Code> {
    static ASKED_FOR: OnceLock<Result<Option<CodePath>, Code>> = OnceLock::new();
    *ASKED_FOR.get_or_init(|| {
        let backend = variable(c"KASOKU_BACKEND").map(named).transpose()?;
        let schedule = variable(c"KASOKU_SCHEDULE").map(named).transpose()?;
        if backend.is_none() && schedule.is_none() {
            return Ok(None);
        }
        let path = CodePath::from(backend.unwrap_or_else(|| cpu::preferred(Found::here().features())));
        Ok(Some(CodePath { schedule: schedule.unwrap_or(path.schedule), ..path }))
    })
}

/// The backend or schedule of a name.
///
/// # Errors
/// [`Code::BACKEND_UNKNOWN`].
fn named<T: FromStr>(name: &CStr) -> Result<T, Code> {
    name.to_str().ok().and_then(|name| name.parse().ok()).ok_or(Code::BACKEND_UNKNOWN)
}

/// A variable of the environment. A program with more rights than the user who started it sees none: the user must
/// not choose how its keys are handled.
#[cfg(target_os = "linux")]
fn variable(name: &CStr) -> Option<&'static CStr> {
    unsafe extern "C" {
        fn secure_getenv(name: *const c_char) -> *const c_char;
    }
    // SAFETY: the name ends with NUL.
    let value = unsafe { secure_getenv(name.as_ptr()) };
    if value.is_null() {
        return None;
    }
    // SAFETY: the value ends with NUL; it is read at once and not kept.
    Some(unsafe { CStr::from_ptr(value) })
}

/// Where the system has no `secure_getenv`, nobody chooses: the safe side.
#[cfg(not(target_os = "linux"))]
fn variable(_: &CStr) -> Option<&'static CStr> {
    None
}
