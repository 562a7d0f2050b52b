//! The error codes.

#![allow(unsafe_code, reason = "exporting a symbol by name is unsafe")]

use std::ffi::{CStr, c_char, c_int};

use kasoku_engine::Error;

use crate::border;

/// Done.
pub const KASOKU_OK: c_int = 0;
/// A pointer is NULL where something has to be read or written.
pub const KASOKU_ERR_NULL: c_int = -1;
/// The key does not have 16, 24 or 32 bytes.
pub const KASOKU_ERR_KEY_LENGTH: c_int = -2;
/// The nonce has no bytes, or more than 2^61 - 1.
pub const KASOKU_ERR_NONCE_LENGTH: c_int = -3;
/// More than 2^61 - 1 bytes of AAD, or more than an address space holds.
pub const KASOKU_ERR_AAD_TOO_LONG: c_int = -4;
/// More than 2^36 - 32 bytes of text under one nonce, or more than an address space holds.
pub const KASOKU_ERR_TEXT_TOO_LONG: c_int = -5;
/// What would be written overlaps something else; only `out` may be `in`, exactly.
pub const KASOKU_ERR_OVERLAP: c_int = -6;
/// The message is forged: its tag is wrong.
pub const KASOKU_ERR_FORGED: c_int = -7;
/// No backend has the name that was given, as an argument or in KASOKU_BACKEND.
pub const KASOKU_ERR_BACKEND_UNKNOWN: c_int = -8;
/// This CPU cannot run the backend that was named.
pub const KASOKU_ERR_BACKEND_UNAVAILABLE: c_int = -9;
/// AAD came after text: the mode takes all AAD first.
pub const KASOKU_ERR_AAD_AFTER_TEXT: c_int = -10;
/// The message in pieces is finished; nothing can be added to it.
pub const KASOKU_ERR_FINISHED: c_int = -11;
/// A bug in Kasoku was caught; please report it. Nothing that was written may be used.
pub const KASOKU_ERR_INTERNAL: c_int = -12;

/// What a number returned by this library means, in English. Never NULL, never to be freed.
#[unsafe(no_mangle)]
pub extern "C" fn kasoku_strerror(code: c_int) -> *const c_char {
    border::guarded(UNKNOWN, || meaning(code)).as_ptr()
}

const UNKNOWN: &CStr = c"not a code of this library";

fn meaning(code: c_int) -> &'static CStr {
    match code {
        KASOKU_OK => c"done",
        KASOKU_ERR_NULL => c"a pointer is NULL where something has to be read or written",
        KASOKU_ERR_KEY_LENGTH => c"an AES key has 16, 24 or 32 bytes",
        KASOKU_ERR_NONCE_LENGTH => c"a nonce has 1 to 2^61 - 1 bytes; 12 are best",
        KASOKU_ERR_AAD_TOO_LONG => c"more AAD than AES-GCM allows (2^61 - 1 bytes)",
        KASOKU_ERR_TEXT_TOO_LONG => c"more text than AES-GCM allows under one nonce (2^36 - 32 bytes)",
        KASOKU_ERR_OVERLAP => c"what would be written overlaps something else; only out may be in, exactly",
        KASOKU_ERR_FORGED => c"the message is forged: its tag is wrong",
        KASOKU_ERR_BACKEND_UNKNOWN => c"no backend has that name; they are portable, aesni, vaes256 and vaes512",
        KASOKU_ERR_BACKEND_UNAVAILABLE => c"this CPU cannot run the backend that was named",
        KASOKU_ERR_AAD_AFTER_TEXT => c"AAD after text; all AAD comes first",
        KASOKU_ERR_FINISHED => c"the message is finished; nothing can be added to it",
        KASOKU_ERR_INTERNAL => c"a bug in Kasoku was caught; please report it",
        _ => UNKNOWN,
    }
}

/// An error on its way to C: never [`KASOKU_OK`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Code(c_int);

impl Code {
    pub(crate) const NULL: Self = Self(KASOKU_ERR_NULL);
    pub(crate) const KEY_LENGTH: Self = Self(KASOKU_ERR_KEY_LENGTH);
    pub(crate) const NONCE_LENGTH: Self = Self(KASOKU_ERR_NONCE_LENGTH);
    pub(crate) const AAD_TOO_LONG: Self = Self(KASOKU_ERR_AAD_TOO_LONG);
    pub(crate) const TEXT_TOO_LONG: Self = Self(KASOKU_ERR_TEXT_TOO_LONG);
    pub(crate) const OVERLAP: Self = Self(KASOKU_ERR_OVERLAP);
    pub(crate) const BACKEND_UNKNOWN: Self = Self(KASOKU_ERR_BACKEND_UNKNOWN);
    pub(crate) const FINISHED: Self = Self(KASOKU_ERR_FINISHED);

    pub(crate) fn number(self) -> c_int {
        self.0
    }
}

impl From<Error> for Code {
    fn from(error: Error) -> Self {
        Self(match error {
            Error::KeyLength(_) => KASOKU_ERR_KEY_LENGTH,
            Error::BackendUnavailable(_) => KASOKU_ERR_BACKEND_UNAVAILABLE,
            Error::EmptyNonce => KASOKU_ERR_NONCE_LENGTH,
            Error::AadTooLong => KASOKU_ERR_AAD_TOO_LONG,
            Error::TextTooLong => KASOKU_ERR_TEXT_TOO_LONG,
            Error::AadAfterText => KASOKU_ERR_AAD_AFTER_TEXT,
            Error::Forged => KASOKU_ERR_FORGED,
            // The rest cannot be had through C: lengths are given once, and nobody counts sequences here.
            _ => KASOKU_ERR_INTERNAL,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_says_something_of_its_own() {
        let mut meanings: Vec<_> = (KASOKU_ERR_INTERNAL..=KASOKU_OK).map(meaning).collect();
        assert!(!meanings.contains(&UNKNOWN));
        meanings.sort_unstable();
        meanings.dedup();
        assert_eq!(meanings.len(), 13);
        for code in [1, KASOKU_ERR_INTERNAL - 1, c_int::MIN, c_int::MAX] {
            assert_eq!(meaning(code), UNKNOWN);
        }
    }
}
