//! Error codes, their texts, and the mapping from the engine's errors.

#![allow(unsafe_code, reason = "exports a symbol by name")]

use std::ffi::{CStr, c_char, c_int};

use kasoku_engine::Error;

use crate::boundary;

/// Success.
pub const KASOKU_OK: c_int = 0;
/// A pointer is NULL, but data must be read or written there.
pub const KASOKU_ERR_NULL: c_int = -1;
/// The key does not have 16, 24 or 32 bytes. QUIC keys have 16 or 32 bytes, the same length in every key phase.
pub const KASOKU_ERR_KEY_LENGTH: c_int = -2;
/// The nonce is empty or longer than 2^61 - 1 bytes. XAES-256-GCM needs exactly 24 bytes, AES-GCM-SIV 12.
pub const KASOKU_ERR_NONCE_LENGTH: c_int = -3;
/// The AAD is longer than 2^61 - 1 bytes (AES-GCM-SIV: 2^36) or than the address space.
pub const KASOKU_ERR_AAD_TOO_LONG: c_int = -4;
/// The message or packet has more than 2^36 - 32 bytes of plaintext, or is longer than the address space.
pub const KASOKU_ERR_MESSAGE_TOO_LONG: c_int = -5;
/// An output overlaps another buffer. Only `out` may be exactly `in`.
pub const KASOKU_ERR_OVERLAP: c_int = -6;
/// Authentication failed: the tag does not match the message or packet.
pub const KASOKU_ERR_AUTHENTICATION: c_int = -7;
/// The backend's name (argument or KASOKU_BACKEND) or the schedule's name (KASOKU_SCHEDULE) is unknown.
pub const KASOKU_ERR_BACKEND_UNKNOWN: c_int = -8;
/// This CPU cannot run the named backend, or the backend does not have the named schedule.
pub const KASOKU_ERR_BACKEND_UNAVAILABLE: c_int = -9;
/// AAD was passed after plaintext or ciphertext. All AAD must come first.
pub const KASOKU_ERR_AAD_TOO_LATE: c_int = -10;
/// The streamed message is finished. Nothing can be added to it.
pub const KASOKU_ERR_FINISHED: c_int = -11;
/// A bug in Kasoku was caught; please report it. Any call can return this code. Do not use anything that the call
/// wrote. A streamed message is finished.
pub const KASOKU_ERR_INTERNAL: c_int = -12;
/// The packet is too short for header protection: with its tag it needs 20 bytes from the start of the packet number.
/// The sender must pad the payload.
pub const KASOKU_ERR_PACKET_TOO_SHORT: c_int = -13;
/// The length of a packet number is not 1 to 4 bytes.
pub const KASOKU_ERR_PACKET_NUMBER_LENGTH: c_int = -14;
/// The packet number cannot be the first byte of the packet.
pub const KASOKU_ERR_PACKET_NUMBER_OFFSET: c_int = -15;
/// The packet number, given or decoded, is 2^62 or more.
pub const KASOKU_ERR_PACKET_NUMBER_TOO_LARGE: c_int = -16;
/// The packet number is lower than the first one protected under this key.
pub const KASOKU_ERR_PACKET_NUMBER_FELL: c_int = -17;
/// The key has protected 2^23 packets, its confidentiality limit. Update the key.
pub const KASOKU_ERR_CONFIDENTIALITY_LIMIT: c_int = -18;
/// 2^52 packets failed authentication, the integrity limit of a connection. Close the connection.
pub const KASOKU_ERR_INTEGRITY_LIMIT: c_int = -19;
/// The QUIC version is not supported.
pub const KASOKU_ERR_QUIC_VERSION: c_int = -20;
/// The sender is neither KASOKU_QUIC_CLIENT nor KASOKU_QUIC_SERVER.
pub const KASOKU_ERR_QUIC_SENDER: c_int = -21;
/// The connection ID has more than 20 bytes.
pub const KASOKU_ERR_CONNECTION_ID_LENGTH: c_int = -22;
/// The memory for a key is smaller than kasoku_gcm_size(), or not aligned to 16 bytes.
pub const KASOKU_ERR_MEMORY: c_int = -23;

/// Returns the English text for `code`, a return value of any function of this library. Never NULL; must not be freed.
#[unsafe(no_mangle)]
pub extern "C" fn kasoku_strerror(code: c_int) -> *const c_char {
    boundary::guarded(UNKNOWN, || meaning(code)).as_ptr()
}

const UNKNOWN: &CStr = c"unknown error code";

fn meaning(code: c_int) -> &'static CStr {
    match code {
        KASOKU_OK => c"done",
        KASOKU_ERR_NULL => c"a pointer is NULL where data has to be read or written",
        KASOKU_ERR_KEY_LENGTH => c"an AES key has 16, 24 or 32 bytes; for QUIC 16 or 32, the same in every key phase",
        KASOKU_ERR_NONCE_LENGTH => c"a nonce has 1 to 2^61 - 1 bytes, 12 are best; for XAES-256-GCM it has 24",
        KASOKU_ERR_AAD_TOO_LONG => c"AAD is longer than allowed: 2^61 - 1 bytes, for AES-GCM-SIV 2^36",
        KASOKU_ERR_MESSAGE_TOO_LONG => c"message or packet is longer than AES-GCM allows (2^36 - 32 bytes)",
        KASOKU_ERR_OVERLAP => c"an output overlaps another buffer; only out may be in, exactly",
        KASOKU_ERR_AUTHENTICATION => c"authentication failed: the tag is wrong",
        KASOKU_ERR_BACKEND_UNKNOWN => {
            c"unknown backend or schedule; backends are portable, aesni, vaes256, vaes512, neon, aes-pmull and \
              aes-eor3"
        }
        KASOKU_ERR_BACKEND_UNAVAILABLE => c"this CPU cannot run the named backend, or the backend has no such schedule",
        KASOKU_ERR_AAD_TOO_LATE => c"AAD came after message data; all AAD must come first",
        KASOKU_ERR_FINISHED => c"the message is finished; nothing can be added to it",
        KASOKU_ERR_INTERNAL => c"a bug in Kasoku was caught; please report it",
        KASOKU_ERR_PACKET_TOO_SHORT => c"packet is too short for header protection; pad the payload",
        KASOKU_ERR_PACKET_NUMBER_LENGTH => c"a packet number has 1 to 4 bytes",
        KASOKU_ERR_PACKET_NUMBER_OFFSET => c"the packet number must come after the first byte of the packet",
        KASOKU_ERR_PACKET_NUMBER_TOO_LARGE => c"a packet number must be below 2^62",
        KASOKU_ERR_PACKET_NUMBER_FELL => c"the packet number is below the first one protected under this key",
        KASOKU_ERR_CONFIDENTIALITY_LIMIT => c"the key has reached its confidentiality limit; update the key",
        KASOKU_ERR_INTEGRITY_LIMIT => c"too many packets failed to open; close the connection",
        KASOKU_ERR_QUIC_VERSION => c"unsupported QUIC version",
        KASOKU_ERR_QUIC_SENDER => c"the sender of an Initial packet must be a client or a server",
        KASOKU_ERR_CONNECTION_ID_LENGTH => c"a connection ID has at most 20 bytes",
        KASOKU_ERR_MEMORY => c"the memory for a key is smaller than kasoku_gcm_size(), or not aligned to 16 bytes",
        _ => UNKNOWN,
    }
}

/// Error to return to C; never [`KASOKU_OK`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Code(c_int);

impl Code {
    pub(crate) const NULL: Self = Self(KASOKU_ERR_NULL);
    pub(crate) const KEY_LENGTH: Self = Self(KASOKU_ERR_KEY_LENGTH);
    pub(crate) const NONCE_LENGTH: Self = Self(KASOKU_ERR_NONCE_LENGTH);
    pub(crate) const AAD_TOO_LONG: Self = Self(KASOKU_ERR_AAD_TOO_LONG);
    pub(crate) const MESSAGE_TOO_LONG: Self = Self(KASOKU_ERR_MESSAGE_TOO_LONG);
    pub(crate) const OVERLAP: Self = Self(KASOKU_ERR_OVERLAP);
    pub(crate) const BACKEND_UNKNOWN: Self = Self(KASOKU_ERR_BACKEND_UNKNOWN);
    pub(crate) const FINISHED: Self = Self(KASOKU_ERR_FINISHED);
    pub(crate) const INTERNAL: Self = Self(KASOKU_ERR_INTERNAL);
    pub(crate) const PACKET_NUMBER_TOO_LARGE: Self = Self(KASOKU_ERR_PACKET_NUMBER_TOO_LARGE);
    pub(crate) const QUIC_VERSION: Self = Self(KASOKU_ERR_QUIC_VERSION);
    pub(crate) const QUIC_SENDER: Self = Self(KASOKU_ERR_QUIC_SENDER);
    pub(crate) const MEMORY: Self = Self(KASOKU_ERR_MEMORY);
    pub(crate) const CONNECTION_ID_LENGTH: Self = Self(KASOKU_ERR_CONNECTION_ID_LENGTH);

    pub(crate) fn number(self) -> c_int {
        self.0
    }
}

impl From<Error> for Code {
    fn from(error: Error) -> Self {
        Self(match error {
            Error::KeyLength(_) | Error::SivKeyLength(_) => KASOKU_ERR_KEY_LENGTH,
            Error::BackendUnavailable(_) | Error::ScheduleUnavailable(_) => KASOKU_ERR_BACKEND_UNAVAILABLE,
            Error::EmptyNonce => KASOKU_ERR_NONCE_LENGTH,
            Error::AadTooLong => KASOKU_ERR_AAD_TOO_LONG,
            Error::MessageTooLong => KASOKU_ERR_MESSAGE_TOO_LONG,
            Error::AadTooLate => KASOKU_ERR_AAD_TOO_LATE,
            Error::AuthenticationFailed => KASOKU_ERR_AUTHENTICATION,
            Error::PacketTooShort { .. } => KASOKU_ERR_PACKET_TOO_SHORT,
            Error::PacketNumberBytes(_) => KASOKU_ERR_PACKET_NUMBER_LENGTH,
            Error::PacketNumberOffset => KASOKU_ERR_PACKET_NUMBER_OFFSET,
            Error::PacketNumberTooLarge(_) => KASOKU_ERR_PACKET_NUMBER_TOO_LARGE,
            Error::PacketNumberFell { .. } => KASOKU_ERR_PACKET_NUMBER_FELL,
            Error::ConfidentialityLimit => KASOKU_ERR_CONFIDENTIALITY_LIMIT,
            Error::IntegrityLimit => KASOKU_ERR_INTEGRITY_LIMIT,
            // C cannot cause the other errors: it passes each length once and has no interface for TLS record
            // sequences.
            _ => KASOKU_ERR_INTERNAL,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_error_code_has_its_own_text() {
        let mut meanings: Vec<_> = (KASOKU_ERR_MEMORY..=KASOKU_OK).map(meaning).collect();
        assert!(!meanings.contains(&UNKNOWN));
        meanings.sort_unstable();
        meanings.dedup();
        assert_eq!(meanings.len(), 24);
        for code in [1, KASOKU_ERR_MEMORY - 1, c_int::MIN, c_int::MAX] {
            assert_eq!(meaning(code), UNKNOWN);
        }
    }
}
