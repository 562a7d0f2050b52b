//! The ciphers with the traits of `aead` 0.5, for programs written for `aes-gcm` 0.10 and `aes-gcm-siv` 0.11.
//!
//! This module has the names of these crates. The ciphers are the types of the crate root, so one key can be used with
//! both generations of the traits.
//!
//! ```
//! use kasoku_aead::aead_05::aead::{Aead, KeyInit};
//! use kasoku_aead::aead_05::{Aes256Gcm, Key, Nonce};
//!
//! let cipher = Aes256Gcm::new(Key::<Aes256Gcm>::from_slice(&[7; 32]));
//! let nonce = Nonce::from_slice(b"unique nonce"); // never twice under one key
//! let ciphertext = cipher.encrypt(nonce, b"to be kept secret".as_ref())?;
//! assert_eq!(cipher.decrypt(nonce, ciphertext.as_ref())?, b"to be kept secret");
//! # Ok::<(), kasoku_aead::aead_05::Error>(())
//! ```

pub use ::aead_05::{self as aead, AeadCore, AeadInPlace, Error, Key, KeyInit, KeySizeUser};

#[doc(no_inline)]
pub use crate::{A_MAX, Aes128Gcm, Aes128GcmSiv, Aes192Gcm, Aes256Gcm, Aes256GcmSiv, P_MAX, Xaes256Gcm};

use crate::engine_key::EngineKey;
use crate::in_out::Buffers;
use aead::consts::{U0, U12, U16, U24, U32};
use aead::generic_array::GenericArray;

/// Nonces, of 96 bits unless the parameter says otherwise.
pub type Nonce<NonceSize = U12> = GenericArray<u8, NonceSize>;

/// Tags.
pub type Tag<TagSize = U16> = GenericArray<u8, TagSize>;

/// Implements the traits of `aead` 0.5 for a cipher with these sizes of keys and nonces.
macro_rules! implement {
    ($name:ident, $key_size:ty, $nonce_size:ty) => {
        impl KeySizeUser for $name {
            type KeySize = $key_size;
        }

        impl KeyInit for $name {
            #[inline]
            fn new(key: &Key<Self>) -> Self {
                <Self as crate::KeyInit>::new(AsRef::<[u8; _]>::as_ref(key).into())
            }
        }

        impl AeadCore for $name {
            type NonceSize = $nonce_size;
            type TagSize = U16;
            type CiphertextOverhead = U0;
        }

        impl AeadInPlace for $name {
            #[inline]
            fn encrypt_in_place_detached(
                &self,
                nonce: &aead::Nonce<Self>,
                associated_data: &[u8],
                buffer: &mut [u8],
            ) -> Result<aead::Tag<Self>, Error> {
                let sealed = self.0.seal_buffers(nonce.as_ref(), associated_data, Buffers::InPlace(buffer));
                sealed.map(Into::into).map_err(|_| Error)
            }

            #[inline]
            fn decrypt_in_place_detached(
                &self,
                nonce: &aead::Nonce<Self>,
                associated_data: &[u8],
                buffer: &mut [u8],
                tag: &aead::Tag<Self>,
            ) -> Result<(), Error> {
                self.0
                    .open_buffers(nonce.as_ref(), associated_data, Buffers::InPlace(buffer), tag.as_ref())
                    .map_err(|_| Error)
            }
        }
    };
}

implement!(Aes128Gcm, U16, U12);
implement!(Aes192Gcm, U24, U12);
implement!(Aes256Gcm, U32, U12);
implement!(Aes128GcmSiv, U16, U12);
implement!(Aes256GcmSiv, U32, U12);
implement!(Xaes256Gcm, U32, U24);
