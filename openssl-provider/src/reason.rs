//! Why a call failed, in OpenSSL's error queue.

use std::ffi::{CStr, c_uint};

use crate::abi::Item;

/// A reason. The numbers below 256 are those of the default provider (`PROV_R_…` in `proverr.h`), so that whoever looks
/// at `ERR_GET_REASON` sees what they saw before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub(crate) enum Reason {
    CipherOperationFailed = 102,
    FailedToGetParameter = 103,
    FailedToSetParameter = 104,
    InvalidKeyLength = 105,
    OutputBufferTooSmall = 106,
    InvalidAad = 108,
    InvalidIvLength = 109,
    InvalidTag = 110,
    TooManyRecords = 126,
    NoRandomBytes = 1001,
    Internal = 1002,
    /// `PROV_R_INVALID_CONFIG_DATA` of OpenSSL's own: the provider's texts are not known before it is loaded.
    InvalidConfiguration = LIBRARY_PROV | 211,
    /// `PROV_R_SELF_TEST_KAT_FAILURE` of OpenSSL's own.
    SelfTestFailed = LIBRARY_PROV | 215,
}

/// `ERR_LIB_PROV` where an error code has its library.
const LIBRARY_PROV: c_uint = 57 << 23;

impl Reason {
    pub(crate) const fn number(self) -> c_uint {
        self as c_uint
    }
}

/// One entry for each reason, as OpenSSL shows it.
pub(crate) static STRINGS: [Item; 12] = [
    item(Reason::CipherOperationFailed, c"cipher operation failed"),
    item(Reason::FailedToGetParameter, c"failed to get parameter"),
    item(Reason::FailedToSetParameter, c"failed to set parameter"),
    item(Reason::InvalidKeyLength, c"invalid key length"),
    item(Reason::OutputBufferTooSmall, c"output buffer too small"),
    item(Reason::InvalidAad, c"invalid aad"),
    item(Reason::InvalidIvLength, c"invalid iv length"),
    item(Reason::InvalidTag, c"invalid tag"),
    item(Reason::TooManyRecords, c"too many records"),
    item(Reason::NoRandomBytes, c"no random bytes from the operating system"),
    item(Reason::Internal, c"internal error, please report it"),
    Item { id: 0, pointer: std::ptr::null() },
];

const fn item(reason: Reason, text: &'static CStr) -> Item {
    Item { id: reason.number(), pointer: text.as_ptr().cast() }
}
