//! The ciphers, and their traits of `aead` 0.6. Open this file to add a cipher; `aead_05.rs` has the traits of 0.5.

use alloc::sync::Arc;

use aead::array::Array;
use aead::consts::{U12, U16, U24, U32};
use aead::inout::InOutBuf;
use aead::{AeadCore, AeadInOut, Error, KeyInit, KeySizeUser, TagPosition};

use crate::engine_key::EngineKey;

/// Defines a cipher: its name, the engine's key, and the sizes of keys and nonces.
macro_rules! cipher {
    ($(#[$doc:meta])* $name:ident, $engine:ident, $key_size:ty, $nonce_size:ty, $expand:expr) => {
        $(#[$doc])*
        ///
        /// Clones share one expanded key: a clone costs a reference count and needs no expansion. The key is wiped when
        /// the last clone is dropped. Several threads may use one key at the same time.
        // The engine's key cannot be cloned: it stays where it was expanded, and grows with the messages it seals.
        #[derive(Clone, Debug)]
        pub struct $name(pub(crate) Arc<kasoku_engine::$engine>);

        impl KeySizeUser for $name {
            type KeySize = $key_size;
        }

        impl KeyInit for $name {
            #[inline]
            fn new(key: &aead::Key<Self>) -> Self {
                Self(Arc::new($expand(&key.0)))
            }
        }

        impl AeadCore for $name {
            type NonceSize = $nonce_size;
            type TagSize = U16;
            const TAG_POSITION: TagPosition = TagPosition::Postfix;
        }

        impl AeadInOut for $name {
            #[inline]
            fn encrypt_inout_detached(
                &self,
                nonce: &aead::Nonce<Self>,
                associated_data: &[u8],
                buffer: InOutBuf<'_, '_, u8>,
            ) -> Result<aead::Tag<Self>, Error> {
                self.0.seal_buffers(&nonce.0, associated_data, buffer.into()).map(Array)
            }

            #[inline]
            fn decrypt_inout_detached(
                &self,
                nonce: &aead::Nonce<Self>,
                associated_data: &[u8],
                buffer: InOutBuf<'_, '_, u8>,
                tag: &aead::Tag<Self>,
            ) -> Result<(), Error> {
                self.0.open_buffers(&nonce.0, associated_data, buffer.into(), &tag.0)
            }
        }

        #[cfg(feature = "zeroize")]
        impl zeroize::ZeroizeOnDrop for $name {}
    };
}

cipher! {
    /// AES-GCM with a key of 128 bits and nonces of 96 bits.
    Aes128Gcm, AesGcm, U16, U12, expand_gcm
}
cipher! {
    /// AES-GCM with a key of 192 bits and nonces of 96 bits.
    Aes192Gcm, AesGcm, U24, U12, expand_gcm
}
cipher! {
    /// AES-GCM with a key of 256 bits and nonces of 96 bits.
    Aes256Gcm, AesGcm, U32, U12, expand_gcm
}
cipher! {
    /// AES-GCM-SIV with a key of 128 bits (RFC 8452): a repeated nonce reveals only whether two messages are equal.
    Aes128GcmSiv, AesGcmSiv, U16, U12, expand_siv
}
cipher! {
    /// AES-GCM-SIV with a key of 256 bits (RFC 8452): a repeated nonce reveals only whether two messages are equal.
    Aes256GcmSiv, AesGcmSiv, U32, U12, expand_siv
}
cipher! {
    /// XAES-256-GCM (<https://c2sp.org/XAES-256-GCM>): nonces of 192 bits, which can be drawn at random for every
    /// message.
    Xaes256Gcm, XaesGcm, U32, U24, kasoku_engine::XaesGcm::new
}

#[inline]
fn expand_gcm(key: &[u8]) -> kasoku_engine::AesGcm {
    let Ok(key) = kasoku_engine::AesGcm::new(key) else { unreachable!("the type of the key gives its length") };
    key
}

#[inline]
fn expand_siv(key: &[u8]) -> kasoku_engine::AesGcmSiv {
    let Ok(key) = kasoku_engine::AesGcmSiv::new(key) else { unreachable!("the type of the key gives its length") };
    key
}
