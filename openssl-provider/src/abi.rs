//! Types and numbers of the interface between OpenSSL's core and its providers, as in `core.h`, `core_dispatch.h`,
//! `core_names.h` and `proverr.h` of OpenSSL 3.0. Later versions only add to them. They are written by hand, so that
//! building needs neither headers nor libcrypto.

#![allow(unsafe_code, reason = "shares static tables that contain pointers")]

use std::ffi::{c_char, c_int, c_uint, c_void};

/// `OSSL_CORE_HANDLE`.
pub(crate) type CoreHandle = c_void;

/// Pointer type that dispatch tables use for functions of any type.
pub(crate) type AnyFunction = unsafe extern "C" fn();

/// `OSSL_DISPATCH`; a table ends with number 0.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct Dispatch {
    pub(crate) id: c_int,
    pub(crate) function: Option<AnyFunction>,
}

impl Dispatch {
    pub(crate) const END: Self = Self { id: 0, function: None };
}

/// `OSSL_PARAM`; a list ends with a NULL key.
#[repr(C)]
pub(crate) struct Param {
    pub(crate) key: *const c_char,
    pub(crate) data_type: c_uint,
    pub(crate) data: *mut c_void,
    pub(crate) data_bytes: usize,
    pub(crate) returned_bytes: usize,
}

/// `OSSL_ALGORITHM`; a table ends with NULL names.
#[repr(C)]
pub(crate) struct Algorithm {
    pub(crate) names: *const c_char,
    pub(crate) properties: *const c_char,
    pub(crate) implementation: *const Dispatch,
    pub(crate) description: *const c_char,
}

// SAFETY: the tables of this crate point to static data that is never written.
unsafe impl Sync for Param {}
// SAFETY: as above.
unsafe impl Sync for Algorithm {}

/// Initial value of `returned_bytes`, before the provider writes the parameter's value: `OSSL_PARAM_UNMODIFIED`.
pub(crate) const UNMODIFIED: usize = usize::MAX;

/// Data types of parameters: `OSSL_PARAM_INTEGER` and others.
pub(crate) mod kind {
    use std::ffi::c_uint;

    pub(crate) const INTEGER: c_uint = 1;
    pub(crate) const UNSIGNED_INTEGER: c_uint = 2;
    pub(crate) const REAL: c_uint = 3;
    pub(crate) const OCTET_STRING: c_uint = 5;
    pub(crate) const UTF8_PTR: c_uint = 6;
    pub(crate) const OCTET_PTR: c_uint = 7;
}

/// `OSSL_OP_CIPHER`.
pub(crate) const OPERATION_CIPHER: c_int = 2;

/// `EVP_CIPH_GCM_MODE`.
pub(crate) const MODE_GCM: c_uint = 6;

/// `EVP_CIPH_GCM_SIV_MODE`, from OpenSSL 3.2 on.
pub(crate) const MODE_GCM_SIV: c_uint = 0x1_0005;

/// Functions of the core: `OSSL_FUNC_CORE_…`.
pub(crate) mod core_function {
    use std::ffi::c_int;

    pub(crate) const GET_PARAMS: c_int = 2;
    pub(crate) const NEW_ERROR: c_int = 5;
    pub(crate) const SET_ERROR_DEBUG: c_int = 6;
    pub(crate) const VSET_ERROR: c_int = 7;
}

/// Functions of a provider: `OSSL_FUNC_PROVIDER_…`.
pub(crate) mod provider_function {
    use std::ffi::c_int;

    pub(crate) const TEARDOWN: c_int = 1024;
    pub(crate) const GETTABLE_PARAMS: c_int = 1025;
    pub(crate) const GET_PARAMS: c_int = 1026;
    pub(crate) const QUERY_OPERATION: c_int = 1027;
    pub(crate) const SELF_TEST: c_int = 1031;
}

/// Functions of a cipher: `OSSL_FUNC_CIPHER_…`.
pub(crate) mod cipher_function {
    use std::ffi::c_int;

    pub(crate) const NEWCTX: c_int = 1;
    pub(crate) const ENCRYPT_INIT: c_int = 2;
    pub(crate) const DECRYPT_INIT: c_int = 3;
    pub(crate) const UPDATE: c_int = 4;
    pub(crate) const FINAL: c_int = 5;
    pub(crate) const CIPHER: c_int = 6;
    pub(crate) const FREECTX: c_int = 7;
    pub(crate) const DUPCTX: c_int = 8;
    pub(crate) const GET_PARAMS: c_int = 9;
    pub(crate) const GET_CTX_PARAMS: c_int = 10;
    pub(crate) const SET_CTX_PARAMS: c_int = 11;
    pub(crate) const GETTABLE_PARAMS: c_int = 12;
    pub(crate) const GETTABLE_CTX_PARAMS: c_int = 13;
    pub(crate) const SETTABLE_CTX_PARAMS: c_int = 14;
}

/// Builds an entry of a dispatch table. The caller states the function's type, so that the compiler checks it.
macro_rules! entry {
    ($id:expr, $function:expr => $type:ty) => {{
        let function: $type = $function;
        $crate::abi::Dispatch {
            id: $id,
            // SAFETY: function pointers have one size; the core casts it back to the type that belongs to its number.
            function: Some(unsafe { std::mem::transmute::<$type, $crate::abi::AnyFunction>(function) }),
        }
    }};
}

pub(crate) use entry;
