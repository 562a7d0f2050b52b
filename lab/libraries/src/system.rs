//! The libraries that distributions package, loaded at run time. To add a library, write its file in the folder
//! `system/` and name it in the list below.

use std::cell::UnsafeCell;
use std::ffi::c_void;

use crate::loaded::{containing_file, load, loader_message};
use crate::{LibraryDescription, LibraryEntry, Opening, Unavailable, Unsupported};
use kasoku_model::workload::Workload;

/// Declares the module of each library, and the list of their entries in the order of tables.
macro_rules! system_libraries {
    ($($name:ident)*) => {
        $(mod $name;)*
        pub(crate) const ENTRIES: &[LibraryEntry] = &[$($name::ENTRY),*];
    };
}

system_libraries! {
    libgcrypt
    wolfssl
    mbedtls
    nettle
    botan
    libsodium
}

/// Loads the library file that the user chose, or the first of `names` that the system's loader finds. `package` is the
/// Debian package to install if there is none. The library is never unloaded, because it may have started threads.
fn load_first(opening: &Opening, names: &[&str], package: &str) -> Result<&'static libloading::Library, Unavailable> {
    let handle = match &opening.library_file {
        Some(path) => load(path.as_os_str())
            .map_err(|error| Unavailable::new(format!("cannot load {}: {}", path.display(), loader_message(&error))))?,
        None => names.iter().find_map(|name| load(name.as_ref()).ok()).ok_or_else(|| Unavailable {
            why: format!("the loader finds none of {}", names.join(", ")),
            install: cfg!(target_os = "linux").then(|| format!("apt install {package}")),
        })?,
    };
    Ok(Box::leak(Box::new(handle)))
}

/// Creates the error for a library file without the function `name`.
fn lacks(name: &str) -> Unavailable {
    Unavailable::new(format!("the library that was loaded has no {name}"))
}

/// Returns the description of a library with a function at `address`.
fn described(version: String, address: *const ()) -> LibraryDescription {
    let loaded_from = containing_file(address).map(|path| path.display().to_string());
    LibraryDescription { loaded_from, ..LibraryDescription::new(version) }
}

/// Rejects workloads with many keys, for libraries whose key objects have more memory than they use.
fn require_one_key(library: &str, workload: &Workload) -> Result<(), Unsupported> {
    if workload.keys == 1 {
        return Ok(());
    }
    Err(Unsupported::new(format!("{library} is measured under one key: its key objects leave room for other versions")))
}

/// Zeroed memory for a structure of a C library, aligned to cache lines. One thread uses the memory.
struct Memory(Box<[UnsafeCell<Line>]>);

#[repr(C, align(64))]
struct Line([u8; 64]);

impl Memory {
    fn new(bytes: usize) -> Memory {
        Memory((0..bytes.div_ceil(size_of::<Line>())).map(|_| UnsafeCell::new(Line([0; 64]))).collect())
    }

    fn as_ptr(&self) -> *mut c_void {
        UnsafeCell::raw_get(self.0.as_ptr()).cast()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_system_library_is_reported_with_its_debian_package() {
        let Err(missing) = load_first(&Opening::default(), &["libnowhere.so.2", "libnowhere.so.1"], "libnowhere1")
        else {
            panic!("it was found");
        };
        assert_eq!(missing.why, "the loader finds none of libnowhere.so.2, libnowhere.so.1");
        let install = cfg!(target_os = "linux").then(|| "apt install libnowhere1".to_owned());
        assert_eq!(missing.install, install);
    }

    #[test]
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    fn system_libraries_reject_missing_and_foreign_files() {
        for entry in ENTRIES {
            for (file, expected) in
                [("/nonexistent/lib.so.1", "cannot load /nonexistent/lib.so.1"), ("libc.so.6", "has no")]
            {
                let error = (entry.open)(&Opening { library_file: Some(file.into()), ..Opening::default() }).err();
                assert!(error.as_ref().is_some_and(|error| error.why.contains(expected)), "{}: {error:?}", entry.name);
            }
        }
    }
}
