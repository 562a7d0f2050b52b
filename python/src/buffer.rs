//! Memory of Python's objects: `bytes`, and whatever exports a buffer.
//!
//! A buffer is held exported while it is used, so that it is neither freed nor moved. What another thread writes into
//! it meanwhile, no lock of Python's would keep out (NumPy and a shared `mmap` ask for none); as with `hashlib`, it
//! makes the result of that call worthless. It cannot do more: no branch and no address in the engine depends on data.

#![allow(unsafe_code, reason = "slices are made of Python's memory here")]

use std::ffi::{c_char, c_int};
use std::marker::PhantomData;
use std::mem::MaybeUninit;
use std::ops::Deref;

use pyo3::exceptions::{PyBufferError, PyTypeError};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};
use zeroize::Zeroizing;

/// Bytes that are read.
pub(crate) struct Input<'a> {
    start: *const u8,
    bytes: usize,
    held: PhantomData<&'a [u8]>,
}

impl<'a> Input<'a> {
    /// No bytes at all.
    pub(crate) const EMPTY: Self = Self { start: std::ptr::dangling(), bytes: 0, held: PhantomData };

    /// The bytes of `object`. (Not inlined, its result would be written in halves and read at once, which waits for
    /// both.)
    #[inline(always)]
    pub(crate) fn of(object: Borrowed<'a, '_, PyAny>, export: &'a mut Export) -> PyResult<Self> {
        Self::of_lazily(object, || export)
    }

    /// The same, where an export is made only if one is needed.
    #[inline(always)]
    pub(crate) fn of_lazily(
        object: Borrowed<'a, '_, PyAny>,
        export: impl FnOnce() -> &'a mut Export,
    ) -> PyResult<Self> {
        match object.cast_exact::<PyBytes>() {
            Ok(bytes) => {
                // SAFETY: it is a `bytes` object, whose length stands in it: read there, not asked for by a call.
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

    /// The same of an object that may be None.
    #[inline(always)]
    pub(crate) fn optional(object: Borrowed<'a, '_, PyAny>, export: &'a mut Export) -> PyResult<Self> {
        if object.is_none() { Ok(Self::EMPTY) } else { Self::of(object, export) }
    }
}

impl Deref for Input<'_> {
    type Target = [u8];

    #[inline]
    fn deref(&self) -> &[u8] {
        // SAFETY: exported, or of a `bytes` that the caller holds; where this crate writes into memory of Python's that
        // an input may reach into, it sees to it that no slice of one does.
        unsafe { slice(self.start, self.bytes) }
    }
}

/// Bytes that are written.
pub(crate) struct Output<'a> {
    start: *mut u8,
    bytes: usize,
    held: PhantomData<&'a mut [u8]>,
}

impl<'a> Output<'a> {
    #[inline]
    pub(crate) fn of(object: Borrowed<'a, '_, PyAny>, export: &'a mut Export) -> PyResult<Self> {
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

    /// Has `work` read `data` and write this; `beside` is what else it reads. All are taken, so that nobody else has a
    /// slice of them meanwhile.
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
        // SAFETY: exported as writable. No slice reaches into it: what did is copied, or is no slice of its own.
        let out = unsafe { slice_mut(self.start, self.bytes) };
        let text = match &copied {
            Some(data) => Text::Between(data, out),
            None => {
                let behind = data.bytes.saturating_sub(self.bytes);
                // SAFETY: what `data` has behind the end of the output.
                Text::InPlace(out, unsafe { slice(data.start.add(data.bytes - behind), behind) })
            }
        };
        work(text, apart)
    }

    /// The bytes, to write them.
    ///
    /// # Safety
    /// No slice of an input that this [meets](Self::meets) may be in use meanwhile.
    pub(crate) unsafe fn bytes_mut(&mut self) -> &mut [u8] {
        // SAFETY: exported as writable; the caller vouches for the rest.
        unsafe { slice_mut(self.start, self.bytes) }
    }

    /// What is in `input`, copied if this output would be written over it.
    #[inline]
    fn apart<'i>(&self, input: &'i Input<'_>) -> Apart<'i> {
        if self.meets(input) { Apart::Copied(Zeroizing::new(input.to_vec())) } else { Apart::There(input) }
    }

    /// Whether both have a byte in common.
    pub(crate) fn meets(&self, input: &Input<'_>) -> bool {
        let (start, other) = (self.start.addr(), input.start.addr());
        self.bytes > 0 && input.bytes > 0 && start < other + input.bytes && other < start + self.bytes
    }
}

/// What is read, and where it is written.
pub(crate) enum Text<'a> {
    /// The output takes the place of the input, of which the second is what lies behind it.
    InPlace(&'a mut [u8], &'a [u8]),
    /// From the first to the second.
    Between(&'a [u8], &'a mut [u8]),
}

/// An input that no output is written over.
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

/// A buffer that may be exported, and is released when this is dropped. It is borrowed for as long as it is held, and
/// so stays where it is: an exporter may point into the view itself.
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
        // SAFETY: `object` lives, and the view is one to be filled. Python is attached: there is an object at hand.
        if unsafe { PyObject_GetBuffer(object.as_ptr(), self.view.as_mut_ptr(), READ_ANY) } != 0 {
            let why = PyErr::fetch(object.py());
            return Err(no_bytes(object, Some(why)));
        }
        self.is_held = true;
        // SAFETY: it was filled.
        let view = unsafe { self.view.assume_init_ref() };
        if view.itemsize == 1 { Ok(view) } else { Err(no_bytes(object, None)) }
    }
}

impl Drop for Export {
    #[inline]
    fn drop(&mut self) {
        if self.is_held {
            // SAFETY: the view was filled and is released once, while Python is attached: exports live in a call.
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
    // SAFETY: the caller vouches for it; no object of Python's is longer than isize::MAX.
    unsafe { std::slice::from_raw_parts(start, bytes) }
}

/// # Safety
/// As [`slice`], writable, and in no other slice.
#[inline]
unsafe fn slice_mut<'a>(start: *mut u8, bytes: usize) -> &'a mut [u8] {
    if bytes == 0 {
        return &mut [];
    }
    // SAFETY: as above.
    unsafe { std::slice::from_raw_parts_mut(start, bytes) }
}

/// `Py_buffer`. It and its functions are in the stable ABI from Python 3.11 on, which is why PyO3 has them only there;
/// 3.9 and 3.10 have the same, and change no more.
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

/// `PyBUF_FULL_RO`: whatever there is, described whole.
const READ_ANY: c_int = 0x0100 | 0x0010 | 0x0008 | 0x0004;

unsafe extern "C" {
    fn PyObject_GetBuffer(object: *mut ffi::PyObject, view: *mut View, flags: c_int) -> c_int;
    fn PyBuffer_IsContiguous(view: *const View, order: c_char) -> c_int;
    fn PyBuffer_Release(view: *mut View);
}
