//! Kasoku's AES-GCM for Python: the extension module `kasoku._kasoku`.

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
mod xaes_gcm;

use pyo3::prelude::*;

/// What `kasoku` is made of; import it from there.
#[pymodule(gil_used = false)]
mod _kasoku {
    #[pymodule_export]
    use super::aes_gcm::PyAesGcm;
    #[pymodule_export]
    use super::aes_gcm_siv::PyAesGcmSiv;
    #[pymodule_export]
    use super::backend;
    #[pymodule_export]
    use super::file::{FileReader, read_key};
    #[pymodule_export]
    use super::quic::{HeaderKey, PacketKey};
    #[pymodule_export]
    use super::xaes_gcm::PyXaesGcm;

    #[pymodule_export]
    #[allow(non_upper_case_globals, reason = "Python's name")]
    const __version__: &str = env!("CARGO_PKG_VERSION");
}

/// The implementation that is used on this CPU, by the features it needs.
#[pyfunction]
fn backend() -> &'static str {
    use kasoku_engine::cpu::{Found, preferred};
    preferred(Found::here().features()).name()
}
