//! The extension module `kasoku._kasoku`: AES-GCM for Python.

mod aead;
mod aes_gcm;
mod aes_gcm_siv;
mod batch;
mod buffer;
mod error;
mod file;
mod fixed_nonce;
mod message_methods;
mod new_bytes;
mod quic;
mod streaming;
mod xaes_gcm;

use pyo3::prelude::*;

/// Implementation of the package `kasoku`, which exports these names.
#[pymodule(gil_used = false)]
mod _kasoku {
    #[pymodule_export]
    use super::aes_gcm::PyAesGcm;
    #[pymodule_export]
    use super::aes_gcm_siv::PyAesGcmSiv;
    #[pymodule_export]
    use super::backend;
    #[pymodule_export]
    use super::file::{FileReader, FileWriter, read_key};
    #[pymodule_export]
    use super::quic::{HeaderKey, PacketKey};
    #[pymodule_export]
    use super::streaming::{Decryptor, Encryptor};
    #[pymodule_export]
    use super::xaes_gcm::PyXaesGcm;

    #[pymodule_export]
    #[allow(non_upper_case_globals, reason = "the constant has its Python name")]
    const __version__: &str = env!("CARGO_PKG_VERSION");
}

/// Returns the backend used on this CPU, named by the CPU features it needs.
#[pyfunction]
fn backend() -> &'static str {
    use kasoku_engine::cpu::{Found, preferred};
    preferred(Found::here().features()).name()
}
