//! Reasons of failed calls, for OpenSSL's error queue.

use std::ffi::{CStr, c_uint};

/// Reason of an error, with the number and library of the default provider (`PROV_R_…` in `proverr.h`), so that
/// `ERR_GET_REASON` returns equal values.
///
/// The texts are OpenSSL's own. When unloading a provider, OpenSSL removes the provider's own texts under a lock that
/// no longer exists after `OPENSSL_cleanup`. OpenSSL 3.0 then crashes if a program frees a context later.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub(crate) enum Reason {
    CipherOperationFailed = LIBRARY_PROV | 102,
    FailedToGetParameter = LIBRARY_PROV | 103,
    FailedToSetParameter = LIBRARY_PROV | 104,
    InvalidKeyLength = LIBRARY_PROV | 105,
    OutputBufferTooSmall = LIBRARY_PROV | 106,
    InvalidAad = LIBRARY_PROV | 108,
    InvalidIvLength = LIBRARY_PROV | 109,
    InvalidTag = LIBRARY_PROV | 110,
    TooManyRecords = LIBRARY_PROV | 126,
    /// `PROV_R_ERROR_RETRIEVING_ENTROPY`.
    NoRandomBytes = LIBRARY_PROV | 189,
    /// `PROV_R_INVALID_CONFIG_DATA`.
    InvalidConfiguration = LIBRARY_PROV | 211,
    /// `PROV_R_SELF_TEST_KAT_FAILURE`.
    SelfTestFailed = LIBRARY_PROV | 215,
    /// `ERR_R_MALLOC_FAILURE`.
    OutOfMemory = LIBRARY_PROV | FATAL | 256,
    /// `ERR_R_INTERNAL_ERROR`.
    Internal = LIBRARY_PROV | FATAL | 259,
}

/// `ERR_LIB_PROV` at the position of the library in an error code.
const LIBRARY_PROV: c_uint = 57 << 23;

/// `ERR_R_FATAL`: marks reasons that all of OpenSSL's libraries share.
const FATAL: c_uint = 3 << 18;

impl Reason {
    pub(crate) const fn number(self) -> c_uint {
        self as c_uint
    }

    /// Returns details to show after OpenSSL's text where that text is too vague: a format string without conversions.
    pub(crate) const fn details(self) -> Option<&'static CStr> {
        match self {
            Self::NoRandomBytes => Some(c"no random bytes from the operating system"),
            Self::Internal => Some(c"please report it"),
            _ => None,
        }
    }
}
