//! Access to the memory of Python objects: `bytes`, and objects that export a buffer.
//!
//! A buffer stays exported while it is used, so that it is neither freed nor moved. No lock of Python keeps other
//! threads from writing into the buffer (NumPy and shared `mmap` use none). As with `hashlib`, such writes only make
//! the result of the call meaningless, because no branch and no address in the engine depends on data.

#![allow(unsafe_code, reason = "creates slices of Python's memory")]

use std::ffi::{c_char, c_int};
use std::marker::PhantomData;
use std::mem::MaybeUninit;
use std::ops::Deref;

use pyo3::exceptions::{PyBufferError, PyTypeError};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};
use zeroize::Zeroizing;

/// Readable bytes of a Python object that a call uses as input.
pub(crate) struct Input<'a> {
    start: *const u8,
    bytes: usize,
    held: PhantomData<&'a [u8]>,
}

impl<'a> Input<'a> {
    /// Input without bytes.
    pub(crate) const EMPTY: Self = Self { start: std::ptr::dangling(), bytes: 0, held: PhantomData };

    /// Returns the bytes of `object`. Inlined, because a result in memory would be written in two halves and read as
    /// one, which stalls the CPU.
    #[inline(always)]
    pub(crate) fn new(object: Borrowed<'a, '_, PyAny>, export: &'a mut Export) -> PyResult<Self> {
        Self::new_lazily(object, || export)
    }

    /// Returns the bytes of `object`. Calls `export` for memory only if the object is not a `bytes`.
    #[inline(always)]
    pub(crate) fn new_lazily(
        object: Borrowed<'a, '_, PyAny>,
        export: impl FnOnce() -> &'a mut Export,
    ) -> PyResult<Self> {
        match object.cast_exact::<PyBytes>() {
            Ok(bytes) => {
                // SAFETY: `object` is a `bytes` object. Reading the length from it is faster than a call.
                let (start, length) = unsafe { (ffi::PyBytes_AsString(bytes.as_ptr()), ffi::Py_SIZE(bytes.as_ptr())) };
                Ok(Self { start: start.cast(), bytes: length.cast_unsigned(), held: PhantomData })
            }
            Err(_) => {
                let view = export().hold(object)?;
                check_contiguous(view)?;
                Ok(Self { start: view.buf, bytes: view.len.cast_unsigned(), held: PhantomData })
            }
        }
    }

    /// Returns the bytes of an object, or an empty input for None.
    #[inline(always)]
    pub(crate) fn optional(object: Borrowed<'a, '_, PyAny>, export: &'a mut Export) -> PyResult<Self> {
        if object.is_none() { Ok(Self::EMPTY) } else { Self::new(object, export) }
    }
}

impl Deref for Input<'_> {
    type Target = [u8];

    #[inline]
    fn deref(&self) -> &[u8] {
        // SAFETY: the memory is exported, or belongs to a `bytes` object that the caller holds. When this crate writes
        // to an output that may overlap an input, no slice of that input overlaps the output.
        unsafe { slice(self.start, self.bytes) }
    }
}

/// A writable Python buffer that receives the result.
pub(crate) struct Output<'a> {
    start: *mut u8,
    bytes: usize,
    held: PhantomData<&'a mut [u8]>,
}

impl<'a> Output<'a> {
    #[inline]
    pub(crate) fn new(object: Borrowed<'a, '_, PyAny>, export: &'a mut Export) -> PyResult<Self> {
        let view = export.hold(object)?;
        if view.readonly != 0 {
            return Err(PyTypeError::new_err("Buffer is not writable."));
        }
        check_contiguous(view)?;
        Ok(Self { start: view.buf, bytes: view.len.cast_unsigned(), held: PhantomData })
    }

    pub(crate) fn len(&self) -> usize {
        self.bytes
    }

    /// Calls `work` with the input `data`, further inputs `beside`, and this output. Takes ownership of all of them, so
    /// that no other slices of their memory exist meanwhile.
    #[inline]
    pub(crate) fn written_by<R>(
        self,
        data: Input<'_>,
        beside: [Input<'_>; 2],
        work: impl FnOnce(Text<'_>, [&[u8]; 2]) -> R,
    ) -> R {
        let apart = beside.each_ref().map(|input| self.apart(input));
        let apart = apart.each_ref().map(|bytes| &**bytes);
        let is_in_place = data.start == self.start.cast_const() && self.meets(&data);
        let copied = if is_in_place { None } else { Some(self.apart(&data)) };
        // SAFETY: exported as writable. No other slice overlaps: overlapping inputs are copied, or read in place.
        let out = unsafe { slice_mut(self.start, self.bytes) };
        let text = match &copied {
            Some(data) => Text::Between(data, out),
            None => {
                let behind = data.bytes.saturating_sub(self.bytes);
                // SAFETY: these bytes are the part of `data` behind the end of the output.
                Text::InPlace(out, unsafe { slice(data.start.add(data.bytes - behind), behind) })
            }
        };
        work(text, apart)
    }

    /// Returns the bytes for writing.
    ///
    /// # Safety
    /// No slice of an input that [overlaps](Self::meets) the output may be in use meanwhile.
    pub(crate) unsafe fn bytes_mut(&mut self) -> &mut [u8] {
        // SAFETY: exported as writable; the caller guarantees that no other slice overlaps.
        unsafe { slice_mut(self.start, self.bytes) }
    }

    /// Returns `input`, or a copy if the output overlaps it.
    #[inline]
    fn apart<'i>(&self, input: &'i Input<'_>) -> Apart<'i> {
        if self.meets(input) { Apart::Copied(Zeroizing::new(input.to_vec())) } else { Apart::There(input) }
    }

    /// Returns whether the output overlaps `input`.
    pub(crate) fn meets(&self, input: &Input<'_>) -> bool {
        let (start, other) = (self.start.addr(), input.start.addr());
        self.bytes > 0 && input.bytes > 0 && start < other + input.bytes && other < start + self.bytes
    }
}

/// Input and output of a call.
pub(crate) enum Text<'a> {
    /// The output buffer, whose bytes are also the first part of the input, and the remaining input after that part.
    InPlace(&'a mut [u8], &'a [u8]),
    /// Separate input and output.
    Between(&'a [u8], &'a mut [u8]),
}

/// An input that does not overlap the output.
enum Apart<'a> {
    There(&'a [u8]),
    Copied(Zeroizing<Vec<u8>>),
}

impl Deref for Apart<'_> {
    type Target = [u8];

    #[inline]
    fn deref(&self) -> &[u8] {
        match self {
            Self::There(bytes) => bytes,
            Self::Copied(bytes) => bytes,
        }
    }
}

/// Memory for a buffer export, which is released on drop. While the export is in use, a borrow pins the view, because
/// exporters may store pointers into it.
pub(crate) struct Export {
    view: MaybeUninit<View>,
    is_held: bool,
}

impl Default for Export {
    #[inline]
    fn default() -> Self {
        Self { view: MaybeUninit::uninit(), is_held: false }
    }
}

impl Export {
    fn hold(&mut self, object: Borrowed<'_, '_, PyAny>) -> PyResult<&View> {
        // SAFETY: `object` is alive, the view is empty, and Python is attached, since there is a bound object.
        if unsafe { PyObject_GetBuffer(object.as_ptr(), self.view.as_mut_ptr(), READ_ANY) } != 0 {
            let why = PyErr::fetch(object.py());
            return Err(no_bytes(object, Some(why)));
        }
        self.is_held = true;
        // SAFETY: the call succeeded and filled the view.
        let view = unsafe { self.view.assume_init_ref() };
        if view.itemsize == 1 { Ok(view) } else { Err(no_bytes(object, None)) }
    }
}

impl Drop for Export {
    #[inline]
    fn drop(&mut self) {
        if self.is_held {
            // SAFETY: the view was filled and is released once. Python is attached: exports do not outlive a call.
            unsafe { PyBuffer_Release(self.view.as_mut_ptr()) };
        }
    }
}

fn check_contiguous(view: &View) -> PyResult<()> {
    // SAFETY: the view was filled.
    if unsafe { PyBuffer_IsContiguous(view, b'C' as c_char) } != 0 {
        return Ok(());
    }
    Err(PyBufferError::new_err("Buffer is not contiguous."))
}

#[cold]
fn no_bytes(object: Borrowed<'_, '_, PyAny>, why: Option<PyErr>) -> PyErr {
    let hint = if object.is_instance_of::<PyString>() { "\nDid you mean to pass a bytestring instead?" } else { "" };
    let error = PyTypeError::new_err(format!("Cannot convert \"{}\" instance to a buffer.{hint}", object.get_type()));
    error.set_cause(object.py(), why);
    error
}

/// # Safety
/// The bytes must be readable for `'a`.
#[inline]
unsafe fn slice<'a>(start: *const u8, bytes: usize) -> &'a [u8] {
    if bytes == 0 {
        return &[];
    }
    // SAFETY: the caller guarantees readable memory; no Python object is longer than isize::MAX.
    unsafe { std::slice::from_raw_parts(start, bytes) }
}

/// # Safety
/// The bytes must be writable for `'a` and in no other slice.
#[inline]
unsafe fn slice_mut<'a>(start: *mut u8, bytes: usize) -> &'a mut [u8] {
    if bytes == 0 {
        return &mut [];
    }
    // SAFETY: the caller guarantees writable memory; no Python object is longer than isize::MAX.
    unsafe { std::slice::from_raw_parts_mut(start, bytes) }
}

/// `Py_buffer`, which PyO3 declares from Python 3.11 on only, where it is in the stable ABI. Python 3.9 and 3.10, which
/// no longer change, have the same layout and functions.
#[repr(C)]
struct View {
    buf: *mut u8,
    obj: *mut ffi::PyObject,
    len: isize,
    itemsize: isize,
    readonly: c_int,
    ndim: c_int,
    format: *mut c_char,
    shape: *mut isize,
    strides: *mut isize,
    suboffsets: *mut isize,
    internal: *mut u8,
}

/// `PyBUF_FULL_RO`: accepts all buffers, with a full description.
const READ_ANY: c_int = 0x0100 | 0x0010 | 0x0008 | 0x0004;

unsafe extern "C" {
    fn PyObject_GetBuffer(object: *mut ffi::PyObject, view: *mut View, flags: c_int) -> c_int;
    fn PyBuffer_IsContiguous(view: *const View, order: c_char) -> c_int;
    fn PyBuffer_Release(view: *mut View);
}
