//! Version of the library.

#![allow(unsafe_code, reason = "exports a symbol by name")]

use std::ffi::{CStr, c_char};

/// Returns the version of the library at run time, such as "0.1.0". Never NULL; must not be freed.
#[unsafe(no_mangle)]
pub extern "C" fn kasoku_version() -> *const c_char {
    VERSION.as_ptr()
}

const VERSION: &CStr = match CStr::from_bytes_with_nul(concat!(env!("CARGO_PKG_VERSION"), "\0").as_bytes()) {
    Ok(version) => version,
    Err(_) => panic!("a version has no NUL"),
};
