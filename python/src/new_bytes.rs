//! Creates `bytes` objects that the engine writes into directly.

#![allow(unsafe_code, reason = "only C can create bytes without writing them twice")]

use pyo3::exceptions::PyOverflowError;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

/// A new `bytes` object without other references.
pub(crate) struct NewBytes<'py> {
    object: Bound<'py, PyBytes>,
    start: *mut u8,
    bytes: usize,
}

impl<'py> NewBytes<'py> {
    #[inline]
    pub(crate) fn new(py: Python<'py>, bytes: usize) -> PyResult<Self> {
        let length = isize::try_from(bytes).map_err(|_| PyOverflowError::new_err("too long for an object"))?;
        // SAFETY: Python is attached. The call returns an owned object, or NULL with an exception set.
        let object = unsafe {
            let object = ffi::PyBytes_FromStringAndSize(std::ptr::null(), length);
            Bound::from_owned_ptr_or_err(py, object)?.cast_into_unchecked::<PyBytes>()
        };
        // SAFETY: the object is of the class `bytes`.
        let start = unsafe { ffi::PyBytes_AsString(object.as_ptr()) }.cast();
        Ok(Self { object, start, bytes })
    }

    /// Returns the bytes for writing. They are arbitrary, as after `malloc`; the engine reads none before writing it.
    #[inline]
    pub(crate) fn bytes_mut(&mut self) -> &mut [u8] {
        if self.bytes == 0 {
            return &mut []; // Python shares one empty object
        }
        // SAFETY: the object has this length and no other references. C allocated it, so its bytes have some value.
        unsafe { std::slice::from_raw_parts_mut(self.start, self.bytes) }
    }

    /// Returns the object after all of its bytes were written.
    #[inline]
    pub(crate) fn finish(self) -> Bound<'py, PyBytes> {
        self.object
    }
}
