//! Helpers for C libraries that are loaded at run time: loading, error messages, file names, strings, and the macros
//! that declare a library's functions.

#![allow(unsafe_code)] // loads libraries and reads their strings

use std::ffi::{CStr, OsStr, c_char};
use std::path::{Path, PathBuf};

/// Loads a library with local symbols. RTLD_DEEPBIND is unnecessary: the executable exports nothing, and the OpenSSL
/// forks linked into it have prefixed symbols.
pub(crate) fn load(name: &OsStr) -> Result<libloading::Library, libloading::Error> {
    #[cfg(unix)]
    {
        use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW};
        // SAFETY: the initialisers of the libraries named here only detect the CPU and allocate memory. The user chose
        // any other file.
        unsafe { Library::open(Some(name), RTLD_NOW | RTLD_LOCAL) }.map(Into::into)
    }
    #[cfg(not(unix))]
    // SAFETY: as on Unix.
    unsafe {
        libloading::Library::new(name)
    }
}

macro_rules! opaque {
    ($($name:ident)*) => { $(
        /// An opaque structure of the library, only used behind a pointer.
        #[repr(C)]
        pub(crate) struct $name {
            nothing: [u8; 0],
            neither_send_nor_sync: std::marker::PhantomData<(*mut u8, std::marker::PhantomPinned)>,
        }
    )* };
}
pub(crate) use opaque;

/// Declares a table of functions and its constructor.
macro_rules! functions {
    ($($name:ident: fn($($argument:ty),*) $(-> $result:ty)?;)*) => {
        #[allow(non_snake_case)]
        pub(crate) struct Functions {
            $(pub(crate) $name: unsafe extern "C" fn($($argument),*) $(-> $result)?,)*
        }

        impl Functions {
            /// # Errors
            /// The name of the first function that is missing.
            ///
            /// # Safety
            /// The functions of `library` must have the types in this table, and `library` must never be unloaded.
            #[allow(non_snake_case)]
            pub(crate) unsafe fn of(library: &libloading::Library) -> Result<Functions, &'static str> {
                // SAFETY: the caller guarantees that each symbol has the type of its field.
                $(let $name = *unsafe { library.get(stringify!($name)) }.map_err(|_| stringify!($name))?;)*
                Ok(Functions { $($name,)* })
            }
        }
    };
}

pub(crate) use functions;

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
