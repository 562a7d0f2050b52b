//! Implements [`Aead`](crate::aead::Aead) for keys whose nonces have a fixed length.

use std::ops::RangeInclusive;

use kasoku_engine::{AesGcmSiv, Error, Tag, XaesGcm};

use crate::aead::Aead;

/// Implements [`Aead`](crate::aead::Aead) for an engine key with `NONCE_BYTES`, `seal`, `seal_to`, `open` and
/// `open_to`.
macro_rules! fixed_nonce {
    ($key:ident) => {
        impl Aead for $key {
            const NONCE_BYTES: RangeInclusive<usize> = $key::NONCE_BYTES..=$key::NONCE_BYTES;
            const USUAL_NONCE_BYTES: usize = $key::NONCE_BYTES;

            #[inline]
            fn seal(&self, nonce: &[u8], aad: &[u8], text: &[u8], out: &mut [u8], tag: &mut Tag) -> Result<(), Error> {
                *tag = self.seal_to(checked(nonce)?, aad, text, out)?;
                Ok(())
            }

            #[inline]
            fn seal_in_place(&self, nonce: &[u8], aad: &[u8], in_out: &mut [u8], tag: &mut Tag) -> Result<(), Error> {
                *tag = self.seal(checked(nonce)?, aad, in_out)?;
                Ok(())
            }

            #[inline]
            fn open(&self, nonce: &[u8], aad: &[u8], text: &[u8], out: &mut [u8], tag: &Tag) -> Result<(), Error> {
                self.open_to(checked(nonce)?, aad, text, out, tag)
            }

            #[inline]
            fn open_in_place(&self, nonce: &[u8], aad: &[u8], in_out: &mut [u8], tag: &Tag) -> Result<(), Error> {
                self.open(checked(nonce)?, aad, in_out, tag)
            }
        }
    };
}

fixed_nonce!(AesGcmSiv);
fixed_nonce!(XaesGcm);

/// Converts a nonce whose length was checked.
fn checked<const BYTES: usize>(nonce: &[u8]) -> Result<&[u8; BYTES], Error> {
    nonce.try_into().map_err(|_| Error::EmptyNonce)
}
