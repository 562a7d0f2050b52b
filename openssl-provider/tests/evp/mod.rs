//! Loads the system's libcrypto, with both providers in a library context of its own.

#![allow(
    dead_code,
    unsafe_code,
    clippy::unwrap_used,
    clippy::undocumented_unsafe_blocks,
    reason = "each test program uses a part of this module, which calls C with its own buffers"
)]

pub(crate) mod both;
pub(crate) mod random;

use std::ffi::{CStr, CString, c_char, c_int, c_long, c_uchar, c_uint, c_ulong, c_void};
use std::path::{Path, PathBuf};
use std::ptr::{null, null_mut};
use std::sync::OnceLock;

/// `OSSL_PARAM`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(crate) struct Param {
    pub(crate) key: *const c_char,
    pub(crate) data_type: c_uint,
    pub(crate) data: *mut c_void,
    pub(crate) data_size: usize,
    pub(crate) return_size: usize,
}

impl Param {
    pub(crate) const END: Self = Self { key: null(), data_type: 0, data: null_mut(), data_size: 0, return_size: 0 };

    pub(crate) fn new(key: &'static CStr, data_type: c_uint, data: *mut c_void, data_size: usize) -> Self {
        Self { key: key.as_ptr(), data_type, data, data_size, return_size: usize::MAX }
    }
}

pub(crate) const INTEGER: c_uint = 1;
pub(crate) const UNSIGNED_INTEGER: c_uint = 2;
pub(crate) const REAL: c_uint = 3;
pub(crate) const UTF8_STRING: c_uint = 4;
pub(crate) const OCTET_STRING: c_uint = 5;
pub(crate) const UTF8_PTR: c_uint = 6;
pub(crate) const OCTET_PTR: c_uint = 7;

pub(crate) mod ctrl {
    use std::ffi::c_int;
    pub(crate) const SET_IVLEN: c_int = 0x9;
    pub(crate) const GET_TAG: c_int = 0x10;
    pub(crate) const SET_TAG: c_int = 0x11;
    pub(crate) const SET_IV_FIXED: c_int = 0x12;
    pub(crate) const IV_GEN: c_int = 0x13;
    pub(crate) const TLS1_AAD: c_int = 0x16;
    pub(crate) const SET_IV_INV: c_int = 0x18;
}

macro_rules! functions {
    ($($name:ident($($argument:ty),*) $(-> $result:ty)?;)*) => {
        #[allow(non_snake_case, reason = "functions have their C names")]
        pub(crate) struct Functions { $(pub(crate) $name: unsafe extern "C" fn($($argument),*) $(-> $result)?,)* }
        impl Functions {
            fn load(library: &libloading::Library) -> Self {
                Self { $($name: *unsafe { library.get(concat!(stringify!($name), "\0").as_bytes()) }.unwrap(),)* }
            }
        }
    };
}

type Ctx = *mut c_void;

functions! {
    OpenSSL_version(c_int) -> *const c_char;
    OSSL_LIB_CTX_new() -> *mut c_void;
    OSSL_LIB_CTX_free(*mut c_void);
    OSSL_LIB_CTX_load_config(*mut c_void, *const c_char) -> c_int;
    OSSL_PROVIDER_add_builtin(*mut c_void, *const c_char, *const c_void) -> c_int;
    OSSL_PROVIDER_load(*mut c_void, *const c_char) -> *mut c_void;
    OSSL_PROVIDER_unload(*mut c_void) -> c_int;
    OSSL_PROVIDER_available(*mut c_void, *const c_char) -> c_int;
    OSSL_PROVIDER_get_params(*const c_void, *mut Param) -> c_int;
    OSSL_PROVIDER_gettable_params(*const c_void) -> *const Param;
    OSSL_PROVIDER_self_test(*const c_void) -> c_int;
    EVP_CIPHER_fetch(*mut c_void, *const c_char, *const c_char) -> *mut c_void;
    EVP_CIPHER_free(*mut c_void);
    EVP_CIPHER_up_ref(*mut c_void) -> c_int;
    EVP_CIPHER_get0_provider(*const c_void) -> *const c_void;
    OSSL_PROVIDER_get0_name(*const c_void) -> *const c_char;
    EVP_CIPHER_get_params(*mut c_void, *mut Param) -> c_int;
    EVP_CIPHER_gettable_params(*const c_void) -> *const Param;
    EVP_CIPHER_gettable_ctx_params(*const c_void) -> *const Param;
    EVP_CIPHER_settable_ctx_params(*const c_void) -> *const Param;
    EVP_CIPHER_get_flags(*const c_void) -> c_ulong;
    EVP_CIPHER_get_nid(*const c_void) -> c_int;
    EVP_CIPHER_CTX_new() -> Ctx;
    EVP_CIPHER_CTX_free(Ctx);
    EVP_CIPHER_CTX_reset(Ctx) -> c_int;
    EVP_CIPHER_CTX_copy(Ctx, Ctx) -> c_int;
    EVP_CipherInit_ex2(Ctx, *mut c_void, *const c_uchar, *const c_uchar, c_int, *const Param) -> c_int;
    EVP_CipherUpdate(Ctx, *mut c_uchar, *mut c_int, *const c_uchar, c_int) -> c_int;
    EVP_CipherFinal_ex(Ctx, *mut c_uchar, *mut c_int) -> c_int;
    EVP_Cipher(Ctx, *mut c_uchar, *const c_uchar, c_uint) -> c_int;
    EVP_CIPHER_CTX_ctrl(Ctx, c_int, c_int, *mut c_void) -> c_int;
    EVP_CIPHER_CTX_get_params(Ctx, *mut Param) -> c_int;
    EVP_CIPHER_CTX_set_params(Ctx, *const Param) -> c_int;
    EVP_CIPHER_CTX_get_iv_length(Ctx) -> c_int;
    EVP_CIPHER_CTX_get_key_length(Ctx) -> c_int;
    EVP_CIPHER_CTX_get_tag_length(Ctx) -> c_int;
    EVP_CIPHER_CTX_get_updated_iv(Ctx, *mut c_void, usize) -> c_int;
    EVP_CIPHER_CTX_get_original_iv(Ctx, *mut c_void, usize) -> c_int;
    ERR_get_error() -> c_ulong;
    ERR_get_error_all(*mut *const c_char, *mut c_int, *mut *const c_char, *mut *const c_char, *mut c_int) -> c_ulong;
    ERR_reason_error_string(c_ulong) -> *const c_char;
    ERR_clear_error();
}

/// Returns the functions of the system's libcrypto.
pub(crate) fn crypto() -> &'static Functions {
    static FUNCTIONS: OnceLock<Functions> = OnceLock::new();
    FUNCTIONS.get_or_init(|| {
        let name = std::env::var_os("KASOKU_LIBCRYPTO").unwrap_or_else(|| "libcrypto.so.3".into());
        let library = unsafe { libloading::Library::new(&name) }
            .unwrap_or_else(|error| panic!("{}: {error}; apt install libssl3", name.display()));
        let functions = Functions::load(&library);
        // Keeps the library loaded, because OpenSSL registers functions that run at exit.
        std::mem::forget(library);
        functions
    })
}

/// Returns the path of the provider's module, which Cargo put beside this program.
pub(crate) fn module() -> PathBuf {
    let folder = std::env::current_exe().unwrap().parent().unwrap().to_owned();
    // Examples are in another folder than tests.
    let places = [folder.clone(), folder.join("../deps")].map(|folder| folder.join("libkasoku_openssl.so"));
    let found = places.iter().find(|path| path.exists());
    found.unwrap_or_else(|| panic!("no libkasoku_openssl.so in {}", folder.display())).canonicalize().unwrap()
}

/// Returns a configuration that activates both providers, with `settings` in Kasoku's section.
pub(crate) fn configuration(settings: &str) -> String {
    configuration_with(&format!("activate = 1\n{settings}"))
}

fn configuration_with(settings: &str) -> String {
    format!(
        "openssl_conf = openssl_init\nconfig_diagnostics = 1\n[openssl_init]\nproviders = providers\nalg_section = \
         properties\n[providers]\ndefault = default_section\nkasoku = kasoku_section\n[default_section]\nactivate = \
         1\n[kasoku_section]\nmodule = {}\n{settings}\n[properties]\ndefault_properties = ?provider=kasoku\n",
        module().display()
    )
}

/// Library context with both providers.
pub(crate) struct Library {
    pub(crate) context: *mut c_void,
    /// Another reference to the provider, to query its parameters.
    pub(crate) kasoku: *mut c_void,
    pub(crate) folder: tempfile::TempDir,
}

unsafe impl Send for Library {}
unsafe impl Sync for Library {}

impl Library {
    pub(crate) fn new(settings: &str) -> Self {
        let library = Self::configured(&configuration(settings));
        let errors: Vec<_> = errors();
        assert!(!library.kasoku.is_null(), "the provider was not loaded: {errors:?}");
        library
    }

    /// Like [`new`](Self::new), but the provider may refuse to load. `kasoku` is then NULL, and the error queue has the
    /// reason. (If a configuration activates a provider itself, OpenSSL 3.0 falls back silently.)
    pub(crate) fn try_new(settings: &str) -> Self {
        Self::configured(&configuration_with(settings))
    }

    fn configured(configuration: &str) -> Self {
        let crypto = crypto();
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("openssl.cnf");
        std::fs::write(&file, configuration).unwrap();
        let file = c_path(&file);
        unsafe {
            let context = (crypto.OSSL_LIB_CTX_new)();
            (crypto.OSSL_LIB_CTX_load_config)(context, file.as_ptr());
            let kasoku = (crypto.OSSL_PROVIDER_load)(context, c"kasoku".as_ptr());
            Self { context, kasoku, folder }
        }
    }

    /// Returns a library context with the provider that is linked into this program, whose entry point is `init`.
    pub(crate) fn built_in(init: *const c_void) -> Self {
        let crypto = crypto();
        unsafe {
            let context = (crypto.OSSL_LIB_CTX_new)();
            assert_eq!((crypto.OSSL_PROVIDER_add_builtin)(context, c"kasoku".as_ptr(), init), 1);
            assert!(!(crypto.OSSL_PROVIDER_load)(context, c"default".as_ptr()).is_null());
            let kasoku = (crypto.OSSL_PROVIDER_load)(context, c"kasoku".as_ptr());
            assert!(!kasoku.is_null(), "the provider was not loaded: {:?}", errors());
            Self { context, kasoku, folder: tempfile::tempdir().unwrap() }
        }
    }

    /// Fetches a cipher by name from a provider.
    pub(crate) fn cipher(&self, name: &CStr, provider: &str) -> Cipher {
        let properties = CString::new(format!("provider={provider}")).unwrap();
        let cipher = unsafe { (crypto().EVP_CIPHER_fetch)(self.context, name.as_ptr(), properties.as_ptr()) };
        assert!(!cipher.is_null(), "{name:?} of {provider}: {:?}", errors());
        Cipher(cipher)
    }

    /// Returns each cipher, from OpenSSL's provider and from Kasoku's.
    pub(crate) fn both_of_each(&self) -> [[Cipher; 2]; 3] {
        NAMES.map(|(name, _)| ["default", "kasoku"].map(|provider| self.cipher(name, provider)))
    }

    /// Returns a numeric parameter of the provider.
    pub(crate) fn number(&self, name: &'static CStr) -> u64 {
        let mut value = u64::MAX;
        let mut asked = [Param::new(name, UNSIGNED_INTEGER, (&raw mut value).cast(), 8), Param::END];
        assert_eq!(unsafe { (crypto().OSSL_PROVIDER_get_params)(self.kasoku, asked.as_mut_ptr()) }, 1);
        assert_eq!(asked[0].return_size, 8);
        value
    }

    /// Returns a text parameter of the provider.
    pub(crate) fn text(&self, name: &'static CStr) -> String {
        let mut value: *const c_char = null();
        let mut asked = [Param::new(name, UTF8_PTR, (&raw mut value).cast(), 8), Param::END];
        assert_eq!(unsafe { (crypto().OSSL_PROVIDER_get_params)(self.kasoku, asked.as_mut_ptr()) }, 1);
        unsafe { CStr::from_ptr(value) }.to_str().unwrap().to_owned()
    }
}

impl Drop for Library {
    fn drop(&mut self) {
        unsafe {
            if !self.kasoku.is_null() {
                (crypto().OSSL_PROVIDER_unload)(self.kasoku);
            }
            (crypto().OSSL_LIB_CTX_free)(self.context);
        }
    }
}

/// A fetched cipher.
pub(crate) struct Cipher(pub(crate) *mut c_void);

unsafe impl Send for Cipher {}
unsafe impl Sync for Cipher {}

impl Drop for Cipher {
    fn drop(&mut self) {
        unsafe { (crypto().EVP_CIPHER_free)(self.0) }
    }
}

impl Cipher {
    /// Returns another reference to the cipher.
    pub(crate) fn again(&self) -> Self {
        assert_eq!(unsafe { (crypto().EVP_CIPHER_up_ref)(self.0) }, 1);
        Self(self.0)
    }

    pub(crate) fn context(&self) -> Context {
        Context(unsafe { (crypto().EVP_CIPHER_CTX_new)() })
    }

    /// Returns a context with a direction and a key.
    pub(crate) fn with_key(&self, encrypts: bool, key: &[u8]) -> Context {
        let context = self.context();
        assert_eq!(context.init(Some(self), Some(key), None, c_int::from(encrypts)), 1);
        context
    }
}

/// An `EVP_CIPHER_CTX`.
pub(crate) struct Context(pub(crate) Ctx);

unsafe impl Send for Context {}

impl Drop for Context {
    fn drop(&mut self) {
        unsafe { (crypto().EVP_CIPHER_CTX_free)(self.0) }
    }
}

impl Context {
    pub(crate) fn init(
        &self,
        cipher: Option<&Cipher>,
        key: Option<&[u8]>,
        iv: Option<&[u8]>,
        encrypts: c_int,
    ) -> c_int {
        let cipher = cipher.map_or(null_mut(), |cipher| cipher.0);
        let (key, iv) = (key.map_or(null(), <[u8]>::as_ptr), iv.map_or(null(), <[u8]>::as_ptr));
        unsafe { (crypto().EVP_CipherInit_ex2)(self.0, cipher, key, iv, encrypts, null()) }
    }

    pub(crate) fn aad(&self, aad: &[u8]) -> c_int {
        let mut out = -1;
        unsafe { (crypto().EVP_CipherUpdate)(self.0, null_mut(), &raw mut out, aad.as_ptr(), aad.len() as c_int) }
    }

    pub(crate) fn update(&self, input: &[u8], output: &mut [u8]) -> (c_int, c_int) {
        assert!(output.len() >= input.len());
        let mut out = -1;
        let result = unsafe {
            (crypto().EVP_CipherUpdate)(self.0, output.as_mut_ptr(), &raw mut out, input.as_ptr(), input.len() as c_int)
        };
        (result, out)
    }

    pub(crate) fn update_in_place(&self, text: &mut [u8]) -> (c_int, c_int) {
        let mut out = -1;
        let start = text.as_mut_ptr();
        let result = unsafe { (crypto().EVP_CipherUpdate)(self.0, start, &raw mut out, start, text.len() as c_int) };
        (result, out)
    }

    pub(crate) fn finish(&self) -> c_int {
        let (mut out, mut spare) = (-1, [0; 16]);
        unsafe { (crypto().EVP_CipherFinal_ex)(self.0, spare.as_mut_ptr(), &raw mut out) }
    }

    pub(crate) fn ctrl(&self, kind: c_int, bytes: c_int, data: *mut c_void) -> c_int {
        unsafe { (crypto().EVP_CIPHER_CTX_ctrl)(self.0, kind, bytes, data) }
    }

    pub(crate) fn set(&self, kind: c_int, data: &[u8]) -> c_int {
        self.ctrl(kind, data.len() as c_int, data.as_ptr().cast_mut().cast())
    }

    pub(crate) fn tag(&self) -> [u8; 16] {
        let mut tag = [0; 16];
        assert_eq!(self.ctrl(ctrl::GET_TAG, 16, tag.as_mut_ptr().cast()), 1, "{:?}", errors());
        tag
    }

    pub(crate) fn updated_iv(&self, bytes: usize) -> Vec<u8> {
        let mut iv = vec![0; bytes];
        let done = unsafe { (crypto().EVP_CIPHER_CTX_get_updated_iv)(self.0, iv.as_mut_ptr().cast(), bytes) };
        assert_eq!(done, 1, "{:?}", errors());
        iv
    }
}

/// Takes the errors of this thread, oldest first, as library and reason.
pub(crate) fn errors() -> Vec<(u32, u32)> {
    let mut errors = Vec::new();
    loop {
        let code = unsafe { (crypto().ERR_get_error)() };
        if code == 0 {
            return errors;
        }
        errors.push(((code >> 23 & 0xFF) as u32, (code & 0x7F_FFFF) as u32));
    }
}

/// Takes the errors of this thread as texts: reason and details.
pub(crate) fn error_texts() -> Vec<String> {
    let mut texts = Vec::new();
    loop {
        let (mut data, mut flags) = (null(), 0);
        let code =
            unsafe { (crypto().ERR_get_error_all)(null_mut(), null_mut(), null_mut(), &raw mut data, &raw mut flags) };
        if code == 0 {
            return texts;
        }
        let text = |at: *const c_char| {
            if at.is_null() { String::new() } else { unsafe { CStr::from_ptr(at) }.to_string_lossy().into_owned() }
        };
        texts.push(format!("{}: {}", text(unsafe { (crypto().ERR_reason_error_string)(code) }), text(data)));
    }
}

/// Joins the threads. The end of a scope waits only for the closures, but OpenSSL's clean-up of each thread must also
/// end before the library context is freed.
pub(crate) fn joined(threads: Vec<std::thread::ScopedJoinHandle<'_, ()>>) {
    for thread in threads {
        if let Err(panic) = thread.join() {
            std::panic::resume_unwind(panic);
        }
    }
}

pub(crate) fn c_path(path: &Path) -> CString {
    CString::new(path.to_str().unwrap()).unwrap()
}

pub(crate) const NAMES: [(&CStr, usize); 3] = [(c"AES-128-GCM", 16), (c"AES-192-GCM", 24), (c"AES-256-GCM", 32)];

/// Checks that C's `long` has 64 bits on the tested platforms.
const _: () = assert!(size_of::<c_long>() == 8);
