//! Methods of all key classes for whole messages, in which the tag follows the ciphertext.

use std::ops::RangeInclusive;

use kasoku_engine::{Error, TAG_BYTES, Tag};
use pyo3::exceptions::{PyOverflowError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::buffer::{Export, Input, Output, Text};
use crate::error::{exception, invalid_tag};
use crate::new_bytes::NewBytes;

/// Minimum message length in bytes for which other Python threads run during the call. Shorter messages end before a
/// switch of threads would pay.
const DETACHED_BYTES: usize = 16 * 1024;

/// Maximum length of a message and of AAD in bytes, as in PyCA, so that PyCA and Kasoku open each other's messages.
const MAX_BYTES: usize = (1 << 31) - 1;

/// A key that seals and opens whole messages.
pub(crate) trait Aead: Sync {
    /// Valid nonce lengths in bytes.
    const NONCE_BYTES: RangeInclusive<usize>;
    /// Nonce length in bytes for batches whose nonces are in one buffer.
    const USUAL_NONCE_BYTES: usize;

    fn seal(&self, nonce: &[u8], aad: &[u8], plaintext: &[u8], out: &mut [u8], tag: &mut Tag) -> Result<(), Error>;
    fn seal_in_place(&self, nonce: &[u8], aad: &[u8], in_out: &mut [u8], tag: &mut Tag) -> Result<(), Error>;
    fn open(&self, nonce: &[u8], aad: &[u8], ciphertext: &[u8], out: &mut [u8], tag: &Tag) -> Result<(), Error>;
    fn open_in_place(&self, nonce: &[u8], aad: &[u8], in_out: &mut [u8], tag: &Tag) -> Result<(), Error>;
}

/// Implements `encrypt`.
#[inline]
pub(crate) fn encrypt<'py, A: Aead>(
    py: Python<'py>,
    key: &A,
    [nonce, data, aad]: [&Bound<'py, PyAny>; 3],
) -> PyResult<Bound<'py, PyBytes>> {
    let mut exports: [Export; 3] = Default::default();
    let [one, two, three] = &mut exports;
    let nonce = &*Input::new(nonce.as_borrowed(), one)?;
    let data = &*Input::new(data.as_borrowed(), two)?;
    let aad = &*Input::optional(aad.as_borrowed(), three)?;
    check::<A>(nonce, aad, data.len())?;
    let mut new = NewBytes::new(py, data.len() + TAG_BYTES)?;
    let out = new.bytes_mut();
    detached(py, data.len(), move || match out.split_last_chunk_mut() {
        Some((text, tag)) => key.seal(nonce, aad, data, text, tag),
        None => Ok(()), // impossible: there is room for a tag
    })
    .map_err(|error| exception(py, error))?;
    Ok(new.finish())
}

/// Implements `decrypt`.
#[inline]
pub(crate) fn decrypt<'py, A: Aead>(
    py: Python<'py>,
    key: &A,
    [nonce, data, aad]: [&Bound<'py, PyAny>; 3],
) -> PyResult<Bound<'py, PyBytes>> {
    let mut exports: [Export; 3] = Default::default();
    let [one, two, three] = &mut exports;
    let nonce = &*Input::new(nonce.as_borrowed(), one)?;
    let data = &*Input::new(data.as_borrowed(), two)?;
    let aad = &*Input::optional(aad.as_borrowed(), three)?;
    check_nonce::<A>(nonce)?;
    let (text, tag) = data.split_last_chunk().ok_or_else(|| invalid_tag(py, None))?;
    check::<A>(nonce, aad, text.len())?;
    let mut new = NewBytes::new(py, text.len())?;
    let out = new.bytes_mut();
    detached(py, text.len(), move || key.open(nonce, aad, text, out, tag)).map_err(|error| exception(py, error))?;
    Ok(new.finish())
}

/// Implements `encrypt_into`.
#[inline]
pub(crate) fn encrypt_into<A: Aead>(
    py: Python<'_>,
    key: &A,
    [nonce, data, aad, out]: [&Bound<'_, PyAny>; 4],
) -> PyResult<usize> {
    let mut exports: [Export; 4] = Default::default();
    let [one, two, three, four] = &mut exports;
    let nonce = Input::new(nonce.as_borrowed(), one)?;
    let data = Input::new(data.as_borrowed(), two)?;
    let aad = Input::optional(aad.as_borrowed(), three)?;
    let out = Output::new(out.as_borrowed(), four)?;
    check::<A>(&nonce, &aad, data.len())?;
    let bytes = data.len() + TAG_BYTES;
    check_output(&out, bytes)?;
    out.written_by(data, [nonce, aad], |text, [nonce, aad]| match text {
        Text::InPlace(out, _) => detached(py, bytes, move || match out.split_last_chunk_mut() {
            Some((text, tag)) => key.seal_in_place(nonce, aad, text, tag),
            None => Ok(()), // impossible: the length was checked
        }),
        Text::Between(data, out) => detached(py, bytes, move || match out.split_last_chunk_mut() {
            Some((text, tag)) => key.seal(nonce, aad, data, text, tag),
            None => Ok(()),
        }),
    })
    .map_err(|error| exception(py, error))?;
    Ok(bytes)
}

/// Implements `decrypt_into`.
#[inline]
pub(crate) fn decrypt_into<A: Aead>(
    py: Python<'_>,
    key: &A,
    [nonce, data, aad, out]: [&Bound<'_, PyAny>; 4],
) -> PyResult<usize> {
    let mut exports: [Export; 4] = Default::default();
    let [one, two, three, four] = &mut exports;
    let nonce = Input::new(nonce.as_borrowed(), one)?;
    let data = Input::new(data.as_borrowed(), two)?;
    let aad = Input::optional(aad.as_borrowed(), three)?;
    let out = Output::new(out.as_borrowed(), four)?;
    check_nonce::<A>(&nonce)?;
    let bytes = data.len().checked_sub(TAG_BYTES).ok_or_else(|| invalid_tag(py, None))?;
    check::<A>(&nonce, &aad, bytes)?;
    check_output(&out, bytes)?;
    out.written_by(data, [nonce, aad], |text, [nonce, aad]| match text {
        Text::InPlace(out, tag) => detached(py, bytes, move || match tag.try_into() {
            Ok(tag) => key.open_in_place(nonce, aad, out, tag),
            Err(_) => Err(Error::AuthenticationFailed), // impossible: the tag is behind the output
        }),
        Text::Between(data, out) => detached(py, bytes, move || match data.split_last_chunk() {
            Some((text, tag)) => key.open(nonce, aad, text, out, tag),
            None => Err(Error::AuthenticationFailed), // impossible: there is a tag
        }),
    })
    .map_err(|error| exception(py, error))?;
    Ok(bytes)
}

/// Runs `work` for a message of the given length. If the message is long, other Python threads run during the work.
#[inline]
pub(crate) fn detached<E: Send>(
    py: Python<'_>,
    bytes: usize,
    work: impl FnOnce() -> Result<(), E> + Send,
) -> Result<(), E> {
    if bytes >= DETACHED_BYTES { py.detach(work) } else { work() }
}

#[inline]
pub(crate) fn check<A: Aead>(nonce: &[u8], aad: &[u8], text_bytes: usize) -> PyResult<()> {
    if text_bytes > MAX_BYTES || aad.len() > MAX_BYTES {
        return Err(PyOverflowError::new_err("Data or associated data too long. Max 2**31 - 1 bytes"));
    }
    check_nonce::<A>(nonce)
}

#[inline]
pub(crate) fn check_nonce<A: Aead>(nonce: &[u8]) -> PyResult<()> {
    if A::NONCE_BYTES.contains(&nonce.len()) { Ok(()) } else { Err(wrong_nonce(A::NONCE_BYTES)) }
}

#[cold]
fn wrong_nonce(allowed: RangeInclusive<usize>) -> PyErr {
    let (least, most) = (allowed.start(), allowed.end());
    PyValueError::new_err(if least == most {
        format!("Nonce must be {least} bytes long")
    } else {
        format!("Nonce must be between {least} and {most} bytes")
    })
}

#[inline]
pub(crate) fn check_output(out: &Output<'_>, bytes: usize) -> PyResult<()> {
    if out.len() == bytes {
        return Ok(());
    }
    Err(PyValueError::new_err(format!("buffer must be {bytes} bytes")))
}
