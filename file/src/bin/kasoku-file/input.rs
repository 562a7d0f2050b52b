//! Opens and reads the input of a subcommand.

use std::collections::VecDeque;
use std::fmt;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use crate::failure::{Failure, escaped};
use crate::output::duplicate;

/// Input of a subcommand: a file, or standard input.
pub(crate) struct Input {
    path: Option<PathBuf>,
    file: File,
    /// Bytes that [`peek`](Self::peek) has read and no reader has consumed.
    ahead: VecDeque<u8>,
}

impl Input {
    /// Opens the file at `path`; `None` and `-` are standard input.
    ///
    /// # Errors
    /// If the file cannot be opened.
    pub(crate) fn open(path: Option<&Path>) -> Result<Self, Failure> {
        let path = path.filter(|path| *path != Path::new("-"));
        let file = match path {
            None => duplicate(io::stdin()).map_err(|error| Failure::usage(format!("standard input: {error}")))?,
            Some(path) => match File::open(path) {
                Ok(file) if file.metadata().is_ok_and(|metadata| metadata.is_dir()) => {
                    return Err(Failure::usage(format!("{}: is a folder; name a file", path.display())));
                }
                opened => opened.map_err(|error| Failure::usage(format!("{}: {error}", path.display())))?,
            },
        };
        Ok(Input { path: path.map(Path::to_owned), file, ahead: VecDeque::new() })
    }

    /// Returns up to `bytes` bytes from the beginning of the input without consuming them.
    ///
    /// # Errors
    /// If the input cannot be read.
    pub(crate) fn peek(&mut self, bytes: usize) -> Result<&[u8], Failure> {
        let mut beginning = Vec::with_capacity(bytes);
        let read = (&self.file).take(bytes as u64).read_to_end(&mut beginning);
        read.map_err(|error| Failure::work(format!("cannot read {self}: {error}")))?;
        self.ahead = beginning.into();
        Ok(self.ahead.make_contiguous())
    }

    /// Consumes the bytes that [`peek`](Self::peek) returned.
    pub(crate) fn skip_peeked(&mut self) {
        self.ahead.clear();
    }

    /// Returns the open file, of any type.
    pub(crate) fn file(&self) -> &File {
        &self.file
    }

    /// Returns the input if it is a regular file that the user named by its path. Returns `None` for standard input.
    pub(crate) fn regular(&self) -> Option<&File> {
        let is_regular = self.path.is_some() && self.file.metadata().is_ok_and(|metadata| metadata.is_file());
        is_regular.then_some(&self.file)
    }

    /// Returns the length in bytes of a regular file.
    pub(crate) fn length(&self) -> Option<u64> {
        self.regular()?.metadata().ok().map(|metadata| metadata.len())
    }
}

impl Read for Input {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.ahead.is_empty() { self.file.read(buffer) } else { self.ahead.read(buffer) }
    }
}

impl fmt::Display for Input {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.path {
            Some(path) => f.write_str(&escaped(&path.to_string_lossy())),
            None => f.write_str("standard input"),
        }
    }
}
