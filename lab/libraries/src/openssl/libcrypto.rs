//! Loads libcrypto and calls its functions. All foreign calls of the library `openssl` are in this folder, behind a
//! safe interface.

#![allow(unsafe_code)] // loads a library and calls its functions

pub(crate) mod cipher_context;
#[cfg(target_os = "linux")]
pub mod connection;
pub(crate) mod digest_context;
mod functions;
pub(crate) mod key;

use std::ffi::{CStr, CString, c_char, c_int, c_ulong};
use std::path::{Path, PathBuf};
use std::ptr::NonNull;
use std::sync::{Arc, OnceLock};

use crate::install::{self, OPENSSL_LEGACY};
use crate::loaded::{containing_file, load, loader_message, text_at};
use crate::{JobError, Result, Unavailable, Unsupported};
use functions::{Functions, LibCtx, Parameter};

/// File names of libcrypto to try, the newest first.
#[cfg(not(any(target_os = "macos", windows)))]
const NAMES: &[&str] = &["libcrypto.so.4", "libcrypto.so.3"];
#[cfg(target_os = "macos")]
const NAMES: &[&str] = &[
    // Absolute paths only: macOS ends a process that loads the system's own libcrypto.
    "/opt/homebrew/lib/libcrypto.4.dylib",
    "/opt/homebrew/lib/libcrypto.3.dylib",
    "/usr/local/lib/libcrypto.4.dylib",
    "/usr/local/lib/libcrypto.3.dylib",
];
#[cfg(windows)]
const NAMES: &[&str] = &["libcrypto-4-x64.dll", "libcrypto-3-x64.dll"];

/// A loaded libcrypto. It is never unloaded, because OpenSSL's thread destructors would run in unloaded code.
pub(crate) struct Libcrypto {
    functions: Functions,
    pub(crate) version: String,
    release: (u32, u32),
    pub(crate) loaded_from: Option<PathBuf>,
    /// Whether the user chose the libcrypto file. Its provider modules are then searched beside it.
    is_chosen: bool,
    legacy: OnceLock<Result<Legacy, String>>,
}

/// A separate library context with the legacy provider, which leaves the default context unchanged.
struct Legacy(NonNull<LibCtx>);

// SAFETY: threads may share an OSSL_LIB_CTX (openssl-threads(7)), and this one is only used for fetching.
unsafe impl Send for Legacy {}
// SAFETY: as for `Send`.
unsafe impl Sync for Legacy {}

impl Libcrypto {
    /// Loads `chosen`, or the newest libcrypto that the system's loader finds. Fails for versions before 3.0.
    pub(crate) fn open(chosen: Option<&Path>) -> Result<Arc<Libcrypto>, Unavailable> {
        let handle = match chosen {
            Some(path) => load(path.as_os_str()).map_err(|error| {
                Unavailable::new(format!("cannot load {}: {}", path.display(), loader_message(&error)))
            })?,
            None => NAMES.iter().find_map(|name| load(name.as_ref()).ok()).ok_or_else(|| Unavailable {
                why: format!("the loader finds none of {}", NAMES.join(", ")),
                install: Some(install::OPENSSL.to_owned()),
            })?,
        };
        let named = || chosen.map_or_else(|| "libcrypto".to_owned(), |path| path.display().to_string());
        let refused = |why: String| Unavailable::new(format!("{}: {why}", named()));

        let text = version_text(&handle).ok_or_else(|| refused("it is not a libcrypto".to_owned()))?;
        let (version, release) =
            read_version(&text).ok_or_else(|| refused(format!("\"{text}\" is not OpenSSL 3.0 or later")))?;
        // SAFETY: OpenSSL 3 has the function types in the table. The library is never unloaded: see `forget`.
        let functions = unsafe { Functions::of(&handle) }.map_err(|name| refused(format!("it has no {name}")))?;
        std::mem::forget(handle);

        // No configuration file, since an openssl.cnf may replace the library's code. No atexit handler, since it would
        // free data of threads that still measure.
        const NO_LOAD_CONFIG: u64 = 0x80;
        const NO_ATEXIT: u64 = 0x0008_0000;
        // SAFETY: the options are documented, and the settings may be null.
        if unsafe { (functions.OPENSSL_init_crypto)(NO_LOAD_CONFIG | NO_ATEXIT, std::ptr::null()) } != 1 {
            return Err(refused("OPENSSL_init_crypto failed".to_owned()));
        }
        let loaded_from = containing_file(functions.EVP_CIPHER_CTX_new as *const ());
        let is_chosen = chosen.is_some();
        Ok(Arc::new(Libcrypto { functions, version, release, loaded_from, is_chosen, legacy: OnceLock::new() }))
    }

    pub(crate) fn is_at_least(&self, major: u32, minor: u32) -> bool {
        self.release >= (major, minor)
    }

    /// Returns the CPU capability vector in effect, as `OPENSSL_ia32cap=…`. `None` on CPUs without one.
    pub(crate) fn cpu_settings(&self) -> Option<String> {
        const CPU_SETTINGS: c_int = 1008;
        // SAFETY: the request is documented; the result is a static string of the library, or null.
        unsafe { text_at((self.functions.OPENSSL_info)(CPU_SETTINGS)) }
    }

    /// Creates the error of a failed call, with the entries of this thread's error queue.
    #[cold]
    pub(crate) fn failed(&self, call: &str) -> JobError {
        const SHOWN: usize = 3;
        let functions = &self.functions;
        let next = || queued_error(functions.ERR_get_error, functions.ERR_error_string_n);
        let reasons: Vec<String> = std::iter::from_fn(next).take(SHOWN).collect();
        self.forget_errors();
        match reasons.len() {
            0 => JobError::new(format!("{call} failed")),
            _ => JobError::new(format!("{call} failed: {}", reasons.join("; "))),
        }
    }

    fn forget_errors(&self) {
        // SAFETY: the function only clears the error queue of this thread.
        unsafe { (self.functions.ERR_clear_error)() }
    }

    /// Returns an error unless `result` is 1, which means success.
    #[inline]
    fn check(&self, result: c_int, call: &str) -> Result<()> {
        if result == 1 { Ok(()) } else { Err(self.failed(call)) }
    }

    /// Fetches the algorithm `name` from a provider.
    fn algorithm<T>(
        &self,
        name: &CStr,
        context: *mut LibCtx,
        (fetch, free): (Fetch<T>, Free<T>),
    ) -> Result<Owned<T>, Unsupported> {
        // SAFETY: the context is the default one or never freed, and the name is a C string.
        let pointer = unsafe { fetch(context, name.as_ptr(), std::ptr::null()) };
        // SAFETY: fetching returns a reference that `free` releases.
        unsafe { Owned::new(pointer, free) }.ok_or_else(|| {
            self.forget_errors();
            Unsupported::new(format!("OpenSSL {} does not offer {} here", self.version, name.to_string_lossy()))
        })
    }

    /// Returns the context with the legacy provider, which is loaded on first use.
    fn legacy(&self) -> Result<&Legacy, &str> {
        self.legacy.get_or_init(|| self.load_legacy()).as_ref().map_err(String::as_str)
    }

    fn load_legacy(&self) -> Result<Legacy, String> {
        let refused = |why: String| {
            format!(
                "cannot load OpenSSL's legacy provider ({why}); {OPENSSL_LEGACY}, or name the \
                 folder with the legacy module of {} in OPENSSL_MODULES",
                self.version
            )
        };
        let functions = &self.functions;
        // SAFETY: no arguments. The context is never freed.
        let context = NonNull::new(unsafe { (functions.OSSL_LIB_CTX_new)() })
            .ok_or_else(|| refused(self.failed("OSSL_LIB_CTX_new").what))?;
        if let Some(folder) = self.own_modules() {
            // SAFETY: the context is alive, and the library copies the path.
            let is_set =
                unsafe { (functions.OSSL_PROVIDER_set_default_search_path)(context.as_ptr(), folder.as_ptr()) };
            self.check(is_set, "OSSL_PROVIDER_set_default_search_path").map_err(|error| refused(error.what))?;
        }
        // SAFETY: the context is alive, and the name is a C string.
        let provider = unsafe { (functions.OSSL_PROVIDER_load)(context.as_ptr(), c"legacy".as_ptr()) };
        if provider.is_null() {
            return Err(refused(self.failed("OSSL_PROVIDER_load").what));
        }
        // A module of another version loads its own libcrypto, which would then be measured.
        let mut version: *const c_char = std::ptr::null();
        let mut wanted = [
            Parameter {
                key: c"version".as_ptr(),
                data_type: Parameter::UTF8_POINTER,
                data: (&raw mut version).cast(),
                data_size: 0,
                return_size: 0,
            },
            Parameter::END,
        ];
        // SAFETY: the provider is loaded. The list has an end marker, and its only entry points to `version`.
        let answered = unsafe { (functions.OSSL_PROVIDER_get_params)(provider, wanted.as_mut_ptr()) } == 1;
        // SAFETY: `version` is null or points to a static string of the provider.
        let version = if answered { unsafe { text_at(version) } } else { None };
        match version {
            Some(version) if version == self.version => Ok(Legacy(context)),
            Some(version) => Err(refused(format!("the module found is of {version}"))),
            None => Err(refused("the module found does not report its version".to_owned())),
        }
    }

    /// Returns the folder of provider modules beside a library that the user chose.
    fn own_modules(&self) -> Option<CString> {
        let folder = self.loaded_from.as_deref().filter(|_| self.is_chosen)?.parent()?.join("ossl-modules");
        if folder.is_dir() { CString::new(folder.into_os_string().into_encoded_bytes()).ok() } else { None }
    }
}

fn queued_error(
    get: unsafe extern "C" fn() -> c_ulong,
    describe: unsafe extern "C" fn(c_ulong, *mut c_char, usize),
) -> Option<String> {
    // SAFETY: the function takes an entry from the error queue of this thread.
    let code = unsafe { get() };
    let mut text: [c_char; 256] = [0; 256];
    // SAFETY: the buffer has the length passed; the function truncates the text and ends it with a null byte.
    unsafe { describe(code, text.as_mut_ptr(), text.len()) };
    // SAFETY: the text ends with a null byte.
    unsafe { text_at(text.as_ptr()) }.filter(|_| code != 0)
}

fn version_text(handle: &libloading::Library) -> Option<String> {
    const VERSION: c_int = 0;
    // SAFETY: the function has this type in OpenSSL since 1.1.0, and in its forks.
    let function = unsafe { handle.get::<unsafe extern "C" fn(c_int) -> *const c_char>("OpenSSL_version") }.ok()?;
    // SAFETY: the request is documented; the result is a static string of the library.
    unsafe { text_at(function(VERSION)) }
}

/// Parses version and release (major, minor) from `OpenSSL 3.0.19 27 Jan 2026`. `None` for versions before 3.0 and for
/// forks.
fn read_version(text: &str) -> Option<(String, (u32, u32))> {
    let version = text.strip_prefix("OpenSSL ")?.split(' ').next()?;
    let mut numbers = version.split('.');
    let release = (numbers.next()?.parse().ok()?, numbers.next()?.parse().ok()?);
    (release >= (3, 0)).then(|| (version.to_owned(), release))
}

/// An object that the library allocated, freed on drop. The library is never unloaded.
struct Owned<T> {
    pointer: NonNull<T>,
    free: Free<T>,
}

type Free<T> = unsafe extern "C" fn(*mut T);
type Fetch<T> = unsafe extern "C" fn(*mut LibCtx, *const c_char, *const c_char) -> *mut T;

impl<T> Owned<T> {
    /// Takes ownership of the object at `pointer`. `None` if it is null.
    ///
    /// # Safety
    /// `free` frees such objects, and nothing else frees this one.
    unsafe fn new(pointer: *mut T, free: Free<T>) -> Option<Owned<T>> {
        NonNull::new(pointer).map(|pointer| Owned { pointer, free })
    }

    #[inline]
    fn as_ptr(&self) -> *mut T {
        self.pointer.as_ptr()
    }
}

impl<T> Drop for Owned<T> {
    fn drop(&mut self) {
        // SAFETY: the caller of `new` guarantees that `free` may free `pointer`.
        unsafe { (self.free)(self.pointer.as_ptr()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn openssl_version_parses_releases_and_rejects_forks() {
        let read = |text| read_version(text).map(|(version, release)| (version, release.0, release.1));
        assert_eq!(read("OpenSSL 3.0.19 27 Jan 2026"), Some(("3.0.19".to_owned(), 3, 0)));
        assert_eq!(read("OpenSSL 4.0.0-beta1 1 Apr 2026"), Some(("4.0.0-beta1".to_owned(), 4, 0)));
        assert_eq!(read("OpenSSL 1.1.1w  11 Sep 2023"), None);
        assert_eq!(read("LibreSSL 3.8.2"), None);
        assert_eq!(read("BoringSSL"), None);
        assert_eq!(read("OpenSSL 1.1.1 (compatible; AWS-LC 1.40.0)"), None);
        assert_eq!(read("OpenSSL "), None);
        assert_eq!(read("OpenSSL x.y"), None);
    }

    #[test]
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    fn libcrypto_rejects_a_library_that_is_no_libcrypto() {
        let why = Libcrypto::open(Some(Path::new("libc.so.6"))).map(|_| ()).unwrap_err().why;
        assert!(why.contains("not a libcrypto"), "{why}");
    }

    #[test]
    fn libcrypto_errors_include_and_empty_the_error_queue() {
        let Some(libcrypto) = crate::openssl::tests::libcrypto() else { return };
        // SAFETY: the parser reads at most one byte, and fails.
        let key = unsafe { (libcrypto.functions.d2i_PUBKEY)(std::ptr::null_mut(), &mut [0_u8].as_ptr(), 1) };
        assert!(key.is_null());
        let first = libcrypto.failed("d2i_PUBKEY").what;
        assert!(first.starts_with("d2i_PUBKEY failed: error:"), "{first}");
        assert_eq!(libcrypto.failed("d2i_PUBKEY").what, "d2i_PUBKEY failed");
    }
}
