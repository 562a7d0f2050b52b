//! Converts the engine's errors to Python exceptions.

use kasoku_engine::Error;
use pyo3::exceptions::{PyOverflowError, PyValueError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyType;

/// Converts an engine error to a Python exception.
#[cold]
pub(crate) fn exception(py: Python<'_>, error: Error) -> PyErr {
    match error {
        Error::AuthenticationFailed => invalid_tag(py, None),
        Error::AadTooLong | Error::MessageTooLong => PyOverflowError::new_err(error.to_string()),
        Error::AadTooLate => misuse(py, "AlreadyUpdated", "Update has been called on this context."),
        _ => PyValueError::new_err(error.to_string()),
    }
}

/// Returns `kasoku.InvalidTag`, with the index of the message in a batch.
#[cold]
pub(crate) fn invalid_tag(py: Python<'_>, number: Option<usize>) -> PyErr {
    match (class(py), number) {
        (Ok(class), None) => PyErr::from_type(class.clone(), ()),
        (Ok(class), Some(number)) => PyErr::from_type(class.clone(), (number,)),
        (Err(error), _) => error,
    }
}

/// Returns `kasoku.InvalidTag` for a file, with a message.
#[cold]
pub(crate) fn not_authentic(py: Python<'_>, why: &str) -> PyErr {
    class(py).map_or_else(|error| error, |class| PyErr::from_type(class.clone(), (why.to_owned(),)))
}

/// Creates an exception of the class `class` of `kasoku._exceptions`, for methods called in a wrong order.
#[cold]
pub(crate) fn misuse(py: Python<'_>, class: &str, why: &'static str) -> PyErr {
    let class =
        py.import("kasoku._exceptions").and_then(|module| module.getattr(class)?.cast_into().map_err(PyErr::from));
    class.map_or_else(|error| error, |class: Bound<'_, PyType>| PyErr::from_type(class, (why,)))
}

/// Returns the class `InvalidTag`, which Python code defines, since its base is PyCA's class if that is installed.
fn class(py: Python<'_>) -> PyResult<&Bound<'_, PyType>> {
    static CLASS: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    CLASS.import(py, "kasoku._exceptions", "InvalidTag")
}
