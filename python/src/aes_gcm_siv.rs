//! `AESGCMSIV`: AES-GCM-SIV, of which a repeated nonce gives nothing away but that messages are equal.

use std::ops::RangeInclusive;

use kasoku_engine::{AesGcmSiv, Error, Tag};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList};

use crate::aead::{self, Aead};
use crate::aes_gcm::random_bytes;
use crate::batch::{self, Direction};
use crate::buffer::{Export, Input};
use crate::message_methods::message_methods;

/// An AES-GCM-SIV key of 16 or 32 bytes (RFC 8452); several threads may use it at the same time.
///
/// Where a nonce of 12 bytes is used twice, no more is given away than whether the messages are equal. The methods are
/// those of AESGCM.
#[pyclass(name = "AESGCMSIV", module = "kasoku", frozen)]
pub(crate) struct PyAesGcmSiv {
    key: AesGcmSiv,
}

message_methods!(PyAesGcmSiv {
    #[new]
    fn new(key: &Bound<'_, PyAny>) -> PyResult<Self> {
        let mut export = Export::default();
        let key = Input::of(key.as_borrowed(), &mut export)?;
        let wrong = |_| PyValueError::new_err(format!("a key of AES-GCM-SIV has 16 or 32 bytes, not {}", key.len()));
        Ok(Self { key: AesGcmSiv::new(&key).map_err(wrong)? })
    }

    /// A new key of `bit_length` bits, 128 or 256, from the system's random numbers.
    #[staticmethod]
    fn generate_key(py: Python<'_>, bit_length: usize) -> PyResult<Bound<'_, PyBytes>> {
        match bit_length {
            128 | 256 => random_bytes(py, bit_length / 8),
            _ => Err(PyValueError::new_err("bit_length is 128 or 256")),
        }
    }
});

impl Aead for AesGcmSiv {
    const NONCE_BYTES: RangeInclusive<usize> = AesGcmSiv::NONCE_BYTES..=AesGcmSiv::NONCE_BYTES;
    const USUAL_NONCE_BYTES: usize = AesGcmSiv::NONCE_BYTES;

    #[inline]
    fn seal(&self, nonce: &[u8], aad: &[u8], plaintext: &[u8], out: &mut [u8], tag: &mut Tag) -> Result<(), Error> {
        *tag = self.seal_to(array(nonce)?, aad, plaintext, out)?;
        Ok(())
    }

    #[inline]
    fn seal_in_place(&self, nonce: &[u8], aad: &[u8], in_out: &mut [u8], tag: &mut Tag) -> Result<(), Error> {
        *tag = self.seal(array(nonce)?, aad, in_out)?;
        Ok(())
    }

    #[inline]
    fn open(&self, nonce: &[u8], aad: &[u8], ciphertext: &[u8], out: &mut [u8], tag: &Tag) -> Result<(), Error> {
        self.open_to(array(nonce)?, aad, ciphertext, out, tag)
    }

    #[inline]
    fn open_in_place(&self, nonce: &[u8], aad: &[u8], in_out: &mut [u8], tag: &Tag) -> Result<(), Error> {
        self.open(array(nonce)?, aad, in_out, tag)
    }
}

/// A nonce whose length was checked.
fn array(nonce: &[u8]) -> Result<&[u8; AesGcmSiv::NONCE_BYTES], Error> {
    nonce.try_into().map_err(|_| Error::EmptyNonce)
}
