//! `XAESGCM`: AES-256-GCM with nonces long enough to be random.

use kasoku_engine::XaesGcm;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use zeroize::Zeroizing;

use crate::aes_gcm::random_bytes;
use crate::buffer::{Export, Input};
use crate::message_methods::message_methods;

/// An XAES-256-GCM key of 32 bytes (https://c2sp.org/XAES-256-GCM); several threads may use it at the same time.
///
/// Its nonces have 24 bytes and may be random for every message: among 2**80 messages under one key, a nonce repeats
/// with a probability of 2**-32. The methods are those of AESGCM.
#[pyclass(name = "XAESGCM", module = "kasoku", frozen)]
pub(crate) struct PyXaesGcm {
    key: XaesGcm,
}

message_methods!(PyXaesGcm {
    #[new]
    fn new(key: &Bound<'_, PyAny>) -> PyResult<Self> {
        let mut export = Export::default();
        let key = Input::new(key.as_borrowed(), &mut export)?;
        let mut bytes = Zeroizing::new([0; 32]);
        if key.len() != bytes.len() {
            return Err(PyValueError::new_err("XAES-256-GCM key must be 256 bits."));
        }
        bytes.copy_from_slice(&key);
        Ok(Self { key: XaesGcm::new(&bytes) })
    }

    /// Returns a new random key of 32 bytes.
    #[staticmethod]
    fn generate_key(py: Python<'_>) -> PyResult<Bound<'_, PyBytes>> {
        random_bytes(py, 32)
    }
});
