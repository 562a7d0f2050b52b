//! Nonces: 96 bits unless someone must have it otherwise.

use crate::error::Error;

/// A nonce for one message. `&[u8; 12]` converts into it and is what to use; other lengths, from one byte up, exist
/// for protocols that fixed them long ago (SP 800-38D §8.2 explains what they cost: their counter blocks are hashes
/// and may collide).
///
/// ```
/// use kasoku_engine::Nonce;
/// assert!(Nonce::try_from(&b"any length"[..]).is_ok());
/// assert!(Nonce::try_from(&b""[..]).is_err());
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Nonce<'a>(pub(crate) Form<'a>);

/// The two ways to the first counter block (SP 800-38D §7.1, step 2).
#[derive(Clone, Copy, Debug)]
pub(crate) enum Form<'a> {
    /// J0 is the nonce and the number one.
    Bits96(&'a [u8; 12]),
    /// J0 is the hash of the nonce and its length.
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
