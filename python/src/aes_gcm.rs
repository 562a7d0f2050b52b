//! `AESGCM`: PyCA's class on Kasoku's engine.

use std::ops::RangeInclusive;

use kasoku_engine::{AesGcm, Error, Nonce, Tag};
use pyo3::exceptions::{PyOSError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::aead::Aead;
use crate::buffer::{Export, Input};
use crate::message_methods::message_methods;
use crate::new_bytes::NewBytes;

/// An AES-GCM key of 16, 24 or 32 bytes, expanded once; several threads may use it at the same time.
///
/// Names, arguments and errors are those of cryptography.hazmat.primitives.ciphers.aead.AESGCM. A nonce has 8 to 128
/// bytes, preferably 12. With random nonces, use a key for at most 2**32 messages; XAESGCM has no such limit.
#[pyclass(name = "AESGCM", module = "kasoku", frozen)]
pub(crate) struct PyAesGcm {
    pub(crate) key: AesGcm,
}

message_methods!(PyAesGcm {
    #[new]
    fn new(key: &Bound<'_, PyAny>) -> PyResult<Self> {
        let mut export = Export::default();
        let key = Input::new(key.as_borrowed(), &mut export)?;
        let wrong = |_| PyValueError::new_err("AESGCM key must be 128, 192, or 256 bits.");
        Ok(Self { key: AesGcm::new(&key).map_err(wrong)? })
    }

    /// Returns a new random key of 128, 192 or 256 bits.
    #[staticmethod]
    fn generate_key(py: Python<'_>, bit_length: usize) -> PyResult<Bound<'_, PyBytes>> {
        if !matches!(bit_length, 128 | 192 | 256) {
            return Err(PyValueError::new_err("bit_length must be 128, 192, or 256"));
        }
        random_bytes(py, bit_length / 8)
    }
});

/// Returns random bytes of the system's generator as a key.
pub(crate) fn random_bytes(py: Python<'_>, bytes: usize) -> PyResult<Bound<'_, PyBytes>> {
    let mut new = NewBytes::new(py, bytes)?;
    let filled = getrandom::fill(new.bytes_mut());
    filled.map_err(|error| PyOSError::new_err(format!("no random numbers from the system: {error}")))?;
    Ok(new.finish())
}

impl Aead for AesGcm {
    /// Nonce lengths in bytes that PyCA accepts.
    const NONCE_BYTES: RangeInclusive<usize> = 8..=128;
    const USUAL_NONCE_BYTES: usize = 12;

    #[inline]
    fn seal(&self, nonce: &[u8], aad: &[u8], plaintext: &[u8], out: &mut [u8], tag: &mut Tag) -> Result<(), Error> {
        self.seal_into(Nonce::try_from(nonce)?, aad, plaintext, out, tag)
    }

    #[inline]
    fn seal_in_place(&self, nonce: &[u8], aad: &[u8], in_out: &mut [u8], tag: &mut Tag) -> Result<(), Error> {
        self.seal_in_place(Nonce::try_from(nonce)?, aad, in_out, tag)
    }

    #[inline]
    fn open(&self, nonce: &[u8], aad: &[u8], ciphertext: &[u8], out: &mut [u8], tag: &Tag) -> Result<(), Error> {
        self.open_to(Nonce::try_from(nonce)?, aad, ciphertext, out, tag)
    }

    #[inline]
    fn open_in_place(&self, nonce: &[u8], aad: &[u8], in_out: &mut [u8], tag: &Tag) -> Result<(), Error> {
        self.open(Nonce::try_from(nonce)?, aad, in_out, tag)
    }
}
