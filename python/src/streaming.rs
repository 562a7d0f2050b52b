//! `Encryptor` and `Decryptor`: messages in parts, with the methods of PyCA's contexts for AES-GCM.
//!
//! A call borrows the object mutably until it returns, also while other threads run. So PyO3 raises a `RuntimeError` if
//! two threads use one object at the same time.

use std::borrow::Borrow;

use kasoku_engine::{AesGcm, Error, Nonce, Opening, Sealing, TAG_BYTES, Tag};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::aead::{check_nonce, detached};
use crate::aes_gcm::PyAesGcm;
use crate::buffer::{Export, Input, Output, Text};
use crate::error::{exception, misuse};
use crate::new_bytes::NewBytes;

/// A Python key that messages in progress share.
struct SharedKey(Py<PyAesGcm>);

impl Borrow<AesGcm> for SharedKey {
    fn borrow(&self) -> &AesGcm {
        &self.0.get().key
    }
}

/// The engine's calls for the parts of a message, in one direction.
trait Parts: Send {
    fn aad(&mut self, part: &[u8]) -> Result<(), Error>;
    fn update(&mut self, part: &mut [u8]) -> Result<(), Error>;
    fn update_to(&mut self, part: &[u8], out: &mut [u8]) -> Result<(), Error>;
}

impl Parts for Sealing<SharedKey> {
    fn aad(&mut self, part: &[u8]) -> Result<(), Error> {
        self.aad(part)
    }

    fn update(&mut self, part: &mut [u8]) -> Result<(), Error> {
        self.update(part)
    }

    fn update_to(&mut self, part: &[u8], out: &mut [u8]) -> Result<(), Error> {
        self.update_to(part, out)
    }
}

impl Parts for Opening<SharedKey> {
    fn aad(&mut self, part: &[u8]) -> Result<(), Error> {
        self.aad(part)
    }

    fn update(&mut self, part: &mut [u8]) -> Result<(), Error> {
        self.update_unverified(part)
    }

    fn update_to(&mut self, part: &[u8], out: &mut [u8]) -> Result<(), Error> {
        self.update_unverified_to(part, out)
    }
}

/// A message in progress, or `None` after it was finished.
struct Message<P>(Option<P>);

impl<P: Parts> Message<P> {
    /// Begins a message by `new`, which is the constructor of `P`.
    fn begin<'n>(
        key: &Bound<'_, PyAesGcm>,
        nonce: &'n [u8],
        new: impl FnOnce(SharedKey, Nonce<'n>) -> Result<P, Error>,
    ) -> PyResult<Self> {
        check_nonce::<AesGcm>(nonce)?;
        let parts = Nonce::try_from(nonce).and_then(|nonce| new(SharedKey(key.clone().unbind()), nonce));
        Ok(Self(Some(parts.map_err(|error| exception(key.py(), error))?)))
    }

    fn parts(&mut self, py: Python<'_>) -> PyResult<&mut P> {
        self.0.as_mut().ok_or_else(|| finished(py))
    }

    fn aad(&mut self, data: &Bound<'_, PyAny>) -> PyResult<()> {
        let mut export = Export::default();
        let (py, data) = (data.py(), &*Input::new(data.as_borrowed(), &mut export)?);
        let parts = self.parts(py)?;
        detached(py, data.len(), move || parts.aad(data)).map_err(|error| exception(py, error))
    }

    fn update<'py>(&mut self, data: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyBytes>> {
        let mut export = Export::default();
        let (py, data) = (data.py(), &*Input::new(data.as_borrowed(), &mut export)?);
        let parts = self.parts(py)?;
        let mut new = NewBytes::new(py, data.len())?;
        let out = new.bytes_mut();
        detached(py, data.len(), move || parts.update_to(data, out)).map_err(|error| exception(py, error))?;
        Ok(new.finish())
    }

    fn update_into(&mut self, data: &Bound<'_, PyAny>, buf: &Bound<'_, PyAny>) -> PyResult<usize> {
        let (mut one, mut two) = <(Export, Export)>::default();
        let py = data.py();
        let data = Input::new(data.as_borrowed(), &mut one)?;
        let out = Output::new(buf.as_borrowed(), &mut two)?;
        let parts = self.parts(py)?;
        let bytes = data.len();
        if out.len() < bytes {
            return Err(PyValueError::new_err(format!("buffer must be at least {bytes} bytes for this payload")));
        }
        out.written_by(data, [Input::EMPTY, Input::EMPTY], |text, _| {
            detached(py, bytes, move || match text {
                Text::InPlace(out, _) => parts.update(&mut out[..bytes]),
                Text::Between(data, out) => parts.update_to(data, &mut out[..bytes]),
            })
        })
        .map_err(|error| exception(py, error))?;
        Ok(bytes)
    }

    /// Returns the message to finish it. All later calls fail.
    fn take(&mut self, py: Python<'_>) -> PyResult<P> {
        self.0.take().ok_or_else(|| finished(py))
    }
}

#[cold]
fn finished(py: Python<'_>) -> PyErr {
    misuse(py, "AlreadyFinalized", "Context was already finalized.")
}

/// Encrypts a message in parts, under an AESGCM key and a nonce of 8 to 128 bytes.
///
/// The methods are those of PyCA's Cipher(AES(key), GCM(nonce)).encryptor(). Never use a nonce for two messages under
/// one key. Only one thread at a time may call a method.
#[pyclass(module = "kasoku", subclass)]
pub(crate) struct Encryptor {
    message: Message<Sealing<SharedKey>>,
    tag: Option<Tag>,
}

#[pymethods]
impl Encryptor {
    #[new]
    fn new(key: &Bound<'_, PyAesGcm>, nonce: &Bound<'_, PyAny>) -> PyResult<Self> {
        let mut export = Export::default();
        let nonce = Input::new(nonce.as_borrowed(), &mut export)?;
        Ok(Self { message: Message::begin(key, &nonce, Sealing::new)?, tag: None })
    }

    /// Adds a part of the AAD. All AAD must come before the data.
    fn authenticate_additional_data(&mut self, data: &Bound<'_, PyAny>) -> PyResult<()> {
        self.message.aad(data)
    }

    /// Returns the ciphertext of the next part, which has the same length.
    fn update<'py>(&mut self, data: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyBytes>> {
        self.message.update(data)
    }

    /// Writes the ciphertext of the next part into buf, which is at least as long as data and may begin where data
    /// does. Returns the number of bytes written.
    fn update_into(&mut self, data: &Bound<'_, PyAny>, buf: &Bound<'_, PyAny>) -> PyResult<usize> {
        self.message.update_into(data, buf)
    }

    /// Ends the message and computes its tag. Returns b"", as PyCA does.
    fn finalize<'py>(&mut self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        self.tag = Some(self.message.take(py)?.finish());
        Ok(PyBytes::new(py, b""))
    }

    /// The tag of 16 bytes, after finalize().
    #[getter]
    fn tag<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let early = || misuse(py, "NotYetFinalized", "You must finalize encryption before getting the tag.");
        Ok(PyBytes::new(py, self.tag.as_ref().ok_or_else(early)?))
    }
}

/// Decrypts a message in parts. The plaintext is NOT VERIFIED until finalize() or finalize_with_tag() succeeds: do not
/// act on it before, and discard all of it after InvalidTag. AESGCM.decrypt returns only verified plaintext.
///
/// key is an AESGCM; the nonce has 8 to 128 bytes, the tag 16. Pass the tag here, or to finalize_with_tag(). Only one
/// thread at a time may call a method.
#[pyclass(module = "kasoku", subclass)]
pub(crate) struct Decryptor {
    message: Message<Opening<SharedKey>>,
    tag: Option<Tag>,
}

#[pymethods]
impl Decryptor {
    #[new]
    #[pyo3(signature = (key, nonce, tag = None))]
    fn new(key: &Bound<'_, PyAesGcm>, nonce: &Bound<'_, PyAny>, tag: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        let mut export = Export::default();
        let nonce = Input::new(nonce.as_borrowed(), &mut export)?;
        let tag = tag.map(checked_tag).transpose()?;
        Ok(Self { message: Message::begin(key, &nonce, Opening::new)?, tag })
    }

    /// Adds a part of the AAD. All AAD must come before the data.
    fn authenticate_additional_data(&mut self, data: &Bound<'_, PyAny>) -> PyResult<()> {
        self.message.aad(data)
    }

    /// Returns the unverified plaintext of the next part, which has the same length.
    fn update_unverified<'py>(&mut self, data: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyBytes>> {
        self.message.update(data)
    }

    /// Writes the unverified plaintext of the next part into buf, which is at least as long as data and may begin where
    /// data does. Returns the number of bytes written.
    fn update_unverified_into(&mut self, data: &Bound<'_, PyAny>, buf: &Bound<'_, PyAny>) -> PyResult<usize> {
        self.message.update_into(data, buf)
    }

    /// Verifies the message against the tag given to the constructor. Returns b"", as PyCA does. After InvalidTag,
    /// discard all plaintext of the message.
    fn finalize<'py>(&mut self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        self.message.parts(py)?;
        let missing = || PyValueError::new_err("Authentication tag must be provided when decrypting.");
        let tag = self.tag.ok_or_else(missing)?;
        self.verify(py, &tag)
    }

    /// Verifies the message against tag. Returns b"", as PyCA does. After InvalidTag, discard all plaintext of the
    /// message.
    fn finalize_with_tag<'py>(&mut self, py: Python<'py>, tag: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyBytes>> {
        self.message.parts(py)?;
        if self.tag.is_some() {
            return Err(PyValueError::new_err("Authentication tag must be provided only once."));
        }
        let tag = checked_tag(tag)?;
        self.verify(py, &tag)
    }
}

impl Decryptor {
    fn verify<'py>(&mut self, py: Python<'py>, tag: &Tag) -> PyResult<Bound<'py, PyBytes>> {
        self.message.take(py)?.finish(tag).map_err(|error| exception(py, error))?;
        Ok(PyBytes::new(py, b""))
    }
}

fn checked_tag(tag: &Bound<'_, PyAny>) -> PyResult<Tag> {
    let mut export = Export::default();
    let tag = Input::new(tag.as_borrowed(), &mut export)?;
    let wrong = |_| PyValueError::new_err(format!("Authentication tag must be {TAG_BYTES} bytes long."));
    Tag::try_from(&*tag).map_err(wrong)
}
