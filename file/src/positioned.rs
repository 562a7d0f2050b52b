//! Reading and writing at a place of a file, whoever else does so at others.

use std::fs::File;
use std::io::{self, Read};

use crate::Error;
#[cfg(target_os = "linux")]
use crate::file_system;
use crate::pool::fill;

/// Reads from `offset` on until `buffer` is full or the file ends; how many bytes.
pub(crate) fn read_at(file: &File, buffer: &mut [u8], offset: u64) -> Result<usize, Error> {
    fill(&mut FileAt { file, offset }, buffer)
}

/// A file that is read from a place of its own.
struct FileAt<'f> {
    file: &'f File,
    offset: u64,
}

impl Read for FileAt<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = read_some_at(self.file, buffer, self.offset)?;
        self.offset += count as u64;
        Ok(count)
    }
}

#[cfg(unix)]
fn read_some_at(file: &File, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
    std::os::unix::fs::FileExt::read_at(file, buffer, offset)
}

#[cfg(windows)]
fn read_some_at(file: &File, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
    std::os::windows::fs::FileExt::seek_read(file, buffer, offset)
}

/// Writes `bytes` from `offset` on.
#[cfg(unix)]
pub(crate) fn write_at(file: &File, bytes: &[u8], offset: u64) -> Result<(), Error> {
    use std::os::unix::fs::FileExt;
    file.write_all_at(bytes, offset).map_err(Error::Write)
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

/// Has the device keep room for `bytes` of an empty file, where that is worth it.
///
/// On ext4 the kernel otherwise reserves block after block while the file is written; done at once, writing takes
/// little more than half the CPU time, and a full disk is known before anything is done. On tmpfs it clears pages on
/// one core that are written anyway; other file systems were not measured, so they are left as they are.
///
/// The file's length stays what was written: after a power cut what was only reserved would be zeros.
#[cfg(target_os = "linux")]
pub(crate) fn reserve(file: &File, bytes: u64) -> Result<(), Error> {
    use rustix::fs::{FallocateFlags, fallocate};
    use rustix::io::Errno;
    if bytes == 0 || !file_system::is_ext4(file) {
        return Ok(());
    }
    match fallocate(file, FallocateFlags::KEEP_SIZE, 0, bytes) {
        Err(full @ (Errno::NOSPC | Errno::DQUOT | Errno::FBIG)) => Err(Error::Write(full.into())),
        // Without extents (as ext2 has it) it cannot be reserved; writing goes on as anywhere else.
        _ => Ok(()),
    }
}

/// Nothing is reserved here.
#[cfg(not(target_os = "linux"))]
pub(crate) fn reserve(_file: &File, _bytes: u64) -> Result<(), Error> {
    Ok(())
}
