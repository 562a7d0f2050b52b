//! Reading and writing at a place of a file, whoever else does so at others.

use std::fs::File;
use std::io;

use crate::Error;

/// Fills `buffer` from `offset` on.
#[cfg(unix)]
pub(crate) fn read_at(file: &File, buffer: &mut [u8], offset: u64) -> Result<(), Error> {
    use std::os::unix::fs::FileExt;
    file.read_exact_at(buffer, offset).map_err(from_reading)
}

/// Writes `bytes` from `offset` on.
#[cfg(unix)]
pub(crate) fn write_at(file: &File, bytes: &[u8], offset: u64) -> Result<(), Error> {
    use std::os::unix::fs::FileExt;
    file.write_all_at(bytes, offset).map_err(Error::Write)
}

/// Fills `buffer` from `offset` on.
#[cfg(windows)]
pub(crate) fn read_at(file: &File, mut buffer: &mut [u8], mut offset: u64) -> Result<(), Error> {
    use std::os::windows::fs::FileExt;
    while !buffer.is_empty() {
        let read = file.seek_read(buffer, offset).map_err(Error::Read)?;
        if read == 0 {
            return Err(Error::Changed);
        }
        buffer = &mut buffer[read..];
        offset += read as u64;
    }
    Ok(())
}

/// Writes `bytes` from `offset` on.
#[cfg(windows)]
pub(crate) fn write_at(file: &File, mut bytes: &[u8], mut offset: u64) -> Result<(), Error> {
    use std::os::windows::fs::FileExt;
    while !bytes.is_empty() {
        let written = file.seek_write(bytes, offset).map_err(Error::Write)?;
        bytes = &bytes[written..];
        offset += written as u64;
    }
    Ok(())
}

/// The length was known, so an early end means that the file became shorter.
#[cfg(unix)]
fn from_reading(error: io::Error) -> Error {
    if error.kind() == io::ErrorKind::UnexpectedEof { Error::Changed } else { Error::Read(error) }
}
