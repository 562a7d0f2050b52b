//! The calls of the engine's three types of keys as one trait, so that the same lines implement every cipher.

use aead::Error;
use kasoku_engine::{AesGcm, AesGcmSiv, Tag, XaesGcm};

use crate::in_out::Buffers;

/// A key of the engine, for nonces of `NONCE` bytes. A message takes one function call, as through the engine: these
/// functions are inlined into their caller.
pub(crate) trait EngineKey<const NONCE: usize> {
    fn seal_buffers(&self, nonce: &[u8; NONCE], aad: &[u8], buffers: Buffers<'_, '_>) -> Result<Tag, Error>;

    fn open_buffers(&self, nonce: &[u8; NONCE], aad: &[u8], buffers: Buffers<'_, '_>, tag: &Tag) -> Result<(), Error>;
}

impl EngineKey<12> for AesGcm {
    #[inline(always)]
    fn seal_buffers(&self, nonce: &[u8; 12], aad: &[u8], buffers: Buffers<'_, '_>) -> Result<Tag, Error> {
        let mut tag = Tag::default();
        match buffers {
            Buffers::InPlace(data) => seal_in_place(self, nonce, aad, data, &mut tag)?,
            Buffers::Between(input, output) => seal_between(self, nonce, aad, input, output, &mut tag)?,
        }
        Ok(tag)
    }

    #[inline(always)]
    fn open_buffers(&self, nonce: &[u8; 12], aad: &[u8], buffers: Buffers<'_, '_>, tag: &Tag) -> Result<(), Error> {
        match buffers {
            Buffers::InPlace(data) => open_in_place(self, nonce, aad, data, tag),
            Buffers::Between(input, output) => open_between(self, nonce, aad, input, output, tag),
        }
    }
}

// The engine's functions are inlined into these four. Without them they would be inlined at each place of use, which
// the compiler does for some of them only.

#[inline(never)]
fn seal_in_place(key: &AesGcm, nonce: &[u8; 12], aad: &[u8], data: &mut [u8], tag: &mut Tag) -> Result<(), Error> {
    key.seal_in_place(nonce, aad, data, tag).map_err(|_| Error)
}

#[inline(never)]
fn seal_between(
    key: &AesGcm,
    nonce: &[u8; 12],
    aad: &[u8],
    input: &[u8],
    output: &mut [u8],
    tag: &mut Tag,
) -> Result<(), Error> {
    key.seal_into(nonce, aad, input, output, tag).map_err(|_| Error)
}

#[inline(never)]
fn open_in_place(key: &AesGcm, nonce: &[u8; 12], aad: &[u8], data: &mut [u8], tag: &Tag) -> Result<(), Error> {
    key.open(nonce, aad, data, tag).map_err(|_| Error)
}

#[inline(never)]
fn open_between(
    key: &AesGcm,
    nonce: &[u8; 12],
    aad: &[u8],
    input: &[u8],
    output: &mut [u8],
    tag: &Tag,
) -> Result<(), Error> {
    key.open_to(nonce, aad, input, output, tag).map_err(|_| Error)
}

/// Implements the trait for a type of key whose functions are not inlined.
macro_rules! engine_key {
    ($name:ident, $nonce_bytes:literal) => {
        impl EngineKey<$nonce_bytes> for $name {
            #[inline(always)]
            fn seal_buffers(
                &self,
                nonce: &[u8; $nonce_bytes],
                aad: &[u8],
                buffers: Buffers<'_, '_>,
            ) -> Result<Tag, Error> {
                let sealed = match buffers {
                    Buffers::InPlace(data) => self.seal(nonce, aad, data),
                    Buffers::Between(input, output) => self.seal_to(nonce, aad, input, output),
                };
                sealed.map_err(|_| Error)
            }

            #[inline(always)]
            fn open_buffers(
                &self,
                nonce: &[u8; $nonce_bytes],
                aad: &[u8],
                buffers: Buffers<'_, '_>,
                tag: &Tag,
            ) -> Result<(), Error> {
                let opened = match buffers {
                    Buffers::InPlace(data) => self.open(nonce, aad, data, tag),
                    Buffers::Between(input, output) => self.open_to(nonce, aad, input, output, tag),
                };
                opened.map_err(|_| Error)
            }
        }
    };
}

engine_key!(AesGcmSiv, 12);
engine_key!(XaesGcm, 24);
