//! A `bytes` object that is still being written.

#![allow(unsafe_code, reason = "only C can make one without writing it twice")]

use pyo3::exceptions::PyOverflowError;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

/// A new `bytes` object, which nobody else has seen.
pub(crate) struct NewBytes<'py> {
    object: Bound<'py, PyBytes>,
    start: *mut u8,
    bytes: usize,
}

impl<'py> NewBytes<'py> {
    #[inline]
    pub(crate) fn new(py: Python<'py>, bytes: usize) -> PyResult<Self> {
        let length = isize::try_from(bytes).map_err(|_| PyOverflowError::new_err("too long for an object"))?;
        // SAFETY: Python is attached. It gives an object of our own, or NULL with an exception set.
        let object = unsafe {
            let object = ffi::PyBytes_FromStringAndSize(std::ptr::null(), length);
            Bound::from_owned_ptr_or_err(py, object)?.cast_into_unchecked::<PyBytes>()
        };
        // SAFETY: it is a `bytes` object.
        let start = unsafe { ffi::PyBytes_AsString(object.as_ptr()) }.cast();
        Ok(Self { object, start, bytes })
    }

    /// The bytes, to write them. What they are before is left open, as `malloc` leaves it, and the engine reads none
    /// that it has not written.
    #[inline]
    pub(crate) fn bytes_mut(&mut self) -> &mut [u8] {
        if self.bytes == 0 {
            return &mut []; // Python's one empty object
        }
        // SAFETY: it is that long, and nobody else has it. C allocated it: some bytes or other are there.
        unsafe { std::slice::from_raw_parts_mut(self.start, self.bytes) }
    }

    /// The object, written from end to end.
    #[inline]
    pub(crate) fn finish(self) -> Bound<'py, PyBytes> {
        self.object
    }
}
