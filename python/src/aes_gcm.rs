//! `AESGCM`: PyCA's class on Kasoku's engine.

use std::ops::RangeInclusive;

use kasoku_engine::{AesGcm, Error, Nonce, Tag};
use pyo3::exceptions::{PyOSError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::aead::{self, Aead};
use crate::buffer::{Input, Output};
use crate::new_bytes::NewBytes;

/// An AES-GCM key of 16, 24 or 32 bytes, expanded once; several threads may use it at the same time.
///
/// Names, arguments and errors are those of
/// cryptography.hazmat.primitives.ciphers.aead.AESGCM.
#[pyclass(name = "AESGCM", module = "kasoku", frozen)]
pub(crate) struct PyAesGcm {
    key: AesGcm,
}

#[pymethods]
impl PyAesGcm {
    #[new]
    fn new(key: Input<'_>) -> PyResult<Self> {
        let key = AesGcm::new(&key).map_err(|error| PyValueError::new_err(error.to_string()))?;
        Ok(Self { key })
    }

    /// A new key of 128, 192 or 256 bits from the system's random numbers.
    #[staticmethod]
    fn generate_key(py: Python<'_>, bit_length: usize) -> PyResult<Bound<'_, PyBytes>> {
        if !matches!(bit_length, 128 | 192 | 256) {
            return Err(PyValueError::new_err("bit_length is 128, 192 or 256"));
        }
        random_bytes(py, bit_length / 8)
    }

    /// The ciphertext of data, and behind it 16 bytes of tag.
    ///
    /// The nonce has 8 to 128 bytes, best 12, and is used for one message only under one key.
    #[pyo3(signature = (nonce, data, associated_data))]
    fn encrypt<'py>(
        &self,
        py: Python<'py>,
        nonce: Input<'_>,
        data: Input<'_>,
        associated_data: Option<Input<'_>>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        aead::encrypt(py, &self.key, &nonce, associated_data.as_deref().unwrap_or_default(), &data)
    }

    /// The plaintext of data, which ends in the tag; InvalidTag if anything was changed.
    #[pyo3(signature = (nonce, data, associated_data))]
    fn decrypt<'py>(
        &self,
        py: Python<'py>,
        nonce: Input<'_>,
        data: Input<'_>,
        associated_data: Option<Input<'_>>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        aead::decrypt(py, &self.key, &nonce, associated_data.as_deref().unwrap_or_default(), &data)
    }

    /// Writes ciphertext and tag into buf, which is 16 bytes longer than data and may begin where data does; how many
    /// bytes that are.
    #[pyo3(signature = (nonce, data, associated_data, buf))]
    fn encrypt_into(
        &self,
        py: Python<'_>,
        nonce: Input<'_>,
        data: Input<'_>,
        associated_data: Option<Input<'_>>,
        buf: Output,
    ) -> PyResult<usize> {
        aead::encrypt_into(py, &self.key, nonce, associated_data.unwrap_or(Input::EMPTY), data, buf)
    }

    /// Writes the plaintext into buf, which is 16 bytes shorter than data and may begin where data does; how many bytes
    /// that are. After InvalidTag it is all zeros.
    #[pyo3(signature = (nonce, data, associated_data, buf))]
    fn decrypt_into(
        &self,
        py: Python<'_>,
        nonce: Input<'_>,
        data: Input<'_>,
        associated_data: Option<Input<'_>>,
        buf: Output,
    ) -> PyResult<usize> {
        aead::decrypt_into(py, &self.key, nonce, associated_data.unwrap_or(Input::EMPTY), data, buf)
    }
}

/// Bytes from the system's random numbers.
pub(crate) fn random_bytes(py: Python<'_>, bytes: usize) -> PyResult<Bound<'_, PyBytes>> {
    let mut new = NewBytes::new(py, bytes)?;
    let filled = getrandom::fill(new.bytes_mut());
    filled.map_err(|error| PyOSError::new_err(format!("no random numbers from the system: {error}")))?;
    Ok(new.finish())
}

impl Aead for AesGcm {
    /// PyCA's bounds.
    const NONCE_BYTES: RangeInclusive<usize> = 8..=128;

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
