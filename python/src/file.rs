//! Writes encrypted files, and reads them at any position.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use kasoku_file::{Destination, DestinationError, Key, Reader, Writer};
use pyo3::exceptions::{PyFileExistsError, PyOSError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use zeroize::Zeroizing;

use crate::buffer::{Export, Input, Output, Text};
use crate::error::not_authentic;

/// Reader of the plaintext of an encrypted file, from any position. kasoku.open() returns a Python stream that uses it.
#[pyclass(name = "FileReader", module = "kasoku", frozen)]
pub(crate) struct FileReader {
    /// Reader, locked only while Python is detached, so that the lock's holder never waits for Python.
    reader: Mutex<Reader<File>>,
}

#[pymethods]
impl FileReader {
    #[new]
    fn new(
        py: Python<'_>,
        path: &Bound<'_, PyAny>,
        key: &Bound<'_, PyAny>,
        context: &Bound<'_, PyAny>,
    ) -> PyResult<Self> {
        let path = FilePath::new(path)?;
        let (key, context) = key_and_context(key, context)?;
        let native = &path.native;
        let reader = py.detach(|| {
            let file = File::open(native)?;
            if file.metadata()?.is_dir() {
                return Err(io::Error::from_raw_os_error(EISDIR));
            }
            Ok(Reader::new(&key, &context, file)?)
        });
        Ok(Self { reader: Mutex::new(reader.map_err(|error| path.name_in(error))?) })
    }

    /// Reads into a buffer from the current position. Returns the number of bytes, 0 at the end.
    fn readinto(&self, py: Python<'_>, buffer: &Bound<'_, PyAny>) -> PyResult<usize> {
        let mut export = Export::default();
        let out = Output::new(buffer.as_borrowed(), &mut export)?;
        out.written_by(Input::EMPTY, [Input::EMPTY, Input::EMPTY], |text, _| {
            let (Text::InPlace(out, _) | Text::Between(_, out)) = text;
            self.detached(py, |reader| reader.read(out))
        })
    }

    /// Moves by offset from the beginning (0), the current position (1) or the end (2). Returns the new position.
    fn seek(&self, py: Python<'_>, offset: i64, whence: u8) -> PyResult<u64> {
        let to = match whence {
            0 => SeekFrom::Start(u64::try_from(offset).map_err(|_| PyValueError::new_err("before the beginning"))?),
            1 => SeekFrom::Current(offset),
            2 => SeekFrom::End(offset),
            _ => return Err(PyValueError::new_err(format!("whence is 0, 1 or 2, not {whence}"))),
        };
        self.detached(py, |reader| reader.seek(to))
    }
}

impl FileReader {
    fn detached<T: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut Reader<File>) -> io::Result<T> + Send,
    ) -> PyResult<T> {
        let done = py.detach(|| work(&mut self.reader.lock().unwrap_or_else(PoisonError::into_inner)));
        done.map_err(|error| exception(py, error))
    }
}

/// Writer of an encrypted file, which gets its name only when it is complete. Dropping the object discards the file.
/// kasoku.open() returns a Python stream that uses it.
#[pyclass(name = "FileWriter", module = "kasoku", frozen)]
pub(crate) struct FileWriter {
    /// Writer, locked only while Python is detached, and `None` once the file is complete.
    writer: Mutex<Option<Writer<Destination>>>,
    path: Py<PyAny>,
}

#[pymethods]
impl FileWriter {
    #[new]
    fn new(
        py: Python<'_>,
        path: &Bound<'_, PyAny>,
        key: &Bound<'_, PyAny>,
        context: &Bound<'_, PyAny>,
        may_replace: bool,
    ) -> PyResult<Self> {
        let path = FilePath::new(path)?;
        let (key, context) = key_and_context(key, context)?;
        let native = &path.native;
        let begun = py.detach(|| Destination::new(native, may_replace));
        let destination = begun.map_err(|error| path.name_in_unwritten(error))?;
        let writer = py.detach(|| Writer::new(&key, &context, destination));
        let writer = writer.map_err(|error| unwritten(&path, error.into()))?;
        Ok(Self { writer: Mutex::new(Some(writer)), path: path.given.unbind() })
    }

    /// Encrypts bytes and writes them behind what was written before. Returns their number.
    fn write(&self, py: Python<'_>, data: &Bound<'_, PyAny>) -> PyResult<usize> {
        let mut export = Export::default();
        let data = Input::new(data.as_borrowed(), &mut export)?;
        let bytes: &[u8] = &data;
        let written = py.detach(|| match &mut *self.writer.lock().unwrap_or_else(PoisonError::into_inner) {
            Some(writer) => writer.write_all(bytes),
            None => Err(complete()),
        });
        written.map_err(|error| self.exception(py, error))?;
        Ok(bytes.len())
    }

    /// Writes the end of the file and gives it its name.
    fn keep(&self, py: Python<'_>) -> PyResult<()> {
        let finished = py.detach(|| {
            let writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner).take().ok_or_else(complete)?;
            Ok(writer.finish()?)
        });
        let destination = finished.map_err(|error: io::Error| self.exception(py, error))?;
        let kept = py.detach(|| destination.keep(false));
        kept.or_else(|error| Err(FilePath::new(self.path.bind(py))?.name_in_unwritten(error)))
    }
}

impl FileWriter {
    fn exception(&self, py: Python<'_>, error: io::Error) -> PyErr {
        FilePath::new(self.path.bind(py)).map_or_else(|error| error, |path| unwritten(&path, error))
    }
}

fn complete() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, "the file is complete")
}

/// Converts an error of writing a file to an exception.
fn unwritten(path: &FilePath<'_>, error: io::Error) -> PyErr {
    match (error.raw_os_error(), error.kind()) {
        (Some(_), _) => path.name_in(error),
        (None, io::ErrorKind::InvalidInput) => PyValueError::new_err(error.to_string()),
        (None, _) => PyOSError::new_err(error.to_string()),
    }
}

/// Copies the key and the context, which must not change while Python is detached.
fn key_and_context(key: &Bound<'_, PyAny>, context: &Bound<'_, PyAny>) -> PyResult<(Key, Vec<u8>)> {
    let (mut one, mut two) = <(Export, Export)>::default();
    let given = Input::new(key.as_borrowed(), &mut one)?;
    let context = Input::new(context.as_borrowed(), &mut two)?;
    let key = Key::from_bytes(&given).map_err(|error| PyValueError::new_err(error.to_string()))?;
    Ok((key, context.to_vec()))
}

/// Returns the 16 or 32 bytes of a key file as written by `kasoku-file keygen`.
#[pyfunction]
pub(crate) fn read_key<'py>(py: Python<'py>, path: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyBytes>> {
    let path = FilePath::new(path)?;
    let mut text = Zeroizing::new(Vec::new());
    let most = kasoku_file::key_file::MAX_BYTES as u64 + 1;
    let read = File::open(&path.native).and_then(|file| file.take(most).read_to_end(&mut text));
    read.map_err(|error| path.name_in(error))?;
    let key = kasoku_file::key_file::parse(&text);
    let key = key.map_err(|error| PyValueError::new_err(format!("{}: {error}", path.native.display())))?;
    Ok(PyBytes::new(py, key.as_bytes()))
}

/// Error code of "is a directory" on Linux, macOS and the BSDs. Windows does not open directories as files.
const EISDIR: i32 = 21;

/// Error code of "file exists" on all systems.
const EEXIST: i32 = 17;

/// A path argument like that of Python's `open`: `str`, `bytes` or `os.PathLike`.
struct FilePath<'py> {
    given: Bound<'py, PyAny>,
    native: PathBuf,
}

impl<'py> FilePath<'py> {
    fn new(path: &Bound<'py, PyAny>) -> PyResult<Self> {
        let os = path.py().import("os")?;
        let given = os.call_method1("fspath", (path,))?;
        let native = os.call_method1("fsdecode", (&given,))?.extract()?;
        Ok(Self { given, native })
    }

    /// Converts an error to an exception. Exceptions for system errors name the file, as those of Python's `open`.
    fn name_in(&self, error: io::Error) -> PyErr {
        let py = self.given.py();
        let Some(code) = error.raw_os_error() else { return exception(py, error) };
        let text = error.to_string();
        let text = text.rsplit_once(" (os error").map_or(&*text, |(text, _)| text);
        // Python chooses a class like FileNotFoundError by the code. On Windows the code is the last argument.
        let made = py.get_type::<PyOSError>().call1((code, text, &self.given, code));
        made.map_or_else(|error| error, PyErr::from_value)
    }

    /// Converts an error of creating a file to the exception that Python's `open` raises, where it raises one.
    fn name_in_unwritten(&self, error: DestinationError) -> PyErr {
        match error {
            DestinationError::System { error, .. } => self.name_in(error),
            DestinationError::Exists { .. } => {
                let made = self.given.py().get_type::<PyFileExistsError>().call1((EEXIST, "File exists", &self.given));
                made.map_or_else(|error| error, PyErr::from_value)
            }
            other => PyOSError::new_err(other.to_string()),
        }
    }
}

/// Returns `OSError` for errors of the system and `InvalidTag` for errors in the file.
fn exception(py: Python<'_>, error: io::Error) -> PyErr {
    let is_file_s = error.get_ref().is_some_and(|inner| inner.is::<kasoku_file::Error>());
    match error.kind() {
        _ if is_file_s => not_authentic(py, &error.to_string()),
        io::ErrorKind::InvalidInput if error.raw_os_error().is_none() => PyValueError::new_err(error.to_string()),
        _ => error.into(),
    }
}
