//! Helpers for C libraries that are loaded at run time: loading, error messages, file names, strings.

#![allow(unsafe_code)] // loads libraries and reads their strings

use std::ffi::{CStr, OsStr, c_char};
use std::path::{Path, PathBuf};

/// Loads a library with local symbols. RTLD_DEEPBIND is unnecessary: the executable exports nothing, and the OpenSSL
/// forks linked into it have prefixed symbols.
pub(crate) fn load(name: &OsStr) -> Result<libloading::Library, libloading::Error> {
    #[cfg(unix)]
    {
        use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW};
        // SAFETY: the initialisers of libcrypto and ipsec-mb only detect the CPU. The user chose any other file.
        unsafe { Library::open(Some(name), RTLD_NOW | RTLD_LOCAL) }.map(Into::into)
    }
    #[cfg(not(unix))]
    // SAFETY: as on Unix.
    unsafe {
        libloading::Library::new(name)
    }
}

pub fn can_be_loaded(path: &Path) -> Result<(), String> {
    // Leave it loaded, because it may have started threads.
    load(path.as_os_str()).map(std::mem::forget).map_err(|error| loader_message(&error))
}

/// Returns the loader's message, which libloading stores in the error's source.
pub(crate) fn loader_message(error: &libloading::Error) -> String {
    std::error::Error::source(error).map_or_else(|| error.to_string(), ToString::to_string)
}

/// Returns the file with the code at `address`, with links resolved.
pub(crate) fn containing_file(address: *const ()) -> Option<PathBuf> {
    #[cfg(unix)]
    {
        use std::os::unix::ffi::OsStrExt as _;
        let mut found = std::mem::MaybeUninit::<libc::Dl_info>::zeroed();
        // SAFETY: dladdr takes any address and writes one Dl_info.
        if unsafe { libc::dladdr(address.cast(), found.as_mut_ptr()) } == 0 {
            return None;
        }
        // SAFETY: `found` was zeroed, which is a valid value, and then written.
        let name = unsafe { found.assume_init() }.dli_fname;
        if name.is_null() {
            return None;
        }
        // SAFETY: the loader owns the string, which lives as long as the library is loaded.
        let name = Path::new(OsStr::from_bytes(unsafe { CStr::from_ptr(name) }.to_bytes()));
        Some(name.canonicalize().unwrap_or_else(|_| name.to_owned()))
    }
    #[cfg(not(unix))]
    {
        let _ = address;
        None
    }
}

/// Copies the C string at `text`. `None` if the pointer is null.
///
/// # Safety
/// `text` is null, or points at a null-terminated string that does not change meanwhile.
pub(crate) unsafe fn text_at(text: *const c_char) -> Option<String> {
    if text.is_null() {
        return None;
    }
    // SAFETY: the caller guarantees that `text` is null or a C string.
    Some(unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned())
}
