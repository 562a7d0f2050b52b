//! The table of libcrypto's functions. Their types are written by hand, because the build uses no headers.
//!
//! The types follow the manual pages of OpenSSL 3.0, which later versions keep.

#![allow(unsafe_code)] // assigns types to the symbols of a loaded library

use std::ffi::{c_char, c_int, c_long, c_uchar, c_uint, c_ulong, c_void};

use crate::loaded::{functions, opaque};

opaque! { EvpCipher EvpCipherCtx EvpMd EvpMdCtx EvpPkey EvpPkeyCtx Engine LibCtx Provider }

/// `OSSL_PARAM`: a name, a type and a buffer.
#[repr(C)]
pub(crate) struct Parameter {
    pub(crate) key: *const c_char,
    pub(crate) data_type: c_uint,
    pub(crate) data: *mut c_void,
    pub(crate) data_size: usize,
    pub(crate) return_size: usize,
}

impl Parameter {
    /// `OSSL_PARAM_OCTET_STRING`: the parameter is a byte string.
    pub(crate) const OCTET_STRING: c_uint = 5;
    /// `OSSL_PARAM_UTF8_PTR`: the parameter is a pointer to a UTF-8 string.
    pub(crate) const UTF8_POINTER: c_uint = 6;

    pub(crate) const END: Parameter =
        Parameter { key: std::ptr::null(), data_type: 0, data: std::ptr::null_mut(), data_size: 0, return_size: 0 };
}

functions! {
    OPENSSL_init_crypto: fn(u64, *const c_void) -> c_int;
    ERR_get_error: fn() -> c_ulong;
    ERR_error_string_n: fn(c_ulong, *mut c_char, usize);
    ERR_clear_error: fn();

    EVP_CIPHER_CTX_new: fn() -> *mut EvpCipherCtx;
    EVP_CIPHER_CTX_free: fn(*mut EvpCipherCtx);
    EVP_CIPHER_CTX_set_padding: fn(*mut EvpCipherCtx, c_int) -> c_int;
    EVP_CIPHER_CTX_ctrl: fn(*mut EvpCipherCtx, c_int, c_int, *mut c_void) -> c_int;
    EVP_CIPHER_get_key_length: fn(*const EvpCipher) -> c_int;
    EVP_CIPHER_get_iv_length: fn(*const EvpCipher) -> c_int;
    EVP_EncryptInit_ex:
        fn(*mut EvpCipherCtx, *const EvpCipher, *mut Engine, *const c_uchar, *const c_uchar) -> c_int;
    EVP_DecryptInit_ex:
        fn(*mut EvpCipherCtx, *const EvpCipher, *mut Engine, *const c_uchar, *const c_uchar) -> c_int;
    EVP_EncryptUpdate: fn(*mut EvpCipherCtx, *mut c_uchar, *mut c_int, *const c_uchar, c_int) -> c_int;
    EVP_DecryptUpdate: fn(*mut EvpCipherCtx, *mut c_uchar, *mut c_int, *const c_uchar, c_int) -> c_int;
    EVP_EncryptFinal_ex: fn(*mut EvpCipherCtx, *mut c_uchar, *mut c_int) -> c_int;
    EVP_DecryptFinal_ex: fn(*mut EvpCipherCtx, *mut c_uchar, *mut c_int) -> c_int;

    EVP_MD_CTX_new: fn() -> *mut EvpMdCtx;
    EVP_MD_CTX_free: fn(*mut EvpMdCtx);
    EVP_MD_CTX_reset: fn(*mut EvpMdCtx) -> c_int;
    EVP_DigestInit_ex: fn(*mut EvpMdCtx, *const EvpMd, *mut Engine) -> c_int;
    EVP_DigestUpdate: fn(*mut EvpMdCtx, *const c_void, usize) -> c_int;
    EVP_DigestFinal_ex: fn(*mut EvpMdCtx, *mut c_uchar, *mut c_uint) -> c_int;
    EVP_DigestSignInit: fn(*mut EvpMdCtx, *mut *mut EvpPkeyCtx, *const EvpMd, *mut Engine, *mut EvpPkey) -> c_int;
    EVP_DigestSign: fn(*mut EvpMdCtx, *mut c_uchar, *mut usize, *const c_uchar, usize) -> c_int;
    EVP_DigestVerifyInit: fn(*mut EvpMdCtx, *mut *mut EvpPkeyCtx, *const EvpMd, *mut Engine, *mut EvpPkey) -> c_int;
    EVP_DigestVerify: fn(*mut EvpMdCtx, *const c_uchar, usize, *const c_uchar, usize) -> c_int;

    EVP_PKEY_free: fn(*mut EvpPkey);
    EVP_PKEY_new_raw_private_key: fn(c_int, *mut Engine, *const c_uchar, usize) -> *mut EvpPkey;
    EVP_PKEY_new_raw_public_key: fn(c_int, *mut Engine, *const c_uchar, usize) -> *mut EvpPkey;
    d2i_AutoPrivateKey: fn(*mut *mut EvpPkey, *mut *const c_uchar, c_long) -> *mut EvpPkey;
    d2i_PUBKEY: fn(*mut *mut EvpPkey, *mut *const c_uchar, c_long) -> *mut EvpPkey;
    EVP_PKEY_CTX_new: fn(*mut EvpPkey, *mut Engine) -> *mut EvpPkeyCtx;
    EVP_PKEY_CTX_free: fn(*mut EvpPkeyCtx);
    EVP_PKEY_derive_init: fn(*mut EvpPkeyCtx) -> c_int;
    EVP_PKEY_derive_set_peer: fn(*mut EvpPkeyCtx, *mut EvpPkey) -> c_int;
    EVP_PKEY_derive: fn(*mut EvpPkeyCtx, *mut c_uchar, *mut usize) -> c_int;

    OPENSSL_info: fn(c_int) -> *const c_char;
    OSSL_LIB_CTX_new: fn() -> *mut LibCtx;
    OSSL_PROVIDER_set_default_search_path: fn(*mut LibCtx, *const c_char) -> c_int;
    OSSL_PROVIDER_load: fn(*mut LibCtx, *const c_char) -> *mut Provider;
    OSSL_PROVIDER_get_params: fn(*const Provider, *mut Parameter) -> c_int;
    EVP_CIPHER_fetch: fn(*mut LibCtx, *const c_char, *const c_char) -> *mut EvpCipher;
    EVP_CIPHER_free: fn(*mut EvpCipher);
    EVP_MD_fetch: fn(*mut LibCtx, *const c_char, *const c_char) -> *mut EvpMd;
    EVP_MD_free: fn(*mut EvpMd);
    EVP_PKEY_CTX_new_from_name: fn(*mut LibCtx, *const c_char, *const c_char) -> *mut EvpPkeyCtx;
    EVP_PKEY_fromdata_init: fn(*mut EvpPkeyCtx) -> c_int;
    EVP_PKEY_fromdata: fn(*mut EvpPkeyCtx, *mut *mut EvpPkey, c_int, *mut Parameter) -> c_int;
    EVP_PKEY_encapsulate_init: fn(*mut EvpPkeyCtx, *const Parameter) -> c_int;
    EVP_PKEY_encapsulate: fn(*mut EvpPkeyCtx, *mut c_uchar, *mut usize, *mut c_uchar, *mut usize) -> c_int;
    EVP_PKEY_decapsulate_init: fn(*mut EvpPkeyCtx, *const Parameter) -> c_int;
    EVP_PKEY_decapsulate: fn(*mut EvpPkeyCtx, *mut c_uchar, *mut usize, *const c_uchar, usize) -> c_int;
}
