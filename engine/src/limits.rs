//! Length limits of SP 800-38D §5.2.1.1, checked before any byte is read or written.

use crate::error::Error;

/// Maximum number of plaintext bytes under one nonce: 2^39 − 256 bits. The 32-bit counter counts 2^32 blocks, of which
/// two are not for plaintext (counter 0 and J0).
pub const PLAINTEXT_BYTES: u64 = (1 << 36) - 32;

/// Maximum number of bytes of the AAD, and of a nonce: 2^64 − 1 bits, rounded down to whole bytes.
pub const AAD_BYTES: u64 = (1 << 61) - 1;

/// Maximum number of messages that one key may seal under random nonces of 96 bits (SP 800-38D §8.3).
pub const RANDOM_NONCES: u64 = 1 << 32;

#[inline]
pub(crate) fn check(aad_bytes: usize, data_bytes: usize) -> Result<(), Error> {
    if are_exceeded(aad_bytes, data_bytes) { Err(length_error(aad_bytes)) } else { Ok(()) }
}

/// Returns whether the length of the AAD or of the data exceeds its limit.
#[inline]
pub(crate) fn are_exceeded(aad_bytes: usize, data_bytes: usize) -> bool {
    aad_bytes as u64 > AAD_BYTES || data_bytes as u64 > PLAINTEXT_BYTES
}

/// Returns the error for the length that exceeds its limit. Not inlined, so that the code for valid messages stays
/// short.
#[cold]
#[inline(never)]
pub(crate) fn length_error(aad_bytes: usize) -> Error {
    if aad_bytes as u64 > AAD_BYTES { Error::AadTooLong } else { Error::MessageTooLong }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn check_accepts_lengths_up_to_the_limits_of_sp_800_38d() {
        assert_eq!(check(0, (1 << 36) - 32), Ok(()));
        assert_eq!(check(0, (1 << 36) - 31), Err(Error::MessageTooLong));
        assert_eq!(check((1 << 61) - 1, 0), Ok(()));
        assert_eq!(check(1 << 61, 0), Err(Error::AadTooLong));
        assert_eq!(check(usize::MAX, usize::MAX), Err(Error::AadTooLong));
        assert_eq!(check((1 << 61) - 1, usize::MAX), Err(Error::MessageTooLong));
    }
}
