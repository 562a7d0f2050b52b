//! Finds the backend and schedule named by the caller or by environment variables, for tests and measurements.

#![allow(unsafe_code, reason = "reads the environment with secure_getenv")]

use std::ffi::{CStr, c_char};
use std::str::FromStr;
use std::sync::OnceLock;

use kasoku_engine::cpu::{self, Found, RunnablePath};
use kasoku_engine::{Backend, CodePath};

use crate::code::Code;

/// Returns the backend called `name` with its fastest schedule, whether or not this CPU can run it. If `name` is NULL,
/// returns the choice of the environment variables, or else the fastest.
///
/// # Safety
/// `name` must be NULL or a string that ends with NUL.
pub(crate) unsafe fn requested_code_path(name: *const c_char) -> Result<CodePath, Code> {
    if name.is_null() {
        return Ok(code_path_from_environment()?.into());
    }
    // SAFETY: the caller guarantees that the string ends with NUL.
    let backend: Backend = parse_name(unsafe { CStr::from_ptr(name) })?;
    Ok(backend.into())
}

/// Result of [`code_path_from_environment`].
static REQUESTED: OnceLock<Result<RunnablePath, Code>> = OnceLock::new();

/// Returns the backend and schedule that [`code_path_from_environment`] found. Returns `None` before its first call,
/// and if that call failed.
#[inline(always)]
pub(crate) fn known_code_path() -> Option<RunnablePath> {
    REQUESTED.get()?.ok()
}

/// Returns the backend and schedule named by `KASOKU_BACKEND` and `KASOKU_SCHEDULE`, or the fastest if neither is set.
/// An unknown name is an error. The environment is read once, for the first key, because other threads may change it
/// later.
pub(crate) fn code_path_from_environment() -> Result<RunnablePath, Code> {
    *REQUESTED.get_or_init(|| {
        let backend = read_variable(c"KASOKU_BACKEND").map(parse_name).transpose()?;
        let schedule = read_variable(c"KASOKU_SCHEDULE").map(parse_name).transpose()?;
        if backend.is_none() && schedule.is_none() {
            return Ok(RunnablePath::preferred());
        }
        let path = CodePath::from(backend.unwrap_or_else(|| cpu::preferred(Found::here().features())));
        let path = CodePath { schedule: schedule.unwrap_or(path.schedule), ..path };
        Ok(RunnablePath::new(path, Found::here())?)
    })
}

fn parse_name<T: FromStr>(name: &CStr) -> Result<T, Code> {
    name.to_str().ok().and_then(|name| name.parse().ok()).ok_or(Code::BACKEND_UNKNOWN)
}

/// Returns an environment variable. Ignores the environment of a program with more rights than its user (such as
/// setuid), because the user must not choose how that program handles its keys.
#[cfg(target_os = "linux")]
fn read_variable(name: &CStr) -> Option<&'static CStr> {
    unsafe extern "C" {
        fn secure_getenv(name: *const c_char) -> *const c_char;
    }
    // SAFETY: the name ends with NUL.
    let value = unsafe { secure_getenv(name.as_ptr()) };
    if value.is_null() {
        return None;
    }
    // SAFETY: the value ends with NUL; the caller parses it at once and does not keep it.
    Some(unsafe { CStr::from_ptr(value) })
}

/// Returns `None`: without `secure_getenv`, the environment cannot be trusted.
#[cfg(not(target_os = "linux"))]
fn read_variable(_: &CStr) -> Option<&'static CStr> {
    None
}
