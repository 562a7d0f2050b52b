//! Maps the engine's errors to the header's codes.

use std::ffi::c_int;

use kasoku::*;
use kasoku_engine::Error;

pub(crate) fn code_of(error: Error) -> c_int {
    match error {
        Error::KeyLength(_) | Error::SivKeyLength(_) => KASOKU_ERR_KEY_LENGTH,
        Error::BackendUnavailable(_) => KASOKU_ERR_BACKEND_UNAVAILABLE,
        Error::AuthenticationFailed => KASOKU_ERR_AUTHENTICATION,
        Error::PacketTooShort { .. } => KASOKU_ERR_PACKET_TOO_SHORT,
        Error::PacketNumberBytes(_) => KASOKU_ERR_PACKET_NUMBER_LENGTH,
        Error::PacketNumberOffset => KASOKU_ERR_PACKET_NUMBER_OFFSET,
        Error::PacketNumberTooLarge(_) => KASOKU_ERR_PACKET_NUMBER_TOO_LARGE,
        Error::PacketNumberFell { .. } => KASOKU_ERR_PACKET_NUMBER_FELL,
        Error::ConfidentialityLimit => KASOKU_ERR_CONFIDENTIALITY_LIMIT,
        other => panic!("{other}"),
    }
}
