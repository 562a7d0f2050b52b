//! `AESGCMSIV`: AES-GCM-SIV, with which a repeated nonce reveals only whether messages are equal.

use kasoku_engine::AesGcmSiv;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::aes_gcm::random_bytes;
use crate::buffer::{Export, Input};
use crate::message_methods::message_methods;

/// An AES-GCM-SIV key of 16 or 32 bytes (RFC 8452); several threads may use it at the same time.
///
/// Nonces have 12 bytes. A nonce that is used twice reveals only whether the messages are equal. The methods are those
/// of AESGCM.
#[pyclass(name = "AESGCMSIV", module = "kasoku", frozen)]
pub(crate) struct PyAesGcmSiv {
    key: AesGcmSiv,
}

message_methods!(PyAesGcmSiv {
    #[new]
    fn new(key: &Bound<'_, PyAny>) -> PyResult<Self> {
        let mut export = Export::default();
        let key = Input::new(key.as_borrowed(), &mut export)?;
        let wrong = |_| PyValueError::new_err("AES-GCM-SIV key must be 128 or 256 bits.");
        Ok(Self { key: AesGcmSiv::new(&key).map_err(wrong)? })
    }

    /// Returns a new random key of `bit_length` bits, 128 or 256.
    #[staticmethod]
    fn generate_key(py: Python<'_>, bit_length: usize) -> PyResult<Bound<'_, PyBytes>> {
        match bit_length {
            128 | 256 => random_bytes(py, bit_length / 8),
            _ => Err(PyValueError::new_err("bit_length must be 128 or 256")),
        }
    }
});
