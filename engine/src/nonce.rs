//! Nonces of 96 bits, and of other lengths for protocols that need them.

use crate::error::Error;

/// A nonce for one message. Use a `&[u8; 12]`, which converts into a nonce. Nonces of other lengths, from one byte up,
/// are for protocols that already use them. Their first counter blocks are hashes and may collide (SP 800-38D §8.2).
///
/// ```
/// use kasoku_engine::Nonce;
/// assert!(Nonce::try_from(&b"any length"[..]).is_ok());
/// assert!(Nonce::try_from(&b""[..]).is_err());
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Nonce<'a>(pub(crate) Form<'a>);

/// The two ways to compute J0, the first counter block, from a nonce (SP 800-38D §7.1, step 2).
#[derive(Clone, Copy, Debug)]
pub(crate) enum Form<'a> {
    /// J0 is the nonce followed by the 32-bit number 1.
    Bits96(&'a [u8; 12]),
    /// J0 is the GHASH value of the nonce and its length.
    Other(&'a [u8]),
}

impl<'a> From<&'a [u8; 12]> for Nonce<'a> {
    #[inline]
    fn from(nonce: &'a [u8; 12]) -> Self {
        Self(Form::Bits96(nonce))
    }
}

impl<'a> TryFrom<&'a [u8]> for Nonce<'a> {
    type Error = Error;

    #[inline]
    fn try_from(nonce: &'a [u8]) -> Result<Self, Error> {
        if let Ok(nonce) = nonce.try_into() {
            return Ok(Self(Form::Bits96(nonce)));
        }
        if nonce.is_empty() {
            return Err(Error::EmptyNonce);
        }
        Ok(Self(Form::Other(nonce)))
    }
}

/// Returns the nonce for a message, record or packet number in TLS 1.3 and QUIC (RFC 8446 §5.3, RFC 9001 §5.3): the IV
/// with the number, in big-endian order, XORed into the last eight bytes.
#[must_use]
#[inline]
pub fn numbered_nonce(iv: &[u8; 12], number: u64) -> [u8; 12] {
    let mut nonce = *iv;
    for (byte, part) in nonce[4..].iter_mut().zip(number.to_be_bytes()) {
        *byte ^= part;
    }
    nonce
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbered_nonce_xors_the_number_into_the_last_bytes_of_the_iv() {
        assert_eq!(numbered_nonce(&[0xFF; 12], 1), [255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 254]);
        assert_eq!(numbered_nonce(&[0; 12], 0x0102_0304_0506_0708), [0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8]);
    }
}
