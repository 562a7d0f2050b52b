//! Keys of all algorithms, made from one sequence of bytes.

use kasoku::*;
use kasoku_engine::{AesGcm, AesGcmSiv, Error, Nonce, Tag, XaesGcm};

use super::creation::make;
use super::script::Script;

/// Key objects of the C library and of the engine, all made from one sequence of bytes.
pub(crate) struct Keys {
    bytes: Vec<u8>,
    gcm: (*mut Gcm, AesGcm),
    siv: Option<(*mut Siv, AesGcmSiv)>,
    xaes: Option<(*mut Xaes, XaesGcm)>,
}

impl Keys {
    /// Reads a key from the script and makes all objects. Returns `None` if AES has no keys of the key's length.
    pub(crate) fn read(script: &mut Script<'_>) -> Option<Self> {
        let count = [16, 24, 32, 0, 17, 33][usize::from(script.byte()) % 6];
        let bytes = script.bytes(count);
        let gcm = make(
            script,
            &bytes,
            |key| unsafe { kasoku_gcm_new(key, count) },
            |key, name, place| unsafe { kasoku_gcm_create(key, count, name, place) },
            |backend| backend.map_or_else(|| AesGcm::new(&bytes), |backend| AesGcm::with_backend(&bytes, backend)),
        )?;
        let siv = make(
            script,
            &bytes,
            |key| unsafe { kasoku_siv_new(key, count) },
            |key, name, place| unsafe { kasoku_siv_create(key, count, name, place) },
            |backend| {
                backend.map_or_else(|| AesGcmSiv::new(&bytes), |backend| AesGcmSiv::with_backend(&bytes, backend))
            },
        );
        let xaes = <&[u8; 32]>::try_from(&bytes[..]).ok().and_then(|key| {
            make(
                script,
                key,
                |key| unsafe { kasoku_xaes_new(key) },
                |key, name, place| unsafe { kasoku_xaes_create(key, name, place) },
                |backend| backend.map_or_else(|| Ok(XaesGcm::new(key)), |backend| XaesGcm::with_backend(key, backend)),
            )
        });
        Some(Self { bytes, gcm, siv, xaes })
    }

    pub(crate) fn first_byte(&self) -> u8 {
        self.bytes[0]
    }

    pub(crate) fn gcm(&self) -> Key<'_> {
        Key::Gcm(self.gcm.0, &self.gcm.1)
    }

    /// Returns the AES-GCM-SIV key, or the AES-GCM key if AES-GCM-SIV has no keys of this length.
    pub(crate) fn siv(&self) -> Key<'_> {
        self.siv.as_ref().map_or(self.gcm(), |(key, engine)| Key::Siv(*key, engine))
    }

    /// Returns the XAES-256-GCM key, or the AES-GCM key if XAES-256-GCM has no keys of this length.
    pub(crate) fn xaes(&self) -> Key<'_> {
        self.xaes.as_ref().map_or(self.gcm(), |(key, engine)| Key::Xaes(*key, engine))
    }

    /// Makes another key from the same bytes, passes it to `begin`, and frees it.
    pub(crate) fn with_short_lived<R>(&self, begin: impl FnOnce(*const Gcm) -> R) -> R {
        unsafe {
            let gcm = kasoku_gcm_new(self.bytes.as_ptr(), self.bytes.len());
            let begun = begin(gcm);
            kasoku_gcm_free(gcm);
            begun
        }
    }
}

impl Drop for Keys {
    fn drop(&mut self) {
        unsafe {
            kasoku_gcm_free(self.gcm.0);
            kasoku_siv_free(self.siv.as_ref().map_or(std::ptr::null_mut(), |(key, _)| *key));
            kasoku_xaes_free(self.xaes.as_ref().map_or(std::ptr::null_mut(), |(key, _)| *key));
        }
    }
}

/// Key of the C library, and the engine's equivalent key.
#[derive(Clone, Copy)]
pub(crate) enum Key<'k> {
    Gcm(*const Gcm, &'k AesGcm),
    Siv(*const Siv, &'k AesGcmSiv),
    Xaes(*const Xaes, &'k XaesGcm),
}

impl Key<'_> {
    /// Returns the nonce length in bytes if the algorithm fixes it.
    pub(crate) fn nonce_bytes(self) -> Option<usize> {
        match self {
            Self::Gcm(..) => None,
            Self::Siv(..) => Some(AesGcmSiv::NONCE_BYTES),
            Self::Xaes(..) => Some(XaesGcm::NONCE_BYTES),
        }
    }

    pub(crate) fn engine_seals(self, nonce: &[u8], aad: &[u8], text: &mut [u8]) -> Tag {
        match self {
            Self::Gcm(_, key) => key.seal(Nonce::try_from(nonce).unwrap(), aad, text),
            Self::Siv(_, key) => key.seal(nonce.try_into().unwrap(), aad, text),
            Self::Xaes(_, key) => key.seal(nonce.try_into().unwrap(), aad, text),
        }
        .unwrap()
    }

    pub(crate) fn engine_opens(self, nonce: &[u8], aad: &[u8], text: &mut [u8], tag: &Tag) -> Result<(), Error> {
        match self {
            Self::Gcm(_, key) => key.open(Nonce::try_from(nonce).unwrap(), aad, text, tag),
            Self::Siv(_, key) => key.open(nonce.try_into().unwrap(), aad, text, tag),
            Self::Xaes(_, key) => key.open(nonce.try_into().unwrap(), aad, text, tag),
        }
    }
}
